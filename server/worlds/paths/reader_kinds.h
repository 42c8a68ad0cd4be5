/* reader_kinds: what circles of the same definition have in common for readers of paths. Most worlds have few such kinds; where
 * all circles differ, each has its own.
 *
 * The worker that has the world. Initialize with all 0. */
#ifndef COLLIDED_WORLDS_PATHS_READER_KINDS_H
#define COLLIDED_WORLDS_PATHS_READER_KINDS_H

#include "physics/physics.h"

struct reader_kind {
	double gravity_x, gravity_y; /* times its scale */
	double keep, spin_keep;      /* what damping leaves in a tick */
	double mass;                 /* 0 unless dynamic */
	double linear_damping, angular_damping, gravity_scale, radius;
	uint64_t tag;
	enum body_kind kind;
	bool moves, dynamic;
	bool damped; /* `keep` or `spin_keep` is not 1 */
};

struct reader_kinds {
	struct reader_kind *items;
	uint32_t count, capacity;
};

void reader_kinds_finish(struct reader_kinds *kinds);
/* The number of the circle's kind, which is made if need be. False without memory. */
bool reader_kinds_enter(struct reader_kinds *kinds, const struct body_motion *motion, double dt, uint32_t *number);

#endif
