/* judge: whether circles kept out of walls, from definitions, reported paths and states alone. Long double; no code of the
 * engine or of its certificate.
 *
 * A path is what the engine reports of it (WORLD_EVENTS_PATHS): pieces that must follow on each other without a jump. They lead
 * from the state at the tick's start, and what is told to push it from there, to the one at its end. All the way its distance
 * from every closed segment must be at least the two radii. Then no centre changes sides, and none passes a gap that is
 * narrower than its circle: that is the whole topology.
 *
 * One-sided walls stop only what enters them from the left of their line. A circle that came in from elsewhere passes until it
 * is out. It also passes the ends of other one-sided walls that are joined to it there: a chain is one thing.
 *
 * Categories and masks say which pairs meet. One thread. Owns copies of the shapes. */
#ifndef COLLIDED_TESTS_PHYSICS_JOINS_JUDGE_H
#define COLLIDED_TESTS_PHYSICS_JOINS_JUDGE_H

#include "physics/physics.h"

/* What may be seen of rounding: of the largest coordinate and way, 4 ulp. The skin is 64. */
#define JUDGE_ROUNDING 0x1p-50L

enum judge_fault {
	JUDGE_THROUGH, /* the centre came nearer than half the radii: it is in the wall, or past it */
	JUDGE_OVERLAP,
	JUDGE_JUMP, /* a path that does not go on where it was, or does not end in the state */
	JUDGE_FAULTS,
};

/* The first of its kind, and the deepest. */
struct judge_finding {
	uint64_t count; /* circles, walls and ticks; of jumps, pieces */
	uint64_t tick;
	uint32_t circle, segment;
	double time, depth; /* of the deepest, in the tick, and how deep */
};

struct judge;

/* From the definition that the world was made of. `rounding`, of the largest coordinate and way, is what overlap may be:
 * JUDGE_ROUNDING, or more where many contacts in a tick each round a place. */
struct judge *judge_create(const struct world_def *def, long double rounding);
void judge_destroy(struct judge *judge);
/* Call right after world_step, of a world that reports paths. */
void judge_tick(struct judge *judge, const struct world *world, double dt, const struct tick_report *report);
const struct judge_finding *judge_findings(const struct judge *judge, enum judge_fault fault);
bool judge_clean(const struct judge *judge);

#endif
