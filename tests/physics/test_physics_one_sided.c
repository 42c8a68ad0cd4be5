/* One-sided segments: what is stopped and what passes, on the face, at the ends, in chains, at rest and in heaps. Every tick is
 * certified: the certificate follows each passage by itself. The floor here goes from left to right, so that it stops what
 * comes from above. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>

static const double radius = 0.5;

static struct segment_def *
platform(struct scenario *scenario, double x1, double y1, double x2, double y2)
{
	struct segment_def *segment = scenario_segment(scenario, x1, y1, x2, y2);
	segment->one_sided = true;
	return segment;
}

/* One ball against a platform from (-10, 0) to (10, 0): where it is and how fast after a time, and what it met. */
struct outcome {
	struct body_state body;
	size_t contacts;
};

static struct outcome
ball_run(double thickness, double gravity, double x, double y, double vx, double vy, double time)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -gravity;
	platform(&scenario, -10, 0, 10, 0)->radius = thickness;
	scenario_circle(&scenario, x, y, vx, vy, radius);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, time / 64, 64);
	const struct outcome outcome = { run_body(&run, 0), run.contact_count };
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
	return outcome;
}

/* From above it bounces, exactly as on a wall of two sides; from below it goes straight on, however fast. */
static void
test_left_is_stopped_and_right_passes(void **state)
{
	(void)state;
	static const double thicknesses[] = { 0, 0.25, 3 };
	static const double speeds[] = { 1, 100, 1e5 };
	for (size_t t = 0; t < 3; t++) {
		for (size_t s = 0; s < 3; s++) {
			const double from = thicknesses[t] + radius + 1, v = speeds[s], way = 8;
			const struct outcome down = ball_run(thicknesses[t], 0, 0, from, 0.25 * v, -v, way / v);
			assert_int_equal(down.contacts, 1);
			assert_same(down.body.vx, 0.25 * v);
			assert_same(down.body.vy, v);
			assert_double_near(down.body.y, from - 1 + (way - 1), 1e-8);
			const struct outcome up = ball_run(thicknesses[t], 0, 0, -from, 0.25 * v, v, way / v);
			assert_int_equal(up.contacts, 0);
			assert_same(up.body.vx, 0.25 * v);
			assert_same(up.body.vy, v);
			assert_double_near(up.body.y, way - from, 1e-9 * way);
		}
	}
}

/* Thrown up from below under gravity: it passes, turns and lands if it got out at the top, however little; else it falls back
 * through. The height of the throw, over the least that gets out, decides. */
static void
test_what_turns_back_within_falls_through(void **state)
{
	(void)state;
	static const double thicknesses[] = { 0, 0.3 };
	static const double over[] = { -1.4, -0.6, -0.1, -1e-6, -1e-8, 1e-8, 1e-3, 1 };
	for (size_t t = 0; t < 2; t++) {
		for (size_t i = 0; i < sizeof over / sizeof *over; i++) {
			const double g = 10, from = -3, out = radius + thicknesses[t];
			const double v = sqrt(2 * g * (out + over[i] - from)), back = 2 * v / g;
			const struct outcome thrown = ball_run(thicknesses[t], g, 0, from, 0, v, back);
			if (over[i] > 0) {
				assert_true(thrown.contacts > 0);
				assert_at_most(out, thrown.body.y);
			} else {
				assert_int_equal(thrown.contacts, 0);
				assert_double_near(thrown.body.y, from, 1e-9);
				assert_double_near(thrown.body.vy, -v, 1e-9);
			}
		}
	}
}

/* The game: a dull ball jumps through three platforms from the ground, stage by stage, lies on each, and is thrown again. */
static void
test_jumping_up_through_platforms_and_landing_on_them(void **state)
{
	(void)state;
	const double g = 20;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	scenario_segment(&scenario, -10, 0, 10, 0);
	for (int i = 1; i <= 3; i++)
		platform(&scenario, -5, 2 * i, 5, 2 * i)->radius = i == 2 ? 0.25 : 0;
	/* High enough for two stages, but it jumps from rest at x = 0 with the speed for one and a half. */
	scenario_circle(&scenario, 0, radius, 0, sqrt(2 * g * 3), radius);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 120);
	assert_double_near(run_body(&run, 0).y, 2 + radius, 1e-6);
	assert_same(run_body(&run, 0).vx, 0);
	const size_t landed = run.contact_count;
	assert_true(landed > 0);
	for (size_t i = 0; i < landed; i++) {
		assert_int_equal(run.contacts[i].contact.b, 1);
		assert_same(run.contacts[i].contact.normal[1], 1);
	}
	run_ticks(&run, 1.0 / 60, 600);
	assert_double_near(run_body(&run, 0).y, 2 + radius, 1e-6);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A ball past the end: from the left half of the cap it is stopped, from the right half it passes. The cap's point at an angle
 * from the outward direction; it comes straight at it. */
static void
test_only_the_left_half_of_an_end_counts(void **state)
{
	(void)state;
	static const double thicknesses[] = { 0, 0.3 };
	static const double degrees[] = { -89, -45, -1, -1e-3, 1e-3, 1, 45, 89 };
	for (size_t t = 0; t < 2; t++) {
		for (int end = 0; end < 2; end++) {
			for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
				const double out = end ? 1 : -1, nx = out * cos(degrees[i] * DEGREE), ny = sin(degrees[i] * DEGREE);
				const double far = radius + thicknesses[t] + 1;
				const struct outcome hit = ball_run(thicknesses[t], 0, out * 10 + far * nx, far * ny, -nx, -ny, 2);
				if (degrees[i] > 0) {
					assert_int_equal(hit.contacts, 1);
					assert_double_near(hit.body.vx, nx, 1e-9);
					assert_double_near(hit.body.vy, ny, 1e-9);
				} else {
					assert_int_equal(hit.contacts, 0);
					assert_same(hit.body.vx, -nx);
					assert_same(hit.body.vy, -ny);
				}
			}
		}
	}
}

/* On the end, its centre beyond. It slides off around the cap as from a wall of two sides while it is left of the line, then it
 * is free, and may go under the platform. */
static void
test_ball_half_over_an_end_slides_off(void **state)
{
	(void)state;
	double end_x[2], end_y[2], speed[2];
	for (int sided = 0; sided < 2; sided++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_segment(&scenario, -10, 0, 0, 0)->one_sided = sided != 0;
		scenario_circle(&scenario, 0.1, sqrt(radius * radius - 0.01) + 1e-9, 0, 0, radius);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 90);
		end_x[sided] = run_body(&run, 0).x;
		end_y[sided] = run_body(&run, 0).y;
		speed[sided] = run_body(&run, 0).vx;
		assert_true(run.contact_count > 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_same(end_x[0], end_x[1]);
	assert_same(end_y[0], end_y[1]);
	assert_same(speed[0], speed[1]);
	assert_true(speed[1] > 0.5 && end_y[1] < -1);
}

/* Pressed against the end by sideways gravity and sliding down around it. From a platform it comes off where its centre is
 * level with the line, and is drawn in under it. A wall of two sides holds it up to its other side. */
static void
test_ball_pressed_to_an_end_is_let_go_at_the_level_of_the_line(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_x = -10;
	platform(&scenario, -10, 0, 0, 0);
	const double tilt = 2 * DEGREE;
	scenario_circle(&scenario, radius * cos(tilt) * (1 + 1e-9), radius * sin(tilt) * (1 + 1e-9), 0.2 * sin(tilt),
	                -0.2 * cos(tilt), radius);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 120);
	/* Nothing is in its way to the left any more. */
	const struct body_state body = run_body(&run, 0);
	assert_true(body.x < -1 && body.y < 0);
	for (size_t i = 0; i < run.contact_count; i++)
		assert_at_most(-1e-9, run.contacts[i].contact.normal[1]);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Rests for a minute on platforms of all slopes and thicknesses, dull, with friction on the slopes. */
static void
test_rests_on_it_for_a_minute(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		const double angle = 13 * i * DEGREE, ux = cos(angle), uy = sin(angle), thick = i % 2 ? 0.2 : 0;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_x = 10 * uy;
		scenario.def.gravity_y = -10 * ux;
		struct segment_def *floor = platform(&scenario, -10 * ux, -10 * uy, 10 * ux, 10 * uy);
		floor->radius = thick;
		floor->friction = i / 3;
		for (int k = 0; k < 1 + 9 * (i % 3); k++)
			scenario_circle(&scenario, (k - 9) * 1.02 * ux - (radius + thick + 0.2) * uy,
			                (k - 9) * 1.02 * uy + (radius + thick + 0.2) * ux, 0, 0, radius);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, 1.0 / 60, effort(300, 3600));
		for (uint32_t k = 0; k < scenario.circle_count; k++) {
			const struct body_state body = run_body(&run, k);
			const double height = ux * body.y - uy * body.x - radius - thick;
			assert_at_most(0, height);
			assert_at_most(height, 0.0101 * radius);
		}
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A closed loop that stops what comes from inside. A circle of great speed never leaves, as in a loop of two sides, and with
 * the same bits, for nothing ever comes from the other side. */
static void
test_closed_loop_holds_as_one_of_two_sides(void **state)
{
	(void)state;
	static const double corners[][2] = { { -9, -7 }, { 2, -10 }, { 10, -3 }, { 8, 8 }, { -4, 10 }, { -11, 2 } };
	struct body_state end[2];
	for (int sided = 0; sided < 2; sided++) {
		struct scenario scenario;
		scenario_init(&scenario);
		for (size_t i = 0; i < 6; i++) {
			const size_t k = (i + 1) % 6;
			scenario_segment(&scenario, corners[i][0], corners[i][1], corners[k][0], corners[k][1])->one_sided = sided != 0;
		}
		scenario_circle(&scenario, 0, 0, 41000, 23000, radius);
		struct run run;
		run_start(&run, &scenario);
		run_ticks_unlogged(&run, 1.0 / 60, effort(150, 1000));
		end[sided] = run_body(&run, 0);
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_same(end[0].x, end[1].x);
	assert_same(end[0].y, end[1].y);
	assert_same(end[0].vx, end[1].vx);
}

/* The same loop from outside: whatever comes at it gets in, through faces, over corners, without a contact on the way in, and
 * then stays. */
static void
test_closed_loop_lets_everybody_in_and_nobody_out(void **state)
{
	(void)state;
	static const double corners[][2] = { { -9, -7 }, { 2, -10 }, { 10, -3 }, { 8, 8 }, { -4, 10 }, { -11, 2 } };
	for (int thick = 0; thick < 2; thick++) {
		struct scenario scenario;
		scenario_init(&scenario);
		for (size_t i = 0; i < 6; i++) {
			const size_t k = (i + 1) % 6;
			platform(&scenario, corners[i][0], corners[i][1], corners[k][0], corners[k][1])->radius = 0.4 * thick;
		}
		/* A ring of circles aimed at the corners, at points beside them and at the middle; they meet only the walls. */
		for (int i = 0; i < 120; i++) {
			const double way = 3 * i * DEGREE, from = 20 + i % 7;
			const double aim_x = i % 3 ? corners[i % 6][0] * 0.8 : 0, aim_y = i % 3 ? corners[i % 6][1] * 0.8 : 0;
			const double x = from * cos(way), y = from * sin(way), length = hypot(aim_x - x, aim_y - y);
			struct circle_def *circle = scenario_circle(&scenario, x, y, 10 * (aim_x - x) / length, 10 * (aim_y - y) / length,
			                                            radius);
			circle->category = 2;
			circle->mask = 1;
		}
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 30, 300);
		for (uint32_t i = 0; i < 120; i++)
			assert_at_most(hypot(run_body(&run, i).x, run_body(&run, i).y), 13);
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A solid hexagon of one-sided segments, left sides outward, struck at its corners: normals within the cone of both faces. And
 * what starts inside leaves it. */
static void
test_solid_polygon_struck_at_its_corners(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	for (int i = 0; i < 6; i++)
		platform(&scenario, 4 * cos(60 * (i + 1) * DEGREE), 4 * sin(60 * (i + 1) * DEGREE), 4 * cos(60 * i * DEGREE),
		         4 * sin(60 * i * DEGREE));
	for (int i = 0; i < 72; i++) {
		const double way = 5 * i * DEGREE + 0.01, off = 0.1 * (i % 5) * radius;
		struct circle_def *circle = scenario_circle(&scenario, 9 * cos(way) - off * sin(way), 9 * sin(way) + off * cos(way),
		                                            -5 * cos(way), -5 * sin(way), radius);
		circle->category = 2;
		circle->mask = 1;
	}
	for (int i = 0; i < 10; i++) {
		struct circle_def *circle = scenario_circle(&scenario, 0, 0, 5 * cos(36.5 * i * DEGREE), 5 * sin(36.5 * i * DEGREE),
		                                            radius);
		circle->category = 2;
		circle->mask = 1;
	}
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 30, 90);
	assert_int_equal(run.contact_count, 72);
	for (size_t i = 0; i < run.contact_count; i++) {
		const struct contact *contact = &run.contacts[i].contact;
		const struct segment_def *wall = &scenario.segments[contact->b];
		const double nx = -(wall->y2 - wall->y1) / 4, ny = (wall->x2 - wall->x1) / 4;
		const double along = nx * contact->normal[0] + ny * contact->normal[1];
		assert_true(contact->a < 72);
		assert_at_most(contact->feature == FEATURE_FACE ? 1 - 1e-12 : cos(60 * DEGREE) - 1e-9, along);
	}
	for (uint32_t i = 0; i < 82; i++)
		assert_at_most(4, hypot(run_body(&run, i).x, run_body(&run, i).y));
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A heap that is driven by the resting solver lies on platforms while others are thrown through it from below. */
static void
test_heap_on_a_platform_and_balls_from_below(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_box(&scenario, -6, -8, 6, 30);
	platform(&scenario, -6, 0, -2, 0);
	platform(&scenario, -2, 0, 1, 0);
	platform(&scenario, 1, 0, 6, 0);
	for (int i = 0; i < 50; i++)
		scenario_circle(&scenario, -5 + i % 10 + 0.05 * (i / 10 % 2), radius + 0.02 + i / 10, 0, 0, 0.48)->friction = 0.3;
	for (int i = 0; i < 8; i++)
		scenario_circle(&scenario, -5 + 1.2 * i, -5, 0.1 * i, 18, radius)->friction = 0.3;
	scenario_restitution(&scenario, 0.2);
	for (size_t i = 0; i < scenario.segment_count; i++)
		scenario.segments[i].friction = 0.3;
	struct run run;
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 900);
	/* None that was on it may be below: only those from below may have fallen back. */
	for (uint32_t i = 0; i < 50; i++)
		assert_at_most(0.47, run_body(&run, i).y);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A scene that begins with a ball in a platform: it passes, and is not pushed out; one that lies on it, overlapping by
 * rounding, stays on it. */
static void
test_scene_that_begins_with_a_ball_in_it(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	platform(&scenario, -10, 0, 10, 0);
	scenario_circle(&scenario, -3, 0.3, 0, 0, radius);
	scenario_circle(&scenario, 0, -0.3, 0, 0, radius);
	scenario_circle(&scenario, 3, radius * (1 - 1e-10), 0, 0, radius);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 60);
	for (size_t i = 0; i < run.change_count; i++)
		assert_true(run.changes[i].change.kind != PATH_PUSHED || run.changes[i].change.body == 2);
	assert_double_near(run_body(&run, 0).y, 0.3 - 5, 1e-9);
	assert_double_near(run_body(&run, 1).y, -0.3 - 5, 1e-9);
	assert_double_near(run_body(&run, 2).y, radius, 1e-8);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A wall of two sides hangs from a platform, or stands on it. Its end is real for what passes the platform, and is not felt by
 * what rolls over it on the other side. */
static void
test_wall_that_ends_on_a_platform(void **state)
{
	(void)state;
	for (int stands = 0; stands < 2; stands++) {
		struct scenario scenario;
		scenario_init(&scenario);
		platform(&scenario, -10, 0, 10, 0);
		scenario_segment(&scenario, 0, 0, 0, stands ? 5 : -5);
		/* From below, past the lower end of what stands: struck off its way by the end at (0, 0), and only by that. */
		scenario_circle(&scenario, 0.3, -3, 0, 4, radius);
		/* Over what hangs: not a bit. */
		scenario_circle(&scenario, -6, radius, 3, 0, radius);
		scenario.circles[1].category = 4;
		scenario.circles[1].mask = 1;
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 32, stands ? 32 : 128);
		if (stands) {
			assert_int_equal(run.contact_count, 1);
			assert_int_equal(run.contacts[0].contact.b, 1);
			assert_int_equal(run.contacts[0].contact.feature, FEATURE_END_1);
			assert_double_near(run.contacts[0].contact.normal[0], 0.6, 1e-8);
			assert_double_near(run.contacts[0].contact.normal[1], -0.8, 1e-8);
		} else {
			assert_same(run_body(&run, 1).vx, 3);
			assert_same(run_body(&run, 1).vy, 0);
			for (size_t i = 0; i < run.contact_count; i++)
				assert_int_equal(run.contacts[i].contact.a, 0);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Random balls among random platforms, thin and thick, gravity and none: the certificate looks for itself. */
static void
test_random_passages(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		uint64_t random = seed;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = seed % 3 ? -10 : 0;
		const double thick = seed % 2 ? 0.3 : 0;
		double x = random_between(&random, -8, 8), y = random_between(&random, -8, 8);
		for (int i = 0; i < 12; i++) {
			const double x2 = random_between(&random, -8, 8), y2 = random_between(&random, -8, 8);
			platform(&scenario, x, y, x2, y2)->radius = thick;
			if (random_below(&random, 2)) {
				x = x2;
				y = y2;
			} else {
				x = random_between(&random, -8, 8);
				y = random_between(&random, -8, 8);
			}
		}
		for (int i = 0; i < 20; i++) {
			struct circle_def *circle = scenario_circle(&scenario, random_between(&random, -12, 12),
			                                            random_between(&random, -12, 12), random_between(&random, -20, 20),
			                                            random_between(&random, -20, 20), random_between(&random, 0.1, 1));
			circle->restitution = random_between(&random, 0, 1);
			circle->category = seed % 5 ? 2 : 1;
			circle->mask = 1;
		}
		scenario.def.restitution_mix = RESTITUTION_MIX_MIN;
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 30, 60);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_is_stopped_and_right_passes),
		cmocka_unit_test(test_what_turns_back_within_falls_through),
		cmocka_unit_test(test_jumping_up_through_platforms_and_landing_on_them),
		cmocka_unit_test(test_only_the_left_half_of_an_end_counts),
		cmocka_unit_test(test_ball_half_over_an_end_slides_off),
		cmocka_unit_test(test_ball_pressed_to_an_end_is_let_go_at_the_level_of_the_line),
		long_case(test_rests_on_it_for_a_minute),
		cmocka_unit_test(test_closed_loop_holds_as_one_of_two_sides),
		long_case(test_closed_loop_lets_everybody_in_and_nobody_out),
		cmocka_unit_test(test_solid_polygon_struck_at_its_corners),
		long_case(test_heap_on_a_platform_and_balls_from_below),
		cmocka_unit_test(test_scene_that_begins_with_a_ball_in_it),
		cmocka_unit_test(test_wall_that_ends_on_a_platform),
		cmocka_unit_test(test_random_passages),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
