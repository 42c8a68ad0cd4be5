/* Hashed levels of the grid: what their numbers promise. Worlds in which crowds are far apart tell the same as without what
 * makes them wide. So they do with edits, restores and lent threads. */
#include "physics/brute/random_kinds.h"
#include "physics/followers.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "physics/tables/grid_hashed.h"
#include "physics/velocities.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdlib.h>

#define GHOST_ID 1000000u

/* --- Numbers --- */

/* A wall is listed once in each cell, and a walk comes to each once, because of this. */
static void
test_rows_of_a_patch_share_no_cell(void **state)
{
	(void)state;
	for (double most = 100; most < 1e6; most *= 1.3) {
		struct grid_level level = { 0 };
		hashed_size(&level, most);
		assert_true(level.columns <= fmax(most, 144) && level.columns * 1.7 > most);
		for (uint64_t apart = 1; apart < level.columns; apart++) {
			const uint64_t after = apart * hashed_stride(&level) % level.columns, before = level.columns - after;
			assert_true((after < before ? after : before) * apart * HASHED_PATCH_PART >= level.columns);
		}
	}
}

/* A cell's column and row are those of any place in it or in its margin. */
static void
test_places_tell_column_and_row(void **state)
{
	(void)state;
	uint64_t random = 5;
	for (int i = 0; i < (int)effort(10000, 1000000); i++) {
		const double width = pow(2, random_between(&random, 0, 40));
		struct grid_level level = { .x0 = random_between(&random, -1, 1) * width, .y0 = 3, .cell = 0.7, .inverse = 1 / 0.7 };
		hashed_size(&level, 1000);
		level.last_column = floor(width / level.cell);
		level.last_row = 5;
		const double column = floor(random_between(&random, 0, level.last_column));
		const double row = (double)random_below(&random, 6), margin = level.cell / 32;
		const double middle_x = level.x0 + (column + 0.5) * level.cell, middle_y = level.y0 + (row + 0.5) * level.cell;
		const uint32_t cell = hashed_cell(&level, middle_x, middle_y);
		const two place = { middle_x + random_between(&random, -0.5, 0.5) * (level.cell + 2 * margin),
			                middle_y + random_between(&random, -0.5, 0.5) * (level.cell + 2 * margin) };
		const struct grid_place found = hashed_place(&level, cell, place);
		assert_true(found.found && found.index[0] == column && found.index[1] == row);
	}
}

/* --- Worlds --- */

/* Circles that meet nothing, so far away that the cells that fit them would hold whole crowds. */
static void
ghosts_add(struct scenario *scenario, uint64_t seed)
{
	uint64_t random = seed + 1;
	const double far = pow(10, random_between(&random, 3, 8));
	const size_t first = scenario->circle_count;
	for (int i = 0; i < 40; i++)
		scenario_circle(scenario, random_between(&random, -far, far), random_between(&random, -far, far), 0, 0,
		                i % 8 == 0 ? 3 : 0.5);
	for (size_t i = first; i < scenario->circle_count; i++) {
		scenario->circles[i].id = GHOST_ID + (uint32_t)i;
		scenario->circles[i].kind = BODY_STATIC;
		scenario->circles[i].mask = 0;
	}
}

/* A world and one with the same and ghosts. */
struct pair {
	struct world *plain, *wide;
	uint64_t random, contacts, hashed, fast, edits;
	uint32_t next_id;
};

static void
pair_edit(struct pair *pair, const struct edit *edits, size_t count)
{
	struct def_problem problem;
	const enum status status = world_edit(pair->plain, edits, count, &problem);
	assert_int_equal(world_edit(pair->wide, edits, count, &problem), status);
	pair->edits += status == STATUS_OK;
}

/* A crowd somewhere: on the way to others, or far away. */
static void
pair_spawn(struct pair *pair)
{
	enum { CROWD = 30 };
	struct circle_def circles[CROWD];
	struct edit edits[CROWD];
	const double far = random_below(&pair->random, 2) == 0 ? 30 : 1e5;
	const double x = random_between(&pair->random, -far, far), y = random_between(&pair->random, -far, far);
	for (int i = 0; i < CROWD; i++) {
		circles[i] = circle_def_default();
		circles[i].id = pair->next_id++;
		circles[i].x = x + 1.1 * (i % 6), circles[i].y = y + 1.1 * (i / 6);
		circles[i].vx = random_between(&pair->random, -30, 30);
		circles[i].vy = random_between(&pair->random, -30, 30);
		circles[i].radius = 0.5 * pow(10, random_between(&pair->random, -2, 0));
		edits[i] = edit_circle_spawn(&circles[i]);
	}
	pair_edit(pair, edits, CROWD);
}

/* One circle goes somewhere else, one gets another velocity, one goes. */
static void
pair_change(struct pair *pair)
{
	struct circle_def to = circle_def_default();
	const size_t count = world_body_count(pair->plain);
	struct edit edits[2];
	if (count < 3)
		return;
	to.id = world_body(pair->plain, random_below(&pair->random, count / 2)).id;
	to.x = random_between(&pair->random, -1e4, 1e4), to.y = random_between(&pair->random, -1e4, 1e4);
	to.vx = random_between(&pair->random, -5000, 5000);
	edits[0] = edit_circle_change(&to, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y));
	edits[1] = edit_circle_remove(world_body(pair->plain, count / 2 + random_below(&pair->random, count - count / 2)).id);
	if (random_below(&pair->random, 2) == 0)
		edits[0] = edit_circle_change(&to, edit_field(DEF_CIRCLE_VX));
	pair_edit(pair, edits, 2);
}

/* What goes on comes from a snapshot. */
static void
pair_restore(struct pair *pair, const struct workers *workers)
{
	struct snapshot snapshot = snapshot_take(pair->wide);
	world_destroy(pair->wide);
	pair->wide = snapshot_restored(&snapshot);
	if (workers)
		world_workers_set(pair->wide, workers);
	free(snapshot.bytes);
}

static void
pair_same(const struct pair *pair)
{
	const size_t count = world_body_count(pair->plain);
	for (size_t i = 0; i < count; i++) {
		const struct body_state a = world_body(pair->plain, i), b = world_body(pair->wide, i);
		assert_int_equal(a.id, b.id);
		assert_same(a.x, b.x);
		assert_same(a.y, b.y);
		assert_same(a.vx, b.vx);
		assert_same(a.vy, b.vy);
		assert_same(a.angle, b.angle);
		assert_same(a.angular_velocity, b.angular_velocity);
	}
}

/* False: both have failed, or one has spent much of a tick's work, of which more is allowed among ghosts. */
static bool
pair_tick(struct pair *pair, double dt)
{
	struct tick_report plain, wide;
	const enum status status = world_step(pair->plain, dt, &plain);
	assert_int_equal(world_step(pair->wide, dt, &wide), status);
	if (status != STATUS_OK)
		return false;
	if (plain.work > plain.work_max / 2 || wide.work > plain.work_max / 2)
		return false;
	/* Bodies that meet nothing cost the resting solver some of its work. */
	wide.work = plain.work;
	wide.work_max = plain.work_max;
	reports_same(&plain, &wide);
	pair_same(pair);
	pair->contacts += plain.contact_count;
	pair->hashed += pair->wide->grid.hashed;
	pair->fast += pair->wide->grid.hashed && pair->wide->grid.level_count == pair->wide->grid.levels_laid;
	return true;
}

static void
pair_run(struct pair *pair, const struct soup *soup, const struct workers *workers)
{
	for (uint64_t tick = 1; tick <= soup->ticks; tick++) {
		if (!pair_tick(pair, soup->dt))
			break;
		if (tick % 5 == 2)
			pair_restore(pair, workers);
		if (tick % 7 == 3)
			pair_spawn(pair);
		if (tick % 3 == 1)
			pair_change(pair);
	}
}

static void
test_soups_among_far_ghosts(void **state)
{
	(void)state;
	uint64_t contacts = 0, hashed = 0, fast = 0, ticks = 0, edits = 0;
	for (uint64_t seed = 1; seed <= effort_most(3, 100, 300); seed++) {
		struct soup soup, wide;
		struct def_problem problem;
		struct pair pair = { .random = seed, .next_id = 500000 };
		const struct workers *workers = seed % 3 == 0 ? &workers_in_turn : NULL;
		soup_make(&soup, seed, seed % 2 == 0);
		soup_make(&wide, seed, seed % 2 == 0);
		ghosts_add(&wide.scenario, seed);
		assert_int_equal(world_create(scenario_def(&soup.scenario), &problem, &pair.plain), STATUS_OK);
		assert_int_equal(world_create(scenario_def(&wide.scenario), &problem, &pair.wide), STATUS_OK);
		if (workers)
			world_workers_set(pair.wide, workers);
		pair_run(&pair, &soup, workers);
		contacts += pair.contacts;
		hashed += pair.hashed;
		fast += pair.fast;
		edits += pair.edits;
		ticks += soup.ticks;
		world_destroy(pair.plain);
		world_destroy(pair.wide);
		soup_finish(&soup);
		soup_finish(&wide);
	}
	print_message("%llu contacts, %llu of %llu ticks hashed, %llu with fast circles, %llu edits\n",
	              (unsigned long long)contacts, (unsigned long long)hashed, (unsigned long long)ticks, (unsigned long long)fast,
	              (unsigned long long)edits);
	assert_true(contacts > effort(60, 4000) && 2 * hashed > ticks && 8 * fast > ticks && edits > effort(5, 400));
}

/* The brute force is held against hashed cells in these. */
static void
test_scenes_apart_are_hashed(void **state)
{
	(void)state;
	size_t hashed = 0;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		static struct random_scene scene;
		for (size_t k = 0; k < random_kind_count; k++) {
			if (strcmp(random_kinds[k].name, "apart") != 0)
				continue;
			struct def_problem problem;
			struct world *world;
			random_kind_make(&scene, &random_kinds[k], seed);
			assert_int_equal(world_create(&scene.def, &problem, &world), STATUS_OK);
			hashed += world->grid.hashed;
			world_destroy(world);
		}
	}
	assert_true(hashed > 60);
}

/* Crowds of circles of radius 0.5 and, with `mixed`, down to a hundredth of it, at the corners of a square of this side; and
 * some all over it. */
static void
crowds_fill(struct scenario *scenario, size_t count, double side, bool mixed, uint64_t seed)
{
	const size_t rows = (size_t)ceil(sqrt((double)count / 5));
	scenario_init(scenario);
	for (size_t i = 0; i < count; i++) {
		const size_t at = i / 5, corner = i % 5;
		double x = 1.4 * (double)(at % rows) + random_between(&seed, -0.1, 0.1) + (corner % 2 == 0 ? 0 : side);
		double y = 1.4 * (double)(at / rows) + random_between(&seed, -0.1, 0.1) + (corner / 2 == 0 ? 0 : side);
		if (corner == 4)
			x = side * (0.1 + 0.8 * (double)(at % rows) / (double)rows),
			y = side * (0.1 + 0.8 * (double)(at / rows) / (double)rows);
		scenario_circle(scenario, x, y, random_between(&seed, -20, 20), random_between(&seed, -20, 20),
		                mixed ? 0.5 * pow(10, random_between(&seed, -2, 0)) : 0.5);
	}
	scenario_box(scenario, -5, -5, side + 1.5 * (double)rows + 5, side + 1.5 * (double)rows + 5);
}

/* Certified: nothing overlaps, nothing goes through a wall. */
static void
test_crowds_at_corners_are_certified(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct scenario scenario;
		struct run run;
		crowds_fill(&scenario, effort(500, 2000), k < 2 ? 1e4 : 1e8, k % 2 == 1, 3);
		run_start(&run, &scenario);
		assert_true(run.world->grid.hashed);
		const double before = run_energy(&run, &scenario);
		run_ticks_unlogged(&run, 1.0 / 60, effort(20, 100));
		assert_double_near(run_energy(&run, &scenario), before, 1e-11 * before);
		assert_true(run.collisions > effort(100, 2000));
		run_end(&run, &scenario);
	}
}

/* Circles that fly at one point: a crowd forms in the run, and the cells follow it. */
static void
test_cells_follow_a_crowd_that_forms(void **state)
{
	(void)state;
	enum { SIDE = 20, TICKS = 240 };
	struct scenario scenario;
	struct run run;
	uint64_t seed = 2;
	scenario_init(&scenario);
	for (int i = 0; i < SIDE * SIDE; i++) {
		const double x = 100 * (i % SIDE - SIDE / 2) + random_between(&seed, -40, 40);
		const double y = 100 * (i / SIDE - SIDE / 2) + random_between(&seed, -40, 40);
		scenario_circle(&scenario, x, y, i % 4 == 0 ? 0 : -0.98 * x, i % 4 == 0 ? 0 : -0.98 * y, 0.5);
	}
	run_start(&run, &scenario);
	assert_false(run.world->grid.hashed);
	run_ticks_unlogged(&run, 1.0 / TICKS, TICKS);
	assert_true(run.world->grid.hashed);
	assert_true(run.collisions > 50);
	run_end(&run, &scenario);
}

/* A small fight in a room, inside of walls that are 1,000 times as wide: cells as small as without those. */
static void
test_far_walls_do_not_make_cells_larger(void **state)
{
	(void)state;
	double cells[2];
	uint64_t collisions[2];
	for (int k = 0; k < 2; k++) {
		struct scenario scenario;
		struct run run;
		uint64_t seed = 4;
		scenario_init(&scenario);
		scenario_box(&scenario, 0, 0, 40, 40);
		for (int i = 0; i < 30; i++) {
			const double x = random_between(&seed, 1, 35), y = random_between(&seed, 1, 39);
			scenario_segment(&scenario, x, y, x + random_between(&seed, 0.5, 4), y);
		}
		while (scenario.circle_count < 150) {
			const double x = random_between(&seed, 1, 39), y = random_between(&seed, 1, 39);
			if (scene_clear(&scenario, x, y, 0.3, 1e-3))
				scenario_circle(&scenario, x, y, random_between(&seed, -30, 30), random_between(&seed, -30, 30), 0.3);
		}
		if (k == 1)
			scenario_box(&scenario, -20000, -20000, 20000, 20000);
		run_start(&run, &scenario);
		cells[k] = run.world->grid.levels[0].cell;
		assert_false(run.world->grid.hashed);
		run_ticks_unlogged(&run, 1.0 / 60, 40);
		collisions[k] = run.collisions;
		run_end(&run, &scenario);
	}
	assert_true(cells[1] < 1.3 * cells[0]);
	assert_true(collisions[0] > 200);
	assert_int_equal(collisions[0], collisions[1]);
}

/* A world that fits its cells keeps them: what is even has no hashed level. */
static void
test_even_worlds_are_not_hashed(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	(void)scene_gas(&scenario, 2000, 3, 5);
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 20);
	assert_false(run.world->grid.hashed);
	run_end(&run, &scenario);
	scenario_init(&scenario);
	scene_bullets(&scenario, 200, 1);
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 10);
	assert_false(run.world->grid.hashed);
	run_end(&run, &scenario);
}

/* --- Fast circles --- */

/* A crowd at rest among ghosts, which are farther out than the cells are wide by a factor of 1e8. */
static void
still_crowd(struct scenario *scenario, int side)
{
	scenario_init(scenario);
	for (int i = 0; i < side * side; i++)
		scenario_circle(scenario, 1.2 * (i % side), 1.2 * (i / side), 0, 0, 0.5);
	for (int i = 0; i < 40; i++)
		scenario_circle(scenario, i % 2 == 0 ? -1e8 : 1e8, 5e6 * (i - 20), 0, 0, 0.5);
}

/* Changes of cells are counted: without a bound they are a million for each circle and tick here. */
static void
test_fast_circles_change_few_cells(void **state)
{
	(void)state;
	enum { SIDE = 20, FAST = 5, TICKS = 20 };
	struct scenario scenario;
	struct run run;
	still_crowd(&scenario, SIDE);
	for (int i = 0; i < FAST; i++)
		scenario_circle(&scenario, -100, -50 - 3 * i, 2.4e7, -2e6 * i, 0.5);
	/* One comes back: it hits a wall in each tick. */
	scenario_circle(&scenario, 1000, 500, 3e6, 0, 0.5);
	scenario_segment(&scenario, 10000, 0, 10000, 1000);
	scenario_segment(&scenario, -10000, 1000, -10000, 0);
	run_start(&run, &scenario);
	for (int tick = 0; tick < TICKS; tick++) {
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		assert_true(run.world->grid.hashed);
		assert_true(run.report.cost.transfers < 100);
	}
	assert_true(run.collisions > TICKS);
	run_end(&run, &scenario);
}

/* What is fast goes on slowly. */
static void
pair_slow(struct pair *pair)
{
	struct def_problem problem;
	const double vx = 3, vy = 1;
	for (size_t i = 0; i < world_body_count(pair->plain); i++) {
		const struct body_state body = world_body(pair->plain, i);
		if (fabs(body.vx) + fabs(body.vy) < 1000)
			continue;
		assert_int_equal(world_velocities_set(pair->plain, &body.id, &vx, &vy, 1, &problem), STATUS_OK);
		assert_int_equal(world_velocities_set(pair->wide, &body.id, &vx, &vy, 1, &problem), STATUS_OK);
	}
}

/* Fast circles fly through slow ones, of which few are looked at in each tick, until they are slow too. */
static void
test_fast_circles_among_scheduled_ones(void **state)
{
	(void)state;
	enum { SIDE = 30, FAST = 6, TICKS = 150 };
	uint64_t both = 0, slowed = 0;
	for (uint64_t seed = 1; seed <= effort(1, 20); seed++) {
		struct scenario scenarios[2];
		struct def_problem problem;
		struct pair pair = { .random = seed };
		for (int k = 0; k < 2; k++) {
			struct scenario *scenario = &scenarios[k];
			uint64_t random = seed;
			scenario_init(scenario);
			for (int i = 0; i < SIDE * SIDE; i++)
				scenario_circle(scenario, 3 * (i % SIDE), 3 * (i / SIDE), random_between(&random, -1, 1),
				                random_between(&random, -1, 1), 0.5)
					->restitution = 0.5;
			for (int i = 0; i < FAST; i++)
				scenario_circle(scenario, -10 - 6000 * i, random_between(&random, 0, 3 * SIDE), 40000, 0, 0.4)->restitution =
					0.5;
			/* So many that cells which fit the world are large. */
			for (uint64_t i = 0; k == 1 && i < 8; i++)
				ghosts_add(scenario, 100 * seed + i);
		}
		assert_int_equal(world_create(scenario_def(&scenarios[0]), &problem, &pair.plain), STATUS_OK);
		assert_int_equal(world_create(scenario_def(&scenarios[1]), &problem, &pair.wide), STATUS_OK);
		const struct grid *grid = &pair.wide->grid;
		bool before = false;
		for (int tick = 0; tick < TICKS; tick++) {
			if (tick == TICKS - 20)
				pair_slow(&pair);
			assert_true(pair_tick(&pair, 1.0 / 60));
			const bool fast = grid->hashed && grid->level_count == grid->levels_laid;
			both += fast && schedule_is_for(&pair.wide->schedule, pair.wide->tick);
			slowed += before && !fast;
			before = fast;
		}
		world_destroy(pair.plain);
		world_destroy(pair.wide);
		scenario_finish(&scenarios[0]);
		scenario_finish(&scenarios[1]);
	}
	print_message("%llu ticks with both, %llu times all slow again\n", (unsigned long long)both, (unsigned long long)slowed);
	assert_true(both > 20 && slowed > 0);
}

/* All get fast between two ticks, and slow again. Where most are fast, no cells are small. */
static void
test_all_get_fast(void **state)
{
	(void)state;
	enum { SIDE = 20, COUNT = SIDE * SIDE, TICKS = 40 };
	struct scenario scenario;
	struct run run;
	struct def_problem problem;
	static uint32_t ids[COUNT];
	static double vx[COUNT], vy[COUNT], still[COUNT];
	uint64_t random = 3;
	still_crowd(&scenario, SIDE);
	run_start_uncertified(&run, &scenario);
	for (size_t i = 0; i < COUNT; i++) {
		ids[i] = world_body(run.world, i).id;
		vx[i] = 1e6 * (double)(i % SIDE + 1);
		vy[i] = random_between(&random, -10, 10);
	}
	for (int tick = 0; tick < TICKS; tick++) {
		if (tick == TICKS / 4)
			assert_int_equal(world_velocities_set(run.world, ids, vx, vy, COUNT, &problem), STATUS_OK);
		if (tick == 3 * TICKS / 4)
			assert_int_equal(world_velocities_set(run.world, ids, still, still, COUNT, &problem), STATUS_OK);
		run_ticks_unlogged(&run, 1.0 / 60, 1);
		assert_true(run.report.cost.transfers < 50 * (COUNT + run.report.events));
		if (tick < TICKS / 4)
			assert_true(run.world->grid.hashed);
	}
	assert_true(run.collisions > COUNT / 4);
	run_end(&run, &scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_of_a_patch_share_no_cell),
		cmocka_unit_test(test_places_tell_column_and_row),
		cmocka_unit_test(test_soups_among_far_ghosts),
		cmocka_unit_test(test_scenes_apart_are_hashed),
		long_case(test_crowds_at_corners_are_certified),
		long_case(test_cells_follow_a_crowd_that_forms),
		cmocka_unit_test(test_far_walls_do_not_make_cells_larger),
		long_case(test_even_worlds_are_not_hashed),
		cmocka_unit_test(test_fast_circles_change_few_cells),
		long_case(test_fast_circles_among_scheduled_ones),
		cmocka_unit_test(test_all_get_fast),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
