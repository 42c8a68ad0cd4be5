/* pool_private: what a pool is: flows, slots for jobs, tasks, threads, permits.
 *
 *     pool.c          submit, take back, the loop of a worker
 *     pool_life.c     begin and end
 *     keeper.c        the thread that makes due turns
 *     pool_run.c      a job, or a turn, while it runs: checkpoints, its end
 *     pool_share.c    pieces that several threads work on
 *     task.c          tasks between their turns
 *     pool_permit.c   which thread has a permit
 *     pool_threads.c  threads that are started
 *     pool_queue.c    the fair queue, and workers that wait
 *     pool_flow.c     flows
 *
 * Beside it background_threads.c looks at what the permits are used for.
 *
 * Each uses those below it only.
 *
 * Locks: the pool's may be taken while a keeper's is held, never the other way. */
#ifndef COLLIDED_JOBS_POOL_PRIVATE_H
#define COLLIDED_JOBS_POOL_PRIVATE_H

#include "jobs/fair_queue.h"
#include "jobs/keeper.h"
#include "jobs/pool.h"
#include "jobs/ring.h"
#include "jobs/slot.h"
#include "jobs/task.h"

#include <pthread.h>
#include <stdatomic.h>

struct flow {
	struct fair_node node;
	struct pool *pool;
	struct flow *parent;
	_Atomic(uint64_t) owed_ns; /* class 1 of its tasks, not yet in the fair queue */

	/* Guarded by the pool's lock. */
	unsigned holders;
	struct keeper *home; /* of the tasks started last */
	uint64_t phase_order;
};

/* The job or turn that a thread runs, or that it helps with; that thread's alone, unless it says otherwise. Times are CPU times
 * of the thread unless they are `clock`. */
struct run {
	struct pool *pool;
	struct slot *slot; /* NULL: it helps */
	struct waiter *waiter;
	struct keeper *keeper; /* of a turn of class 1 */
	uint64_t begun_ns;
	uint64_t charged_ns;                         /* up to when it has been charged */
	uint64_t quantum_begun_ns, quantum_clock_ns; /* begin of its quantum, the second by the clock, less what it had to wait */
	bool contended; /* something waited then; what is computed while nothing waits is free, beyond a quantum */
	uint64_t looked_ns, looked_clock_ns; /* the checkpoint up to which stretches were measured */
	uint64_t looked_due_ns;              /* the due time that a permit was last offered for */
	uint64_t turn_ns;                    /* how long a turn may be of class 1 */
	uint64_t turn_clock_ns;              /* when that is to be looked at */
	uint64_t class_1_ns;                 /* what a turn cost as such */
};

/* Work that is cut into pieces, on the stack of the thread that shares it. In the pool's list while there are pieces to begin.
 */
struct share {
	void (*piece)(void *argument, unsigned index);
	void *argument;
	unsigned next, count; /* pieces that were begun, and all */
	atomic_uint helpers;  /* workers inside a piece; written with the lock held */
	struct slot *slot;    /* of the job that shares; NULL: none of this pool */
	struct share *later;
};

/* Where a worker rests until it is called. The one that rested last is called first: its caches and its malloc arena are
 * warm, and the core that it ran on is likely free. */
struct waiter {
	/* Immutable. */
	struct pool *pool;
	pthread_cond_t call;

	/* Guarded by the pool's lock. */
	struct waiter *below; /* while it is in the stack of waiters */
	bool called;
	struct keeper *keeps; /* its thread is, or is to be, the keeper */

	/* Its thread's. */
	uint64_t looked_ns, looked_clock_ns; /* its CPU time when that was last looked at, and the time then */
	uint64_t ended_ns,
		ended_clock_ns; /* the same when its last job or turn ended, if it goes on with another at once; else 0 */
};

struct pool {
	/* Immutable once created. */
	struct pool_options options;
	pthread_t *threads;
	struct waiter *waiters; /* one for each */
	struct fair_node root;
	struct flow own; /* of jobs without one */
	struct slot *slots;
	void *(*thread_main)(void *waiter);
	struct keeper *keepers; /* as many as permits; NULL: there are no tasks */

	/* Guarded by lock. */
	pthread_mutex_t lock;
	struct waiter *waiting_top; /* a stack: workers that wait and have not been called; the last on top */
	pthread_cond_t stopped;     /* a worker has ended */
	pthread_cond_t helped;      /* some share has no helper any more */
	struct share *shares;       /* oldest first */
	struct slot *free_slots;
	size_t queued[POOL_LANE_COUNT];
	size_t queued_turns;
	struct ring done;
	struct ring ended;                   /* tasks, by their jobs */
	struct task *tasks;                  /* all that have not ended */
	size_t task_count;                   /* those on the list of what is done, too */
	size_t running;                      /* jobs */
	size_t running_turns;                /* of class 2 */
	unsigned thread_count, keeper_count; /* keepers are threads too */
	uint64_t put_aside, lent_count, fair_ns;
	unsigned workers_alive;
	unsigned workers_waiting; /* for work; also those that poll for a while, and those that were called and are not awake yet */
	atomic_uint news;         /* counts jobs and shares that came, and stopping; read without the lock */
	struct keeper *keepers_waiting; /* for a permit, oldest first */

	/* Any thread. */
	atomic_bool stopping;          /* written with the lock held */
	atomic_uint busy;              /* permits that are in use (pool_permit.c) */
	atomic_uint ready;             /* slots queued or parked; written with the lock held */
	atomic_uint parked;            /* the latter; written with the lock held */
	atomic_uint lent;              /* runs that wait for the permit that they lent; written with the lock held */
	atomic_uint permits_wanted;    /* keepers waiting; written with the lock held */
	_Atomic(uint64_t) served_ns;   /* when class 2 last got something, or began to wait */
	_Atomic(uint64_t) next_due_ns; /* when some keeper wakes next, about */
	_Atomic(uint64_t) stretch_ns;  /* the longest */
	_Atomic(uint64_t) untold_ns;   /* since when jobs are done that `wake` was not called for; 0: none */
};

/* The run of the calling thread; NULL: none. */
extern _Thread_local struct run *run_here;

/* ---- pool.c; without the lock */

void *pool_worker_main(void *waiter);
void helper_wake(void *context);

/* ---- pool_queue.c; with the lock held, unless it says otherwise */

/* Takes the worker to be called from the stack; NULL: none waits. */
struct waiter *pool_call(struct pool *pool);
/* NULL is fine; with the lock or without. */
void waiter_signal(struct waiter *waiter);
/* A permit is free, or something is ready: a worker that waits looks. */
void pool_call_one(struct pool *pool);
/* The next of the fair queue; NULL: none waits. */
struct slot *pool_first(struct pool *pool);
/* Into service. */
void pool_take(struct pool *pool, struct slot *slot);
/* One that was put aside goes on, on its thread, with a permit that is counted already. */
void slot_resume(struct pool *pool, struct slot *slot);
/* A slot is ready: its leaf is queued. */
void pool_ready_add(struct pool *pool);
/* A job's, which is in no queue any more. */
void slot_free(struct pool *pool, struct slot *slot);

/* ---- pool_flow.c */

/* With the lock held. */
void flow_release(struct flow *flow);
/* Class 1 of its tasks has cost so much more. Without the lock. */
void flow_owe(struct flow *flow, uint64_t cost_ns);

/* ---- pool_share.c */

/* Works on a share's pieces; on a worker, with a permit and the lock. */
void share_help(struct pool *pool, struct share *share, struct waiter *waiter);
/* Polls until a number is another one, for a while. Called and returns with the lock held. */
void pool_linger(struct pool *pool, const atomic_uint *number, unsigned seen);

/* ---- pool_run.c */

/* A new quantum begins. */
void run_begin(struct run *run);
/* The same, where the thread may go on from the end of another job. */
void run_begin_next(struct run *run);
void run_measure_stretch(struct run *run, uint64_t now_ns, uint64_t now_clock_ns);
/* The end of a run of class 2. Called without the lock, returns with it; whether the list of what is done is to be told of. */
bool pool_run_end(struct run *run, enum task_next next, uint64_t due_ns);
/* Wakes what takes back what is done. Outside of the lock, because the thread that it wakes wants the lock next. pool_stop
 * waits for the call to return: this worker is alive. Meanwhile a permit is free. Called and returns with the lock held. */
void pool_tell(struct pool *pool);
/* Without the lock: calls `wake` if jobs are done that it should have been called for by now. */
void pool_tell_late(struct pool *pool, uint64_t now_clock_ns);

/* ---- pool_permit.c */

/* How many are free, about. */
unsigned pool_permits_free(const struct pool *pool);
/* With the lock or without. */
bool permit_try(struct pool *pool);
/* With the lock held: one goes to a keeper that waits, or is free. */
void permit_give(struct pool *pool);
/* With the lock held: what waits for free permits gets them. */
void permit_dispatch(struct pool *pool);
/* With the lock held and a permit in hand: some run that lent its own gets that one. False: none did. */
bool permit_repay(struct pool *pool);
/* A keeper's. Without locks. */
void keeper_get_permit(struct keeper *keeper);
void keeper_give_permit(struct keeper *keeper);
/* Lends the permit of this run to a keeper that wants it now, or will at `due_ns`, and waits until it is back. The time then.
 */
uint64_t run_lend_permit(struct run *run, uint64_t due_ns, uint64_t now_clock_ns);

/* ---- pool_threads.c; with the lock held */

/* The most that there may ever be. */
size_t pool_threads_max(const struct pool *pool);
/* One thread more; its stack is small if it is a spare. */
bool pool_start_thread(struct pool *pool, bool spare, struct keeper *keeps);
bool pool_start_keepers(struct pool *pool);
/* Whether, with one thread more put aside, there is still one for each permit; starts a spare if need be. */
bool pool_can_spare(struct pool *pool);

/* ---- task.c; without locks */

/* Locks its home, and returns it. */
struct keeper *task_lock_home(struct task *task);
/* What its home counts as reserved. With the pool's lock held. */
void task_reservation_add(const struct task *task, struct keeper *home);
void task_reservation_remove(const struct task *task, struct keeper *home);
/* A turn of class 2 begins. */
void task_turn_begin(struct task *task);
/* What becomes of it after a turn that took so much CPU time of its thread; it may be gone then. Whether the list of what is
 * done is to be told of. */
bool task_settle(struct task *task, enum task_next next, uint64_t due_ns, uint64_t own_ns);
/* Into the fair queue: with the locks of its home and of the pool held. The worker to be signalled, or NULL. */
struct waiter *task_push(struct task *task);

#endif
