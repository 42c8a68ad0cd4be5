/* keeper: the thread that makes the due turns of its tasks (task.h): it waits for the earliest (clockwork.h), takes a permit of
 * the pool and makes all that are due. There is one for each permit.
 *
 * A keeper holds a permit only while it works. Free ones it takes at once. If all are in use, one is lent to it at the next
 * checkpoint of a job, which gets it back. Jobs also do that KEEPER_LEAD_NS before something is due. So it needs no spare
 * thread, and the job keeps its place in the fair queue. The turns cannot be run on the job's stack. One that turns out to be
 * long must itself be put aside, and the job would be stuck under it. The job's ledger and pause would have to be taken off,
 * too.
 *
 * With real-time priority a keeper needs no permit: the kernel takes a core from an ordinary thread at once, without a
 * checkpoint. Jobs, and turns of class 2, stay ordinary, so that none can keep the loop from its core.
 *
 * Then each has a core of its own where there are as many keepers as cores, or more. Else the kernel may have them all on one
 * core, and stops them for the rest of a second when they have used it up.
 *
 * A keeper that has nothing to do when it wakes looks at the others. One that does not come on, as the host has its core or its
 * turn is a long one, loses the turns that are due to it.
 *
 * A turn of class 1 that has run for too long is cut: from then on it is of class 2, and put aside. Its thread is a worker's
 * then, and another thread becomes the keeper. */
#ifndef COLLIDED_JOBS_KEEPER_H
#define COLLIDED_JOBS_KEEPER_H

#include "jobs/balance.h"
#include "jobs/bell.h"
#include "jobs/clockwork.h"
#include "jobs/pool.h"
#include "jobs/share_window.h"

#include <pthread.h>
#include <stdatomic.h>

/* A job's quantum ends so long before something is due, and a permit that was lent may wait for it so long. That is what it
 * takes a thread to wake up on a virtual machine. */
#define KEEPER_LEAD_NS UINT64_C(50000)

/* The CPU time of a turn is looked at if it took so long; a shorter one costs what it took by the clock. */
#define KEEPER_LOOK_NS UINT64_C(100000)

/* A keeper that is in one turn for so long, or wakes so late, does not come on. Most turns take less than a tenth of that. */
#define KEEPER_STUCK_NS UINT64_C(300000)

struct keeper {
	/* Immutable. */
	struct pool *pool;
	unsigned index;
	bool takes_permits;

	struct bell bell;
	_Atomic(uint64_t) wake_ns; /* when it wakes; 0: it is awake. Written with its lock held */
	_Atomic(uint64_t) turn_ns; /* when its present turn was begun; 0: there is none. For other keepers */

	/* Guarded by lock. */
	pthread_mutex_t lock;
	struct clockwork clockwork;
	struct balance balance;
	struct turn_stats stats;
	bool has_core;        /* its thread runs on the core of its index only */
	uint64_t seen_cpu_ns; /* stats.cpu_ns as last told by pool_cores_left_ns */

	/* Its thread's alone. */
	struct share_window window;
	uint64_t pause_ns;             /* up to when it pauses */
	uint64_t cpu_ns, cpu_clock_ns; /* its CPU time as last looked at, and when that was */

	/* Written with the pool's lock held; its thread also clears has_permit. */
	atomic_bool has_permit;
	_Atomic(struct run *) lender; /* that waits for it to come back */

	/* Guarded by the pool's lock. */
	struct keeper *waits_next; /* for a permit */
	bool waits;
	uint64_t reserved_ns; /* per second, by its tasks */
	size_t tasks_reserved, tasks_unreserved;
	uint64_t groups; /* of phases that were given out */
};

struct waiter;
/* The life of a keeper's thread, up to the pool's stop, or until another thread has become the keeper. Called and returns with
 * the pool's lock held. */
void keeper_main(struct keeper *keeper, struct waiter *waiter);

#endif
