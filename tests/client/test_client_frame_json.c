/* A frame's line is JSON whatever the numbers in it: what is no finite number is a string, as in protobuf's JSON form. */
#include "client/cli/run/frame_json.h"

#include "support/assert_double.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A struct of doubles, each `value`. */
static void
fill(void *to, size_t size, double value)
{
	for (size_t i = 0; i < size / sizeof value; i++)
		memcpy((char *)to + i * sizeof value, &value, sizeof value);
}

/* One row of everything, each double `value`; its line, which the caller frees. */
static char *
line_of(double value)
{
	const uint64_t tick = 1;
	const uint32_t id = 7;
	const double *v = &value;
	const struct collide_frame frame = {
		.tick = 1,
		.time = value,
		.bodies = { 1, &id, v, v, v, v, v, v, &tick },
		.contacts = { 1, &tick, v, &id, &id, &id, &id, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v, v },
		.path_changes = { 1, &tick, v, &id, &id, v, v },
		.shortfalls = { 1, &tick, &id, &id, v },
		.pair_events = { 1, &tick, v, &id, &id, &id, &id, v, v, v, v, v, v, &tick, &tick },
		.paths = { 1, &tick, v, &id, v, v, v, v, v, v },
		.moving_segments = { 1, &id, v, v, v, v },
		.ends = { 1, &tick, v, &id, &id, &tick, v, v, v, v },
	};
	struct frame_sums sums = { .has_energy = true, .has_momentum = true };
	struct frame_json json = { 0 };
	char *line = NULL;
	size_t size;
	fill(&sums.energy, sizeof sums.energy, value);
	fill(&sums.momentum, sizeof sums.momentum, value);
	FILE *out = open_memstream(&line, &size);
	assert_non_null(out);
	frame_json_collect(&json, &frame);
	assert_true(frame_json_print(&json, &frame, &sums, out));
	assert_int_equal(fclose(out), 0);
	frame_json_finish(&json);
	return line;
}

/* How often `what` is in it. */
static size_t
count_of(const char *line, const char *what)
{
	size_t count = 0;
	for (const char *at = strstr(line, what); at; at = strstr(at + 1, what))
		count++;
	return count;
}

/* Outside of strings only what JSON's objects, lists and numbers are made of. */
static void
assert_json_characters(const char *line)
{
	bool within = false;
	for (const char *at = line; *at != '\0'; at++)
		if (*at == '"')
			within = !within;
		else if (!within && !strchr("{}[], :+-.eE0123456789\n", *at))
			fail_msg("'%c' in %s", *at, line);
	assert_false(within);
}

static void
what_is_no_number_is_a_string(void **state)
{
	(void)state;
	static const struct {
		double value;
		const char *text;
	} cases[] = { { NAN, "\"NaN\"" }, { INFINITY, "\"Infinity\"" }, { -INFINITY, "\"-Infinity\"" }, { 0.1, "0.1" } };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *line = line_of(cases[i].value);
		assert_json_characters(line);
		/* The frame's, 6 of the body, 20 of the contact, 3, 1, 7, 7, 4 of the segment, 5 of the end. Then 13 of the energy and
		 * 8 of the momentum. */
		assert_int_equal(count_of(line, cases[i].text), 1 + 6 + 20 + 3 + 1 + 7 + 7 + 4 + 5 + 13 + 8);
		free(line);
	}
}

/* Columns that come in some frames only: 0 in the rows of the others, and none where none came. */
static void
columns_that_come_at_times(void **state)
{
	(void)state;
	const uint64_t ticks[] = { 3, 4 }, tags[] = { 77, 78 };
	const uint32_t ids[] = { 1, 2 };
	const double v[] = { 0, 0 };
	const struct collide_frame plain = {
		.pair_events = { 2, ticks, v, ids, ids, ids, ids, v, v, v, v, v, v, NULL, NULL },
	}, tagged = { .pair_events = { 2, ticks, v, ids, ids, ids, ids, v, v, v, v, v, v, tags, tags } };
	const struct {
		const struct collide_frame *frames[3];
		const char *text; /* NULL: no such column */
	} cases[] = {
		{ { &plain, &tagged, &plain }, "\"aTag\": [\"0\", \"0\", \"77\", \"78\", \"0\", \"0\"]" },
		{ { &plain, &plain, &plain }, NULL },
		{ { &tagged, &tagged, &plain }, "\"bTag\": [\"77\", \"78\", \"77\", \"78\", \"0\", \"0\"]" },
	};
	struct frame_json json = { 0 };
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct frame_sums sums = { .has_energy = false };
		char *line = NULL;
		size_t size;
		FILE *out = open_memstream(&line, &size);
		assert_non_null(out);
		for (size_t k = 0; k < 3; k++)
			frame_json_collect(&json, cases[i].frames[k]);
		assert_true(frame_json_print(&json, &plain, &sums, out));
		assert_int_equal(fclose(out), 0);
		bool found = strstr(line, cases[i].text ? cases[i].text : "Tag");
		bool wanted = cases[i].text;
		if (found != wanted)
			fail_msg("case %zu: %s", i, line);
		free(line);
	}
	frame_json_finish(&json);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_no_number_is_a_string),
		                                cmocka_unit_test(columns_that_come_at_times) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
