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
		.pair_events = { 1, &tick, v, &id, &id, &id, &id, v, v, v, v, v, v },
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

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(what_is_no_number_is_a_string) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
