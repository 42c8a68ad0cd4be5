/* What may be spent a second: a burst of a second, and then exactly as much as time brings, however often it is asked. Against
 * exact fractions. */
#include "worlds/rate.h"

#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define NS_PER_S UINT64_C(1000000000)

/* Takes one as often as it may, asking each `step_ns`; returns how many in so many seconds after the burst. */
static uint64_t
taken(uint64_t per_s, uint64_t step_ns, uint64_t seconds)
{
	struct rate rate = { .left = 0 };
	uint64_t now_ns = 5 * NS_PER_S, count = 0;

	while (rate_take(&rate, per_s, 1, now_ns))
		continue;
	for (const uint64_t end_ns = now_ns + seconds * NS_PER_S; now_ns < end_ns;) {
		now_ns += step_ns;
		while (rate_take(&rate, per_s, 1, now_ns))
			count++;
	}
	return count;
}

/* A sender that is steady gets its rate: not less because fractions are dropped each time, and never more. */
static void
test_a_steady_sender_gets_its_rate(void **state)
{
	static const uint64_t rates[] = { 1, 7, 60, 100, 120, 1000, 4096 };
	static const uint64_t steps_ns[] = { 250000, 1000000, 4166667, 8333333, 16666667, 33333333, 100000000 };

	(void)state;
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		for (size_t k = 0; k < sizeof steps_ns / sizeof *steps_ns; k++) {
			const uint64_t count = taken(rates[i], steps_ns[k], 20);
			/* What comes in the last step may be a step late. */
			const uint64_t step = rates[i] * steps_ns[k] / NS_PER_S + 1;
			assert_in_range(count, 20 * rates[i] - step, 20 * rates[i] + step);
		}
}

/* At random times and amounts: in no span is more given than a burst and what the span brings. */
static void
test_never_more_than_a_burst_and_the_time(void **state)
{
	uint64_t random = 5;

	(void)state;
	for (int run = 0; run < 200; run++) {
		const uint64_t per_s = 1 + random_below(&random, 5000);
		struct rate rate = { .left = 0 };
		const uint64_t begin_ns = 3 * NS_PER_S;
		uint64_t now_ns = begin_ns, given = 0;

		for (int i = 0; i < 500; i++) {
			const uint64_t amount = 1 + random_below(&random, 20);
			given += rate_take(&rate, per_s, amount, now_ns) ? amount : 0;
			/* given <= per_s (1 + time) */
			assert_true((long double)given <= (long double)per_s * (1 + (long double)(now_ns - begin_ns) / 1e9L));
			now_ns += random_below(&random, 40000000);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_steady_sender_gets_its_rate),
		cmocka_unit_test(test_never_more_than_a_burst_and_the_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
