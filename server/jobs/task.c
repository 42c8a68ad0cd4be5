#include "jobs/task.h"

#include "base/check.h"
#include "base/clock.h"
#include "jobs/pool_private.h"

/* A home changes only while its lock is held; the one that was read first may be another by then. */
struct keeper *
task_lock_home(struct task *task)
{
	for (;;) {
		struct keeper *home = atomic_load(&task->home);
		CHECK(pthread_mutex_lock(&home->lock) == 0);
		if (home == atomic_load(&task->home))
			return home;
		CHECK(pthread_mutex_unlock(&home->lock) == 0);
	}
}

struct waiter *
task_push(struct task *task)
{
	struct pool *pool = task->pool;
	task->state = TASK_QUEUED;
	task->slot.state = SLOT_QUEUED;
	fair_push(&task->slot.leaf);
	pool->queued_turns++;
	pool_ready_add(pool);
	pool->news++;
	return pool_permits_free(pool) > 0 ? pool_call(pool) : NULL;
}

/* With the lock of its home held. */
static void
task_queue(struct task *task)
{
	struct pool *pool = task->pool;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	struct waiter *called = task_push(task);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	waiter_signal(called);
}

/* ---- what a keeper has reserved; all with the pool's lock held */

void
task_reservation_add(const struct task *task, struct keeper *home)
{
	home->reserved_ns += task->reserved_ns;
	*(task->reserved_ns > 0 ? &home->tasks_reserved : &home->tasks_unreserved) += 1;
}

void
task_reservation_remove(const struct task *task, struct keeper *home)
{
	home->reserved_ns -= task->reserved_ns;
	*(task->reserved_ns > 0 ? &home->tasks_reserved : &home->tasks_unreserved) -= 1;
}

/* The one with the least reserved. Tasks without a reservation are new, as a rule, and count as much as the others on average.
 */
static struct keeper *
pool_least_reserved(struct pool *pool)
{
	uint64_t all_ns = 0, count = 0, least_ns = UINT64_MAX;
	struct keeper *least = pool->keepers;
	for (unsigned i = 0; i < pool->keeper_count; i++) {
		all_ns += pool->keepers[i].reserved_ns;
		count += pool->keepers[i].tasks_reserved;
	}
	uint64_t mean_ns = count > 0 ? all_ns / count + 1 : 1;
	for (unsigned i = 0; i < pool->keeper_count; i++) {
		struct keeper *keeper = &pool->keepers[i];
		uint64_t reserved_ns = keeper->reserved_ns + keeper->tasks_unreserved * mean_ns;
		if (reserved_ns < least_ns) {
			least = keeper;
			least_ns = reserved_ns;
		}
	}
	return least;
}

/* ---- its begin */

/* Those started one after the other for a flow have the same home and phase, in groups, and each group goes to the keeper with
 * the least reserved. With the pool's lock held. */
static void
task_settle_in(struct task *task, struct flow *flow)
{
	struct pool *pool = task->pool;
	if (!flow->home || flow->phase_order % CLOCKWORK_PHASE_GROUP == 0) {
		flow->home = pool_least_reserved(pool);
		flow->phase_order = flow->home->groups++ * CLOCKWORK_PHASE_GROUP;
	}
	atomic_store(&task->home, flow->home);
	task->phase_keeper = flow->home->index;
	task->phase_order = flow->phase_order++;
	task_reservation_add(task, flow->home);
}

/* With the pool's lock held. */
static void
task_init(struct task *task, struct pool *pool, struct flow *flow)
{
	task->pool = pool;
	task->due = (struct due){ .armed = false };
	task->wanted = false;
	budget_init(&task->budget, 0, clock_now_ns());
	task->reserved_ns = 0;
	task->last_ns = 0;
	atomic_init(&task->turn_ns, 0);
	task->turns_averaged = 0;
	task->slot = (struct slot){ .task = task, .flow = flow };
	fair_node_init(&task->slot.leaf, &flow->node, FAIR_WEIGHT_ONE);
	flow->holders++;
	task->link = &pool->tasks;
	task->next = pool->tasks;
	if (task->next)
		task->next->link = &task->next;
	pool->tasks = task;
	pool->task_count++;
	task_settle_in(task, flow);
}

enum status
pool_task_start(struct pool *pool, struct task *task, struct flow *flow)
{
	enum status status = STATUS_OK;
	struct waiter *called = NULL;
	CHECK(task->run && task->job.done && pool->keepers);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (pool->stopping) {
		status = STATUS_UNAVAILABLE;
	} else if (pool->task_count == pool->options.tasks_max || !pool_start_keepers(pool)) {
		status = STATUS_RESOURCE_EXHAUSTED;
	} else {
		task_init(task, pool, flow ? flow : &pool->own);
		called = task_push(task);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	waiter_signal(called);
	return status;
}

/* ---- between its turns */

void
pool_task_want(struct task *task)
{
	struct keeper *home = task_lock_home(task);
	if (task->state == TASK_IDLE)
		task_queue(task);
	else if (task->state == TASK_RUNNING)
		task->wanted = true;
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
}

void
pool_task_reserve(struct task *task, uint64_t ns_per_s)
{
	struct pool *pool = task->pool;
	struct keeper *home = task_lock_home(task);
	budget_rate_set(&task->budget, ns_per_s, clock_now_ns());
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	if (task->state != TASK_ENDED) {
		task_reservation_remove(task, home);
		task->reserved_ns = ns_per_s;
		task_reservation_add(task, home);
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
}

uint64_t
pool_task_turn_ns(const struct task *task)
{
	return atomic_load_explicit(&task->turn_ns, memory_order_relaxed);
}

uint64_t
pool_task_phase_ns(const struct task *task, uint64_t period_ns)
{
	const struct pool_options *options = &task->pool->options;
	return clockwork_phase_ns(task->phase_order, task->phase_keeper, options->worker_count, period_ns, options->slot_ns);
}

void
task_turn_begin(struct task *task)
{
	struct keeper *home = task_lock_home(task);
	clockwork_disarm(&home->clockwork, &task->due);
	task->state = TASK_RUNNING;
	task->wanted = false;
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
}

/* Its due time; its keeper is woken if it would sleep for longer. With the lock of its home held. */
static void
task_arm(struct task *task, struct keeper *home, uint64_t due_ns)
{
	clockwork_arm(&home->clockwork, &task->due, due_ns, clock_now_ns());
	if (clockwork_wake_ns(&home->clockwork) < atomic_load(&home->wake_ns))
		bell_ring(&home->bell);
}

/* With the lock of its home held. Once it is on the list it may be freed. */
static bool
task_end(struct task *task, struct keeper *home)
{
	struct pool *pool = task->pool;
	task->state = TASK_ENDED;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	*task->link = task->next;
	if (task->next)
		task->next->link = task->link;
	task_reservation_remove(task, home);
	flow_release(task->slot.flow);
	ring_push(&pool->ended, &task->job);
	bool tells = pool->done.count + pool->ended.count == 1;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return tells;
}

bool
task_settle(struct task *task, enum task_next next, uint64_t due_ns, uint64_t own_ns)
{
	bool tells = false;
	struct keeper *home = task_lock_home(task);
	task->state = TASK_IDLE;
	task->last_ns = own_ns;
	if (next == TASK_END) {
		tells = task_end(task, home);
	} else {
		if (next == TASK_AT)
			task_arm(task, home, due_ns);
		if (next == TASK_SOON || task->wanted)
			task_queue(task);
	}
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
	return tells;
}
