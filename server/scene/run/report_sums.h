/* report_sums: what a frame tells of all ticks since the one before: energies, momenta, counts.
 *
 * One thread at a time. A value. */
#ifndef COLLIDED_SCENE_RUN_REPORT_SUMS_H
#define COLLIDED_SCENE_RUN_REPORT_SUMS_H

#include "physics/physics.h"
#include "wire/wire.h"

struct report_sums {
	bool summed; /* something since the last frame */
	Collide__V1__Energy energy;
	Collide__V1__Momentum momentum;
	uint64_t events, collisions, clusters, clips;
	uint64_t asleep; /* after the last tick */
};

/* Nothing so far. */
void report_sums_begin(struct report_sums *sums);
void report_sums_add(struct report_sums *sums, const struct tick_report *report);
/* Lends them to a frame. */
void report_sums_attach(const struct report_sums *sums, struct wire_frame *frame);

#endif
