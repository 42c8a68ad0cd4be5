/* Bounds of a world: what is outside at a tick's end is removed then, and told. Compared with places computed here; what stays
 * goes on as in a world without those that leave. */
#include "physics/followers.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>

#define COUNT 40

/* Circles that fly apart and never meet, from the middle of the box. */
static void
fliers_make(struct scenario *scenario, uint64_t *random)
{
	scenario_init(scenario);
	for (uint32_t i = 0; i < COUNT; i++) {
		struct circle_def *circle = scenario_circle(scenario, random_between(random, -9, 9), random_between(random, -9, 9),
		                                            random_between(random, -30, 30), random_between(random, -30, 30), 0.1);
		circle->mask = 0;
		circle->tag = i % 3 ? 1000 + i : 0;
		circle->kind = i % 5 ? BODY_DYNAMIC : i % 2 ? BODY_KINEMATIC : BODY_STATIC;
		if (circle->kind == BODY_STATIC) {
			circle->vx = circle->vy = 0;
			circle->x *= 3; /* also outside: it stays */
		}
	}
	scenario->def.has_bounds = true;
	scenario->def.bounds_x_min = scenario->def.bounds_y_min = -10;
	scenario->def.bounds_x_max = scenario->def.bounds_y_max = 10;
}

static bool
outside(const struct circle_def *circle, double t, double *x, double *y)
{
	*x = circle->x + circle->vx * t;
	*y = circle->y + circle->vy * t;
	return circle->kind != BODY_STATIC && !(*x >= -10 && *x <= 10 && *y >= -10 && *y <= 10);
}

static void
fliers_run(uint64_t seed)
{
	struct scenario scenario;
	struct followers followers;
	struct tick_report report;
	uint64_t random = seed;
	bool gone[COUNT] = { false };
	size_t there = COUNT;
	fliers_make(&scenario, &random);
	struct world *world = scenario_world(&scenario);
	followers_init(&followers, 3);
	for (int tick = 1; tick <= 12; tick++) {
		size_t ends = 0;
		assert_int_equal(followers_step(&followers, world, 0.0625, &report), STATUS_OK);
		for (uint32_t i = 0; i < COUNT; i++) {
			double x, y;
			if (gone[i] || !outside(&scenario.circles[i], 0.0625 * tick, &x, &y))
				continue;
			gone[i] = true;
			there--;
			assert_true(ends < report.end_count);
			const struct body_end *end = &report.ends[ends++];
			assert_int_equal(end->body, i);
			assert_int_equal(end->reason, END_BOUNDS);
			assert_true(end->time == 0.0625 && end->tag == scenario.circles[i].tag);
			assert_double_near(end->position[0], x, 1e-12);
			assert_double_near(end->position[1], y, 1e-12);
			assert_true(end->velocity[0] == scenario.circles[i].vx && end->velocity[1] == scenario.circles[i].vy);
		}
		assert_int_equal(report.end_count, ends);
		assert_int_equal(world_body_count(world), there);
		const double change = report.energy.kinetic_after - report.energy.kinetic_before;
		assert_double_near(change, report.energy.removed, 1e-9);
	}
	assert_true(there < COUNT / 2 && there >= COUNT / 10);
	followers_finish(&followers);
	world_destroy(world);
	scenario_finish(&scenario);
}

static void
test_fliers(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(20, 500); seed++)
		fliers_run(seed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fliers) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
