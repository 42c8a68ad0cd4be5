/* Ticks made in domains against ticks made by one thread. Reports row by row, hashes and bodies must be the same, for any
 * number of domains, in any order in which their pieces run, and on threads. argv[1]: random scenes (default 60). argv[2]:
 * "small", not the larger ones; "few", not all of those on threads; "threads", only those. These are for the detector of races,
 * and nothing is made by one thread to compare with. */
#include "base/memory.h"
#include "jobs/pool.h"
#include "physics/followers.h"
#include "physics/partition/partition.h"
#include "physics/scenes.h"
#include "physics/self_check.h"
#include "physics/soup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;
static uint64_t soups_asked = 60;
static bool quick; /* few soups, and none of the larger cases */
static bool threads_few;
static bool threads_only;

/* Without a pool: the caller runs the pieces, from the last to the first or the other way round. */
struct team {
	struct pool *pool;
	unsigned hands, turns;
};

static unsigned
team_hands(void *context)
{
	return ((struct team *)context)->hands;
}

static void
team_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	struct team *team = context;
	const bool backwards = ++team->turns % 2 == 0;
	if (team->pool) {
		pool_share(team->pool, count, piece, argument);
		return;
	}
	for (unsigned i = 0; i < count; i++)
		piece(argument, backwards ? count - 1 - i : i);
}

/* A world, and the one that one thread steps beside it; null if nothing is compared. */
static void
worlds_create(struct scenario *scenario, const struct workers *workers, struct world **together, struct world **alone)
{
	struct def_problem problem;
	assert_int_equal(world_create(scenario_def(scenario), &problem, together), STATUS_OK);
	world_workers_set(*together, workers);
	*alone = NULL;
	if (!threads_only)
		assert_int_equal(world_create(scenario_def(scenario), &problem, alone), STATUS_OK);
}

/* Steps a world with several threads beside one without. */
static struct partition_counts
beside_check(struct scenario *scenario, struct team *team, unsigned rows, double step, uint64_t ticks)
{
	const struct workers workers = { team_hands, team_run, team, .bodies_min = 1, .rows_min = rows };
	struct world *alone, *together;
	worlds_create(scenario, &workers, &together, &alone);
	for (uint64_t tick = 0; tick < ticks; tick++) {
		struct tick_report expected, report;
		struct difference difference;
		const enum status status = world_step(together, step, &report);
		if (alone)
			assert_int_equal(world_step(alone, step, &expected), status);
		if (status != STATUS_OK)
			break;
		if (!alone)
			continue;
		if (!reports_compare(&report, &expected, &difference))
			fail_msg("%u hands, tick %llu: %s", team->hands, (unsigned long long)tick, difference.text);
		assert_int_equal(world_hash(together), world_hash(alone));
	}
	const struct partition_counts counts = partition_counts(together);
	world_destroy(alone);
	world_destroy(together);
	return counts;
}

static void
test_gases_are_the_same_for_every_number_of_domains(void **state)
{
	(void)state;
	static const unsigned hands[] = { 1, 2, 3, 8, 64 };
	for (size_t k = 0; k < sizeof hands / sizeof *hands; k++) {
		for (int fast = 0; fast < 2; fast++) {
			struct scenario scenario;
			struct team team = { .hands = hands[k] };
			scenario_init(&scenario);
			scene_gas(&scenario, 3000, (fast ? 2 : 0.1) * 0.5 / dt, 7 + k);
			const struct partition_counts counts = beside_check(&scenario, &team, 20, dt, 6);
			assert_int_equal(counts.ticks + counts.conflict_count > 0, hands[k] > 1);
			/* Domains take events of their own, and leave some. */
			assert_int_equal(counts.events > counts.left_events, hands[k] > 1);
			assert_int_equal(counts.left_events > 0, hands[k] > 1);
			scenario_finish(&scenario);
		}
	}
}

/* No two circles fall alike: their relative paths are curved, and most pairs wait for the time at which they may meet. */
static void
test_curved_paths_are_the_same_for_every_number_of_domains(void **state)
{
	(void)state;
	static const unsigned hands[] = { 2, 3, 8 };
	for (size_t k = 0; k < (quick ? 1 : sizeof hands / sizeof *hands); k++) {
		struct scenario scenario;
		struct team team = { .hands = hands[k] };
		uint64_t random = 5 + k;
		scenario_init(&scenario);
		scene_gas(&scenario, 3000, 0.5 * 0.5 / dt, 17 + k);
		scenario.def.gravity_y = -1000;
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].gravity_scale = random_between(&random, -1, 1);
		const struct partition_counts counts = beside_check(&scenario, &team, 20, dt, 6);
		assert_true(counts.ticks > 0);
		assert_true(counts.events > 0);
		scenario_finish(&scenario);
	}
}

static void
test_gases_are_the_same_on_threads(void **state)
{
	(void)state;
	static const unsigned hands[] = { 2, 3, 8, 64 };
	static const double radii[] = { 0.5, 2, 8 };
	/* Few: a speed for each of 2, 3 and 8 hands. For the detector of races one or two speeds for each number of hands. */
	for (size_t k = 0; k < 3 * sizeof hands / sizeof *hands; k += threads_few ? 4 : threads_only ? 2 : 1) {
		struct scenario scenario;
		struct team team = { .hands = hands[k / 3] };
		assert_int_equal(pool_create_helpers(hands[k / 3] - 1, &team.pool), STATUS_OK);
		scenario_init(&scenario);
		scene_gas(&scenario, 3000, radii[k % 3] * 0.5 / dt, 70 + k);
		const struct partition_counts counts = beside_check(&scenario, &team, 12, dt, 6);
		assert_true(counts.ticks > 0);
		scenario_finish(&scenario);
		assert_true(pool_stop(team.pool, 60000));
		pool_destroy(team.pool, NULL);
	}
}

/* So many that what events will want is fetched some events ahead (prefetch.h): that, too, reads nothing that others write. */
static void
test_a_large_gas_is_the_same_on_threads(void **state)
{
	(void)state;
	static const double radii[] = { 0.1, 1 };
	for (size_t k = threads_only || threads_few; k < sizeof radii / sizeof *radii; k++) {
		struct scenario scenario;
		struct team team = { .hands = 3 };
		assert_int_equal(pool_create_helpers(2, &team.pool), STATUS_OK);
		scenario_init(&scenario);
		scene_gas(&scenario, 66000, radii[k] * 0.5 / dt, 90 + k);
		const struct partition_counts counts = beside_check(&scenario, &team, 40, dt, k == 0 ? 6 : 2);
		assert_true(counts.ticks > 0);
		scenario_finish(&scenario);
		assert_true(pool_stop(team.pool, 60000));
		pool_destroy(team.pool, NULL);
	}
}

/* A tube that is a few cells wide is left to one thread. Words of the grid that tell which cells are taken would have cells of
 * both domains at an edge. */
static void
test_a_tube_is_the_same_on_threads(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 4 };
	uint64_t random = 12;
	assert_int_equal(pool_create_helpers(3, &team.pool), STATUS_OK);
	scenario_init(&scenario);
	for (unsigned i = 0; i < 3000; i++)
		scenario_circle(&scenario, 1 + 1.5 * (i % 3), 1 + i / 3 * 1.5, random_between(&random, -30, 30),
		                random_between(&random, -30, 30), 0.5);
	scenario_box(&scenario, 0, 0, 5, 1501);
	scenario_restitution(&scenario, 1);
	assert_int_equal(beside_check(&scenario, &team, 0, dt, 10).ticks, 0);
	scenario_finish(&scenario);
	assert_true(pool_stop(team.pool, 60000));
	pool_destroy(team.pool, NULL);
}

/* Gravity, walls inside, restitution under 1, friction: much is left to the last domain, and later the resting solver leads. */
static void
test_a_gas_that_falls_and_comes_to_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 3 };
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 2000, 4, 3);
	scenario.def.gravity_y = -20;
	for (unsigned k = 0; k < 12; k++) {
		/* Between the circles' rows, where none is. */
		struct segment_def *wall = scenario_segment(&scenario, -1, side * k / 12, -9, side * k / 12 + 3);
		wall->friction = 0.5;
	}
	for (size_t i = 0; i < scenario.circle_count; i++) {
		scenario.circles[i].restitution = i % 3 == 0 ? 1 : 0.3;
		scenario.circles[i].friction = i % 2 == 0 ? 0.4 : 0;
	}
	for (size_t i = 0; i < scenario.segment_count; i++)
		scenario.segments[i].restitution = 0.2;
	const struct partition_counts counts = beside_check(&scenario, &team, 12, dt, 45);
	assert_true(counts.events > 0 && counts.left_events > 0);
	scenario_finish(&scenario);
}

/* A column of circles a hair apart, struck from below. The blow is at the top at once, where domains have gone far ahead,
 * because circles are also hit from the side throughout the tick. */
static void
test_a_blow_that_outruns_the_domains_is_put_right(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 4 };
	scenario_init(&scenario);
	for (unsigned i = 0; i < 200; i++) {
		scenario_circle(&scenario, 0, i * 1.000001, 0, 0, 0.5);
		scenario_circle(&scenario, 1 + 2.5 * (i * 7 % 200) / 200, i * 1.000001, -2.5 / dt, 0, 0.5);
	}
	scenario_circle(&scenario, 0, -1.2, 0, 3 / dt, 0.5);
	scenario_restitution(&scenario, 1);
	const struct partition_counts counts = beside_check(&scenario, &team, 12, dt, 5);
	assert_true(counts.conflict_count > 0);
	scenario_finish(&scenario);
}

/* Two worlds, of which only one has several threads. */
struct both {
	struct world *alone, *together;
	struct team team;
	struct workers workers;
};

static void
both_start(struct both *both, struct scenario *scenario, unsigned hands, unsigned rows)
{
	*both = (struct both){ .team = { .hands = hands } };
	both->workers = (struct workers){ team_hands, team_run, &both->team, .bodies_min = 1, .rows_min = rows };
	worlds_create(scenario, &both->workers, &both->together, &both->alone);
	scenario_finish(scenario);
}

static void
both_tick(struct both *both)
{
	struct tick_report expected, report;
	assert_int_equal(world_step(both->together, dt, &report), STATUS_OK);
	if (!both->alone)
		return;
	assert_int_equal(world_step(both->alone, dt, &expected), STATUS_OK);
	reports_same(&report, &expected);
	assert_int_equal(world_hash(both->together), world_hash(both->alone));
}

static void
both_edit(struct both *both, const struct edit *edits, size_t count)
{
	struct def_problem problem;
	assert_int_equal(world_edit(both->together, edits, count, &problem), STATUS_OK);
	if (both->alone)
		assert_int_equal(world_edit(both->alone, edits, count, &problem), STATUS_OK);
}

static void
both_end(struct both *both)
{
	world_destroy(both->alone);
	world_destroy(both->together);
	if (both->team.pool) {
		assert_true(pool_stop(both->team.pool, 60000));
		pool_destroy(both->team.pool, NULL);
	}
}

/* It is written by domains, however many, on threads, and by one thread; velocities change between ticks. */
static void
test_the_schedule_stays_whoever_makes_a_tick(void **state)
{
	(void)state;
	for (int threads = threads_only; threads < 2; threads++) {
		struct scenario scenario;
		struct both both;
		uint64_t random = 5;
		scenario_init(&scenario);
		scene_gas(&scenario, 3000, (threads ? 0.4 : 0.1) * 0.5 / dt, 40);
		both_start(&both, &scenario, 2, 12);
		if (threads)
			assert_int_equal(pool_create_helpers(3, &both.team.pool), STATUS_OK);
		for (unsigned tick = 0; tick < 80; tick++) {
			struct circle_def circle = circle_def_default();
			circle.id = (uint32_t)random_below(&random, 3000);
			circle.vx = random_between(&random, -3, 3);
			const struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX));
			both_edit(&both, &edit, tick % 3 == 0);
			both.team.hands = tick % 7 == 3 ? 1 : 2 + tick / 5 % 3;
			both_tick(&both);
		}
		assert_true(both.together->schedule.ticks > 75);
		assert_true(partition_counts(both.together).ticks > 30);
		both_end(&both);
	}
}

/* So much stirs that ticks are also begun by several threads. In a part of the worlds some turn, and some are driven by the
 * resting solver from the second tick on. */
static void
test_ticks_that_stir_much_are_begun_side_by_side(void **state)
{
	(void)state;
	for (int rests = 0; rests < 2; rests++) {
		struct scenario scenario;
		struct both both;
		unsigned beside = 0;
		scenario_init(&scenario);
		scene_gas(&scenario, 7000, 2 * 0.5 / dt, 41);
		for (size_t i = 0; i < scenario.circle_count; i++) {
			scenario.circles[i].restitution = rests && i % 5 == 0 ? 0 : 1;
			scenario.circles[i].angular_velocity = i % 7 == 0 ? 3 : 0;
		}
		both_start(&both, &scenario, 3, 20);
		assert_int_equal(pool_create_helpers(2, &both.team.pool), STATUS_OK);
		for (unsigned tick = 0; tick < 6; tick++) {
			beside += partition_workers(both.together, both.together->schedule.dirty) > 1;
			both_tick(&both);
			assert_int_equal(both.together->step.handover_candidates > 0, rests && tick > 0);
		}
		assert_int_equal(beside, rests ? 1 : 5);
		both_end(&both);
	}
}

/* All is at rest, so no domain expects news to come fast. Then a blow goes through a column of circles a hair apart, which
 * others come to from the side. */
static void
test_a_clash_leaves_the_schedule_behind(void **state)
{
	(void)state;
	enum { COLUMN = 200 };
	struct scenario scenario;
	struct both both;
	static struct edit edits[COLUMN + 1];
	scenario_init(&scenario);
	for (unsigned i = 0; i < COLUMN; i++) {
		scenario_circle(&scenario, 0, i * 1.000001, 0, 0, 0.5);
		scenario_circle(&scenario, 1.5 + 2.5 * (i * 7 % COLUMN) / COLUMN, i * 1.000001, 0, 0, 0.5);
		for (unsigned k = 0; k < 4; k++)
			scenario_circle(&scenario, -5.0 - 2 * k, i * 1.01, 0, 0, 0.5);
	}
	scenario_circle(&scenario, 0, -1.2, 0, 0, 0.5);
	scenario_restitution(&scenario, 1);
	both_start(&both, &scenario, 4, 12);
	for (unsigned tick = 0; tick < 6; tick++)
		both_tick(&both);
	for (unsigned i = 0; i <= COLUMN; i++) {
		struct circle_def circle = circle_def_default();
		circle.id = i < COLUMN ? 6 * i + 1 : 6 * COLUMN;
		circle.vx = i < COLUMN ? -2.5 / dt : 0;
		circle.vy = i < COLUMN ? 0 : 3 / dt;
		edits[i] = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	}
	both_edit(&both, edits, COLUMN + 1);
	const uint64_t calm = both.together->schedule.ticks;
	both_tick(&both);
	assert_true(partition_counts(both.together).conflict_count > 0);
	assert_int_equal(both.together->schedule.ticks, calm);
	for (unsigned tick = 0; tick < 40; tick++)
		both_tick(&both);
	assert_true(both.together->schedule.ticks > calm + 10);
	both_end(&both);
}

/* Everything that the engine has, in domains of a row: nearly all is the last domain's. How many ticks domains made. */
static uint64_t
soup_check(uint64_t seed)
{
	struct soup soup;
	struct team team = { .hands = 2 + (unsigned)(seed % 5) };
	soup_make(&soup, seed, seed % 2 == 0);
	const uint64_t ticks = beside_check(&soup.scenario, &team, 1, soup.dt, soup.ticks < 40 ? soup.ticks : 40).ticks;
	soup_finish(&soup);
	return ticks;
}

static void
test_random_scenes(void **state)
{
	(void)state;
	uint64_t ticks = 0;
	for (uint64_t seed = 0; seed < soups_asked; seed++)
		ticks += soup_check(seed);
	assert_true(ticks > soups_asked / 4);
}

/* Random scenes that showed something wrong once. */
static void
test_scenes_found(void **state)
{
	static const uint64_t found[] = {
		632, /* a body that rested since the round before changed its cell within a domain, which did not have its supports */
	};
	(void)state;
	for (size_t i = 0; i < sizeof found / sizeof found[0]; i++)
		(void)soup_check(found[i]);
}

static void
test_the_limit_on_contacts_holds_in_domains(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 2 };
	scenario_init(&scenario);
	scene_gas(&scenario, 4000, 2 * 0.5 / dt, 5);
	const struct workers workers = { team_hands, team_run, &team, .bodies_min = 1, .rows_min = 20 };
	size_t contacts = 0;
	for (int pass = 0; pass < 3; pass++) { /* without a limit, at it, and over it by one */
		struct world *world;
		struct def_problem problem;
		struct tick_report report = { 0 };
		if (pass > 0)
			scenario.def.contacts_per_tick_max = contacts - (pass == 2);
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
		world_workers_set(world, &workers);
		assert_int_equal(world_step(world, dt, &report), pass < 2 ? STATUS_OK : STATUS_RESOURCE_EXHAUSTED);
		contacts = report.contact_count;
		world_destroy(world);
	}
	scenario_finish(&scenario);
}

static bool
asked(void *context)
{
	return ++*(unsigned *)context > 3;
}

static void
test_a_tick_in_domains_can_be_given_up(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 2 };
	scenario_init(&scenario);
	scene_gas(&scenario, 4000, 2 * 0.5 / dt, 5);
	const struct workers workers = { team_hands, team_run, &team, .bodies_min = 1, .rows_min = 20 };
	struct world *world;
	struct def_problem problem;
	struct tick_report report;
	unsigned questions = 0;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	world_workers_set(world, &workers);
	world_stop_set(world, asked, &questions);
	assert_int_equal(world_step(world, dt, &report), STATUS_CANCELLED);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* Steps a gas with at most that much memory, in domains if `workers`. Its hash after the ticks; 0: there was too little. */
static uint64_t
bounded_gas(struct scenario *scenario, const struct workers *workers, uint64_t most, struct partition_counts *counts)
{
	struct ledger ledger;
	struct def_problem problem;
	struct world *world;
	uint64_t hash = 0;
	ledger_init(&ledger, most);
	struct ledger *before = memory_enter(&ledger);
	if (world_create(scenario_def(scenario), &problem, &world) == STATUS_OK) {
		enum status status = STATUS_OK;
		world_workers_set(world, workers);
		for (int tick = 0; tick < 4 && status == STATUS_OK; tick++) {
			struct tick_report report;
			status = world_step(world, dt, &report);
		}
		hash = status == STATUS_OK ? world_hash(world) : 0;
		*counts = partition_counts(world);
		world_destroy(world);
	}
	(void)memory_enter(before);
	assert_int_equal(ledger_used(&ledger), 0);
	ledger_finish(&ledger);
	return hash;
}

/* Domains have memory of their own. A tick that finds too little of it is made by one thread: no scene needs more than it would
 * with one. */
static void
test_domains_do_without_memory(void **state)
{
	(void)state;
	struct scenario scenario;
	struct team team = { .hands = 4 };
	const struct workers none = { 0 }, workers = { team_hands, team_run, &team, .bodies_min = 1, .rows_min = 20 };
	struct partition_counts counts;
	const uint64_t step = quick || threads_few ? 1 << 17 : 16384;
	uint64_t most = step;
	uint64_t expected;
	bool short_of = false, in_domains = false;
	scenario_init(&scenario);
	scene_gas(&scenario, 3000, 0.5 * 0.5 / dt, 11);
	while (!(expected = bounded_gas(&scenario, &none, most, &counts)))
		most += step;
	for (; !in_domains; most += step) {
		if (bounded_gas(&scenario, &workers, most, &counts) != expected)
			fail_msg("%llu bytes are enough for one thread", (unsigned long long)most);
		short_of = short_of || counts.failed_ticks > 0;
		in_domains = counts.failed_ticks == 0 && counts.ticks > 0;
	}
	assert_true(short_of);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	quick = argc > 2 && strcmp(argv[2], "small") == 0;
	threads_few = argc > 2 && strcmp(argv[2], "few") == 0;
	threads_only = argc > 2 && strcmp(argv[2], "threads") == 0;
	if (argc > 1)
		soups_asked = strtoull(argv[1], NULL, 10);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_curved_paths_are_the_same_for_every_number_of_domains),
		cmocka_unit_test(test_a_blow_that_outruns_the_domains_is_put_right),
		cmocka_unit_test(test_a_clash_leaves_the_schedule_behind),
		cmocka_unit_test(test_domains_do_without_memory),
		cmocka_unit_test(test_random_scenes),
		cmocka_unit_test(test_the_limit_on_contacts_holds_in_domains),
		cmocka_unit_test(test_a_tick_in_domains_can_be_given_up),
	};
	const struct CMUnitTest larger[] = {
		cmocka_unit_test(test_a_gas_that_falls_and_comes_to_rest),
		cmocka_unit_test(test_scenes_found),
		cmocka_unit_test(test_gases_are_the_same_for_every_number_of_domains),
	};
	const struct CMUnitTest on_threads[] = {
		cmocka_unit_test(test_gases_are_the_same_on_threads),
		cmocka_unit_test(test_a_large_gas_is_the_same_on_threads),
		cmocka_unit_test(test_a_tube_is_the_same_on_threads),
		cmocka_unit_test(test_the_schedule_stays_whoever_makes_a_tick),
		cmocka_unit_test(test_ticks_that_stir_much_are_begun_side_by_side),
	};
	int failed = 0;
	if (!threads_only)
		failed += cmocka_run_group_tests(tests, NULL, NULL);
	if (!threads_only && !quick)
		failed += cmocka_run_group_tests(larger, NULL, NULL);
	if (!quick)
		failed += cmocka_run_group_tests(on_threads, NULL, NULL);
	return failed;
}
