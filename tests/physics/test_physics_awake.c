/* The awake set, against a list that is searched from end to end. What sleepers add to the ledgers is, to the last bit, that of
 * summing up all bodies in every tick. */
#include "physics/followers.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/world/awake_set.h"
#include "physics/world/ledger.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <stdlib.h>

static const double dt = 1.0 / 60;

enum { BODIES_MAX = 20000, CHANGES = 40, QUESTIONS = 200 };

/* The header's words, one after the other. */
static struct span
span_search(const bool *awake, uint32_t from, uint32_t end)
{
	while (from < end && !awake[from])
		from++;
	uint32_t last = from;
	while (last < end && awake[last])
		last++;
	return (struct span){ from, last };
}

static void
questions_ask(const struct awake *set, const bool *awake, uint32_t count, uint64_t *seed)
{
	for (int n = 0; n < QUESTIONS; n++) {
		const uint32_t end = (uint32_t)random_between(seed, 0, count + 0.999);
		const uint32_t from = (uint32_t)random_between(seed, 0, end + 0.999);
		const struct span want = span_search(awake, from, end), have = awake_span(set, from, end);
		assert_int_equal(have.first, want.first);
		assert_int_equal(have.end, want.end);
		/* What is at the end is the caller's business. */
		assert_int_equal(awake_from(set, from, end) < end ? awake_from(set, from, end) : end, want.first);
	}
}

static void
test_the_set_is_the_list(void **state)
{
	(void)state;
	static bool awake[BODIES_MAX];
	const uint32_t counts[] = { 1, 2, 63, 64, 65, 127, 128, 4095, 4096, 4097, 9000, BODIES_MAX };
	uint64_t seed = 7;
	for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
		const uint32_t count = counts[k];
		struct awake set;
		assert_true(awake_alloc(&set, count));
		for (uint32_t i = 0; i < count; i++)
			awake[i] = true;
		for (int change = 0; change < CHANGES; change++) {
			questions_ask(&set, awake, count, &seed);
			/* Many fall asleep together, few wake. */
			const bool falls = random_between(&seed, 0, 1) < 0.5;
			const double part = falls ? random_between(&seed, 0, 1) : random_between(&seed, 0, 0.01);
			for (uint32_t i = 0; i < count; i++) {
				if (random_between(&seed, 0, 1) >= part)
					continue;
				awake[i] = !falls;
				if (falls)
					awake_remove(&set, i);
				else
					awake_add(&set, i);
			}
		}
		awake_free(&set);
	}
}

/* Where none may sleep there is no set. */
static void
test_without_sleep_all_are_awake(void **state)
{
	(void)state;
	const struct awake none = { 0 };
	const struct span all = awake_span(&none, 3, 900);
	assert_int_equal(all.first, 3);
	assert_int_equal(all.end, 900);
	assert_int_equal(awake_from(&none, 17, 900), 17);
}

static struct ledger_sums
everybody_sum(const struct world *world)
{
	struct ledger_sums all = { 0 };
	for (uint32_t first = 0; first < world->bodies.count; first += LEDGER_CHUNK) {
		struct ledger_sums sums = { 0 };
		for (uint32_t i = first; i < ledger_chunk_end(world, first); i++)
			ledger_sums_body(&sums, world, i);
		ledger_sums_add(&all, &sums);
	}
	return all;
}

/* Thousands that lie apart on shelves, some of which are struck by what falls and fall asleep again. */
static void
test_sums_are_those_of_everybody(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	uint64_t seed = 3, woken = 0;
	scenario_init(&scenario);
	const uint32_t count = (uint32_t)effort(3000, 9000);
	scene_shelves(&scenario, count, 3);
	scenario.def.sleep_after = 0.5;
	for (int k = 0; k < 60; k++)
		scenario_circle(&scenario, random_between(&seed, 0, 240), 70 + 10 * k, 0, 0, 0.2)->restitution = 0;
	run_start_uncertified(&run, &scenario);
	for (int tick = 0; tick < 400; tick++) {
		run_ticks_unlogged(&run, dt, 1);
		const struct ledger_sums sums = everybody_sum(run.world);
		const struct tick_report *report = &run.report;
		assert_true(sums.kinetic == report->energy.kinetic_after);
		assert_true(sums.potential == report->energy.potential_after);
		assert_true(sums.momentum[0] == report->momentum.after[0] && sums.momentum[1] == report->momentum.after[1]);
		for (size_t i = 0; i < report->path_change_count; i++)
			woken += report->path_changes[i].kind == PATH_WOKEN;
	}
	assert_in_range(run.report.asleep, count - 500, count + 60);
	assert_in_range(woken, 11, 100000);
	run_abandon(&run);
	scenario_finish(&scenario);
}

/* A wall comes to a row of sleepers, which are most of the world: it wakes them and sweeps them along. */
static void
test_a_wall_sweeps_sleepers(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	for (unsigned i = 0; i < 24; i++)
		scenario_circle(&scenario, 152 + 2 * i, 0.5, 0, 0, 0.5);
	scenario_segment(&scenario, -50, 0, 2000, 0);
	scenario_segment(&scenario, 400, 0.2, 400, 5)->vx = -20;
	scenario_dull(&scenario, 0, 0.1);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.3;
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, 1.0 / 60, 480);
	assert_int_equal(run.report.asleep, 24);
	run_ticks_unlogged(&run, 1.0 / 60, 240);
	assert_true(run.report.asleep < 4);
	assert_true(run_body(&run, 23).x < 400 - 20 * 12);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Five sleep on a floor beside a heap that is awake; pistons wake them and crush them at once, before the solver gets to know
 * of them. A world that is restored before each tick stays the same. */
static void
test_who_is_woken_and_crushed_at_once(void **state)
{
	(void)state;
	struct scenario scenario;
	struct world *world, *twin;
	struct def_problem problem;
	struct tick_report report, other;
	uint64_t most_asleep = 0;
	size_t shortfalls = 0;
	scenario_init(&scenario);
	for (unsigned i = 0; i < 12; i++)
		scenario_circle(&scenario, 1.02 * (i % 4) + 0.1 * (i / 4), 15 + 1.3 * (i / 4), 0, 0, 0.5);
	for (unsigned i = 0; i < 5; i++)
		scenario_circle(&scenario, -20 - 3.0 * i, 0.5, 0, 0, 0.5);
	scenario_segment(&scenario, -50, 0, 50, 0);
	scenario_dull(&scenario, 0.5, 0.1);
	for (unsigned i = 0; i < 5; i++)
		scenario_circle(&scenario, -20 - 3.0 * i, 7.1 + 0.31 * i, 0, -1, 0.5)->kind = BODY_KINEMATIC;
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 4;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &twin), STATUS_OK);
	for (int tick = 0; tick < (int)effort(400, 500); tick++) {
		struct snapshot snapshot = snapshot_take(twin);
		world_destroy(twin);
		twin = snapshot_restored(&snapshot);
		free(snapshot.bytes);
		assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
		assert_int_equal(world_step(twin, 1.0 / 60, &other), STATUS_OK);
		if (world_hash(world) != world_hash(twin))
			fail_msg("tick %d: they differ", tick);
		assert_same(report.energy.kinetic_after, other.energy.kinetic_after);
		most_asleep = report.asleep > most_asleep ? report.asleep : most_asleep;
		shortfalls += report.shortfall_count;
	}
	assert_true(most_asleep >= 5 && shortfalls > 0);
	world_destroy(world);
	world_destroy(twin);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_wall_sweeps_sleepers), long_case(test_who_is_woken_and_crushed_at_once),
		cmocka_unit_test(test_the_set_is_the_list),    cmocka_unit_test(test_without_sleep_all_are_awake),
		long_case(test_sums_are_those_of_everybody),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
