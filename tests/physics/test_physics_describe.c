/* What a world says it is made of is what it was defined with, where it is now. */
#include "physics/scenes.h"

#include "physics/describe.h"
#include "physics/followers.h"

#include <stdlib.h>
#include <string.h>

/* Everything other than by default. */
static void
odd_scenario(struct scenario *scenario)
{
	scenario_init(scenario);
	scenario->def.gravity_x = 1;
	scenario->def.gravity_y = -8;
	scenario->def.restitution_mix = RESTITUTION_MIX_PRODUCT;
	scenario->def.friction_mix = FRICTION_MIX_MEAN;
	scenario->def.restitution_threshold = 0.25;
	scenario->def.sleep_after = 2;
	scenario->def.events_per_body_max = 77;
	scenario->def.work_per_tick_max = 777777;
	scenario->def.work_per_body_max = 7777;
	scenario->def.contacts_per_tick_max = 999;
	scenario->def.events = WORLD_EVENTS_TOUCH;
	scenario->def.hit_speed = 0.5;
	scenario->def.speed_max = 50;
	struct circle_def *circle = scenario_circle(scenario, 0, 3, 2, 0.5, 0.5);
	circle->id = 20;
	circle->mass = 4;
	circle->restitution = 0.5;
	circle->friction = 0.25;
	circle->rolling_resistance = 0.125;
	circle->angle = 1;
	circle->angular_velocity = -2;
	circle->moment_of_inertia = 0.25;
	circle->category = 6;
	circle->mask = 3;
	circle->surface_speed = 0.5;
	circle->linear_damping = 0.25;
	circle->angular_damping = 0.125;
	circle->gravity_scale = 0.75;
	circle->response = RESPONSE_SLIDE;
	circle->sensor = true;
	circle = scenario_circle(scenario, 9, 9, 1, -1, 2);
	circle->id = 10;
	circle->kind = BODY_KINEMATIC;
	circle->angular_velocity = 3;
	scenario_circle(scenario, -9, 9, 0, 0, 1)->kind = BODY_STATIC;
	struct segment_def *segment = scenario_segment(scenario, -5, 0, 5, 1);
	segment->id = 8;
	segment->restitution = 0.75;
	segment->friction = 0.5;
	segment->rolling_resistance = 0.0625;
	segment->category = 2;
	segment->mask = 4;
	segment->surface_speed = -1;
	segment->sensor = true;
	scenario_segment(scenario, 5, 1, 6, 3);
}

struct described {
	struct world_def def;
	struct circle_def circles[8];
	struct segment_def segments[8];
};

static void
describe(const struct world *world, struct described *out)
{
	assert_true(world_body_count(world) <= 8 && world_segment_count(world) <= 8);
	world_describe(world, out->circles, out->segments, &out->def);
}

/* At the start a world of the description is the world, to the last byte of its snapshot. */
static void
test_description_defines_the_same_world(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct world *world, *again;
	struct described described;
	odd_scenario(&scenario);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	describe(world, &described);
	assert_int_equal(described.def.circle_count, 3);
	assert_int_equal(described.def.segment_count, 2);
	assert_int_equal(described.circles[2].id, 20);
	assert_int_equal(world_create(&described.def, &problem, &again), STATUS_OK);
	struct snapshot a = snapshot_take(world), b = snapshot_take(again);
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.bytes, b.bytes, a.size);
	free(a.bytes);
	free(b.bytes);
	world_destroy(world);
	world_destroy(again);
	scenario_finish(&scenario);
}

/* Later it is where the bodies are. */
static void
test_description_is_of_now(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	struct described described;
	odd_scenario(&scenario);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 16);
	describe(run.world, &described);
	for (size_t i = 0; i < 3; i++) {
		const struct body_state body = world_body(run.world, i);
		const struct circle_def *circle = &described.circles[i];
		assert_int_equal(circle->id, body.id);
		assert_same(circle->x, body.x);
		assert_same(circle->y, body.y);
		assert_same(circle->vx, body.vx);
		assert_same(circle->vy, body.vy);
		assert_same(circle->angle, body.angle);
		assert_same(circle->angular_velocity, body.angular_velocity);
	}
	assert_true(described.circles[2].x > 0.3);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_outline_of_a_snapshot(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	odd_scenario(&scenario);
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 5);
	struct snapshot snapshot = snapshot_take(run.world);
	const struct snapshot_outline outline = snapshot_outline(snapshot.bytes, snapshot.size);
	assert_int_equal(outline.circles, 3);
	assert_int_equal(outline.segments, 2);
	assert_int_equal(outline.tick, 5);
	assert_double_same_bits(outline.dt, 1.0 / 64);
	assert_true(snapshot_is_one(snapshot.bytes, snapshot.size));
	assert_false(snapshot_is_one("{\"circles\": []}", 15));
	/* However short. */
	for (size_t size = 0; size < snapshot.size && size < 200; size++) {
		uint8_t *cut = malloc(size + 1);
		assert_non_null(cut);
		memcpy(cut, snapshot.bytes, size);
		uint8_t *exact = realloc(cut, size == 0 ? 1 : size);
		assert_non_null(exact);
		const struct snapshot_outline part = snapshot_outline(exact, size);
		assert_true(part.circles == 3 || part.circles == 0);
		assert_int_equal(snapshot_is_one(exact, size), size >= 8);
		free(exact);
	}
	free(snapshot.bytes);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_sleepers_are_told(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	size_t sleepers = 0;
	scenario_init(&scenario);
	scene_pile(&scenario, 12, 8, 0.5, 1, 3);
	scenario.def.sleep_after = 0.25;
	struct circle_def *late = scenario_circle(&scenario, 4, 900, 0, 0, 0.5);
	late->restitution = 0;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 60, 300);
	for (size_t i = 0; i < world_body_count(run.world); i++)
		sleepers += world_body(run.world, i).asleep;
	assert_int_equal(sleepers, run.report.asleep);
	assert_int_equal(sleepers, 12);
	assert_false(world_body(run.world, 12).asleep);
	run_finish(&run);
	scenario_finish(&scenario);
}

static void
test_limit_of_contacts_is_set_anew(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct tick_report report;
	struct world *world;
	scenario_init(&scenario);
	scene_gas(&scenario, 50, 60, 2);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
	assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	world_contacts_max_set(world, 1);
	assert_int_equal(world_step(world, 1.0 / 6, &report), STATUS_RESOURCE_EXHAUSTED);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* A door that one is in, and one that lies on the floor. */
static void
test_open_pairs_are_told(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	size_t touching = 0, inside = 0;
	scenario_init(&scenario);
	scenario.def.gravity_y = -8;
	scenario.def.events = WORLD_EVENTS_TOUCH;
	scenario_segment(&scenario, -5, 0, 5, 0)->id = 4;
	struct circle_def *ball = scenario_circle(&scenario, 0, 0.5, 0, 0, 0.5);
	ball->restitution = 0;
	ball->id = 7;
	struct circle_def *door = scenario_circle(&scenario, 0, 1, 0, 0, 1);
	door->kind = BODY_STATIC;
	door->sensor = true;
	door->id = 9;
	scenario.segments[0].restitution = 0;
	run_start(&run, &scenario);
	run_ticks(&run, 1.0 / 64, 30);
	for (size_t i = 0; i < world_open_pair_count(run.world); i++) {
		const struct open_pair pair = world_open_pair(run.world, i);
		assert_int_equal(pair.a, 7);
		assert_int_equal(pair.b, pair.inside ? 9 : 4);
		assert_int_equal(pair.other, pair.inside ? CONTACT_CIRCLE : CONTACT_SEGMENT);
		inside += pair.inside;
		touching += !pair.inside;
	}
	assert_int_equal(inside, 1);
	assert_int_equal(touching, 1);
	run_finish(&run);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_description_defines_the_same_world),
		cmocka_unit_test(test_description_is_of_now),
		cmocka_unit_test(test_outline_of_a_snapshot),
		cmocka_unit_test(test_sleepers_are_told),
		cmocka_unit_test(test_limit_of_contacts_is_set_anew),
		cmocka_unit_test(test_open_pairs_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
