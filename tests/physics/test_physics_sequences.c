/* Sequences of elastic collisions with an outcome known in closed form: cradle, break, Galperin's billiard, wedges. */
#include "physics/scenario.h"
#include "support/effort.h"

#include <math.h>

/* Balls of one mass in a row exchange velocities, so the incoming velocities leave at the other end. k balls of n arriving with
 * v send k balls away with v and leave the others at rest. That is the sorting of n velocities, k (n - k) swaps when the balls
 * have gaps, and the generalized reflection of one cluster when they touch. */
static void
cradle_run(uint32_t n, uint32_t k, double gap)
{
	const double v = 10, radius = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	double x = 0;
	for (uint32_t i = 0; i < n; i++) {
		scenario_circle(&scenario, x, 0, i < k ? v : 0, 0, radius);
		/* The k that arrive touch each other or have the row's gap; between them and the row there are 3. */
		x += 2 * radius + (i + 1 == k ? 3 : gap);
	}
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 2);

	for (uint32_t i = 0; i < n; i++) {
		const struct body_state body = run_body(&run, i);
		/* "Exact" is to the rounding of one impulse: masses are 1 and the normal is the axis. */
		assert_double_near(body.vx, i < n - k ? 0 : v, 4e-15 * v);
		assert_double_near(body.vy, 0, 4e-15 * v);
	}
	if (gap > 0) {
		assert_int_equal(run.collisions, k * (n - k));
		/* The first contact closes a gap of 3 less the skin. */
		assert_double_near(run.contacts[0].at, (3 - pair_skin(2 * n + 3, radius)) / v, 4e-15);
		for (size_t i = 0; i < run.contact_count; i++) {
			assert_double_near(run.contacts[i].contact.approach_speed, v, 4e-15 * v);
			assert_double_near(run.contacts[i].contact.impulse, v, 4e-15 * v); /* m_eff (1 + e) v = v */
		}
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_newtons_cradle_k_of_n_touching_and_with_gaps(void **state)
{
	(void)state;
	for (uint32_t n = 2; n <= 7; n++) {
		for (uint32_t k = 1; k < n; k++) {
			cradle_run(n, k, 0);
			cradle_run(n, k, 0.25);
			cradle_run(n, k, 1e-7); /* beyond the cluster's 2 skins: pairwise, in one instant for the eye */
		}
	}
}

/* One ball hits two touching balls, all of mass 1 and radius 1. By symmetry both get the impulse j along lines at +-30
 * degrees (sin = 1/2: the centres form an equilateral triangle), so v' = v - 2 j cos 30. Each pair separates as it approached:
 * j - v' cos 30 = v cos 30. Hence j = 2 v cos 30 / (1 + 2 cos^2 30) = 2 sqrt(3) / 5 v, v' = -v/5. The skin (1e-9) turns the
 * angle by less than itself. */
static void
break_run(double angle)
{
	const double v = 7, c = cos(angle), s = sin(angle);
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, -5 * c, -5 * s, v * c, v * s, 1);
	scenario_circle(&scenario, -s, c, 0, 0, 1);
	scenario_circle(&scenario, s, -c, 0, 0, 1);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);

	const double j = 2 * sqrt(3) / 5 * v;
	const struct body_state cue = run_body(&run, 0), left = run_body(&run, 1), right = run_body(&run, 2);
	const double tolerance = 1e-8 * v;
	assert_double_near(cue.vx * c + cue.vy * s, -v / 5, tolerance);
	assert_double_near(cue.vy * c - cue.vx * s, 0, tolerance);
	assert_double_near(left.vx * c + left.vy * s, j * cos(30 * DEGREE), tolerance);
	assert_double_near(left.vy * c - left.vx * s, j / 2, tolerance);
	assert_double_near(right.vx * c + right.vy * s, j * cos(30 * DEGREE), tolerance);
	assert_double_near(right.vy * c - right.vx * s, -j / 2, tolerance);
	/* Energy: 1/25 + 2 * 12/25 = 1. */
	assert_double_near(run_energy(&run, &scenario), v * v / 2, 1e-14 * v * v);
	/* Time: the centres are sqrt(3) apart along the line of flight, less what the skin adds (2 skin / sqrt(3)). */
	assert_double_near(run.contacts[0].at, (5 - sqrt(3)) / v, 2e-9);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_one_ball_hits_two_touching_balls_symmetrically(void **state)
{
	(void)state;
	break_run(0);
	break_run(90 * DEGREE);
	break_run(180 * DEGREE);
	/* Here the two hits differ in time by rounding: only geometry can tell that they are one. */
	for (int degrees = 7; degrees < 360; degrees += 15)
		break_run(degrees * DEGREE);
}

/* A disc that drifts to a wall at less than the threshold, where it would rest, is hit at 10 along (c, 0.96) at the very moment
 * of its touch. All have mass 1 and are otherwise elastic. */
static void
threshold_run(double c, struct body_state out[2])
{
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.restitution_threshold = 1;
	scenario_segment(&scenario, 0, -10, 0, 10);
	scenario_circle(&scenario, 1, 0, -0.5, 0, 1);
	scenario_circle(&scenario, 1 - 1.25 * c, -1.2, 10 * c, 9.6, 0.25);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 1e-3, 1);
	out[0] = run_body(&run, 0);
	out[1] = run_body(&run, 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Hit away from the wall, the disc leaves it without an impulse. The wall must not take the rebound of the hit, which has an
 * approach of 10 + 0.5 * 0.28 and an impulse of as much. Hit towards it, both contacts get an impulse, and the lower
 * restitution, 0, holds for both. j along the normal leaves j * 0.96^2 there, as much as the hitting disc keeps, 10 - j. */
static void
test_a_slow_contact_costs_a_fast_one_its_rebound_only_if_it_presses(void **state)
{
	const double away = 10.14, towards = 10 / 1.9216;
	struct body_state body[2];

	(void)state;
	threshold_run(0.28, body);
	assert_double_near(body[0].vx, -0.5 + 0.28 * away, 1e-7);
	assert_double_near(body[0].vy, 0.96 * away, 1e-7);
	assert_double_near(body[1].vx, 0.28 * (10 - away), 1e-7);
	assert_double_near(body[1].vy, 0.96 * (10 - away), 1e-7);
	threshold_run(-0.28, body);
	assert_double_near(body[0].vx, 0, 1e-7);
	assert_double_near(body[0].vy, 0.96 * towards, 1e-7);
	assert_double_near(body[1].vx, -0.28 * (10 - towards), 1e-7);
	assert_double_near(body[1].vy, 0.96 * (10 - towards), 1e-7);
}

/* Two blows at one time, an elastic and a plastic one, side by side: the two bodies in the middle touch, without rebound, but
 * do not press on each other. That costs the elastic blow nothing. */
static void
test_blows_whose_bodies_touch_without_pressing_have_their_own_restitutions(void **state)
{
	const double c = cos(10 * DEGREE), d = sin(10 * DEGREE);
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario.def.restitution_mix = RESTITUTION_MIX_MIN;
	scenario_circle(&scenario, 0, -1, 0, 10, 0.5);
	scenario_circle(&scenario, 0, 0, 0, 0, 0.5);
	scenario_circle(&scenario, -c, -d, 0, 0, 0.5)->restitution = 0;
	scenario_circle(&scenario, -c, 1 - d, 0, -10, 0.5)->restitution = 0;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 1);
	assert_int_equal(run.shortfall_count, 0);
	assert_double_near(run_body(&run, 0).vy, 0, 1e-12);
	assert_double_near(run_body(&run, 1).vy, 10, 1e-12);
	assert_double_near(run_body(&run, 2).vy, -5, 1e-12);
	assert_double_near(run_body(&run, 3).vy, -5, 1e-12);
	run_end(&run, &scenario);
}

/* Two blows at one time, of bodies that only lean on each other across both: each has its own restitution. The fast one is
 * elastic, the slow one below the threshold. Contact is made at a skin, 1e-9 radii, before the circles touch. */
static void
test_blows_apart_have_their_own_restitutions(void **state)
{
	const double skin = 0.5e-9;
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario.def.restitution_threshold = 1;
	scenario_circle(&scenario, -1 - skin - 10.0 / 128, 0, 10, 0, 0.5);
	scenario_circle(&scenario, 0, 0, 0, 0, 0.5);
	scenario_circle(&scenario, 0, 1, 0, 0, 0.5);
	scenario_circle(&scenario, 1 + skin + 0.1 / 128, 1, -0.1, 0, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 1);
	assert_int_equal(run.shortfall_count, 0);
	assert_double_near(run_body(&run, 0).vx, 0, 1e-12);
	assert_double_near(run_body(&run, 1).vx, 10, 1e-12);
	assert_double_near(run_body(&run, 2).vx, -0.05, 1e-12);
	assert_double_near(run_body(&run, 3).vx, -0.05, 1e-12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Galperin (2003): unfold the motion in the coordinates sqrt(m) x. The walls of the wedge meet at atan(sqrt(m/M)), and a
 * straight line crosses their images ceil(pi / atan(10^-n)) - 1 times: the digits of pi. The line starts parallel to the wall
 * and ends at least .17 of the angle before the next image, so rounding has no say. */
static void
galperin_run(int n, unsigned collisions, double ax, double ay, double dt, uint64_t ticks)
{
	double mass = 1;
	for (int i = 0; i < n; i++)
		mass *= 100;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, -10 * ay, 10 * ax, 10 * ay, -10 * ax);
	scenario_circle(&scenario, 3 * ax, 3 * ay, 0, 0, 1);
	scenario_circle(&scenario, 8 * ax, 8 * ay, -ax, -ay, 1)->mass = mass;
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, dt, ticks);

	assert_int_equal(run.collisions, collisions);
	assert_int_equal(run.contact_count, collisions);
	assert_int_equal(run.shortfall_count, 0);
	assert_double_near(run_energy(&run, &scenario), mass / 2, 1e-12 * mass);
	const struct body_state small = run_body(&run, 0), big = run_body(&run, 1);
	const double v_small = small.vx * ax + small.vy * ay, v_big = big.vx * ax + big.vy * ay;
	/* Unfolded, the velocity (0, -1) sqrt(M) has been turned back by twice the wedge's angle at every second collision. */
	const double turned = 2 * ((collisions + 1) / 2) * atan(1 / sqrt(mass));
	const double expected_big = -cos(turned);
	assert_double_near(v_big, expected_big, 1e-11);
	assert_true(v_small >= -1e-12 && v_small <= v_big);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_galperin_3_31_314_3141(void **state)
{
	(void)state;
	static const unsigned collisions[] = { 3, 31, 314, 3141 };
	for (int n = 0; n < 4; n++) {
		/* All in one tick, along each axis. */
		galperin_run(n, collisions[n], 1, 0, 100, 1);
		if (n < (int)effort(3, 4)) {
			galperin_run(n, collisions[n], -1, 0, 100, 1);
			galperin_run(n, collisions[n], 0, 1, 100, 1);
			galperin_run(n, collisions[n], 0, -1, 100, 1);
		}
		/* The same spread over ticks: their ends are no events. */
		galperin_run(n, collisions[n], 1, 0, 1.0 / 16, 1600);
	}
}

/* A wedge with its apex at the origin and one face along the x axis (then turned by `turn`). The centre moves in a wedge of the
 * same angle with its apex inward by r / sin(angle/2). Unfolded at that apex the path is a straight line. Starting at polar
 * angle beta with direction psi it crosses the images at every multiple of the angle between beta and psi. It leaves with the
 * direction psi turned back by an even number of angles, or mirrored. */
static void
wedge_run(double degrees, double turn)
{
	const double theta = degrees * DEGREE, beta = theta / 2, radius = 0.5, rho = 200, speed = 100;
	/* The last image crossed: as many as fit below the half turn from beta, with a quarter of the angle to spare. */
	const double k = floor((179.9 * DEGREE + beta) / theta - 0.25);
	const double psi = (k + 0.25) * theta;
	const double apex = (radius + pair_skin(1e5, radius)) / sin(theta / 2);
	const double length = 1e5;
	const double x = (apex + rho) * cos(beta + turn), y = (apex + rho) * sin(beta + turn);
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, 0, length * cos(turn), length * sin(turn));
	scenario_segment(&scenario, length * cos(theta + turn), length * sin(theta + turn), 0, 0);
	scenario_circle(&scenario, x, y, speed * cos(psi + turn), speed * sin(psi + turn), radius);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 100, 1);

	assert_int_equal(run.collisions, (unsigned)k);
	assert_at_most((double)run.collisions, ceil(180 / degrees));
	assert_int_equal(run.shortfall_count, 0);
	for (size_t i = 0; i < run.contact_count; i++)
		assert_int_equal(run.contacts[i].contact.feature, FEATURE_FACE);
	/* Fold psi back: it lies a quarter of the angle beyond image k. */
	const bool even = fmod(k, 2) < 0.5;
	const double left = (even ? 0.25 : 0.75) * theta;
	const struct body_state body = run_body(&run, 0);
	assert_double_near(body.vx, speed * cos(left + turn), 1e-10 * speed);
	assert_double_near(body.vy, speed * sin(left + turn), 1e-10 * speed);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_wedge_elastic_at_most_ceil_pi_over_theta_bounces_then_exits(void **state)
{
	(void)state;
	static const double degrees[] = { 120, 90, 61, 60, 45, 30, 10, 7.3, 3, 1 };
	for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++) {
		wedge_run(degrees[i], 0);
		wedge_run(degrees[i], 23 * DEGREE);
		wedge_run(degrees[i], 200 * DEGREE);
	}
}

/* The case of the table: 1 degree, entered so that all 180 bounces happen, in one tick. */
static void
test_wedge_of_one_degree_takes_180_bounces_in_one_tick(void **state)
{
	(void)state;
	const double theta = DEGREE, apex = 0.5 / sin(theta / 2), rho = 200;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, 0, 0, 2000, 0);
	scenario_segment(&scenario, 0, 0, 2000 * cos(theta), 2000 * sin(theta));
	/* From beta = 0.5 degrees with psi = 180.25: the images at 1, 2 ... 180 degrees. */
	const double psi = 180.25 * DEGREE;
	scenario_circle(&scenario, (apex + rho) * cos(theta / 2), (apex + rho) * sin(theta / 2), 100 * cos(psi), 100 * sin(psi),
	                0.5);
	struct run run;
	run_start(&run, &scenario);
	run_ticks(&run, 8, 1);
	assert_int_equal(run.collisions, 180);
	const struct body_state body = run_body(&run, 0);
	assert_double_near(body.vx, 100 * cos(0.25 * DEGREE), 1e-8);
	assert_double_near(body.vy, 100 * sin(0.25 * DEGREE), 1e-8);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_newtons_cradle_k_of_n_touching_and_with_gaps),
		cmocka_unit_test(test_one_ball_hits_two_touching_balls_symmetrically),
		cmocka_unit_test(test_a_slow_contact_costs_a_fast_one_its_rebound_only_if_it_presses),
		cmocka_unit_test(test_blows_apart_have_their_own_restitutions),
		cmocka_unit_test(test_blows_whose_bodies_touch_without_pressing_have_their_own_restitutions),
		cmocka_unit_test(test_galperin_3_31_314_3141),
		cmocka_unit_test(test_wedge_elastic_at_most_ceil_pi_over_theta_bounces_then_exits),
		cmocka_unit_test(test_wedge_of_one_degree_takes_180_bounces_in_one_tick),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
