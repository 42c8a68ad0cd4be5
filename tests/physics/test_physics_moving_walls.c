/* Segments that move: what they do to circles, by formula. */
#include "physics/scenario.h"

#include "physics/all_pairs.h"
#include "physics/describe.h"
#include "physics/followers.h"
#include "support/effort.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct segment_def *
moving(struct scenario *scenario, double x1, double y1, double x2, double y2, double vx, double vy)
{
	struct segment_def *wall = scenario_segment(scenario, x1, y1, x2, y2);
	wall->vx = vx;
	wall->vy = vy;
	return wall;
}

/* Between walls that approach each at u a ball is faster by 2u after every bounce. */
static void
test_ball_between_approaching_walls(void **state)
{
	struct scenario scenario;
	struct run run;
	double speed = 1;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, -10, -5, -10, 5, 0.25, 0);
	moving(&scenario, 10, -5, 10, 5, -0.25, 0);
	scenario_circle(&scenario, 0, 0.125, 1, 0, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 2300);
	assert_true(run.contact_count > 20);
	for (size_t i = 0; i < run.contact_count; i++, speed += 0.5) {
		const struct contact *c = &run.contacts[i].contact;
		const double u = c->b == 0 ? 0.25 : -0.25;

		assert_true(c->a_before[0] == -copysign(speed, u) && c->a_after[0] == copysign(speed + 0.5, u));
		assert_true(c->a_before[1] == 0 && c->a_after[1] == 0);
		assert_true(c->b_before[0] == u && c->b_after[0] == u && c->b_before[1] == 0);
		assert_true(c->approach_speed == speed + 0.25);
	}
	run_end(&run, &scenario);
}

/* A ball at rest that a wall comes to leaves at twice its speed, at the time of the meeting. */
static void
test_ball_at_rest_leaves_at_twice_the_speed(void **state)
{
	const double speeds[] = { 1e-3, 0.7, 40, 1e4, 1e6 };

	(void)state;
	for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
		struct scenario scenario;
		struct run run;
		const double u = speeds[k], dt = 4 / u;

		scenario_init(&scenario);
		moving(&scenario, -3, -1, -3, 1, u, 0);
		scenario_circle(&scenario, 0, 0, 0, 0, 1);
		run_start(&run, &scenario);
		run_ticks(&run, dt < 100 ? dt : 100, dt < 100 ? 1 : 40);
		assert_int_equal(run.contact_count, 1);
		assert_true(fabs(run.contacts[0].at * u - 2) <= 2.5e-9);
		assert_same(run.contacts[0].contact.a_after[0], 2 * u);
		assert_true(fabs(run.report.energy.work + run.report.energy.contact - run.report.energy.kinetic_after) <=
		                1e-12 * u * u ||
		            dt >= 100);
		run_end(&run, &scenario);
	}
}

/* Also with the end of a wall, and with one that is thick, and the point is where the two meet. */
static void
test_end_and_thick_wall(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, -6, 0.6, -3, 0.6, 2, 0)->radius = 0.25; /* its end comes in line 0.6 above the centre */
	scenario_circle(&scenario, 0, 0, 0, 0, 0.75);
	run_start(&run, &scenario);
	run_ticks(&run, 2, 1);
	assert_int_equal(run.contact_count, 1);

	const struct contact *c = &run.contacts[0].contact;

	assert_int_equal(c->feature, FEATURE_END_2);
	assert_double_near(c->time, (3 - 0.8) / 2, 1e-8);
	assert_double_near(c->normal[0], 0.8, 1e-8);
	assert_double_near(c->normal[1], -0.6, 1e-8);
	assert_double_near(c->point[0], -0.6, 1e-8);
	assert_double_near(c->point[1], 0.45, 1e-8);
	/* Twice the wall's velocity along the normal. */
	assert_double_near(c->a_after[0], 2 * 2 * 0.8 * 0.8, 1e-7);
	run_end(&run, &scenario);
}

/* Crushed between a door and a wall, told with how deep. */
static void
test_crushed_between_door_and_wall(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario_segment(&scenario, 5, -5, 5, 5);
	moving(&scenario, 2, -5, 2, 5, 1, 0);
	scenario_circle(&scenario, 3.5, 0, 0, 0, 1);
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 64 + 16);
	assert_true(run.shortfall_flags & BODY_FLAG_CRUSHED);

	/* The door has come to 3.25: with the wall at 5 a quarter of the circle has no room. */
	const struct shortfall *crushed = run_shortfall(&run, 0, BODY_FLAG_CRUSHED);

	assert_non_null(crushed);
	assert_double_near(crushed->amount, 0.25, 1e-6);
	assert_double_near(run_body(&run, 0).x, 4, 1e-6);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A wall at a million units per second passes over nothing. */
static void
test_fast_wall_through_a_crowd(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, -5, -2e5, -5.5, 2e5, 1e6, 0); /* none is thrown round its ends */
	for (int i = 0; i < 60; i++)
		scenario_circle(&scenario, 3.0 * (i % 10), 3.1 * (i / 10) - 8 + 0.1 * i, 0.3 * i, -0.2 * i, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 3);
	for (uint32_t i = 0; i < 60; i++)
		assert_true(run_body(&run, i).x > 3e6 / 64 - 10 && run_body(&run, i).vx > 9e5);
	run_end(&run, &scenario);
}

/* A moving conveyor: what lies on it and has friction gets its velocity, and a disc that spins up does not slip at the end. */
static void
test_platform_carries_sideways(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	moving(&scenario, -50, 0, 50, 0, 2, 0);
	scenario_circle(&scenario, 0, 0.5, 0, 0, 0.5)->response = RESPONSE_STOP;
	scenario_circle(&scenario, -5, 0.5, 0, 0, 0.5);
	scenario_dull(&scenario, 0.5, 0);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 256);
	assert_double_near(run_body(&run, 0).vx, 2, 1e-9);
	/* No slip: v - w r = 2 at the rim, with the angular momentum about the line of contact kept: v = 2 / 3. */
	assert_double_near(run_body(&run, 1).vx + 0.5 * run_body(&run, 1).angular_velocity, 2, 1e-6);
	assert_double_near(run_body(&run, 1).vx, 2.0 / 3, 1e-6);
	run_end(&run, &scenario);
}

/* Rides a lift up, down and sideways, alone (by events) and in company (by the resting solver): it stays on it. */
static void
ride(int count, double vx, double vy, double friction, double restitution)
{
	struct scenario scenario;
	struct run run;
	double highest = 0, lowest = 1;

	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	moving(&scenario, -50, 0, 50, 0, vx, vy);
	for (int i = 0; i < count; i++)
		scenario_circle(&scenario, 1.03 * i, 0.5, vx, vy, 0.5);
	scenario_dull(&scenario, friction, 0);
	scenario_restitution(&scenario, restitution);
	run_start(&run, &scenario);
	for (int tick = 1; tick <= 400; tick++) {
		run_ticks_unlogged(&run, 1.0 / 64, 1);
		if (tick < 200)
			continue;
		for (int i = 0; i < count; i++) {
			const double height = run_body(&run, (uint32_t)i).y - vy * tick / 64;

			highest = fmax(highest, height);
			lowest = fmin(lowest, height);
			assert_true(fabs(run_body(&run, (uint32_t)i).vy - vy) <= 0.05);
		}
	}
	/* On it all the time, no higher than the cushion of 1 % of a radius. */
	assert_true(lowest >= 0.5 - 1e-12 && highest <= 0.5 * 1.021);
	run_end(&run, &scenario);
}

static void
test_lift_carries(void **state)
{
	const double velocities[][2] = { { 0, 1 }, { 0, -1 }, { 1.5, 0 }, { 0.7, 0.3 }, { -3, 5 }, { 0, -4 } };

	(void)state;
	for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k += effort(3, 1)) {
		ride(1, velocities[k][0], velocities[k][1], 0, 0);
		ride(1, velocities[k][0], velocities[k][1], 0.5, 0);
		ride(1, velocities[k][0], velocities[k][1], 0, 0.5);
		ride(12, velocities[k][0], velocities[k][1], 0.5, 0);
		ride(12, velocities[k][0], velocities[k][1], 0.3, 0.4);
	}
}

/* Moving walls and circles that cannot yield pass each other. */
static void
test_nothing_that_does_not_yield_is_met(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, -3, -5, -3, 5, 10, 0);
	scenario_circle(&scenario, 0, 0, 0, 0, 1)->kind = BODY_STATIC;
	scenario_circle(&scenario, 3, 0, -10, 0, 1)->kind = BODY_KINEMATIC;
	scenario_segment(&scenario, 2, -5, 2, 5);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 64);
	assert_int_equal(run.contact_count, 0);
	run_end(&run, &scenario);
}

/* The same scene seen from a frame that moves at a power of two: the same contacts at the same times, to rounding. */
static void
test_seen_from_a_moving_frame(void **state)
{
	struct scenario scenes[2];
	struct run runs[2];
	const double u[2] = { 64, -16 };

	(void)state;
	for (int k = 0; k < 2; k++) {
		scenario_init(&scenes[k]);
		scenario_box(&scenes[k], -10, -10, 10, 10);
		scenario_segment(&scenes[k], -4, -3, 5, 4)->radius = 0.25;
		scenario_segment(&scenes[k], -8, 5, -2, 7)->one_sided = true;
		scenario_segment(&scenes[k], 2, -8, 8, -5)->friction = 0.5;
		for (int i = 0; i < 12; i++)
			scenario_circle(&scenes[k], -7.5 + 3 * (i % 6), -8.5 + 16 * (i / 6) + 0.25 * (i % 6), 3 - 0.5 * i, 0.7 * i - 2,
			                0.5 + 0.0625 * (i % 3))
				->friction = 0.5;
		for (size_t i = 0; k == 1 && i < scenes[k].segment_count; i++) {
			scenes[k].segments[i].vx = u[0];
			scenes[k].segments[i].vy = u[1];
		}
		for (size_t i = 0; k == 1 && i < scenes[k].circle_count; i++) {
			scenes[k].circles[i].vx += u[0];
			scenes[k].circles[i].vy += u[1];
		}
		run_start(&runs[k], &scenes[k]);
		run_ticks(&runs[k], 1.0 / 64, 64);
	}
	assert_true(runs[0].contact_count > 10);
	assert_int_equal(runs[0].contact_count, runs[1].contact_count);
	for (size_t i = 0; i < runs[0].contact_count; i++) {
		const struct contact *a = &runs[0].contacts[i].contact, *b = &runs[1].contacts[i].contact;
		const double at = runs[0].contacts[i].at;

		assert_true(a->a == b->a && a->b == b->b && a->other == b->other && a->feature == b->feature);
		assert_double_near(runs[1].contacts[i].at, at, 1e-8);
		for (int d = 0; d < 2; d++) {
			assert_double_near(b->normal[d], a->normal[d], 1e-7);
			assert_double_near(b->a_after[d] - u[d], a->a_after[d], 1e-6);
			assert_double_near(b->point[d] - u[d] * at, a->point[d], 1e-6);
		}
		assert_double_near(b->friction_impulse, a->friction_impulse, 1e-6);
	}
	for (int k = 0; k < 2; k++)
		run_end(&runs[k], &scenes[k]);
}

/* Rolling over the joints of a moving chain feels none of them. */
static void
test_joints_that_move_are_smooth(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	for (int i = 0; i < 40; i++)
		moving(&scenario, i - 20.0, 0, i - 19.0, 0, 0.3, 0.7);
	moving(&scenario, 0.1, 0, 0.1, -1, 0.3, 0.7); /* a T-junction */
	scenario_circle(&scenario, -15, 0.5, 4, 0.7, 0.5)->restitution = 0;
	scenario_restitution(&scenario, 0);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 400);
	assert_same(run_body(&run, 0).vx, 4);
	for (size_t i = 0; i < run.contact_count; i++)
		assert_int_equal(run.contacts[i].contact.feature, FEATURE_FACE);
	run_end(&run, &scenario);
}

/* A sleeper wakes when a wall comes to it, and not before. */
static void
test_wall_wakes_sleepers(void **state)
{
	struct scenario scenario;
	struct run run;
	bool slept = false;

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.25;
	scenario_segment(&scenario, -20, 0, 20, 0);
	moving(&scenario, -8, 0.1, -8, 3, 2, 0);
	for (int i = 0; i < 3; i++)
		scenario_circle(&scenario, 1.2 * i, 0.5, 0, 0, 0.5);
	scenario_dull(&scenario, 0.5, 0.1);
	run_start(&run, &scenario);
	for (int tick = 1; tick <= 400; tick++) {
		run_ticks_unlogged(&run, 1.0 / 64, 1);
		slept = slept || run_body(&run, 0).asleep;
		/* It is at -8 + 2 t, and touches the first at -0.5. */
		if (tick > 64 && tick < 239)
			assert_true(run_body(&run, 0).asleep);
		if (tick > 242)
			assert_true(!run_body(&run, 0).asleep && run_body(&run, 0).x >= -8 + 2 * tick / 64.0 + 0.5 - 1e-9);
	}
	assert_true(slept && run_body(&run, 2).x > 4);
	run_end(&run, &scenario);
}

/* A door that is sent back and forth keeps its length and direction, and its way; one that is put somewhere begins anew. */
static void
test_edits_of_velocity_and_place(void **state)
{
	struct scenario scenario;
	struct def_problem problem;
	struct tick_report report;
	struct world *world;
	size_t index;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, 0.1, 0.3, 1.7, 2.9, 0.7, -0.1);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	for (int tick = 0; tick < 100; tick++) {
		struct segment_def door = world_segment(world, 0);

		door.vx = tick % 2 ? 0.7 : -0.7;
		door.vy = 0.1 * (tick % 3 - 1);
		assert_int_equal(
			world_edit(world,
		               (struct edit[]){ edit_segment_change(&door, edit_field(DEF_SEGMENT_VX) | edit_field(DEF_SEGMENT_VY)) },
		               1, &problem),
			STATUS_OK);
		assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
		assert_int_equal(report.place_count, 1);
		assert_true(report.places[0].x1 == world_segment(world, 0).x1 && report.places[0].y2 == world_segment(world, 0).y2);
		assert_double_near(report.places[0].x2 - report.places[0].x1, 1.6, 1e-15);
		assert_double_near(report.places[0].y2 - report.places[0].y1, 2.6, 1e-15);
	}
	assert_true(world_segment_find(world, 0, &index));

	struct segment_def door = world_segment(world, index);

	door.x1 = 5, door.vx = 0, door.vy = 0;
	assert_int_equal(
		world_edit(world,
	               (struct edit[]){ edit_segment_change(&door, edit_field(DEF_SEGMENT_X1) | edit_field(DEF_SEGMENT_VX) |
	                                                               edit_field(DEF_SEGMENT_VY)) },
	               1, &problem),
		STATUS_OK);
	assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
	assert_int_equal(report.place_count, 0);
	assert_true(world_segment(world, 0).x1 == 5);
	door.vx = 2e12;
	assert_int_equal(world_edit(world, (struct edit[]){ edit_segment_change(&door, edit_field(DEF_SEGMENT_VX)) }, 1, &problem),
	                 STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_SEGMENT_VX);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* A lift, a door, a chain and a heap, restored from a snapshot at every tick, and described: the walls where they are. */
static void
test_restored_at_every_tick(void **state)
{
	struct scenario scenario;
	struct def_problem problem;
	struct world *worlds[2];

	(void)state;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_box(&scenario, -6, 0, 6, 12);
	moving(&scenario, -3, 0.25, 3, 0.25, 0.01, 0.6);
	moving(&scenario, -5.9, 0.1, -5.9, 5, 0.9, 0);
	for (int i = 0; i < 5; i++)
		moving(&scenario, 4 + 0.3 * i, 6 + 0.1 * i, 4.3 + 0.3 * i, 6.1 + 0.1 * i, -1.3, -0.9)->radius = 0.05;
	for (int i = 0; i < 40; i++)
		scenario_circle(&scenario, -4.5 + 0.9 * (i % 10) + 0.1 * (i / 10), 0.8 + 0.9 * (i / 10), 0, 0, 0.4);
	scenario_dull(&scenario, 0.4, 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &worlds[k]), STATUS_OK);
	for (int tick = 0; tick < 120; tick++) {
		struct tick_report reports[2];
		struct snapshot snapshot = snapshot_take(worlds[1]);

		world_destroy(worlds[1]);
		worlds[1] = snapshot_restored(&snapshot);
		free(snapshot.bytes);
		for (int k = 0; k < 2; k++)
			assert_int_equal(world_step(worlds[k], 1.0 / 64, &reports[k]), STATUS_OK);
		assert_true(world_hash(worlds[0]) == world_hash(worlds[1]) && reports[0].contact_count == reports[1].contact_count);
		assert_int_equal(reports[0].place_count, 7);
		assert_int_equal(memcmp(reports[0].places, reports[1].places, 7 * sizeof *reports[0].places), 0);
	}

	struct circle_def circles[40];
	struct segment_def segments[11];
	struct world_def def;

	world_describe(worlds[0], circles, segments, &def);
	assert_true(segments[4].vx == 0.01 && segments[4].vy == 0.6);
	assert_double_near(segments[4].y1, 0.25 + 0.6 * 120 / 64, 1e-12);
	for (int k = 0; k < 2; k++)
		world_destroy(worlds[k]);
	scenario_finish(&scenario);
}

/* What touches, and what is inside a sensor that passes over: at the times of the formula. */
static void
test_events_of_walls_that_move(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	scenario.def.events = WORLD_EVENTS_TOUCH;
	moving(&scenario, -5, -3, -5, 3, 4, 0)->sensor = true;
	moving(&scenario, -8, -3, -8, 3, 4, 0);
	scenario_circle(&scenario, 0, 0, 0, 0, 1);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 16, 31); /* before it catches up with the sensor */
	assert_int_equal(run.pair_event_count, 5);

	const struct logged_event *e = run.pair_events;

	assert_int_equal(e[0].event.kind, PAIR_EVENT_ENTER);
	assert_double_near(e[0].at, 1, 1e-9);
	assert_int_equal(e[1].event.kind, PAIR_EVENT_EXIT);
	assert_double_near(e[1].at, 1.5, 1e-9);
	assert_int_equal(e[2].event.kind, PAIR_EVENT_BEGIN);
	assert_double_near(e[2].at, 1.75, 1e-9);
	assert_int_equal(e[3].event.kind, PAIR_EVENT_HIT);
	assert_true(e[3].event.approach_speed == 4);
	assert_int_equal(e[4].event.kind, PAIR_EVENT_END);
	run_end(&run, &scenario);
}

/* Questions about two shapes: a wall that moves is hit when what matters is the difference of velocities. */
static void
test_sweeps_against_walls_that_move(void **state)
{
	const struct disc a = { 0, 0, 1, 1, 0 };
	const struct wall wall = { 10, -5, 10, 5, 0.5, false, -2, 0.25 };
	struct sweep sweep;

	(void)state;
	assert_int_equal(sweep_segment(&a, &wall, READING_FILLED, 0, 10, &sweep), STATUS_OK);
	assert_int_equal(sweep.outcome, SWEEP_HIT);
	assert_same(sweep.time, 8.5 / 3);
	assert_same(sweep.approach_speed, 3);
	assert_double_near(sweep.a[0], 8.5 / 3, 1e-15);
	assert_double_near(sweep.b[0], 10 - 17.0 / 3, 1e-14);
	assert_double_near(sweep.b_move[1], 8.5 / 12, 1e-15);
	assert_double_near(sweep.point[0], 1 + 8.5 / 3, 1e-14);
}

/* A lift under the weight of circles gives their energy as work, row by row. */
static void
test_work_of_a_piston(void **state)
{
	struct scenario scenario;
	struct run run;

	(void)state;
	scenario_init(&scenario);
	moving(&scenario, -2, -5, -2, 5, 3, 0)->friction = 0.5;
	scenario_circle(&scenario, 0, 0, -1, 2, 1)->friction = 0.5;
	scenario_restitution(&scenario, 0.5);
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	assert_int_equal(run.contact_count, 1);

	const struct contact *c = &run.contacts[0].contact;

	/* By its normal impulse only: it does not move along itself. */
	assert_double_near(run.report.energy.work, 3 * c->impulse, 1e-12);
	assert_double_near(run.report.momentum.outside[0], c->impulse, 1e-12);
	assert_true(run.report.energy.contact < 0 && run.report.energy.friction < 0);
	run_end(&run, &scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ball_between_approaching_walls),
		cmocka_unit_test(test_ball_at_rest_leaves_at_twice_the_speed),
		cmocka_unit_test(test_end_and_thick_wall),
		cmocka_unit_test(test_crushed_between_door_and_wall),
		cmocka_unit_test(test_fast_wall_through_a_crowd),
		cmocka_unit_test(test_platform_carries_sideways),
		cmocka_unit_test(test_lift_carries),
		cmocka_unit_test(test_nothing_that_does_not_yield_is_met),
		cmocka_unit_test(test_seen_from_a_moving_frame),
		cmocka_unit_test(test_joints_that_move_are_smooth),
		cmocka_unit_test(test_wall_wakes_sleepers),
		cmocka_unit_test(test_edits_of_velocity_and_place),
		cmocka_unit_test(test_restored_at_every_tick),
		cmocka_unit_test(test_events_of_walls_that_move),
		cmocka_unit_test(test_sweeps_against_walls_that_move),
		cmocka_unit_test(test_work_of_a_piston),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
