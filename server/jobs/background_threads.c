/* Happy path: a thread takes the next item while the pool is not busy, and runs it with a pause now and then. What can go
 * wrong: no thread is to be had, at the start. */
#include "base/check.h"
#include "base/clock.h"
#include "jobs/background.h"
#include "jobs/bell.h"
#include "jobs/pool_private.h"
#include "jobs/realtime.h"

#include <signal.h>
#include <stdlib.h>

/* How long a thread waits before it looks at the pool again: twice as long each time. */
#define LOOK_NS_FIRST UINT64_C(100000)
#define LOOK_NS_MOST UINT64_C(1600000)

/* Of an item. In all but the first it is held. */
enum background_state { ITEM_IDLE, ITEM_QUEUED, ITEM_RUNNING, ITEM_AGAIN };

struct background {
	/* Immutable. */
	struct pool *pool;
	pthread_t *threads;
	unsigned thread_count;

	/* Guarded by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t call;
	struct background_plan plan;
	unsigned asleep; /* threads that wait to be called */
	bool stopping;
	struct background_stats stats;
};

/* What the calling thread belongs to, while it runs an item. */
static _Thread_local struct background *background_here;

void
background_item_init(struct background_item *item)
{
	atomic_init(&item->holders, 1);
	atomic_init(&item->state, ITEM_IDLE);
}

void
background_item_release(struct background_item *item)
{
	if (atomic_fetch_sub(&item->holders, 1) == 1)
		item->free(item);
}

/* Without any lock of the pool. What is read may be a moment old: it is looked at again. */
static struct background_load
load_of(const struct pool *pool)
{
	return (struct background_load){ .permits = pool->options.worker_count,
		                             .busy = atomic_load_explicit(&pool->busy, memory_order_relaxed),
		                             .waiting = atomic_load_explicit(&pool->ready, memory_order_relaxed) +
		                                        atomic_load_explicit(&pool->lent, memory_order_relaxed) +
		                                        atomic_load_explicit(&pool->permits_wanted, memory_order_relaxed) };
}

/* Called and returns with the lock held. */
static void
wait_a_while(struct background *background, uint64_t *ns)
{
	struct bell bell = { 0 }; /* that nothing rings */
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	(void)bell_wait(&bell, clock_now_ns() + *ns);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	*ns = *ns < LOOK_NS_MOST ? *ns * 2 : *ns;
}

/* ---- what is wanted */

/* With the lock held. */
static void
item_push(struct background *background, struct background_item *item)
{
	background_plan_push(&background->plan, item);
	/* A thread that is awake calls the others, so that it is not class 1 that pays for it. */
	if (background->asleep == background->thread_count)
		CHECK(pthread_cond_signal(&background->call) == 0);
}

void
background_want(struct background *background, struct background_item *item)
{
	int state = atomic_load(&item->state);
	for (;;) {
		if (state == ITEM_QUEUED || state == ITEM_AGAIN)
			return;
		if (atomic_compare_exchange_weak(&item->state, &state, state == ITEM_IDLE ? ITEM_QUEUED : ITEM_AGAIN))
			break;
	}
	if (state == ITEM_RUNNING)
		return;
	atomic_fetch_add(&item->holders, 1);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	item_push(background, item);
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
}

/* ---- its threads */

bool
background_checkpoint(void)
{
	struct background *background = background_here;
	uint64_t look_ns = LOOK_NS_FIRST;
	if (!background)
		return false;
	struct background_load load = load_of(background->pool);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	bool paused = !background->stopping && background_plan_pause(&background->plan, &load);
	background->stats.pauses += paused;
	if (!paused && background->plan.first && background->asleep > 0)
		CHECK(pthread_cond_signal(&background->call) == 0);
	while (paused && !background->stopping) {
		wait_a_while(background, &look_ns);
		load = load_of(background->pool);
		paused = !background_plan_resume(&background->plan, &load);
	}
	if (paused) { /* it ends, wherever that is */
		background_plan_end(&background->plan, true);
		background->plan.running++;
	}
	bool stopping = background->stopping;
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	return stopping;
}

/* Called and returns with the lock held. */
static void
item_run(struct background *background, struct background_item *item)
{
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	uint64_t begun_ns = clock_thread_ns();
	atomic_store(&item->state, ITEM_RUNNING);
	background_here = background;
	item->run(item);
	background_here = NULL;
	uint64_t cost_ns = clock_thread_ns() - begun_ns;
	int state = ITEM_RUNNING;
	bool idle = atomic_compare_exchange_strong(&item->state, &state, ITEM_IDLE);
	if (idle)
		background_item_release(item);
	else
		atomic_store(&item->state, ITEM_QUEUED);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	background->stats.runs++;
	background->stats.cpu_ns += cost_ns;
	background_plan_end(&background->plan, false);
	if (!idle)
		item_push(background, item);
}

static void *
thread_main(void *context)
{
	struct background *background = context;
	uint64_t look_ns = LOOK_NS_FIRST;
	(void)realtime_yield_to_all();
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	while (!background->stopping) {
		if (!background->plan.first) {
			background->asleep++;
			CHECK(pthread_cond_wait(&background->call, &background->lock) == 0);
			background->asleep--;
			continue;
		}
		struct background_load load = load_of(background->pool);
		struct background_item *item = background_plan_begin(&background->plan, &load);
		if (!item) {
			wait_a_while(background, &look_ns);
			continue;
		}
		look_ns = LOOK_NS_FIRST;
		if (background->plan.first && background->asleep > 0)
			CHECK(pthread_cond_signal(&background->call) == 0);
		item_run(background, item);
	}
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	return NULL;
}

/* ---- begin and end */

/* Signals are the loop thread's alone. */
static bool
threads_start(struct background *background)
{
	sigset_t all, before;
	bool ok = true;
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	while (ok && background->thread_count < background->pool->options.worker_count) {
		ok = pthread_create(&background->threads[background->thread_count], NULL, thread_main, background) == 0;
		CHECK(pthread_mutex_lock(&background->lock) == 0);
		background->thread_count += ok;
		CHECK(pthread_mutex_unlock(&background->lock) == 0);
	}
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	return ok;
}

enum status
background_create(struct pool *pool, struct background **out)
{
	struct background *background = calloc(1, sizeof *background);
	if (background)
		background->threads = calloc(pool->options.worker_count, sizeof *background->threads);
	if (!background || !background->threads) {
		free(background);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	background->pool = pool;
	background_plan_init(&background->plan);
	pool_lock_init(&background->lock, pool->options.realtime);
	CHECK(pthread_cond_init(&background->call, NULL) == 0);
	if (!threads_start(background)) {
		background_destroy(background);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	*out = background;
	return STATUS_OK;
}

struct background_stats
background_stats(struct background *background)
{
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	struct background_stats stats = background->stats;
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	return stats;
}

void
background_stop(struct background *background)
{
	if (!background)
		return;
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	background->stopping = true;
	CHECK(pthread_cond_broadcast(&background->call) == 0);
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	for (unsigned i = 0; i < background->thread_count; i++)
		CHECK(pthread_join(background->threads[i], NULL) == 0);
	background->thread_count = 0;
}

void
background_destroy(struct background *background)
{
	if (!background)
		return;
	background_stop(background);
	while (background->plan.first) {
		struct background_item *item = background->plan.first;
		background->plan.first = item->next;
		background_item_release(item);
	}
	pthread_cond_destroy(&background->call);
	pthread_mutex_destroy(&background->lock);
	free(background->threads);
	free(background);
}
