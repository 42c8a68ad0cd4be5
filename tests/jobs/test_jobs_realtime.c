/* The scheduling policy of a thread: its levels, and a share of a core with one. Skipped where this process may have none. */
#define _GNU_SOURCE /* SCHED_RESET_ON_FORK */
#include "base/clock.h"
#include "jobs/realtime.h"

#include <pthread.h>
#include <sched.h>
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels_are_one_above_the_other_and_not_inherited),
		cmocka_unit_test(test_a_share_that_is_spent_takes_the_level_away_until_there_is_some_again),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
