/* Segments that move before the certificate: a good tick is clean, whatever is spoiled in it is noticed. */
#include "certificate/made_tick.h"
#include "support/assert_double.h"

/* A wall that comes at 4 to a circle at rest of radius 1, 2 away from it, and throws it off at 8. A second one moves far from
 * everything. */
static struct certificate_place places[2];

static void
made_throw(struct made_tick *made)
{
	const double skin = 1e-9, hit = (2 - skin) / 4;

	made_init(made);
	made_circle(made, 0, 0, 0, 0, 1);
	made_segment(made, -3, -5, -3, 5)->vx = 4;
	made_segment(made, 50, -5, 50, 5)->vy = -1;
	made_end(made, 0, 8 * (1 - hit), 0, 8, 0);
	made->contacts[0] = (struct certificate_contact){ .time = hit,
		                                              .a = 10,
		                                              .b = 10,
		                                              .with_segment = true,
		                                              .point = { -1, 0 },
		                                              .normal = { 1, 0 },
		                                              .approach_speed = 4,
		                                              .impulse = 8,
		                                              .a_after = { 8, 0 },
		                                              .b_before = { 4, 0 },
		                                              .b_after = { 4, 0 } };
	made->contact_count = 1;
	places[0] = (struct certificate_place){ 10, 1, -5, 1, 5 };
	places[1] = (struct certificate_place){ 20, 50, -6, 50, 4 };
}

static struct certificate_report
told_report(struct made_tick *made, size_t count)
{
	struct certificate *certificate = made_start(made);
	const struct certificate_tick tick = { .dt = made->dt,
		                                   .x = made->x,
		                                   .y = made->y,
		                                   .vx = made->vx,
		                                   .vy = made->vy,
		                                   .contacts = made->contacts,
		                                   .contact_count = made->contact_count,
		                                   .path_changes = made->changes,
		                                   .path_change_count = made->change_count,
		                                   .places_told = true,
		                                   .places = places,
		                                   .place_count = count };

	assert_int_equal(certificate_tick(certificate, &tick), STATUS_OK);
	struct certificate_report report = *certificate_report(certificate);
	certificate_destroy(certificate);
	return report;
}

static bool
is_clean(const struct certificate_report *report)
{
	return report->jumps == 0 && report->escapes == 0 && report->overlaps == 0;
}

static void
test_good_tick_is_clean(void **state)
{
	struct made_tick made;

	(void)state;
	made_throw(&made);
	made_assert_clean(&made);
	struct certificate_report report = told_report(&made, 2);
	assert_true(is_clean(&report));
}

static void
test_wall_that_is_not_felt_goes_through(void **state)
{
	struct made_tick made;

	(void)state;
	made_throw(&made);
	made.contact_count = 0;
	made_end(&made, 0, 0, 0, 0, 0);
	struct certificate_report report = made_report(&made);
	assert_int_equal(report.escapes, 1);
	assert_double_near(report.largest_overlap, 1, 1e-12);
	/* Only into it: the depth is that at the end. */
	made_throw(&made);
	made.contact_count = 0;
	made.segments[0].vx = 2.25;
	made_end(&made, 0, 0, 0, 0, 0);
	report = made_report(&made);
	assert_int_equal(report.escapes, 0);
	assert_double_near(report.largest_overlap, 0.25, 1e-12);
	/* What it crushes it passes over. */
	made_throw(&made);
	made.contact_count = 0;
	made_end(&made, 0, 0, 0, 0, 0);
	made_change(&made, (2 - 1e-9) / 4, 10, CERTIFICATE_CRUSHED, 0, 0);
	made_assert_clean(&made);
}

static void
test_what_the_contact_says_of_the_wall(void **state)
{
	struct made_tick made;

	(void)state;
	for (int spoil = 0; spoil < 5; spoil++) {
		made_throw(&made);
		switch (spoil) {
		case 0: made.contacts[0].b_before[0] = made.contacts[0].b_after[0] = 0; break;
		case 1: made.contacts[0].b_after[1] = 1; break;
		case 2: made.contacts[0].time = 0.4; break;
		case 3: made.segments[0].vx = 4.001; break;
		default: made.contacts[0].b = 20; break;
		}
		struct certificate_report report = made_report(&made);
		assert_false(is_clean(&report));
	}
}

static void
test_where_walls_are_told_to_be(void **state)
{
	struct made_tick made;

	(void)state;
	for (int spoil = 0; spoil < 5; spoil++) {
		size_t count = 2;

		made_throw(&made);
		switch (spoil) {
		case 0: places[0].x1 += 1e-9; break;
		case 1: places[1].y2 -= 1e-9; break;
		case 2: count = 1; break;
		case 3: places[0].id = 15; break;
		default: made.segments[1].vy = 0; break; /* it does not move, and is told to */
		}
		struct certificate_report report = told_report(&made, count);
		assert_true(report.jumps > 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good_tick_is_clean),
		cmocka_unit_test(test_wall_that_is_not_felt_goes_through),
		cmocka_unit_test(test_what_the_contact_says_of_the_wall),
		cmocka_unit_test(test_where_walls_are_told_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
