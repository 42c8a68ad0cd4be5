/* The bare wait: its due times, and that it counts each of them once, also those that it slept through. */
#include "client/load/bare_wait.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#define NS_PER_S UINT64_C(1000000000)
#define YEARS_500_S (UINT64_C(500) * 31557600)

static void
due_times_lie_on_slots_and_are_as_many_as_said(void **state)
{
	(void)state;
	static const uint64_t rates[] = { 1, 60, 1999, 2000, 18000, 60000, 999999999 }, slots[] = { 0, 250000, 500000 };
	for (unsigned r = 0; r < sizeof rates / sizeof rates[0]; r++) {
		for (unsigned s = 0; s < sizeof slots / sizeof slots[0]; s++) {
			const struct bare_wait_plan plan = { .rate_hz = rates[r], .slot_ns = slots[s] };
			uint64_t before_ns = 0;
			for (uint64_t k = 0; k < 5000; k++) {
				uint64_t due_ns = bare_wait_due_ns(&plan, k);
				assert_true(due_ns >= before_ns);
				assert_int_equal(slots[s] > 0 ? due_ns % slots[s] : 0, 0);
				before_ns = due_ns;
			}
			/* A second, and 500 years, have as many as the rate says. */
			assert_int_equal(bare_wait_due_ns(&plan, rates[r]), NS_PER_S);
			assert_true(bare_wait_due_ns(&plan, rates[r] - 1) < NS_PER_S);
			assert_true(bare_wait_due_ns(&plan, YEARS_500_S * rates[r]) == YEARS_500_S * NS_PER_S);
		}
	}
}

/* Whatever the machine does meanwhile: as many due times count as there were, within those at both ends, and no wait is
 * closer to the next than a slot. */
static void
each_due_time_counts(void **state)
{
	(void)state;
	const struct bare_wait_plan plan = { .rate_hz = 50000, .slot_ns = 500000 };
	const struct timespec span = { .tv_nsec = 200000000 };
	static struct bare_wait_result result;
	struct timespec before, after;
	do {
		assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &before), 0);
		struct bare_wait *wait = bare_wait_start(&plan);
		assert_non_null(wait);
		bare_wait_measure(wait, true);
		(void)nanosleep(&span, NULL);
		bare_wait_stop(wait, &result);
		assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &after), 0);
	} while (result.waits == 0); /* it was stopped before its thread began */
	double span_s = (double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9;
	/* It is stopped at the end of a wait: what was due by then, no more. */
	assert_true((double)result.late.count <= (span_s + 0.001) * 50000);
	assert_true((double)result.late.count >= 0.1 * 50000 - (double)result.late.most * 1e-9 * 50000);
	assert_true((double)result.waits <= (span_s + 0.001) * 2000 + 1);
	assert_false(result.realtime);
}

static void
nothing_counts_before_it_is_to_be_measured(void **state)
{
	(void)state;
	const struct bare_wait_plan plan = { .rate_hz = 1000 };
	const struct timespec span = { .tv_nsec = 10000000 };
	static struct bare_wait_result result;
	struct bare_wait *wait = bare_wait_start(&plan);
	assert_non_null(wait);
	(void)nanosleep(&span, NULL);
	bare_wait_stop(wait, &result);
	assert_int_equal(result.late.count, 0);
	bare_wait_stop(NULL, &result);
	assert_int_equal(result.late.count, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(due_times_lie_on_slots_and_are_as_many_as_said),
		cmocka_unit_test(each_due_time_counts),
		cmocka_unit_test(nothing_counts_before_it_is_to_be_measured),
	};
	return cmocka_run_group_tests_name("load/bare_wait", tests, NULL, NULL);
}
