/* Permits: as many threads compute at once as there are. Workers take and give them with the pool's lock held, keepers without
 * it, as they do so for each slot of their due times. What waits for a permit says so first and then tries once more; what
 * gives one back looks afterwards whether something waits. So none is overlooked. */
#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/pool_private.h"

unsigned
pool_permits_free(const struct pool *pool)
{
	return pool->options.worker_count - atomic_load(&pool->busy);
}

bool
permit_try(struct pool *pool)
{
	unsigned busy = atomic_load(&pool->busy);
	while (busy < pool->options.worker_count)
		if (atomic_compare_exchange_weak(&pool->busy, &busy, busy + 1))
			return true;
	return false;
}

/* ---- keepers that wait for one */

static void
keeper_queue(struct keeper *keeper)
{
	struct keeper **link = &keeper->pool->keepers_waiting;
	while (*link)
		link = &(*link)->waits_next;
	*link = keeper;
	keeper->waits_next = NULL;
	keeper->waits = true;
	keeper->pool->permits_wanted++;
}

static void
keeper_unqueue(struct keeper *keeper)
{
	struct keeper **link = &keeper->pool->keepers_waiting;
	if (!keeper->waits)
		return;
	while (*link != keeper)
		link = &(*link)->waits_next;
	*link = keeper->waits_next;
	keeper->waits = false;
	keeper->pool->permits_wanted--;
}

/* It is counted already. */
static void
keeper_hand_permit(struct keeper *keeper)
{
	keeper_unqueue(keeper);
	atomic_store(&keeper->has_permit, true);
	bell_ring(&keeper->bell);
}

void
permit_give(struct pool *pool)
{
	if (pool->keepers_waiting)
		keeper_hand_permit(pool->keepers_waiting);
	else
		pool->busy--;
}

/* ---- those that were lent */

/* The run goes on with a permit; another one than it lent, or that. */
static void
lender_resume(struct keeper *keeper)
{
	struct pool *pool = keeper->pool;
	struct run *lender = atomic_exchange(&keeper->lender, NULL);
	pool->lent--;
	lender->waiter->called = true;
	waiter_signal(lender->waiter);
}

bool
permit_repay(struct pool *pool)
{
	for (unsigned i = 0; pool->lent > 0 && i < pool->keeper_count; i++) {
		if (atomic_load(&pool->keepers[i].lender)) {
			lender_resume(&pool->keepers[i]);
			return true;
		}
	}
	return false;
}

void
permit_dispatch(struct pool *pool)
{
	while (pool->keepers_waiting && permit_try(pool))
		keeper_hand_permit(pool->keepers_waiting);
	while (pool->lent > 0 && permit_try(pool))
		if (!permit_repay(pool))
			permit_give(pool);
	if (pool->ready > 0 && pool->busy < pool->options.worker_count)
		pool_call_one(pool);
}

/* The keeper that wants a permit now, or will at the time. */
static struct keeper *
keeper_in_need(struct pool *pool, uint64_t due_ns)
{
	if (pool->keepers_waiting)
		return pool->keepers_waiting;
	for (unsigned i = 0; i < pool->keeper_count; i++) {
		struct keeper *keeper = &pool->keepers[i];
		uint64_t wake_ns = atomic_load(&keeper->wake_ns);
		if (wake_ns != 0 && wake_ns <= due_ns && !atomic_load(&keeper->has_permit))
			return keeper;
	}
	return NULL;
}

uint64_t
run_lend_permit(struct run *run, uint64_t due_ns, uint64_t now_clock_ns)
{
	uint64_t back_ns = now_clock_ns;
	struct pool *pool = run->pool;
	struct waiter *waiter = run->waiter;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	bool may = !pool->stopping && (!run->slot || run->slot->state == SLOT_RUNNING) && pool->busy >= pool->options.worker_count;
	struct keeper *keeper = may ? keeper_in_need(pool, due_ns) : NULL;
	if (keeper) {
		waiter->called = false;
		atomic_store(&keeper->lender, run);
		if (pool->lent == 0 && pool->ready == 0)
			atomic_store(&pool->served_ns, now_clock_ns);
		pool->lent++;
		pool->lent_count++;
		keeper_hand_permit(keeper);
		core_yield_rest();
		while (!waiter->called)
			CHECK(pthread_cond_wait(&waiter->call, &pool->lock) == 0);
		core_yield_resume();
		back_ns = clock_now_ns();
		atomic_store(&pool->served_ns, back_ns);
		run->quantum_clock_ns += back_ns - now_clock_ns;
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return back_ns;
}

/* ---- a keeper's */

void
keeper_get_permit(struct keeper *keeper)
{
	struct pool *pool = keeper->pool;
	if (!keeper->takes_permits || atomic_load(&keeper->has_permit))
		return;
	if (permit_try(pool)) {
		atomic_store(&keeper->has_permit, true);
		return;
	}
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	keeper_queue(keeper);
	if (permit_try(pool))
		atomic_store(&keeper->has_permit, true);
	while (!atomic_load(&keeper->has_permit) && !pool->stopping) {
		CHECK(pthread_mutex_unlock(&pool->lock) == 0);
		(void)bell_wait(&keeper->bell, UINT64_MAX);
		CHECK(pthread_mutex_lock(&pool->lock) == 0);
	}
	keeper_unqueue(keeper);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

static bool
keeper_repay(struct keeper *keeper)
{
	struct pool *pool = keeper->pool;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	bool owes = atomic_load(&keeper->lender) != NULL;
	if (owes) {
		atomic_store(&keeper->has_permit, false);
		lender_resume(keeper);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return owes;
}

void
keeper_give_permit(struct keeper *keeper)
{
	struct pool *pool = keeper->pool;
	if (!atomic_load(&keeper->has_permit) || (atomic_load(&keeper->lender) && keeper_repay(keeper)))
		return;
	atomic_store(&keeper->has_permit, false);
	pool->busy--;
	if (pool->ready == 0 && pool->permits_wanted == 0 && pool->lent == 0)
		return;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	permit_dispatch(pool);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}
