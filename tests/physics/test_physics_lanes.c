/* The resting solver's loops over contacts, two at once and four at once, and the one over bodies at a tick's end, for any
 * machine and with AVX2. Worlds that differ in nothing else stay equal, bit by bit and ledger by ledger. solver_kernels_best
 * and finish_span_best are replaced by the linker's --wrap, so that nothing in the engine is there for this test. On a machine
 * that has only one way both are that, and the test says so. */
#include "physics/phases/finish_kernels.h"
#include "physics/rest_solver/solver_kernels.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <string.h>

enum { TICKS_MAX = 30 };

static const struct solver_kernels *way;

const struct solver_kernels *__real_solver_kernels_best(void);
const struct solver_kernels *__wrap_solver_kernels_best(void);

const struct solver_kernels *
__wrap_solver_kernels_best(void)
{
	return way;
}

static finish_span_fn *finish;

finish_span_fn *__real_finish_span_best(void);
finish_span_fn *__wrap_finish_span_best(void);

finish_span_fn *
__wrap_finish_span_best(void)
{
	return finish;
}

static struct world *
world_of(struct scenario *scenario)
{
	struct def_problem problem;
	struct world *world = NULL;
	return world_create(scenario_def(scenario), &problem, &world) == STATUS_OK ? world : NULL;
}

/* The handover asks for its way in the first tick that needs one, or after an edit. */
static void
step_by(bool plain, struct world *world, double dt, struct tick_report *report)
{
	way = plain ? &solver_generic : __real_solver_kernels_best();
	finish = plain ? finish_span_plain : __real_finish_span_best();
	assert_int_equal(world_step(world, dt, report), STATUS_OK);
}

/* Steps two worlds of a scenario; how often the solver drove a body. */
static size_t
ways_compare(struct scenario *scenario, double dt, uint64_t ticks)
{
	struct world *plain = world_of(scenario), *best = world_of(scenario);
	size_t led = 0;
	for (uint64_t tick = 0; plain && best && tick < ticks; tick++) {
		struct tick_report a, b;
		step_by(true, plain, dt, &a);
		step_by(false, best, dt, &b);
		assert_true(world_hash(plain) == world_hash(best));
		assert_memory_equal(&a.energy, &b.energy, sizeof a.energy);
		assert_memory_equal(&a.momentum, &b.momentum, sizeof a.momentum);
		assert_true(a.events == b.events && a.clips == b.clips);
		assert_int_equal(a.path_change_count, b.path_change_count);
		for (size_t i = 0; i < a.path_change_count; i++) {
			assert_int_equal(a.path_changes[i].body, b.path_changes[i].body);
			assert_int_equal(a.path_changes[i].kind, b.path_changes[i].kind);
			assert_memory_equal(a.path_changes[i].vector, b.path_changes[i].vector, sizeof a.path_changes[i].vector);
			led += a.path_changes[i].kind == PATH_LED;
		}
	}
	world_destroy(plain);
	world_destroy(best);
	return led;
}

static void
test_soups_are_the_same(void **state)
{
	(void)state;
	size_t with_led = 0;
	for (uint64_t seed = 1; seed <= effort(12, 100); seed++) {
		struct soup soup;
		soup_make(&soup, seed, seed % 4 == 0);
		with_led += ways_compare(&soup.scenario, soup.dt, soup.ticks < TICKS_MAX ? soup.ticks : TICKS_MAX) > 0;
		soup_finish(&soup);
	}
	assert_true(with_led >= effort(1, 6));
}

/* Groups of every filling: islands of a few circles and of hundreds, with contacts that come and go. */
static void
test_piles_are_the_same(void **state)
{
	(void)state;
	const struct {
		size_t count;
		double width, friction, smallest, restitution;
	} piles[] = { { 12, 30, 0.5, 0.5, 0.0 }, { 40, 6, 0.5, 0.125, 0.0 }, { 80, 10, 0.2, 0.5, 0.3 } };
	for (size_t i = 0; i < sizeof piles / sizeof *piles; i++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_pile(&scenario, piles[i].count, piles[i].width, piles[i].friction, piles[i].smallest, i + 1);
		if (piles[i].restitution > 0.0)
			scenario_restitution(&scenario, piles[i].restitution);
		assert_true(ways_compare(&scenario, 1.0 / 60.0, 90) > 100);
		scenario_finish(&scenario);
	}
}

/* Most of a gas flies on: the solver drives none, and two that do so side by side are moved at once. With gravity and without.
 * */
static void
test_gases_are_the_same(void **state)
{
	(void)state;
	for (int gravity = 0; gravity < 2; gravity++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas(&scenario, 301, 3.0, 7);
		scenario.def.gravity_y = -9.81 * gravity;
		assert_int_equal(ways_compare(&scenario, 1.0 / 60.0, 120), 0);
		scenario_finish(&scenario);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gases_are_the_same),
		cmocka_unit_test(test_soups_are_the_same),
		long_case(test_piles_are_the_same),
	};
	if (__real_solver_kernels_best() == &solver_generic && __real_finish_span_best() == finish_span_plain)
		print_message("this machine has one way only\n");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
