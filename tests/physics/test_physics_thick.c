/* Thick segments: when and where they are hit, which joints are smooth, what lies on them, and ends that lie on other
 * segments. All times are of contact at r + s + skin. */
#include "physics/scenario.h"

#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

/* One ball against one capsule from (0, 0) to (10, 0) of radius `thick`; `times` the ball's first contact. */
static struct logged_contact
first_hit(double thick, double radius, double gravity, double x, double y, double vx, double vy)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -gravity;
	scenario_segment(&scenario, 0, 0, 10, 0)->radius = thick;
	scenario_circle(&scenario, x, y, vx, vy, radius);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 8);
	assert_true(run.contact_count >= 1);
	const struct logged_contact hit = run.contacts[0];
	run_finish(&run);
	scenario_finish(&scenario);
	return hit;
}

static void
test_times_of_contact_by_formula(void **state)
{
	(void)state;
	static const double thicknesses[] = { 1e-9, 0.01, 0.25, 1, 40 };
	static const double radii[] = { 0.01, 0.5, 7 };
	for (size_t t = 0; t < 5; t++) {
		for (size_t k = 0; k < 3; k++) {
			const double r = radii[k], s = thicknesses[t], skin = pair_skin(2 * (r + s + 3) + 10, r), R = r + s + skin;
			/* The face from both sides, straight and under gravity: h0 - v t - g t^2 / 2 = R. */
			for (int side = -1; side <= 1; side += 2) {
				const double h = R + 3, v = 2;
				struct logged_contact hit = first_hit(s, r, 0, 4, side * h, 0.5, -side * v);
				assert_double_near(hit.at, 3 / v, 1e-9 * R + 1e-12);
				assert_int_equal(hit.contact.feature, FEATURE_FACE);
				assert_same(hit.contact.normal[1], side);
				assert_double_near(hit.contact.point[1], side * s, 2 * skin + 1e-12);
			}
			const double h = R + 3, v = 1, g = 2;
			const struct logged_contact fall = first_hit(s, r, g, 4, h, 0.25, -v);
			assert_double_near(fall.at, (sqrt(v * v + 2 * g * 3) - v) / g, 1e-9 * R + 1e-12);
			/* An end, off its middle by R / 2: the centre is R cos 30 degrees from it along the way. */
			const double far = R * cos(30 * DEGREE) + 2;
			struct logged_contact hit = first_hit(s, r, 0, -far, R / 2, 1, 0);
			assert_double_near(hit.at, 2, 4e-9 * R + 1e-12);
			assert_int_equal(hit.contact.feature, FEATURE_END_1);
			assert_double_near(hit.contact.normal[0], -cos(30 * DEGREE), 1e-7);
			assert_double_near(hit.contact.normal[1], 0.5, 1e-7);
			hit = first_hit(s, r, 0, 10 + far, -R / 2, -1, 0);
			assert_double_near(hit.at, 2, 4e-9 * R + 1e-12);
			assert_int_equal(hit.contact.feature, FEATURE_END_2);
			/* At the seam: straight down on the end itself, where face and cap say the same. */
			hit = first_hit(s, r, 0, 10, R + 2, 0, -1);
			assert_double_near(hit.at, 2, 1e-9 * R + 1e-12);
			assert_double_near(hit.contact.normal[1], 1, 1e-12);
		}
	}
}

/* A ball of radius r over capsules of radius s does what one of r + s does over thin segments. Dyadic numbers, far from
 * rounding. */
static void
test_thick_walls_are_larger_circles(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 40; seed++) {
		struct scenario scenes[2];
		struct run runs[2];
		const double s = 0.25, r = 0.5;
		for (int k = 0; k < 2; k++) {
			uint64_t random = seed;
			scenario_init(&scenes[k]);
			scenes[k].def.gravity_y = seed % 2 ? -4 : 0;
			double x = 0, y = 0;
			for (int i = 0; i < 8; i++) {
				const double x2 = random_between(&random, -8, 8), y2 = random_between(&random, -8, 8);
				scenario_segment(&scenes[k], x, y, x2, y2)->radius = k ? 0 : s;
				x = x2;
				y = y2;
			}
			scenario_circle(&scenes[k], random_between(&random, -8, 8), 20, random_between(&random, -1, 1), -8, k ? r + s : r);
			run_start(&runs[k], &scenes[k]);
			run_ticks(&runs[k], 1.0 / 64, 160);
		}
		/* The skins differ by 1e-9 s, and later hits magnify that. */
		assert_true(runs[0].contact_count > 0 || runs[1].contact_count == 0);
		if (runs[0].contact_count > 0) {
			assert_double_near(runs[0].contacts[0].at, runs[1].contacts[0].at, 1e-7);
			assert_int_equal(runs[0].contacts[0].contact.b, runs[1].contacts[0].contact.b);
			assert_double_near(runs[0].contacts[0].contact.normal[0], runs[1].contacts[0].contact.normal[0], 1e-7);
		}
		for (int k = 0; k < 2; k++) {
			run_finish(&runs[k]);
			scenario_finish(&scenes[k]);
		}
	}
}

/* Rolling over the joints of thick segments of one radius leaves every bit of the velocity; one that is thicker by a little is
 * a step, which is hit. */
static void
test_joints_of_equal_radius_are_smooth_and_others_are_steps(void **state)
{
	(void)state;
	for (int step = 0; step < 2; step++) {
		struct scenario scenario;
		scenario_init(&scenario);
		for (int i = 0; i < 20; i++)
			scenario_segment(&scenario, i % 3 ? i : i + 1, 0, i % 3 ? i + 1 : i, 0)->radius = 0.25 +
			                                                                                  (step && i >= 10 ? 0.01 : 0);
		scenario_circle(&scenario, 1, 0.75, 2, 0, 0.5);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 8, 64);
		if (step) {
			assert_int_equal(run.contact_count, 1);
			/* The cap of the first thicker one around (10, 0), met at height .75: its normal's height is .75 / .76. */
			assert_int_equal(run.contacts[0].contact.b, 10);
			assert_double_near(run.contacts[0].contact.normal[1], 0.75 / 0.76, 1e-8);
		} else {
			assert_int_equal(run.contact_count, 0);
			assert_same(run_body(&run, 0).vx, 2);
			assert_same(run_body(&run, 0).vy, 0);
			assert_same(run_body(&run, 0).x, 17);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A stub ends on the middle of a wall: at an end of the stub's, or of the wall's own thickness, or within a thicker wall.
 * Rolled past on the other side it is not felt, on the stub's side it is hit with its face; in all directions of both, ids
 * shuffled. */
static void
test_end_on_a_wall_is_not_felt(void **state)
{
	(void)state;
	static const double thick[][2] = { { 0, 0 }, { 0.25, 0.25 }, { 0.25, 0.125 }, { 0.25, 0 } };
	for (int variant = 0; variant < 4 * 8; variant++) {
		const double wall = thick[variant / 8][0], stub = thick[variant / 8][1];
		struct scenario scenario;
		scenario_init(&scenario);
		if (variant & 1)
			scenario_segment(&scenario, 0, 0, 30, 40)->radius = wall;
		else
			scenario_segment(&scenario, 30, 40, 0, 0)->radius = wall;
		/* At 3/10 of the wall: 9, 12; the stub goes off to the right of (3, 4) by 2 (4, -3). Its cap just reaches the surface
		 * of a thicker wall on the left. */
		const double rise = (wall - stub) / 5, x = 9 - 4 * rise, y = 12 + 3 * rise;
		struct segment_def *end = variant & 2 ? scenario_segment(&scenario, x, y, 17, 6)
		                                      : scenario_segment(&scenario, 17, 6, x, y);
		end->radius = stub;
		if (variant & 4) {
			scenario.segments[0].id = 1;
			scenario.segments[1].id = 0;
		}
		/* Two balls, on either side, on the wall, that do not meet each other. */
		const double lift = 0.5 + wall;
		scenario_circle(&scenario, 3 - 0.8 * lift, 4 + 0.6 * lift, 3, 4, 0.5);
		scenario_circle(&scenario, 3 + 0.8 * lift, 4 - 0.6 * lift, 3, 4, 0.5);
		for (int i = 0; i < 2; i++) {
			scenario.circles[i].category = 2;
			scenario.circles[i].mask = 1;
		}
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 8, 32);
		const struct body_state left = run_body(&run, 0), right = run_body(&run, 1);
		assert_double_near(left.vx, 3, 1e-15 * 5);
		assert_double_near(left.vy, 4, 1e-15 * 5);
		assert_double_near(left.x, 3 - 0.8 * lift + 12, 1e-6);
		assert_double_near(right.vx, -3, 1e-9);
		assert_double_near(right.vy, -4, 1e-9);
		for (size_t i = 0; i < run.contact_count; i++) {
			assert_int_equal(run.contacts[i].contact.a, 1);
			assert_int_equal(run.contacts[i].contact.feature, FEATURE_FACE);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* An end that sticks out of a wall, or out of a thinner one as its cap, is real. */
static void
test_end_that_sticks_out_is_real(void **state)
{
	(void)state;
	for (int cap = 0; cap < 2; cap++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_segment(&scenario, -20, 0, 20, 0);
		scenario_segment(&scenario, 0, -5, 0, cap ? 0 : 0.01)->radius = cap ? 0.01 : 0;
		scenario_circle(&scenario, -5, 0.5, 2, 0, 0.5);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 8, 24);
		assert_true(run.contact_count > 0);
		assert_int_equal(run.contacts[0].contact.b, 1);
		/* At height r over an end that is .01 higher: of r, or of r + .01 over one that is not. */
		assert_double_near(run.contacts[0].contact.normal[1], cap ? 0.5 / 0.51 : 0.49 / 0.5, 1e-7);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* What meets the stub alone is struck by its end, though it lies on a wall. */
static void
test_end_on_a_wall_that_the_circle_does_not_meet(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, -20, 0, 20, 0)->category = 2;
	scenario_segment(&scenario, 0, -5, 0, 0);
	scenario_circle(&scenario, 0.3, 2, 0, -1, 0.5)->mask = 1;
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 2);
	assert_int_equal(run.contact_count, 1);
	assert_int_equal(run.contacts[0].contact.feature, FEATURE_END_2);
	assert_double_near(run.contacts[0].contact.normal[1], 0.8, 1e-8);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A heap driven by the resting solver on a floor of thick segments and stubs that hang below, joints and T-junctions
 * everywhere. It lies still, and rolls along without a bump. */
static void
test_heap_on_thick_walls_with_junctions(void **state)
{
	(void)state;
	for (int thick = 0; thick < 2; thick++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		const double s = 0.3 * thick;
		scenario_box(&scenario, -6, 0, 6, 30);
		for (int i = 0; i < 11; i++)
			scenario_segment(&scenario, -5 + i, 0, -5 + i + 0.3, -2);
		for (size_t i = 0; i < scenario.segment_count; i++)
			scenario.segments[i].radius = s;
		for (int i = 0; i < 60; i++)
			scenario_circle(&scenario, -4.9 + i % 10 * 1.02 + 0.05 * (i / 10 % 2), 0.55 + s + i / 10, 0, 0, 0.48);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, 1.0 / 60, 600);
		double speed = 0;
		for (uint32_t i = 0; i < 60; i++)
			speed = fmax(speed, hypot(run_body(&run, i).vx, run_body(&run, i).vy));
		assert_at_most(speed, 0.05);
		assert_at_most(run_overlap(&run, &scenario), 0);
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Dull balls with friction roll, driven by the solver, over joints and past stubs: their speed along the floor changes by
 * nothing but what rolling costs, which is nothing. */
static void
test_led_ball_rolls_over_joints_and_stubs(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	for (int i = 0; i < 40; i++)
		scenario_segment(&scenario, i % 2 ? i : i + 1, 0, i % 2 ? i + 1 : i, 0)->friction = 1;
	for (int i = 0; i < 39; i++)
		scenario_segment(&scenario, i + 0.5, i % 3 ? 0 : -1, i + 0.25, i % 3 ? -1 : 0)->friction = 1;
	struct circle_def *ball = scenario_circle(&scenario, 2, 0.5, 3, 0, 0.5);
	ball->friction = 1;
	ball->angular_velocity = -6;
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	for (int i = 0; i < 600; i++) {
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		assert_double_near(run_body(&run, 0).vx, 3, 1e-6);
		assert_at_most(run_body(&run, 0).y, 0.506);
	}
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A body that meets only one of two joined walls rests on that one's end, driven by the solver, beside the other. */
static void
test_heap_beside_a_joint_that_it_does_not_meet(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -10, 0, 0, 0)->friction = 1;
	scenario_segment(&scenario, 0, 0, 10, -1)->category = 2;
	struct circle_def *ball = scenario_circle(&scenario, -0.2, 0.5, 0.3, 0, 0.5);
	ball->friction = 1;
	ball->mask = 1;
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 240);
	/* It rolls over the edge and falls. */
	assert_at_most(run_body(&run, 0).y, -1);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_of_contact_by_formula),
		cmocka_unit_test(test_thick_walls_are_larger_circles),
		cmocka_unit_test(test_joints_of_equal_radius_are_smooth_and_others_are_steps),
		cmocka_unit_test(test_end_on_a_wall_is_not_felt),
		cmocka_unit_test(test_end_that_sticks_out_is_real),
		cmocka_unit_test(test_end_on_a_wall_that_the_circle_does_not_meet),
		long_case(test_heap_on_thick_walls_with_junctions),
		cmocka_unit_test(test_led_ball_rolls_over_joints_and_stubs),
		cmocka_unit_test(test_heap_beside_a_joint_that_it_does_not_meet),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
