#include "jobs/pool.h"

#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/pool_private.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Shares come in runs, one soon after the other, and a thread that sleeps needs 50 to 250 us to wake up on a virtual machine.
 * So a worker that has helped, and a thread that waits for helpers, polls for so long, and yields its core meanwhile. */
#define POOL_LINGER_NS UINT64_C(50000)

/* The stretches are measured as finely as this: a look at a thread's CPU time costs half a microsecond. */
#define POOL_STRETCH_LOOK_NS UINT64_C(100000)

static _Thread_local struct run *current;

static size_t
pool_job_count(const struct pool *pool)
{
	return pool->queued[POOL_LANE_FRESH] + pool->queued[POOL_LANE_STARTED] + pool->running + pool->done.count;
}

/* With the lock held. */
void
flow_release(struct flow *flow)
{
	while (flow && --flow->holders == 0) {
		struct flow *parent = flow->parent;
		CHECK(!fair_is_active(&flow->node));
		free(flow);
		flow = parent;
	}
}

static void
slot_free(struct pool *pool, struct slot *slot)
{
	flow_release(slot->flow);
	slot->state = SLOT_FREE;
	slot->next_free = pool->free_slots;
	pool->free_slots = slot;
}

static struct slot *
pool_first(struct pool *pool)
{
	return (struct slot *)fair_first(&pool->root);
}

/* Into service. */
static void
pool_take(struct pool *pool, struct slot *slot)
{
	fair_take_leaf(&slot->leaf);
	pool->ready--;
	if (slot->state == SLOT_QUEUED)
		pool->queued[slot->lane]--;
	else
		pool->parked--;
	slot->state = SLOT_RUNNING;
}

/* One that was put aside goes on, on its thread, with a permit that is counted already. */
static void
slot_resume(struct pool *pool, struct slot *slot)
{
	pool_take(pool, slot);
	slot->thread->called = true;
	waiter_signal(slot->thread);
}

/* The next job to begin; those before it that were put aside go on while there are permits for them. NULL: none, or no
 * permit. */
static struct slot *
pool_next(struct pool *pool)
{
	struct slot *slot;
	while (pool->busy < pool->options.worker_count && (slot = pool_first(pool))) {
		pool->busy++;
		if (slot->state == SLOT_QUEUED) {
			pool_take(pool, slot);
			return slot;
		}
		slot_resume(pool, slot);
	}
	return NULL;
}

/* Takes the worker to be called from the stack; NULL: none waits. With the lock held; to be signalled with it or
 * without. */
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

/* A permit is free, or something is ready: a worker that waits looks. */
static void
pool_call_one(struct pool *pool)
{
	pool->news++;
	waiter_signal(pool_call(pool));
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
	uint64_t begun_ns = helps ? clock_thread_ns() : 0;
	if (helps)
		core_yield_work();
	share->piece(share->argument, index);
	uint64_t helped_ns = helps ? clock_thread_ns() - begun_ns : 0;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (share->slot)
		share->slot->helped_ns += helped_ns;
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
	pool->busy++;
	share_run_piece(pool, share, true);
	pool->busy--;
	share->helpers--;
	if (share->helpers == 0)
		CHECK(pthread_cond_broadcast(&pool->helped) == 0);
}

void
pool_share(struct pool *pool, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct share share = { .piece = piece, .argument = argument, .count = count };
	share.slot = current && current->pool == pool ? current->slot : NULL;
	struct share **link = &pool->shares;
	if (count == 0)
		return;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	while (*link)
		link = &(*link)->later;
	*link = &share;
	pool->news++;
	unsigned free_permits = pool->options.worker_count - pool->busy;
	for (unsigned i = 0; i + 1 < count && i < free_permits && pool->waiting_top; i++)
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
	unsigned free_permits = pool->options.worker_count - pool->busy, jobs = pool->ready;
	unsigned idle = free_permits < pool->workers_waiting ? free_permits : pool->workers_waiting;
	idle = idle > jobs ? idle - jobs : 0;
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
static struct slot *
pool_wait(struct pool *pool, struct waiter *waiter)
{
	bool has_helped = false;
	while (!pool->stopping) {
		struct slot *slot = pool_next(pool);
		if (slot) {
			pool->running++;
			return slot;
		}
		if (pool->shares && pool->busy < pool->options.worker_count) {
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

/* ---- checkpoints */

/* At a checkpoint, or at a job's end. */
static void
run_measure_stretch(struct run *run, uint64_t now_ns, uint64_t now_clock_ns)
{
	uint64_t stretch_ns = now_ns - run->looked_ns, longest_ns = atomic_load(&run->pool->stretch_ns);
	while (stretch_ns > longest_ns && !atomic_compare_exchange_weak(&run->pool->stretch_ns, &longest_ns, stretch_ns)) {
	}
	run->looked_ns = now_ns;
	run->looked_clock_ns = now_clock_ns;
}

/* Charges the flows with what the job has cost since it was last charged. With the lock held. */
static void
run_charge(struct run *run, uint64_t now_ns)
{
	uint64_t cost_ns = now_ns - run->charged_ns + run->slot->helped_ns;
	bool whole = run->pool->options.quantum_ns == 0; /* so that it is another's turn each time */
	if (whole || (!run->contended && cost_ns > FAIR_QUANTUM_NS))
		cost_ns = FAIR_QUANTUM_NS;
	run->charged_ns = now_ns;
	run->slot->helped_ns = 0;
	if (run->slot->state == SLOT_RUNNING)
		fair_charge(&run->slot->leaf, cost_ns);
}

/* A new quantum begins. */
static void
run_begin(struct run *run)
{
	run->charged_ns = run->looked_ns = clock_thread_ns();
	run->quantum_clock_ns = run->looked_clock_ns = clock_now_ns();
	run->contended = run->pool->ready > 0;
}

/* Whether, with one thread more put aside, there is still one for each permit; starts a spare if need be. */
static bool
pool_can_spare(struct pool *pool)
{
	return pool->thread_count - pool->parked > pool->options.worker_count ||
	       (pool->thread_count < pool->options.worker_count + pool->options.spares_max && pool_start_thread(pool, true));
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
	pool->ready++;
	struct slot *first = pool_first(pool);
	bool stays = first == slot || (first->state == SLOT_QUEUED && !pool_can_spare(pool));
	pool->parked++;
	if (stays) {
		pool_take(pool, slot);
	} else if (first->state == SLOT_PARKED) {
		slot_resume(pool, first);
		run_park(run);
	} else {
		pool->busy--;
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

void
pool_checkpoint(void)
{
	struct run *run = current;
	if (!run)
		return;
	struct pool *pool = run->pool;
	uint64_t now_clock_ns = clock_now_ns(), now_ns = 0;
	if (now_clock_ns - run->looked_clock_ns >= POOL_STRETCH_LOOK_NS) {
		now_ns = clock_thread_ns();
		run_measure_stretch(run, now_ns, now_clock_ns);
	}
	if (atomic_load_explicit(&pool->ready, memory_order_relaxed) == 0 ||
	    now_clock_ns - run->quantum_clock_ns < pool->options.quantum_ns)
		return;
	now_ns = now_ns != 0 ? now_ns : clock_thread_ns();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (run_must_make_room(run)) {
		run_charge(run, now_ns);
		run_put_aside(run);
		run_begin(run);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

/* Runs a job and puts it on the done list; whether that was empty. Called and returns with the lock held. */
static bool
pool_run(struct pool *pool, struct waiter *waiter, struct slot *slot)
{
	struct run run = { .pool = pool, .slot = slot, .waiter = waiter };
	run_begin(&run);
	current = &run;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	core_yield_work();
	slot->job->run(slot->job);
	uint64_t now_ns = clock_thread_ns();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	current = NULL;
	run_measure_stretch(&run, now_ns, 0);
	run_charge(&run, now_ns);
	if (slot->state == SLOT_RUNNING) {
		fair_end(&slot->leaf);
		pool->busy--;
	}
	pool->running--;
	ring_push(&pool->done, slot->job);
	slot_free(pool, slot);
	return pool->done.count == 1;
}

/* The wake is outside of the lock, because the thread that it wakes wants the lock next. pool_stop waits for the call to
 * return: this worker is alive. Meanwhile a permit is free. */
void *
pool_worker_main(void *context)
{
	struct waiter *waiter = context;
	struct pool *pool = waiter->pool;
	core_yield_begin();
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	for (struct slot *slot = pool_wait(pool, waiter); slot; slot = pool_wait(pool, waiter)) {
		if (pool_run(pool, waiter, slot)) {
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

struct flow *
pool_flow_create(struct pool *pool, struct flow *parent, uint32_t weight)
{
	struct flow *flow = calloc(1, sizeof *flow);
	if (!flow)
		return NULL;
	*flow = (struct flow){ .pool = pool, .parent = parent, .holders = 1 };
	fair_node_init(&flow->node, parent ? &parent->node : &pool->root, weight);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (parent)
		parent->holders++;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return flow;
}

void
pool_flow_weight_set(struct flow *flow, uint32_t weight)
{
	CHECK(pthread_mutex_lock(&flow->pool->lock) == 0);
	fair_weight_set(&flow->node, weight);
	CHECK(pthread_mutex_unlock(&flow->pool->lock) == 0);
}

void
pool_flow_release(struct flow *flow)
{
	if (!flow)
		return;
	struct pool *pool = flow->pool;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	flow_release(flow);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
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
	pool->ready++;
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
		called = pool->busy < pool->options.worker_count ? pool_call(pool) : NULL;
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
	stats.running = pool->running;
	stats.parked = pool->parked;
	stats.put_aside = pool->put_aside;
	stats.stretch_ns = atomic_load(&pool->stretch_ns);
	stats.done = pool->done.count;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return stats;
}
