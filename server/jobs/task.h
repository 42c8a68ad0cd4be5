/* task: work that lives long and runs turn by turn, as a world does with its ticks. Embedded in its owner's memory; never on
 * two threads at once.
 *
 * A turn says when the next one is:
 *
 *     TASK_REST   when it is wanted
 *     TASK_AT     at a time: it is due then
 *     TASK_SOON   when it is its turn in the fair queue
 *     TASK_END    never: the task goes to the list of what is done, and may be freed once that was taken back
 *
 * Class 1 are turns that are due, of tasks within their reservation. They go before all other work, the earliest first. Each
 * permit of the pool has a keeper for them: a thread that waits for the time of the next one (keeper.h). A task stays with its
 * keeper, except that one that is late for long gives tasks to others, between two turns.
 *
 * Class 2 is all else, jobs and turns: what was wanted or is to be soon, and due turns of a task beyond its reservation. The
 * fair queue says which is next, by the flow that the task was started for. There a turn is put aside like a job. A turn of
 * class 1 becomes one of class 2 as soon as it has run for longer than what is left of its reservation, and FAIR_QUANTUM_NS. It
 * makes the task itself late, and no other. Whatever class 1 costs is charged to the flow too (fair_owe).
 *
 * If the last turn took more than TASK_LONG_NS of its thread, the next is of class 2 whatever is reserved: others of its keeper
 * would have to wait for it. Such a task gets its share by the fair queue, with weights as wanted.
 *
 * A reservation is a bucket of CPU time (budget.h). Once it has something in it again, a due turn that waits in the fair queue
 * is of class 1 again. So a task gets what it reserved, whatever else there is to do.
 *
 * A turn that begins late begins nevertheless: how many are made up for, and when a clock is set back, is the owner's matter.
 * One that is due in the past comes after all that are due now. */
#ifndef COLLIDED_JOBS_TASK_H
#define COLLIDED_JOBS_TASK_H

#include "jobs/budget.h"
#include "jobs/clockwork.h"
#include "jobs/slot.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* CPU time of a turn that others of the same keeper may be kept waiting for: as long as a stretch may be. */
#define TASK_LONG_NS UINT64_C(2000000)

enum task_next { TASK_REST, TASK_AT, TASK_SOON, TASK_END };

enum task_state { TASK_IDLE, TASK_QUEUED, TASK_RUNNING, TASK_ENDED };

struct task {
	/* The owner's, set before it is started. */

	/* One turn, on a thread of the pool. What pool_task_want's caller wrote before is seen by it. *due_ns is for TASK_AT, by
	 * clock_now_ns. pool_checkpoint as in a job. Ledger and pause of the thread are none when it begins, and must be again when
	 * it returns. */
	enum task_next (*run)(struct task *task, uint64_t *due_ns);
	/* `done` is called by what takes it back, as that of a job; `run` is not used. */
	struct job job;

	/* The pool's, from then on. */
	struct pool *pool;
	_Atomic(struct keeper *) home; /* written with the lock of the one before held */

	/* Guarded by its home's lock. */
	struct due due; /* in its home's clockwork, or not */
	enum task_state state;
	bool wanted; /* while it runs: again */
	struct budget budget;
	uint64_t last_ns; /* CPU time of its last turn, without helpers' */

	/* Its worker writes. */
	_Atomic(uint64_t) turn_ns; /* what a due turn costs on average, of late; 0: it had too few */
	uint32_t turns_averaged;

	/* Guarded by the pool's lock. */
	struct slot slot;
	struct task *next, **link; /* all of the pool */
	uint64_t reserved_ns;      /* per second */

	/* Immutable. */
	unsigned phase_keeper; /* the home it began with */
	uint64_t phase_order;
};

/* Its first turn comes soon, in the fair queue. `flow` as for a job; NULL: the pool's own. Its reservation is 0 still, so that
 * due turns are of class 2. The first task of a pool starts the keepers. STATUS_RESOURCE_EXHAUSTED: there are tasks_max, or no
 * thread is to be had. STATUS_UNAVAILABLE: stopping. The caller keeps the task then. Any thread. */
STATUS_MUST_USE enum status pool_task_start(struct pool *pool, struct task *task, struct flow *flow);

/* There is something for it to do: one that rests, or waits for its time, gets a turn soon; one that runs gets another after
 * this. Cheap, and as often as one likes. Any thread, up to its `done`. */
void pool_task_want(struct task *task);

/* How much CPU time a second is reserved for it. Its own turns, or another thread; up to its `done`. */
void pool_task_reserve(struct task *task, uint64_t ns_per_s);

/* What one of its due turns costs on average, of late; 0: it had too few. As pool_task_reserve. */
uint64_t pool_task_turn_ns(const struct task *task);

/* When, after each whole period, its due times should lie: periods are counted from a whole second of clock_now_ns. Phases are
 * spread evenly over the period; those of tasks started one after the other for a flow are neighbours (clockwork_phase_ns). */
uint64_t pool_task_phase_ns(const struct task *task, uint64_t period_ns);

#endif
