/* Damping and the world's greatest speed: kicks at a tick's start, against the recurrence worked out by hand. */
#include "physics/scenario.h"

#include <math.h>

static const double dt = 1.0 / 60;

static size_t
kicks_of(const struct run *run, uint32_t body)
{
	size_t count = 0;
	for (size_t k = 0; k < run->change_count; k++)
		count += run->changes[k].change.kind == PATH_KICKED && run->changes[k].change.body == body;
	return count;
}

/* v(n) = v / (1 + dt c)^n, x(n) = x + the sum of v(k) dt, spin likewise. */
static void
test_closed_form_of_the_recurrence(void **state)
{
	(void)state;
	static const double dampings[] = { 0.01, 1, 59, 1e6, 5e11 };
	for (int k = 0; k < 5; k++) {
		const double c = dampings[k], keep = 1 / (1 + dt * c);
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		struct circle_def *ball = scenario_circle(&scenario, 1, 2, 3, -4, 0.5);
		ball->mass = 2;
		ball->linear_damping = c;
		ball->angular_damping = 2 * c;
		ball->angular_velocity = 5;
		ball->moment_of_inertia = 0.75;
		run_start(&run, &scenario);
		double taken = 0, outside = 0;
		for (int tick = 1; tick <= 100; tick++) {
			run_ticks(&run, dt, 1);
			const double left = pow(keep, tick), turned = pow(1 / (1 + dt * 2 * c), tick);
			const struct body_state at = run_body(&run, 0);
			assert_double_near(at.vx, 3 * left, 1e-14 * 3 * left * tick + 1e-300);
			assert_double_near(at.angular_velocity, 5 * turned, 1e-14 * 5 * turned * tick + 1e-300);
			/* The geometric sum: keep (1 - keep^n) / (1 - keep) = (1 - keep^n) / (dt c). */
			assert_double_near(at.x, 1 + 3 * (1 - left) / c, 1e-11);
			assert_double_near(at.y, 2 - 4 * (1 - left) / c, 1e-11);
			taken += run.report.energy.damping;
			outside += run.report.momentum.outside[0];
			/* A velocity that has got so small is let be. */
			if (left > 1e-300)
				assert_int_equal(kicks_of(&run, 0), tick);
		}
		const struct body_state at = run_body(&run, 0);
		assert_double_near(
			taken, (at.vx * at.vx + at.vy * at.vy - 25) + 0.75 / 2 * (at.angular_velocity * at.angular_velocity - 25), 1e-12);
		assert_double_near(outside, 2 * (at.vx - 3), 1e-13);
		assert_same(run.changes[0].change.time, 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Falling with damping: v(n+1) = v(n) keep + g dt comes to rest at g dt / (1 - keep) = g (1 + dt c) / c. */
static void
test_terminal_speed(void **state)
{
	(void)state;
	static const double scales[] = { 1, -0.5, 3 };
	for (int k = 0; k < 3; k++) {
		const double g = 10, c = 2;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -g;
		struct circle_def *ball = scenario_circle(&scenario, 0, 0, 0, 0, 0.5);
		ball->linear_damping = c;
		ball->gravity_scale = scales[k];
		run_start(&run, &scenario);
		run_ticks(&run, dt, 1500);
		assert_double_near(run_body(&run, 0).vy, -scales[k] * g * (1 + dt * c) / c, 1e-12);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* The kick comes before the tick's contacts: two damped balls meet with the velocities that it left them. */
static void
test_collision_after_the_kick(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_circle(&scenario, -2, 0, 4, 0, 1)->linear_damping = 1;
	scenario_circle(&scenario, 2, 0, -2, 0, 1)->linear_damping = 3;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	assert_int_equal(run.contact_count, 1);
	assert_double_near(run.contacts[0].contact.a_before[0], 4 / 2.0, 1e-15);
	assert_double_near(run.contacts[0].contact.b_before[0], -2 / 4.0, 1e-15);
	assert_double_near(run.contacts[0].contact.time, (2 - pair_skin(2, 1)) / 2.5, 1e-14);
	assert_double_near(run_body(&run, 0).vx, -0.5, 1e-15);
	assert_double_near(run.report.energy.damping, (4 + 0.25 - 16 - 4) / 2, 1e-14);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Kinematic and static circles keep what they are given; without damping nothing is told. */
static void
test_who_is_not_kicked(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.speed_max = 2;
	struct circle_def *mover = scenario_circle(&scenario, 0, 0, 7, 0, 0.5);
	mover->kind = BODY_KINEMATIC;
	mover->angular_velocity = 3;
	mover->linear_damping = mover->angular_damping = 5;
	scenario_circle(&scenario, 0, 5, 0, 0, 0.5)->kind = BODY_STATIC;
	scenario_circle(&scenario, 0, -5, 1, 1, 0.5);
	scenario_circle(&scenario, 0, -9, 0, 0, 0.5)->linear_damping = 4;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 30);
	assert_int_equal(run.change_count, 0);
	assert_same(run_body(&run, 0).vx, 7);
	assert_same(run_body(&run, 0).angular_velocity, 3);
	assert_same(run_body(&run, 2).vx, 1);
	assert_same(run.report.energy.damping, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Cut to the length, in the same direction; within a tick gravity and blows may exceed it. */
static void
test_greatest_speed(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.speed_max = 5;
	scenario_circle(&scenario, 0, 0, 30, 40, 0.5)->gravity_scale = 0;
	scenario_circle(&scenario, 100, 0, 0, 0, 0.5);
	/* A heavy one at the greatest speed makes a light one twice as fast. */
	struct circle_def *heavy = scenario_circle(&scenario, 200, 0, 5, 0, 0.5);
	heavy->mass = 1e9;
	heavy->gravity_scale = 0;
	scenario_circle(&scenario, 201.04, 0, 0, 0, 0.5)->gravity_scale = 0;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 1);
	assert_double_near(run_body(&run, 0).vx, 3, 1e-15);
	assert_double_near(run_body(&run, 0).vy, 4, 1e-15);
	assert_double_near(run.report.energy.damping, (25 - 2500) / 2.0, 1e-11);
	assert_double_near(run_body(&run, 3).vx, 10, 1e-7);
	run_ticks(&run, dt, 1);
	assert_double_near(run_body(&run, 3).vx, 5, 1e-14);
	run_ticks(&run, dt, 100);
	/* What it got to in the tick before, cut, and a tick of gravity. */
	assert_double_near(run_body(&run, 1).vy, -5 - 10 * dt, 1e-12);
	assert_int_equal(kicks_of(&run, 0), 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Sleepers have no velocity to lose; what lies still loses none. */
static void
test_rest_and_sleep_under_damping(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.3;
	scenario_segment(&scenario, -9, 0, 9, 0)->friction = 0.5;
	for (int k = 0; k < 3; k++) {
		struct circle_def *ball = scenario_circle(&scenario, 0, 0.504 + 1.009 * k, 0, 0, 0.5);
		ball->friction = 0.5;
		ball->linear_damping = 1;
		ball->angular_damping = 1;
	}
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 120);
	assert_int_equal(run.report.asleep, 3);
	const size_t before = run.change_count;
	run_ticks(&run, dt, 30);
	assert_int_equal(run.change_count, before);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_form_of_the_recurrence),
		cmocka_unit_test(test_terminal_speed),
		cmocka_unit_test(test_collision_after_the_kick),
		cmocka_unit_test(test_who_is_not_kicked),
		cmocka_unit_test(test_greatest_speed),
		cmocka_unit_test(test_rest_and_sleep_under_damping),
	};
	return cmocka_run_group_tests_name("physics/damping", tests, NULL, NULL);
}
