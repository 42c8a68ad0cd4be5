/* Rows of the analytic table (docs/physics.md) that no other file has: the pile of 100 layers that falls asleep, a ball crushed
 * while it turns. */
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>

/* No overlap in any tick, all asleep within 20 s, none of them farther from its place than 1e-3 radii. From then on to the end
 * of the minute no bit of any of them changes. */
static void
pile_sleeps(double friction)
{
	struct scenario scenario;
	scene_hexagonal(&scenario, (uint32_t)effort(20, 100), 4, 0.0025, friction);
	scenario.def.sleep_after = 0.5;
	struct run run;
	run_start(&run, &scenario);
	uint64_t tick = 0;
	while (tick < 1200 && (tick == 0 || run.report.asleep < scenario.circle_count)) {
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		assert_at_most(run_overlap(&run, &scenario), 0);
		tick++;
	}
	print_message("friction %g: asleep after %.1f s\n", friction, (double)tick / 60);
	assert_int_equal(run.report.asleep, scenario.circle_count);
	for (size_t i = 0; i < scenario.circle_count; i++) {
		const struct body_state body = world_body(run.world, i);
		assert_at_most(hypot(body.x - scenario.circles[i].x, body.y - scenario.circles[i].y), 1e-3 * 0.5);
		assert_same(body.vx, 0);
		assert_same(body.vy, 0);
	}
	const uint64_t hash = world_hash(run.world);
	for (; tick < 3600; tick++) {
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		assert_true(world_hash(run.world) == hash);
		assert_int_equal(run.report.events, 0);
	}
	run_end(&run, &scenario);
}

static void
test_hexagonal_pile_of_100_layers_sleeps_for_the_rest_of_a_minute(void **state)
{
	(void)state;
	if (effort(0, 1) > 0)
		pile_sleeps(0);
	pile_sleeps(0.5);
}

/* The piston of test_physics_limits on a ball with friction that spins, and with a piston that turns. The room between piston
 * and floor is 2.5 - t. So at the end of each tick that leaves less than the ball needs it is CRUSHED, by as much as it
 * overlaps. */
static void
test_kinematic_piston_crushing_a_rough_ball_is_flagged_with_depth(void **state)
{
	(void)state;
	const double dt = 1.0 / 64;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_segment(&scenario, -100, 0, 100, 0)->friction = 0.5;
	scenario_segment(&scenario, -1.01, 0, -1.01, 2);
	scenario_segment(&scenario, 1.01, 0, 1.01, 2);
	struct circle_def *ball = scenario_circle(&scenario, 0, 1.25, 0, 0, 1);
	ball->friction = 0.5;
	ball->angular_velocity = 3;
	struct circle_def *piston = scenario_circle(&scenario, 0, 12.5, 0, -1, 10);
	piston->kind = BODY_KINEMATIC;
	piston->friction = 0.5;
	piston->angular_velocity = 1;
	scenario_restitution(&scenario, 0.25);
	struct run run;
	run_start(&run, &scenario);
	unsigned crushed_ticks = 0;
	for (int i = 1; i <= 64; i++) {
		run_ticks(&run, dt, 1);
		const double overlap = run_overlap(&run, &scenario);
		const struct shortfall *crushed = run_shortfall(&run, 0, BODY_FLAG_CRUSHED);
		assert_true(run_body(&run, 0).y > 0);
		if (overlap > 1e-6)
			assert_non_null(crushed);
		if (crushed) {
			assert_double_near(crushed->amount, fmax(overlap, 0), 1e-6);
			crushed_ticks++;
		}
	}
	/* Between walls it cannot roll away: from half a second on there is no room. */
	assert_true(crushed_ticks >= 31);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		long_case(test_hexagonal_pile_of_100_layers_sleeps_for_the_rest_of_a_minute),
		cmocka_unit_test(test_kinematic_piston_crushing_a_rough_ball_is_flagged_with_depth),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
