/* What nothing holds up falls by its parabola, whatever it touches on its way: a wall beside it with friction, another circle
 * that falls alike, the side of a table. The resting solver has it only while something carries it. */
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/self_check.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.0 / 60;

/* How often paths went straight by the resting solver. */
static size_t
led_rows(const struct run *run)
{
	size_t rows = 0;
	for (size_t i = 0; i < run->change_count; i++)
		rows += run->changes[i].change.kind == PATH_LED;
	return rows;
}

static size_t
led_rows_of_tick(const struct run *run)
{
	size_t rows = 0;
	for (size_t i = 0; i < run->report.path_change_count; i++)
		rows += run->report.path_changes[i].kind == PATH_LED;
	return rows;
}

/* A ball of radius 1/2 beside a wall on the y axis, at x = `side` (1/2 + apart), that goes along it at `speed`. */
static void
beside_wall(struct scenario *scenario, double side, double apart, double speed, double restitution, double threshold)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	scenario->def.restitution_threshold = threshold;
	struct circle_def *ball = scenario_circle(scenario, side * (0.5 + apart), 2, 0, speed, 0.5);
	ball->friction = 0.5;
	ball->angular_velocity = 3;
	struct segment_def *wall = scenario_segment(scenario, 0, -1000, 0, 1000);
	wall->friction = 0.5;
	scenario_restitution(scenario, restitution);
}

/* Two runs of the same circles: the same to the bit, but that what begins `pushed` deep in something is moved out of it first,
 * in one of them. The solver drives nothing. */
static void
assert_same_paths(struct run *run, struct run *alone, size_t count, double pushed_x, double pushed_y, int ticks, double step)
{
	for (int tick = 0; tick < ticks; tick++) {
		run_ticks(run, step, 1);
		run_ticks(alone, step, 1);
		for (uint32_t i = 0; i < count; i++) {
			const struct body_state body = run_body(run, i), free = run_body(alone, i);
			assert_double_near(body.x, free.x, pushed_x);
			assert_double_near(body.y, free.y, pushed_y);
			assert_same(body.vx, free.vx);
			assert_same(body.vy, free.vy);
			assert_same(body.angular_velocity, free.angular_velocity);
		}
	}
	assert_int_equal(led_rows(run), 0);
	assert_int_equal(run->shortfall_count, 0);
	run_finish(run);
	run_finish(alone);
}

/* With its walls and without; it is pushed across gravity only. */
static void
assert_walls_are_not_felt(struct scenario *scenario, double pushed, int ticks, double step)
{
	struct run run, alone;
	const size_t walls = scenario->segment_count;
	const bool upright = scenario->def.gravity_x == 0;
	run_start(&run, scenario);
	scenario->segment_count = 0;
	run_start(&alone, scenario);
	scenario->segment_count = walls;
	assert_same_paths(&run, &alone, scenario->circle_count, upright ? pushed : 0, upright ? 0 : pushed, ticks, step);
}

/* As they are, and where nothing meets anything. */
static void
assert_nothing_is_felt(struct scenario *scenario, double pushed, int ticks, double step)
{
	struct run run, alone;
	run_start(&run, scenario);
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].mask = 0;
	run_start(&alone, scenario);
	assert_same_paths(&run, &alone, scenario->circle_count, pushed, pushed, ticks, step);
}

static const double restitutions[] = { 0, 0.5, 1 }, thresholds[] = { 0, 0.1 };

/* In four directions, on both sides, in the wall, within the skin, within the cushion and beyond. */
static void
test_ball_beside_a_wall_falls_to_the_bit(void **state)
{
	(void)state;
	static const double aparts[] = { -0.2, -0.001, 0, 0x1p-32, 1e-9, 0.004, 0.5 }, speeds[] = { 0, 4, -300 };
	for (int way = 0; way < 4 * 2 * 7 * 3 * 3 * 2; way += (int)effort(53, 1)) {
		struct scenario scenario;
		const double apart = aparts[way / 8 % 7];
		beside_wall(&scenario, way / 4 % 2 ? 1 : -1, apart, speeds[way / 56 % 3], restitutions[way / 168 % 3],
		            thresholds[way / 504]);
		scenario_turn(&scenario, way % 4);
		assert_walls_are_not_felt(&scenario, fmax(-apart, 0) + 1e-9, 90, way % 3 ? dt : 0.05);
		scenario_finish(&scenario);
	}
}

/* Walls along gravity whatever its direction, and off it by some units in the last place: by rounding, in the end as in the
 * middle. Then to rounding, in long double. */
static void
test_ball_beside_a_wall_off_by_ulps(void **state)
{
	(void)state;
	static const int ulps[] = { 0, 1, -1, 2, -16, 16, 64, -64 };
	for (int way = 0; way < 37 * 8; way++) {
		const double angle = 10 * DEGREE * (way % 37), ux = cos(angle), uy = sin(angle), side = way % 2 ? 1 : -1;
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_x = 10 * ux;
		scenario.def.gravity_y = 10 * uy;
		struct circle_def *ball = scenario_circle(&scenario, -uy * side * (0.5 + 2e-9), ux * side * (0.5 + 2e-9), 0, 0, 0.5);
		ball->friction = 0.5;
		struct segment_def *wall = scenario_segment(&scenario, -10 * ux, -10 * uy, 40 * ux, 40 * uy);
		wall->friction = 0.5;
		wall->x2 += ulps[way / 37] * (nextafter(fabs(wall->x2), INFINITY) - fabs(wall->x2));
		wall->y1 += ulps[way / 37] * (nextafter(fabs(wall->y1), INFINITY) - fabs(wall->y1));
		scenario_restitution(&scenario, way % 3 ? 0 : 1);
		struct run run;
		run_start(&run, &scenario);
		for (int tick = 1; tick <= 120; tick++) {
			run_ticks(&run, dt, 1);
			const struct body_state body = run_body(&run, 0);
			const long double time = (long double)dt * tick, fall = time * time / 2;
			assert_double_near(body.x, (double)(scenario.circles[0].x + scenario.def.gravity_x * fall), 4e-13);
			assert_double_near(body.y, (double)(scenario.circles[0].y + scenario.def.gravity_y * fall), 4e-13);
		}
		assert_int_equal(led_rows(&run), 0);
		run_end(&run, &scenario);
	}
}

/* Where the ball of a run was in the last ticks, and how fast. */
struct track {
	double y[3], vy[2];
	int count; /* of ticks in a row without a contact */
};

/* Whether gravity, and nothing else, changes what goes along y: differences of the places, and of the velocities. */
static void
track_falls(struct track *track, const struct run *run, uint32_t id, double gravity, double step)
{
	const struct body_state body = run_body(run, id);
	track->count = run->report.contact_count > 0 ? 0 : track->count + 1;
	track->y[0] = track->y[1];
	track->y[1] = track->y[2];
	track->y[2] = body.y;
	track->vy[0] = track->vy[1];
	track->vy[1] = body.vy;
	if (track->count < 3)
		return;
	assert_double_near(track->y[2] - track->y[1] - (track->y[1] - track->y[0]), gravity * step * step, 1e-13);
	assert_double_near(track->vy[1] - track->vy[0], gravity * step, 1e-13);
}

/* What hits a wall and does not bounce off falls along it. */
static void
test_ball_thrown_at_a_wall_slides_down(void **state)
{
	(void)state;
	for (int way = 0; way < 3 * 4; way++) {
		struct scenario scenario;
		beside_wall(&scenario, way % 2 ? 1 : -1, way % 3 ? 1 : -0.1, 2, way / 4 * 0.4, 0.05);
		scenario.circles[0].vx = way % 2 ? -3 : 3;
		scenario.circles[0].rolling_resistance = way % 4 / 2 ? 0.01 : 0;
		struct run run;
		struct track track = { 0 };
		run_start(&run, &scenario);
		for (int tick = 0; tick < 120; tick++) {
			run_ticks(&run, dt, 1);
			track_falls(&track, &run, 0, -10, dt);
		}
		assert_true(run.contact_count > 0);
		assert_int_equal(led_rows(&run), 0);
		run_end(&run, &scenario);
	}
}

/* Two that touch, at any angle, of any masses and materials, turning or not, fall as each alone. So do both beside a wall. */
static void
test_circles_that_touch_fall_alike(void **state)
{
	(void)state;
	static const double aparts[] = { 0, 2e-9, 0.004, 0.0099 };
	for (int way = 0; way < 36 * 4 * 3; way += (int)effort(53, 1)) {
		const double angle = (5 + 10 * (way % 36)) * DEGREE, apart = aparts[way / 36 % 4], speed = way % 7 ? 0 : 3;
		struct scenario scenario;
		beside_wall(&scenario, 1, 1e-9 + 0.001 * (way % 2), speed, restitutions[way / 144], way % 5 ? 0 : 0.1);
		const double x = scenario.circles[0].x + (1.1 + apart) * cos(angle), y = 2 + (1.1 + apart) * sin(angle);
		struct circle_def *other = scenario_circle(&scenario, x, y, 0, speed, 0.6);
		other->friction = 0.7;
		other->mass = way % 3 ? 50 : 1e-3;
		other->restitution = restitutions[way / 144];
		other->angular_velocity = -2;
		if (x < 0.7)
			scenario.segment_count = 0;
		assert_nothing_is_felt(&scenario, apart < 1e-9 ? 2e-9 : 0, 60, dt);
		scenario_finish(&scenario);
	}
}

/* A column along a wall, a ball in a shaft, several speeds of a belt, gravity scales, damping, and with sleep. */
static void
test_falls_along_walls_of_all_sorts(void **state)
{
	(void)state;
	for (int way = 0; way < 3 * 8; way++) {
		struct scenario scenario;
		beside_wall(&scenario, 1, 1e-9, way % 2 ? 4 : 0, restitutions[way / 8], way % 3 ? 0 : 0.1);
		for (int i = 1; i < (way % 8 == 0 ? 6 : 1); i++) {
			scenario_circle(&scenario, 0.5 + 1e-9, 2 + i * (1 + 2e-9), 0, way % 2 ? 4 : 0, 0.5)->friction = 0.5;
			scenario.circles[i].restitution = restitutions[way / 8];
		}
		if (way % 8 == 1) {
			scenario_segment(&scenario, 1 + 2e-9, -1000, 1 + 2e-9, 1000)->friction = 0.5;
			scenario.segments[1].restitution = restitutions[way / 8];
		}
		scenario.segments[0].surface_speed = way % 8 == 2 ? 5 : 0;
		scenario.circles[0].surface_speed = way % 8 == 3 ? -5 : 0;
		scenario.circles[0].gravity_scale = way % 8 == 4 ? 2 : way % 8 == 5 ? -0.5 : 1;
		scenario.circles[0].linear_damping = way % 8 == 6 ? 0.3 : 0;
		scenario.def.sleep_after = way % 8 == 7 ? 0.25 : 0;
		scenario_turn(&scenario, way % 4);
		assert_walls_are_not_felt(&scenario, 0, 120, dt);
		scenario_finish(&scenario);
	}
}

/* Circles that fall differently and touch side by side pass each other. */
static void
test_circles_of_two_scales_pass_side_by_side(void **state)
{
	(void)state;
	static const double scales[] = { 0, 0.5, 2, -1 };
	for (int way = 0; way < 4 * 3; way++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		scenario_circle(&scenario, -0.5 - 1e-9, 0, 0, 0, 0.5)->friction = 1;
		scenario_circle(&scenario, 0.5 + 1e-9, 0, 0, 0, 0.5)->friction = 1;
		scenario_restitution(&scenario, restitutions[way / 4]);
		scenario.circles[1].gravity_scale = scales[way % 4];
		assert_nothing_is_felt(&scenario, 0, 60, dt);
		scenario_finish(&scenario);
	}
}

/* What a wall pushes that moves across gravity is not held up by it. */
static void
test_ball_before_a_moving_wall_falls(void **state)
{
	(void)state;
	for (int way = 0; way < 2 * 2 * 3; way++) {
		struct scenario scenario;
		beside_wall(&scenario, 1, way % 2 ? 0.3 : 1e-9, 2, 0, 0);
		scenario.segments[0].vx = way / 2 % 2 ? 3 : 0.1;
		scenario.segments[0].radius = way / 4 == 2 ? 0.25 : 0;
		scenario.circles[0].x += scenario.segments[0].radius;
		scenario.circles[0].angular_velocity = way / 4 == 1 ? 0 : 3;
		struct run run;
		struct track track = { 0 };
		run_start(&run, &scenario);
		for (int tick = 0; tick < 240; tick++) {
			run_ticks(&run, dt, 1);
			track_falls(&track, &run, 0, -10, dt);
		}
		const double wall = scenario.segments[0].vx * 240 * dt + scenario.segments[0].radius;
		assert_double_in_range(run_body(&run, 0).x - wall, 0.5, 0.501);
		assert_int_equal(led_rows(&run), 0);
		run_end(&run, &scenario);
	}
}

/* Off a table, rolling fast or turning slowly around its edge, with a side below the edge or without. The solver has it while
 * it is within a cushion of the table, and not after. */
static void
test_ball_that_leaves_a_table_falls(void **state)
{
	(void)state;
	static const double speeds[] = { 0.1, 0.5, 1.5, 8 };
	for (int way = 0; way < 4 * 2; way++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario.def.gravity_y = -10;
		struct circle_def *ball = scenario_circle(&scenario, -0.3, 0.5 + 1e-9, speeds[way % 4], 0, 0.5);
		ball->angular_velocity = -2 * speeds[way % 4];
		scenario_segment(&scenario, -5, 0, 0, 0);
		if (way / 4)
			scenario_segment(&scenario, 0, 0, 0, -1000);
		scenario_dull(&scenario, 0.8, 0);
		struct run run;
		struct track track = { 0 };
		size_t led = 0, apart = 0;
		run_start(&run, &scenario);
		for (int tick = 0; tick < 400; tick++) {
			const struct body_state before = run_body(&run, 0);
			run_ticks(&run, dt, 1);
			if (hypot(before.x, before.y) > 0.52 && before.x > 0) {
				assert_int_equal(run.report.contact_count, 0);
				assert_int_equal(led_rows_of_tick(&run), 0);
				track_falls(&track, &run, 0, -10, dt);
				apart++;
			}
			led += led_rows_of_tick(&run);
		}
		assert_true(led > 0 && apart > 100);
		run_end(&run, &scenario);
	}
}

/* Touching a wall with friction, it keeps its energy from bounce to bounce on a floor without. */
static void
test_ball_that_bounces_beside_a_wall_keeps_its_energy(void **state)
{
	(void)state;
	static const double aparts[] = { 1e-9, 0.003 };
	for (int way = 0; way < 2 * 2; way++) {
		struct scenario scenario;
		beside_wall(&scenario, 1, aparts[way % 2], 0, 1, 0.1);
		scenario.circles[0].rolling_resistance = 0;
		scenario_segment(&scenario, -10, 0, 10, 0);
		if (way / 2)
			scenario_segment(&scenario, 1 + 2 * aparts[way % 2], 0, 1 + 2 * aparts[way % 2], 100)->friction = 0.5;
		struct run run;
		run_start(&run, &scenario);
		const double energy = run_energy(&run, &scenario);
		for (int tick = 0; tick < (int)effort(3000, 20000); tick++) {
			run_ticks_unlogged(&run, dt, 1);
			assert_double_near(run_energy(&run, &scenario), energy, 1e-12 * energy);
			assert_int_equal(led_rows_of_tick(&run), 0);
		}
		run_end(&run, &scenario);
	}
}

static double
unrest(const struct run *run, size_t count)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct body_state body = run_body(run, i);
		sum += (body.vx * body.vx + body.vy * body.vy) / 2 / (10 * body.radius) / (double)count;
	}
	return sum;
}

/* Forty rough circles at rest that have just got a speed upwards, all of them. `way`: 0..2. */
static void
pile_throw(struct run *run, struct scenario *scenario, int way)
{
	const uint32_t count = 40;
	struct edit edits[40];
	struct def_problem problem;
	scenario_init(scenario);
	scene_pile(scenario, count, 8, 0.5, way == 1 ? 0.5 : 0.25, 7 + (uint64_t)way);
	for (uint32_t i = 0; i < count; i++)
		scenario->circles[i].restitution = way == 2 ? 0.3 : 0;
	run_start(run, scenario);
	/* Most are at rest after five seconds, some after ten. */
	run_ticks_unlogged(run, dt, 900);
	assert_at_most(unrest(run, count), 1e-5);
	assert_true(led_rows_of_tick(run) >= 2 * count * 9 / 10);
	for (uint32_t i = 0; i < count; i++) {
		struct circle_def circle = world_circle(run->world, i);
		circle.vx = 0;
		circle.vy = 10;
		edits[i] = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	}
	assert_int_equal(world_edit(run->world, edits, count, &problem), STATUS_OK);
}

static double
momentum(const struct run *run, size_t count, double *mass)
{
	double sum = 0;
	*mass = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct body_state body = run_body(run, i);
		sum += body.mass * body.vy;
		*mass += body.mass;
	}
	return sum;
}

/* It is let go, and driven by the solver again when it has come down. In the air gravity alone changes its momentum, and
 * nothing wins energy. */
static void
test_pile_thrown_up_is_let_go_and_led_again(void **state)
{
	(void)state;
	for (int way = 0; way < (int)effort(1, 3); way++) {
		const size_t count = 40;
		struct scenario scenario;
		struct run run;
		size_t judged = 0, led = 0;
		pile_throw(&run, &scenario, way);
		for (int tick = 0; tick < 100; tick++) {
			double mass;
			const double before = momentum(&run, count, &mass);
			run_ticks_unlogged(&run, dt, 1);
			if (tick < 10)
				continue;
			const bool leads = led_rows_of_tick(&run) > 0;
			led += leads;
			const struct energy_ledger *energy = &run.report.energy;
			assert_at_most(energy->kinetic_after + energy->potential_after - energy->kinetic_before - energy->potential_before,
			               1e-14 * (energy->kinetic_before + fabs(energy->potential_before)));
			bool walls = false;
			for (size_t i = 0; i < run.report.contact_count; i++)
				walls = walls || run.report.contacts[i].other == CONTACT_SEGMENT;
			if (walls || leads)
				continue;
			assert_double_near(momentum(&run, count, &mass) - before, -10 * dt * mass, 1e-13 * mass);
			judged++;
		}
		assert_true(judged > 30);
		/* Those that come near each other on their way may be driven for a moment. */
		assert_true(led <= 5);
		run_ticks_unlogged(&run, dt, 600);
		assert_at_most(unrest(&run, count), 1e-5);
		assert_true(led_rows_of_tick(&run) >= 2 * count * 9 / 10);
		run_end(&run, &scenario);
	}
}

/* Each tick of it made twice, the second time from a snapshot, and beside it by several hands. */
static void
test_pile_thrown_up_has_the_same_bits(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run, hands;
	struct selfcheck check = { 0 };
	pile_throw(&run, &scenario, 0);
	scenario_finish(&scenario);
	pile_throw(&hands, &scenario, 0);
	world_workers_set(hands.world, &workers_in_turn);
	for (int tick = 0; tick < 300; tick++) {
		struct tick_report report;
		const enum status status = selfcheck_step(&check, run.world, dt, &report);
		if (status != STATUS_OK)
			print_error("tick %d: %s\n", tick, check.difference.text);
		assert_int_equal(status, STATUS_OK);
		run_ticks_unlogged(&hands, dt, 1);
		assert_true(world_hash(run.world) == world_hash(hands.world));
	}
	selfcheck_finish(&check);
	run_abandon(&run);
	run_end(&hands, &scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_beside_a_wall_falls_to_the_bit),
		cmocka_unit_test(test_ball_beside_a_wall_off_by_ulps),
		cmocka_unit_test(test_ball_thrown_at_a_wall_slides_down),
		cmocka_unit_test(test_circles_that_touch_fall_alike),
		cmocka_unit_test(test_falls_along_walls_of_all_sorts),
		cmocka_unit_test(test_circles_of_two_scales_pass_side_by_side),
		cmocka_unit_test(test_ball_before_a_moving_wall_falls),
		cmocka_unit_test(test_ball_that_leaves_a_table_falls),
		cmocka_unit_test(test_ball_that_bounces_beside_a_wall_keeps_its_energy),
		long_case(test_pile_thrown_up_is_let_go_and_led_again),
		long_case(test_pile_thrown_up_has_the_same_bits),
	};
	return cmocka_run_group_tests_name("physics/free_fall", tests, NULL, NULL);
}
