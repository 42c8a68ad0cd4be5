/* Snapshots: a restored world goes on bit for bit as the one it was taken of, whatever was going on. argv[1]: random scenes
 * (default 12), argv[2]: the first one's seed. */
#include "physics/followers.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "physics/world/world.h"

#include "physics/describe.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

/* Steps with every tick made again by a restored world; each `every` ticks one restored stays for four times as long. Gives how
 * many have woken. */
static size_t
restored_at_every_tick(struct scenario *scenario, double tick_s, int ticks, uint64_t every)
{
	struct def_problem problem;
	struct world *world = NULL, *plain = NULL;
	struct followers followers;
	size_t woken = 0;
	assert_int_equal(world_create(scenario_def(scenario), &problem, &world), STATUS_OK);
	assert_int_equal(world_create(scenario_def(scenario), &problem, &plain), STATUS_OK);
	followers_init(&followers, every);
	for (int i = 0; i < ticks; i++) {
		struct tick_report report, undisturbed;
		const enum status status = followers_step(&followers, world, tick_s, &report);
		/* To be asked for a snapshot changes nothing. */
		assert_int_equal(world_step(plain, tick_s, &undisturbed), status);
		if (status != STATUS_OK)
			break;
		assert_true(world_hash(plain) == world_hash(world));
		for (size_t k = 0; k < report.path_change_count; k++)
			woken += report.path_changes[k].kind == PATH_WOKEN;
	}
	followers_finish(&followers);
	world_destroy(world);
	world_destroy(plain);
	return woken;
}

static void
test_gas(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 100, 40, 3);
	restored_at_every_tick(&scenario, dt, 60, 7);
	scenario_finish(&scenario);
}

static void
pile_collapses(size_t count, double width, double friction, double smallest, double rolling, int ticks)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, count, width, friction, smallest, 11);
	for (size_t i = 0; i < scenario.circle_count; i++)
		scenario.circles[i].rolling_resistance = rolling;
	restored_at_every_tick(&scenario, dt, ticks, 9);
	scenario_finish(&scenario);
}

static void
test_collapse_of_a_smooth_pile(void **state)
{
	(void)state;
	pile_collapses(effort(30, 80), 8, 0, 1, 0, 100);
}

static void
test_collapse_of_a_rough_pile_of_mixed_radii(void **state)
{
	(void)state;
	pile_collapses(effort(30, 80), 8, 0.5, 0.25, 0.02, 100);
}

/* A kinematic circle through a pile, and another that turns in it. */
static void
test_pile_that_is_ploughed(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 30, 8, 0.3, 0.5, 2);
	struct circle_def *plough = scenario_circle(&scenario, -6, 1.5, 3, 0.1, 1);
	plough->kind = BODY_KINEMATIC;
	plough->friction = 0.5;
	struct circle_def *wheel = scenario_circle(&scenario, 4, 14, 0, 0, 1);
	wheel->kind = BODY_KINEMATIC;
	wheel->friction = 1;
	wheel->angular_velocity = 5;
	restored_at_every_tick(&scenario, dt, 150, 5);
	scenario_finish(&scenario);
}

/* Three that rest as events have it (resting_contact.c), one that bounces on, elastic ones beside. */
/* Asleep, woken by what falls on it, asleep again: with the sleepers' impulses put aside and given back. */
static void
test_pile_that_sleeps_and_wakes(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	const size_t count = effort(14, 40);
	scene_pile(&scenario, count, 8, 0.5, 1, 7);
	scenario.def.sleep_after = 0.2;
	for (size_t i = 0; i < count; i++)
		scenario.circles[i].rolling_resistance = 0.05;
	for (int k = 0; k < 3; k++) {
		struct circle_def *ball = scenario_circle(&scenario, 2 + 2 * k, 120 + 200 * k, 0, 0, 0.5);
		ball->friction = 0.5;
		ball->restitution = 0.2;
		ball->rolling_resistance = 0.05;
	}
	assert_true(restored_at_every_tick(&scenario, dt, 720, effort(21, 7)) > count);
	scenario_finish(&scenario);
}

static void
test_few_at_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -5, 4, 0, 0);
	scenario_segment(&scenario, 0, 0, 5, 4);
	scenario_circle(&scenario, -0.8, 3, 0, 0, 0.5)->restitution = 0;
	scenario_circle(&scenario, 0.5, 4, 0, 0, 0.5)->restitution = 0;
	scenario_circle(&scenario, 0.1, 6, 0, 0, 0.5)->restitution = 0.5;
	for (size_t i = 0; i < scenario.segment_count; i++)
		scenario.segments[i].restitution = 0;
	restored_at_every_tick(&scenario, dt, 300, 11);
	scenario_finish(&scenario);
}

static void
test_overlap_at_the_start(void **state)
{
	(void)state;
	struct scenario scenario;
	uint64_t random = 5;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, 4, 4);
	scenario.def.gravity_y = -10;
	for (int i = 0; i < 24; i++) {
		const double x = random_between(&random, 0.5, 3.5), y = random_between(&random, 0.5, 3.5);
		struct circle_def *circle = scenario_circle(&scenario, x, y, 0, 0, random_between(&random, 0.05, 0.25));
		circle->restitution = 0;
		circle->friction = 0.2;
	}
	restored_at_every_tick(&scenario, dt, 90, 3);
	scenario_finish(&scenario);
}

/* More of them in one place than a tick can part, and some that fly off. A grid made later has larger cells than one made at
 * the start, which must not show in how they are pushed. */
static void
test_overlap_for_several_ticks(void **state)
{
	(void)state;
	struct scenario scenario;
	uint64_t random = 5;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 0, 0, 0.5)->kind = BODY_STATIC;
	for (int i = 0; i < 24; i++) {
		const double x = random_between(&random, -0.1, 0.1), y = random_between(&random, -0.1, 0.1);
		scenario_circle(&scenario, x, y, 0, 0, i % 2 ? 0.5 : 0.1);
	}
	scenario_circle(&scenario, 5, 5, 3000, 2000, 0.5);
	scenario_circle(&scenario, -5, -5, -3000, -1000, 0.5);
	restored_at_every_tick(&scenario, dt, 12, 2);
	scenario_finish(&scenario);
}

/* Strays make the grid be built anew; where it was must not show. */
static void
test_cloud_that_flies_apart(void **state)
{
	(void)state;
	struct scenario scenario;
	uint64_t random = 5;
	scenario_init(&scenario);
	for (int i = 0; i < 100; i++) {
		const double vx = random_between(&random, -30, 30), vy = random_between(&random, -30, 30);
		scenario_circle(&scenario, i % 10 * 0.8, i / 10 * 0.8, vx, vy, 0.45);
	}
	restored_at_every_tick(&scenario, dt, 120, 10);
	scenario_finish(&scenario);
}

static void
test_bodies_at_their_cap(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 60, 300, 4);
	scenario.def.events_per_body_max = 3;
	restored_at_every_tick(&scenario, dt, 60, 4);
	scenario_finish(&scenario);
}

static uint64_t soup_first = 1, soup_count;

static void
test_soups(void **state)
{
	(void)state;
	for (uint64_t seed = soup_first; seed < soup_first + soup_count; seed++) {
		if (soup_count > 1000 && seed % 100 == 0)
			print_message("%llu soups\n", (unsigned long long)seed);
		struct soup soup;
		soup_make(&soup, seed, seed % 2 == 0);
		restored_at_every_tick(&soup.scenario, soup.dt, (int)soup.ticks, 1 + seed % 13);
		soup_finish(&soup);
	}
}

/* A value of a field of the world that is not its default; `read`: the value that it has. */
static double
world_field(struct world_def *def, enum def_field field, bool read)
{
	switch (field) {
	case DEF_WORLD_GRAVITY_X: return read ? def->gravity_x : (def->gravity_x = 3);
	case DEF_WORLD_GRAVITY_Y: return read ? def->gravity_y : (def->gravity_y = -4);
	case DEF_WORLD_RESTITUTION_MIX: return read ? def->restitution_mix : (def->restitution_mix = RESTITUTION_MIX_PRODUCT);
	case DEF_WORLD_FRICTION_MIX: return read ? def->friction_mix : (def->friction_mix = FRICTION_MIX_MEAN);
	case DEF_WORLD_RESTITUTION_THRESHOLD: return read ? def->restitution_threshold : (def->restitution_threshold = 0.25);
	case DEF_WORLD_SLEEP_AFTER: return read ? def->sleep_after : (def->sleep_after = 0.5);
	case DEF_WORLD_EVENTS_PER_BODY_MAX: return read ? def->events_per_body_max : (def->events_per_body_max = 321);
	case DEF_WORLD_WORK_PER_TICK_MAX: return (double)(read ? def->work_per_tick_max : (def->work_per_tick_max = 12345));
	case DEF_WORLD_WORK_PER_BODY_MAX: return (double)(read ? def->work_per_body_max : (def->work_per_body_max = 1234));
	case DEF_WORLD_SPEED_MAX: return read ? def->speed_max : (def->speed_max = 77);
	case DEF_WORLD_EVENTS: return read ? def->events : (def->events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PERSIST);
	case DEF_WORLD_HIT_SPEED: return read ? def->hit_speed : (def->hit_speed = 0.125);
	case DEF_WORLD_BOUNDS_X_MIN: return read ? def->bounds_x_min : (def->has_bounds = true, def->bounds_x_min = -5);
	case DEF_WORLD_BOUNDS_Y_MIN: return read ? def->bounds_y_min : (def->has_bounds = true, def->bounds_y_min = -6);
	case DEF_WORLD_BOUNDS_X_MAX: return read ? def->bounds_x_max : (def->has_bounds = true, def->bounds_x_max = 7);
	case DEF_WORLD_BOUNDS_Y_MAX: return read ? def->bounds_y_max : (def->has_bounds = true, def->bounds_y_max = 8);
	default: fail_msg("field %d of the world has no value in this test", (int)field); return 0;
	}
}

/* Nothing that a definition says of the world is lost. */
static void
test_every_field_of_the_world(void **state)
{
	(void)state;
	for (int field = 0; field < DEF_CIRCLE_ID; field++) {
		struct circle_def circle = circle_def_default();
		struct world_def def = world_def_default(), back;
		circle.radius = 1;
		def.circles = &circle;
		def.circle_count = 1;
		const double before = world_field(&def, (enum def_field)field, true);
		const double set = world_field(&def, (enum def_field)field, false);
		assert_true(set != before);
		struct def_problem problem;
		struct snapshot_problem wrong;
		struct world *world = NULL, *restored = NULL;
		assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
		const size_t size = world_snapshot_bytes(world);
		uint8_t *bytes = malloc(size);
		assert_non_null(bytes);
		assert_int_equal(world_snapshot(world, bytes, size), STATUS_OK);
		assert_int_equal(world_restore(bytes, size, 0, &wrong, &restored), STATUS_OK);
		world_describe(world, &circle, NULL, &back);
		assert_true(world_field(&back, (enum def_field)field, true) == set);
		world_describe(restored, &circle, NULL, &back);
		assert_true(world_field(&back, (enum def_field)field, true) == set);
		assert_true(back.has_bounds == def.has_bounds);
		free(bytes);
		world_destroy(world);
		world_destroy(restored);
	}
}

/* A state that no world comes to: a static circle with one of its velocities. */
static void
test_a_static_circle_that_moves_is_refused(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++) {
		struct scenario scenario;
		struct def_problem problem;
		struct snapshot_problem wrong;
		struct world *world, *restored = NULL;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 1, 1, 1);
		scenario_circle(&scenario, 5, 0, 0, 0, 1)->kind = BODY_STATIC;
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
		world->bodies.paths[1].vx = k == 0 ? 1 : 0;
		world->bodies.paths[1].vy = k == 1 ? -1e-300 : 0;
		world->bodies.infos[1].spin = k == 2 ? 1 : 0;
		world->settings.turns = k == 2;
		struct snapshot snapshot = snapshot_take(world);
		const enum status status = world_restore(snapshot.bytes, snapshot.size, 0, &wrong, &restored);
		assert_int_equal(status, k < 3 ? STATUS_INVALID_ARGUMENT : STATUS_OK);
		if (k < 3) {
			assert_string_equal(wrong.field, "bodies.vx");
			assert_int_equal(wrong.index, 1);
			assert_string_equal(wrong.text, "must be 0, as all its velocities: the body is static");
		}
		free(snapshot.bytes);
		world_destroy(restored);
		world_destroy(world);
		scenario_finish(&scenario);
	}
}

int
main(int argc, char **argv)
{
	soup_count = argc > 1 ? strtoull(argv[1], NULL, 10) : effort(2, 12);
	if (argc > 2)
		soup_first = strtoull(argv[2], NULL, 10);

	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_static_circle_that_moves_is_refused),
		cmocka_unit_test(test_every_field_of_the_world),
		cmocka_unit_test(test_gas),
		cmocka_unit_test(test_collapse_of_a_smooth_pile),
		cmocka_unit_test(test_collapse_of_a_rough_pile_of_mixed_radii),
		long_case(test_pile_that_is_ploughed),
		long_case(test_pile_that_sleeps_and_wakes),
		long_case(test_few_at_rest),
		cmocka_unit_test(test_overlap_at_the_start),
		cmocka_unit_test(test_overlap_for_several_ticks),
		long_case(test_cloud_that_flies_apart),
		long_case(test_bodies_at_their_cap),
		cmocka_unit_test(test_soups),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
