/* The pool's begin and end. */
#include "jobs/pool.h"

#include "base/check.h"
#include "jobs/pool_private.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* Stack of a spare: jobs need some 60 KiB at most; what is not touched costs nothing. */
#define POOL_SPARE_STACK_BYTES ((size_t)1 << 20)

/* Signals are the loop thread's alone, those apart with which a worker calls itself (core_yield.h). With the lock held. */
bool
pool_start_thread(struct pool *pool, bool spare)
{
	sigset_t all;
	sigset_t before;
	pthread_attr_t attributes;
	sigfillset(&all);
	CHECK(pthread_attr_init(&attributes) == 0);
	if (spare)
		CHECK(pthread_attr_setstacksize(&attributes, POOL_SPARE_STACK_BYTES) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	unsigned at = pool->thread_count;
	bool ok = pthread_create(&pool->threads[at], &attributes, pool_worker_main, &pool->waiters[at]) == 0;
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	CHECK(pthread_attr_destroy(&attributes) == 0);
	pool->thread_count += ok;
	pool->workers_alive += ok;
	return ok;
}

static bool
pool_start_workers(struct pool *pool)
{
	bool ok = true;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (ok && pool->thread_count < pool->options.worker_count)
		ok = pool_start_thread(pool, false);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return ok;
}

static size_t
threads_max(const struct pool *pool)
{
	return (size_t)pool->options.worker_count + pool->options.spares_max;
}

static void
pool_free(struct pool *pool)
{
	free(pool->slots);
	ring_finish(&pool->done);
	pthread_cond_destroy(&pool->helped);
	pthread_cond_destroy(&pool->stopped);
	pthread_mutex_destroy(&pool->lock);
	for (unsigned i = 0; pool->waiters && i < threads_max(pool); i++)
		pthread_cond_destroy(&pool->waiters[i].call);
	free(pool->waiters);
	free(pool->threads);
	free(pool);
}

static void
pool_init_sync(struct pool *pool)
{
	pthread_condattr_t monotonic;
	CHECK(pthread_condattr_init(&monotonic) == 0);
	CHECK(pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0);
	CHECK(pthread_mutex_init(&pool->lock, NULL) == 0);
	CHECK(pthread_cond_init(&pool->helped, NULL) == 0);
	CHECK(pthread_cond_init(&pool->stopped, &monotonic) == 0);
	CHECK(pthread_condattr_destroy(&monotonic) == 0);
	for (unsigned i = 0; pool->waiters && i < threads_max(pool); i++) {
		pool->waiters[i].pool = pool;
		CHECK(pthread_cond_init(&pool->waiters[i].call, NULL) == 0);
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
	fair_node_init(&pool->root, NULL, FAIR_WEIGHT_ONE);
	pool->own = (struct flow){ .pool = pool, .holders = 1 };
	fair_node_init(&pool->own.node, &pool->root, FAIR_WEIGHT_ONE);
	pool->threads = calloc(threads_max(pool), sizeof *pool->threads);
	pool->waiters = calloc(threads_max(pool), sizeof *pool->waiters);
	pool->slots = calloc(options->jobs_max, sizeof *pool->slots);
	pool_init_sync(pool);
	if (!pool->threads || !pool->waiters || !pool->slots || !ring_init(&pool->done, options->jobs_max)) {
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

void
helper_wake(void *context)
{
	(void)context;
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

/* Those put aside go on, as there are no others any more. With the lock held. */
static void
pool_let_loose(struct pool *pool)
{
	for (size_t i = 0; i < pool->options.jobs_max; i++) {
		struct slot *slot = &pool->slots[i];
		if (slot->state != SLOT_PARKED)
			continue;
		fair_remove(&slot->leaf);
		slot->state = SLOT_LOOSE;
		pool->parked--;
		pool->ready--;
		slot->thread->called = true;
		waiter_signal(slot->thread);
	}
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
	pool_free(pool);
}
