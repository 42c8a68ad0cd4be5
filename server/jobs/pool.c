#include "jobs/pool.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread_name.h"
#include "jobs/core_yield.h"
#include "jobs/cores.h"
#include "jobs/pool_private.h"

#include <pthread.h>
#include <stdatomic.h>

static size_t
pool_job_count(const struct pool *pool)
{
	return pool->queued[POOL_LANE_FRESH] + pool->queued[POOL_LANE_STARTED] + pool->running + pool->done.count;
}

/* The next job to begin; those before it that were put aside, or lent their permit, go on while there are permits for them.
 * NULL: none, or no permit. */
static struct slot *
pool_next(struct pool *pool)
{
	while ((pool->ready > 0 || pool->lent > 0) && permit_try(pool)) {
		if (permit_repay(pool))
			continue;
		struct slot *slot = pool_first(pool);
		if (!slot) {
			permit_give(pool);
			return NULL;
		}
		if (slot->state == SLOT_QUEUED) {
			pool_take(pool, slot);
			return slot;
		}
		slot_resume(pool, slot);
	}
	return NULL;
}

/* Until it is called. Called and returns with the lock held. */
static void
waiter_rest(struct waiter *waiter)
{
	struct pool *pool = waiter->pool;
	waiter->called = false;
	waiter->below = pool->waiting_top;
	pool->waiting_top = waiter;
	core_yield_rest();
	while (!waiter->called)
		CHECK(pthread_cond_wait(&waiter->call, &pool->lock) == 0);
}

unsigned
pool_idle(struct pool *pool)
{
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	unsigned free_permits = pool_permits_free(pool), jobs = pool->ready;
	unsigned idle = free_permits < pool->workers_waiting ? free_permits : pool->workers_waiting;
	idle = idle > jobs ? idle - jobs : 0;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return idle;
}

bool
pool_others_wait(const struct pool *pool)
{
	return atomic_load_explicit(&pool->ready, memory_order_relaxed) > atomic_load_explicit(&pool->parked, memory_order_relaxed);
}

bool
pool_is_quiet(struct pool *pool, uint64_t until_ns)
{
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	bool quiet = pool->ready == 0 && pool->running == 0 && pool->running_turns == 0 && pool->lent == 0;
	for (unsigned i = 0; quiet && i < pool->keeper_count; i++) {
		uint64_t wake_ns = atomic_load(&pool->keepers[i].wake_ns);
		quiet = wake_ns != 0 && wake_ns >= until_ns;
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return quiet;
}

/* Waits for something to do. Called and returns with the lock held. */
static void
pool_rest(struct pool *pool, struct waiter *waiter, bool has_helped)
{
	unsigned news = pool->news;
	pool->workers_waiting++;
	if (has_helped)
		pool_linger(pool, &pool->news, news);
	if (pool->news == news)
		waiter_rest(waiter);
	pool->workers_waiting--;
}

/* Waits for a job or a turn, and helps meanwhile; NULL once the pool is stopping, or its thread is to be a keeper. Called and
 * returns with the lock held. */
static struct slot *
pool_wait(struct pool *pool, struct waiter *waiter)
{
	bool has_helped = false;
	while (!pool->stopping && !waiter->keeps) {
		struct slot *slot = pool_next(pool);
		if (slot) {
			*(slot->task ? &pool->running_turns : &pool->running) += 1;
			return slot;
		}
		waiter->ended_clock_ns = 0;
		if (pool->untold_ns != 0) {
			pool_tell(pool);
			continue;
		}
		if (pool->shares && permit_try(pool)) {
			share_help(pool, pool->shares, waiter);
			permit_give(pool);
			has_helped = true;
			continue;
		}
		/* A worker that is called may find that another has done it all, and rests again. */
		pool_rest(pool, waiter, has_helped);
		has_helped = false;
	}
	return NULL;
}

/* Runs a job or a turn to its end. Called and returns with the lock held. */
static bool
pool_run(struct pool *pool, struct waiter *waiter, struct slot *slot)
{
	struct run run = { .pool = pool, .slot = slot, .waiter = waiter };
	enum task_next next = TASK_REST;
	uint64_t due_ns = 0;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	run_begin_next(&run);
	run.begun_ns = run.charged_ns;
	run_here = &run;
	core_yield_work();
	if (slot->task) {
		task_turn_begin(slot->task);
		next = slot->task->run(slot->task, &due_ns);
	} else {
		slot->job->run(slot->job);
	}
	run_here = NULL;
	return pool_run_end(&run, next, due_ns);
}

/* Blocks that a worker keeps: some requests' of a small scene. */
#define POOL_KEPT_BYTES ((size_t)128 << 10)

/* A worker's, and now and then a keeper's. Spares, of which there may be many, keep no blocks. */
void *
pool_worker_main(void *context)
{
	struct waiter *waiter = context;
	struct pool *pool = waiter->pool;
	struct slot *slot = NULL;
	thread_name_set(THREAD_NAME_WORKER);
	if (pool->options.realtime) /* a keeper that has a core may have created it */
		cores_unpin();
	core_yield_begin();
	memory_keep(waiter - pool->waiters < pool->options.worker_count ? POOL_KEPT_BYTES : 0);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	do {
		slot = pool_wait(pool, waiter);
		if (slot && pool_run(pool, waiter, slot)) {
			pool_tell(pool);
		} else if (!slot && waiter->keeps) {
			thread_name_set(THREAD_NAME_KEEPER);
			keeper_main(waiter->keeps, waiter);
			waiter->ended_clock_ns = 0;
			thread_name_set(THREAD_NAME_WORKER);
		}
	} while (slot || !pool->stopping);
	pool->workers_alive--;
	CHECK(pthread_cond_signal(&pool->stopped) == 0);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	core_yield_end();
	memory_keep(0);
	return NULL;
}

/* Into the queue of its flow. With the lock held. */
static void
pool_push(struct pool *pool, struct flow *flow, enum pool_lane lane, struct job *job)
{
	struct slot *slot = pool->free_slots;
	pool->free_slots = slot->next_free;
	*slot = (struct slot){ .job = job, .flow = flow, .lane = lane, .state = SLOT_QUEUED };
	fair_node_init(&slot->leaf, &flow->node, FAIR_WEIGHT_ONE);
	fair_push(&slot->leaf);
	flow->holders++;
	pool->queued[lane]++;
	pool_ready_add(pool);
}

void
helper_wake(void *context)
{
	(void)context;
}

enum status
pool_submit(struct pool *pool, struct flow *flow, enum pool_lane lane, struct job *job)
{
	enum status status = STATUS_OK;
	struct waiter *called = NULL;
	CHECK(job && job->run && pool->options.wake != helper_wake); /* helpers get no jobs */
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (pool->stopping) {
		status = STATUS_UNAVAILABLE;
	} else if (pool->queued[lane] == pool->options.queue_max[lane] || pool_job_count(pool) == pool->options.jobs_max) {
		status = STATUS_RESOURCE_EXHAUSTED;
	} else {
		pool_push(pool, flow ? flow : &pool->own, lane, job);
		pool->news++;
		called = pool_permits_free(pool) > 0 ? pool_call(pool) : NULL;
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	waiter_signal(called); /* not under the lock, which the worker called wants first */
	return status;
}

bool
pool_withdraw(struct pool *pool, const struct job *job)
{
	bool found = false;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	for (size_t i = 0; i < pool->options.jobs_max && !found; i++) {
		struct slot *slot = &pool->slots[i];
		found = slot->state == SLOT_QUEUED && slot->job == job;
		if (found) {
			fair_remove(&slot->leaf);
			pool->queued[slot->lane]--;
			pool->ready--;
			slot_free(pool, slot);
		}
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return found;
}

size_t
pool_take_done(struct pool *pool, struct job **jobs, size_t max)
{
	size_t count = 0;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (count < max && pool->done.count > 0)
		jobs[count++] = ring_pop(&pool->done);
	while (count < max && pool->ended.count > 0) {
		jobs[count++] = ring_pop(&pool->ended);
		pool->task_count--;
	}
	if (pool->done.count + pool->ended.count == 0)
		atomic_store(&pool->untold_ns, 0);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return count;
}

struct pool_stats
pool_stats(struct pool *pool)
{
	struct pool_stats stats;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++)
		stats.queued[i] = pool->queued[i];
	stats.queued_turns = pool->queued_turns;
	stats.running = pool->running + pool->running_turns;
	stats.tasks = pool->task_count;
	stats.lent = pool->lent_count;
	stats.fair_ns = pool->fair_ns;
	stats.parked = pool->parked;
	stats.put_aside = pool->put_aside;
	stats.stretch_ns = atomic_load(&pool->stretch_ns);
	stats.done = pool->done.count + pool->ended.count;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return stats;
}
