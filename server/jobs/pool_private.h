/* pool_private: what a pool is: flows, slots for jobs, threads. For pool.c and pool_life.c. */
#ifndef COLLIDED_JOBS_POOL_PRIVATE_H
#define COLLIDED_JOBS_POOL_PRIVATE_H

#include "jobs/fair_queue.h"
#include "jobs/pool.h"
#include "jobs/ring.h"

#include <pthread.h>
#include <stdatomic.h>

struct flow {
	struct fair_node node;
	struct pool *pool;
	struct flow *parent;
	unsigned holders; /* guarded by the pool's lock */
};

enum slot_state {
	SLOT_FREE,
	SLOT_QUEUED,
	SLOT_RUNNING,
	SLOT_PARKED, /* put aside: its thread waits */
	SLOT_LOOSE,  /* the same, let go on without a permit because the pool stops */
};

/* A job in the pool, up to the done list. Guarded by the pool's lock. */
struct slot {
	struct fair_node leaf; /* the first member */
	struct job *job;
	struct flow *flow;
	enum pool_lane lane;
	enum slot_state state;
	struct waiter *thread; /* while it is parked */
	uint64_t helped_ns;    /* CPU time of helpers, not charged yet */
	struct slot *next_free;
};

/* The job that a thread runs; that thread's alone. Times are CPU times of the thread unless they are `clock`. */
struct run {
	struct pool *pool;
	struct slot *slot;
	struct waiter *waiter;
	uint64_t charged_ns; /* up to when it has been charged */
	uint64_t quantum_clock_ns;
	bool contended; /* something waited then; what is computed while nothing waits is free, beyond a quantum */
	uint64_t looked_ns, looked_clock_ns; /* the checkpoint up to which stretches were measured */
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
};

struct pool {
	/* Immutable once created. */
	struct pool_options options;
	pthread_t *threads;
	struct waiter *waiters; /* one for each */
	struct fair_node root;
	struct flow own; /* of jobs without one */
	struct slot *slots;

	/* Guarded by lock. */
	pthread_mutex_t lock;
	struct waiter *waiting_top; /* a stack: workers that wait and have not been called; the last on top */
	pthread_cond_t stopped;     /* a worker has ended */
	pthread_cond_t helped;      /* some share has no helper any more */
	struct share *shares;       /* oldest first */
	struct slot *free_slots;
	size_t queued[POOL_LANE_COUNT];
	struct ring done;
	size_t running;
	size_t parked;
	unsigned busy; /* permits that are in use */
	unsigned thread_count;
	uint64_t put_aside;
	unsigned workers_alive;
	unsigned workers_waiting; /* for work; also those that poll for a while, and those that were called and are not awake yet */
	atomic_uint news;         /* counts jobs and shares that came, and stopping; read without the lock */
	bool stopping;

	/* Any thread. */
	atomic_uint ready;            /* slots queued or parked; written with the lock held */
	_Atomic(uint64_t) stretch_ns; /* the longest */
};

/* Each with the lock held unless it says otherwise. pool.c */
struct waiter *pool_call(struct pool *pool);
/* NULL is fine; with the lock or without. */
void waiter_signal(struct waiter *waiter);
void *pool_worker_main(void *waiter);
/* Without the lock, or with it. */
void flow_release(struct flow *flow);
void helper_wake(void *context);

/* pool_life.c: one thread more; its stack is small if it is a spare. */
bool pool_start_thread(struct pool *pool, bool spare);

#endif
