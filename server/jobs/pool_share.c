/* Work that is cut into pieces (pool_share): which pieces are begun where. */
#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/pool_private.h"

#include <sched.h>

/* Shares come in runs, one soon after the other, and a thread that sleeps needs 50 to 250 us to wake up on a virtual machine.
 * So a worker that has helped, and a thread that waits for helpers, polls for so long, and yields its core meanwhile. */
#define POOL_LINGER_NS UINT64_C(50000)

/* Takes a share with no more pieces to begin out of the list. */
static void
share_remove(struct pool *pool, const struct share *share)
{
	struct share **link = &pool->shares;
	while (*link && *link != share)
		link = &(*link)->later;
	if (*link)
		*link = share->later;
}

/* Begins the next piece of a share and runs it. Called and returns with the lock held. */
static void
share_run_piece(struct pool *pool, struct share *share)
{
	unsigned index = share->next++;
	if (share->next == share->count)
		share_remove(pool, share);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	share->piece(share->argument, index);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}

void
pool_linger(struct pool *pool, const atomic_uint *number, unsigned seen)
{
	uint64_t begun_ns = clock_now_ns();
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	while (atomic_load_explicit(number, memory_order_relaxed) == seen && clock_now_ns() - begun_ns < POOL_LINGER_NS)
		(void)sched_yield();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}

/* A helper has a run, so that it can lend its permit; its pieces are charged to what shares them. */
void
share_help(struct pool *pool, struct share *share, struct waiter *waiter)
{
	struct run run = { .pool = pool, .waiter = waiter };
	uint64_t begun_ns = clock_thread_ns();
	share->helpers++;
	run_here = &run;
	core_yield_work();
	share_run_piece(pool, share);
	run_here = NULL;
	if (share->slot)
		share->slot->helped_ns += clock_thread_ns() - begun_ns;
	share->helpers--;
	if (share->helpers == 0)
		CHECK(pthread_cond_broadcast(&pool->helped) == 0);
}

void
pool_share(struct pool *pool, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct share share = { .piece = piece, .argument = argument, .count = count };
	share.slot = run_here && run_here->pool == pool ? run_here->slot : NULL;
	struct share **link = &pool->shares;
	if (count == 0)
		return;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (*link)
		link = &(*link)->later;
	*link = &share;
	pool->news++;
	unsigned free_permits = pool_permits_free(pool);
	for (unsigned i = 0; i + 1 < count && i < free_permits && pool->waiting_top; i++)
		waiter_signal(pool_call(pool));
	while (share.next < share.count)
		share_run_piece(pool, &share);
	/* One after the other is done. */
	for (unsigned before = 0; share.helpers > 0 && share.helpers != before;) {
		before = share.helpers;
		pool_linger(pool, &share.helpers, before);
	}
	bool waits = share.helpers > 0;
	if (waits)
		core_yield_rest();
	while (share.helpers > 0)
		CHECK(pthread_cond_wait(&pool->helped, &pool->lock) == 0);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	if (waits)
		core_yield_resume();
}
