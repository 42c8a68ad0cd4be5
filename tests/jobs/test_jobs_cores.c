/* How many workers there are without --workers. */
#define _GNU_SOURCE
#include "jobs/cores.h"

#include <pthread.h>
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

static void *
count_cores(void *argument)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof set, &set) == 0)
		*(unsigned *)argument = (unsigned)CPU_COUNT(&set);
	return NULL;
}

/* Each index is another core, also for the threads that a pinned one creates. */
static void *
pin_to_each(void *argument)
{
	cpu_set_t seen, set;
	const uint32_t cores = cores_allowed();
	unsigned *wrong = argument;
	CPU_ZERO(&seen);
	for (uint32_t i = 0; i < cores; i++) {
		pthread_t thread;
		unsigned count = 0;
		*wrong += !cores_pin(i) || sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1;
		CPU_OR(&seen, &seen, &set);
		*wrong += pthread_create(&thread, NULL, count_cores, &count) != 0 || pthread_join(thread, NULL) != 0 || count != 1;
		*wrong += cores_allowed() != cores;
	}
	*wrong += (uint32_t)CPU_COUNT(&seen) != cores;
	*wrong += cores_pin(cores) || cores_pin(UINT32_MAX);
	cores_unpin();
	*wrong += sched_getaffinity(0, sizeof set, &set) != 0 || !CPU_EQUAL(&set, &seen);
	return NULL;
}

/* By another thread than the first, as which cores there are is asked of that. */
static void
a_thread_is_pinned_and_free_again(void **state)
{
	(void)state;
	pthread_t thread;
	unsigned wrong = 0;
	assert_int_equal(pthread_create(&thread, NULL, pin_to_each, &wrong), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(wrong, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quota_is_rounded_up_to_cores),
		cmocka_unit_test(no_quota_is_no_limit),
		cmocka_unit_test(affinity_counts),
		cmocka_unit_test(a_thread_is_pinned_and_free_again),
	};
	return cmocka_run_group_tests_name("cores", tests, NULL, NULL);
}
