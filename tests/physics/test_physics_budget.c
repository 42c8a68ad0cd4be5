/* The counted work of a tick: it is never more than was given, whatever the scene; what it cuts short is parked and told. The
 * same is cut short with any threads, any order of definition and after a restore. */
#include "physics/scenes.h"
#include "physics/self_check.h"

#include "jobs/pool.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

/* --- the scenes that took seconds --- */

static void
scene_rough_and_fast(struct scenario *scenario)
{
	scenario_init(scenario);
	scene_gas(scenario, 64, 1e7, 3);
	scenario_restitution(scenario, 0.9999);
	for (size_t i = 0; i < scenario->circle_count; i++)
		scenario->circles[i].friction = 0.5;
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].friction = 0.5;
}

/* 64 in touching rows of eight, heavy and light in turns, struck by one. */
static void
scene_touching(struct scenario *scenario, double heavy)
{
	scenario_init(scenario);
	for (size_t i = 0; i < 64; i++) {
		const double row = (double)(i / 8), column = (double)(i % 8) + 0.5 * (double)(i / 8 % 2);
		scenario_circle(scenario, column, row * sqrt(0.75), 0, 0, 0.5)->mass = i % 2 ? heavy : 1 / heavy;
	}
	scenario_circle(scenario, -3, 3.1, 1e6, 0, 0.5);
	scenario_box(scenario, -5, -5, 15, 15);
}

static void
scene_long_fall(struct scenario *scenario)
{
	scenario_init(scenario);
	scene_gas(scenario, 64, 1, 5);
	scenario_restitution(scenario, 0.5);
	scenario->def.gravity_y = -10;
}

static size_t
told_count(const struct tick_report *report, uint32_t flag)
{
	size_t count = 0;
	for (size_t i = 0; i < report->shortfall_count; i++)
		count += report->shortfalls[i].flag == flag;
	return count;
}

/* What the scenes take is bounded by the defaults; that it would be more, by the same scenes without a bound. */
static void
assert_takes_more(struct scenario *scenario, double step)
{
	const struct world_def usual = world_def_default();
	const uint64_t most = usual.work_per_tick_max + usual.work_per_body_max * scenario->circle_count;
	struct run run;
	scenario->def.work_per_tick_max = 10 * most;
	run_start_uncertified(&run, scenario);
	run_ticks_unlogged(&run, step, 1);
	assert_true(run.report.work > most);
	run_finish(&run);
	scenario->def.work_per_tick_max = usual.work_per_tick_max;
}

/* Some ticks, each certified: within the work, and BUDGET told where that was used up. Returns the ticks that were cut. */
static int
bounded_run(struct scenario *scenario, double step, int ticks, double gain_most)
{
	struct run run;
	int cut = 0;
	run_start(&run, scenario);
	const double energy = run_energy(&run, scenario);
	for (int tick = 0; tick < ticks; tick++) {
		run_ticks(&run, step, 1);
		assert_true(run.report.work <= run.report.work_max);
		cut += told_count(&run.report, BODY_FLAG_BUDGET) > 0;
		assert_at_most(run_energy(&run, scenario) / energy, gain_most);
	}
	run_finish(&run);
	scenario_finish(scenario);
	return cut;
}

static void
test_rough_circles_at_1e7_are_bounded(void **state)
{
	(void)state;
	struct scenario scenario;
	scene_rough_and_fast(&scenario);
	assert_takes_more(&scenario, dt);
	assert_true(bounded_run(&scenario, dt, 3, 1 + 1e-9) > 0);
}

static void
test_touching_circles_of_masses_1e_12_and_1e12_are_bounded(void **state)
{
	(void)state;
	struct scenario scenario;
	scene_touching(&scenario, 1e12);
	assert_takes_more(&scenario, dt);
	assert_true(bounded_run(&scenario, dt, 3, 1 + 1e-9) > 0);
}

static void
test_balls_in_a_tick_of_ten_seconds_are_bounded(void **state)
{
	(void)state;
	struct scenario scenario;
	scene_long_fall(&scenario);
	(void)bounded_run(&scenario, 10, 3, INFINITY);
}

/* --- the limit --- */

/* The balls that are parked in a tick, and when, by its path changes. */
static size_t
parked_count(const struct tick_report *report)
{
	size_t count = 0;
	for (size_t i = 0; i < report->path_change_count; i++)
		count += report->path_changes[i].kind == PATH_PARKED;
	return count;
}

/* One tick with so much work and none by the number of bodies. */
static struct tick_report
tick_with(struct scenario *scenario, struct run *run, uint64_t work)
{
	scenario->def.work_per_body_max = 1;
	scenario->def.work_per_tick_max = work - scenario->circle_count;
	run_start(run, scenario);
	run_ticks(run, dt, 1);
	assert_int_equal(run->report.work_max, work);
	assert_true(run->report.work <= work);
	return run->report;
}

/* With as much as a tick takes nothing is cut; with one unit less its last event is, and nothing else before it. */
static void
test_the_limit_is_reached_and_not_passed(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 5; seed++) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		scene_gas(&scenario, 100, 30 * 0.5 / dt, seed);
		const struct tick_report whole = tick_with(&scenario, &run, 1000000000);
		assert_int_equal(parked_count(&whole), 0);
		const struct contact last = run.contacts[run.contact_count - 1].contact;
		const size_t contacts = run.contact_count;
		run_finish(&run);

		const struct tick_report exact = tick_with(&scenario, &run, whole.work);
		assert_int_equal(exact.work, whole.work);
		assert_int_equal(exact.shortfall_count, 0);
		assert_int_equal(run.contact_count, contacts);
		run_finish(&run);

		const struct tick_report less = tick_with(&scenario, &run, whole.work - 1);
		assert_true(run.contact_count < contacts);
		assert_true(parked_count(&less) > 0);
		for (size_t i = 0; i < less.path_change_count; i++)
			assert_true(less.path_changes[i].time >= last.time);
		const struct shortfall *told = run_shortfall(&run, last.a, BODY_FLAG_BUDGET);
		assert_non_null(told);
		assert_double_near(told->amount, 1 - last.time / dt, 1e-12);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A parked body keeps its velocity, and goes on with the next tick. */
static void
test_who_is_parked_keeps_its_velocity(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	/* Two head-on, half a tick from each other, and one that meets nothing. */
	scenario_circle(&scenario, -1, 0, 1, 0, 0.5);
	scenario_circle(&scenario, 1, 0, -1, 0, 0.5);
	scenario_circle(&scenario, 0, 9, 3, 0, 0.5);
	scenario.def.work_per_tick_max = scenario.def.work_per_body_max = 1;
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	assert_same(run_body(&run, 0).vx, 1);
	assert_same(run_body(&run, 1).vx, -1);
	assert_double_near(run_body(&run, 1).x - run_body(&run, 0).x, 1, 1e-8);
	assert_double_near(run_shortfall(&run, 0, BODY_FLAG_BUDGET)->amount, 0.5, 1e-8);
	assert_double_near(run_shortfall(&run, 1, BODY_FLAG_BUDGET)->amount, 0.5, 1e-8);
	assert_null(run_shortfall(&run, 2, BODY_FLAG_BUDGET));
	assert_same(run_body(&run, 2).x, 3);
	assert_int_equal(run.report.work, 0);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* A cluster that is cut in the midst of its reflections keeps the energy of its elastic contacts, and what they told. */
static void
test_a_cut_cluster_keeps_its_energy(void **state)
{
	(void)state;
	int cut = 0;
	for (uint64_t work = 300; work < 40000; work = work * 5 / 4) {
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		for (size_t i = 0; i < 36; i++)
			scenario_circle(&scenario, (double)(i % 6) + 0.5 * (double)(i / 6 % 2), (double)(i / 6) * sqrt(0.75) * (1 + 1e-9),
			                0, 0, 0.5)
				->mass = i % 2 ? 10 : 0.1;
		scenario_circle(&scenario, -3, 2.1, 1000, 10, 0.5);
		scenario.def.work_per_body_max = 1;
		scenario.def.work_per_tick_max = work;
		run_start(&run, &scenario);
		const double energy = run_energy(&run, &scenario);
		for (int tick = 0; tick < 4; tick++) {
			run_ticks(&run, dt, 1);
			assert_true(run.report.work <= run.report.work_max);
			assert_double_near(run_energy(&run, &scenario) / energy, 1, 1e-12);
			cut += told_count(&run.report, BODY_FLAG_BUDGET) > 0;
		}
		run_finish(&run);
		scenario_finish(&scenario);
	}
	assert_true(cut > 10);
}

/* Piles that the solver has no sweeps for: nothing overlaps, each body is told, no energy comes of it. */
static void
test_piles_without_sweeps_do_not_overlap(void **state)
{
	(void)state;
	static const uint64_t works[] = { 1, 1000, 3000, 10000 };
	for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
		struct scenario scenario;
		struct run run;
		size_t told = 0;
		scenario_init(&scenario);
		scene_pile(&scenario, 150, 10, k % 2 ? 0.4 : 0, 1, k);
		scenario.def.work_per_body_max = 1;
		scenario.def.work_per_tick_max = works[k];
		run_start(&run, &scenario);
		for (int tick = 0; tick < 240; tick++) {
			run_ticks_unlogged(&run, dt, 1);
			assert_true(run.report.work <= run.report.work_max);
			told += told_count(&run.report, BODY_FLAG_BUDGET);
			for (size_t i = 0; i < run.report.shortfall_count; i++)
				assert_true(run.report.shortfalls[i].amount > 0 && run.report.shortfalls[i].amount <= 1);
		}
		assert_true(told > 0);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* A pile in a tick of 1,024 substeps, with work for some of them: then the pile is parked, and no substep more is made for it.
 */
static void
test_no_part_is_made_without_work(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 64, 10, 0.5, 1, 1);
	scenario.def.work_per_body_max = 1;
	scenario.def.work_per_tick_max = 100000;
	run_start(&run, &scenario);
	for (int tick = 0; tick < 3; tick++) {
		double led = 0, parked = INFINITY;
		run_ticks_unlogged(&run, 40, 1);
		assert_true(run.report.work <= run.report.work_max);
		for (size_t i = 0; i < run.report.path_change_count; i++) {
			const struct path_change *change = &run.report.path_changes[i];
			if (change->kind == PATH_LED)
				led = fmax(led, change->time);
			else if (change->kind == PATH_PARKED)
				parked = fmin(parked, change->time);
		}
		assert_true(parked < 40);
		assert_true(led <= parked);
		assert_true(told_count(&run.report, BODY_FLAG_BUDGET) > 0);
	}
	run_finish(&run);
	scenario_finish(&scenario);
}

/* --- the same for any threads and order --- */

/* What happens to a scene of a kind, with little work. */
static void
scene_of_kind(struct scenario *scenario, int kind, uint64_t seed)
{
	switch (kind) {
	case 0: scene_rough_and_fast(scenario); break;
	case 1: scene_touching(scenario, 1e12); break;
	case 2: scene_long_fall(scenario); break;
	case 3:
		scenario_init(scenario);
		scene_pile(scenario, 150, 10, 0.4, 1, seed);
		break;
	default:
		scenario_init(scenario);
		scene_mixed(scenario, 24, 200, seed);
		scenario->def.gravity_y = -50;
		break;
	}
	scenario->def.work_per_body_max = 1;
	scenario->def.work_per_tick_max = kind == 3 ? 20000 : kind == 4 ? 500 : 3000;
}

enum { KINDS = 5 };

/* Steps both; every row of every report is the same. Returns the parked. */
static size_t
beside_run(struct world *one, struct world *other, double step, int ticks)
{
	size_t parked = 0;
	for (int tick = 0; tick < ticks; tick++) {
		struct tick_report a, b;
		struct difference difference;
		assert_int_equal(world_step(one, step, &a), STATUS_OK);
		assert_int_equal(world_step(other, step, &b), STATUS_OK);
		if (!reports_compare(&a, &b, &difference))
			fail_msg("tick %d: %s", tick, difference.text);
		assert_int_equal(a.work, b.work);
		assert_int_equal(world_hash(one), world_hash(other));
		parked += told_count(&a, BODY_FLAG_BUDGET);
	}
	return parked;
}

static void
test_the_same_are_parked_in_any_order_of_definition(void **state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		struct scenario scenario;
		scene_of_kind(&scenario, kind, 1);
		struct world *one = scenario_world(&scenario);
		uint64_t random = 1;
		for (size_t i = scenario.circle_count; i > 1; i--) {
			const size_t k = (size_t)random_below(&random, i);
			const struct circle_def swap = scenario.circles[k];
			scenario.circles[k] = scenario.circles[i - 1];
			scenario.circles[i - 1] = swap;
		}
		struct world *other = scenario_world(&scenario);
		assert_true(beside_run(one, other, kind == 2 ? 10 : dt, kind == 3 ? 120 : 8) > 0);
		world_destroy(one);
		world_destroy(other);
		scenario_finish(&scenario);
	}
}

static void
test_the_same_are_parked_after_a_restore(void **state)
{
	(void)state;
	for (int kind = 0; kind < KINDS; kind++) {
		struct scenario scenario;
		struct tick_report report;
		struct snapshot_problem problem;
		scene_of_kind(&scenario, kind, 2);
		struct world *one = scenario_world(&scenario), *other;
		for (int tick = 0; tick < (kind == 3 ? 40 : 2); tick++)
			assert_int_equal(world_step(one, kind == 2 ? 10 : dt, &report), STATUS_OK);
		const size_t size = world_snapshot_bytes(one);
		void *bytes = malloc(size);
		assert_non_null(bytes);
		assert_int_equal(world_snapshot(one, bytes, size), STATUS_OK);
		assert_int_equal(world_restore(bytes, size, 0, &problem, &other), STATUS_OK);
		assert_true(beside_run(one, other, kind == 2 ? 10 : dt, kind == 3 ? 80 : 6) > 0);
		free(bytes);
		world_destroy(one);
		world_destroy(other);
		scenario_finish(&scenario);
	}
}

struct team {
	struct pool *pool;
	unsigned hands;
};

static unsigned
team_hands(void *context)
{
	return ((struct team *)context)->hands;
}

static void
team_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	pool_share(((struct team *)context)->pool, count, piece, argument);
}

/* A gas large enough for domains, with work for so much of a tick: 1, 2 and 8 threads. */
static void
test_the_same_are_parked_by_1_2_and_8_threads(void **state)
{
	(void)state;
	static const unsigned hands[] = { 1, 2, 8 };
	static const double shares[] = { 0.25, 0.9, 1, 2 };
	for (size_t k = 0; k < sizeof hands / sizeof *hands; k++) {
		struct team team = { .hands = hands[k] };
		const struct workers workers = { team_hands, team_run, &team, .bodies_min = 1, .rows_min = 20 };
		if (hands[k] > 1)
			assert_int_equal(pool_create_helpers(hands[k] - 1, &team.pool), STATUS_OK);
		for (size_t n = 0; n < sizeof shares / sizeof *shares; n++) {
			struct scenario scenario;
			struct tick_report report;
			scenario_init(&scenario);
			scene_gas(&scenario, 3000, 0.5 / dt, 7);
			struct world *whole = scenario_world(&scenario);
			assert_int_equal(world_step(whole, dt, &report), STATUS_OK);
			world_destroy(whole);
			scenario.def.work_per_body_max = 1;
			scenario.def.work_per_tick_max = (uint64_t)(shares[n] * (double)report.work) - scenario.circle_count;
			struct world *alone = scenario_world(&scenario), *together = scenario_world(&scenario);
			world_workers_set(together, &workers);
			const size_t parked = beside_run(alone, together, dt, 6);
			assert_int_equal(parked > 0, shares[n] < 1.5);
			world_destroy(alone);
			world_destroy(together);
			scenario_finish(&scenario);
		}
		assert_true(!team.pool || pool_stop(team.pool, 60000));
		pool_destroy(team.pool, NULL);
	}
}

/* Small scenes of every kind, in domains of a row each. */
static void
test_the_same_of_every_kind_are_parked_by_2_and_8_threads(void **state)
{
	static const unsigned hands[] = { 2, 8 };

	(void)state;
	for (size_t k = 0; k < sizeof hands / sizeof *hands; k++) {
		struct team team = { .hands = hands[k] };
		const struct workers workers = { team_hands, team_run, &team, .bodies_min = 1, .rows_min = 1 };
		assert_int_equal(pool_create_helpers(hands[k] - 1, &team.pool), STATUS_OK);
		for (int kind = 0; kind < KINDS; kind++) {
			struct scenario scenario;
			scene_of_kind(&scenario, kind, 3);
			struct world *alone = scenario_world(&scenario), *together = scenario_world(&scenario);
			world_workers_set(together, &workers);
			assert_true(beside_run(alone, together, kind == 2 ? 10 : dt, kind == 3 ? 120 : 8) > 0);
			world_destroy(alone);
			world_destroy(together);
			scenario_finish(&scenario);
		}
		assert_true(pool_stop(team.pool, 60000));
		pool_destroy(team.pool, NULL);
	}
}

/* --- scenes that never meet it --- */

static double rooms_asked = 400;

/* Rooms of up to 64 bodies, up to 100 radii a tick and of one temperature, so that none gets much faster. Masses within 1 :
 * 10,000, restitutions from .5, with friction and without, with gravity and without. */
static void
test_rooms_never_meet_the_limit(void **state)
{
	(void)state;
	double most = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)rooms_asked; seed++) {
		struct scenario scenario;
		struct tick_report report;
		uint64_t random = seed;
		scenario_init(&scenario);
		scene_gas(&scenario, 1 + random_below(&random, 64), random_between(&random, 0, 100) * 0.5 / dt, seed);
		const double masses = random_between(&random, 0, log(1e4)), friction = random_below(&random, 2) ? 0.5 : 0;
		scenario_restitution(&scenario, random_below(&random, 3) ? 1 : random_between(&random, 0.5, 1));
		scenario.def.gravity_y = random_below(&random, 2) ? -10 : 0;
		for (size_t i = 0; i < scenario.circle_count; i++) {
			scenario.circles[i].mass = exp(random_between(&random, 0, masses));
			scenario.circles[i].friction = friction;
			scenario.circles[i].vx /= sqrt(scenario.circles[i].mass);
			scenario.circles[i].vy /= sqrt(scenario.circles[i].mass);
		}
		struct world *world = scenario_world(&scenario);
		for (int tick = 0; tick < 6; tick++) {
			assert_int_equal(world_step(world, dt, &report), STATUS_OK);
			assert_int_equal(told_count(&report, BODY_FLAG_BUDGET), 0);
			most = fmax(most, (double)report.work / (double)report.work_max);
		}
		world_destroy(world);
		scenario_finish(&scenario);
	}
	print_message("rooms: at most %.3g of the work\n", most);
	assert_at_most(most, 0.95);
}

static void
test_a_collapsing_pile_never_meets_the_limit(void **state)
{
	(void)state;
	struct scenario scenario;
	struct tick_report report;
	double most = 0;
	scenario_init(&scenario);
	scene_pile(&scenario, 5000, 60, 0.5, 1, 1);
	struct world *world = scenario_world(&scenario);
	for (int tick = 0; tick < 150; tick++) {
		assert_int_equal(world_step(world, dt, &report), STATUS_OK);
		assert_int_equal(told_count(&report, BODY_FLAG_BUDGET), 0);
		most = fmax(most, (double)report.work / (double)report.work_max);
	}
	print_message("pile: at most %.3g of the work\n", most);
	assert_at_most(most, 0.5);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		rooms_asked = strtod(argv[1], NULL);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rough_circles_at_1e7_are_bounded),
		cmocka_unit_test(test_touching_circles_of_masses_1e_12_and_1e12_are_bounded),
		cmocka_unit_test(test_balls_in_a_tick_of_ten_seconds_are_bounded),
		cmocka_unit_test(test_the_limit_is_reached_and_not_passed),
		cmocka_unit_test(test_who_is_parked_keeps_its_velocity),
		cmocka_unit_test(test_a_cut_cluster_keeps_its_energy),
		cmocka_unit_test(test_piles_without_sweeps_do_not_overlap),
		cmocka_unit_test(test_no_part_is_made_without_work),
		cmocka_unit_test(test_the_same_are_parked_in_any_order_of_definition),
		cmocka_unit_test(test_the_same_are_parked_after_a_restore),
		cmocka_unit_test(test_the_same_are_parked_by_1_2_and_8_threads),
		cmocka_unit_test(test_the_same_of_every_kind_are_parked_by_2_and_8_threads),
		cmocka_unit_test(test_rooms_never_meet_the_limit),
		cmocka_unit_test(test_a_collapsing_pile_never_meets_the_limit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
