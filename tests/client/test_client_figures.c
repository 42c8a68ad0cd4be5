/* The numbers that the command shows: digits, sums, drift, progress. */
#include "client/cli/run/tally.h"
#include "client/cli/terminal/progress.h"
#include "client/cli/terminal/text.h"

#include "support/assert_double.h"

#include <stdlib.h>

static void
digits_are_grouped(void **state)
{
	(void)state;
	char to[DIGITS_GROUPED_BYTES];
	assert_string_equal(digits_grouped(0, to), "0");
	assert_string_equal(digits_grouped(999, to), "999");
	assert_string_equal(digits_grouped(1000, to), "1,000");
	assert_string_equal(digits_grouped(123456, to), "123,456");
	assert_string_equal(digits_grouped(UINT64_MAX, to), "18,446,744,073,709,551,615");
}

static void
text_grows(void **state)
{
	(void)state;
	struct text text = { 0 };
	for (int i = 0; i < 5000; i++)
		text_format(&text, "%d,", i % 10);
	text_append(&text, "end");
	assert_int_equal(text.count, 10003);
	assert_memory_equal(text.characters + 9996, "8,9,end", 7);
	assert_false(text.failed);
	text_finish(&text);
}

static struct collide_frame
frame_with(double before, double after, double contact, uint64_t collisions)
{
	return (struct collide_frame){ .has_energy = true,
		                           .collisions = collisions,
		                           .events = collisions + 1,
		                           .energy = { .kinetic_before = before,
		                                       .kinetic_after = after,
		                                       .contact = contact,
		                                       .potential_before = -before,
		                                       .potential_after = -before } };
}

static void
frames_add_up_to_what_one_frame_would_have_told(void **state)
{
	(void)state;
	struct frame_sums sums = { 0 };
	struct collide_frame first = frame_with(10, 8, -2, 3), second = frame_with(8, 7, -1, 4), bare = { .events = 5 };
	frame_sums_add(&sums, &first);
	frame_sums_add(&sums, &second);
	frame_sums_add(&sums, &bare);
	assert_int_equal(sums.frames, 3);
	assert_int_equal(sums.collisions, 7);
	assert_int_equal(sums.events, 14);
	assert_double_same_bits(sums.energy.kinetic_before, 10);
	assert_double_same_bits(sums.energy.kinetic_after, 7);
	assert_double_same_bits(sums.energy.contact, -3);
	assert_double_same_bits(sums.energy.potential_before, -10);
	assert_double_same_bits(sums.energy.potential_after, -8);
}

/* Falling from rest: the energy at the start is 0 + an arbitrary potential, so only the kinetic energy can be the scale. */
static void
drift_is_relative_to_the_largest_kinetic_energy(void **state)
{
	(void)state;
	struct tally tally = { 0 };
	struct collide_frame fall = { .has_energy = true,
		                          .energy = { .potential_before = 1000, .potential_after = 992, .kinetic_after = 8 } };
	struct collide_frame stop = {
		.has_energy = true,
		.energy = { .potential_before = 992, .potential_after = 992, .kinetic_before = 8, .kinetic_after = 4 }
	};
	tally_add(&tally, &fall);
	assert_double_same_bits(tally_energy_drift(&tally), 0);
	tally_add(&tally, &stop);
	assert_double_same_bits(tally_energy_drift(&tally), -0.5);
}

static void
shortfalls_are_counted_by_kind(void **state)
{
	(void)state;
	struct tally tally = { 0 };
	const uint32_t flags[] = { COLLIDE_SHORTFALL_FAST, COLLIDE_SHORTFALL_BUDGET, COLLIDE_SHORTFALL_FAST, 64 };
	const double amounts[] = { 4e6, 0.25, 3e6, 9 };
	struct collide_frame frame = { .shortfalls = { .count = 4, .flag = flags, .amount = amounts } };
	tally_add(&tally, &frame);
	assert_int_equal(tally.shortfalls[0], 1);
	assert_int_equal(tally.shortfalls[1], 0);
	assert_int_equal(tally.shortfalls[2], 0);
	assert_int_equal(tally.shortfalls[3], 2);
	assert_double_same_bits(tally.shortfall_most[0], 0.25);
	assert_double_same_bits(tally.shortfall_most[3], 4e6);
	assert_string_equal(shortfall_name(3), "FAST");
}

static void
the_summary_tells_how_far_things_fell_short(void **state)
{
	(void)state;
	struct tally tally = { 0 };
	const uint32_t flags[] = { COLLIDE_SHORTFALL_INITIAL_OVERLAP, COLLIDE_SHORTFALL_INITIAL_OVERLAP };
	const double amounts[] = { 1, 0.5 };
	const struct collide_frame frame = { .shortfalls = { .count = 2, .flag = flags, .amount = amounts } };
	const struct certificate_report report = { .ticks = 1 };
	const struct collide_done done = { .ticks = 1 };
	char *text = NULL;
	size_t size = 0;
	for (int pass = 0; pass < 2; pass++) {
		FILE *out = open_memstream(&text, &size);
		assert_non_null(out);
		tally_print(&tally, &done, 1, &report, out);
		assert_int_equal(fclose(out), 0);
		bool overlapped = pass == 1;
		const char *shortfalls = overlapped ? "\nshortfalls       2 INITIAL_OVERLAP (at most 1 deep)\n"
		                                    : "\nshortfalls       none\n";
		assert_non_null(strstr(text, shortfalls));
		/* What the certificate leaves out is not passed off as 0. */
		assert_int_equal(strstr(text, "0 radii) apart from shortfalls\n") != NULL, overlapped);
		free(text);
		tally_add(&tally, &frame);
	}
}

static void
a_summary_of_a_run_that_ended_early_tells_what_the_frames_told(void **state)
{
	(void)state;
	struct tally tally = { 0 };
	const struct collide_frame frames[] = {
		{ .tick = 6, .time = 0.1, .events = 3, .collisions = 2, .clusters = 1, .hash = 7 },
		{ .tick = 12, .time = 0.2, .events = 30, .collisions = 20, .clusters = 10, .hash = 0xabc },
	};
	for (size_t i = 0; i < 2; i++)
		tally_add(&tally, &frames[i]);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	tally_print(&tally, NULL, 2, NULL, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "ticks            12 of 0 circles, 0.2 s of the scene\n"));
	assert_non_null(strstr(text, "\ncollisions       22 in 33 events, 11 of them clusters\n"));
	assert_non_null(strstr(text, "\ntime             2.000 s\n")); /* it is not told how much of it was the engine's */
	assert_non_null(strstr(text, "\nstate hash       0000000000000abc\n"));
	free(text);
}

static void
progress_tells_what_is_left(void **state)
{
	(void)state;
	char line[200];
	progress_format(25, 100, 1234, 10, line, sizeof line);
	assert_string_equal(line, "[######..................]  25 %  tick 25 of 100, 1,234 collisions, 30 s left");
	progress_format(0, 100, 0, 10, line, sizeof line);
	assert_string_equal(line, "[........................]   0 %  tick 0 of 100, 0 collisions, ? left");
	progress_format(1, 1000, 0, 3600, line, sizeof line);
	assert_non_null(strstr(line, " 999 h left"));
	progress_format(100, 100, 7, 9, line, sizeof line);
	assert_string_equal(line, "[########################] 100 %  tick 100 of 100, 7 collisions, 0 s left");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(digits_are_grouped),
		cmocka_unit_test(text_grows),
		cmocka_unit_test(frames_add_up_to_what_one_frame_would_have_told),
		cmocka_unit_test(drift_is_relative_to_the_largest_kinetic_energy),
		cmocka_unit_test(shortfalls_are_counted_by_kind),
		cmocka_unit_test(the_summary_tells_how_far_things_fell_short),
		cmocka_unit_test(a_summary_of_a_run_that_ended_early_tells_what_the_frames_told),
		cmocka_unit_test(progress_tells_what_is_left),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
