/* Edits of the world's gravity: free circles follow the parabolas of both, computed in long double. A world that is given its
 * gravity before it begins is one that was defined with it. What rests and sleeps wakes, and falls the new way, certified. A
 * return to a kept state has the gravity of that state, and a snapshot the last one. */
#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/living.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DT (1.0 / 64)

static void
gravity_give(struct world *world, double x, double y)
{
	struct def_problem problem;
	const struct edit edit = edit_gravity(x, y);
	assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
}

static void
step(struct world *world, struct tick_report *report)
{
	assert_int_equal(world_step(world, DT, report), STATUS_OK);
}

/* Three of different gravity_scale, one kinematic; ten changes of gravity. Ticks of 1/64 s, so that only places round. */
static void
test_parabolas(void **state)
{
	(void)state;
	uint64_t random = 5;
	struct scenario s;
	struct tick_report report;
	const double scales[] = { 1, 0, -2.5, 1 };
	long double x[4], y[4], vx[4], vy[4], gx = 0, gy = -10;
	scenario_init(&s);
	s.def.gravity_y = -10;
	for (int i = 0; i < 4; i++) {
		struct circle_def *c = scenario_circle(&s, 1e4 * i, 0, 1 + i, 2, 0.5);
		c->gravity_scale = scales[i];
		c->kind = i == 3 ? BODY_KINEMATIC : BODY_DYNAMIC;
		x[i] = c->x, y[i] = c->y, vx[i] = c->vx, vy[i] = c->vy;
	}
	struct world *world = scenario_world(&s);
	for (int turn = 0; turn < 10; turn++) {
		for (int k = 0; k < 7; k++) {
			step(world, &report);
			for (int i = 0; i < 4; i++) {
				const long double ax = i == 3 ? 0 : scales[i] * gx, ay = i == 3 ? 0 : scales[i] * gy;
				const struct circle_def now = world_circle(world, (size_t)i);
				x[i] += DT * vx[i] + ax * DT * DT / 2, y[i] += DT * vy[i] + ay * DT * DT / 2;
				vx[i] += DT * ax, vy[i] += DT * ay;
				assert_true(fabsl(now.x - x[i]) <= 1e-10L && fabsl(now.y - y[i]) <= 1e-10L);
				assert_true(fabsl(now.vx - vx[i]) <= 1e-10L && fabsl(now.vy - vy[i]) <= 1e-10L);
			}
		}
		gx = (double)random_between(&random, -20, 20);
		gy = (double)random_between(&random, -20, 20);
		gravity_give(world, (double)gx, (double)gy);
	}
	world_destroy(world);
	scenario_finish(&s);
}

/* Random soups: begun with one gravity, and given another before the first tick. */
static void
one_soup(uint64_t seed)
{
	struct soup soup;
	struct tick_report a, b;
	struct world *given = NULL, *defined = NULL;
	struct def_problem problem;
	soup_make(&soup, seed, false);
	if (soup.scenario.circle_count > 0 && world_create(scenario_def(&soup.scenario), &problem, &defined) == STATUS_OK) {
		const double x = soup.scenario.def.gravity_x, y = soup.scenario.def.gravity_y;
		soup.scenario.def.gravity_x = 3;
		soup.scenario.def.gravity_y = 11;
		assert_int_equal(world_create(scenario_def(&soup.scenario), &problem, &given), STATUS_OK);
		gravity_give(given, x, y);
		struct snapshot first = snapshot_take(given), second = snapshot_take(defined);
		assert_int_equal(first.size, second.size);
		assert_memory_equal(first.bytes, second.bytes, first.size);
		free(first.bytes);
		free(second.bytes);
		for (int tick = 0; tick < 30; tick++) {
			const enum status status = world_step(given, soup.dt, &a);
			assert_int_equal(world_step(defined, soup.dt, &b), status);
			if (status != STATUS_OK)
				break;
			reports_same(&a, &b);
			assert_true(world_hash(given) == world_hash(defined));
		}
	}
	world_destroy(given);
	world_destroy(defined);
	soup_finish(&soup);
}

static void
test_as_if_defined(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(12, 1000, 3000); seed++)
		one_soup(seed);
}

/* A pile in a box falls asleep; then gravity turns, again and again. Beside it is a twin that is restored from snapshots. */
static void
test_a_pile_turns(void **state)
{
	(void)state;
	static const double ways[][2] = { { 10, 0 }, { 0, 10 }, { -10, 0 }, { 0, 0 }, { 0, -10 } };
	struct scenario s;
	struct living living;
	struct def_problem problem;
	scenario_init(&s);
	scene_pile(&s, 40, 8, 0.5, 0.5, 3);
	scenario_segment(&s, 0, 25, 8, 25)->friction = 0.5; /* a lid */
	scenario_restitution(&s, 0);
	s.def.sleep_after = 0.1;
	living_start(&living, scenario_def(&s), true, 4);
	for (size_t turn = 0; turn <= 5; turn++) {
		const uint64_t woken = living.woken, start = living.ticks;
		do
			living_step(&living, 1.0 / 60);
		while (living.report.asleep < 40 && living.ticks < start + (turn == 4 ? 20 : 4000));
		assert_int_equal(living.flags, 0);
		living_certify(&living);
		if (turn != 4)
			assert_int_equal(living.report.asleep, 40);
		assert_true(turn == 0 || turn == 5 || living.woken >= woken + 40);
		if (turn == 5)
			break;
		const struct edit edit = edit_gravity(ways[turn][0], ways[turn][1]);
		living.def.gravity_x = ways[turn][0];
		living.def.gravity_y = ways[turn][1];
		assert_int_equal(living_edit(&living, &edit, 1, &problem), STATUS_OK);
	}
	living_finish(&living);
	scenario_finish(&s);
}

/* To the gravity that it has, to the bit: no edit, and sleepers sleep on. */
static void
test_no_edit(void **state)
{
	(void)state;
	struct scenario s;
	struct tick_report report;
	scenario_init(&s);
	scene_pile(&s, 30, 8, 0.5, 0.5, 3);
	s.def.sleep_after = 0.1;
	struct world *world = scenario_world(&s);
	do
		step(world, &report);
	while (report.asleep < 30 && report.tick < 3000);
	gravity_give(world, 0, -10);
	step(world, &report);
	assert_int_equal(report.asleep, 30);
	gravity_give(world, 0, -0x1.4000000000001p+3);
	step(world, &report);
	assert_int_equal(report.asleep, 0);
	world_destroy(world);
	scenario_finish(&s);
}

/* A heap, kept, turned and returned, before and after: as one that never was turned. */
static void
test_returns(void **state)
{
	(void)state;
	struct scenario s;
	struct tick_report report, other;
	struct world_kept *kept = NULL, *later = NULL;
	scenario_init(&s);
	scene_pile(&s, 40, 8, 0.5, 0.5, 7);
	s.def.sleep_after = 0.1;
	struct world *world = scenario_world(&s), *plain = scenario_world(&s);
	assert_int_equal(world_kept_create(&kept), STATUS_OK);
	assert_int_equal(world_kept_create(&later), STATUS_OK);
	for (int i = 0; i < 200; i++) {
		step(world, &report);
		step(plain, &other);
	}
	assert_int_equal(world_keep(world, kept), STATUS_OK);
	gravity_give(world, 7, 2);
	for (int i = 0; i < 50; i++)
		step(world, &report);
	assert_int_equal(world_keep(world, later), STATUS_OK);
	const uint64_t hash = world_hash(world);
	step(world, &report);
	const uint64_t next = world_hash(world);
	assert_int_equal(world_return(world, kept), STATUS_OK);
	for (int i = 0; i < 100; i++) {
		step(world, &report);
		step(plain, &other);
		reports_same(&report, &other);
		assert_true(world_hash(world) == world_hash(plain));
	}
	assert_int_equal(world_return(world, later), STATUS_OK);
	assert_true(world_hash(world) == hash);
	step(world, &report);
	assert_true(world_hash(world) == next);
	world_kept_destroy(kept);
	world_kept_destroy(later);
	world_destroy(world);
	world_destroy(plain);
	scenario_finish(&s);
}

static void
test_refusals(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s);
	scenario_circle(&s, 10, 1, 3, 4, 1);
	struct world *world = scenario_world(&s);
	struct edit edits[2] = { edit_gravity(1, 1), edit_gravity(NAN, 0) };
	batch_refused(world, edits + 1, 1, 0, DEF_WORLD_GRAVITY_X);
	edits[1] = edit_gravity(0, -2e12);
	batch_refused(world, edits + 1, 1, 0, DEF_WORLD_GRAVITY_Y);
	edits[1] = edit_gravity(1, 1);
	batch_refused(world, edits, 2, 1, DEF_WORLD_GRAVITY_X);
	edits[1] = edit_circle_remove(7);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	world_destroy(world);
	scenario_finish(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_parabolas), cmocka_unit_test(test_as_if_defined),
		                                long_case(test_a_pile_turns),     cmocka_unit_test(test_no_edit),
		                                cmocka_unit_test(test_returns),   cmocka_unit_test(test_refusals) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
