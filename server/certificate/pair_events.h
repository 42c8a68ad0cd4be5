/* pair_events: whether what was told of pairs is what the rebuilt paths show: which touch, which are inside a sensor, since
 * when.
 *
 * One thread. Owns its lists and keeps them from tick to tick. */
#ifndef COLLIDED_CERTIFICATE_PAIR_EVENTS_H
#define COLLIDED_CERTIFICATE_PAIR_EVENTS_H

#include "certificate/certificate.h"
#include "certificate/path.h"
#include "certificate/shapes.h"

/* Two shapes, by index: b is a body, or a wall from CERT_PAIR_WALL on. */
#define CERT_PAIR_WALL 0x80000000u

struct cert_pair_key {
	uint32_t a, b;
	bool sensed; /* inside; else touching */
};

struct cert_pair_events {
	struct cert_pair_key *open; /* ascending: what has begun and not ended */
	size_t open_count, open_capacity;
	struct cert_told *told; /* of this tick, by pair, then in their order */
	size_t told_count, told_capacity;
	double *reach; /* of each body: how far it goes in the tick */
	size_t reach_capacity;
	double *extent; /* of each body: the largest coordinate that it could have in the tick */
	size_t extent_capacity;
};

void cert_pair_events_finish(struct cert_pair_events *events);
/* A pair that is open before the first tick. False: no memory. Unknown ids and pairs given twice are left out. */
bool cert_pair_events_open(struct cert_pair_events *events, const struct cert_shapes *shapes,
                           const struct certificate_pair *pair);
/* False: no memory. */
bool cert_pair_events_check(struct cert_pair_events *events, const struct cert_shapes *shapes, const struct cert_paths *paths,
                            const struct certificate_tick *tick, struct certificate_report *report);

#endif
