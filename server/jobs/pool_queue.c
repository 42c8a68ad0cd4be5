/* The fair queue of a pool, and the workers that wait. All with the pool's lock held. */
#include "base/check.h"
#include "base/clock.h"
#include "jobs/pool_private.h"

_Thread_local struct run *run_here;

void
slot_free(struct pool *pool, struct slot *slot)
{
	flow_release(slot->flow);
	slot->state = SLOT_FREE;
	slot->next_free = pool->free_slots;
	pool->free_slots = slot;
}

struct slot *
pool_first(struct pool *pool)
{
	return (struct slot *)fair_first(&pool->root);
}

/* When class 2 was last given something; only keepers ask. */
static void
pool_note_served(struct pool *pool)
{
	if (pool->keeper_count > 0)
		atomic_store_explicit(&pool->served_ns, clock_now_ns(), memory_order_relaxed);
}

void
pool_ready_add(struct pool *pool)
{
	if (pool->ready == 0 && pool->lent == 0)
		pool_note_served(pool);
	pool->ready++;
}

void
pool_take(struct pool *pool, struct slot *slot)
{
	fair_take_leaf(&slot->leaf);
	pool->ready--;
	if (slot->state == SLOT_PARKED)
		pool->parked--;
	else if (slot->task)
		pool->queued_turns--;
	else
		pool->queued[slot->lane]--;
	slot->state = SLOT_RUNNING;
	pool_note_served(pool);
}

void
slot_resume(struct pool *pool, struct slot *slot)
{
	pool_take(pool, slot);
	slot->thread->called = true;
	waiter_signal(slot->thread);
}

/* Takes the worker to be called from the stack; NULL: none waits. */
struct waiter *
pool_call(struct pool *pool)
{
	struct waiter *waiter = pool->waiting_top;
	if (waiter) {
		pool->waiting_top = waiter->below;
		waiter->called = true;
	}
	return waiter;
}

void
waiter_signal(struct waiter *waiter)
{
	if (waiter)
		CHECK(pthread_cond_signal(&waiter->call) == 0);
}

void
pool_call_one(struct pool *pool)
{
	pool->news++;
	waiter_signal(pool_call(pool));
}
