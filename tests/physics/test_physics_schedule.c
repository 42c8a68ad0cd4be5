/* The schedule passes over nothing. A world that has one and its twin that is predicted as a whole in every tick tell the same,
 * bit for bit, whatever stirs them. It is used where it should be. */
#include "physics/followers.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/long_case.h"

#include <math.h>
#include <stdlib.h>

static const double dt = 1.0 / 60;

struct twins {
	struct world *world, *plain;
	uint64_t random, contacts;
	uint32_t next_id;
	double side; /* of the square in which bodies are spawned */
};

static void
twins_start(struct twins *twins, struct scenario *scenario, double side)
{
	struct def_problem problem;
	*twins = (struct twins){ .random = 11, .next_id = (uint32_t)scenario->circle_count, .side = side };
	assert_int_equal(world_create(scenario_def(scenario), &problem, &twins->world), STATUS_OK);
	assert_int_equal(world_create(scenario_def(scenario), &problem, &twins->plain), STATUS_OK);
	scenario_finish(scenario);
}

static void
twins_tick(struct twins *twins, double duration)
{
	struct tick_report report, plain;
	twins->plain->schedule.rest = 1;
	assert_int_equal(world_step(twins->world, duration, &report), STATUS_OK);
	assert_int_equal(world_step(twins->plain, duration, &plain), STATUS_OK);
	reports_same(&report, &plain);
	twins->contacts += report.contact_count;
}

static void
twins_ticks(struct twins *twins, int ticks)
{
	for (int i = 0; i < ticks; i++)
		twins_tick(twins, dt);
}

static void
twins_edit(struct twins *twins, const struct edit *edit)
{
	struct def_problem problem;
	const enum status status = world_edit(twins->world, edit, 1, &problem);
	assert_int_equal(world_edit(twins->plain, edit, 1, &problem), status);
}

/* At least `least` ticks were the schedule's, and there were contacts to miss. */
static void
twins_end(struct twins *twins, uint64_t least, uint64_t contacts)
{
	assert_true(world_hash(twins->world) == world_hash(twins->plain));
	assert_true(twins->world->schedule.ticks >= least);
	assert_int_equal(twins->plain->schedule.ticks, 0);
	assert_true(twins->contacts >= contacts);
	world_destroy(twins->world);
	world_destroy(twins->plain);
}

static void
test_a_gas(void **state)
{
	(void)state;
	for (int falls = 0; falls < 2; falls++) {
		struct scenario scenario;
		struct twins twins;
		scenario_init(&scenario);
		const double side = scene_gas(&scenario, 300, 3, 5);
		scenario.def.gravity_y = falls ? -1.5 : 0;
		twins_start(&twins, &scenario, side);
		twins_ticks(&twins, 600);
		twins_end(&twins, 500, 3000);
	}
}

/* Bodies that turn are clean too while nothing comes to them. */
static void
test_turning(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 300, 3, 6);
	for (size_t i = 0; i < scenario.circle_count; i++) {
		scenario.circles[i].friction = i % 3 ? 0.3 : 0.0;
		scenario.circles[i].angular_velocity = (double)(i % 5) - 2.0;
	}
	twins_start(&twins, &scenario, side);
	twins_ticks(&twins, 600);
	twins_end(&twins, 500, 3000);
}

/* Their angles are those of a tick after the other, and their energy counts their spins. */
static void
test_turning_alone(void **state)
{
	(void)state;
	enum { CIRCLES = 40, TICKS = 100 };
	struct scenario scenario;
	double angles[CIRCLES], energy = 0.0;
	scenario_init(&scenario);
	for (uint32_t i = 0; i < CIRCLES; i++) {
		struct circle_def *circle = scenario_circle(&scenario, 3.0 * i, i, 0.0, 0.25, 1.0);
		circle->angle = angles[i] = 0.1 * i;
		circle->angular_velocity = i % 4 ? 0.3 * i : 0.0;
		energy += 0.5 * 0.25 * 0.25 + 0.25 * circle->angular_velocity * circle->angular_velocity;
	}
	struct world *world = scenario_world(&scenario);
	for (int tick = 0; tick < TICKS; tick++) {
		struct tick_report report;
		assert_int_equal(world_step(world, dt, &report), STATUS_OK);
		assert_true(fabs(report.energy.kinetic_after - energy) < 1e-12 * energy);
		for (uint32_t i = 0; i < CIRCLES; i++)
			angles[i] += scenario.circles[i].angular_velocity * dt;
	}
	for (uint32_t i = 0; i < CIRCLES; i++)
		assert_same(world_body(world, i).angle, angles[i]);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* Radii that differ by twenty; in one level, as it happens. */
static void
test_a_mixed_gas(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	scenario_init(&scenario);
	scene_gas_mixed(&scenario, 600, 20, 2, 12);
	twins_start(&twins, &scenario, 0);
	twins_ticks(&twins, 500);
	twins_end(&twins, 400, 3000);
}

/* A few large ones among many: the cells have levels. */
static void
test_a_gas_of_levels(void **state)
{
	(void)state;
	for (int falls = 0; falls < 2; falls++) {
		struct scenario scenario;
		struct twins twins;
		scenario_init(&scenario);
		scene_gas_sizes(&scenario, 600, 8, 25, 2, 12);
		scenario.def.gravity_y = falls ? -1.5 : 0;
		twins_start(&twins, &scenario, 0);
		assert_true(twins.world->grid.level_count > 1);
		twins_ticks(&twins, (int)effort(120, 500));
		twins_end(&twins, effort(80, 400), effort(600, 3000));
	}
}

/* Fast ones among slow ones, and ticks that change their length. */
static void
test_uneven_speeds_and_ticks(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 300, 1, 6);
	for (size_t i = 0; i < scenario.circle_count; i += 40) {
		scenario.circles[i].vx *= 200;
		scenario.circles[i].vy *= 200;
	}
	twins_start(&twins, &scenario, side);
	for (int i = 0; i < (int)effort(200, 600); i++)
		twins_tick(&twins, i / 50 % 2 ? dt : dt / 3);
	twins_end(&twins, effort(60, 200), effort(150, 500));
}

/* Walls at any angle, thick and one-sided ones, sensors, masks, some that do not move and some that turn. */
static void
test_many_kinds(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	uint64_t random = 8;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 300, 2.5, 7);
	for (size_t i = 0; i < scenario.circle_count; i++) {
		struct circle_def *circle = &scenario.circles[i];
		circle->category = 1u << random_below(&random, 3);
		circle->mask = 7u & ~(random_below(&random, 4) == 0 ? 1u : 0u);
		circle->sensor = i % 29 == 0;
		circle->restitution = i % 3 ? 1 : 0.9;
		circle->friction = i % 31 == 0 ? 0.3 : 0;
		if (i % 37 == 0) {
			circle->kind = BODY_STATIC;
			circle->vx = circle->vy = 0;
		}
	}
	for (int k = 0; k < 20; k++) {
		const double x = random_between(&random, 1, side - 1), y = random_between(&random, 1, side - 1);
		struct segment_def *segment = scenario_segment(&scenario, x, y, x + random_between(&random, -3, 3), y + 0.3);
		segment->restitution = 1;
		segment->one_sided = k % 3 == 0;
		segment->radius = k % 4 == 0 ? 0.1 : 0;
	}
	twins_start(&twins, &scenario, side);
	twins_ticks(&twins, (int)effort(120, 600));
	twins_end(&twins, effort(80, 400), effort(300, 1500));
}

/* Without walls: they fly apart, the cells are laid anew, and in the end all are strays. */
static void
test_no_walls(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 200, 3, 9);
	scenario.segment_count = 0;
	scenario.circles[17].vx = 1e4;
	scenario.circles[18].vy = -1e7;
	twins_start(&twins, &scenario, side);
	twins_ticks(&twins, 900);
	twins_end(&twins, 200, 100);
}

/* A few are given velocities in each tick; now and then one is spawned, moved, or removed. */
static void
test_edits(void **state)
{
	(void)state;
	struct scenario scenario;
	struct twins twins;
	scenario_init(&scenario);
	const double side = scene_gas(&scenario, 250, 2, 10);
	twins_start(&twins, &scenario, side);
	for (int i = 0; i < 600; i++) {
		struct circle_def circle = circle_def_default();
		circle.id = (uint32_t)random_below(&twins.random, 250);
		circle.vx = random_between(&twins.random, -3, 3);
		circle.vy = random_between(&twins.random, -3, 3);
		circle.x = random_between(&twins.random, 1, side - 1);
		circle.y = random_between(&twins.random, 1, side - 1);
		struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
		twins_edit(&twins, &edit);
		if (i % 40 == 20) {
			edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y));
			twins_edit(&twins, &edit);
			edit = edit_circle_remove((uint32_t)random_below(&twins.random, 250));
			twins_edit(&twins, &edit);
			circle.id = twins.next_id++;
			circle.radius = 0.4;
			edit = edit_circle_spawn(&circle);
			twins_edit(&twins, &edit);
		}
		twins_tick(&twins, dt);
	}
	twins_end(&twins, 400, 1000);
}

/* One at some speed into a row of others with gaps of any length, before a wall. Hits, changes of cells and walls follow each
 * other in every order, within one tick and in later ones. The idle ones far away make it the schedule's. */
static void
row_make(struct scenario *scenario, uint64_t *random)
{
	const double angle = random_between(random, 0, 360 * DEGREE), x = cos(angle), y = sin(angle);
	const double east = random_between(random, -50, 50), north = random_between(random, -50, 50);
	const double speed = pow(10, random_between(random, 0, 3));
	const bool spins = random_below(random, 4) == 0;
	double along = 0;
	scenario_init(scenario);
	for (int i = 0; i < 6; i++) {
		const double aside = random_between(random, -0.3, 0.3), v = i == 0 ? speed : random_between(random, -0.1, 0.1);
		struct circle_def *circle = scenario_circle(scenario, east + along * x - aside * y, north + along * y + aside * x,
		                                            v * x, v * y, 0.5);
		circle->restitution = random_below(random, 2) ? 1 : random_between(random, 0.3, 1);
		circle->friction = spins ? 0.3 : 0;
		circle->gravity_scale = random_below(random, 6) ? 1 : 0.5;
		if (i > 1 && random_below(random, 6) == 0) {
			circle->kind = BODY_STATIC;
			circle->vx = circle->vy = 0;
		}
		along += 1.05 + pow(10, random_between(random, -4, 0.7));
	}
	for (int i = -1; i < 2; i += 2) {
		const double far = i < 0 ? -random_between(random, 1, 4) : along + random_between(random, 0, 3);
		struct segment_def *wall = scenario_segment(scenario, east + far * x - 9 * y, north + far * y + 9 * x,
		                                            east + far * x + 9 * y, north + far * y - 9 * x);
		wall->restitution = random_below(random, 2) ? 1 : 0.5;
		wall->friction = spins ? 0.3 : 0;
	}
	for (int i = 0; i < 40; i++)
		scenario_circle(scenario, east + 100 + 5 * (i % 8), north + 5 * (i / 8), random_between(random, -1, 1), 0, 0.5);
	scenario->def.gravity_y = random_below(random, 3) == 0 ? -10 : 0;
}

static void
test_rows(void **state)
{
	(void)state;
	uint64_t random = 21, ticks = 0, contacts = 0;
	for (int trial = 0; trial < (int)effort(90, 1500); trial++) {
		struct scenario scenario;
		struct twins twins;
		row_make(&scenario, &random);
		twins_start(&twins, &scenario, 0);
		twins_ticks(&twins, 60);
		ticks += twins.world->schedule.ticks;
		contacts += twins.contacts;
		twins_end(&twins, 0, 0);
	}
	assert_true(ticks > effort(3600, 60000));
	assert_true(contacts > effort(480, 8000));
}

/* Between ticks a circle is given another velocity that lies in the way of none, as far as the last look told. Or what is about
 * to be met is gone, or comes to be there. */
static void
test_rows_and_edits(void **state)
{
	(void)state;
	uint64_t random = 22, ticks = 0;
	for (int trial = 0; trial < (int)effort(40, 400); trial++) {
		struct scenario scenario;
		struct twins twins;
		row_make(&scenario, &random);
		twins_start(&twins, &scenario, 0);
		for (int i = 0; i < 60; i++) {
			struct circle_def circle = circle_def_default();
			circle.id = (uint32_t)random_below(&random, 6);
			circle.vx = random_between(&random, -30, 30);
			circle.vy = random_between(&random, -30, 30);
			struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
			if (i % 8 == 5)
				twins_edit(&twins, &edit);
			edit = edit_circle_remove((uint32_t)random_below(&random, 6));
			if (i == 40)
				twins_edit(&twins, &edit);
			twins_tick(&twins, dt);
		}
		ticks += twins.world->schedule.ticks;
		twins_end(&twins, 0, 0);
	}
	assert_true(ticks > effort(1200, 12000));
}

/* Two small circles that graze each other after a way of millions of radii. Whether they meet is a matter of the last bits of
 * where they are, not of what is left of the squares of the way. */
static void
test_grazing_from_afar(void **state)
{
	(void)state;
	uint64_t random = 13, met = 0;
	for (int trial = 0; trial < (int)effort(600, 3000); trial++) {
		struct scenario scenario;
		struct twins twins;
		scenario_init(&scenario);
		const double radius = 1e-6, angle = random_between(&random, 0, 360 * DEGREE), x = cos(angle), y = sin(angle);
		const double far = random_between(&random, 8, 10), aside = random_between(&random, 0.975, 0.9995) * 2 * radius;
		scenario_circle(&scenario, -far * x, -far * y, 0.5 * x, 0.5 * y, radius);
		scenario_circle(&scenario, far * x - aside * y, far * y + aside * x, -0.5 * x, -0.5 * y, radius);
		for (int i = 0; i < 6; i++)
			scenario_circle(&scenario, i % 2 ? 200 : -200, 100 * i, 0, 0, radius);
		twins_start(&twins, &scenario, 0);
		for (int i = 0; i < 24; i++)
			twins_tick(&twins, 1);
		met += twins.contacts;
		twins_end(&twins, 20, 0);
	}
	assert_true(met > effort(570, 2900));
}

/* As far as ticks can be counted. */
static void
test_the_last_ticks(void **state)
{
	(void)state;
	for (uint64_t left = 2; left < 6; left++) {
		struct scenario scenario;
		struct twins twins;
		scenario_init(&scenario);
		const double side = scene_gas(&scenario, 64, 60, 14);
		twins_start(&twins, &scenario, side);
		twins_ticks(&twins, 3);
		twins.world->tick = twins.plain->tick = UINT64_MAX - left;
		twins_ticks(&twins, (int)left);
		twins_end(&twins, 0, 1);
	}
}

/* Scenes of everything that there is: mostly not for the schedule, which has to see that. */
static void
test_soups(void **state)
{
	(void)state;
	uint64_t ticks = 0;
	for (uint64_t seed = 1; seed <= effort(20, 150); seed++) {
		struct soup soup;
		struct twins twins;
		soup_make(&soup, seed, seed % 3 == 0);
		const double duration = soup.dt;
		const uint64_t count = soup.ticks < 120 ? soup.ticks : 120;
		twins_start(&twins, &soup.scenario, 0);
		for (uint64_t i = 0; i < count; i++)
			twins_tick(&twins, duration);
		ticks += twins.world->schedule.ticks;
		twins_end(&twins, 0, 0);
	}
	assert_true(ticks > effort(10, 500));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_gas),
		cmocka_unit_test(test_turning),
		cmocka_unit_test(test_turning_alone),
		long_case(test_a_mixed_gas),
		cmocka_unit_test(test_a_gas_of_levels),
		long_case(test_uneven_speeds_and_ticks),
		cmocka_unit_test(test_many_kinds),
		long_case(test_no_walls),
		cmocka_unit_test(test_edits),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_rows_and_edits),
		cmocka_unit_test(test_soups),
		cmocka_unit_test(test_grazing_from_afar),
		cmocka_unit_test(test_the_last_ticks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
