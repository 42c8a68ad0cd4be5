/* How many lines of a kind are logged, with the time as an argument. */
#include "base/log_limit.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct log_limit limit;

static int
setup(void **state)
{
	(void)state;
	limit = (struct log_limit){ .count = 0 };
	return 0;
}

/* Asks so often; returns how often it may. */
static unsigned
take(const char *event, unsigned times, uint64_t now_ns)
{
	unsigned taken = 0;
	for (unsigned i = 0; i < times; i++)
		taken += log_limit_take(&limit, event, now_ns) ? 1 : 0;
	return taken;
}

static void
a_second_has_so_many_of_each_kind(void **state)
{
	(void)state;
	const uint64_t begin_ns = 5 * CLOCK_NS_PER_S;
	assert_int_equal(take("a", 100, begin_ns), LOG_LINES_PER_S_MAX);
	assert_int_equal(take("b", 3, begin_ns), 3);
	assert_int_equal(take("a", 1, begin_ns + CLOCK_NS_PER_S - 1), 0);
	assert_int_equal(take("a", 100, begin_ns + CLOCK_NS_PER_S), LOG_LINES_PER_S_MAX);
}

static void
what_was_left_out_is_told_once(void **state)
{
	(void)state;
	uint64_t count = 0;
	take("a", LOG_LINES_PER_S_MAX + 7, CLOCK_NS_PER_S);
	assert_null(log_limit_left_out(&limit, 2 * CLOCK_NS_PER_S - 1, &count)); /* the second is not over */
	assert_string_equal(log_limit_left_out(&limit, 2 * CLOCK_NS_PER_S, &count), "a");
	assert_int_equal(count, 7);
	assert_null(log_limit_left_out(&limit, 9 * CLOCK_NS_PER_S, &count));
}

static void
too_many_kinds_share_one(void **state)
{
	(void)state;
	static char names[2 * LOG_KINDS_MAX][8];
	unsigned taken = 0;
	for (unsigned i = 0; i < 2 * LOG_KINDS_MAX; i++) {
		snprintf(names[i], sizeof names[i], "k%u", i);
		taken += take(names[i], 1, CLOCK_NS_PER_S);
	}
	assert_int_equal(taken, LOG_KINDS_MAX - 1 + LOG_LINES_PER_S_MAX);
	uint64_t count = 0;
	assert_string_equal(log_limit_left_out(&limit, 9 * CLOCK_NS_PER_S, &count), "other");
	assert_int_equal(count, LOG_KINDS_MAX + 1 - LOG_LINES_PER_S_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_second_has_so_many_of_each_kind, setup),
		cmocka_unit_test_setup(what_was_left_out_is_told_once, setup),
		cmocka_unit_test_setup(too_many_kinds_share_one, setup),
	};
	return cmocka_run_group_tests_name("base/log_limit", tests, NULL, NULL);
}
