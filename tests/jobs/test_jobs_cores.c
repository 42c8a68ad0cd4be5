/* How many workers there are without --workers. */
#define _GNU_SOURCE
#include "jobs/cores.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void
quota_is_rounded_up_to_cores(void **state)
{
	(void)state;
	assert_int_equal(cores_of_quota("150000 100000\n"), 2);
	assert_int_equal(cores_of_quota("200000 100000\n"), 2);
	assert_int_equal(cores_of_quota("1000 100000\n"), 1);
	assert_int_equal(cores_of_quota("1600000 100000\n"), 16);
}

static void
no_quota_is_no_limit(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"max 100000\n", "", "100000", "0 100000", "100000 0", "-5 100000", "99999999999999 1"
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		assert_int_equal(cores_of_quota(texts[i]), 0);
}

static void
affinity_counts(void **state)
{
	(void)state;
	cpu_set_t all, one;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	assert_true(cores_usable() >= 1);
	assert_true(cores_usable() <= (uint32_t)CPU_COUNT(&all));
	CPU_ZERO(&one);
	for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
		if (CPU_ISSET(i, &all))
			CPU_SET(i, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(cores_usable(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quota_is_rounded_up_to_cores),
		cmocka_unit_test(no_quota_is_no_limit),
		cmocka_unit_test(affinity_counts),
	};
	return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}
