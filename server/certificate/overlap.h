/* overlap: the deepest overlap of every pair along its paths, and centres that cross walls.
 *
 * One thread. Owns the pairs that overlap from tick to tick. Those that overlapped at the very first state, or while crushed,
 * are excused until they have separated, as long as they get no deeper. */
#ifndef COLLIDED_CERTIFICATE_OVERLAP_H
#define COLLIDED_CERTIFICATE_OVERLAP_H

#include "certificate/broad_phase.h"
#include "certificate/path.h"

struct cert_pair {
	uint32_t a, b; /* indices */
	bool with_wall;
};

/* A pair that overlapped at the end of the last tick. */
struct cert_overlap {
	struct cert_pair pair;
	bool excused;
	double depth; /* as deep as it may be */
	int side;     /* of the wall that the centre was last seen on; 0 for circles, or if never off the line */
};

struct cert_overlaps {
	struct cert_pair *suspects; /* of this tick: some overlap was seen */
	size_t suspect_count, suspect_capacity;
	struct cert_overlap *known; /* ordered by pair */
	size_t known_count, known_capacity;
	struct cert_overlap *next; /* under construction for the next tick */
	size_t next_count, next_capacity;
	bool failed; /* some array found no memory */
};

void cert_overlaps_init(struct cert_overlaps *overlaps);
void cert_overlaps_finish(struct cert_overlaps *overlaps);
/* What a tick is judged by. */
struct cert_scan {
	const struct cert_shapes *shapes;
	const struct cert_paths *paths;
	struct cert_sweep *sweep;       /* filled from the paths */
	const struct cert_vec *start_p; /* of each body, before pushes, at the very first tick; NULL later */
	double dt;
	struct certificate_report *report;
};
/* Judges all pairs of the tick. False: no memory. */
bool cert_overlaps_scan(struct cert_overlaps *overlaps, const struct cert_scan *scan);

#endif
