/* Overlaps and escapes along paths that begin and end well, and what is excused. */
#include "certificate/made_tick.h"

#include "support/assert_double.h"
#include <string.h>

static void
test_tunnelling_through_a_thin_wall(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 1000, 0, 0.5);
	made_segment(&made, 500, -1, 500, 1);
	struct certificate_report report = made_report(&made);
	assert_int_equal(report.escapes, 1);
	assert_int_equal(report.jumps, 0);
	assert_double_near(report.largest_overlap, 0.5, 1e-12);
	assert_double_near(report.largest_overlap_radii, 1, 1e-12);
	assert_true(report.overlap_with_segment);
	assert_int_equal(report.overlap_a, 10);
	assert_int_equal(report.overlap_b, 10);
	assert_int_equal(report.overlap_tick, 1);
}

static void
test_passing_by_the_end_of_a_wall(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 1.5 + 1e-9, 1000, 0, 0.5);
	made_segment(&made, 500, -1, 500, 1);
	made_assert_clean(&made);
	made.circles[0].y = made.y[0] = 1.5 - 1e-6;
	assert_double_near(made_report(&made).largest_overlap, 1e-6, 1e-12);
	assert_int_equal(made_report(&made).escapes, 0);
}

static void
test_crossing_where_two_pieces_meet(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 10, 0, 0.5);
	made_segment(&made, 5, -1, 5, 1);
	made_change(&made, 0.5, 10, CERTIFICATE_FREE, 0, 0);
	assert_int_equal(made_report(&made).escapes, 1);
}

static void
test_crossing_where_two_ticks_meet(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 5, 0, 0.5);
	made_segment(&made, 5, -1, 5, 1);
	struct certificate *certificate = made_start(&made);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->escapes, 0);
	made_end(&made, 0, 10, 0, 5, 0);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->escapes, 1);
	assert_int_equal(certificate_report(certificate)->overlaps, 2);
	certificate_destroy(certificate);
}

static void
test_an_end_state_put_behind_a_wall(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 1, 0, 0.5);
	made_segment(&made, 5, -1, 5, 1);
	made_end(&made, 0, 7, 0, 1, 0);
	struct certificate_report report = made_report(&made);
	assert_int_equal(report.jumps, 1);
	assert_int_equal(report.escapes, 1);
	assert_double_near(report.largest_jump, 12, 1e-12);
}

static void
test_circles_that_pass_through_each_other(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, -50, 0, 100, 0, 1);
	made_circle(&made, 50, 1, -100, 0, 2);
	struct certificate_report report = made_report(&made);
	assert_int_equal(report.overlaps, 1);
	assert_int_equal(report.jumps, 0);
	assert_double_near(report.largest_overlap, 2, 1e-12);
	assert_double_near(report.largest_overlap_radii, 2, 1e-12);
	assert_int_equal(report.overlap_a, 10);
	assert_int_equal(report.overlap_b, 20);
	assert_false(report.overlap_with_segment);
}

static void
test_circles_that_pass_by_each_other(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, -50, 0, 100, 0, 1);
	made_circle(&made, 50, 3 + 1e-9, -100, 0, 2);
	made_assert_clean(&made);
	made.circles[1].y = made.y[1] = 3 - 1e-9;
	assert_double_near(made_report(&made).largest_overlap, 1e-9, 1e-14);
	assert_int_equal(made_report(&made).overlaps, 1);
}

/* Up 5 and back within two seconds at 10 downwards: touches a ceiling at its highest only. */
static void
test_the_top_of_a_throw(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made.dt = 2;
	made.scene.gravity_y = -10;
	made_circle(&made, 0, 0, 3, 10, 1);
	made_end(&made, 0, 6, 0, 3, -10);
	made_segment(&made, -100, 6 + 1e-9, 100, 6 + 1e-9);
	made_assert_clean(&made);
	made.segments[0].y1 = made.segments[0].y2 = 5.75;
	assert_double_near(made_report(&made).largest_overlap, 0.25, 1e-12);
	assert_int_equal(made_report(&made).escapes, 0);
	made.segments[0].y1 = made.segments[0].y2 = 4.5;
	assert_int_equal(made_report(&made).escapes, 2);
}

/* The same against the end of a post, and against a kinematic circle that moves along. */
static void
test_the_top_of_a_throw_against_round_things(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made.dt = 2;
	made.scene.gravity_y = -10;
	made_circle(&made, 0, 0, 3, 10, 1);
	made_end(&made, 0, 6, 0, 3, -10);
	made_segment(&made, 3, 5.5, 3, 20);
	assert_double_near(made_report(&made).largest_overlap, 0.5, 1e-12);
	made.scene.segment_count = 0;
	made_circle(&made, 0, 7, 3, 0, 1.5)->kind = CERTIFICATE_KINEMATIC;
	assert_double_near(made_report(&made).largest_overlap, 0.5, 1e-12);
}

/* A damped circle that falls at half of gravity, and the change of velocity it must tell of: 1 / (1 + dt * damping) is a
 * quarter. */
static void
made_kick(struct made_tick *made)
{
	made_init(made);
	made->dt = 1;
	made->scene.gravity_y = -10;
	struct certificate_circle *circle = made_circle(made, 0, 0, 8, 4, 1);
	circle->linear_damping = 3;
	circle->gravity_scale = 0.5;
	made_change(made, 0, 10, CERTIFICATE_KICKED, 2, 1);
	made_end(made, 0, 2, 1 - 2.5, 2, 1 - 5);
}

static void
test_kicks_are_worked_out_again(void **state)
{
	struct made_tick made;

	(void)state;
	made_kick(&made);
	made_assert_clean(&made);
	/* Told otherwise, and the end made to fit. */
	made.changes[0].vector[0] = 2.5;
	made_end(&made, 0, 2.5, -1.5, 2.5, -4);
	assert_int_equal(made_report(&made).jumps, 1);
	/* Not told. */
	made_kick(&made);
	made.change_count = 0;
	made_end(&made, 0, 8, 4 - 2.5, 8, 4 - 5);
	assert_int_equal(made_report(&made).jumps, 1);
	/* Told twice, or late. */
	made_kick(&made);
	made_change(&made, 0, 10, CERTIFICATE_KICKED, 2, 1);
	assert_int_equal(made_report(&made).jumps, 1);
	made_kick(&made);
	made.changes[0].time = 1e-9;
	assert_true(made_report(&made).jumps > 0);
	/* Of a circle that nothing damps. */
	made_kick(&made);
	made.circles[0].linear_damping = 0;
	assert_int_equal(made_report(&made).jumps, 1);
	/* With the greatest speed instead. */
	made.circles[0].vx = 6;
	made.circles[0].vy = 8;
	made.scene.speed_max = 5;
	made.changes[0].vector[0] = 3;
	made.changes[0].vector[1] = 4;
	made_end(&made, 0, 3, 4 - 2.5, 3, 4 - 5);
	made_assert_clean(&made);
	made.scene.speed_max = 4;
	assert_int_equal(made_report(&made).jumps, 1);
	/* And with another scale of gravity the path is another. */
	made_kick(&made);
	made.circles[0].gravity_scale = 0.25;
	assert_true(made_report(&made).jumps > 0);
}

/* 10 flies into 20, and both go on at half of its speed. */
static void
made_stop(struct made_tick *made)
{
	made_two_hits(made);
	made->contacts[0].impulse = 5;
	made->contacts[0].a_after[0] = made->contacts[0].b_after[0] = 5;
	made_end(made, 0, made->x[0] + 5 * (1 - made->contacts[0].time), 0, 5, 0);
	made_end(made, 1, 5 + 5 * (1 - made->contacts[0].time), 0, 5, 0);
}

static void
test_responses_are_judged(void **state)
{
	struct made_tick made;

	(void)state;
	for (int k = 0; k < 2; k++) {
		made_two_hits(&made);
		made.circles[k].response = CERTIFICATE_SLIDE;
		assert_int_equal(made_report(&made).jumps, 1);
		made.circles[k].response = CERTIFICATE_STOP;
		assert_int_equal(made_report(&made).jumps, 1);
		made_stop(&made);
		made.circles[k].response = CERTIFICATE_SLIDE;
		made_assert_clean(&made);
		made.circles[1 - k].response = CERTIFICATE_STOP;
		made_assert_clean(&made);
	}
	made_two_hits(&made);
	made.circles[2].response = CERTIFICATE_SLIDE;
	assert_int_equal(made_report(&made).jumps, 1);
}

/* 30 hits a wall with a surface that goes up at 3: a third of that is movement, two are spin. */
static void
made_conveyor(struct made_tick *made)
{
	struct certificate_contact *hit = &made->contacts[1];

	made_two_hits(made);
	made->segments[0].surface_speed = 3;
	made->spins = true;
	hit->friction_impulse = -1;
	hit->a_after[1] = 1;
	hit->a_spin_after = 2;
	made_end(made, 2, made->x[2], 3 + (1 - hit->time), -10, 1);
	made->spin[2] = 2;
}

static void
test_conveyors_and_spins_are_judged(void **state)
{
	struct made_tick made;

	(void)state;
	made_conveyor(&made);
	made_assert_clean(&made);
	/* Against a wall that stands it would have made the slip. */
	made.segments[0].surface_speed = 0;
	assert_int_equal(made_report(&made).jumps, 1);
	/* A surface that turns by itself does the same as the conveyor, the other way around. */
	made.circles[2].surface_speed = -3;
	made_assert_clean(&made);
	made.circles[2].surface_speed = 3;
	assert_int_equal(made_report(&made).jumps, 1);
	/* Spins that no contact explains, at the end and before a contact. */
	made_conveyor(&made);
	made.spin[2] = 2.5;
	assert_int_equal(made_report(&made).jumps, 1);
	made_conveyor(&made);
	made.circles[2].angular_velocity = 0.5;
	assert_int_equal(made_report(&made).jumps, 1);
	/* Damped from 0.5 to a quarter of it. */
	made.circles[2].angular_damping = 3;
	made.contacts[1].a_spin_before = 0.125;
	made_assert_clean(&made);
	made.circles[2].angular_damping = 2;
	assert_int_equal(made_report(&made).jumps, 1);
	/* A circle that stops keeps its spin. */
	made_conveyor(&made);
	made.circles[2].response = CERTIFICATE_STOP;
	assert_int_equal(made_report(&made).jumps, 1);
}

static void
test_filters(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, -50, 0, 100, 0, 1);
	made_circle(&made, 50, 1, -100, 0, 2);
	made_segment(&made, 0, -9, 0, 9);
	assert_int_equal(made_report(&made).overlaps, 3);
	made.circles[0].mask = made.segments[0].mask = 2;
	made_assert_clean(&made);
	made.circles[0].mask = made.segments[0].mask = UINT32_MAX;
	made.circles[0].kind = made.circles[1].kind = CERTIFICATE_KINEMATIC;
	made_assert_clean(&made);
	made.circles[1].kind = CERTIFICATE_DYNAMIC;
	assert_int_equal(made_report(&made).overlaps, 2);
}

static void
test_initial_overlap_is_excused_until_apart(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 0, 0, 1);
	made_circle(&made, 1, 0, 0.5, 0, 1);
	struct certificate *certificate = made_start(&made);
	const struct certificate_report *report = certificate_report(certificate);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	made_end(&made, 1, 2, 0, 0.5, 0);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(report->overlaps, 0);
	assert_int_equal(report->jumps, 0);
	/* Apart now, and back again: that counts. */
	made_end(&made, 1, 2.5, 0, 0.5, 0);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	made_end(&made, 1, 1.5, 0, -1, 0);
	made.contacts[0] = (struct certificate_contact){ .time = 0,
		                                             .a = 10,
		                                             .b = 20,
		                                             .point = { 1, 0 },
		                                             .normal = { -1, 0 },
		                                             .impulse = 0,
		                                             .b_before = { 0.5, 0 },
		                                             .b_after = { -1, 0 } };
	made.contact_count = 1;
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(report->overlaps, 1);
	assert_double_near(report->largest_overlap, 0.5, 1e-12);
	certificate_destroy(certificate);
}

static void
test_initial_overlap_must_not_deepen(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 0, 0, 1);
	made_circle(&made, 1.5, 0, -0.5, 0, 1);
	assert_int_equal(made_report(&made).overlaps, 1);
	assert_double_near(made_report(&made).largest_overlap, 0.5, 1e-12);
}

static void
test_pushes(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 0, 0, 1);
	made_circle(&made, 1, 0, 0, 0, 1);
	made_segment(&made, 5, -1, 5, 1);
	made_change(&made, 0, 10, CERTIFICATE_PUSHED, -0.5, 0);
	made_change(&made, 0, 20, CERTIFICATE_PUSHED, 0.5 + 1e-9, 0);
	made_end(&made, 0, -0.5, 0, 0, 0);
	made_end(&made, 1, 1.5 + 1e-9, 0, 0, 0);
	made_assert_clean(&made);
	/* Through the wall, ending well behind it. */
	made.changes[1].vector[0] = 8;
	made_end(&made, 1, 9, 0, 0, 0);
	assert_int_equal(made_report(&made).escapes, 1);
	/* Through the other circle: apart in the end, but deeper on the way. */
	made.changes[1].vector[0] = -4;
	made_end(&made, 1, -3, 0, 0, 0);
	assert_int_equal(made_report(&made).overlaps, 1);
	assert_int_equal(made_report(&made).jumps, 0);
	assert_double_near(made_report(&made).largest_overlap, 1.5, 1e-12);
}

static void
test_parked_stands_still_and_keeps_its_velocity(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made.scene.gravity_y = -10;
	made_circle(&made, 0, 0, 4, 0, 1);
	made_change(&made, 0.5, 10, CERTIFICATE_PARKED, 0, 0);
	made_end(&made, 0, 2, -1.25, 4, -5);
	made_assert_clean(&made);
	made.vx[0] = 0;
	assert_int_equal(made_report(&made).jumps, 1);
}

/* A piston goes on into a crushed circle: excused, also when it still overlaps in the next tick; then it draws back. */
static void
test_crushed_is_not_counted(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made_circle(&made, 0, 0, 0, 0, 1);
	made_circle(&made, 2.25, 0, -1, 0, 1)->kind = CERTIFICATE_KINEMATIC;
	made_change(&made, 0.25, 10, CERTIFICATE_CRUSHED, 0, 0);
	struct certificate *certificate = made_start(&made);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->overlaps, 0);
	made.changes[0].time = 0;
	made_end(&made, 1, 0.25, 0, -1, 0);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->overlaps, 0);
	assert_int_equal(certificate_report(certificate)->jumps, 0);
	/* Not crushed any more, and deeper all the same. */
	made.change_count = 0;
	made_end(&made, 1, -0.75, 0, -1, 0);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_int_equal(certificate_report(certificate)->overlaps, 1);
	certificate_destroy(certificate);
}

static void
test_sliding_on_a_support(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made.scene.gravity_y = -10;
	made_circle(&made, 0, 1 + 1e-9, 2, 0, 1);
	made_segment(&made, -5, 0, 1, 0);
	made_change(&made, 0, 10, CERTIFICATE_SUPPORTED, 0, 0);
	made_change(&made, 0.5, 10, CERTIFICATE_FREE, 0, 0);
	made_end(&made, 0, 2, 1 + 1e-9 - 1.25, 2, -5);
	/* Free over the end of the segment: it falls past it, and touches it from the side. */
	assert_int_equal(made_report(&made).jumps, 0);
	assert_int_equal(made_report(&made).overlaps, 1);
	made.segments[0].x2 = 0;
	made.segments[0].x1 = -9;
	made.scene.segment_count = 0;
	made_assert_clean(&made);
	made.change_count = 1;
	assert_int_equal(made_report(&made).jumps, 2);
	made_end(&made, 0, 2, 1 + 1e-9, 2, 0);
	made_assert_clean(&made);
}

/* Asleep since before the first tick that is given: gravity does not draw it, and it is not to fall asleep again. Ticks are
 * named as the world counts them. */
static void
test_asleep_from_the_start(void **state)
{
	struct made_tick made;

	(void)state;
	made_init(&made);
	made.scene.gravity_y = -10;
	made.scene.start_tick = 40;
	made_circle(&made, 0, 1, 0, 0, 0.5)->asleep = true;
	made_end(&made, 0, 0, 1, 0, 0);
	made_assert_clean(&made);
	made_change(&made, 0.5, 10, CERTIFICATE_WOKEN, 0, 0);
	made_change(&made, 0.5, 10, CERTIFICATE_FREE, 0, 0);
	made_end(&made, 0, 0, 1 - 10 * 0.25 / 2, 0, -5);
	made_assert_clean(&made);
	made.changes[0].kind = CERTIFICATE_ASLEEP;
	struct certificate *certificate = made_start(&made);
	assert_int_equal(made_give(certificate, &made), STATUS_OK);
	assert_true(certificate_report(certificate)->jumps > 0);
	assert_non_null(strstr(certificate_report(certificate)->first_problem, "tick 41: "));
	certificate_destroy(certificate);
	/* If it were not told that it sleeps, it would hang in the air. */
	made.change_count = 0;
	made.circles[0].asleep = false;
	made_end(&made, 0, 0, 1, 0, 0);
	assert_true(made_report(&made).jumps > 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tunnelling_through_a_thin_wall),
		cmocka_unit_test(test_passing_by_the_end_of_a_wall),
		cmocka_unit_test(test_crossing_where_two_pieces_meet),
		cmocka_unit_test(test_crossing_where_two_ticks_meet),
		cmocka_unit_test(test_an_end_state_put_behind_a_wall),
		cmocka_unit_test(test_circles_that_pass_through_each_other),
		cmocka_unit_test(test_circles_that_pass_by_each_other),
		cmocka_unit_test(test_the_top_of_a_throw),
		cmocka_unit_test(test_the_top_of_a_throw_against_round_things),
		cmocka_unit_test(test_kicks_are_worked_out_again),
		cmocka_unit_test(test_responses_are_judged),
		cmocka_unit_test(test_conveyors_and_spins_are_judged),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_initial_overlap_is_excused_until_apart),
		cmocka_unit_test(test_initial_overlap_must_not_deepen),
		cmocka_unit_test(test_pushes),
		cmocka_unit_test(test_parked_stands_still_and_keeps_its_velocity),
		cmocka_unit_test(test_crushed_is_not_counted),
		cmocka_unit_test(test_sliding_on_a_support),
		cmocka_unit_test(test_asleep_from_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
