/* Tasks on a pool: a turn at a time, no want and no due time lost, jobs beside them end, whatever happens. Nothing here depends
 * on how long anything takes: each test waits for what must happen, or its time is over. */
#include "support/effort.h"
#include "support/long_case.h"
#include "task_pool.h"

#include <time.h>

/* ---- one task by itself */

enum { STEPS_MAX = 1000 };

/* Follows a script of what its turns say, then ends. */
struct scripted {
	struct task task; /* the first member */
	enum task_next script[STEPS_MAX];
	unsigned count, done;
	atomic_uint turns;
	atomic_bool inside;
	uint64_t due_ns; /* that it named last; 0: none */
	unsigned early;
	uint64_t wait_ns;
};

static enum task_next
scripted_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	overlaps += atomic_exchange(&scripted->inside, true);
	uint64_t now_ns = clock_now_ns();
	scripted->early += now_ns < scripted->due_ns;
	unsigned turn = scripted->turns;
	enum task_next next = turn < scripted->count ? scripted->script[turn] : TASK_END;
	scripted->due_ns = next == TASK_AT ? now_ns + scripted->wait_ns : 0;
	if (next == TASK_AT)
		*due_ns = scripted->due_ns;
	atomic_store(&scripted->inside, false);
	atomic_store(&scripted->turns, turn + 1);
	return next;
}

static void
scripted_done(struct job *job)
{
	struct scripted *scripted = (struct scripted *)(void *)((char *)job - offsetof(struct task, job));
	scripted->done++;
}

static void
scripted_init(struct scripted *scripted)
{
	*scripted = (struct scripted){ .task = { .run = scripted_run, .job = { .done = scripted_done } } };
}

static void
wait_turns(struct scripted *scripted, unsigned turns)
{
	while (atomic_load(&scripted->turns) < turns)
		rest_a_moment();
}

static void
a_task_has_a_turn_when_it_says(void **state)
{
	(void)state;
	static struct scripted scripted;
	for (unsigned slots = 0; slots < 2; slots++) {
		struct pool *pool = start(1, 1, slots * CLOCKWORK_SLOT_NS);
		scripted_init(&scripted);
		scripted.count = 200;
		scripted.wait_ns = 100 * US;
		for (unsigned i = 0; i < scripted.count; i++)
			scripted.script[i] = i % 3 == 0 ? TASK_SOON : TASK_AT;
		assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
		pool_task_reserve(&scripted.task, CLOCK_NS_PER_S / 2);
		take_back(pool, 1);
		assert_int_equal(scripted.turns, scripted.count + 1);
		assert_int_equal(scripted.early, 0);
		assert_int_equal(scripted.done, 1);
		struct turn_stats stats = { 0 };
		pool_turn_stats_add(pool, 0, &stats);
		assert_true(stats.turns > 0 && stats.turns + stats.beyond <= scripted.count);
		assert_int_equal(pool_stats(pool).tasks, 0);
		finish(pool, discard_none);
	}
}

/* What its due turns cost is told, once there were some. */
static enum task_next
measured_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	compute(clock_thread_ns, 100 * US);
	*due_ns = clock_now_ns() + 1000 * US;
	return ++scripted->turns == 100 ? TASK_END : TASK_AT;
}

static void
what_its_turns_cost_is_told(void **state)
{
	(void)state;
	static struct scripted scripted;
	struct pool *pool = start(1, 1, 0);
	scripted_init(&scripted);
	scripted.task.run = measured_run;
	assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
	assert_int_equal(pool_task_turn_ns(&scripted.task), 0);
	pool_task_reserve(&scripted.task, CLOCK_NS_PER_S / 2);
	take_back(pool, 1);
	assert_true(pool_task_turn_ns(&scripted.task) >= 100 * US);
	finish(pool, discard_none);
}

/* At rest nothing happens; each want brings a turn. */
static void
a_task_at_rest_is_woken_by_a_want(void **state)
{
	(void)state;
	static struct scripted scripted;
	struct pool *pool = start(2, 1, 0);
	scripted_init(&scripted);
	scripted.count = 300;
	for (unsigned i = 0; i < scripted.count; i++)
		scripted.script[i] = TASK_REST;
	assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
	for (unsigned i = 1; i <= scripted.count; i++) {
		wait_turns(&scripted, i);
		pool_task_want(&scripted.task);
	}
	take_back(pool, 1);
	assert_int_equal(scripted.turns, scripted.count + 1);
	finish(pool, discard_none);
}

/* It would wait for a day. */
static void
a_task_that_waits_is_woken_by_a_want(void **state)
{
	(void)state;
	static struct scripted scripted;
	struct pool *pool = start(1, 1, 0);
	scripted_init(&scripted);
	scripted.count = 100;
	scripted.wait_ns = 86400 * CLOCK_NS_PER_S;
	for (unsigned i = 0; i < scripted.count; i++)
		scripted.script[i] = TASK_AT;
	assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
	for (unsigned i = 1; i <= scripted.count; i++) {
		wait_turns(&scripted, i);
		pool_task_want(&scripted.task);
	}
	take_back(pool, 1);
	assert_int_equal(scripted.turns, scripted.count + 1);
	assert_int_equal(scripted.early, scripted.count);
	finish(pool, discard_none);
}

/* ---- beside jobs */

/* Runs until told, at checkpoints. */
struct endless {
	struct job job;
	atomic_bool *over;
	atomic_uint *running;
};

static void
run_endless(struct job *job)
{
	struct endless *endless = (struct endless *)job;
	atomic_fetch_add(endless->running, 1);
	while (!atomic_load(endless->over))
		pool_checkpoint();
}

static void
wait_quiet(struct pool *pool, uint64_t until_ns)
{
	while (!pool_is_quiet(pool, until_ns))
		rest_a_moment();
}

/* While a job runs it is not; nor beyond the next due time. */
static void
a_pool_is_quiet_until_something_is_due(void **state)
{
	(void)state;
	static struct scripted scripted;
	const uint64_t hour_ns = 3600 * CLOCK_NS_PER_S;
	atomic_bool over = false;
	atomic_uint running = 0;
	struct pool *pool = start(2, 2, CLOCKWORK_SLOT_NS);
	wait_quiet(pool, UINT64_MAX);
	struct endless endless = { { .run = run_endless }, &over, &running };
	assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, &endless.job), STATUS_OK);
	assert_false(pool_is_quiet(pool, 0));
	over = true;
	take_back(pool, 1);
	wait_quiet(pool, UINT64_MAX);
	scripted_init(&scripted);
	scripted.count = 1;
	scripted.wait_ns = 24 * hour_ns;
	scripted.script[0] = TASK_AT;
	assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
	wait_turns(&scripted, 1);
	/* Waits for ever if that never is so. Its keeper may wake and sleep again before it knows of the turn. */
	while (!pool_is_quiet(pool, clock_now_ns() + 23 * hour_ns) || pool_is_quiet(pool, clock_now_ns() + 25 * hour_ns))
		rest_a_moment();
	pool_task_want(&scripted.task);
	take_back(pool, 1);
	finish(pool, discard_none);
}

/* Jobs that never end hold all permits; a task's due turns come nevertheless, of class 1, and the jobs go on between them. */
static void
due_turns_go_before_jobs(void **state)
{
	(void)state;
	const unsigned due = (unsigned)effort(30, 100);
	static struct scripted scripted;
	for (unsigned workers = 1; workers <= 2; workers++) {
		struct endless endless[3];
		atomic_bool over = false;
		atomic_uint running = 0;
		struct pool *pool = start(workers, JOBS_MAX, CLOCKWORK_SLOT_NS);
		for (unsigned i = 0; i < 3; i++) {
			endless[i] = (struct endless){ { .run = run_endless }, &over, &running };
			assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, &endless[i].job), STATUS_OK);
		}
		while (running < 3)
			rest_a_moment();
		scripted_init(&scripted);
		scripted.count = due;
		scripted.wait_ns = 300 * US;
		for (unsigned i = 0; i < due; i++)
			scripted.script[i] = TASK_AT;
		assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
		pool_task_reserve(&scripted.task, CLOCK_NS_PER_S / 2);
		take_back(pool, 1);
		over = true;
		take_back(pool, 3);
		struct turn_stats turns = { 0 };
		for (unsigned i = 0; i < workers; i++)
			pool_turn_stats_add(pool, i, &turns);
		/* The first may be beyond what it has reserved so far. */
		assert_true(turns.turns >= due / 2);
		assert_true(pool_stats(pool).lent > 0);
		finish(pool, discard_none);
	}
}

/* A task without a reservation is never of class 1: its turns wait for their share, and come. */
static void
beyond_its_reservation_a_task_waits_in_the_fair_queue(void **state)
{
	(void)state;
	static struct scripted scripted;
	atomic_bool over = false;
	atomic_uint running = 0;
	struct pool *pool = start(1, 4, 0);
	struct endless endless = { { .run = run_endless }, &over, &running };
	assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, &endless.job), STATUS_OK);
	scripted_init(&scripted);
	scripted.count = 20;
	for (unsigned i = 0; i < scripted.count; i++)
		scripted.script[i] = TASK_AT;
	assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
	take_back(pool, 1);
	over = true;
	take_back(pool, 1);
	struct turn_stats turns = { 0 };
	pool_turn_stats_add(pool, 0, &turns);
	assert_int_equal(turns.turns, 0);
	assert_int_equal(turns.beyond, scripted.count);
	assert_true(pool_stats(pool).put_aside > 0);
	finish(pool, discard_none);
}

/* Its flow has next to no weight beside a job that never ends: by the fair queue it would get a turn in ten minutes. It costs
 * more than it has reserved, and still gets that. Ten turns, and until some were beyond it: where the machine pauses it has
 * time to save for more. */
static atomic_bool was_beyond;

static enum task_next
costly_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	pool_task_reserve(task, CLOCK_NS_PER_S / 100);
	compute(clock_thread_ns, 500 * US);
	*due_ns = clock_now_ns();
	return ++scripted->turns >= 10 && atomic_load(&was_beyond) ? TASK_END : TASK_AT;
}

static void
a_task_gets_what_it_reserved(void **state)
{
	(void)state;
	static struct scripted scripted;
	atomic_bool over = false;
	atomic_uint running = 0;
	struct turn_stats turns = { 0 };
	struct pool *pool = start(1, 4, 0);
	struct flow *heavy = pool_flow_create(pool, NULL, FAIR_WEIGHT_MAX), *light = pool_flow_create(pool, NULL, 1);
	struct endless endless = { { .run = run_endless }, &over, &running };
	was_beyond = false;
	scripted_init(&scripted);
	scripted.task.run = costly_run;
	assert_int_equal(pool_task_start(pool, &scripted.task, light), STATUS_OK);
	wait_turns(&scripted, 1);
	assert_int_equal(pool_submit(pool, heavy, POOL_LANE_FRESH, &endless.job), STATUS_OK);
	while (turns.turns == 0 || turns.beyond == 0) {
		rest_a_moment();
		turns = (struct turn_stats){ 0 };
		pool_turn_stats_add(pool, 0, &turns);
	}
	was_beyond = true;
	take_back(pool, 1);
	assert_int_equal(scripted.done, 1);
	over = true;
	take_back(pool, 1);
	pool_flow_release(heavy);
	pool_flow_release(light);
	finish(pool, discard_none);
}

/* A due turn that never ends holds the only permit; another task's due turns come nevertheless. */
static atomic_bool giant_over;

static enum task_next
giant_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	if (scripted->turns++ == 0) {
		pool_task_reserve(task, CLOCK_NS_PER_S / 10);
		*due_ns = clock_now_ns() + 1000 * US;
		return TASK_AT;
	}
	while (!atomic_load(&giant_over))
		pool_checkpoint();
	return TASK_END;
}

static void
a_turn_without_end_delays_no_other(void **state)
{
	(void)state;
	static struct scripted giant, small;
	struct pool *pool = start(1, 4, 0);
	giant_over = false;
	scripted_init(&giant);
	giant.task.run = giant_run;
	scripted_init(&small);
	small.count = 50;
	small.wait_ns = 200 * US;
	for (unsigned i = 0; i < small.count; i++)
		small.script[i] = TASK_AT;
	assert_int_equal(pool_task_start(pool, &giant.task, NULL), STATUS_OK);
	wait_turns(&giant, 2);
	assert_int_equal(pool_task_start(pool, &small.task, NULL), STATUS_OK);
	pool_task_reserve(&small.task, CLOCK_NS_PER_S / 10);
	take_back(pool, 1);
	assert_int_equal(small.done, 1);
	assert_int_equal(giant.done, 0);
	struct turn_stats turns = { 0 };
	giant_over = true;
	take_back(pool, 1);
	assert_int_equal(giant.done, 1);
	pool_turn_stats_add(pool, 0, &turns);
	assert_int_equal(turns.cut, 1);
	finish(pool, discard_none);
}

/* A turn of class 1 says that it will be long while another task's is due: on the only permit that goes before the rest. */
static struct scripted announced, other;
static atomic_uint other_before, other_after;

static enum task_next
other_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	if (scripted->turns++ > 0)
		return TASK_END;
	pool_task_reserve(task, CLOCK_NS_PER_S / 10);
	*due_ns = scripted->due_ns = clock_now_ns() + 20000 * US;
	return TASK_AT;
}

static enum task_next
announced_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	if (scripted->turns++ == 0) {
		pool_task_reserve(task, CLOCK_NS_PER_S / 10);
		*due_ns = other.due_ns - 10000 * US;
		return TASK_AT;
	}
	while (clock_now_ns() < other.due_ns)
		(void)nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL); /* without CPU time, by which it would be cut */
	other_before = atomic_load(&other.turns);
	pool_turn_is_long();
	other_after = atomic_load(&other.turns);
	return TASK_END;
}

static void
a_turn_that_says_it_is_long_goes_behind(void **state)
{
	(void)state;
	bool met = false;
	/* Until it is so: if the machine is busy the other's may have come first. */
	while (!met) {
		struct turn_stats turns = { 0 };
		struct pool *pool = start(1, 4, 0);
		scripted_init(&announced);
		scripted_init(&other);
		announced.task.run = announced_run;
		other.task.run = other_run;
		assert_int_equal(pool_task_start(pool, &other.task, NULL), STATUS_OK);
		wait_turns(&other, 1);
		assert_int_equal(pool_task_start(pool, &announced.task, NULL), STATUS_OK);
		take_back(pool, 2);
		pool_turn_stats_add(pool, 0, &turns);
		if (other_before == 1 && turns.cut == 1) {
			assert_int_equal(other_after, 2);
			met = true;
		}
		finish(pool, discard_none);
	}
}

/* After a turn of more than TASK_LONG_NS due turns are of class 2, though all of a core is reserved; after a short one they are
 * of class 1 again. */
static enum task_next
alternating_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	pool_task_reserve(task, CLOCK_NS_PER_S);
	compute(clock_thread_ns, scripted->turns % 2 == 0 ? TASK_LONG_NS + 100 * US : 0);
	*due_ns = clock_now_ns() + 20000 * US; /* so that its budget is never empty */
	return ++scripted->turns == 10 ? TASK_END : TASK_AT;
}

static void
a_task_with_long_turns_is_of_class_2(void **state)
{
	(void)state;
	static struct scripted scripted;
	struct turn_stats turns = { .turns = 0 };
	/* The first of ten is not due; the others are short and long in turn, the long ones of class 1 at first. Where others have
	 * the core for long within a turn, a short one is long, or a long one is over before it is cut: until there was none. */
	while (turns.beyond != 5 || turns.turns != 4 || turns.cut != 4) {
		struct pool *pool = start(1, 1, 0);
		turns = (struct turn_stats){ .turns = 0 };
		scripted_init(&scripted);
		scripted.task.run = alternating_run;
		assert_int_equal(pool_task_start(pool, &scripted.task, NULL), STATUS_OK);
		take_back(pool, 1);
		pool_turn_stats_add(pool, 0, &turns);
		finish(pool, discard_none);
	}
}

/* Turns of a group, all with one keeper, cost more than there is time, and the other keeper has nothing to do: it gets some.
 * Their clocks are never set back, so they are later and later until then. */
enum { MOVED = 8, MOVED_PERIOD_US = 10000, MOVED_COST_US = 1500 };

static enum task_next
heavy_run(struct task *task, uint64_t *due_ns)
{
	struct scripted *scripted = (struct scripted *)task;
	if (scripted->turns++ == 0) {
		pool_task_reserve(task, CLOCK_NS_PER_S / 5);
		scripted->due_ns = clock_now_ns();
	} else {
		compute(clock_now_ns, MOVED_COST_US * US);
	}
	*due_ns = scripted->due_ns += MOVED_PERIOD_US * US;
	return atomic_load(&giant_over) ? TASK_END : TASK_AT;
}

static void
a_keeper_that_is_late_for_long_gives_tasks_away(void **state)
{
	(void)state;
	static struct scripted heavy[MOVED];
	struct turn_stats turns[2];
	struct pool *pool = start(2, 2, CLOCKWORK_SLOT_NS);
	giant_over = false;
	for (unsigned i = 0; i < MOVED; i++) {
		scripted_init(&heavy[i]);
		heavy[i].task.run = heavy_run;
		assert_int_equal(pool_task_start(pool, &heavy[i].task, NULL), STATUS_OK);
	}
	do {
		rest_a_moment();
		for (unsigned i = 0; i < 2; i++) {
			turns[i] = (struct turn_stats){ 0 };
			pool_turn_stats_add(pool, i, &turns[i]);
		}
	} while (turns[0].moved == 0 || turns[1].turns == 0);
	giant_over = true;
	take_back(pool, MOVED);
	finish(pool, discard_none);
}

/* ---- bounds and ends */

static void
there_are_no_more_tasks_than_may_be(void **state)
{
	(void)state;
	static struct scripted all[TASKS_MAX + 1];
	struct pool *pool = start(1, 1, 0);
	for (unsigned i = 0; i < TASKS_MAX; i++) {
		scripted_init(&all[i]);
		all[i].script[0] = TASK_REST;
		all[i].count = i == 0 ? 0 : 1;
		assert_int_equal(pool_task_start(pool, &all[i].task, NULL), STATUS_OK);
	}
	scripted_init(&all[TASKS_MAX]);
	assert_int_equal(pool_task_start(pool, &all[TASKS_MAX].task, NULL), STATUS_RESOURCE_EXHAUSTED);
	/* One ends, and has been taken back: there is room for one. */
	take_back(pool, 1);
	assert_int_equal(all[0].done, 1);
	assert_int_equal(pool_task_start(pool, &all[TASKS_MAX].task, NULL), STATUS_OK);
	take_back(pool, 1);
	for (unsigned i = 1; i < TASKS_MAX; i++) {
		wait_turns(&all[i], 1);
		pool_task_want(&all[i].task);
	}
	take_back(pool, TASKS_MAX - 1);
	finish(pool, discard_none);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_task_has_a_turn_when_it_says),
		cmocka_unit_test(what_its_turns_cost_is_told),
		cmocka_unit_test(a_task_at_rest_is_woken_by_a_want),
		cmocka_unit_test(a_task_that_waits_is_woken_by_a_want),
		cmocka_unit_test(a_pool_is_quiet_until_something_is_due),
		cmocka_unit_test(due_turns_go_before_jobs),
		cmocka_unit_test(beyond_its_reservation_a_task_waits_in_the_fair_queue),
		long_case(a_task_gets_what_it_reserved),
		cmocka_unit_test(a_turn_without_end_delays_no_other),
		cmocka_unit_test(a_turn_that_says_it_is_long_goes_behind),
		cmocka_unit_test(a_task_with_long_turns_is_of_class_2),
		long_case(a_keeper_that_is_late_for_long_gives_tasks_away),
		cmocka_unit_test(there_are_no_more_tasks_than_may_be),
	};
	return cmocka_run_group_tests_name("jobs/tasks", tests, NULL, NULL);
}
