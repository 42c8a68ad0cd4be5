/* Walls that lie on each other or end beside each other, under circles that rest: the resting solver hides neither, and none
 * goes on beyond its end. */
#include "physics/scenario.h"

#include <math.h>

/* A ball with full friction and rolling resistance on a slope that is made of two walls of one line, as far as doubles go. */
static void
slope_hold(const double walls[2][4], double x, double y)
{
	struct scenario scenario;
	struct run run;

	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	for (int i = 0; i < 2; i++)
		scenario_segment(&scenario, walls[i][0], walls[i][1], walls[i][2], walls[i][3]);
	scenario_circle(&scenario, x, y, 0, 0, 0.5);
	scenario_dull(&scenario, 1, 1);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 240);

	const struct body_state end = world_body(run.world, 0);

	/* It settles into the cushion, and stays. Without friction it would go 20 and more. */
	assert_true(hypot(end.x - x, end.y - y) < 0.02);
	assert_true(hypot(end.vx, end.vy) < 1e-3);
	run_end(&run, &scenario);
}

static void
test_walls_that_lie_on_each_other_hold(void **state)
{
	const double laid[2][4] = { { 6.181334128595693, -8.527475520878244, 8.936347688220833, -7.3400832999665475 },
		                        { 7.375173337766587, -8.012938891816509, 10.773023394637594, -6.548488486025416 } };
	const double joined[2][4] = { { -1.6853728097849467, 8.801229267448688, 0.3102789849091597, 8.93303941248386 },
		                          { -1.6853728097849467, 8.801229267448688, 2.305930779603266, 9.064849557519029 } };

	(void)state;
	slope_hold(laid, 8.003739122428149, -7.1974604651534895);
	slope_hold(joined, -0.520940859734527, 9.379328085733054);
}

/* A slope of 45 degrees ends in a short ledge. A ball that has rolled over the ledge's end falls: nothing but gravity acts on
 * it from where it is farther from both walls than it can touch. */
static void
test_slope_does_not_go_on_beyond_a_short_ledge(void **state)
{
	struct scenario scenario;
	struct run run;
	bool free = false;
	double vx = 0;

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -3, 3, 0, 0);
	scenario_segment(&scenario, 0, 0, 0.05, 0);
	scenario_circle(&scenario, 0.3, 0.433012701892219, 0, 0, 0.5)->y += 1e-6;
	scenario_dull(&scenario, 0.3, 0);
	run_start(&run, &scenario);
	for (int tick = 0; tick < 60; tick++) {
		const struct body_state at = world_body(run.world, 0);
		double along = at.x > 0.05 ? at.x - 0.05 : 0, distance = hypot(along, at.y);

		if (free)
			assert_same(at.vx, vx);
		/* The cushion is a hundredth of the radius. */
		free = free || (at.x > 0.05 && distance > 0.5 * 1.03);
		vx = at.vx;
		run_ticks(&run, 1.0 / 60, 1);
	}
	assert_true(free);
	run_end(&run, &scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walls_that_lie_on_each_other_hold),
		cmocka_unit_test(test_slope_does_not_go_on_beyond_a_short_ledge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
