/* world_velocities_set, _add and world_impulses_add beside world_edit, on two worlds that are the same. Random soups have
 * sleepers, kinematic and static circles. The rows are in any order, twice, of circles that are not there. Their velocities are
 * no numbers, too large, or what they are. Status, problem, state and all that follows must be the same, bit for bit. */
#include "physics/velocities.h"

#include "physics/followers.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX 12

static uint64_t sets, refusals, wakings;

static double
speed(uint64_t *random, double present)
{
	switch (random_below(random, 24)) {
	case 0: return 0.0;
	case 1: return -0.0;
	case 2: return present;
	case 3: return random_below(random, 8) ? 1e12 : nextafter(1e12, INFINITY);
	case 4: return random_below(random, 8) ? 1 : (double)NAN;
	default: return random_between(random, -5, 5);
	}
}

static void
worlds_same(const struct world *a, const struct world *b)
{
	struct snapshot first = snapshot_take(a), second = snapshot_take(b);
	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.bytes, second.bytes, first.size);
	free(first.bytes);
	free(second.bytes);
}

typedef enum status rows_function(struct world *, const uint32_t *, const double *, const double *, size_t,
                                  struct def_problem *);

/* What the row is as an edit. */
static struct edit
row_edit(rows_function *function, uint32_t id, double x, double y)
{
	const struct circle_def circle = { .id = id, .vx = x, .vy = y };
	const struct circle_push push = { .id = id, .x = x, .y = y };
	if (function == world_velocities_add)
		return edit_circle_add_velocity(id, x, y);
	if (function == world_impulses_add)
		return edit_circle_impulse(&push);
	return edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
}

static void
both_set(struct world *world, struct world *twin, uint64_t *random)
{
	const size_t bodies = world_body_count(world), count = (size_t)random_below(random, ROWS_MAX + 1);
	uint32_t ids[ROWS_MAX] = { 0 };
	double vx[ROWS_MAX] = { 0 }, vy[ROWS_MAX] = { 0 };
	struct edit edits[ROWS_MAX];
	struct def_problem problem, other;
	rows_function *const functions[] = { world_velocities_set, world_velocities_add, world_impulses_add };
	rows_function *const function = functions[random_below(random, 3)];
	for (size_t i = 0; i < count; i++) {
		const struct body_state body = world_body(world, (size_t)random_below(random, bodies));
		const bool still = body.kind == BODY_STATIC && random_below(random, 8);
		ids[i] = random_below(random, 60) ? body.id : (uint32_t)random_below(random, 1000);
		vx[i] = still ? 0 : speed(random, body.vx);
		vy[i] = still ? 0 : speed(random, body.vy);
	}
	if (random_below(random, 2)) /* mostly without repetition */
		for (size_t i = 0; i < count; i++)
			ids[i] = world_body(world, (i + 1) * bodies / (ROWS_MAX + 1)).id;
	for (size_t i = 0; i < count; i++)
		edits[i] = row_edit(function, ids[i], vx[i], vy[i]);
	const enum status status = function(world, ids, vx, vy, count, &problem);
	assert_int_equal(world_edit(twin, edits, count, &other), status);
	assert_int_equal(problem.field, other.field);
	assert_string_equal(problem.text, other.text);
	assert_int_equal(problem.index, other.index);
	worlds_same(world, twin);
	sets += status == STATUS_OK && count > 0;
	refusals += status != STATUS_OK;
}

/* Steps both worlds, and sets velocities in the one, edits the other, where at least so many bodies sleep. */
static void
beside_edits(const struct world_def *def, double dt, uint64_t ticks, uint64_t seed, uint64_t asleep_min)
{
	struct world *world = NULL, *twin = NULL;
	struct def_problem problem;
	struct tick_report report = { 0 }, own;
	uint64_t random = seed * 31 + 7;
	if (def->circle_count == 0 || world_create(def, &problem, &world) != STATUS_OK)
		return;
	assert_int_equal(world_create(def, &problem, &twin), STATUS_OK);
	for (uint64_t i = 0; i < ticks; i++) {
		if (report.asleep >= asleep_min && random_below(&random, 4) == 0)
			both_set(world, twin, &random);
		const enum status status = world_step(world, dt, &report);
		assert_int_equal(world_step(twin, dt, &own), status);
		if (status != STATUS_OK)
			break;
		reports_same(&report, &own);
		assert_true(world_hash(world) == world_hash(twin));
		for (size_t k = 0; k < report.path_change_count; k++)
			wakings += report.path_changes[k].kind == PATH_WOKEN;
	}
	world_destroy(world);
	world_destroy(twin);
}

static void
test_beside_edits(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(12, 130, 400); seed++) {
		struct soup soup;
		soup_make(&soup, seed, seed % 4 == 0);
		soup.scenario.def.sleep_after = seed % 3 == 0 ? 0.05 : 0;
		beside_edits(scenario_def(&soup.scenario), soup.dt, 60, seed, 0);
		soup_finish(&soup);
	}
	assert_true(sets > effort(24, 100) && refusals > effort(4, 20));
}

static void
test_sleepers_wake(void **state)
{
	(void)state;
	wakings = 0;
	for (uint64_t seed = 1; seed <= effort(1, 4); seed++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_pile(&scenario, 40, 10, 0.5, 0.5, seed);
		scenario.def.sleep_after = 0.1;
		beside_edits(scenario_def(&scenario), 1.0 / 60, 400, seed, 20);
		scenario_finish(&scenario);
	}
	assert_true(wakings > effort(4, 20));
}

static void
test_failed_world(void **state)
{
	(void)state;
	struct scenario scenario;
	struct world *world = NULL;
	struct def_problem problem;
	struct tick_report report;
	const uint32_t id = 0;
	const double v = 1;
	scenario_init(&scenario);
	scene_gas(&scenario, 30, 40, 1);
	scenario.def.contacts_per_tick_max = 1;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	while (world_step(world, 1, &report) == STATUS_OK)
		continue;
	assert_int_equal(world_velocities_set(world, &id, &v, &v, 1, &problem), STATUS_FAILED_PRECONDITION);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_beside_edits), long_case(test_sleepers_wake),
		                                cmocka_unit_test(test_failed_world) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
