/* A circle alone on a slope, with friction, so that the rest solver drives it. Its way and its velocity are the textbook's to
 * rounding. So is what it brings into a wall at the foot, whenever in a tick it gets there. */
#include "physics/scenario.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>

static const double gravity = 10, dt = 1.0 / 60;

/* A disc of radius .5 that lies at `along` on a slope through the origin. */
static void
slide_build(struct scenario *scenario, double slope, double along, double friction)
{
	const double c = cos(slope), s = sin(slope), off = 0.5 + 1e-10; /* within a skin */
	scenario_init(scenario);
	scenario->def.gravity_y = -gravity;
	scenario_circle(scenario, along * c - off * s, along * s + off * c, 0, 0, 0.5);
	scenario_segment(scenario, -1000 * c, -1000 * s, 1000 * c, 1000 * s);
	scenario_dull(scenario, friction, 0);
}

/* From rest it slides by g (sin - mu cos), or rolls by two thirds of g sin: way and speed after whole ticks. */
static void
test_way_down_a_slope(void **state)
{
	(void)state;
	uint64_t random = 71;
	for (int round = 0; round < (int)effort(60, 600); round++) {
		const double slope = random_between(&random, 0.02, 1.4), friction = pow(10, random_between(&random, -3, 0.3));
		const bool rolls = tan(slope) <= 3 * friction;
		const double pull = gravity * (rolls ? sin(slope) * 2 / 3 : sin(slope) - friction * cos(slope));
		struct scenario scenario;
		struct run run;
		/* Neither beside the limit between the two. */
		if (fabs(tan(slope) / (3 * friction) - 1) < 0.01)
			continue;
		slide_build(&scenario, slope, 0, friction);
		run_start(&run, &scenario);
		for (int tick = 1; tick <= 60; tick++) {
			run_ticks(&run, dt, 1);
			const struct body_state disc = run_body(&run, 0);
			const double way = -(disc.x * cos(slope) + disc.y * sin(slope)), time = tick * dt;
			const double speed = -(disc.vx * cos(slope) + disc.vy * sin(slope));
			assert_double_near(way, pull * time * time / 2, 1e-12);
			assert_double_near(speed, pull * time, 1e-12);
			/* A disc: friction turns what slides by 2 mu g cos / r. */
			assert_double_near(disc.angle, rolls ? way / 0.5 : friction * gravity * cos(slope) * time * time / 0.5, 1e-11);
		}
		run_end(&run, &scenario);
	}
}

/* A valley of two slopes with next to no friction, the other one of restitution 1. It slides down and bounces off it, at any
 * part of a tick, lands on the first again, and so on. Landing takes energy. Nothing gives any, but that the solver lifts what
 * has landed into its cushion, a hundredth of the radius; in the end into those of both slopes. The slopes are so far apart
 * that it begins clear of the other one. */
static void
test_energy_in_a_valley(void **state)
{
	(void)state;
	uint64_t random = 73;
	for (int round = 0; round < (int)effort(40, 400); round++) {
		const double slope = random_between(&random, 0.1, 1.4), other = random_between(&random, 0.3, 2.55 - slope);
		const double start = random_between(&random, 2, 12);
		struct scenario scenario;
		struct run run;
		slide_build(&scenario, slope, start, 1e-7);
		scenario_segment(&scenario, 0, 0, -1000 * cos(other), 1000 * sin(other));
		scenario.segments[0].x1 = scenario.segments[0].y1 = 0;
		scenario.segments[1].restitution = 1;
		run_start(&run, &scenario);
		double least = run_energy(&run, &scenario), rise = 0;
		for (int tick = 0; tick < 600; tick++) {
			run_ticks_unlogged(&run, dt, 1);
			const double energy = run_energy(&run, &scenario);
			rise = fmax(rise, energy - least);
			least = fmin(least, energy);
		}
		assert_at_most(rise, 1.1 * gravity * 0.01 * 0.5 * (sin(slope) + sin(other)) / sin(slope + other));
		run_end(&run, &scenario);
	}
}

/* A disc that slides over a floor of circles, so close that it has a contact with hundreds of them at once. It goes as far as
 * its speeds say. */
static void
test_way_over_many_circles(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	double way = 0, speed = 0.5;
	scenario_init(&scenario);
	scenario.def.gravity_y = -gravity;
	scenario_circle(&scenario, 0, 1 + 1e-7, speed, 0, 1);
	for (int k = -300; k < 500; k++)
		scenario_circle(&scenario, k * 0.002, -0.05, 0, 0, 0.05)->kind = BODY_STATIC;
	scenario_dull(&scenario, 0.1, 0);
	run_start(&run, &scenario);
	for (int tick = 1; tick <= 60; tick++) {
		run_ticks(&run, dt, 1);
		const struct body_state disc = run_body(&run, 0);
		way += dt * (speed + disc.vx) / 2;
		speed = disc.vx;
		assert_double_near(disc.x, way, 0.01 * way);
	}
	run_end(&run, &scenario);
}

/* A disc that slides down to an upright wall off which it bounces, with less each time. It comes to rest there, and falls
 * asleep. */
static void
test_rest_beside_a_wall_that_rebounds(void **state)
{
	(void)state;
	uint64_t random = 79;
	for (int round = 0; round < (int)effort(20, 200); round++) {
		const double slope = random_between(&random, 0.1, 1.2);
		struct scenario scenario;
		struct run run;
		slide_build(&scenario, slope, random_between(&random, 3, 6), random_between(&random, 0.01, 0.1));
		scenario_segment(&scenario, 0, 0, 0, 1000);
		scenario.segments[0].x1 = scenario.segments[0].y1 = 0;
		scenario.segments[1].restitution = random_between(&random, 0.1, 0.9);
		scenario.def.sleep_after = 0.5;
		run_start(&run, &scenario);
		for (int tick = 0; tick < 3600 && run.report.asleep == 0; tick++)
			run_ticks_unlogged(&run, dt, 1);
		assert_int_equal(run.report.asleep, 1);
		run_end(&run, &scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_way_down_a_slope),
		cmocka_unit_test(test_energy_in_a_valley),
		cmocka_unit_test(test_way_over_many_circles),
		cmocka_unit_test(test_rest_beside_a_wall_that_rebounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
