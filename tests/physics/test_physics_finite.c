/* A world with a state that is not finite fails at that tick, and says which circle and field. Nothing that a client may ask
 * for leads there, so the states are spoilt in the world's own columns. */
#include "physics/scenario.h"
#include "physics/world/world.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const double dt = 1.0 / 60;

/* Forty circles, ids 100, 102, ..., that are far from each other. Owned by the caller. */
static struct world *
apart_create(double gravity_y)
{
	struct scenario scenario;
	struct def_problem problem;
	struct world *world;

	scenario_init(&scenario);
	for (int i = 0; i < 40; i++)
		scenario_circle(&scenario, 10 * i, 0, 0.25 * i, 1, 0.5)->id = (uint32_t)(100 + 2 * i);
	scenario.def.gravity_y = gravity_y;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	scenario_finish(&scenario);
	return world;
}

/* Steps; the tick must fail for that circle and field, and no tick comes after it. */
static void
tick_fails(struct world *world, uint32_t id, enum def_field field)
{
	const uint64_t ticks = world->tick;
	struct world_failure failure;
	struct tick_report report;

	assert_false(world_failure(world, &failure));
	assert_int_equal(world_step(world, dt, &report), STATUS_OUT_OF_RANGE);
	assert_true(world_failure(world, &failure));
	assert_int_equal(failure.tick, ticks + 1);
	assert_int_equal(failure.circle_id, id);
	assert_int_equal(failure.field, field);
	assert_int_equal(world_step(world, dt, &report), STATUS_FAILED_PRECONDITION);
	assert_int_equal(world_edit(world, NULL, 0, &(struct def_problem){ 0 }), STATUS_FAILED_PRECONDITION);
	world_destroy(world);
}

static void
test_velocities(void **state)
{
	const double spoilt[] = { (double)INFINITY, -(double)INFINITY, (double)NAN, 1e200, -1.4e154 };
	struct tick_report report;

	(void)state;
	for (size_t k = 0; k < sizeof spoilt / sizeof *spoilt; k++) {
		for (uint32_t body = 0; body < 40; body += 13) {
			for (int ticks = 0; ticks <= 3; ticks += 3) {
				struct world *world = apart_create(k % 2 ? 0 : -10);
				for (int tick = 0; tick < ticks; tick++)
					assert_int_equal(world_step(world, dt, &report), STATUS_OK);
				world->bodies.paths[body].vy = spoilt[k];
				/* A path of infinite speed has no finite end. */
				tick_fails(world, 100 + 2 * body, isfinite(spoilt[k]) ? DEF_CIRCLE_VX : DEF_CIRCLE_Y);
			}
		}
	}
}

static void
test_the_least_id_is_told(void **state)
{
	struct world *world = apart_create(0);

	(void)state;
	world->bodies.paths[31].vy = (double)NAN;
	world->bodies.paths[17].vy = 1e180;
	tick_fails(world, 134, DEF_CIRCLE_VX);
}

/* The same with domains: they finish the bodies, and the world looks at the sums. */
static void
test_in_domains(void **state)
{
	struct world *world = apart_create(0);

	(void)state;
	world_workers_set(world, &workers_in_turn);
	world->bodies.paths[17].vy = 1e180;
	tick_fails(world, 134, DEF_CIRCLE_VX);
}

/* Large, and finite: it goes on. */
static void
test_what_is_large_goes_on(void **state)
{
	struct world *world = apart_create(-10);
	struct world_failure failure;
	struct tick_report report;

	(void)state;
	world->bodies.paths[5].vx = 1e150;
	for (int tick = 0; tick < 100; tick++)
		assert_int_equal(world_step(world, dt, &report), STATUS_OK);
	assert_false(world_failure(world, &failure));
	world_destroy(world);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_velocities), cmocka_unit_test(test_the_least_id_is_told),
		                                cmocka_unit_test(test_in_domains), cmocka_unit_test(test_what_is_large_goes_on) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
