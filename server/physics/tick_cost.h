/* tick_cost: what a tick took, and where. Part of the public header, physics.h, which includes it. */
#ifndef COLLIDED_PHYSICS_TICK_COST_H
#define COLLIDED_PHYSICS_TICK_COST_H

#include <stdbool.h>
#include <stdint.h>

/* What a tick may take of counted work (world_def) unless told otherwise, and at most: docs/performance.md has what it is in
 * milliseconds. */
#define PHYSICS_WORK_PER_TICK 2000000u
#define PHYSICS_WORK_PER_BODY 48000u
#define PHYSICS_WORK_PER_TICK_MOST UINT64_C(1000000000000)
#define PHYSICS_WORK_PER_BODY_MOST UINT64_C(1000000000)

/* The parts of making a tick, as they are timed. */
enum tick_phase {
	TICK_BEGIN,     /* paths begin, cells are laid anew, walls move, overlap is pushed out */
	TICK_REST,      /* the resting solver */
	TICK_PREDICT,   /* what comes, as of the start of the tick or of a part of it */
	TICK_EVENTS,    /* takes it in order of time, and predicts what follows */
	TICK_PARTITION, /* both, where a crew makes them, by the clock on the wall */
	TICK_END,       /* paths end, sums, bodies fall asleep */
	TICK_PHASES,
};

/* What a tick took. Not part of what it gives: it may be something else in a restored world, or with a crew. */
struct tick_cost {
	uint64_t ns[TICK_PHASES]; /* by the clock of world_clock_set; 0 without one */
	uint64_t looks;           /* how often a body looked all around when the tick, or a part of it, began */
	uint64_t foreseen;        /* events predicted, with those that never came and the changes of cells */
	uint64_t transfers;       /* changes of cells */
	uint64_t sweeps;          /* of the resting solver, in each part those of the island that took most */
	bool partition, again;    /* a crew made it; a crew tried to, and one thread made it once more */
};

#endif
