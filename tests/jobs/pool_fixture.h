/* Jobs of a pool under test: they count their runs, and wait at gates until the test opens them. */
#ifndef COLLIDED_TESTS_JOBS_POOL_FIXTURE_H
#define COLLIDED_TESTS_JOBS_POOL_FIXTURE_H

#include "jobs/pool.h"

#include <pthread.h>
#include <stdatomic.h>

/* Only bounds a failing test. */
#define PATIENCE_MS 600000

struct fixture;

struct item {
	struct job job;
	struct fixture *fixture;
	unsigned runs;          /* its owner's: the pool's hand-over must order it */
	unsigned order;         /* when it ran, counted from 1 */
	unsigned waits_at_gate; /* its number from 1; 0: it does not wait */
	bool waits_for_wake;    /* and comes to checkpoints meanwhile */
	bool discarded;
	pthread_t worker; /* that ran it last */
};

struct fixture {
	struct pool *pool;
	atomic_uint wakes;
	atomic_uint runs;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned gates_open; /* guarded by lock */
	unsigned at_gate;
	unsigned woken;
};

struct item *item_of(struct job *job);
void run_item(struct job *job);
/* For pool_destroy: what is left, or that nothing may be. */
void item_discard(struct job *job);
void discard_none(struct job *job);

void fixture_start(struct fixture *fixture, unsigned workers, size_t items_max, size_t fresh_max, size_t started_max);
void fixture_finish(struct fixture *fixture, void (*discard)(struct job *job));
enum status item_submit(struct fixture *fixture, enum pool_lane lane, struct item *item);
/* All of them, fresh. */
void items_submit(struct fixture *fixture, struct item *items, unsigned count);

/* Until so many have come to a gate. */
void gate_wait(struct fixture *fixture, unsigned count);
/* The first, or the next. */
void gate_open(struct fixture *fixture);
/* Until `wake` was called so often. */
void wakes_wait(struct fixture *fixture, unsigned count);
/* Until nothing is queued or running. */
void idle_wait(struct fixture *fixture);

#endif
