/* Happy path: a thread takes the next item while the pool is not busy, and runs it with a pause now and then. What can go
 * wrong: no thread is to be had, at the start. */
#include "base/check.h"
#include "base/clock.h"
#include "base/thread_name.h"
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

struct background_thread {
	struct background *background;
	pthread_t thread;
	struct bell bell;
	atomic_bool asleep; /* until its bell rings */
};

/* Only its own threads take the lock. One of them may hold it for long where all cores are busy, and nothing of class 1 or 2
 * must wait for that. */
struct background {
	/* Immutable. */
	struct pool *pool;
	struct background_thread *threads;
	unsigned thread_count;

	/* Any thread. */
	_Atomic(struct background_item *) wanted; /* the last one first */
	atomic_bool stopping;
	atomic_uint awake; /* threads */
	_Atomic(uint64_t) runs, pauses, cpu_ns;

	/* Guarded by the lock. */
	pthread_mutex_t lock;
	struct background_plan plan;
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

static void
item_push(struct background *background, struct background_item *item)
{
	struct background_item *first = atomic_load(&background->wanted);
	do {
		item->next = first;
	} while (!atomic_compare_exchange_weak(&background->wanted, &first, item));
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
	item_push(background, item);
	/* A thread that is awake calls the others, so that it is not class 1 that pays for it. */
	if (atomic_load(&background->awake) == 0)
		bell_ring(&background->threads[0].bell);
}

/* ---- its threads */

/* What was wanted since, oldest first. With the lock held. */
static void
wanted_take(struct background *background)
{
	struct background_item *newest = atomic_exchange(&background->wanted, NULL), *list = NULL;
	while (newest) {
		struct background_item *next = newest->next;
		newest->next = list;
		list = newest;
		newest = next;
	}
	while (list) {
		struct background_item *next = list->next;
		background_plan_push(&background->plan, list);
		list = next;
	}
}

/* Something is to be begun: a thread that sleeps looks whether it may. */
static void
call_one(struct background *background)
{
	for (unsigned i = 0; i < background->thread_count; i++) {
		if (atomic_load(&background->threads[i].asleep)) {
			bell_ring(&background->threads[i].bell);
			return;
		}
	}
}

bool
background_checkpoint(void)
{
	struct background *background = background_here;
	uint64_t look_ns = LOOK_NS_FIRST;
	if (!background)
		return false;
	struct background_load load = load_of(background->pool);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	bool paused = !atomic_load(&background->stopping) && background_plan_pause(&background->plan, &load);
	background->pauses += paused;
	wanted_take(background);
	if (!paused && background->plan.first)
		call_one(background);
	while (paused && !atomic_load(&background->stopping)) {
		wait_a_while(background, &look_ns);
		load = load_of(background->pool);
		paused = !background_plan_resume(&background->plan, &load);
	}
	if (paused) { /* it ends, wherever that is */
		background_plan_end(&background->plan, true);
		background->plan.running++;
	}
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	return atomic_load(&background->stopping);
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
	background->runs++;
	background->cpu_ns += cost_ns;
	background_plan_end(&background->plan, false);
	if (!idle)
		item_push(background, item);
}

/* Until something is wanted. Called and returns with the lock held. */
static void
thread_sleep(struct background_thread *thread)
{
	struct background *background = thread->background;
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
	atomic_store(&thread->asleep, true);
	atomic_fetch_sub(&background->awake, 1);
	/* What is wanted from here on rings. */
	if (!atomic_load(&background->wanted) && !atomic_load(&background->stopping))
		(void)bell_wait(&thread->bell, UINT64_MAX);
	atomic_fetch_add(&background->awake, 1);
	atomic_store(&thread->asleep, false);
	CHECK(pthread_mutex_lock(&background->lock) == 0);
}

static void *
thread_main(void *context)
{
	struct background_thread *thread = context;
	struct background *background = thread->background;
	uint64_t look_ns = LOOK_NS_FIRST;
	thread_name_set(THREAD_NAME_BACKGROUND);
	(void)realtime_yield_to_all();
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	while (!atomic_load(&background->stopping)) {
		struct background_load load = load_of(background->pool);
		wanted_take(background);
		struct background_item *item = background_plan_begin(&background->plan, &load);
		if (item) {
			look_ns = LOOK_NS_FIRST;
			if (background->plan.first)
				call_one(background);
			item_run(background, item);
		} else if (background->plan.first) {
			wait_a_while(background, &look_ns);
		} else {
			thread_sleep(thread);
		}
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
	/* They look at what is immutable once all are there. */
	CHECK(pthread_mutex_lock(&background->lock) == 0);
	atomic_store(&background->awake, background->pool->options.worker_count);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	while (ok && background->thread_count < background->pool->options.worker_count) {
		struct background_thread *thread = &background->threads[background->thread_count];
		thread->background = background;
		ok = pthread_create(&thread->thread, NULL, thread_main, thread) == 0;
		background->thread_count += ok;
	}
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	CHECK(pthread_mutex_unlock(&background->lock) == 0);
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
	CHECK(pthread_mutex_init(&background->lock, NULL) == 0);
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
	return (struct background_stats){ background->runs, background->pauses, background->cpu_ns };
}

void
background_stop(struct background *background)
{
	if (!background)
		return;
	atomic_store(&background->stopping, true);
	for (unsigned i = 0; i < background->thread_count; i++)
		bell_ring(&background->threads[i].bell);
	for (unsigned i = 0; i < background->thread_count; i++)
		CHECK(pthread_join(background->threads[i].thread, NULL) == 0);
	background->thread_count = 0;
}

void
background_destroy(struct background *background)
{
	if (!background)
		return;
	background_stop(background);
	wanted_take(background);
	while (background->plan.first) {
		struct background_item *item = background->plan.first;
		background->plan.first = item->next;
		background_item_release(item);
	}
	pthread_mutex_destroy(&background->lock);
	free(background->threads);
	free(background);
}
