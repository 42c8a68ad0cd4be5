/* What a tick says that it took: counts that can be known otherwise, every moment of a clock in one phase, and nothing of it in
 * what the tick gives. */
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/self_check.h"

static const double dt = 1.0 / 60;

/* Each look at it is ten nanoseconds later than the one before. */
static uint64_t clock_ns;

static uint64_t
clock_tick(void)
{
	return clock_ns += 10;
}

static struct world *
world_of(struct scenario *scenario)
{
	struct world *world = scenario_world(scenario);
	scenario_finish(scenario);
	return world;
}

static struct tick_report
step(struct world *world)
{
	struct tick_report report;
	assert_int_equal(world_step(world, dt, &report), STATUS_OK);
	return report;
}

static uint64_t
phases_sum(const struct tick_cost *cost)
{
	uint64_t sum = 0;
	for (unsigned phase = 0; phase < TICK_PHASES; phase++)
		sum += cost->ns[phase];
	return sum;
}

/* Two that fly at each other through ten cells: 2 events each if nothing else comes in between. */
static void
test_counts_of_a_pair(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, -10, 0, 600, 0, 0.5);
	scenario_circle(&scenario, 10, 0, -600, 0, 0.5);
	scenario_restitution(&scenario, 1);

	struct world *world = world_of(&scenario);
	const struct tick_report report = step(world);
	assert_int_equal(report.events, 1);
	assert_int_equal(report.cost.looks, 2);
	/* Each flies 9.5 to the other and 0.5 back, in cells a little wider than 1. */
	assert_in_range(report.cost.transfers, 2 * 6, 2 * 10);
	/* Theirs and the hit; what was foreseen and never came is at most one for each path that ended. */
	assert_in_range(report.cost.foreseen, report.cost.transfers + 1, report.cost.transfers + 6);
	assert_int_equal(report.cost.sweeps, 0);
	assert_false(report.cost.partition || report.cost.again);
	assert_int_equal(phases_sum(&report.cost), 0);
	world_destroy(world);
}

/* None is near another: what is known to meet nothing for a while does not look again. */
static void
test_a_calm_gas_looks_less(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	(void)scene_gas(&scenario, 400, 0.5, 3);

	struct world *world = world_of(&scenario);
	assert_int_equal(step(world).cost.looks, 400);

	uint64_t looks = 0;
	for (int tick = 0; tick < 50; tick++)
		looks += step(world).cost.looks;
	assert_in_range(looks, 1, 50 * 200);
	world_destroy(world);
}

static void
test_a_pile_sweeps(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 60, 8, 0.5, 1, 1);

	struct world *world = world_of(&scenario);
	struct tick_report report = step(world);
	for (int tick = 0; tick < 300; tick++)
		report = step(world);
	/* Two parts, each of which has one sweep at least. */
	assert_true(report.cost.sweeps >= 2);
	world_clock_set(world, clock_tick);
	report = step(world);
	assert_true(report.cost.ns[TICK_REST] >= 20);
	world_destroy(world);
}

/* All of the time is some phase's, and a world without a clock gives the same. */
static void
test_phases_are_all_of_the_time(void **state)
{
	(void)state;
	for (int workers = 0; workers < 2; workers++) {
		struct scenario scenario;
		scenario_init(&scenario);
		(void)scene_gas(&scenario, 900, 30, 5);

		struct def_problem problem;
		struct world *timed;
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &timed), STATUS_OK);
		struct world *plain = world_of(&scenario);
		world_clock_set(timed, clock_tick);
		world_workers_set(timed, workers ? &workers_in_turn : NULL);

		unsigned shared = 0;
		for (int tick = 0; tick < 30; tick++) {
			const uint64_t before = clock_ns;
			struct difference difference;
			const struct tick_report report = step(timed), expected = step(plain);
			const struct tick_cost *cost = &report.cost;
			if (!reports_compare(&report, &expected, &difference))
				fail_msg("tick %d: %s", tick, difference.text);
			/* The first look at the clock begins the time. */
			assert_int_equal(phases_sum(cost), clock_ns - before - 10);
			assert_true(cost->ns[TICK_BEGIN] > 0 && cost->ns[TICK_END] > 0);
			assert_int_equal(cost->ns[TICK_PARTITION] > 0, cost->partition || cost->again);
			assert_int_equal(cost->ns[TICK_EVENTS] > 0, !cost->partition);
			shared += cost->partition;
			/* By rows all look; edges are looked at by another thread. */
			assert_true(cost->looks > 0 && cost->transfers > 0 && cost->foreseen > cost->transfers);
		}
		assert_int_equal(shared > 0, workers);
		world_destroy(timed);
		world_destroy(plain);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_of_a_pair),
		cmocka_unit_test(test_a_calm_gas_looks_less),
		cmocka_unit_test(test_a_pile_sweeps),
		cmocka_unit_test(test_phases_are_all_of_the_time),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
