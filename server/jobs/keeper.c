#include "jobs/keeper.h"

#include "base/check.h"
#include "base/clock.h"
#include "jobs/core_yield.h"
#include "jobs/cores.h"
#include "jobs/pool_private.h"
#include "jobs/realtime.h"

/* ---- when it wakes */

/* The earliest of all keepers, for those that run jobs meanwhile. Two at once may miss each other's: then a job lends its
 * permit a checkpoint later. */
static void
pool_note_due(struct pool *pool)
{
	uint64_t next_ns = CLOCKWORK_NEVER;
	for (unsigned i = 0; i < pool->keeper_count; i++) {
		uint64_t wake_ns = atomic_load_explicit(&pool->keepers[i].wake_ns, memory_order_relaxed);
		if (wake_ns != 0 && wake_ns < next_ns)
			next_ns = wake_ns;
	}
	atomic_store_explicit(&pool->next_due_ns, next_ns, memory_order_relaxed);
}

/* Called and returns with its lock held. */
static void
keeper_sleep(struct keeper *keeper, uint64_t until_ns, uint64_t now_ns)
{
	atomic_store(&keeper->wake_ns, until_ns);
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
	if (keeper->takes_permits)
		pool_note_due(keeper->pool);
	if (until_ns - now_ns > KEEPER_LEAD_NS)
		keeper_give_permit(keeper);
	(void)bell_wait(&keeper->bell, until_ns);
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	atomic_store(&keeper->wake_ns, 0);
}

/* Whether it must leave its core to others for a while. */
static bool
keeper_must_pause(struct keeper *keeper, uint64_t now_ns)
{
	struct pool *pool = keeper->pool;
	const struct share_others others = {
		.strict = !keeper->takes_permits,
		.wait = atomic_load(&pool->ready) > 0 || atomic_load(&pool->lent) > 0,
		.served_ns = atomic_load(&pool->served_ns),
	};
	if (now_ns < keeper->pause_ns)
		return true;
	keeper->pause_ns = share_window_pause_ns(&keeper->window, &others, now_ns);
	keeper->stats.pauses += keeper->pause_ns > now_ns;
	return keeper->pause_ns > now_ns;
}

/* ---- a turn */

static struct task *
task_of_due(struct due *due)
{
	return (struct task *)(void *)((char *)due - offsetof(struct task, due));
}

/* Takes a task that is due from the fair queue, where it may wait. False: a worker has it already. With the keeper's lock
 * held. */
static bool
keeper_claim(struct task *task)
{
	struct pool *pool = task->pool;
	if (task->state == TASK_IDLE)
		return true;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	bool waits = task->slot.state == SLOT_QUEUED;
	if (waits) {
		fair_remove(&task->slot.leaf);
		task->slot.state = SLOT_FREE;
		pool->queued_turns--;
		pool->ready--;
	}
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	return waits;
}

/* One that is due, but too long, or beyond its reservation: it waits in the fair queue. Of these the latter is looked at again
 * when it is within. */
static void
keeper_leave(struct keeper *keeper, struct task *task)
{
	struct pool *pool = keeper->pool;
	uint64_t ready_ns = budget_ready_ns(&task->budget);
	if (ready_ns != UINT64_MAX && task->last_ns <= TASK_LONG_NS)
		clockwork_arm_at(&keeper->clockwork, &task->due, task->due.due_ns, ready_ns);
	if (task->state != TASK_IDLE)
		return;
	keeper->stats.beyond++;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	struct waiter *called = task_push(task);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	waiter_signal(called);
}

/* The next task that is to have its turn now, which has begun; NULL: none is. With the keeper's lock held. */
static struct task *
keeper_next(struct keeper *keeper, uint64_t now_ns)
{
	struct due *due;
	while ((due = clockwork_take(&keeper->clockwork, now_ns))) {
		struct task *task = task_of_due(due);
		if (budget_left_ns(&task->budget, now_ns) <= 0 || task->last_ns > TASK_LONG_NS) {
			keeper_leave(keeper, task);
		} else if (keeper_claim(task)) {
			task->state = TASK_RUNNING;
			task->wanted = false;
			return task;
		}
	}
	return NULL;
}

/* A keeper other than this with room for so much more, in thousandths; NULL: none. Its use counts from now on. */
static struct keeper *
keeper_choose_other(struct keeper *keeper, unsigned more, uint64_t now_ns)
{
	struct pool *pool = keeper->pool;
	unsigned permille[POOL_WORKERS_MAX];
	for (unsigned i = 0; i < pool->keeper_count; i++) {
		struct keeper *other = &pool->keepers[i];
		CHECK(pthread_mutex_lock(&other->lock) == 0);
		balance_roll(&other->balance, now_ns);
		permille[i] = other->balance.permille;
		CHECK(pthread_mutex_unlock(&other->lock) == 0);
	}
	unsigned best = balance_choose(permille, pool->keeper_count, keeper->index, more);
	if (best == pool->keeper_count)
		return NULL;
	struct keeper *other = &pool->keepers[best];
	CHECK(pthread_mutex_lock(&other->lock) == 0);
	other->balance.permille += more;
	CHECK(pthread_mutex_unlock(&other->lock) == 0);
	return other;
}

/* Gives one of its tasks away, between two turns. Without locks. */
static void
keeper_move(struct keeper *keeper, struct task *task, uint64_t now_ns)
{
	struct pool *pool = keeper->pool;
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	unsigned more = balance_permille(task->reserved_ns);
	balance_give(&keeper->balance, now_ns); /* so that it is not asked again at once, whatever comes of it */
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
	struct keeper *other = keeper_choose_other(keeper, more, now_ns);
	if (!other)
		return;
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	keeper->stats.moved++;
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
	task_reservation_remove(task, keeper);
	task_reservation_add(task, other);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	atomic_store(&task->home, other);
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
}

/* A turn of class 1. */
struct due_turn {
	struct task *task;
	uint64_t was_due_ns, begun_ns, ended_ns; /* by the clock */
	enum task_next next;
	uint64_t due_ns; /* the next one */
};

/* The CPU time of the keeper's thread. To look at it costs more than a microsecond on a virtual machine, and turns take twenty.
 * So it is looked at when the keeper wakes, and after turns in which the thread may have lost its core. Between them it
 * runs as the clock does. */
static uint64_t
keeper_cpu_ns(const struct keeper *keeper, uint64_t now_ns)
{
	return keeper->cpu_ns + (now_ns - keeper->cpu_clock_ns);
}

static void
keeper_look_at_cpu(struct keeper *keeper, uint64_t now_ns)
{
	keeper->cpu_ns = clock_thread_ns();
	keeper->cpu_clock_ns = now_ns;
}

static void
keeper_begin(struct keeper *keeper, struct run *run, const struct due_turn *turn, uint64_t left_ns)
{
	run->begun_ns = run->charged_ns = run->looked_ns = keeper_cpu_ns(keeper, turn->begun_ns);
	run->looked_clock_ns = turn->begun_ns;
	run->turn_ns = left_ns + FAIR_QUANTUM_NS < TASK_LONG_NS ? left_ns + FAIR_QUANTUM_NS : TASK_LONG_NS;
	run->turn_clock_ns = turn->begun_ns + run->turn_ns;
}

/* What it cost its thread. */
static uint64_t
keeper_end(struct keeper *keeper, struct run *run, const struct due_turn *turn)
{
	uint64_t took_ns = turn->ended_ns - turn->begun_ns;
	if (took_ns < KEEPER_LOOK_NS)
		return took_ns;
	keeper_look_at_cpu(keeper, turn->ended_ns);
	run_measure_stretch(run, keeper->cpu_ns, 0);
	return keeper->cpu_ns > run->begun_ns ? keeper->cpu_ns - run->begun_ns : 0;
}

/* Turns that the average is of, about; those of the first moment, in cold caches, are none of it. */
#define TURNS_AVERAGED 64
#define TURNS_COLD 8

static void
turn_average(struct task *task, uint64_t cost_ns)
{
	if (task->turns_averaged < TURNS_COLD + TURNS_AVERAGED)
		task->turns_averaged++;
	if (task->turns_averaged <= TURNS_COLD)
		return;
	int64_t turn_ns = (int64_t)atomic_load_explicit(&task->turn_ns, memory_order_relaxed), cost = (int64_t)cost_ns;
	turn_ns += (cost - turn_ns) / (int64_t)(task->turns_averaged - TURNS_COLD);
	atomic_store_explicit(&task->turn_ns, (uint64_t)turn_ns, memory_order_relaxed);
}

/* Charges it to all that it is charged to. Whether the task is to be given away. Without locks. */
static bool
turn_charge(const struct due_turn *turn, uint64_t cost_ns, bool is_cut)
{
	struct task *task = turn->task;
	uint64_t late_ns = turn->begun_ns > turn->was_due_ns ? turn->begun_ns - turn->was_due_ns : 0;
	bool has_period = turn->next == TASK_AT && turn->due_ns > turn->was_due_ns;
	flow_owe(task->slot.flow, cost_ns);
	if (has_period)
		turn_average(task, cost_ns);
	struct keeper *home = task_lock_home(task);
	home->stats.turns++;
	home->stats.cut += is_cut;
	home->stats.cpu_ns += cost_ns;
	home->stats.late[lateness_step(late_ns)]++;
	budget_charge(&task->budget, cost_ns);
	balance_turn(&home->balance, late_ns, has_period ? turn->due_ns - turn->was_due_ns : CLOCKWORK_NEVER, cost_ns,
	             turn->ended_ns);
	bool moves = turn->next == TASK_AT && home->clockwork.heap.least && balance_is_late(&home->balance, turn->ended_ns);
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
	return moves;
}

/* One that was cut ends as a turn of class 2; this thread is the keeper no more. */
static void
turn_end_cut(const struct due_turn *turn, struct run *run)
{
	struct pool *pool = run->pool;
	(void)turn_charge(turn, run->class_1_ns, true);
	if (pool_run_end(run, turn->next, turn->due_ns))
		pool_tell(pool);
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
}

/* Makes the turn of a task that has begun. False: it was cut. Called with the lock of the task's home held, which is this
 * keeper or one that it helps; returns with its own, unless it was cut. */
static bool
keeper_run(struct keeper *keeper, struct keeper *home, struct task *task, struct waiter *waiter, uint64_t now_ns)
{
	struct run run = { .pool = keeper->pool, .slot = &task->slot, .waiter = waiter, .keeper = keeper };
	struct due_turn turn = { .task = task, .was_due_ns = task->due.due_ns, .begun_ns = now_ns };
	keeper_begin(keeper, &run, &turn, (uint64_t)task->budget.left_ns);
	CHECK(pthread_mutex_unlock(&home->lock) == 0);
	atomic_store_explicit(&keeper->turn_ns, now_ns, memory_order_relaxed);
	run_here = &run;
	turn.next = task->run(task, &turn.due_ns);
	run_here = NULL;
	turn.ended_ns = clock_now_ns();
	if (!run.keeper) {
		turn_end_cut(&turn, &run);
		return false;
	}
	atomic_store_explicit(&keeper->turn_ns, 0, memory_order_relaxed);
	uint64_t own_ns = keeper_end(keeper, &run, &turn);
	/* With real-time priority what it did not run the host took; without, others had the core, and class 2 would not have had
	 * it either. */
	uint64_t used_ns = keeper->takes_permits ? own_ns : turn.ended_ns - now_ns;
	share_window_charge(&keeper->window, turn.ended_ns - used_ns, turn.ended_ns);
	bool moves = turn_charge(&turn, own_ns + task->slot.helped_ns, false);
	task->slot.helped_ns = 0;
	if (moves)
		keeper_move(home, task, turn.ended_ns);
	if (task_settle(task, turn.next, turn.due_ns, own_ns))
		keeper->pool->options.wake(keeper->pool->options.context);
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	return true;
}

/* ---- help */

/* Whether it does not come on: by what it last told, without its lock. */
static bool
keeper_is_stuck(const struct keeper *keeper, uint64_t now_ns)
{
	uint64_t turn_ns = atomic_load_explicit(&keeper->turn_ns, memory_order_relaxed);
	uint64_t wake_ns = atomic_load_explicit(&keeper->wake_ns, memory_order_relaxed);
	return (turn_ns != 0 && now_ns > turn_ns + KEEPER_STUCK_NS) ||
	       (wake_ns != 0 && wake_ns < CLOCKWORK_NEVER - KEEPER_STUCK_NS && now_ns > wake_ns + KEEPER_STUCK_NS);
}

/* A turn that is due to a keeper that is stuck, with the lock of that held; NULL: there is none, and no lock is held. Called
 * without locks. */
static struct task *
keeper_take_from_other(const struct keeper *keeper, struct keeper **home, uint64_t now_ns)
{
	struct pool *pool = keeper->pool;
	for (unsigned i = 1; i < pool->options.worker_count; i++) {
		struct keeper *other = &pool->keepers[(keeper->index + i) % pool->options.worker_count];
		if (!keeper_is_stuck(other, now_ns) || pthread_mutex_trylock(&other->lock) != 0)
			continue;
		struct task *task = keeper_next(other, now_ns);
		if (task) {
			*home = other;
			return task;
		}
		CHECK(pthread_mutex_unlock(&other->lock) == 0);
	}
	return NULL;
}

/* Turns, one after the other, while some are due to it; then those of others that are stuck. False: as keeper_run. */
static bool
keeper_work(struct keeper *keeper, struct waiter *waiter)
{
	while (!atomic_load_explicit(&keeper->pool->stopping, memory_order_relaxed)) {
		uint64_t now_ns = clock_now_ns();
		struct keeper *home = keeper;
		struct task *task = NULL;
		bool has_due = clockwork_is_due(&keeper->clockwork, now_ns);
		if (keeper_must_pause(keeper, now_ns))
			return true;
		if (has_due) {
			task = keeper_next(keeper, now_ns);
		} else {
			CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
			task = keeper_take_from_other(keeper, &home, now_ns);
			if (!task)
				CHECK(pthread_mutex_lock(&keeper->lock) == 0);
		}
		if (task && !keeper_run(keeper, home, task, waiter, now_ns))
			return false;
		if (!task && !has_due)
			return true;
	}
	return true;
}

/* Called with its lock held; returns without it. */
static void
keeper_live(struct keeper *keeper, struct waiter *waiter)
{
	while (!atomic_load(&keeper->pool->stopping)) {
		uint64_t now_ns = clock_now_ns(), wake_ns = clockwork_wake_ns(&keeper->clockwork);
		if (wake_ns <= now_ns && keeper_must_pause(keeper, now_ns))
			wake_ns = keeper->pause_ns;
		if (wake_ns > now_ns) {
			keeper_sleep(keeper, wake_ns, now_ns);
			continue;
		}
		clockwork_wake(&keeper->clockwork, now_ns);
		CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
		keeper_get_permit(keeper);
		CHECK(pthread_mutex_lock(&keeper->lock) == 0);
		keeper_look_at_cpu(keeper, clock_now_ns());
		if (!keeper_work(keeper, waiter))
			return;
		CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
		keeper_give_permit(keeper);
		CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	}
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
	keeper_give_permit(keeper);
}

void
keeper_main(struct keeper *keeper, struct waiter *waiter)
{
	struct pool *pool = keeper->pool;
	CHECK(pthread_mutex_unlock(&pool->lock) == 0);
	bell_sharpen();
	bool has_core = false;
	if (pool->options.realtime) {
		uint32_t cores = cores_allowed();
		has_core = pool->options.worker_count >= cores && cores_pin(keeper->index % cores);
		(void)realtime_enter(REALTIME_HIGH); /* it was asked at the start whether it may */
	}
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	keeper->has_core = has_core;
	keeper_live(keeper, waiter);
	CHECK(pthread_mutex_lock(&pool->lock) == 0);
}

void
pool_turn_stats_add(struct pool *pool, unsigned index, struct turn_stats *sum)
{
	CHECK(index < pool->options.worker_count);
	if (!pool->keepers)
		return;
	struct keeper *keeper = &pool->keepers[index];
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	const struct turn_stats *stats = &keeper->stats;
	sum->turns += stats->turns;
	sum->cpu_ns += stats->cpu_ns;
	sum->beyond += stats->beyond;
	sum->cut += stats->cut;
	sum->pauses += stats->pauses;
	sum->moved += stats->moved;
	for (unsigned i = 0; i < LATENESS_COUNTERS; i++)
		sum->late[i] += stats->late[i];
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
}

/* What its turns have taken since this was last asked; whether it has a core. */
static uint64_t
keeper_cpu_since(struct keeper *keeper, bool *has_core)
{
	CHECK(pthread_mutex_lock(&keeper->lock) == 0);
	uint64_t since_ns = keeper->stats.cpu_ns - keeper->seen_cpu_ns;
	keeper->seen_cpu_ns = keeper->stats.cpu_ns;
	*has_core = keeper->has_core;
	CHECK(pthread_mutex_unlock(&keeper->lock) == 0);
	return since_ns;
}

static uint64_t
left_of(uint64_t most_ns, uint64_t used_ns)
{
	return used_ns < most_ns ? most_ns - used_ns : 0;
}

uint64_t
pool_cores_left_ns(struct pool *pool, uint64_t most_ns)
{
	unsigned count = pool->keepers ? pool->options.worker_count : 0, cores = cores_allowed();
	uint64_t left_ns = 0, all_ns = 0;
	bool all_have = count > 0;
	for (unsigned core = 0; core < cores; core++) {
		uint64_t core_ns = 0;
		for (unsigned i = core; i < count; i += cores) {
			bool has_core;
			core_ns += keeper_cpu_since(&pool->keepers[i], &has_core);
			all_have = all_have && has_core;
		}
		left_ns += left_of(most_ns, core_ns);
		all_ns += core_ns;
	}
	left_ns = all_have ? left_ns : left_of(most_ns, all_ns);
	return left_ns < most_ns ? left_ns : most_ns;
}
