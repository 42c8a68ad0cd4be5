/* Bodies that the resting solver leads, stopped again and again within a substep: at the limit and one below it. The state is
 * made by hand, because whole scenes hardly ever come to the limit. */
#include "physics/scenario.h"

#include "physics/resting/handover.h"
#include "physics/world/world.h"

/* As handover_event.c has it. */
#define STOPS_MAX 8

/* Two circles that touch, the first of which is driven by the solver and was stopped so often. The second is driven by it too,
 * or kinematic. */
static struct world *
world_of_two(bool kinematic, unsigned stops, double vx)
{
	struct scenario scenario;
	struct def_problem problem;
	struct tick_report report;
	struct world *world;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 0, 0, 1);
	scenario_circle(&scenario, 2.5, 0, 0, 0, 1)->kind = kinematic ? BODY_KINEMATIC : BODY_DYNAMIC;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	for (uint32_t i = 0; i < (kinematic ? 1 : 2); i++) {
		struct body_info *info = &world->bodies.infos[i];
		info->mode = MODE_LED;
		info->kept_vx = vx;
		info->kept_vy = 0;
		info->stands = 0;
		info->driven = false;
		world->bodies.paths[i].vx = 0.5 * vx; /* its displacement is behind its velocity */
	}
	world->bodies.infos[0].stands = (uint8_t)stops;
	scenario_finish(&scenario);
	return world;
}

static bool
resolved(struct world *world)
{
	return handover_event(world, &(struct event){ .time = 0, .a = 0, .b = 1, .order = 1, .kind = EVENT_CIRCLES });
}

/* What cannot yield presses it: it gets out of the way, until others have stopped it too often. Then it is crushed. */
static void
test_stopped_before_what_cannot_yield(void **state)
{
	(void)state;
	for (unsigned stops = STOPS_MAX - 1; stops <= STOPS_MAX + 1; stops++) {
		struct world *world = world_of_two(true, stops, 0);
		assert_true(resolved(world));
		assert_int_equal(world->bodies.infos[0].mode, stops < STOPS_MAX ? MODE_LED : MODE_CRUSHED);
		assert_true(world->bodies.infos[0].driven);
		world_destroy(world);
	}
}

/* Two that go the same way stop for each other, until one was stopped too often. Then both go where their velocities take them,
 * for the rest of the substep. */
static void
test_stopped_before_one_that_is_led(void **state)
{
	(void)state;
	for (unsigned stops = STOPS_MAX - 1; stops <= STOPS_MAX + 1; stops++) {
		struct world *world = world_of_two(false, stops, 3);
		assert_true(resolved(world));
		for (uint32_t i = 0; i < 2; i++) {
			assert_same(world->bodies.paths[i].vx, stops < STOPS_MAX ? 0 : 3);
			assert_same(world->bodies.infos[i].kept_vx, 3);
			assert_int_equal(world->bodies.infos[i].driven, stops >= STOPS_MAX);
			assert_int_equal(world->bodies.infos[i].stands, (i == 0 ? stops : 0) + 1);
		}
		world_destroy(world);
	}
}

/* One that stands already, and is reached by another one that does not approach it by its velocity, is not stopped once more.
 */
static void
test_reached_while_it_stands(void **state)
{
	(void)state;
	for (unsigned stops = 0; stops <= STOPS_MAX - 1; stops++) {
		struct world *world = world_of_two(false, stops, 3);
		world->bodies.paths[0].vx = 0;
		const struct body before = world->bodies.paths[0];
		assert_true(resolved(world));
		assert_memory_equal(&world->bodies.paths[0], &before, sizeof before);
		assert_int_equal(world->bodies.infos[0].stands, stops);
		assert_same(world->bodies.paths[1].vx, 0);
		assert_int_equal(world->bodies.infos[1].stands, 1);
		world_destroy(world);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped_before_what_cannot_yield),
		cmocka_unit_test(test_stopped_before_one_that_is_led),
		cmocka_unit_test(test_reached_while_it_stands),
	};
	return cmocka_run_group_tests_name("physics/stops", tests, NULL, NULL);
}
