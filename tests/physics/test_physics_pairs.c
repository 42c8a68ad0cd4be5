/* One pair at a time: fast, grazing, end points, overlapping at the start. */
#include "physics/scenario.h"

#include <math.h>

/* Head-on at 1,000 radii per tick each, from 998 apart: they meet at (998 - 2 - skin) / 2000 of the tick and, being equal,
 * exchange velocities. Along both axes and a diagonal. */
static void
test_head_on_at_1000_radii_per_tick_each(void **state)
{
	(void)state;
	static const double directions[][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0.6, 0.8 }, { -0.8, 0.6 } };
	for (size_t i = 0; i < sizeof directions / sizeof *directions; i++) {
		const double ux = directions[i][0], uy = directions[i][1], v = 1000;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_circle(&scenario, -499 * ux, -499 * uy, v * ux, v * uy, 1);
		scenario_circle(&scenario, 499 * ux, 499 * uy, -v * ux, -v * uy, 1);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		assert_int_equal(run.contact_count, 1);
		const struct contact *contact = &run.contacts[0].contact;
		/* The gap of 996 is known to an ulp of 1000, 1.1e-13, and closes at 2000. */
		assert_double_near(contact->time, (996 - pair_skin(499, 1)) / (2 * v), 3e-16);
		assert_double_near(contact->normal[0], -ux, 1e-13);
		assert_double_near(contact->normal[1], -uy, 1e-13);
		assert_double_near(contact->approach_speed, 2 * v, 1e-12 * v);
		assert_double_near(contact->impulse, 2 * v, 1e-12 * v);
		const struct body_state a = run_body(&run, 0), b = run_body(&run, 1);
		assert_double_near(a.vx, -v * ux, 1e-12 * v);
		assert_double_near(a.vy, -v * uy, 1e-12 * v);
		assert_double_near(b.vx, v * ux, 1e-12 * v);
		/* Symmetric to the last bit would need symmetric rounding; to rounding it must be. */
		assert_double_near(a.x + b.x, 0, 1e-12 * v);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Two circles fly at 1,000 radii per tick so that their least distance would be `least`. Returns the number of contacts and, if
 * any, the largest change of a velocity relative to the speed. */
static size_t
pass_at(double least, bool crossing, double *change)
{
	const double v = 1000;
	struct scenario scenario;
	scenario_init(&scenario);
	if (crossing) {
		/* At right angles: the second is late by s, and the least distance is s / sqrt(2). */
		scenario_circle(&scenario, -500, 0, v, 0, 1);
		scenario_circle(&scenario, least * sqrt(2), -500, 0, v, 1);
	} else {
		scenario_circle(&scenario, -500, 0, v, 0, 1);
		scenario_circle(&scenario, 500, least, -v, 0, 1);
	}
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	*change = 0;
	for (uint32_t id = 0; id < 2; id++) {
		const struct body_state body = run_body(&run, id);
		*change = fmax(*change, hypot(body.vx - scenario.circles[id].vx, body.vy - scenario.circles[id].vy) / v);
	}
	const size_t count = run.contact_count;
	run_finish(&run);
	scenario_finish(&scenario);
	return count;
}

/* With the skin in R a pass at R (1 + 1e-9) is a miss and one at R (1 - 1e-9) a hit: 1e-9 R is 2e-9, the coordinates' ulp
 * 1e-13. */
static void
test_crossing_and_missing_by_1e_9_of_r(void **state)
{
	(void)state;
	const double r = 2 + pair_skin(500, 1);
	for (int crossing = 0; crossing < 2; crossing++) {
		double change;
		assert_int_equal(pass_at(r * (1 + 1e-9), crossing, &change), 0);
		assert_same(change, 0);
		assert_int_equal(pass_at(-r * (1 + 1e-9), crossing, &change), 0);
		assert_same(change, 0);
		assert_int_equal(pass_at(r * (1 - 1e-9), crossing, &change), 1);
		assert_true(change > 0);
		assert_int_equal(pass_at(-r * (1 - 1e-9), crossing, &change), 1);
		/* Within a quarter of R and in the middle too. */
		assert_int_equal(pass_at(r / 4, crossing, &change), 1);
		assert_int_equal(pass_at(0, crossing, &change), 1);
	}
}

/* At R (1 - d) the normal makes sqrt(2 d) with the perpendicular of the path, 1.4e-6 for d = 1e-12. The relative velocity 2v
 * changes by 2 * 2v * 1.4e-6, each circle's by half of that: 2.8e-6 of v. */
static void
test_grazing_at_r_1e_12(void **state)
{
	(void)state;
	const double r = 2 + pair_skin(500, 1);
	double change;
	assert_int_equal(pass_at(r * (1 + 1e-12), false, &change), 0);
	assert_same(change, 0);
	assert_int_equal(pass_at(r * (1 - 1e-12), false, &change), 1);
	assert_true(change > 0);
	assert_at_most(change, 1e-5);
}

/* A circle passes the end of a segment. Where the skin of a circle and a segment is concerned physics.h can be read as the
 * circle's 1e-9 or as the coordinates' 64 ulp. So it is a miss beyond both, and a hit within both. */
static void
test_grazing_an_end_point(void **state)
{
	(void)state;
	for (int miss = 0; miss < 2; miss++) {
		const double radius = 1, h = miss ? (radius + pair_skin(500, radius)) * (1 + 1e-12) : radius * (1 - 1e-12);
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_segment(&scenario, 0, 0, 3, -20);
		scenario_circle(&scenario, -500, h, 1000, 0, radius);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		const struct body_state body = run_body(&run, 0);
		assert_int_equal(run.contact_count, miss ? 0 : 1);
		if (miss) {
			assert_same(body.vx, 1000);
			assert_same(body.vy, 0);
		} else {
			assert_int_equal(run.contacts[0].contact.feature, FEATURE_END_1);
			assert_true(body.vy > 0);
			/* Angle sqrt(2 (1e-12 + 1e-9)) at most; the velocity turns by twice that. */
			assert_at_most(body.vy / 1000, 1e-4);
			assert_double_near(hypot(body.vx, body.vy), 1000, 1e-10);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A circle of radius 1 flies along y = h past the end of a wall. At contact its centre is R from the end point, so the normal
 * is (-sqrt(R^2 - h^2), h) / R and the velocity is mirrored in it. */
static void
end_point_run(bool second_end, double h)
{
	const double v = 5, r = 1 + pair_skin(10, 1);
	struct scenario scenario;
	scenario_init(&scenario);
	if (second_end)
		scenario_segment(&scenario, 10, 0, 0, 0);
	else
		scenario_segment(&scenario, 0, 0, 10, 0);
	scenario_circle(&scenario, -5, h, v, 0, 1);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 2, 1);
	assert_int_equal(run.contact_count, 1);
	const struct contact *contact = &run.contacts[0].contact;
	assert_int_equal(contact->other, CONTACT_SEGMENT);
	assert_int_equal(contact->feature, second_end ? FEATURE_END_2 : FEATURE_END_1);
	const double nx = -sqrt(r * r - h * h) / r, ny = h / r;
	assert_double_near(contact->normal[0], nx, 3e-9);
	assert_double_near(contact->normal[1], ny, 3e-9);
	assert_double_near(contact->time, (5 + nx * r) / v, 3e-9);
	/* The point is where the surface of the circle meets the end: the origin, to the skin. */
	assert_double_near(contact->point[0], 0, 3e-9);
	assert_double_near(contact->point[1], 0, 3e-9);
	assert_double_near(contact->approach_speed, -v * nx, 1e-7);
	assert_double_near(contact->impulse, -2 * v * nx, 1e-7);
	const struct body_state body = run_body(&run, 0);
	assert_double_near(body.vx, v - 2 * v * nx * nx, 1e-7);
	assert_double_near(body.vy, -2 * v * nx * ny, 1e-7);
	assert_double_near(hypot(body.vx, body.vy), v, 1e-14 * v);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_end_point_hit_has_its_normal_from_the_point(void **state)
{
	(void)state;
	static const double heights[] = { 0, 0.3, -0.3, 0.8, -0.95 };
	for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
		end_point_run(false, heights[i]);
		end_point_run(true, heights[i]);
	}
}

/* Dropped exactly over the end of a wall, where face and end point meet: whichever is named, the normal is (0, 1). */
static void
test_seam_of_face_and_end_point(void **state)
{
	(void)state;
	for (int end = 0; end < 2; end++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_segment(&scenario, 0, 0, 10, 0);
		scenario_circle(&scenario, 10 * end, 3, 0, -1, 1);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1, 4);
		assert_int_equal(run.contact_count, 1);
		assert_double_near(run.contacts[0].contact.normal[0], 0, 1e-15);
		assert_same(run.contacts[0].contact.normal[1], 1);
		const struct body_state body = run_body(&run, 0);
		assert_double_near(body.vx, 0, 1e-15);
		assert_same(body.vy, 1);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Overlapping by a quarter and approaching: they are put apart and meet now, exchanging velocities. */
static void
test_start_overlapping_and_approaching_collides_now(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 1, 0, 1);
	scenario_circle(&scenario, 1.5, 0, -1, 0, 1);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 0.125, 1);
	assert_int_equal(run.collisions, 1);
	assert_double_near(run.contacts[0].at, 0, 1e-8);
	const struct body_state a = run_body(&run, 0), b = run_body(&run, 1);
	assert_double_near(a.vx, -1, 1e-15);
	assert_double_near(b.vx, 1, 1e-15);
	assert_double_near(a.vy, 0, 1e-15);
	assert_at_most(run_overlap(&run, &scenario), 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Overlapping and receding: they may be put apart, but make no contact, and no velocity changes by a bit. */
static void
test_start_overlapping_and_receding_makes_no_contact(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, -1, 0.5, 1);
	scenario_circle(&scenario, 1.5, 0.25, 2, 0.25, 1);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 0.25, 4);
	assert_int_equal(run.contact_count, 0);
	for (uint32_t id = 0; id < 2; id++) {
		assert_same(run_body(&run, id).vx, scenario.circles[id].vx);
		assert_same(run_body(&run, id).vy, scenario.circles[id].vy);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Concentric, at rest and moving: no direction is given by geometry, so a canonical one is taken. Never a NaN (run_ticks
 * checks), the same again for the same input, and apart afterwards with no energy made. */
static void
test_start_concentric_takes_a_canonical_normal(void **state)
{
	(void)state;
	static const double speeds[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { -1, 0 }, { -0.3, -0.4 } };
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
		const double vx = speeds[i][0], vy = speeds[i][1];
		uint64_t hash = 0;
		for (int repeat = 0; repeat < 2; repeat++) {
			struct scenario scenario;
			scenario_init(&scenario);
			scenario_circle(&scenario, 3, -2, vx, vy, 1);
			scenario_circle(&scenario, 3, -2, -vx, -vy, 1);
			struct run run;
			run_start(&run, &scenario);
			run_ticks(&run, 1.0 / 64, 64);
			assert_at_most(run_overlap(&run, &scenario), 0);
			assert_double_near(run_energy(&run, &scenario), vx * vx + vy * vy, 1e-14);
			for (size_t k = 0; k < run.contact_count; k++)
				assert_double_near(hypot(run.contacts[k].contact.normal[0], run.contacts[k].contact.normal[1]), 1, 1e-15);
			if (repeat)
				assert_true(world_hash(run.world) == hash);
			hash = world_hash(run.world);
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* With gravity and friction the rest solver parts them. Centres that are so near that the square of their distance underflows
 * have a normal of length 1 as well (once of infinite length: found by the request fuzzer). */
static void
test_start_nearly_concentric_under_gravity_is_finite(void **state)
{
	(void)state;
	static const double offsets[][2] = {
		{ 0, 0 },           { 1.265e-321, 0 },   { 0, 1.265e-321 },  { 1e-321, 2.8e-308 }, { -1e-310, 1e-310 },
		{ 3e-162, 4e-162 }, { 1e-160, -1e-161 }, { 1e-151, 1e-151 }, { 1e-150, 0 },        { 1e-100, 1e-140 }
	};
	for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -128;
		scenario_circle(&scenario, 0, 0, 0, 0, 0.1)->friction = 5;
		scenario_circle(&scenario, offsets[i][0], offsets[i][1], 0, 0, 1)->friction = 0.5;
		for (size_t k = 0; k < 2; k++)
			scenario.circles[k].restitution = 0;
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 30);
		assert_at_most(run_overlap(&run, &scenario), 0);
		/* Both fall, no faster than one alone. */
		for (uint32_t k = 0; k < 2; k++) {
			assert_at_most(run_body(&run, k).vy, -32);
			assert_at_most(-64 * (1 + 1e-9), run_body(&run, k).vy);
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A centre exactly on a segment: the rule picks a side, the ball is pushed there once (one PATH_PUSHED, in the first tick),
 * and stays there. The push gives no velocity; a velocity into the wall bounces from it, whichever side it is. */
static void
centre_on_segment_run(double vx, double vy)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, -50, 0, 50, 0);
	scenario_circle(&scenario, 0, 0, vx, vy, 1);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 16, 1);
	const struct body_state first = run_body(&run, 0);
	const double side = first.y > 0 ? 1 : -1;
	assert_true(fabs(first.y) >= 1);
	run_ticks(&run, 1.0 / 16, 63);
	size_t pushed = 0;
	for (size_t i = 0; i < run.change_count; i++) {
		if (run.changes[i].change.kind != PATH_PUSHED)
			continue;
		pushed++;
		assert_int_equal(run.changes[i].tick, 1);
	}
	assert_int_equal(pushed, 1);
	const struct body_state body = run_body(&run, 0);
	assert_true(body.y * side >= 1);
	assert_same(body.vx, vx);
	assert_double_near(body.vy * side, fabs(vy), 1e-15);
	assert_true(run.collisions <= 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_centre_exactly_on_the_segment_is_pushed_to_one_side_once(void **state)
{
	(void)state;
	centre_on_segment_run(0, 0);
	centre_on_segment_run(1, 0);
	centre_on_segment_run(0, 1);
	centre_on_segment_run(0, -1);
	centre_on_segment_run(0.5, -0.25);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head_on_at_1000_radii_per_tick_each),
		cmocka_unit_test(test_crossing_and_missing_by_1e_9_of_r),
		cmocka_unit_test(test_grazing_at_r_1e_12),
		cmocka_unit_test(test_grazing_an_end_point),
		cmocka_unit_test(test_end_point_hit_has_its_normal_from_the_point),
		cmocka_unit_test(test_seam_of_face_and_end_point),
		cmocka_unit_test(test_start_overlapping_and_approaching_collides_now),
		cmocka_unit_test(test_start_overlapping_and_receding_makes_no_contact),
		cmocka_unit_test(test_start_concentric_takes_a_canonical_normal),
		cmocka_unit_test(test_start_nearly_concentric_under_gravity_is_finite),
		cmocka_unit_test(test_centre_exactly_on_the_segment_is_pushed_to_one_side_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
