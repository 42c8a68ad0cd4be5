/* Walls made of many segments: joints must not be felt, and normals must be those of the faces around the point of contact. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>

static const double radius = 0.5;

/* A straight chain of `count` segments from the origin, each (ux, uy) long: whole numbers, so that all points are exact. */
static void
chain_straight(struct scenario *scenario, int count, double ux, double uy)
{
	for (int i = 0; i < count; i++)
		scenario_segment(scenario, i * ux, i * uy, (i + 1) * ux, (i + 1) * uy);
}

/* A ball `gap` away from the straight chain on the side (-uy, ux), moving along it over 990 of 1,000 segments. Nothing
 * pushes it sideways, so nothing may change a bit of its velocity, and it makes no contact. */
static void
roll_run(double ux, double uy, double gap, double side)
{
	const double length = hypot(ux, uy);
	const double nx = -side * uy / length, ny = side * ux / length;
	/* Two segments a second: whole numbers, so that the direction is exact. */
	const double vx = 2 * ux, vy = 2 * uy;
	struct scenario scenario;
	scenario_init(&scenario);
	chain_straight(&scenario, 1000, ux, uy);
	scenario_circle(&scenario, 5 * ux + (radius + gap) * nx, 5 * uy + (radius + gap) * ny, vx, vy, radius);
	struct run run;
	run_start(&run, &scenario);
	for (int i = 0; i < 495; i++) {
		run_ticks(&run, 1, 1);
		const struct body_state body = run_body(&run, 0);
		assert_same(body.vx, vx);
		assert_same(body.vy, vy);
	}
	assert_int_equal(run.contact_count, 0);
	const struct body_state body = run_body(&run, 0);
	/* 495 sums, each rounded at a coordinate of up to 1000 lengths; and a start inside the skin may be put to its rim. */
	assert_double_near(body.x, 995 * ux + (radius + gap) * nx, 495 * 0x1p-53 * 1000 * length + 2e-9);
	assert_double_near(body.y, 995 * uy + (radius + gap) * ny, 495 * 0x1p-53 * 1000 * length + 2e-9);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_roll_over_1000_collinear_segments_keeps_every_bit_of_the_velocity(void **state)
{
	(void)state;
	/* Touching (inside the skin by all of it), inside by half, and a hair above. */
	static const double gaps[] = { 0, 0.25e-9, 1e-8 };
	for (size_t i = 0; i < effort(1, sizeof gaps / sizeof *gaps); i++) {
		for (int side = -1; side <= 1; side += 2) {
			if (effort(0, 1) > 0) {
				roll_run(1, 0, gaps[i], side);
				roll_run(0, 1, gaps[i], side);
				roll_run(-1, 0, gaps[i], side);
				roll_run(3, 4, gaps[i], side);
			}
			roll_run(-4, 3, gaps[i], side);
		}
	}
}

/* A ball that hits exactly above joints, at (5, 0) and (300, 0): mirrored without an error, for the
 * normal of a flat joint is (0, 1) exactly. The circle's bottom meets y = 0 after 1 and 2 seconds less the skin. */
static void
test_hit_on_a_flat_joint_is_a_hit_on_a_face(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	chain_straight(&scenario, 1000, 1, 0);
	scenario_circle(&scenario, 4, 1 + radius, 1, -1, radius);
	scenario_circle(&scenario, 300, 2 + radius, 0, -1, radius);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 0.25, 40);
	assert_int_equal(run.contact_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_same(run.contacts[i].contact.normal[0], 0);
		assert_same(run.contacts[i].contact.normal[1], 1);
		assert_same(run.contacts[i].contact.impulse, 2);
	}
	const struct body_state oblique = run_body(&run, 0), straight = run_body(&run, 1);
	assert_same(oblique.vx, 1);
	assert_same(oblique.vy, 1);
	assert_same(straight.vx, 0);
	assert_same(straight.vy, 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Sliding under gravity with restitution 0: along the axis gravity is normal to the chain and vx keeps every bit. Along (3, 4)
 * gravity (4, -3) is normal to it but the normal (-.8, .6) is not a double, so only rounding may enter. */
static void
test_roll_under_gravity_plastic_keeps_the_velocity(void **state)
{
	(void)state;
	for (int tilted = (int)effort(1, 0); tilted < 2; tilted++) {
		const double ux = tilted ? 3 : 1, uy = tilted ? 4 : 0, length = tilted ? 5 : 1;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_x = 2 * uy;
		scenario.def.gravity_y = -2 * ux;
		chain_straight(&scenario, 1000, ux, uy);
		scenario_circle(&scenario, 5 * ux - radius * uy / length, 5 * uy + radius * ux / length, 2 * ux, 2 * uy, radius);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		for (int i = 0; i < 490; i++) {
			run_ticks(&run, 1, 1);
			const struct body_state body = run_body(&run, 0);
			if (tilted) {
				assert_double_near(body.vx, 6, 1e-12);
				assert_double_near(body.vy, 8, 1e-12);
			} else {
				assert_same(body.vx, 2);
				assert_double_near(body.vy, 0, 1e-12);
			}
		}
		const struct body_state body = run_body(&run, 0);
		assert_double_near(body.x, 985 * ux - radius * uy / length, 1e-6);
		assert_double_near(body.y, 985 * uy + radius * ux / length, 1e-6);
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A chain of `count` unit segments; the heading starts at `first` degrees and changes by `bend` degrees at each joint. */
static void
chain_bent(struct scenario *scenario, int count, double first, double bend)
{
	double x = 0, y = 0;
	for (int i = 0; i < count; i++) {
		const double heading = (first + i * bend) * DEGREE;
		const double x2 = x + cos(heading), y2 = y + sin(heading);
		scenario_segment(scenario, x, y, x2, y2);
		x = x2;
		y = y2;
	}
}

/* Every normal points to the upper side and lies within the cone of the headings around the point of contact. For a face it is
 * the face's own normal, for a joint it lies between those of its two faces. */
static void
cone_check(const struct scenario *scenario, const struct contact *contact)
{
	assert_int_equal(contact->other, CONTACT_SEGMENT);
	const struct segment_def *all = scenario->segments;
	const size_t at = contact->b;
	size_t from = at, to = at;
	if (contact->feature == FEATURE_END_1 && at > 0)
		from = at - 1;
	if (contact->feature == FEATURE_END_2 && at + 1 < scenario->segment_count)
		to = at + 1;
	const double n0x = -(all[from].y2 - all[from].y1), n0y = all[from].x2 - all[from].x1;
	const double n1x = -(all[to].y2 - all[to].y1), n1y = all[to].x2 - all[to].x1;
	/* In the order of turning: clockwise where the chain is convex. */
	const double bend = n0x * n1y - n0y * n1x, sign = bend < 0 ? -1 : 1;
	const double past_first = sign * (n0x * contact->normal[1] - n0y * contact->normal[0]);
	const double before_second = sign * (contact->normal[0] * n1y - contact->normal[1] * n1x);
	assert_true(contact->normal[1] > 0);
	assert_true(past_first >= -1e-9);
	assert_true(before_second >= -1e-9);
	if (contact->feature == FEATURE_FACE)
		assert_double_near(past_first, 0, 1e-9);
}

/* The ball starts on the middle of the third segment, touching it, along its heading. */
static void
ball_on_chain(struct scenario *scenario, double speed)
{
	const struct segment_def *segment = &scenario->segments[2];
	const double ux = segment->x2 - segment->x1, uy = segment->y2 - segment->y1;
	const double lift = radius * (1 + 2e-9);
	scenario_circle(scenario, (segment->x1 + segment->x2) / 2 - lift * uy, (segment->y1 + segment->y2) / 2 + lift * ux,
	                speed * ux, speed * uy, radius);
}

/* The chain falls away from a ball in free motion: it is never touched again and no bit of the velocity changes. */
static void
test_convex_chain_of_a_tenth_degree_is_not_felt(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	chain_bent(&scenario, 200, 10, -0.1);
	ball_on_chain(&scenario, 10);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 18 * 60);
	assert_int_equal(run.contact_count, 0);
	const struct body_state body = run_body(&run, 0);
	assert_same(body.vx, scenario.circles[0].vx);
	assert_same(body.vy, scenario.circles[0].vy);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A valley deflects the ball by glancing hits on faces, speed kept. The foot of a perpendicular never leaves a valley's faces,
 * so no hit is on an end. A ball leaves a face with m times 0.1 degree, at its start. It rises over m faces, falls over as many
 * and is back at height 0 after 2m + 1 of them, at a joint. It meets the next face at m + 1 times 0.1 degree, or the one before
 * at m times. So hit i is at most at i times 0.1 degree, and 200 faces make at least 13 hits. (The sum of 2m + 1 is a square,
 * and 14 squared is 196; the ball starts on the third face and stops before the last.) */
static void
test_non_convex_chain_of_a_tenth_degree_deflects_by_its_faces_only(void **state)
{
	(void)state;
	const double speed = 10;
	struct scenario scenario;
	scenario_init(&scenario);
	chain_bent(&scenario, 200, -10, 0.1);
	ball_on_chain(&scenario, speed);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 18 * 60);
	assert_true(run.contact_count >= 13);
	for (size_t i = 0; i < run.contact_count; i++) {
		const struct contact *contact = &run.contacts[i].contact;
		cone_check(&scenario, contact);
		assert_int_equal(contact->feature, FEATURE_FACE);
		assert_at_most(contact->approach_speed, speed * sin((double)(i + 1) * 0.1 * DEGREE) * (1 + 1e-6));
	}
	const struct body_state body = run_body(&run, 0);
	assert_double_near(hypot(body.vx, body.vy), speed, 1e-12 * speed);
	assert_true(body.x > 150);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Sliding down and up a valley with restitution 0. At each joint the part of the velocity that points into the next face is
 * lost, v sin(0.1 degree), which costs m (v sin)^2 / 2 once. Nothing else may be lost, and nothing gained. */
static void
test_non_convex_chain_plastic_under_gravity_has_no_ghost_impulse(void **state)
{
	(void)state;
	const double g = 10, speed = 10;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	chain_bent(&scenario, 200, -10, 0.1);
	ball_on_chain(&scenario, speed);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	const double before = run_energy(&run, &scenario);
	/* The deepest point lies about 100 tan(5 degrees) below the start. */
	const double fastest = sqrt(speed * speed + 2 * g * 9), lost = fastest * sin(0.1 * DEGREE);
	for (int i = 0; i < 60 * 60 && run_body(&run, 0).x < 190; i++) {
		run_ticks(&run, 1.0 / 60, 1);
		assert_at_most(run_energy(&run, &scenario), before + 1e-9);
		assert_int_equal(run.report.shortfall_count, 0);
	}
	assert_true(run_body(&run, 0).x >= 190);
	for (size_t i = 0; i < run.contact_count; i++) {
		cone_check(&scenario, &run.contacts[i].contact);
		assert_at_most(run.contacts[i].contact.approach_speed, 1.01 * lost);
	}
	assert_at_most(before - run_energy(&run, &scenario), 200 * lost * lost / 2 * 1.01);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Over a hill, which falls away by 0.1 degrees at each joint: the ball rounds the joint or flies over it and lands softly.
 * A landing after a flight of time t meets the face at v sin(0.1 degree) k - g t for a few joints k at most. A ghost would be
 * of the order of v. The energy lost is that of those landings. */
static void
test_convex_chain_plastic_under_gravity_has_no_ghost_impulse(void **state)
{
	(void)state;
	const double g = 10, speed = 20, landing = 2 * speed * sin(0.1 * DEGREE);
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	chain_bent(&scenario, 200, 10, -0.1);
	ball_on_chain(&scenario, speed);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	const double before = run_energy(&run, &scenario);
	for (int i = 0; i < 60 * 60 && run_body(&run, 0).x < 190; i++) {
		run_ticks(&run, 1.0 / 60, 1);
		assert_at_most(run_energy(&run, &scenario), before + 1e-9);
		assert_int_equal(run.report.shortfall_count, 0);
	}
	assert_true(run_body(&run, 0).x >= 190);
	assert_true(run.contact_count > 0);
	for (size_t i = 0; i < run.contact_count; i++) {
		cone_check(&scenario, &run.contacts[i].contact);
		assert_at_most(run.contacts[i].contact.approach_speed, landing);
	}
	assert_at_most(before - run_energy(&run, &scenario), 200 * landing * landing / 2);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A ball slides over the edge of a table, x = 0, with v^2 > g r. The parabola clears the corner (its distance from it grows as
 * r^2 + (v^2 - g r) t^2). So it falls freely from the moment its centre is over the edge, by x = v t, y = r - g t^2 / 2. */
static void
test_fast_ball_leaves_a_ledge_in_a_parabola(void **state)
{
	(void)state;
	static const double speeds[] = { 2.5, 3, 10 };
	for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
		const double g = 10, v = speeds[i];
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -g;
		scenario_segment(&scenario, -10, 0, -4, 0);
		scenario_segment(&scenario, -4, 0, 0, 0);
		scenario_circle(&scenario, -v, radius, v, 0, radius);
		scenario_restitution(&scenario, 0);
		struct run run;
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 64, 128);
		/* Over the edge after 1 s, 1 s ago. */
		const struct body_state body = run_body(&run, 0);
		assert_double_near(body.x, v, 1e-9);
		assert_same(body.vx, v);
		assert_double_near(body.y, radius - g / 2, 1e-6);
		assert_double_near(body.vy, -g, 1e-6);
		assert_int_equal(run.shortfall_count, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* With v^2 < g r it slides around the corner, without friction, as long as gravity can hold it. That ends where v^2 + 2 g r (1
 * - c) = g r c, at c = (v^2 / (g r) + 2) / 3, the cosine of the angle. It leaves with the speed sqrt(g r c), of which the part
 * c is horizontal. The engine follows the arc by short flights, each landing losing a little: 5 % is granted, and no gain. */
static void
test_slow_ball_slides_around_a_ledge(void **state)
{
	(void)state;
	const double g = 10, v = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -g;
	scenario_segment(&scenario, -10, 0, 0, 0);
	scenario_circle(&scenario, -1, radius, v, 0, radius);
	scenario_restitution(&scenario, 0);
	struct run run;
	run_start(&run, &scenario);
	const double before = run_energy(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 128);
	const double c = (v * v / (g * radius) + 2) / 3, expected = c * sqrt(g * radius * c);
	const struct body_state body = run_body(&run, 0);
	assert_double_near(body.vx, expected, 0.05 * expected);
	assert_true(body.y < 0);
	assert_at_most(run_energy(&run, &scenario), before + 1e-9);
	assert_true(run_energy(&run, &scenario) > before - 0.05 * g * radius);
	for (size_t i = 0; i < run.contact_count; i++) {
		/* The normals of the corner: up, and towards +x as it goes around. */
		const struct contact *contact = &run.contacts[i].contact;
		assert_true(contact->normal[1] >= c - 0.05 && contact->normal[0] >= -1e-9);
		if (contact->feature == FEATURE_FACE)
			assert_same(contact->normal[1], 1);
	}
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		long_case(test_roll_over_1000_collinear_segments_keeps_every_bit_of_the_velocity),
		cmocka_unit_test(test_hit_on_a_flat_joint_is_a_hit_on_a_face),
		long_case(test_roll_under_gravity_plastic_keeps_the_velocity),
		cmocka_unit_test(test_convex_chain_of_a_tenth_degree_is_not_felt),
		cmocka_unit_test(test_non_convex_chain_of_a_tenth_degree_deflects_by_its_faces_only),
		cmocka_unit_test(test_non_convex_chain_plastic_under_gravity_has_no_ghost_impulse),
		cmocka_unit_test(test_convex_chain_plastic_under_gravity_has_no_ghost_impulse),
		cmocka_unit_test(test_fast_ball_leaves_a_ledge_in_a_parabola),
		cmocka_unit_test(test_slow_ball_slides_around_a_ledge),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
