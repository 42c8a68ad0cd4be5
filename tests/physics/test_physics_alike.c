/* Circles that differ in nothing but id, place, velocity and radius: a new world makes them by the first of them. */
#include "physics/scenario.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Six that differ in nothing but id, place, velocity and radius, in a box. */
static void
alike_scenario(struct scenario *scenario, enum body_kind kind)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -3;
	for (size_t i = 0; i < 6; i++) {
		const double far = (double)i;
		struct circle_def *circle = scenario_circle(scenario, 4 * far, far, 2 - far, 1, 0.5 + 0.25 * (double)(i % 3));
		circle->kind = kind;
		circle->vx = kind == BODY_STATIC ? 0 : circle->vx;
		circle->vy = kind == BODY_STATIC ? 0 : circle->vy;
		circle->id = (uint32_t)(9 - i);
		circle->mass = 2.5;
		circle->friction = 0.5;
		circle->angular_velocity = kind == BODY_STATIC ? 0 : 1;
		circle->gravity_scale = 0.5;
		circle->linear_damping = 0.125;
		circle->surface_speed = 0.25;
	}
	scenario_box(scenario, -3, -3, 25, 12);
}

/* A tag has no effect. Given to one of them it makes them unlike: then each is checked, defined and looked at by itself. */
static void
test_circles_that_are_alike_are_as_if_they_were_not(void **state)
{
	(void)state;
	for (int kind = BODY_DYNAMIC; kind <= BODY_STATIC; kind++) {
		uint64_t hashes[2];
		for (int unlike = 0; unlike < 2; unlike++) {
			struct scenario scenario;
			struct run run;
			alike_scenario(&scenario, (enum body_kind)kind);
			scenario.circles[3].tag = (uint64_t)unlike;
			run_start(&run, &scenario);
			run_ticks(&run, 0.05, 60);
			hashes[unlike] = world_hash(run.world);
			run_finish(&run);
			scenario_finish(&scenario);
		}
		assert_true(hashes[0] == hashes[1]);
	}
}

static void
expect_problem(struct scenario *scenario, enum def_field field, size_t index)
{
	struct def_problem problem = { .index = 99 };
	struct world *world = NULL;
	assert_int_equal(world_create(scenario_def(scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_null(world);
	assert_int_equal(problem.field, field);
	assert_int_equal(problem.index, index);
	scenario_finish(scenario);
}

static void
test_one_bad_of_many_that_are_alike(void **state)
{
	(void)state;
	static const struct {
		size_t at;
		double value;
		enum def_field field;
	} bad[] = {
		{ offsetof(struct circle_def, x), INFINITY, DEF_CIRCLE_X },
		{ offsetof(struct circle_def, y), NAN, DEF_CIRCLE_Y },
		{ offsetof(struct circle_def, vx), 2e12, DEF_CIRCLE_VX },
		{ offsetof(struct circle_def, vy), -2e12, DEF_CIRCLE_VY },
		{ offsetof(struct circle_def, radius), 0, DEF_CIRCLE_RADIUS },
		{ offsetof(struct circle_def, mass), -1, DEF_CIRCLE_MASS },
		{ offsetof(struct circle_def, lifetime_s), -1, DEF_CIRCLE_LIFETIME_S },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct scenario scenario;
		alike_scenario(&scenario, BODY_DYNAMIC);
		memcpy((char *)&scenario.circles[4] + bad[i].at, &bad[i].value, sizeof bad[i].value);
		expect_problem(&scenario, bad[i].field, 4);
	}
	struct scenario moves;
	alike_scenario(&moves, BODY_STATIC);
	moves.circles[2].vy = 1;
	expect_problem(&moves, DEF_CIRCLE_VY, 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_circles_that_are_alike_are_as_if_they_were_not),
		cmocka_unit_test(test_one_bad_of_many_that_are_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
