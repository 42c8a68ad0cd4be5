/* Thick and one-sided walls before the certificate. What comes from the left and gets in is caught. What comes from the right
 * may pass or turn back, and must not be stopped on its way. */
#include "certificate/made_tick.h"
#include "support/assert_double.h"

#include <math.h>

/* A circle of radius .5 that goes from (x, y) by (vx, vy) in a tick of a second. A one-sided wall from (-5, 0) to (5, 0) stops
 * what comes from above. */
static void
made_passage(struct made_tick *made, double x, double y, double vx, double vy, double thick)
{
	made_init(made);
	made_circle(made, x, y, vx, vy, 0.5);
	struct certificate_segment *wall = made_segment(made, -5, 0, 5, 0);
	wall->radius = thick;
	wall->one_sided = true;
}

static void
test_thick_walls_are_as_wide_as_they_are(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 2, 0, -1, 0.5);
	made_segment(&made, -5, 0, 5, 0)->radius = 0.5 - 1e-6;
	made_assert_clean(&made);
	made.segments[0].radius = 0.75;
	assert_double_near(made_report(&made).largest_overlap, 0.25, 1e-12);
	assert_int_equal(made_report(&made).escapes, 0);
	/* Past its round end, and into it. */
	made_init(&made);
	made_circle(&made, -6, 2, 0, -4, 0.5);
	made_segment(&made, -5, 0, 5, 0)->radius = 0.5 - 1e-6;
	made_assert_clean(&made);
	made.segments[0].radius = 0.75;
	assert_double_near(made_report(&made).largest_overlap, 0.25, 1e-12);
}

/* Far apart, with walls so wide that they are in no cell: none is forgotten. */
static void
test_walls_of_all_radii_are_found(void **state)
{
	struct made_tick made;

	(void)state;
	for (int k = -3; k < 6; k++) {
		const double radius = pow(10, k);

		made_init(&made);
		made_circle(&made, 3, radius + 2, 0, -2, 0.5);
		made_segment(&made, -5, 0, 5, 0)->radius = radius;
		for (int i = 0; i < 6; i++)
			made_segment(&made, -1e7 - 2 * i, 0, -1e7 - 2 * i, 1);
		assert_double_near(made_report(&made).largest_overlap, 0.5, 1e-8);
	}
}

static void
test_from_the_left_is_an_escape_and_from_the_right_is_none(void **state)
{
	struct made_tick made;
	struct certificate_report report;

	(void)state;
	for (int thick = 0; thick < 2; thick++) {
		made_passage(&made, 0, 3, 0.5, -6, thick * 0.25);
		report = made_report(&made);
		assert_int_equal(report.escapes, 1);
		assert_double_near(report.largest_overlap, 0.5 + thick * 0.25, 1e-12);
		made_passage(&made, 0, -3, 0.5, 6, thick * 0.25);
		made_assert_clean(&made);
		/* In from the left, and no farther than a little. */
		made_passage(&made, 0, 3, 0, -2.75, thick * 0.25);
		report = made_report(&made);
		assert_int_equal(report.escapes, 0);
		assert_double_near(report.largest_overlap, 0.25 + thick * 0.25, 1e-12);
	}
}

/* In under gravity, turned within it and back out below: its right. Out at the top, however little, and back in: not. */
static void
test_turning_back(void **state)
{
	static const double over[] = { -0.4, -1e-9, 1e-9, 0.4 };

	(void)state;
	for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
		struct made_tick made;
		double rise = 2 + 0.5 + over[i], g = 8 * rise, v = 4 * rise;

		/* Up in half a second, and down in the other: to where it was. */
		made_passage(&made, 0, -2, 0, v, 0);
		made.scene.gravity_y = -g;
		made_end(&made, 0, 0, -2, 0, -v);
		struct certificate_report report = made_report(&made);
		assert_int_equal(report.jumps, 0);
		assert_int_equal(report.escapes, over[i] > 0 ? 1 : 0);
		if (over[i] < 0)
			assert_double_near(report.largest_overlap, 0, 0);
		else
			assert_double_near(report.largest_overlap, 0.5, 1e-9);
	}
}

/* Over two ticks: what is on the way at a tick's end still is at the next one's start. */
static void
test_passing_goes_on_over_ticks(void **state)
{
	struct made_tick made;

	(void)state;
	made_passage(&made, 0, -3, 0, 3.25, 0);
	struct certificate *certificate = made_start(&made);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	/* At .25, deep in it. A push without a cause: it turns, which is a jump of its own, and goes back. */
	made.vy[0] = 3.25;
	made_end(&made, 0, 0, 3.5, 0, 3.25);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->jumps, 0);
	assert_int_equal(certificate_report(certificate)->escapes, 0);
	assert_double_near(certificate_report(certificate)->largest_overlap, 0, 0);
	certificate_destroy(certificate);

	made_passage(&made, 0, 3, 0, -2.75, 0);
	certificate = made_start(&made);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	made_end(&made, 0, 0, -2.5, 0, -2.75);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	/* Broken in in the first, through in the second. */
	assert_int_equal(certificate_report(certificate)->escapes, 1);
	certificate_destroy(certificate);
}

/* Beside the end: in by the left half of the cap, or by the right half, and then across. */
static void
test_the_halves_of_an_end(void **state)
{
	struct made_tick made;

	(void)state;
	made_passage(&made, -8, 0.2, 6, 0, 0);
	assert_true(made_report(&made).largest_overlap > 0.29);
	made_passage(&made, -8, -0.2, 6, 0, 0);
	made_assert_clean(&made);
	/* Joined to another one that it passes: one thing with it. */
	made_passage(&made, -8, 0.2, 6, 0, 0);
	made_segment(&made, -12, 0, -5, 0)->one_sided = true;
	made_assert_clean(&made);
	/* Not to one of two sides. */
	made.segments[1].one_sided = false;
	made.circles[0].mask = 2;
	made.segments[0].category = 2;
	assert_true(made_report(&made).largest_overlap > 0.29);
}

/* A contact with it on its right, and one in the midst of it. */
static void
contact_at(struct made_tick *made, double time, double y, double normal_y)
{
	made->contacts[made->contact_count++] = (struct certificate_contact){
		.time = time,
		.a = 10,
		.b = 10,
		.with_segment = true,
		.point = { 0, y - 0.5 * normal_y },
		.normal = { 0, normal_y },
		.approach_speed = 4,
		.impulse = 8,
		.a_before = { 0, -4 * normal_y },
		.a_after = { 0, 4 * normal_y },
	};
}

static void
test_it_stops_nobody_else(void **state)
{
	struct made_tick made;

	(void)state;
	made_passage(&made, 0, -2.5, 0, 4, 0);
	contact_at(&made, 0.5, -0.5, -1);
	made_end(&made, 0, 0, -2.5, 0, -4);
	assert_int_equal(made_report(&made).jumps, 1);
	made_passage(&made, 0, 2.5, 0, -4, 0);
	contact_at(&made, 0.5, 0.5, 1);
	made_end(&made, 0, 0, 2.5, 0, 4);
	made_assert_clean(&made);
	/* It comes from the right, is past the line, and is bounced up from there. */
	made_passage(&made, 0, 0.25, 0, -4, 0);
	contact_at(&made, 0, 0.25, 1);
	made_end(&made, 0, 0, 4.25, 0, 4);
	assert_int_equal(made_report(&made).jumps, 1);
}

/* A circle at 1,000 flies into one that stands at 1,025, by `depth`; beneath both there is a wall, down at `floor`. */
static uint64_t
overlaps_counted(double depth, double wall_reach, double floor)
{
	struct made_tick made;

	made_init(&made);
	made_circle(&made, 1000, 0, 24, 0, 0.5);
	made_circle(&made, 1025 - depth, 0, 0, 0, 0.5);
	made_segment(&made, -wall_reach, floor, wall_reach, floor);
	return made_report(&made).overlaps;
}

/* Contact is made 2^-46 of the coordinates early: what gets in by more has lost that twice. */
static void
test_overlap_beyond_rounding_is_counted(void **state)
{
	(void)state;
	assert_int_equal(overlaps_counted(0x1p-37, 1, -0.5), 0);
	assert_int_equal(overlaps_counted(0x1p-36, 1, -0.5), 0);
	assert_int_equal(overlaps_counted(0x1p-35, 1, -0.5), 1);
}

/* A wall that goes far out rounds what lies on it, as its coordinates are; what does not touch it has nothing of that. */
static void
test_walls_from_afar_round_what_touches_them(void **state)
{
	(void)state;
	assert_int_equal(overlaps_counted(0x1p-17, 0x1p30, -0.5), 0);
	assert_int_equal(overlaps_counted(0x1p-15, 0x1p30, -0.5), 1);
	assert_int_equal(overlaps_counted(0x1p-17, 0x1p30, -0.6), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_overlap_beyond_rounding_is_counted),
		cmocka_unit_test(test_walls_from_afar_round_what_touches_them),
		cmocka_unit_test(test_thick_walls_are_as_wide_as_they_are),
		cmocka_unit_test(test_walls_of_all_radii_are_found),
		cmocka_unit_test(test_from_the_left_is_an_escape_and_from_the_right_is_none),
		cmocka_unit_test(test_turning_back),
		cmocka_unit_test(test_passing_goes_on_over_ticks),
		cmocka_unit_test(test_the_halves_of_an_end),
		cmocka_unit_test(test_it_stops_nobody_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
