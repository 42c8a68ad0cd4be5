/* What `collide bench` makes of a result: warnings, weights, axes, and reports that hold together whatever is in them. */
#include "client/cli/bench/bench_report.h"
#include "client/cli/bench/bench_scenes.h"
#include "client/cli/bench/bench_warn.h"
#include "client/cli/bench/plot.h"

#include "support/assert_double.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void
weights_follow_the_last_colon(void **state)
{
	(void)state;
	static const struct {
		const char *operand;
		size_t length;
		uint64_t weight;
	} cases[] = { { "a.json", 6, 1 }, { "a.json:3", 6, 3 }, { "a.json:10000", 6, 10000 },
		          { "a:b", 3, 1 },    { "a:2:5", 3, 5 },    { "a:", 2, 1 },
		          { ":5", 2, 1 },     { "a:5x", 4, 1 } };
	size_t length;
	uint64_t weight;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		assert_true(scene_weight_parse(cases[i].operand, &length, &weight));
		assert_int_equal(length, cases[i].length);
		assert_int_equal(weight, cases[i].weight);
	}
	assert_false(scene_weight_parse("a.json:0", &length, &weight));
	assert_false(scene_weight_parse("a.json:10001", &length, &weight));
	assert_false(scene_weight_parse("a.json:99999999999999999999", &length, &weight));
}

static struct bench_warnings
warnings_of(double rate, double busy, double no_core, uint64_t late_ns, uint64_t response_ns)
{
	struct load_result *result = load_result_create();
	const struct load_plan plan = { .rate = rate };
	struct bench_warnings warnings;
	assert_non_null(result);
	result->generator.busy = busy;
	result->generator.no_core = no_core;
	for (int i = 0; i < 1000; i++) {
		histogram_add(&result->generator.late, late_ns);
		histogram_add(&result->latency.response, response_ns);
	}
	bench_warn(&plan, result, &warnings);
	load_result_destroy(result);
	return warnings;
}

static void
the_generator_tells_of_itself(void **state)
{
	(void)state;
	assert_int_equal(warnings_of(100, 0.5, 0.05, 100000, 5000000).count, 0);
	assert_int_equal(warnings_of(100, 0.5, -1, 100000, 5000000).count, 0);
	struct bench_warnings warnings = warnings_of(0, 0.97, 0, 0, 5000000);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.texts[0], "busy 97 %"));
	warnings = warnings_of(0, 0.5, 0.25, 0, 5000000);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.texts[0], "waited for a core 25 %"));
	/* 4 of 5 ms of the tail are its own; in the closed model there is no such figure. */
	warnings = warnings_of(100, 0.5, 0, 4000000, 5000000);
	assert_int_equal(warnings.count, 1);
	assert_non_null(strstr(warnings.texts[0], "4.0 ms late"));
	assert_int_equal(warnings_of(0, 0.5, 0, 4000000, 5000000).count, 0);
	/* Below a millisecond it is the clock's grain. */
	assert_int_equal(warnings_of(100, 0.5, 0, 900000, 1000000).count, 0);
}

static void
axes_hold_their_values_with_round_ends(void **state)
{
	(void)state;
	for (double value = 1e-3; value < 1e7; value *= 1.37) {
		struct plot_axis linear = plot_axis_for("x", PLOT_LINEAR, 0, value),
						 logarithm = plot_axis_for("x", PLOT_LOG, value / 7, value);
		assert_true(linear.least == 0 && linear.most >= value * (1 - 1e-9) && linear.most <= value * 2);
		assert_true(logarithm.least <= value / 7 * (1 + 1e-9) && logarithm.most >= value * (1 - 1e-9));
		assert_double_near(log10(logarithm.least), round(log10(logarithm.least)), 1e-9);
		assert_true(logarithm.most > logarithm.least);
	}
	assert_double_near(plot_axis_for("x", PLOT_NINES, 0, 0.9995).most, 0.9999, 1e-12);
	assert_double_near(plot_axis_for("x", PLOT_NINES, 0, 0.5).most, 0.99, 1e-12);
	assert_true(plot_axis_for("x", PLOT_NINES, 0, 1).most < 1);
	assert_true(plot_axis_for("x", PLOT_LINEAR, 0, 0).most > 0);
	struct plot_axis nothing = plot_axis_for("x", PLOT_LOG, 0, 0);
	assert_true(nothing.least > 0 && nothing.most > nothing.least);
}

/* An outcome of nothing, or of `count` requests, of a scene with a name that is hard to print. */
static struct bench_outcome *
outcome_made(struct bench_options *options, uint64_t count)
{
	struct bench_outcome *outcome = calloc(1, sizeof *outcome);
	assert_non_null(outcome);
	options->plan = (struct load_plan){
		.address = "<somewhere>", .connections = 1, .pipeline = 1, .scene_count = 2, .rate = 7
	};
	options->plan.scenes[0] = (struct load_scene){ .name = "<&\"'>.json", .weight = 1, .circles = 3 };
	options->plan.scenes[1] = (struct load_scene){ .name = "\xff\xfe", .weight = 1, .circles = 3 };
	outcome->options = options;
	outcome->plan = options->plan;
	outcome->result = load_result_create();
	assert_non_null(outcome->result);
	for (uint64_t i = 0; i < count; i++)
		histogram_add(&outcome->result->latency.response, i * i);
	outcome->result->latency.service = outcome->result->latency.response;
	faults_add(&outcome->result->faults, "QUEUE<FULL>", 3);
	return outcome;
}

typedef void (*report_fn)(const struct bench_outcome *outcome, FILE *out);

static char *
printed(report_fn report, const struct bench_outcome *outcome)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	report(outcome, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(strlen(text), size);
	return text;
}

static void
json_report(const struct bench_outcome *outcome, FILE *out)
{
	assert_true(bench_json_print(outcome, out));
}

static void
reports_hold_together_whatever_is_in_them(void **state)
{
	(void)state;
	static const uint64_t counts[] = { 0, 1, 2, 50000 };
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		struct bench_options *options = calloc(1, sizeof *options);
		assert_non_null(options);
		struct bench_outcome *outcome = outcome_made(options, counts[i]);
		outcome->knee = (struct bench_knee){ .sought = i % 2 == 0, .step_count = 0 };
		char *table = printed(bench_report_print, outcome), *html = printed(bench_html_print, outcome);
		assert_non_null(strstr(table, counts[i] == 0 ? "nothing was measured" : "  response"));
		assert_non_null(strstr(html, "&lt;&amp;&quot;'&gt;.json"));
		assert_null(strstr(html, "<somewhere>"));
		assert_null(strstr(html, "QUEUE<FULL>"));
		assert_null(strstr(html, "nan"));
		assert_null(strstr(html, "inf"));
		assert_null(strchr(html, '\xff'));
		char *json = printed(json_report, outcome);
		json_t *whole = json_loads(json, 0, NULL);
		assert_non_null(whole);
		assert_string_equal(json_string_value(json_object_get(whole, "format")), "collide.bench/1");
		const json_t *response = json_object_get(json_object_get(whole, "latency"), "response");
		assert_int_equal(json_integer_value(json_object_get(response, "count")), counts[i]);
		assert_int_equal(json_object_get(response, "p99Ms") != NULL, counts[i] > 0);
		const json_t *curve = json_object_get(json_object_get(whole, "curves"), "response");
		size_t points = json_array_size(curve);
		assert_true(points <= 500 && (points > 0) == (counts[i] > 0));
		if (points > 0) /* the last point is of all */
			assert_double_near(json_number_value(json_array_get(json_array_get(curve, points - 1), 0)), 1, 0);
		json_decref(whole);
		free(json);
		free(table);
		free(html);
		load_result_destroy(outcome->result);
		free(outcome);
		free(options);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(weights_follow_the_last_colon),
		cmocka_unit_test(the_generator_tells_of_itself),
		cmocka_unit_test(axes_hold_their_values_with_round_ends),
		cmocka_unit_test(reports_hold_together_whatever_is_in_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
