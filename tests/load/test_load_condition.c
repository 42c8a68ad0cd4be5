/* Conditions of --assert: what is taken, what is refused and with which words, and what holds. */
#include "client/load/condition.h"

#include "support/assert_double.h"

#include <stdlib.h>
#include <string.h>

static struct condition
parsed(const char *text)
{
	static struct conditions conditions;
	char problem[400];
	conditions.count = 0;
	if (!conditions_parse(text, &conditions, problem, sizeof problem))
		fail_msg("%s: %s", text, problem);
	assert_int_equal(conditions.count, 1);
	return conditions.each[0];
}

static void
figures_orders_and_units_are_read(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum condition_figure figure;
		enum condition_of of;
		uint32_t millionths;
		enum condition_order order;
		double limit;
	} cases[] = {
		{ "p99<5ms", FIGURE_QUANTILE, OF_RESPONSE, 990000, ORDER_LESS, 5e6 },
		{ "p50<=250us", FIGURE_QUANTILE, OF_RESPONSE, 500000, ORDER_LESS_EQUAL, 250e3 },
		{ "service.p99.999 < .5 s", FIGURE_QUANTILE, OF_SERVICE, 999990, ORDER_LESS, 5e8 },
		{ "response.p99.99>1us", FIGURE_QUANTILE, OF_RESPONSE, 999900, ORDER_GREATER, 1e3 },
		{ "ping.p99.9<=2ms", FIGURE_QUANTILE, OF_PING, 999000, ORDER_LESS_EQUAL, 2e6 },
		{ "ping.service.p90>=2ms", FIGURE_QUANTILE, OF_PING_SERVICE, 900000, ORDER_GREATER_EQUAL, 2e6 },
		{ "max<1s", FIGURE_MOST, OF_RESPONSE, 0, ORDER_LESS, 1e9 },
		{ "min>1us", FIGURE_LEAST, OF_RESPONSE, 0, ORDER_GREATER, 1e3 },
		{ "service.mean<1.5ms", FIGURE_MEAN, OF_SERVICE, 0, ORDER_LESS, 1.5e6 },
		{ "rate>=1e3", FIGURE_RATE, OF_RESPONSE, 0, ORDER_GREATER_EQUAL, 1000 },
		{ "errors<1", FIGURE_ERRORS, OF_RESPONSE, 0, ORDER_LESS, 1 },
		{ "unfinished<=0", FIGURE_UNFINISHED, OF_RESPONSE, 0, ORDER_LESS_EQUAL, 0 },
		{ "knee>500", FIGURE_KNEE, OF_RESPONSE, 0, ORDER_GREATER, 500 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct condition condition = parsed(cases[i].text);
		assert_int_equal(condition.figure, cases[i].figure);
		assert_int_equal(condition.of, cases[i].of);
		assert_int_equal(condition.millionths, cases[i].millionths);
		assert_int_equal(condition.order, cases[i].order);
		assert_true(condition.limit <= cases[i].limit * (1 + 1e-15) && condition.limit >= cases[i].limit * (1 - 1e-15));
	}
	struct conditions *several = calloc(1, sizeof *several);
	char problem[400];
	assert_non_null(several);
	assert_true(conditions_parse("p99 < 5ms, rate>1,\terrors<1", several, problem, sizeof problem));
	assert_true(conditions_parse("max<1s", several, problem, sizeof problem));
	assert_int_equal(several->count, 4);
	assert_string_equal(several->each[0].text, "p99<5ms");
	assert_string_equal(several->each[3].text, "max<1s");
	free(several);
}

/* Every refusal names the part that is wrong. */
static void
what_is_wrong_is_named(void **state)
{
	(void)state;
	static const struct {
		const char *text, *part, *why;
	} cases[] = {
		{ "p98<5ms", "\"p98\"", "no such figure" },
		{ "<5ms", "\"\"", "no such figure" },
		{ "p99", "\"\"", "must be < <= >" },
		{ "p99=5ms", "\"=5ms\"", "must be < <= >" },
		{ "p99==5ms", "\"==5ms\"", "must be < <= >" },
		{ "p99<", "\"\"", "a number must follow" },
		{ "p99<five", "\"five\"", "a number must follow" },
		{ "p99<-1ms", "\"-1ms\"", "a number must follow" },
		{ "p99<nan", "\"nan\"", "a number must follow" },
		{ "p99<1e999ms", "\"1e999ms\"", "too large" },
		{ "p99<5", "\"5\"", "needs its unit" },
		{ "p99<5m", "\"5m\"", "us, ms or s" },
		{ "p99<5msx", "\"5msx\"", "us, ms or s" },
		{ "rate>5ms", "\"5ms\"", "no unit" },
		{ "errors<1%", "\"1%\"", "no unit" },
		{ "service.rate>5", "\"service.rate\"", "no such figure" },
		{ "service.<5ms", "\"service.\"", "no such figure" },
		{ "p99<5ms,", "", "empty" },
		{ "p99<5ms,,max<1s", "", "empty" },
		{ "", "", "empty" },
		{ "p99<5ms,max<1q", "\"1q\"", "us, ms or s" },
		{ "p99<0000000000000000000000000000000000000000000000000000000000000001ms", "\"p99<00", "at most 63" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		static struct conditions conditions;
		char problem[400] = "";
		conditions.count = 0;
		assert_false(conditions_parse(cases[i].text, &conditions, problem, sizeof problem));
		if (!strstr(problem, cases[i].part) || !strstr(problem, cases[i].why))
			fail_msg("%s: %s", cases[i].text, problem);
	}
}

/* Response times 1..1000 ms, service times a tenth, of pings a hundredth. */
static struct load_result *
result_made(void)
{
	struct load_result *result = load_result_create();
	assert_non_null(result);
	for (uint64_t i = 1; i <= 1000; i++) {
		histogram_add(&result->latency.response, i * 1000000);
		histogram_add(&result->latency.service, i * 100000);
		histogram_add(&result->ping.response, i * 10000);
		histogram_add(&result->ping.service, i * 1000);
	}
	result->seconds = 4;
	result->scheduled = 1010;
	result->completed = 1000;
	result->ended = 1002;
	result->failed = 7;
	result->unfinished = 3;
	return result;
}

static void
conditions_are_held_against_the_result(void **state)
{
	(void)state;
	struct load_result *result = result_made();
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "p50<501ms", true },
		{ "p50<500ms", false },
		{ "p99.9>998ms", true },
		{ "p99.9>1000ms", false },
		{ "service.p99<100ms", true },
		{ "service.p99<90ms", false },
		{ "ping.p99<10ms", true },
		{ "ping.p99<9ms", false },
		{ "ping.service.max<=1ms", true },
		{ "ping.service.max<1ms", false },
		{ "min>=1ms", true },
		{ "min>1ms", false },
		{ "mean<=500.5ms", true },
		{ "mean<500.5ms", false },
		{ "max<=1s", true },
		{ "max<1s", false },
		{ "rate>=250.5", true },
		{ "rate>250.5", false },
		{ "errors<=7", true },
		{ "errors<7", false },
		{ "unfinished>2", true },
		{ "unfinished<3", false },
		{ "knee>=40", true },
		{ "knee>40", false },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct condition condition = parsed(cases[i].text);
		struct condition_outcome outcome = condition_check(&condition, result, 40);
		assert_true(outcome.measured);
		if (outcome.holds != cases[i].holds)
			fail_msg("%s with %g", cases[i].text, outcome.value);
	}
	load_result_destroy(result);
}

static void
what_was_not_measured_does_not_hold(void **state)
{
	(void)state;
	struct load_result *result = load_result_create();
	static const char *const texts[] = { "p99<5ms", "service.max<1s", "ping.p99<1s", "min>=0us",
		                                 "rate>=0", "knee>=0",        "errors<1" };
	assert_non_null(result);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct condition condition = parsed(texts[i]);
		struct condition_outcome outcome = condition_check(&condition, result, 0);
		assert_false(outcome.measured || outcome.holds);
	}
	load_result_destroy(result);
}

static void
values_are_told_with_their_units(void **state)
{
	(void)state;
	char text[64];
	struct condition condition = parsed("p99<5ms");
	condition_value_format(&condition, 7215000, text, sizeof text);
	assert_string_equal(text, "7.215 ms");
	condition = parsed("rate>5");
	condition_value_format(&condition, 1204.26, text, sizeof text);
	assert_string_equal(text, "1204/s");
	condition = parsed("errors<1");
	condition_value_format(&condition, 3, text, sizeof text);
	assert_string_equal(text, "3");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_orders_and_units_are_read),      cmocka_unit_test(what_is_wrong_is_named),
		cmocka_unit_test(conditions_are_held_against_the_result), cmocka_unit_test(what_was_not_measured_does_not_hold),
		cmocka_unit_test(values_are_told_with_their_units),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
