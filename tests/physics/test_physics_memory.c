/* A tick that is no larger than those before it allocates nothing, and frees nothing. This program has malloc and its kin of
 * its own, which count and hand on to those of the C library. Its own calls, such as a sort's, are counted too. Not built with
 * a sanitizer, which has them itself. */
#include "physics/scenario.h"

#include "physics/keep.h"
#include "physics/scenes.h"
#include "support/effort.h"

#include <stdlib.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);

static bool counting;
static uint64_t calls;

void *
malloc(size_t size)
{
	calls += counting;
	return __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	calls += counting;
	return __libc_calloc(count, size);
}

void *
realloc(void *memory, size_t size)
{
	calls += counting;
	return __libc_realloc(memory, size);
}

void *
aligned_alloc(size_t alignment, size_t size)
{
	calls += counting;
	return __libc_memalign(alignment, size);
}

void
free(void *memory)
{
	calls += counting && memory;
	__libc_free(memory);
}

static const double dt = 1.0 / 60;

/* Gives the calls within the ticks. */
static uint64_t
steps_count(struct world *world, int ticks)
{
	const uint64_t before = calls;
	for (int i = 0; i < ticks; i++) {
		struct tick_report report;
		counting = true;
		const enum status status = world_step(world, dt, &report);
		counting = false;
		assert_int_equal(status, STATUS_OK);
	}
	return calls - before;
}

static struct world *
world_of(struct scenario *scenario)
{
	struct world *world = scenario_world(scenario);
	scenario_finish(scenario);
	return world;
}

/* Ticks to warm up, then as many without one call. */
static void
stays_silent_with(struct scenario *scenario, const struct workers *workers, int warm, int ticks)
{
	struct world *world = world_of(scenario);
	world_workers_set(world, workers);
	/* Else it counts nothing. */
	assert_true(steps_count(world, warm) > 0);
	assert_int_equal(steps_count(world, ticks), 0);
	world_destroy(world);
}

static void
stays_silent(struct scenario *scenario, int warm, int ticks)
{
	stays_silent_with(scenario, NULL, warm, ticks);
}

static void
test_a_gas(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 1000, 6, 3);
	stays_silent(&scenario, 200, 300);
}

static void
test_a_gas_in_domains(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 2000, 20, 3);
	stays_silent_with(&scenario, &workers_in_turn, (int)effort(100, 400), (int)effort(50, 200));
}

/* Those that fly off make the grid be laid anew, with more cells as long as there is a bound for them to reach. */
static void
flies_apart(struct scenario *scenario, int warm)
{
	uint64_t random = 4;
	for (int i = 0; i < 400; i++) {
		const double vx = random_between(&random, -20, 20), vy = random_between(&random, -20, 20);
		scenario_circle(scenario, 60 + i % 20 * 0.9, i / 20 * 0.9, vx, vy, 0.4);
	}
	stays_silent(scenario, warm, 400);
}

static void
test_a_mixed_gas_that_flies_apart(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas_mixed(&scenario, 500, 20, 6, 3);
	flies_apart(&scenario, 300);
}

/* Several levels of cells. */
static void
test_a_gas_with_a_few_large_that_flies_apart(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas_sizes(&scenario, 500, 8, 20, 6, 3);
	flies_apart(&scenario, 400);
}

static void
test_a_map(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_bullets(&scenario, 100, 3);
	stays_silent(&scenario, (int)effort(30, 60), (int)effort(20, 60));
}

static void
test_a_pile(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 300, 12, 0.5, 0.25, 3);
	stays_silent(&scenario, (int)effort(300, 900), (int)effort(100, 300));
}

/* Contacts of many at once, with restitution 0 and without: large clusters and small ones in turn. */
static void
test_clusters(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_mixed(&scenario, 30, 20, 5);
	scenario.def.gravity_y = -10;
	scenario_restitution(&scenario, 0.5);
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].friction = 0.3;
	stays_silent(&scenario, 900, 300);
}

/* Asleep, woken by a kick, asleep again, over and over. The kicks are edits; those may allocate. */
static void
test_sleep_and_wakes(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 60, 10, 0.5, 1, 3);
	scenario.def.sleep_after = 0.2;
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].rolling_resistance = 0.1;
	struct world *world = world_of(&scenario);
	struct circle_def kicked = circle_def_default();
	uint64_t late = 0;
	size_t slept = 0;
	kicked.vy = 3;
	for (int round = 0; round < 12; round++) {
		const struct edit edit = edit_circle_change(&kicked, edit_field(DEF_CIRCLE_VY));
		struct def_problem problem;
		kicked.id = (uint32_t)round;
		const uint64_t count = steps_count(world, 300);
		late += round >= 6 ? count : 0;
		slept += world_body(world, 0).asleep;
		assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
	}
	assert_int_equal(late, 0);
	assert_true(slept > 3);
	world_destroy(world);
}

/* Velocities given in every tick, as a player does. */
static void
test_velocities_are_given(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 50, 6, 3);
	struct world *world = world_of(&scenario);
	uint64_t late = 0;
	for (int i = 0; i < 200; i++) {
		struct circle_def a = world_circle(world, 7), b = world_circle(world, 3);
		struct def_problem problem;
		a.vx = 3 + i % 2;
		b.vy = 1 + i % 3;
		const struct edit edits[] = { edit_circle_change(&a, edit_field(DEF_CIRCLE_VX)),
			                          edit_circle_change(&b, edit_field(DEF_CIRCLE_VY)) };
		const uint64_t before = calls;
		counting = true;
		assert_int_equal(world_edit(world, edits, 2, &problem), STATUS_OK);
		counting = false;
		late += i >= 1 ? calls - before : 0;
		(void)steps_count(world, 1);
	}
	assert_int_equal(late, 0);
	world_destroy(world);
}

/* There and back again, over and over: a heap that rests and a gas, with sensors and touches told. */
static void
test_keep_and_return(void **state)
{
	(void)state;
	for (int pile = 0; pile < 2; pile++) {
		struct scenario scenario;
		scenario_init(&scenario);
		if (pile)
			scene_pile(&scenario, 60, 8, 0.5, 1, 3);
		else
			scene_gas(&scenario, 60, 6, 3);
		scenario.def.events = WORLD_EVENTS_TOUCH;
		scenario.circles[7].sensor = true;
		struct world *world = world_of(&scenario);
		struct world_kept *kept = NULL;
		uint64_t late = 0;
		assert_int_equal(world_kept_create(&kept), STATUS_OK);
		(void)steps_count(world, 200);
		for (int i = 0; i < 60; i++) {
			const uint64_t before = calls;
			counting = true;
			const enum status status = i % 3 == 0 ? world_keep(world, kept) : world_return(world, kept);
			counting = false;
			assert_int_equal(status, STATUS_OK);
			late += i >= 20 ? calls - before : 0;
			(void)steps_count(world, 8);
		}
		assert_true(late <= (pile ? 2 : 0)); /* a heap's list of near pairs may still grow */
		world_kept_destroy(kept);
		world_destroy(world);
	}
}

/* Guests of one workspace, each of which has a size of its own. */
static void
test_rooms_in_a_workspace(void **state)
{
	(void)state;
	struct workspace *workspace;
	struct world *worlds[12];
	uint64_t late = 0;
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	for (size_t i = 0; i < 12; i++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_gas(&scenario, 8 + 30 * i, 6, 3 + i);
		worlds[i] = world_of(&scenario);
		world_workspace_set(worlds[i], workspace);
	}
	for (int tick = 0; tick < 300; tick++)
		for (size_t i = 0; i < 12; i++)
			late += steps_count(worlds[i], 1) * (tick >= 200);
	assert_int_equal(late, 0);
	for (size_t i = 0; i < 12; i++)
		world_destroy(worlds[i]);
	workspace_destroy(workspace);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_gas),
		cmocka_unit_test(test_a_gas_in_domains),
		cmocka_unit_test(test_a_mixed_gas_that_flies_apart),
		cmocka_unit_test(test_a_gas_with_a_few_large_that_flies_apart),
		cmocka_unit_test(test_a_map),
		cmocka_unit_test(test_a_pile),
		cmocka_unit_test(test_clusters),
		cmocka_unit_test(test_sleep_and_wakes),
		cmocka_unit_test(test_velocities_are_given),
		cmocka_unit_test(test_keep_and_return),
		cmocka_unit_test(test_rooms_in_a_workspace),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
