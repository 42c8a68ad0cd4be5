/* The threads of a pool: workers, spares and keepers. */
#include "base/check.h"
#include "jobs/pool_private.h"

#include <signal.h>

/* Stack of a spare: jobs need some 60 KiB at most; what is not touched costs nothing. */
#define POOL_SPARE_STACK_BYTES ((size_t)1 << 20)

size_t
pool_threads_max(const struct pool *pool)
{
	unsigned keepers = pool->keepers ? pool->options.worker_count : 0;
	return (size_t)pool->options.worker_count + pool->options.spares_max + keepers;
}

/* Signals are the loop thread's alone, those apart with which a worker calls itself (core_yield.h). With the lock held. */
bool
pool_start_thread(struct pool *pool, bool spare, struct keeper *keeps)
{
	if (pool->thread_count == pool_threads_max(pool))
		return false;
	sigset_t all;
	sigset_t before;
	pthread_attr_t attributes;
	sigfillset(&all);
	CHECK(pthread_attr_init(&attributes) == 0);
	if (spare)
		CHECK(pthread_attr_setstacksize(&attributes, POOL_SPARE_STACK_BYTES) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	unsigned at = pool->thread_count;
	pool->waiters[at].keeps = keeps;
	bool ok = pthread_create(&pool->threads[at], &attributes, pool->thread_main, &pool->waiters[at]) == 0;
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	CHECK(pthread_attr_destroy(&attributes) == 0);
	pool->thread_count += ok;
	pool->workers_alive += ok;
	return ok;
}

bool
pool_start_keepers(struct pool *pool)
{
	bool ok = true;
	while (ok && pool->keeper_count < pool->options.worker_count) {
		ok = pool_start_thread(pool, true, &pool->keepers[pool->keeper_count]);
		pool->keeper_count += ok;
	}
	return ok;
}

bool
pool_can_spare(struct pool *pool)
{
	unsigned workers = pool->thread_count - pool->keeper_count;
	return workers - pool->parked > pool->options.worker_count ||
	       (workers < pool->options.worker_count + pool->options.spares_max && pool_start_thread(pool, true, NULL));
}
