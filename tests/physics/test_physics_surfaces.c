/* Surfaces that move by themselves, against mechanics worked out by hand: conveyors, turning rims, and what they do to rest. */
#include "physics/scenario.h"
#include "physics/scenes.h"

#include <math.h>

static const double dt = 1.0 / 60, gravity = 10;

/* So heavy to turn that it does not. */
#define NO_TURNING 1e30

/* A ball that lies a cushion over a belt along the x axis. */
static struct circle_def *
ball_on_belt(struct scenario *scenario, double speed, double friction)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -gravity;
	struct segment_def *belt = scenario_segment(scenario, -100, 0, 100, 0);
	belt->friction = friction;
	belt->surface_speed = speed;
	struct circle_def *ball = scenario_circle(scenario, 0, 0.5 + 0.5e-9 + 0.0049, 0, 0, 0.5);
	ball->friction = friction;
	ball->restitution = belt->restitution = 0;
	ball->moment_of_inertia = NO_TURNING;
	return ball;
}

/* Dry friction drives it at friction * gravity up to the belt's speed v, reached after v / (friction * gravity): the way up to
 * then is v^2 / (2 friction gravity). */
static void
test_ball_is_carried_after_v_over_mu_g(void **state)
{
	(void)state;
	static const double speeds[] = { 2, -2, 0.125 }, frictions[] = { 0.25, 0.5 };
	for (size_t s = 0; s < 3; s++) {
		for (size_t f = 0; f < 2; f++) {
			struct scenario scenario;
			struct run run;
			const double v = speeds[s], a = copysign(frictions[f] * gravity, v);
			ball_on_belt(&scenario, v, frictions[f]);
			run_start(&run, &scenario);
			for (int tick = 1; tick <= 120; tick++) {
				run_ticks(&run, dt, 1);
				const struct body_state ball = run_body(&run, 0);
				const double t = tick * dt, until = v / a;
				assert_double_near(ball.vx, t < until ? a * t : v, 1e-12);
				if (t < until)
					assert_double_near(ball.x, a * t * t / 2, 1e-12);
				else /* in one substep, half a tick, it reaches the belt's speed somewhere: its force is not constant there */
					assert_double_near(ball.x, v * t - v * until / 2, fabs(a) * dt * dt / 32);
				assert_double_near(ball.angular_velocity, 0, 1e-20);
			}
			/* What carries it pays for the heat too: the belt passed under it at v all the while. */
			run_finish(&run);
			scenario_finish(&scenario);
		}
	}
}

/* The belt's work is force times its own way: twice the ball's kinetic energy; the other half is heat. */
static void
test_belt_pays_twice_the_kinetic_energy(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	ball_on_belt(&scenario, 2, 0.5)->mass = 3;
	run_start(&run, &scenario);
	double work = 0, lost = 0, outside = 0;
	for (int tick = 0; tick < 60; tick++) {
		run_ticks(&run, dt, 1);
		work += run.report.energy.work;
		lost += run.report.energy.contact;
		outside += run.report.momentum.outside[0];
	}
	const double kinetic = 3 * 2 * 2 / 2.0;
	assert_double_near(run.report.energy.kinetic_after, kinetic, 1e-11);
	assert_double_near(work, 2 * kinetic, 1e-11);
	/* Friction goes in quarters of a tick: what is lost is that of the mean slip in each. */
	assert_double_near(work + lost, kinetic, 1e-10);
	assert_double_near(outside, 3 * 2, 1e-11);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A disc that may turn begins to roll: its slip goes at three times the rate, a third of it into movement. It stays in its
 * place on the belt no longer: rolling resistance is what carries it at last. */
static void
test_disc_rolls_against_the_belt_until_resistance_stops_it(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	ball_on_belt(&scenario, 3, 0.5)->moment_of_inertia = 0;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 60);
	assert_double_near(run_body(&run, 0).vx, 1, 1e-12);
	assert_double_near(run_body(&run, 0).angular_velocity * 0.5, 2, 1e-12);
	run_finish(&run);
	scenario.circles[0].rolling_resistance = 0.05;
	run_start(&run, &scenario);
	run_ticks(&run, dt, 900);
	assert_double_near(run_body(&run, 0).vx, 3, 1e-9);
	assert_double_near(run_body(&run, 0).angular_velocity, 0, 1e-9);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A floor on which a ball rests becomes a belt by an edit, the only one of its world, and stops by another. */
static void
test_a_belt_is_started_and_stopped(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	struct def_problem problem;
	ball_on_belt(&scenario, 0, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 30);
	assert_double_near(run_body(&run, 0).vx, 0, 1e-12);
	struct segment_def belt = world_segment(run.world, 0);
	for (int stops = 0; stops < 2; stops++) {
		belt.surface_speed = stops ? 0 : 2;
		const struct edit edit = edit_segment_change(&belt, edit_field(DEF_SEGMENT_SURFACE_SPEED));
		assert_int_equal(world_edit(run.world, &edit, 1, &problem), STATUS_OK);
		for (int tick = 1; tick <= 60; tick++) {
			struct tick_report report;
			assert_int_equal(world_step(run.world, dt, &report), STATUS_OK);
			const double change = fmin(0.5 * gravity * tick * dt, 2);
			assert_double_near(world_body(run.world, 0).vx, stops ? 2 - change : change, 1e-12);
		}
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Without gravity: a ball comes down with speed v. The belt gives at most friction * m v (1 + e), or what brings the slip to 0.
 * On both of its sides the same way, whatever way it was drawn. */
static void
test_struck_ball_gets_its_tangential_impulse(void **state)
{
	(void)state;
	static const double frictions[] = { 0, 0.1, 10 }, belts[] = { 1.5, -4 };
	for (int k = 0; k < 24; k++) {
		const double friction = frictions[k % 3], along = belts[k / 3 % 2], e = 0.5, m = 2, v = 3, u = 0.25, spin = -1, r = 0.5;
		const int side = k / 6 % 2 ? 1 : -1, turned = k / 12;
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.friction_mix = FRICTION_MIX_MAX;
		struct segment_def *belt = scenario_segment(&scenario, turned ? 50 : -50, 0, turned ? -50 : 50, 0);
		belt->surface_speed = turned ? -along : along;
		belt->friction = friction;
		struct circle_def *ball = scenario_circle(&scenario, 0, side * 2.0, u, -side * v, r);
		ball->mass = m;
		ball->angular_velocity = spin;
		scenario_restitution(&scenario, e);
		run_start(&run, &scenario);
		run_ticks(&run, 1, 1);
		/* Above, the ball's lowest point goes at u + r spin; below, its highest at u - r spin. */
		const double slip = u + side * r * spin - along, most = friction * m * v * (1 + e);
		const double impulse = -copysign(fmin(fabs(slip) * m / 3, most), slip);
		const struct body_state after = run_body(&run, 0);
		assert_double_near(after.vx, u + impulse / m, 1e-14);
		assert_double_near(after.vy, side * e * v, 1e-14);
		assert_double_near(after.angular_velocity, spin + side * r * impulse / (m * r * r / 2), 1e-13);
		assert_double_near(run.report.energy.work, impulse * along, 1e-13);
		const double slip_after = slip + 3 * impulse / m;
		assert_double_near(run.report.energy.friction, impulse * (slip + slip_after) / 2, 1e-13);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Head-on against a belt's end the belt goes along the normal, which moves nothing. */
static void
test_end_of_a_belt_drives_along_its_tangent_only(void **state)
{
	(void)state;
	for (int across = 0; across < 2; across++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		struct segment_def *belt = scenario_segment(&scenario, 0, 0, across ? 0 : 10, across ? 10 : 0);
		belt->surface_speed = 2;
		belt->friction = 1e6;
		scenario_circle(&scenario, -3, 0, 2, 0, 1)->friction = 1e6;
		run_start(&run, &scenario);
		run_ticks(&run, 1.5, 1);
		/* Along the normal: nothing. Across it: a third of the belt's speed, the rest is spin. */
		assert_double_near(run_body(&run, 0).vy, across ? 2.0 / 3 : 0, 1e-13);
		assert_double_near(run_body(&run, 0).vx, -2, 1e-13);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Two rims that turn by themselves meet. The impulse is what a drive of the sum of both takes, opposite for both, and what
 * makes them turn is that impulse on both radii. */
static void
test_rims_that_turn_conserve_momentum(void **state)
{
	(void)state;
	const double m1 = 2, m2 = 5, r1 = 1, r2 = 0.5, c1 = 3, c2 = -1, v = 2;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	struct circle_def *one = scenario_circle(&scenario, -3, 0, v, 0, r1);
	one->mass = m1;
	one->surface_speed = c1;
	one->friction = 1000;
	struct circle_def *two = scenario_circle(&scenario, 3, 0, -v, 0, r2);
	two->mass = m2;
	two->surface_speed = c2;
	two->friction = 1000;
	run_start(&run, &scenario);
	run_ticks(&run, 2, 1);
	/* Left's rim goes up where they touch, right's down. */
	const double impulse = (c1 + c2) / (3 / m1 + 3 / m2);
	assert_double_near(run_body(&run, 0).vy, -impulse / m1, 1e-13);
	assert_double_near(run_body(&run, 1).vy, impulse / m2, 1e-13);
	assert_double_near(run_body(&run, 0).angular_velocity, -impulse * r1 / (m1 * r1 * r1 / 2), 1e-13);
	assert_double_near(run_body(&run, 1).angular_velocity, -impulse * r2 / (m2 * r2 * r2 / 2), 1e-13);
	assert_double_near(m1 * run_body(&run, 0).vy + m2 * run_body(&run, 1).vy, 0, 1e-14);
	/* The drives' work: half of it moves the two, half is heat. */
	assert_double_near(run.report.energy.work, impulse * (c1 + c2), 1e-13);
	assert_double_near(run.report.energy.friction, -impulse * (c1 + c2) / 2, 1e-13);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A fixed wheel with a moving rim is a wheel that turns. */
static void
test_fixed_rim_is_a_turning_wheel(void **state)
{
	(void)state;
	struct body_state at[2][4];
	for (int turning = 0; turning < 2; turning++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scenario.def.gravity_y = -gravity;
		struct circle_def *wheel = scenario_circle(&scenario, 0, 0, 0, 0, 2);
		wheel->kind = turning ? BODY_KINEMATIC : BODY_STATIC;
		wheel->angular_velocity = turning ? 1.5 : 0;
		wheel->surface_speed = turning ? 0 : 3;
		scenario_box(&scenario, -6, -4, 6, 20);
		for (int k = 0; k < 4; k++)
			scenario_circle(&scenario, 0.3 + 0.1 * k, 4 + 2 * k, 0, 0, 0.5);
		for (size_t k = 0; k < scenario.circle_count; k++)
			scenario.circles[k].friction = 0.4;
		scenario_restitution(&scenario, 0.6);
		run_start(&run, &scenario);
		run_ticks(&run, dt, 60);
		for (uint32_t k = 0; k < 4; k++)
			at[turning][k] = run_body(&run, 1 + k);
		assert_true(run.report.energy.work == run.report.energy.work);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	for (int k = 0; k < 4; k++) {
		assert_double_near(at[0][k].x, at[1][k].x, 1e-9);
		assert_double_near(at[0][k].y, at[1][k].y, 1e-9);
		assert_double_near(at[0][k].angular_velocity, at[1][k].angular_velocity, 1e-8);
	}
}

/* A steep belt with friction that holds takes it up at its own speed. */
static void
test_belt_carries_uphill(void **state)
{
	(void)state;
	const double slope = 30 * DEGREE, ux = cos(slope), uy = sin(slope), lift = 0.505;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -gravity;
	struct segment_def *belt = scenario_segment(&scenario, -50 * ux, -50 * uy, 50 * ux, 50 * uy);
	belt->friction = 1;
	belt->surface_speed = 2;
	struct circle_def *load = scenario_circle(&scenario, -lift * uy, lift * ux, 0, 0, 0.5);
	load->friction = 1;
	load->moment_of_inertia = NO_TURNING;
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 120);
	assert_double_near(run_body(&run, 0).vx, 2 * ux, 1e-9);
	assert_double_near(run_body(&run, 0).vy, 2 * uy, 1e-9);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* What lies still on a belt that runs must be awake: only because it is held does it lie still. */
static void
test_nothing_sleeps_on_a_running_belt(void **state)
{
	(void)state;
	static const double speeds[] = { 0, 2, 1e-7 };
	for (int k = 0; k < 9; k++) {
		const double speed = speeds[k % 3];
		const int where = k / 3; /* free, against a stop, on another that lies on the belt */
		struct scenario scenario;
		struct run run;
		struct circle_def *ball = ball_on_belt(&scenario, speed, 0.5);
		ball->x = where == 1 ? 1 : ball->x;
		scenario.def.sleep_after = 0.2;
		if (where == 1) {
			struct segment_def *stop = scenario_segment(&scenario, 1.505 + 0.5e-9, 0.2, 1.505 + 0.5e-9, 5);
			stop->restitution = 0;
		} else if (where == 2) {
			struct circle_def *rider = scenario_circle(&scenario, 0, scenario.circles[0].y + 1.01, 0, 0, 0.5);
			rider->restitution = 0;
			rider->friction = 0.5;
			rider->moment_of_inertia = NO_TURNING;
		}
		run_start(&run, &scenario);
		run_ticks(&run, dt, 90);
		assert_int_equal(run.report.asleep, speed == 0 ? 1 + (where == 2) : 0);
		if (where == 0)
			assert_double_near(run_body(&run, 0).vx, speed, 1e-12);
		if (where == 1)
			assert_double_near(run_body(&run, 0).vx, 0, 1e-9);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Nothing without friction feels a belt: the same bits as on one that stands. */
static void
test_smooth_belt_moves_nothing(void **state)
{
	(void)state;
	uint64_t hashes[2];
	for (int moving = 0; moving < 2; moving++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scene_pile(&scenario, 40, 8, 0, 0.5, 3);
		for (size_t k = 0; k < scenario.segment_count; k++)
			scenario.segments[k].surface_speed = moving ? 5 : 0;
		for (size_t k = 0; k < scenario.circle_count; k++)
			scenario.circles[k].surface_speed = moving ? -2 : 0;
		run_start(&run, &scenario);
		run_ticks(&run, dt, 90);
		hashes[moving] = world_hash(run.world);
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(hashes[0] == hashes[1]);
}

/* A heap falls on a belt and is carried off by it, certified and booked to the last part. */
static void
test_heap_is_carried_off(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario.def.gravity_y = -gravity;
	scenario_segment(&scenario, -200, 0, 200, 0)->surface_speed = 1.5;
	for (int k = 0; k < 24; k++)
		scenario_circle(&scenario, (k % 6) * 1.1 + 0.01 * (k / 6), 0.6 + 1.1 * (k / 6), 0, 0, 0.5)->moment_of_inertia =
			NO_TURNING;
	for (size_t k = 0; k < scenario.circle_count; k++)
		scenario.circles[k].friction = 0.6;
	scenario.segments[0].friction = 0.6;
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, dt, 400);
	for (uint32_t k = 0; k < 24; k++)
		assert_double_near(run_body(&run, k).vx, 1.5, 0.02);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_is_carried_after_v_over_mu_g),
		cmocka_unit_test(test_belt_pays_twice_the_kinetic_energy),
		cmocka_unit_test(test_disc_rolls_against_the_belt_until_resistance_stops_it),
		cmocka_unit_test(test_a_belt_is_started_and_stopped),
		cmocka_unit_test(test_struck_ball_gets_its_tangential_impulse),
		cmocka_unit_test(test_end_of_a_belt_drives_along_its_tangent_only),
		cmocka_unit_test(test_rims_that_turn_conserve_momentum),
		cmocka_unit_test(test_fixed_rim_is_a_turning_wheel),
		cmocka_unit_test(test_belt_carries_uphill),
		cmocka_unit_test(test_nothing_sleeps_on_a_running_belt),
		cmocka_unit_test(test_smooth_belt_moves_nothing),
		cmocka_unit_test(test_heap_is_carried_off),
	};
	return cmocka_run_group_tests_name("physics/surfaces", tests, NULL, NULL);
}
