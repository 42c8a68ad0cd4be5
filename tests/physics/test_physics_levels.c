/* Levels of the grid: what it passes is a superset, whatever the radii, and nothing but time depends on how it is laid. */
#include "physics/scenes.h"

#include "physics/broadphase/grid_build.h"
#include "physics/broadphase/grid_fast.h"
#include "physics/prediction/predict.h"
#include "physics/tables/grid_hashed.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double
log_between(uint64_t *random, double low, double high)
{
	return low * pow(high / low, random_between(random, 0, 1));
}

/* --- The grid alone --- */

/* Circles of radii 1 : `ratio`, in a box of side 100, overlapping as they like. Where the world is `wide` times as wide, a few
 * are far away, as many are in a second crowd, and some walls are as long. */
static struct world *
crowd_create(size_t count, double ratio, double offset, double wide, uint64_t seed)
{
	struct scenario scenario;
	scenario_init(&scenario);
	for (size_t i = 0; i < count; i++) {
		struct circle_def *circle = scenario_circle(&scenario, offset + random_between(&seed, 0, 100),
		                                            random_between(&seed, 0, 100) - offset, 0, 0,
		                                            log_between(&seed, 10 / ratio, 10));
		circle->mask = 0;
		if (wide > 1 && i % 16 == 0)
			circle->x += random_between(&seed, -50, 50) * wide, circle->y += random_between(&seed, -50, 50) * wide;
		else if (wide > 1 && i % 2 == 0)
			circle->x += 30 * wide, circle->y -= 20 * wide;
	}
	for (size_t i = 0; i < 20; i++) {
		const double x = offset + random_between(&seed, 0, 100), y = random_between(&seed, 0, 100) - offset;
		const double longer = i % 5 == 0 ? wide : 1;
		scenario_segment(&scenario, x, y, x + random_between(&seed, -30, 30) * longer,
		                 y + random_between(&seed, -3, 3) * (i % 10 == 0 ? longer : 1));
	}
	struct def_problem problem;
	struct world *world = NULL;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	scenario_finish(&scenario);
	return world;
}

/* Moves a body to where it still belongs to its cell: anywhere in it and a margin around, border cells going on for ever; or
 * else to another cell. */
static void
body_wander(struct world *world, uint32_t i, uint64_t *random)
{
	struct body *body = &world->bodies.paths[i];
	const struct grid_level *level = &world->grid.levels[world->grid.rows[i].level];
	const struct grid_place place = place_of_cell(level, world->grid.rows[i].cell, (two){ body->x, body->y });
	assert_true(place.found);
	/* A few get outside the box, where the border cells are theirs. */
	const double speed = random_below(random, 50) == 0 ? 40 : log_between(random, 1e-3, 2) * level->cell;
	body->x += random_between(random, -speed, speed);
	body->y += random_between(random, -speed, speed);

	const double column = place.index[0], row = place.index[1];
	const double x = body->x - (level->x0 + column * level->cell), y = body->y - (level->y0 + row * level->cell);
	const double past = level->cell + level->margin;
	if ((x < -level->margin && column > 0) || (x > past && column < level->last_column) || (y < -level->margin && row > 0) ||
	    (y > past && row < level->last_row))
		grid_move(&world->grid, i, grid_cell(&world->grid, i, body->x, body->y));
}

/* How far a circle is from a box. */
static double
box_distance(const struct grid_box *box, const struct body *body)
{
	const double x = fmax(fmax(box->x0 - body->x, body->x - box->x1), 0);
	const double y = fmax(fmax(box->y0 - body->y, body->y - box->y1), 0);
	return hypot(x, y) - body->radius;
}

/* Marks the bodies that a look passes. */
static void
look_mark(const struct world *world, struct grid_look look, uint8_t *marks)
{
	memset(marks, 0, world->bodies.count);
	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look)) {
		assert_true(world->grid.heads[cell] != NONE);
		for (uint32_t place = world->grid.heads[cell]; place != NONE; place = grid_onward(&world->grid, place)) {
			assert_int_equal(marks[grid_body(place)], 0);
			marks[grid_body(place)] = 1;
		}
	}
}

/* Every body that comes within two skins of one that goes somewhere in a box is passed, and every body and wall that touches
 * one where it is. */
static size_t
looks_check(const struct world *world, uint64_t *random, uint8_t *marks)
{
	size_t near = 0;
	for (uint32_t i = 0; i < world->bodies.count; i++) {
		const struct body *body = &world->bodies.paths[i];
		const double wide = log_between(random, 1e-3, 10) * body->radius;
		const struct grid_box box = { body->x - random_between(random, 0, wide), body->y - random_between(random, 0, wide),
			                          body->x + random_between(random, 0, wide), body->y + random_between(random, 0, wide) };
		look_mark(world, grid_look_begin(&world->grid, 0, NONE, &box, look_radius(body)), marks);
		for (uint32_t j = 0; j < world->bodies.count; j++) {
			const double skin = circles_skin(body, &world->bodies.paths[j]);
			if (box_distance(&box, &world->bodies.paths[j]) <= body->radius + 2 * skin) {
				assert_int_equal(marks[j], 1);
				near++;
			}
		}
		const struct grid_box here = { body->x, body->y, body->x, body->y };
		look_mark(world, look_near(world, i, &here), marks);
		for (uint32_t j = 0; j < world->bodies.count; j++)
			if (box_distance(&here, &world->bodies.paths[j]) <= body->radius + 2 * circles_skin(body, &world->bodies.paths[j]))
				assert_int_equal(marks[j], 1);
	}
	return near;
}

static size_t
walls_check(const struct world *world)
{
	const struct grid *grid = &world->grid;
	size_t near = 0;
	for (uint32_t i = 0; i < world->bodies.count; i++) {
		const struct body *body = &world->bodies.paths[i];
		const uint32_t *item = &grid->still.segment_items[grid->still.segment_starts[grid->rows[i].cell]];
		const uint32_t *end = &grid->still.segment_items[grid->still.segment_starts[grid->rows[i].cell + 1]];
		for (uint32_t s = 0; s < world->walls.segment_count; s++) {
			const struct segment *wall = &world->walls.segments[s];
			const struct segment_def def = { .x1 = wall->x1, .y1 = wall->y1, .x2 = wall->x2, .y2 = wall->y2 };
			while (item < end && *item < s)
				item++;
			if (segment_distance(&def, body->x, body->y) <= body->radius + 2 * wall_skin(body, wall->rounding)) {
				assert_true(item < end && *item == s);
				near++;
			}
		}
	}
	return near;
}

/* Levels hold what is theirs, and the cells are as few as promised. */
static void
levels_check(const struct world *world)
{
	const struct grid *grid = &world->grid;
	uint32_t cells = 0;
	for (uint32_t l = 0; l < grid->level_count; l++) {
		const struct grid_level *level = &grid->levels[l];
		assert_true(level->count > 0);
		assert_int_equal(level->first, cells);
		assert_true(l == 0 || level->radius > grid->levels[l - 1].radius);
		cells += grid_hashed(level) ? level->columns : level->columns * level->rows;
	}
	/* One cell for fast bodies. */
	assert_int_equal(grid->cell_count, cells + 1);
	assert_int_equal(grid->levels_laid, grid->level_count + 1);
	assert_true(cells <= 4 * grid->level_count * (world->bodies.count + world->walls.segment_count + 64));
	for (uint32_t i = 0; i < world->bodies.count; i++)
		assert_true(world->bodies.paths[i].radius <= grid->levels[grid->rows[i].level].radius);
}

static void
test_looks_pass_all_that_is_near(void **state)
{
	(void)state;
	static const struct {
		size_t count;
		double ratio, offset, wide;
		uint32_t levels_least;
	} cases[] = { { 300, 1, 0, 1, 1 },       { 600, 10, 0, 1, 2 },    { 600, 1e3, 0, 1, 2 },     { 600, 1e6, 0, 1, 2 },
		          { 600, 1e3, 1e9, 1, 2 },   { 40, 1e3, 0, 1, 1 },    { 600, 1, 0, 1e3, 1 },     { 600, 100, 0, 1e3, 1 },
		          { 600, 1e3, 1e9, 1e2, 1 }, { 600, 100, 0, 1e7, 1 }, { 600, 3, -1e6, 1e10, 1 }, { 600, 3, 0, 1.9e10, 1 } };
	uint8_t marks[600];
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c += effort(4, 1)) {
		uint64_t random = 11 + c;
		size_t near = 0, walls = 0;
		struct world *world = crowd_create(cases[c].count, cases[c].ratio, cases[c].offset, cases[c].wide, c + 1);
		print_message("%zu circles of 1 : %g at %g, %g times as wide: %u levels%s\n", cases[c].count, cases[c].ratio,
		              cases[c].offset, cases[c].wide, world->grid.level_count, world->grid.hashed ? ", hashed" : "");
		assert_int_equal(world->grid.hashed, cases[c].wide > 1);
		assert_true(world->grid.level_count >= cases[c].levels_least);
		levels_check(world);
		for (int round = 0; round < (int)effort(1, 10); round++) {
			near += looks_check(world, &random, marks);
			walls += walls_check(world);
			for (uint32_t i = 0; i < world->bodies.count; i++) {
				body_wander(world, i, &random);
				if (world->grid.hashed && i % 11 == 0)
					fast_enter(world, i);
			}
			if (!grid_fits(&world->grid, world)) {
				assert_true(grid_build(&world->grid, world));
				levels_check(world);
			}
		}
		assert_true(near > effort(1, 10) * cases[c].count && walls > 0);
		world_destroy(world);
	}
}

/* Small ones that have left the box on all sides belong to its border cells, where a giant outside must find them. */
static void
test_border_cells_go_on_for_ever(void **state)
{
	(void)state;
	enum { SMALL = 2000, GIANTS = 8 };
	uint64_t random = 4;
	struct scenario scenario;
	struct def_problem problem;
	struct world *world = NULL;
	scenario_init(&scenario);
	for (size_t i = 0; i < SMALL + GIANTS; i++)
		scenario_circle(&scenario, random_between(&random, 0, 100), random_between(&random, 0, 100), 0, 0, i < SMALL ? 0.1 : 20)
			->mask = 0;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	assert_int_equal(world->grid.level_count, 2);
	for (uint32_t i = 0; i < SMALL + GIANTS; i++) {
		struct body *body = &world->bodies.paths[i];
		const double out = i < SMALL ? random_between(&random, 0, 40) : 8;
		if (i % 9 == 0 || i >= SMALL) {
			body->x = i % 4 == 0 ? -out : i % 4 == 1 ? 100 + out : body->x;
			body->y = i % 4 == 2 ? -out : i % 4 == 3 ? 100 + out : body->y;
			grid_move(&world->grid, i, grid_cell(&world->grid, i, body->x, body->y));
		}
	}
	uint8_t marks[SMALL + GIANTS];
	size_t outside = 0;
	for (uint32_t i = SMALL; i < SMALL + GIANTS; i++) {
		const struct body *giant = &world->bodies.paths[i];
		const struct grid_box here = { giant->x, giant->y, giant->x, giant->y };
		look_mark(world, look_near(world, i, &here), marks);
		for (uint32_t j = 0; j < SMALL; j++) {
			const struct body *small = &world->bodies.paths[j];
			if (box_distance(&here, small) > giant->radius)
				continue;
			assert_int_equal(marks[j], 1);
			outside += small->x < 0 || small->x > 100 || small->y < 0 || small->y > 100;
		}
	}
	assert_true(outside > 10 * GIANTS);
	world_destroy(world);
	scenario_finish(&scenario);
}

static void
test_equal_radii_make_one_level(void **state)
{
	(void)state;
	struct world *world = crowd_create(600, 1.4, 0, 1, 1);
	assert_int_equal(world->grid.level_count, 1);
	world_destroy(world);
}

/* --- Worlds --- */

static const double ratios[] = { 1000, 30, 4, 100 };
static const double restitutions[] = { 1, 0.5, 0 };
static const double offsets[] = { 0, 1e9, 3e5 };

/* Circles of many sizes among walls: at rest and fast, of all kinds; with some seeds overlap, strays, a scene far from the
 * origin. */
static void
zoo_fill(struct scenario *scenario, uint64_t seed)
{
	const double ratio = ratios[seed % 4], restitution = restitutions[seed / 4 % 3], at = offsets[seed / 12 % 3];
	uint64_t random = seed * 7919;
	scenario->def.gravity_y = seed % 2 == 0 ? -10 : 0;
	scenario_box(scenario, at, -at, at + 40, 40 - at);
	for (int i = 0; i < 6; i++) {
		const double x = at + random_between(&random, 5, 35), y = random_between(&random, 5, 35) - at;
		scenario_segment(scenario, x, y, x + random_between(&random, -5, 5), y + random_between(&random, -5, 5));
	}
	for (int i = 0; i < 70; i++) {
		const double radius = i == 0 ? 5 : log_between(&random, 2.5 / ratio, ratio > 10 ? 2.5 : 1.2);
		const double fast = random_below(&random, 10) == 0 ? 3000 : (double)random_below(&random, 3) * 20;
		double x, y;
		int tries = 0;
		do {
			assert_true(tries++ < 10000);
			x = at + random_between(&random, radius, 40 - radius);
			y = random_between(&random, radius, 40 - radius) - at;
		} while (!scene_clear(scenario, x, y, radius, 1e-3));
		if (seed % 5 == 0 && i > 3 && i < 10) {
			x = scenario->circles[i - 1].x + random_between(&random, -radius, radius);
			y = scenario->circles[i - 1].y;
		}
		struct circle_def *circle = scenario_circle(scenario, x, y, random_between(&random, -fast, fast),
		                                            random_between(&random, -fast, fast), radius);
		circle->mass = radius * radius;
		circle->friction = seed % 3 == 0 ? 0.4 : 0;
		if (i < 3) {
			circle->kind = i == 0 ? BODY_KINEMATIC : BODY_STATIC;
			circle->vx = i == 0 ? 3 : 0;
			circle->vy = i == 0 ? -1 : 0;
		}
	}
	for (int i = 0; i < 6 && seed % 3 == 0; i++) {
		const double away = log_between(&random, 1e6, 3e11), radius = log_between(&random, 1e-3, 1);
		const double gap = 2 * radius + 1e-13 * away, angle = random_between(&random, 0, 6.28);
		scenario_circle(scenario, at + away, away, cos(angle), sin(angle), radius);
		scenario_circle(scenario, at + away + 3 * gap * cos(angle), away + 3 * gap * sin(angle), -cos(angle), -sin(angle),
		                radius);
	}
	scenario_restitution(scenario, restitution);
}

/* Circles that meet nothing: they only make the grid another one. */
static void
ghosts_add(struct scenario *scenario, uint64_t seed)
{
	const double at = offsets[seed / 12 % 3];
	uint64_t random = seed;
	const size_t first = scenario->circle_count;
	for (int i = 0; i < 900; i++)
		scenario_circle(scenario, at + random_between(&random, 0, 40), random_between(&random, 0, 40) - at, 0, 0,
		                log_between(&random, 1e-3, 3));
	for (int i = 0; i < 3; i++)
		scenario_circle(scenario, at + random_between(&random, -1e5, 1e5), 0, 0, 0, 5e4);
	for (size_t i = first; i < scenario->circle_count; i++) {
		scenario->circles[i].kind = BODY_STATIC;
		scenario->circles[i].mask = 0;
	}
}

static void
contacts_same(const struct contact *a, const struct contact *b)
{
	assert_int_equal(a->a, b->a);
	assert_int_equal(a->b, b->b);
	assert_int_equal(a->other, b->other);
	assert_int_equal(a->feature, b->feature);
	assert_int_equal(a->flags, b->flags);
	assert_same(a->time, b->time);
	assert_same(a->impulse, b->impulse);
	assert_same(a->friction_impulse, b->friction_impulse);
	assert_same(a->a_after[0], b->a_after[0]);
	assert_same(a->a_after[1], b->a_after[1]);
}

static void
runs_same(const struct run *a, const struct run *b, size_t bodies)
{
	assert_int_equal(a->events, b->events);
	assert_int_equal(a->collisions, b->collisions);
	assert_int_equal(a->clusters, b->clusters);
	assert_int_equal(a->contact_count, b->contact_count);
	for (size_t i = 0; i < a->contact_count; i++)
		contacts_same(&a->contacts[i].contact, &b->contacts[i].contact);
	assert_int_equal(a->change_count, b->change_count);
	for (size_t i = 0; i < a->change_count; i++) {
		assert_int_equal(a->changes[i].change.body, b->changes[i].change.body);
		assert_int_equal(a->changes[i].change.kind, b->changes[i].change.kind);
		assert_same(a->changes[i].change.vector[0], b->changes[i].change.vector[0]);
		assert_same(a->changes[i].change.vector[1], b->changes[i].change.vector[1]);
	}
	assert_int_equal(a->shortfall_count, b->shortfall_count);
	for (size_t i = 0; i < bodies; i++) {
		const struct body_state p = world_body(a->world, i), q = world_body(b->world, i);
		assert_same(p.x, q.x);
		assert_same(p.y, q.y);
		assert_same(p.vx, q.vx);
		assert_same(p.vy, q.vy);
		assert_same(p.angular_velocity, q.angular_velocity);
	}
}

/* Few bodies have few levels; the same ones among many that meet nothing have more, other cells, another box. Neither a bit of
 * the result nor the number of events may change. */
static void
test_ghosts_change_nothing(void **state)
{
	(void)state;
	uint64_t contacts = 0, pushes = 0, led = 0;
	uint32_t levels_alone = 0, levels_among = 0;
	for (uint64_t seed = 0; seed < effort(1, 36); seed++) {
		struct scenario alone, among;
		struct run a, b;
		scenario_init(&alone);
		zoo_fill(&alone, seed);
		scenario_init(&among);
		zoo_fill(&among, seed);
		ghosts_add(&among, seed);
		/* Overlap at the start is reported, and may stay; and a kinematic circle crushes what it can. */
		run_start_uncertified(&a, &alone);
		run_start_uncertified(&b, &among);
		levels_alone += a.world->grid.level_count;
		levels_among += b.world->grid.level_count;
		for (int tick = 0; tick < 20; tick++) {
			run_ticks(&a, 1.0 / 60, 1);
			run_ticks(&b, 1.0 / 60, 1);
			runs_same(&a, &b, alone.circle_count);
		}
		contacts += a.contact_count;
		for (size_t i = 0; i < a.change_count; i++) {
			pushes += a.changes[i].change.kind == PATH_PUSHED;
			led += a.changes[i].change.kind == PATH_LED;
		}
		run_finish(&a);
		run_finish(&b);
		scenario_finish(&alone);
		scenario_finish(&among);
	}
	print_message("%llu contacts, %llu pushes, %llu led; %u and %u levels\n", (unsigned long long)contacts,
	              (unsigned long long)pushes, (unsigned long long)led, levels_alone, levels_among);
	assert_true(contacts > effort(100, 5000) && pushes > effort(2, 100) && led + effort(1, 0) > effort(0, 20));
	assert_true(2 * levels_among > 3 * levels_alone);
}

/* Pairs that leave for far away, where skins are larger than the cells of their radius were made for. They meet when their
 * skins have grown as large as their gaps. */
static void
test_pairs_that_leave_for_far_away_meet(void **state)
{
	(void)state;
	struct scenario scenarios[2];
	struct run runs[2];
	for (int s = 0; s < 2; s++) {
		uint64_t random = 1;
		scenario_init(&scenarios[s]);
		for (int i = 0; i < 8; i++) {
			const double x = random_between(&random, 0, 0.05), y = 0.005 * i + random_between(&random, 0, 2e-3);
			scenario_circle(&scenarios[s], x, y, 1e12, 1e-4, 1e-3);
			scenario_circle(&scenarios[s], x, y + 3e-3, 1e12, -1e-4, 1e-3);
		}
		for (int i = 0; i < 900 && s > 0; i++) {
			struct circle_def *ghost = scenario_circle(&scenarios[s], random_between(&random, -1, 1),
			                                           random_between(&random, -1, 1), 0, 0, 0.02);
			ghost->kind = BODY_STATIC;
			ghost->mask = 0;
		}
		run_start_uncertified(&runs[s], &scenarios[s]);
	}
	for (int tick = 0; tick < 12; tick++) {
		run_ticks(&runs[0], 1.0 / 60, 1);
		run_ticks(&runs[1], 1.0 / 60, 1);
		runs_same(&runs[0], &runs[1], 16);
	}
	assert_true(runs[0].events >= 5);
	for (int s = 0; s < 2; s++) {
		run_finish(&runs[s]);
		scenario_finish(&scenarios[s]);
	}
}

/* Every tick certified: no overlap, none through a wall, no jump. With `large` circles of the larger of two radii; 0: radii
 * evenly in their logarithm. `levels`: it is to have several levels of cells. */
static void
gas_certified(size_t count, double ratio, size_t large, double speed, uint64_t ticks, bool levels)
{
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	if (large > 0)
		scene_gas_sizes(&scenario, count, ratio, large, speed, 5);
	else
		scene_gas_mixed(&scenario, count, ratio, speed, 5);
	run_start(&run, &scenario);
	if (levels)
		assert_true(run.world->grid.level_count > 1);
	const double before = run_energy(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, ticks);
	assert_double_near(run_energy(&run, &scenario), before, 1e-11 * before);
	assert_true(run.collisions > count);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_mixed_gases_are_certified(void **state)
{
	(void)state;
	gas_certified(800, 8, 40, 30, effort(20, 60), true);
	if (effort(0, 1) == 0)
		return;
	gas_certified(800, 10, 0, 30, 60, false);
	gas_certified(800, 100, 0, 30, 60, false);
	gas_certified(300, 1000, 0, 30, 60, false);
	gas_certified(800, 30, 5, 30, 60, true);
}

/* A giant that moves through thousands of small ones, and one small one among giants. */
static void
giant_run(size_t count, double small, double giant, uint32_t levels)
{
	uint64_t random = 3;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, 100, 100);
	scenario_circle(&scenario, 50, 50, 40, 25, giant)->mass = 1e4;
	while (scenario.circle_count < count) {
		const double x = random_between(&random, small, 100 - small), y = random_between(&random, small, 100 - small);
		if (scene_clear(&scenario, x, y, small, 1e-3))
			scenario_circle(&scenario, x, y, random_between(&random, -5, 5), random_between(&random, -5, 5), small);
	}
	run_start(&run, &scenario);
	assert_int_equal(run.world->grid.level_count, levels);
	run_ticks_unlogged(&run, 1.0 / 60, 40);
	assert_true(run.collisions > 20);
	assert_int_equal(run.shortfall_count, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_one_of_another_size(void **state)
{
	(void)state;
	giant_run(1500, 0.3, 20, 2);
	giant_run(100, 3, 0.05, 1);
}

/* Few circles beside hundreds of walls: the sample of places may see hardly any of the circles that the box is clipped to. */
static void
test_few_circles_beside_many_walls_are_laid(void **state)
{
	(void)state;
	uint64_t random = 1;
	for (int n = 1; n < 40; n++) {
		struct scenario scenario;
		struct def_problem problem;
		struct world *world = NULL;
		struct tick_report report;
		scenario_init(&scenario);
		for (int i = 0; i < 500; i++) {
			const double x = random_between(&random, 0, 50), y = random_between(&random, 0, 50);
			scenario_segment(&scenario, x, y, x + random_between(&random, -2, 2), y + random_between(&random, -2, 2));
		}
		for (int i = 0; i < n; i++) {
			const double x = 302 + 5.75 * (i % 8) + random_between(&random, 0, 3);
			scenario_circle(&scenario, x, 2 + 5.75 * (i / 8) + random_between(&random, 0, 3), -1, 0, n % 3 == 0 ? 0.05 : 0.4);
		}
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
		assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks_pass_all_that_is_near),
		cmocka_unit_test(test_border_cells_go_on_for_ever),
		cmocka_unit_test(test_equal_radii_make_one_level),
		cmocka_unit_test(test_ghosts_change_nothing),
		cmocka_unit_test(test_pairs_that_leave_for_far_away_meet),
		cmocka_unit_test(test_mixed_gases_are_certified),
		long_case(test_one_of_another_size),
		cmocka_unit_test(test_few_circles_beside_many_walls_are_laid),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
