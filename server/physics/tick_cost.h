/* tick_cost: the cost of a tick, by phase. Part of the public header, physics.h, which includes it. */
#ifndef COLLIDED_PHYSICS_TICK_COST_H
#define COLLIDED_PHYSICS_TICK_COST_H

#include <stdbool.h>
#include <stdint.h>

/* The default limits of a tick's counted work (world_def), and the highest that may be set; docs/performance.md gives them in
 * milliseconds. */
#define PHYSICS_WORK_PER_TICK 500000u
#define PHYSICS_WORK_PER_BODY 23000u
#define PHYSICS_WORK_PER_TICK_MOST UINT64_C(1000000000000)
#define PHYSICS_WORK_PER_BODY_MOST UINT64_C(1000000000)

/* The phases of a tick, as they are timed. */
enum tick_phase {
	TICK_BEGIN,     /* paths begin, cells are laid out anew, walls move, overlap is undone */
	TICK_REST,      /* the rest solver */
	TICK_PREDICT,   /* predicts events at the start of the tick or of a substep */
	TICK_EVENTS,    /* resolves them in order of time, and predicts what follows */
	TICK_PARTITION, /* both of these, when a task scheduler runs them, in wall-clock time */
	TICK_END,       /* paths end, sums, bodies fall asleep */
	TICK_PHASES,
};

/* The cost of a tick. Not part of its result: it may differ in a restored world, or with a task scheduler. */
struct tick_cost {
	uint64_t ns[TICK_PHASES]; /* by the clock of world_clock_set; 0 without one */
	uint64_t looks;           /* neighbourhood queries when the tick, or a substep, began */
	uint64_t foreseen;        /* predicted events, those that never came and changes of cells included */
	uint64_t transfers;       /* changes of cells */
	uint64_t sweeps;          /* of the rest solver: in each substep those of the island that took most */
	bool partition, again;    /* stepped in domains by the task scheduler; tried so and stepped again by one thread */
};

#endif
