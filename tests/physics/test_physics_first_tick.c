/* Overlap at the first tick, however it came about: a world remembers from when it was made that nothing overlaps, and looks at
 * few bodies without its grid. Neither may ever show. */
#include "physics/scenario.h"

#include "support/random.h"

#include <string.h>

static const double dt = 1.0 / 60;

/* Some that overlap, thrown at random into a corner. */
static void
crowd_add(struct scenario *scenario, uint64_t seed, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		const double x = 1.2 + 9 * random_between(&seed, 0, 1), y = 1.2 + 9 * random_between(&seed, 0, 1);
		scenario_circle(scenario, x, y, random_between(&seed, -9, 9), 0, 0.5 + 0.5 * random_between(&seed, 0, 1));
	}
}

static struct tick_report
step(struct world *world)
{
	struct tick_report report;
	assert_int_equal(world_step(world, dt, &report), STATUS_OK);
	return report;
}

/* A crowd by itself, and with so many others far away that the grid is asked: the same bits. */
static void
test_few_bodies_or_many(void **state)
{
	enum { CROWD = 14, OTHERS = 80, TICKS = 20 };
	size_t pushed = 0;
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct scenario few, many;
		scenario_init(&few);
		scenario_init(&many);
		crowd_add(&few, seed, CROWD);
		crowd_add(&many, seed, CROWD);
		for (int i = 0; i < OTHERS; i++)
			scenario_circle(&many, 1000 + 3 * (i % 10), 1000 + 3 * (i / 10), 0, 0, 1);
		struct world *alone = scenario_world(&few), *among = scenario_world(&many);
		for (int tick = 0; tick < TICKS; tick++) {
			const struct tick_report report = step(alone), other = step(among);
			pushed += tick == 0 ? report.path_change_count : 0;
			assert_int_equal(report.path_change_count, other.path_change_count);
			assert_int_equal(report.shortfall_count, other.shortfall_count);
			for (size_t i = 0; i < CROWD; i++) {
				const struct body_state a = world_body(alone, i), b = world_body(among, i);
				assert_same(a.x, b.x);
				assert_same(a.y, b.y);
				assert_same(a.vx, b.vx);
				assert_same(a.vy, b.vy);
			}
		}
		world_destroy(alone);
		world_destroy(among);
		scenario_finish(&few);
		scenario_finish(&many);
	}
	assert_true(pushed > 100);
}

/* Nothing overlaps when the world is made; then, before its first tick, something does. */
static void
test_spawned_into_another_before_the_first_tick(void **state)
{
	(void)state;
	struct scenario before, whole;
	scenario_init(&before);
	scenario_circle(&before, 0, 0, 0, 0, 1);
	scenario_circle(&before, 10, 0, 0, 0, 1);
	scenario_init(&whole);
	scenario_circle(&whole, 0, 0, 0, 0, 1);
	scenario_circle(&whole, 10, 0, 0, 0, 1);
	const struct circle_def late = *scenario_circle(&whole, 1.5, 0, 0, 0, 1);
	struct world *edited = scenario_world(&before), *made = scenario_world(&whole);
	const struct edit edit = edit_circle_spawn(&late);
	struct def_problem problem;
	assert_int_equal(world_edit(edited, &edit, 1, &problem), STATUS_OK);
	const struct tick_report report = step(edited);
	(void)step(made);
	assert_int_equal(report.path_change_count, 2);
	assert_int_equal(report.path_changes[0].kind, PATH_PUSHED);
	assert_true(world_hash(edited) == world_hash(made));
	world_destroy(edited);
	world_destroy(made);
	scenario_finish(&before);
	scenario_finish(&whole);
}

/* Walls that move have lists of their own. */
static void
test_made_inside_a_moving_wall(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0.5, 0, 0, 1);
	scenario_segment(&scenario, -5, 0, 5, 0)->vx = 1;
	struct world *world = scenario_world(&scenario);
	const struct tick_report report = step(world);
	assert_int_equal(report.path_change_count, 1);
	assert_int_equal(report.path_changes[0].kind, PATH_PUSHED);
	assert_true(world_body(world, 0).y >= 1);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_few_bodies_or_many),
		cmocka_unit_test(test_spawned_into_another_before_the_first_tick),
		cmocka_unit_test(test_made_inside_a_moving_wall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
