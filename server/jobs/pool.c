#include "jobs/pool.h"

#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/ring.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Shares come in runs, one soon after the other, and a thread that sleeps needs 50 to 250 us to wake up on a virtual machine.
 * So a worker that has helped, and a thread that waits for helpers, polls for so long, and yields its core meanwhile. */
#define POOL_LINGER_NS UINT64_C(50000)

/* Work that is cut into pieces, on the stack of the thread that shares it. In the pool's list while there are pieces to begin.
 */
struct share {
	void (*piece)(void *argument, unsigned index);
	void *argument;
	unsigned next, count; /* pieces that were begun, and all */
	atomic_uint helpers;  /* workers inside a piece; written with the lock held */
	struct share *later;
};

/* Where a worker rests until it is called. The one that rested last is called first: its caches and its malloc arena are
 * warm, and the core that it ran on is likely free. */
struct waiter {
	/* Immutable. */
	struct pool *pool;
	pthread_cond_t call;

	/* Guarded by the pool's lock. */
	struct waiter *below; /* while it is in the stack of waiters */
	bool called;
};

struct pool {
	/* Immutable once created. */
	struct pool_options options;
	pthread_t *threads;
	struct waiter *waiters; /* one for each */
	unsigned thread_count;

	/* Guarded by lock. */
	pthread_mutex_t lock;
	struct waiter *waiting_top; /* a stack: workers that wait and have not been called; the last on top */
	pthread_cond_t stopped;     /* a worker has ended */
	pthread_cond_t helped;      /* some share has no helper any more */
	struct share *shares;       /* oldest first */
	struct ring lanes[POOL_LANE_COUNT];
	struct ring done;
	size_t running;
	unsigned workers_alive;
	unsigned workers_waiting; /* for work; also those that poll for a while, and those that were called and are not awake yet */
	atomic_uint news;         /* counts jobs and shares that came, and stopping; read without the lock */
	enum pool_lane next_lane; /* the lane to look into first */
	bool stopping;
};

static size_t
pool_job_count(const struct pool *pool)
{
	return pool->lanes[POOL_LANE_FRESH].count + pool->lanes[POOL_LANE_STARTED].count + pool->running + pool->done.count;
}

/* The next job, from one lane and the other alternately; NULL if both are empty. */
static struct job *
pool_next(struct pool *pool)
{
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++) {
		enum pool_lane lane = (enum pool_lane)((pool->next_lane + i) % POOL_LANE_COUNT);
		struct job *job = ring_pop(&pool->lanes[lane]);
		if (job) {
			pool->next_lane = (enum pool_lane)((lane + 1) % POOL_LANE_COUNT);
			return job;
		}
	}
	return NULL;
}

/* Takes the worker to be called from the stack; NULL: none waits. With the lock held; to be signalled with it or
 * without. */
static struct waiter *
pool_call(struct pool *pool)
{
	struct waiter *waiter = pool->waiting_top;
	if (waiter) {
		pool->waiting_top = waiter->below;
		waiter->called = true;
	}
	return waiter;
}

static void
waiter_signal(struct waiter *waiter)
{
	if (waiter)
		CHECK(pthread_cond_signal(&waiter->call) == 0);
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

/* Begins the next piece of a share and runs it; `helps`: on a worker that waited for work. Called and returns with the lock
 * held. */
static void
share_run_piece(struct pool *pool, struct share *share, bool helps)
{
	unsigned index = share->next++;
	if (share->next == share->count)
		share_remove(pool, share);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	if (helps)
		core_yield_work();
	share->piece(share->argument, index);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}

/* Polls until a number is another one, for a while. Called and returns with the lock held. */
static void
pool_linger(struct pool *pool, const atomic_uint *number, unsigned seen)
{
	uint64_t begun_ns = clock_now_ns();
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	while (atomic_load_explicit(number, memory_order_relaxed) == seen && clock_now_ns() - begun_ns < POOL_LINGER_NS)
		(void)sched_yield();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}

/* On a worker. */
static void
share_help(struct pool *pool, struct share *share)
{
	share->helpers++;
	share_run_piece(pool, share, true);
	share->helpers--;
	if (share->helpers == 0)
		CHECK(pthread_cond_broadcast(&pool->helped) == 0);
}

void
pool_share(struct pool *pool, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct share share = { .piece = piece, .argument = argument, .count = count };
	struct share **link = &pool->shares;
	if (count == 0)
		return;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (*link)
		link = &(*link)->later;
	*link = &share;
	pool->news++;
	for (unsigned i = 0; i + 1 < count && pool->waiting_top; i++)
		waiter_signal(pool_call(pool));
	while (share.next < share.count)
		share_run_piece(pool, &share, false);
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

unsigned
pool_idle(struct pool *pool)
{
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	size_t jobs = pool->lanes[POOL_LANE_FRESH].count + pool->lanes[POOL_LANE_STARTED].count;
	unsigned idle = pool->workers_waiting > jobs ? pool->workers_waiting - (unsigned)jobs : 0;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return idle;
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

/* Waits for a job, and helps meanwhile; NULL once the pool is stopping. Called and returns with the lock held. */
static struct job *
pool_wait(struct pool *pool, struct waiter *waiter)
{
	bool has_helped = false;
	while (!pool->stopping) {
		struct job *job = pool_next(pool);
		if (job) {
			pool->running++;
			return job;
		}
		if (pool->shares) {
			share_help(pool, pool->shares);
			has_helped = true;
			continue;
		}
		/* A worker that is called may find that another has done it all, and rests again. */
		pool_rest(pool, waiter, has_helped);
		has_helped = false;
	}
	return NULL;
}

/* Runs a job and puts it on the done list; whether that was empty. Called and returns with the lock held. */
static bool
pool_run(struct pool *pool, struct job *job)
{
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	core_yield_work();
	job->run(job);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	pool->running--;
	ring_push(&pool->done, job);
	return pool->done.count == 1;
}

/* The wake is outside of the lock, because the thread that it wakes wants the lock next. pool_stop waits for the call to
 * return: this worker is alive. */
static void *
worker_main(void *context)
{
	struct waiter *waiter = context;
	struct pool *pool = waiter->pool;
	core_yield_begin();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	for (struct job *job = pool_wait(pool, waiter); job; job = pool_wait(pool, waiter)) {
		if (pool_run(pool, job)) {
			CHECK(pthread_mutex_unlock(&pool->lock) == 0);
			pool->options.wake(pool->options.context);
			CHECK(pthread_mutex_lock(&pool->lock) == 0);
		}
	}
	pool->workers_alive--;
	CHECK(pthread_cond_signal(&pool->stopped) == 0);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	core_yield_end();
	return NULL;
}

/* Signals are the loop thread's alone, those apart with which a worker calls itself (core_yield.h). */
static bool
pool_start_workers(struct pool *pool)
{
	sigset_t all;
	sigset_t before;
	sigfillset(&all);
	CHECK(pthread_sigmask(SIG_SETMASK, &all, &before) == 0);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (pool->thread_count < pool->options.worker_count &&
	       pthread_create(&pool->threads[pool->thread_count], NULL, worker_main, &pool->waiters[pool->thread_count]) == 0) {
		pool->thread_count++;
		pool->workers_alive++;
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
	return pool->thread_count == pool->options.worker_count;
}

static void
pool_free(struct pool *pool)
{
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++)
		ring_finish(&pool->lanes[i]);
	ring_finish(&pool->done);
	pthread_cond_destroy(&pool->helped);
	pthread_cond_destroy(&pool->stopped);
	pthread_mutex_destroy(&pool->lock);
	for (unsigned i = 0; pool->waiters && i < pool->options.worker_count; i++)
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
	for (unsigned i = 0; pool->waiters && i < pool->options.worker_count; i++) {
		pool->waiters[i].pool = pool;
		CHECK(pthread_cond_init(&pool->waiters[i].call, NULL) == 0);
	}
}

static void
pool_check_options(const struct pool_options *options)
{
	CHECK(options->worker_count >= 1 && options->worker_count <= POOL_WORKERS_MAX);
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
	pool->threads = calloc(options->worker_count, sizeof *pool->threads);
	pool->waiters = calloc(options->worker_count, sizeof *pool->waiters);
	pool_init_sync(pool);
	bool ok = pool->threads != NULL && pool->waiters != NULL && ring_init(&pool->done, options->jobs_max);
	for (unsigned i = 0; i < POOL_LANE_COUNT && ok; i++)
		ok = ring_init(&pool->lanes[i], options->queue_max[i]);
	if (!ok) {
		pool_free(pool);
		return STATUS_RESOURCE_EXHAUSTED;
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

static void
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

enum status
pool_submit(struct pool *pool, enum pool_lane lane, struct job *job)
{
	enum status status = STATUS_OK;
	struct waiter *called = NULL;
	CHECK(job && job->run && pool->options.wake != helper_wake); /* helpers get no jobs */
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (pool->stopping) {
		status = STATUS_UNAVAILABLE;
	} else if (pool->lanes[lane].count == pool->options.queue_max[lane] || pool_job_count(pool) == pool->options.jobs_max) {
		status = STATUS_RESOURCE_EXHAUSTED;
	} else {
		ring_push(&pool->lanes[lane], job);
		pool->news++;
		called = pool_call(pool);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	waiter_signal(called); /* not under the lock, which the worker called wants first */
	return status;
}

size_t
pool_take_done(struct pool *pool, struct job **jobs, size_t max)
{
	size_t count = 0;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (count < max && pool->done.count > 0)
		jobs[count++] = ring_pop(&pool->done);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return count;
}

struct pool_stats
pool_stats(struct pool *pool)
{
	struct pool_stats stats;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++)
		stats.queued[i] = pool->lanes[i].count;
	stats.running = pool->running;
	stats.done = pool->done.count;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return stats;
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
	for (unsigned i = 0; i < POOL_LANE_COUNT; i++)
		for (struct job *job = ring_pop(&pool->lanes[i]); job; job = ring_pop(&pool->lanes[i]))
			discard(job);
	for (struct job *job = ring_pop(&pool->done); job; job = ring_pop(&pool->done))
		discard(job);
	pool_free(pool);
}
