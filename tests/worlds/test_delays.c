/* Counters of delays: each delay is counted below a bound that is at most a sixteenth too high, and bounds ascend. */
#include "worlds/registry/delay_counts.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <string.h>

static void
check_delay(uint64_t delay_ns)
{
	size_t counter = delay_counter(delay_ns);
	assert_true(counter < DELAY_COUNTERS);
	uint64_t below_ns = delay_below_ns(counter);
	if (delay_ns >= UINT64_C(1) << (DELAY_OCTAVE_LAST + 1)) {
		assert_int_equal(counter, DELAY_COUNTERS - 1);
		return;
	}
	assert_true(delay_ns < below_ns);
	assert_true(delay_ns < 1024 || 16 * (below_ns - delay_ns) <= delay_ns);
	/* By search: no smaller bound is above it. */
	size_t least = 0;
	while (delay_below_ns(least) <= delay_ns)
		least++;
	assert_int_equal(counter, least);
}

static void
bounds_hold(void **state)
{
	uint64_t random = 7;
	(void)state;
	for (size_t counter = 0; counter + 1 < DELAY_COUNTERS; counter++) {
		assert_true(delay_below_ns(counter) < delay_below_ns(counter + 1));
		check_delay(delay_below_ns(counter) - 1);
		check_delay(delay_below_ns(counter));
	}
	for (unsigned bits = 1; bits < 64; bits++)
		for (int i = 0; i < 200; i++)
			check_delay(random_bits(&random) >> (64 - bits));
	check_delay(0);
	check_delay(UINT64_MAX);
}

static void
rows_without_counts_are_left_out(void **state)
{
	struct delay_counts counts;
	uint64_t below_ns[DELAY_COUNTERS], count[DELAY_COUNTERS];
	(void)state;
	memset(&counts, 0, sizeof counts);
	assert_int_equal(delay_counts_list(&counts, below_ns, count), 0);
	counts.count[delay_counter(5000)] = 3;
	counts.count[delay_counter(100)] = 2;
	counts.count[DELAY_COUNTERS - 1] = 1;
	assert_int_equal(delay_counts_list(&counts, below_ns, count), 3);
	assert_int_equal(below_ns[0], 1024);
	assert_int_equal(count[0], 2);
	assert_in_range(below_ns[1], 5001, 5312);
	assert_int_equal(count[1], 3);
	assert_int_equal(below_ns[2], UINT64_C(1) << 37);
	assert_int_equal(count[2], 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_hold),
		cmocka_unit_test(rows_without_counts_are_left_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
