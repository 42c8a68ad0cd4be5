/* The judge sees what it is for: it is told of walls that the world does not have, through which circles then fly. And it keeps
 * silent where they miss. */
#include "physics/joins/shots.h"

#include <math.h>

struct flight {
	struct scenario walls;
	double x, y, vx, vy, radius, gravity;
	int ticks;
};

/* What the judge finds along the flight, of the kind that counts most; NULL: nothing. */
static const struct judge_finding *
flight_judge(struct flight *flight, struct judge_finding found[JUDGE_FAULTS])
{
	struct scenario air;
	struct def_problem problem;
	struct world *world = NULL;
	scenario_init(&air);
	(void)scenario_circle(&air, flight->x, flight->y, flight->vx, flight->vy, flight->radius);
	(void)scenario_circle(&flight->walls, flight->x, flight->y, flight->vx, flight->vy, flight->radius);
	air.def.gravity_y = -flight->gravity;
	air.def.events = WORLD_EVENTS_PATHS;
	assert_int_equal(world_create(scenario_def(&air), &problem, &world), STATUS_OK);
	struct judge *judge = judge_create(scenario_def(&flight->walls), JUDGE_ROUNDING);
	for (int i = 0; i < flight->ticks; i++) {
		struct tick_report report;
		assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
		judge_tick(judge, world, 1.0 / 64, &report);
	}
	const struct judge_finding *worst = NULL;
	for (int i = JUDGE_FAULTS - 1; i >= 0; i--) {
		found[i] = *judge_findings(judge, (enum judge_fault)i);
		if (found[i].count > 0)
			worst = &found[i];
	}
	assert_int_equal(judge_clean(judge), !worst);
	judge_destroy(judge);
	world_destroy(world);
	scenario_finish(&air);
	scenario_finish(&flight->walls);
	return worst;
}

static struct flight
flight_along(double x, double y, double vx, double vy, double radius)
{
	struct flight flight = { .x = x, .y = y, .vx = vx, .vy = vy, .radius = radius, .ticks = 20 };
	scenario_init(&flight.walls);
	return flight;
}

static void
test_through_a_face_and_past_an_end(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	/* Slow and in one tick, to the face and to the end: 0.1 deep where it comes past the end at a distance of 0.4. */
	for (int fast = 0; fast < 2; fast++) {
		struct flight flight = flight_along(-2, 0, fast ? 6400 : 10, 0, 0.5);
		(void)scenario_segment(&flight.walls, 0, -1, 0, 1);
		const struct judge_finding *worst = flight_judge(&flight, found);
		assert_ptr_equal(worst, &found[JUDGE_THROUGH]);
		assert_double_near(worst->depth, 0.5, 1e-12);
		flight = flight_along(-2, 0, fast ? 6400 : 10, 0, 0.5);
		(void)scenario_segment(&flight.walls, 0, 0.4, 0, 1);
		worst = flight_judge(&flight, found);
		assert_ptr_equal(worst, &found[JUDGE_OVERLAP]);
		assert_double_near(worst->depth, 0.1, 1e-12);
	}
}

/* At the rim by 1e-9: it is told to that. */
static void
test_a_graze_is_told_from_a_miss(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	for (int thick = 0; thick < 2; thick++) {
		for (int misses = 0; misses < 2; misses++) {
			struct flight flight = flight_along(-2, 0, 700, 0, 0.5);
			const double far = 0.5 + (thick ? 0.25 : 0) + (misses ? 1e-9 : -1e-9);
			scenario_segment(&flight.walls, 3, far, 4, 3)->radius = thick ? 0.25 : 0;
			assert_ptr_equal(flight_judge(&flight, found), misses ? NULL : &found[JUDGE_OVERLAP]);
		}
	}
}

/* The top of a parabola, within a tick: its ends see nothing of it. */
static void
test_the_top_of_a_parabola(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	for (int misses = 0; misses < 2; misses++) {
		/* 64 ticks a second: thrown up at 10 against 1280, it is back in one, 10^2 / 2560 high between. */
		struct flight flight = flight_along(0, 0, 0.5, 10, 0.5);
		flight.gravity = 1280;
		flight.ticks = 1;
		const double top = 0.5 + 100.0 / 2560 + (misses ? 1e-9 : -1e-9);
		(void)scenario_segment(&flight.walls, -9, top, 9, top);
		assert_ptr_equal(flight_judge(&flight, found), misses ? NULL : &found[JUDGE_OVERLAP]);
	}
}

/* Between two ends that are apart, which no wall is hit by. */
static void
test_through_a_gap_that_is_narrower(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	for (int wide = 0; wide < 2; wide++) {
		struct flight flight = flight_along(-2, 0, 300, 0, 0.5);
		const double half = wide ? 0.5 + 1e-9 : 1e-12;
		(void)scenario_segment(&flight.walls, 0, half, 0, 3);
		(void)scenario_segment(&flight.walls, 0, -3, 0, -half);
		assert_ptr_equal(flight_judge(&flight, found), wide ? NULL : &found[JUDGE_THROUGH]);
	}
}

/* From the left it is stopped, from the right it passes, and turning back inside it too. */
static void
test_one_sided_walls(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	for (int from_left = 0; from_left < 2; from_left++) {
		struct flight flight = flight_along(from_left ? -2 : 2, 0, from_left ? 640 : -640, 0, 0.5);
		scenario_segment(&flight.walls, 0, -1, 0, 1)->one_sided = true;
		assert_ptr_equal(flight_judge(&flight, found), from_left ? &found[JUDGE_THROUGH] : NULL);
	}
	/* Up through it from below until its centre is above, and back. */
	struct flight flight = flight_along(0, -0.6, 0, 10, 0.5);
	flight.gravity = 60;
	scenario_segment(&flight.walls, -9, 0, 9, 0)->one_sided = true;
	assert_null(flight_judge(&flight, found));
	/* Higher, until it is out: then it must be stopped. */
	flight = flight_along(0, -0.6, 0, 12, 0.5);
	flight.gravity = 60;
	flight.ticks = 40;
	scenario_segment(&flight.walls, -9, 0, 9, 0)->one_sided = true;
	assert_ptr_equal(flight_judge(&flight, found), &found[JUDGE_OVERLAP]);
}

/* Walls that move, and what begins overlapping. */
static void
test_walls_that_move(void **state)
{
	(void)state;
	struct judge_finding found[JUDGE_FAULTS];
	for (int away = 0; away < 2; away++) {
		struct flight flight = flight_along(0, 0, 100, 0, 0.5);
		flight.ticks = 1;
		scenario_segment(&flight.walls, 1, -1, 1, 1)->vx = away ? 100 : -100;
		assert_ptr_equal(flight_judge(&flight, found), away ? NULL : &found[JUDGE_THROUGH]);
	}
}

/* The state is not where the path ends: the world is asked for another circle's. */
static void
test_a_path_that_jumps(void **state)
{
	(void)state;
	struct scenario air;
	struct def_problem problem;
	struct world *world = NULL;
	scenario_init(&air);
	(void)scenario_circle(&air, 0, 0, 1, 0, 0.5);
	air.def.events = WORLD_EVENTS_PATHS;
	assert_int_equal(world_create(scenario_def(&air), &problem, &world), STATUS_OK);
	air.circles[0].x = 1e-9;
	struct judge *judge = judge_create(scenario_def(&air), JUDGE_ROUNDING);
	struct tick_report report;
	assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
	judge_tick(judge, world, 1.0 / 64, &report);
	assert_int_equal(judge_findings(judge, JUDGE_JUMP)->count, 1);
	assert_int_equal(world_step(world, 1.0 / 64, &report), STATUS_OK);
	judge_tick(judge, world, 1.0 / 64, &report);
	assert_int_equal(judge_findings(judge, JUDGE_JUMP)->count, 1);
	/* Of the tick before: the end is not the state. */
	struct path_piece piece = report.paths[0];
	piece.velocity[0] += 1e-6;
	report.paths = &piece;
	assert_int_equal(judge_findings(judge, JUDGE_OVERLAP)->count, 0);
	judge_destroy(judge);
	judge = judge_create(scenario_def(&air), JUDGE_ROUNDING);
	piece.position[0] = air.circles[0].x;
	judge_tick(judge, world, 1.0 / 64, &report);
	assert_int_equal(judge_findings(judge, JUDGE_JUMP)->count, 1);
	judge_destroy(judge);
	world_destroy(world);
	scenario_finish(&air);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_through_a_face_and_past_an_end),
		cmocka_unit_test(test_a_graze_is_told_from_a_miss),
		cmocka_unit_test(test_the_top_of_a_parabola),
		cmocka_unit_test(test_through_a_gap_that_is_narrower),
		cmocka_unit_test(test_one_sided_walls),
		cmocka_unit_test(test_walls_that_move),
		cmocka_unit_test(test_a_path_that_jumps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
