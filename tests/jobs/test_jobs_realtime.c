/* The scheduling policy of a thread: its levels, and a share of a core with one. Which thread of a pool has it. Skipped where
 * this process may have none. */
#define _GNU_SOURCE /* SCHED_RESET_ON_FORK, CPU_SET */
#include "base/clock.h"
#include "jobs/realtime.h"
#include "task_pool.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

/* The thread is busy for at most so long, by its own time: a share of half a core lasts for 50 ms. */
#define BUSY_NS_MAX UINT64_C(2000000000)

static int
policy_now(void)
{
	return sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
}

static int
priority_now(void)
{
	struct sched_param param;
	assert_int_equal(sched_getparam(0, &param), 0);
	return param.sched_priority;
}

static void
skip_unless_allowed(void)
{
	if (!realtime_is_allowed())
		skip();
}

static void *
note_policy(void *argument)
{
	*(int *)argument = policy_now();
	return NULL;
}

static void
test_levels_are_one_above_the_other_and_not_inherited(void **state)
{
	(void)state;
	skip_unless_allowed();
	assert_int_equal(policy_now(), SCHED_OTHER);
	assert_true(realtime_enter(REALTIME_LOW));
	assert_int_equal(policy_now(), SCHED_RR);
	const int low = priority_now();
	pthread_t thread;
	int policy = -1;
	assert_int_equal(pthread_create(&thread, NULL, note_policy, &policy), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(policy, SCHED_OTHER);
	assert_true(realtime_enter(REALTIME_HIGH));
	assert_true(priority_now() == low + 1 || priority_now() == low); /* where the limit is 1 */
	realtime_leave();
	assert_int_equal(policy_now(), SCHED_OTHER);
	assert_true(realtime_is_allowed());
	assert_int_equal(policy_now(), SCHED_OTHER);
}

/* Looks as a loop would, until the thread has the policy; false: not after so much work. */
static bool
busy_until(struct realtime_share *share, int policy)
{
	const uint64_t end_ns = clock_thread_ns() + BUSY_NS_MAX;
	while (policy_now() != policy) {
		if (clock_thread_ns() > end_ns)
			return false;
		realtime_share_look(share, clock_now_ns());
	}
	return true;
}

static void
sleep_ms(long ms)
{
	const struct timespec length = { .tv_nsec = ms * 1000000 };
	assert_int_equal(nanosleep(&length, NULL), 0);
}

static void
test_a_share_that_is_spent_takes_the_level_away_until_there_is_some_again(void **state)
{
	(void)state;
	skip_unless_allowed();
	struct realtime_share share = { 0 };
	/* Of one that was never begun nothing comes. */
	realtime_share_look(&share, clock_now_ns());
	assert_int_equal(policy_now(), SCHED_OTHER);

	realtime_share_begin(&share, clock_now_ns());
	sleep_ms(20);
	realtime_share_look(&share, clock_now_ns());
	assert_int_equal(policy_now(), SCHED_OTHER); /* no part was set */

	realtime_share_set(&share, UINT64_C(500000000), clock_now_ns());
	sleep_ms(100);
	realtime_share_look(&share, clock_now_ns());
	assert_int_equal(policy_now(), SCHED_RR);

	/* What it takes beyond half a core ends that. It does nothing else meanwhile, so it can be no later than by all of its
	 * time. */
	assert_true(busy_until(&share, SCHED_OTHER));
	assert_true(share.budget.left_ns <= 0);
	sleep_ms(200);
	realtime_share_look(&share, clock_now_ns());
	assert_int_equal(policy_now(), SCHED_RR);

	/* Less than it has: the level goes at the next look. */
	realtime_share_set(&share, 0, clock_now_ns());
	sleep_ms(20);
	realtime_share_look(&share, clock_now_ns());
	assert_int_equal(policy_now(), SCHED_OTHER);
}

/* Wakes up with the top level, and goes down after a stretch of work, or when it says so. Time is an argument. */
static void
a_share_has_the_top_level_for_short_stretches(void **state)
{
	(void)state;
	skip_unless_allowed();
	assert_true(realtime_enter(REALTIME_LOW));
	const int low = priority_now();
	assert_true(realtime_enter(REALTIME_TOP));
	const int top = priority_now();
	realtime_leave();
	if (top == low)
		skip(); /* the limit is 1 */

	struct realtime_share share = { 0 };
	uint64_t now_ns = clock_now_ns();
	realtime_share_begin(&share, now_ns);
	realtime_share_set(&share, UINT64_C(500000000), now_ns);
	realtime_share_look(&share, now_ns += UINT64_C(100000000));
	assert_int_equal(priority_now(), top);

	/* A short stretch, and a sleep that gives it back. */
	realtime_share_work(&share, now_ns);
	realtime_share_work(&share, now_ns += REALTIME_TOP_NS / 2);
	assert_int_equal(priority_now(), top);
	realtime_share_look(&share, now_ns);
	assert_int_equal(priority_now(), top);
	now_ns += REALTIME_TOP_NS;

	/* The whole of it, and a nanosecond. */
	realtime_share_work(&share, now_ns);
	realtime_share_work(&share, now_ns + REALTIME_TOP_NS);
	assert_int_equal(priority_now(), top);
	realtime_share_work(&share, now_ns += REALTIME_TOP_NS + 1);
	assert_int_equal(priority_now(), low);
	/* It slept for too short a time to have it again. */
	realtime_share_look(&share, now_ns);
	assert_int_equal(priority_now(), low);
	realtime_share_look(&share, now_ns += REALTIME_TOP_NS);
	assert_int_equal(priority_now(), top);

	/* Work in short pieces, with hardly a sleep between them, ends it, too. */
	unsigned pieces = 0;
	for (; priority_now() == top && pieces < 1000; pieces++) {
		realtime_share_work(&share, now_ns);
		realtime_share_look(&share, now_ns += REALTIME_TOP_NS / 10);
	}
	assert_int_equal(priority_now(), low);
	assert_true(pieces > 10 && pieces < 100);

	realtime_share_look(&share, now_ns += 2 * REALTIME_TOP_NS);
	assert_int_equal(priority_now(), top);
	realtime_share_lower(&share);
	assert_int_equal(priority_now(), low);
	realtime_leave();
}

static void
another_thread_is_given_a_level(void **state)
{
	(void)state;
	skip_unless_allowed();
	assert_int_equal(policy_now(), SCHED_OTHER);
	assert_true(realtime_give(pthread_self(), REALTIME_LOW));
	assert_int_equal(policy_now(), SCHED_RR);
	const int low = priority_now();
	assert_true(realtime_give(pthread_self(), REALTIME_HIGH));
	assert_true(priority_now() >= low);
	realtime_leave();
	assert_int_equal(policy_now(), SCHED_OTHER);
}

/* ---- of a pool, on one core */

/* CPU time that the busy thread has at most: it ends sooner, once the other task had its turn. */
#define HOG_NS UINT64_C(300000000)

struct one_turn {
	struct task task; /* the first member */
	atomic_uint turns;
	uint64_t due_ns;
};

static struct one_turn waiting, cut;
static sem_t cut_begins;
static bool was_in_time;

static void
on_done(struct job *job)
{
	(void)job;
}

static enum task_next
waiting_run(struct task *task, uint64_t *due_ns)
{
	if (atomic_fetch_add(&waiting.turns, 1) > 0)
		return TASK_END;
	pool_task_reserve(task, CLOCK_NS_PER_S / 10);
	*due_ns = waiting.due_ns = clock_now_ns() + 20000 * US;
	return TASK_AT;
}

/* Once the other task is due, and a thread waits that leaves the core to none but keepers. */
static enum task_next
cut_run(struct task *task, uint64_t *due_ns)
{
	if (atomic_fetch_add(&cut.turns, 1) == 0) {
		pool_task_reserve(task, CLOCK_NS_PER_S / 10);
		*due_ns = waiting.due_ns - 10000 * US;
		return TASK_AT;
	}
	while (clock_now_ns() < waiting.due_ns)
		(void)nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
	(void)sem_post(&cut_begins);
	pool_turn_is_long();
	return TASK_END;
}

static void *
hog_main(void *argument)
{
	(void)argument;
	bool entered = realtime_enter(REALTIME_LOW);
	(void)sem_wait(&cut_begins);
	while (atomic_load(&waiting.turns) < 2 && clock_thread_ns() < HOG_NS) {
	}
	was_in_time = entered && atomic_load(&waiting.turns) == 2;
	return NULL;
}

static void
one_core(const cpu_set_t *allowed)
{
	cpu_set_t one;
	size_t first = 0;
	while (!CPU_ISSET(first, allowed))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* A turn that is long stays with its thread, and another is the keeper from then on. What is due does not wait until that one
 * gets a core as an ordinary thread. */
static void
the_next_keeper_has_its_level_before_it_runs(void **state)
{
	cpu_set_t allowed;
	pthread_t hog;
	bool met = false;
	(void)state;
	skip_unless_allowed();
#ifdef __SANITIZE_THREAD__
	skip(); /* it has threads and locks of its own, which are ordinary: the core is not theirs while the test has it */
#endif
	assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
	assert_int_equal(sem_init(&cut_begins, 0, 0), 0);
	one_core(&allowed);
	with_realtime = true;
	/* Until it is so: if the machine is busy the other's turn may have come before the cut. */
	while (!met) {
		struct turn_stats turns = { 0 };
		waiting = (struct one_turn){ .task = { .run = waiting_run, .job.done = on_done } };
		cut = (struct one_turn){ .task = { .run = cut_run, .job.done = on_done } };
		assert_int_equal(pthread_create(&hog, NULL, hog_main, NULL), 0);
		struct pool *pool = start(1, 4, 0);
		assert_int_equal(pool_task_start(pool, &waiting.task, NULL), STATUS_OK);
		while (atomic_load(&waiting.turns) < 1)
			rest_a_moment();
		assert_int_equal(pool_task_start(pool, &cut.task, NULL), STATUS_OK);
		take_back(pool, 2);
		assert_int_equal(pthread_join(hog, NULL), 0);
		pool_turn_stats_add(pool, 0, &turns);
		met = turns.cut == 1;
		if (met)
			assert_true(was_in_time);
		finish(pool, discard_none);
	}
	assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
	with_realtime = false;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_are_one_above_the_other_and_not_inherited),
		cmocka_unit_test(test_a_share_that_is_spent_takes_the_level_away_until_there_is_some_again),
		cmocka_unit_test(a_share_has_the_top_level_for_short_stretches),
		cmocka_unit_test(another_thread_is_given_a_level),
		cmocka_unit_test(the_next_keeper_has_its_level_before_it_runs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
