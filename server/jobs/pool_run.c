/* What becomes of a job, or of a turn of a task, while it runs and at its end: charges, checkpoints. */
#include "base/check.h"
#include "base/clock.h"
#include "base/thread_name.h"
#include "jobs/core_yield.h"
#include "jobs/cores.h"
#include "jobs/pool_private.h"
#include "jobs/realtime.h"

/* Jobs that are done while others wait are told together: so many at most, or as many as are done in that time. The time is
 * looked at where jobs end, at checkpoints, and before a thread rests. */
#define POOL_TOGETHER_MAX 32u
#define POOL_TOGETHER_NS UINT64_C(200000)
/* The stretches are measured as finely as this: a look at a thread's CPU time costs half a microsecond. */
#define POOL_STRETCH_LOOK_NS UINT64_C(100000)

void
run_measure_stretch(struct run *run, uint64_t now_ns, uint64_t now_clock_ns)
{
	/* The begin of a turn of class 1 is known to within a few microseconds. */
	uint64_t stretch_ns = now_ns > run->looked_ns ? now_ns - run->looked_ns : 0,
			 longest_ns = atomic_load(&run->pool->stretch_ns);
	while (stretch_ns > longest_ns && !atomic_compare_exchange_weak(&run->pool->stretch_ns, &longest_ns, stretch_ns)) {
	}
	run->looked_ns = now_ns;
	run->looked_clock_ns = now_clock_ns;
}

/* Charges the flows with what it has cost since it was last charged. With the lock held. */
static void
run_charge(struct run *run, uint64_t now_ns)
{
	uint64_t cost_ns = (now_ns > run->charged_ns ? now_ns - run->charged_ns : 0) + run->slot->helped_ns;
	run->pool->fair_ns += cost_ns;
	bool whole = run->pool->options.quantum_ns == 0; /* so that it is another's turn each time */
	if (whole || (!run->contended && cost_ns > FAIR_QUANTUM_NS))
		cost_ns = FAIR_QUANTUM_NS;
	run->charged_ns = now_ns > run->charged_ns ? now_ns : run->charged_ns;
	run->slot->helped_ns = 0;
	if (run->slot->state == SLOT_RUNNING)
		fair_charge(&run->slot->leaf, cost_ns);
}

/* A look at the CPU time of the calling thread costs a quarter of a microsecond or more, and short jobs take twenty. Between
 * looks it runs as the clock does: a job of a thread that lost its core meanwhile is charged too much, by less than
 * POOL_STRETCH_LOOK_NS. */
static uint64_t
waiter_cpu_ns(struct waiter *waiter, uint64_t now_clock_ns)
{
	if (now_clock_ns - waiter->looked_clock_ns >= POOL_STRETCH_LOOK_NS) {
		waiter->looked_ns = clock_thread_ns();
		waiter->looked_clock_ns = now_clock_ns;
	}
	return waiter->looked_ns + (now_clock_ns - waiter->looked_clock_ns);
}

static void
run_begin_at(struct run *run, uint64_t now_ns, uint64_t now_clock_ns)
{
	run->charged_ns = run->looked_ns = run->quantum_begun_ns = now_ns;
	run->quantum_clock_ns = run->looked_clock_ns = now_clock_ns;
	run->contended = run->pool->ready > 0;
}

void
run_begin(struct run *run)
{
	struct waiter *waiter = run->waiter;
	waiter->looked_clock_ns = clock_now_ns();
	waiter->looked_ns = clock_thread_ns();
	run_begin_at(run, waiter->looked_ns, waiter->looked_clock_ns);
}

void
run_begin_next(struct run *run)
{
	const struct waiter *waiter = run->waiter;
	if (waiter->ended_clock_ns == 0 || run->slot->task)
		run_begin(run);
	else
		run_begin_at(run, waiter->ended_ns, waiter->ended_clock_ns);
}

/* Waits where it is, after its permit was passed on. */
static void
run_park(struct run *run)
{
	struct pool *pool = run->pool;
	run->slot->thread = run->waiter;
	run->waiter->called = false;
	pool->put_aside++;
	core_yield_rest();
	while (!run->waiter->called)
		CHECK(pthread_cond_wait(&run->waiter->call, &pool->lock) == 0);
	core_yield_resume();
}

/* The quantum is over and something waits: the first job now goes on. With the lock held. */
static void
run_put_aside(struct run *run)
{
	struct pool *pool = run->pool;
	struct slot *slot = run->slot;
	fair_put_back(&slot->leaf);
	slot->state = SLOT_PARKED;
	pool_ready_add(pool);
	struct slot *first = pool_first(pool);
	bool stays = first == slot || (first->state == SLOT_QUEUED && !pool_can_spare(pool));
	pool->parked++;
	if (stays) {
		pool_take(pool, slot);
	} else if (first->state == SLOT_PARKED) {
		slot_resume(pool, first);
		run_park(run);
	} else {
		permit_give(pool);
		pool_call_one(pool);
		run_park(run);
	}
}

/* With a permit free, what is ready needs no room. */
static bool
run_must_make_room(const struct run *run)
{
	const struct pool *pool = run->pool;
	return !pool->stopping && run->slot->state == SLOT_RUNNING && pool->ready > 0 && pool->busy >= pool->options.worker_count;
}

/* ---- turns of class 1 */

/* The thread that is to be the keeper; NULL: there is none. It is called already. With the lock held. */
static struct waiter *
pool_spare_for_keeper(struct pool *pool, struct keeper *keeper)
{
	if (!pool_can_spare(pool))
		return NULL;
	struct waiter *waiter = pool_call(pool);
	if (waiter) {
		waiter->keeps = keeper;
		return waiter;
	}
	/* A thread that is no keeper and not put aside is about to rest. One more does no harm. */
	unsigned at = pool->thread_count;
	return pool_start_thread(pool, true, keeper) ? &pool->waiters[at] : NULL;
}

/* From now on the turn is of class 2. The keeper, with its permit, is another thread's. False: there is none. With the lock
 * held. */
static bool
run_cut(struct run *run, uint64_t now_ns)
{
	struct pool *pool = run->pool;
	struct slot *slot = run->slot;
	struct waiter *successor = pool->stopping ? NULL : pool_spare_for_keeper(pool, run->keeper);
	if (!successor)
		return false;
	run->class_1_ns = now_ns - run->charged_ns + slot->helped_ns;
	slot->helped_ns = 0;
	atomic_store_explicit(&run->keeper->turn_ns, 0, memory_order_relaxed);
	run->keeper = NULL;
	run->waiter->keeps = NULL;
	thread_name_set(THREAD_NAME_WORKER);
	pool->running_turns++;
	fair_push(&slot->leaf);
	slot->state = SLOT_PARKED;
	pool_ready_add(pool);
	pool->parked++;
	/* As an ordinary thread it would get its level once it had a core: beside busy programs that takes some milliseconds. */
	if (pool->options.realtime)
		(void)realtime_give(pool->threads[successor - pool->waiters], REALTIME_HIGH);
	waiter_signal(successor);
	permit_dispatch(pool);
	return true;
}

/* A turn of class 1: whether it is too long. */
static void
run_check_length(struct run *run, uint64_t now_clock_ns)
{
	struct pool *pool = run->pool;
	bool strict = !run->keeper->takes_permits;
	if (now_clock_ns < run->turn_clock_ns)
		return;
	uint64_t now_ns = clock_thread_ns(), own_ns = now_ns > run->begun_ns ? now_ns - run->begun_ns : 0;
	run->turn_clock_ns = now_clock_ns + (own_ns < run->turn_ns ? run->turn_ns - own_ns : FAIR_QUANTUM_NS);
	if (own_ns < run->turn_ns) /* it had to wait for its core */
		return;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (run_cut(run, now_ns)) {
		if (strict) { /* it has real-time priority, and may have a core */
			realtime_leave();
			cores_unpin();
		}
		core_yield_work();
		run_park(run);
		run_begin(run);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

/* ---- */

/* Whether some keeper wants a permit, or will before the next checkpoint. */
static bool
run_may_lend(struct run *run, uint64_t now_clock_ns)
{
	struct pool *pool = run->pool;
	if (atomic_load_explicit(&pool->permits_wanted, memory_order_relaxed) > 0)
		return true;
	uint64_t due_ns = atomic_load_explicit(&pool->next_due_ns, memory_order_relaxed);
	if (now_clock_ns + KEEPER_LEAD_NS < due_ns || due_ns == run->looked_due_ns)
		return false;
	run->looked_due_ns = due_ns;
	return true;
}

void
pool_checkpoint(void)
{
	struct run *run = run_here;
	if (!run)
		return;
	struct pool *pool = run->pool;
	uint64_t now_clock_ns = clock_now_ns(), now_ns = 0;
	pool_tell_late(pool, now_clock_ns);
	if (pool->keepers && !run->keeper && run_may_lend(run, now_clock_ns))
		now_clock_ns = run_lend_permit(run, now_clock_ns + KEEPER_LEAD_NS, now_clock_ns);
	if (!run->slot)
		return;
	if (now_clock_ns - run->looked_clock_ns >= POOL_STRETCH_LOOK_NS) {
		now_ns = clock_thread_ns();
		run_measure_stretch(run, now_ns, now_clock_ns);
	}
	if (run->keeper) {
		run_check_length(run, now_clock_ns);
		return;
	}
	if (atomic_load_explicit(&pool->ready, memory_order_relaxed) == 0 ||
	    now_clock_ns - run->quantum_clock_ns < pool->options.quantum_ns)
		return;
	now_ns = now_ns != 0 ? now_ns : clock_thread_ns();

	uint64_t own_ns = now_ns > run->quantum_begun_ns ? now_ns - run->quantum_begun_ns : 0;
	if (own_ns < pool->options.quantum_ns) { /* it had to wait for its core */
		run->quantum_clock_ns = now_clock_ns - own_ns;
		return;
	}
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (run_must_make_room(run)) {
		run_charge(run, now_ns);
		run_put_aside(run);
		run_begin(run);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

void
pool_turn_is_long(void)
{
	if (run_here && run_here->keeper)
		run_here->turn_ns = run_here->turn_clock_ns = 0;
	pool_checkpoint();
}

/* ---- its end */

/* After a job was put on the done list. While others wait, what is done is told together. A call of `wake`, and what it wakes,
 * take longer than a short job. With the lock held. */
static bool
done_is_to_be_told(struct pool *pool, uint64_t now_clock_ns)
{
	size_t count = pool->done.count + pool->ended.count;
	uint64_t untold_ns = atomic_load(&pool->untold_ns);
	if (count > 1 && untold_ns == 0)
		return false; /* of those before it has been told, and they were not taken yet */
	if (pool->ready == 0 || pool->stopping || count >= POOL_TOGETHER_MAX ||
	    (untold_ns != 0 && now_clock_ns >= untold_ns + POOL_TOGETHER_NS))
		return true;
	if (untold_ns == 0)
		atomic_store(&pool->untold_ns, now_clock_ns);
	return false;
}

bool
pool_run_end(struct run *run, enum task_next next, uint64_t due_ns)
{
	struct pool *pool = run->pool;
	struct slot *slot = run->slot;
	struct task *task = slot->task;
	uint64_t now_clock_ns = clock_now_ns();
	uint64_t now_ns = task ? clock_thread_ns() : waiter_cpu_ns(run->waiter, now_clock_ns);
	run_measure_stretch(run, now_ns, 0);
	run->waiter->ended_ns = now_ns;
	run->waiter->ended_clock_ns = now_clock_ns;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	run_charge(run, now_ns);
	if (slot->state == SLOT_RUNNING) {
		fair_end(&slot->leaf);
		permit_give(pool);
	}
	if (task) {
		pool->running_turns--;
		slot->state = SLOT_FREE;
		CHECK(pthread_mutex_unlock(&pool->lock) == 0);
		bool tells = task_settle(task, next, due_ns, now_ns - run->begun_ns);
		CHECK(pthread_mutex_lock(&pool->lock) == 0);
		return tells;
	}
	pool->running--;
	ring_push(&pool->done, slot->job);
	slot_free(pool, slot);
	return done_is_to_be_told(pool, now_clock_ns);
}

void
pool_tell_late(struct pool *pool, uint64_t now_clock_ns)
{
	uint64_t untold_ns = atomic_load_explicit(&pool->untold_ns, memory_order_relaxed);
	if (untold_ns != 0 && now_clock_ns >= untold_ns + POOL_TOGETHER_NS && atomic_exchange(&pool->untold_ns, 0) != 0)
		pool->options.wake(pool->options.context);
}

void
pool_tell(struct pool *pool)
{
	atomic_store(&pool->untold_ns, 0);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	pool->options.wake(pool->options.context);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}
