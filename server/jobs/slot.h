/* slot: a piece of work as the fair queue of a pool sees it: a job, or a turn of a task. Only the pool looks into it; it is in
 * a header because a task has one in its memory. */
#ifndef COLLIDED_JOBS_SLOT_H
#define COLLIDED_JOBS_SLOT_H

#include "jobs/fair_queue.h"
#include "jobs/pool.h"

#include <stdint.h>

enum slot_state {
	SLOT_FREE,
	SLOT_QUEUED,
	SLOT_RUNNING,
	SLOT_PARKED, /* put aside: its thread waits */
	SLOT_LOOSE,  /* the same, let go on without a permit because the pool stops */
};

/* Guarded by the pool's lock. */
struct slot {
	struct fair_node leaf; /* the first member */
	struct job *job;
	struct task *task; /* that has its turn; NULL: it is a job */
	struct flow *flow;
	enum pool_lane lane;
	enum slot_state state;
	struct waiter *thread; /* while it is parked */
	uint64_t helped_ns;    /* CPU time of helpers, not charged yet */
	struct slot *next_free;
};

#endif
