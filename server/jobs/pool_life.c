/* The pool's begin and end. */
#include "jobs/pool.h"

#include "base/check.h"
#include "jobs/lock.h"
#include "jobs/pool_private.h"

#include <errno.h>
#include <stdlib.h>

static bool
pool_start_workers(struct pool *pool)
{
	bool ok = true;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (ok && pool->thread_count < pool->options.worker_count)
		ok = pool_start_thread(pool, false, NULL);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return ok;
}

static void
pool_free(struct pool *pool)
{
	free(pool->slots);
	ring_finish(&pool->done);
	ring_finish(&pool->ended);
	pthread_cond_destroy(&pool->helped);
	pthread_cond_destroy(&pool->stopped);
	pthread_mutex_destroy(&pool->lock);
	for (unsigned i = 0; pool->waiters && i < pool_threads_max(pool); i++)
		pthread_cond_destroy(&pool->waiters[i].call);
	for (unsigned i = 0; pool->keepers && i < pool->options.worker_count; i++)
		pthread_mutex_destroy(&pool->keepers[i].lock);
	free(pool->keepers);
	free(pool->waiters);
	free(pool->threads);
	free(pool);
}

/* A thread with real-time priority may wait for a lock that an ordinary one holds: that one is as urgent then. */
static void
lock_init(pthread_mutex_t *lock, bool realtime)
{
	pthread_mutexattr_t attributes;
	if (!realtime) {
		polling_mutex_init(lock);
		return;
	}
	CHECK(pthread_mutexattr_init(&attributes) == 0);
	CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	CHECK(pthread_mutex_init(lock, &attributes) == 0);
	CHECK(pthread_mutexattr_destroy(&attributes) == 0);
}

static void
pool_init_sync(struct pool *pool)
{
	pthread_condattr_t monotonic;
	CHECK(pthread_condattr_init(&monotonic) == 0);
	CHECK(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
	lock_init(&pool->lock, pool->options.realtime);
	CHECK(pthread_cond_init(&pool->helped, NULL) == 0);
	CHECK(pthread_cond_init(&pool->stopped, &monotonic) == 0);
	CHECK(pthread_condattr_destroy(&monotonic) == 0);
	for (unsigned i = 0; pool->waiters && i < pool_threads_max(pool); i++) {
		pool->waiters[i].pool = pool;
		CHECK(pthread_cond_init(&pool->waiters[i].call, NULL) == 0);
	}
	for (unsigned i = 0; pool->keepers && i < pool->options.worker_count; i++)
		lock_init(&pool->keepers[i].lock, pool->options.realtime);
}

static void
pool_init_keepers(struct pool *pool)
{
	pool->next_due_ns = CLOCKWORK_NEVER;
	for (unsigned i = 0; pool->keepers && i < pool->options.worker_count; i++) {
		struct keeper *keeper = &pool->keepers[i];
		keeper->pool = pool;
		keeper->index = i;
		keeper->takes_permits = !pool->options.realtime;
		clockwork_init(&keeper->clockwork, pool->options.slot_ns);
	}
}

static void
pool_check_options(const struct pool_options *options)
{
	CHECK(options->worker_count >= 1 && options->worker_count <= POOL_WORKERS_MAX);
	CHECK(options->spares_max <= POOL_SPARES_MAX);
	CHECK(options->jobs_max > 0 && options->wake);
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++)
		CHECK(options->queue_max[i] > 0 && options->queue_max[i] <= options->jobs_max);
}

enum status
pool_create(const struct pool_options *options, struct pool **out)
{
	pool_check_options(options);
	struct pool *pool = calloc(1, sizeof *pool);
	if (!pool)
		return STATUS_RESOURCE_EXHAUSTED;
	pool->options = *options;
	pool->thread_main = pool_worker_main;
	fair_node_init(&pool->root, NULL, FAIR_WEIGHT_ONE);
	pool->own = (struct flow){ .pool = pool, .holders = 1 };
	fair_node_init(&pool->own.node, &pool->root, FAIR_WEIGHT_ONE);
	if (options->tasks_max > 0)
		pool->keepers = calloc(options->worker_count, sizeof *pool->keepers);
	pool->threads = calloc(pool_threads_max(pool), sizeof *pool->threads);
	pool->waiters = calloc(pool_threads_max(pool), sizeof *pool->waiters);
	pool->slots = calloc(options->jobs_max, sizeof *pool->slots);
	pool_init_sync(pool);
	pool_init_keepers(pool);
	bool has_keepers = options->tasks_max == 0 || (pool->keepers && ring_init(&pool->ended, options->tasks_max));
	if (!has_keepers || !pool->threads || !pool->waiters || !pool->slots || !ring_init(&pool->done, options->jobs_max)) {
		pool_free(pool);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	for (size_t i = options->jobs_max; i-- > 0;) {
		pool->slots[i].next_free = pool->free_slots;
		pool->free_slots = &pool->slots[i];
	}
	if (!pool_start_workers(pool)) {
		/* Idle workers end at once. */
		CHECK(pool_stop(pool, UINT64_C(60000)));
		pool_free(pool);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	*out = pool;
	return STATUS_OK;
}

enum status
pool_create_helpers(unsigned count, struct pool **out)
{
	const struct pool_options options = {
		.worker_count = count,
		.jobs_max = 1,
		.queue_max = { [POOL_LANE_FRESH] = 1, [POOL_LANE_STARTED] = 1 },
		.wake = helper_wake,
	};
	return pool_create(&options, out);
}

static void
slot_let_loose(struct pool *pool, struct slot *slot)
{
	if (slot->state != SLOT_PARKED)
		return;
	fair_remove(&slot->leaf);
	slot->state = SLOT_LOOSE;
	pool->parked--;
	pool->ready--;
	slot->thread->called = true;
	waiter_signal(slot->thread);
}

/* Those put aside go on, as there are no others any more. With the lock held. */
static void
pool_let_loose(struct pool *pool)
{
	for (size_t i = 0; i < pool->options.jobs_max; i++)
		slot_let_loose(pool, &pool->slots[i]);
	for (struct task *task = pool->tasks; task; task = task->next)
		slot_let_loose(pool, &task->slot);
	for (unsigned i = 0; i < pool->keeper_count; i++)
		bell_ring(&pool->keepers[i].bell);
}

bool
pool_stop(struct pool *pool, uint64_t patience_ms)
{
	struct timespec until;
	CHECK(clock_gettime(CLOCK_MONOTONIC, &until) == 0);
	until.tv_sec += (time_t)(patience_ms / 1000);
	until.tv_nsec += (long)(patience_ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	int result = 0;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	pool->stopping = true;
	pool->news++;
	while (pool->waiting_top)
		waiter_signal(pool_call(pool));
	pool_let_loose(pool);
	while (pool->workers_alive > 0 && result != ETIMEDOUT) {
		result = pthread_cond_timedwait(&pool->stopped, &pool->lock, &until);
		CHECK(result == 0 || result == ETIMEDOUT);
	}
	bool all = pool->workers_alive == 0;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	for (unsigned i = 0; all && i < pool->thread_count; i++)
		CHECK(pthread_join(pool->threads[i], NULL) == 0);
	if (all)
		pool->thread_count = 0;
	return all;
}

void
pool_destroy(struct pool *pool, void (*discard)(struct job *job))
{
	if (!pool)
		return;
	CHECK(pool->stopping && pool->thread_count == 0);
	for (size_t i = 0; i < pool->options.jobs_max; i++) {
		struct slot *slot = &pool->slots[i];
		if (slot->state == SLOT_FREE)
			continue;
		fair_remove(&slot->leaf);
		discard(slot->job);
		flow_release(slot->flow);
	}
	for (struct job *job = ring_pop(&pool->done); job; job = ring_pop(&pool->done))
		discard(job);
	for (struct job *job = ring_pop(&pool->ended); job; job = ring_pop(&pool->ended))
		discard(job);
	while (pool->tasks) {
		struct task *task = pool->tasks;
		struct flow *flow = task->slot.flow;
		pool->tasks = task->next;
		if (task->slot.leaf.queued)
			fair_remove(&task->slot.leaf);
		discard(&task->job);
		flow_release(flow);
	}
	pool_free(pool);
}
