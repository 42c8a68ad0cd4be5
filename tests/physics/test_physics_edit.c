/* Worlds that change between ticks: what each edit does to those it concerns, and to no others. */
#include "physics/followers.h"
#include "physics/living.h"
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/soup.h"

#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

static struct circle_def
circle_at(uint32_t id, double x, double y, double radius)
{
	struct circle_def circle = circle_def_default();
	circle.id = id;
	circle.x = x;
	circle.y = y;
	circle.radius = radius;
	return circle;
}

static void
edit_one(struct world *world, struct edit edit)
{
	struct def_problem problem;
	const enum status status = world_edit(world, &edit, 1, &problem);
	if (status != STATUS_OK)
		print_error("field %d: %s\n", (int)problem.field, problem.text);
	assert_int_equal(status, STATUS_OK);
}

static size_t
index_of(const struct world *world, uint32_t id)
{
	size_t index = SIZE_MAX;
	assert_true(world_body_find(world, id, &index));
	return index;
}

static struct body_state
body_of(const struct world *world, uint32_t id)
{
	return world_body(world, index_of(world, id));
}

/* A scene that was put together by edits is the scene: the same bits in every tick. */
static void
test_a_world_built_by_edits_is_the_world(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort(10, 40); seed++) {
		struct soup soup;
		struct def_problem problem;
		struct world *whole = NULL, *built = NULL;
		uint64_t random = seed;
		soup_make(&soup, seed, seed % 2 == 0);
		struct world_def def = *scenario_def(&soup.scenario);
		if (world_create(&def, &problem, &whole) != STATUS_OK) {
			soup_finish(&soup);
			continue;
		}
		struct edit *edits = calloc(def.circle_count + def.segment_count + 1, sizeof *edits);
		assert_non_null(edits);
		size_t count = 0;
		for (size_t i = 0; i < def.circle_count; i++)
			edits[count++] = edit_circle_spawn(&def.circles[i]);
		for (size_t i = 0; i < def.segment_count; i++)
			edits[count++] = edit_segment_spawn(&def.segments[i]);
		for (size_t i = count; i > 1; i--) {
			const size_t k = (size_t)random_below(&random, i);
			const struct edit swap = edits[i - 1];
			edits[i - 1] = edits[k];
			edits[k] = swap;
		}
		def.circle_count = def.segment_count = 0;
		assert_int_equal(world_create(&def, &problem, &built), STATUS_OK);
		for (size_t at = 0, n; at < count; at += n) {
			n = 1 + (size_t)random_below(&random, count - at);
			assert_int_equal(world_edit(built, edits + at, n, &problem), STATUS_OK);
		}
		for (uint64_t i = 0; i < soup.ticks && i < 30; i++) {
			struct tick_report a, b;
			assert_int_equal(world_step(whole, soup.dt, &a), STATUS_OK);
			assert_int_equal(world_step(built, soup.dt, &b), STATUS_OK);
			reports_same(&a, &b);
		}
		free(edits);
		world_destroy(whole);
		world_destroy(built);
		soup_finish(&soup);
	}
}

/* Among those that fly, what is removed and added again in one batch was never away; nor does it matter to others that are far.
 */
static void
test_removed_and_spawned_again_behaves_the_same(void **state)
{
	(void)state;
	struct scenario scenario;
	struct def_problem problem;
	struct world *plain = NULL, *edited = NULL;
	uint64_t random = 9;
	scenario_init(&scenario);
	scene_mixed(&scenario, 24, 6, 5);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &plain), STATUS_OK);
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &edited), STATUS_OK);
	for (int i = 0; i < 200; i++) {
		struct tick_report a, b;
		const size_t index = (size_t)random_below(&random, 24);
		const struct circle_def circle = world_circle(edited, index);
		const struct segment_def wall = world_segment(edited, index % world_segment_count(edited));
		const struct body_handle before = world_body_handle(edited, index);
		edit_one(edited, edit_circle_remove(circle.id));
		edit_one(edited, edit_segment_remove(wall.id));
		assert_int_equal(world_body_count(edited), 23);
		edit_one(edited, edit_segment_spawn(&wall));
		edit_one(edited, edit_circle_spawn(&circle));
		size_t found;
		assert_false(world_body_of(edited, before, &found));
		assert_int_equal(world_step(plain, dt, &a), STATUS_OK);
		assert_int_equal(world_step(edited, dt, &b), STATUS_OK);
		reports_same(&a, &b);
	}
	world_destroy(plain);
	world_destroy(edited);
	scenario_finish(&scenario);
}

/* Two pyramids of 15 at rest on one floor. */
static void
two_piles(struct living *living, struct scenario *scenario, double sleep_after)
{
	scenario_init(scenario);
	scenario->def.gravity_y = -10;
	scenario->def.sleep_after = sleep_after;
	scenario_segment(scenario, -20, 0, 20, 0);
	scenario_segment(scenario, -1, 0, -1, 30);
	scenario_segment(scenario, 1, 0, 1, 30);
	scenario_segment(scenario, -20, 0, -20, 30);
	scenario_segment(scenario, 20, 0, 20, 30);
	for (int row = 0; row < 5; row++) {
		for (int k = 0; k < 5 - row; k++) {
			scenario_circle(scenario, -14 + 1.006 * k + 0.503 * row, 0.51 + 0.872 * row, 0, 0, 0.5);
			scenario_circle(scenario, 14 - 1.006 * k - 0.503 * row, 0.51 + 0.872 * row, 0, 0, 0.5);
		}
	}
	for (size_t i = 0; i < scenario->circle_count; i++) {
		scenario->circles[i].friction = 0.6;
		scenario->circles[i].rolling_resistance = 0.1;
	}
	for (size_t i = 0; i < scenario->segment_count; i++)
		scenario->segments[i].friction = 0.6;
	scenario_restitution(scenario, 0);
	living_start(living, scenario_def(scenario), true, 3);
}

static void
step_many(struct living *living, int ticks)
{
	for (int i = 0; i < ticks; i++) {
		living_step(living, dt);
		living_certify(living);
	}
}

/* Even ids lie left, odd ones right. */
static uint32_t
asleep_count(const struct living *living, uint32_t odd)
{
	uint32_t count = 0;
	for (size_t i = 0; i < world_body_count(living->world); i++) {
		const struct body_state body = world_body(living->world, i);
		count += body.id % 2 == odd && body.asleep;
	}
	return count;
}

static void
sleep_all(struct living *living, size_t count)
{
	for (int i = 0; i < 3000 && living->report.asleep < count; i++)
		step_many(living, 1);
	assert_int_equal(living->report.asleep, count);
}

/* From the corner of one pile that sleeps one is taken: what lay on it falls, nothing overlaps (certified), the other pile
 * sleeps on. */
static void
test_one_is_taken_from_under_a_pile(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	two_piles(&living, &scenario, 0.25);
	sleep_all(&living, 30);
	double before = 0, after = 0;
	for (size_t i = 0; i < world_body_count(living.world); i++)
		before += world_body(living.world, i).id == 0 ? 0 : world_body(living.world, i).y;
	const struct edit edit = edit_circle_remove(0);
	living_edited(&living, &edit, 1);
	assert_int_equal(asleep_count(&living, 0), 0);
	assert_int_equal(asleep_count(&living, 1), 15);
	living_step(&living, dt);
	living_certify(&living);
	size_t woken = 0;
	for (size_t i = 0; i < living.report.path_change_count; i++) {
		const struct path_change *change = &living.report.path_changes[i];
		if (change->kind != PATH_WOKEN)
			continue;
		assert_same(change->time, 0);
		assert_int_equal(change->body % 2, 0);
		woken++;
	}
	assert_int_equal(woken, 14);
	sleep_all(&living, 29);
	for (size_t i = 0; i < world_body_count(living.world); i++)
		after += world_body(living.world, i).y;
	/* Some fell by a good part of a radius. */
	assert_true(after < before - 0.3);
	assert_int_equal(living.flags, 0);
	living_finish(&living);
	scenario_finish(&scenario);
}

/* The floor is one segment: without it all wake and fall. */
static void
test_the_floor_is_taken(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	two_piles(&living, &scenario, 0.25);
	sleep_all(&living, 30);
	const struct edit edit = edit_segment_remove(0);
	living_edited(&living, &edit, 1);
	assert_int_equal(asleep_count(&living, 0) + asleep_count(&living, 1), 0);
	step_many(&living, 30);
	/* Half a second of free fall, but for walls at the sides: 1.25. */
	for (size_t i = 0; i < world_body_count(living.world); i++)
		assert_true(world_body(living.world, i).y < 4.1 - 1.0);
	assert_true(world_body(living.world, 0).y < -0.5); /* of the bottom row */
	living_finish(&living);
	scenario_finish(&scenario);
}

/* What is spawned above sleepers leaves them asleep up to the contact, which comes when the formula says. */
static void
test_spawned_above_sleepers(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	two_piles(&living, &scenario, 0.25);
	sleep_all(&living, 30);
	double top = 0;
	for (size_t i = 0; i < world_body_count(living.world); i++) {
		const struct body_state body = world_body(living.world, i);
		if (fabs(body.x + 12) < 1)
			top = fmax(top, body.y + body.radius);
	}
	struct circle_def ball = circle_at(100, -12, top + 3, 0.5);
	ball.restitution = 0.5;
	const struct edit edit = edit_circle_spawn(&ball);
	living_edited(&living, &edit, 1);
	assert_int_equal(asleep_count(&living, 0), 15);
	assert_int_equal(asleep_count(&living, 1), 15);
	double met = -1;
	for (int i = 0; i < 90 && met < 0; i++) {
		living_step(&living, dt);
		living_certify(&living);
		if (living.report.contact_count > 0) {
			const struct contact *c = &living.report.contacts[0];
			const struct body_state other = body_of(living.world, c->a == 100 ? c->b : c->a);
			/* It fell freely from its place to that of the contact. */
			const double fall = ball.y - (c->point[1] + (c->a == 100 ? c->normal[1] : -c->normal[1]) * ball.radius);
			met = i * dt + c->time;
			assert_at_most(fabs(5 * met * met - fall), 1e-8);
			assert_int_equal(other.id % 2, 0);
		} else {
			assert_int_equal(asleep_count(&living, 0), 15);
		}
	}
	assert_true(met > 0.5);
	assert_int_equal(asleep_count(&living, 0), 0);
	assert_int_equal(asleep_count(&living, 1), 15);
	living_finish(&living);
	scenario_finish(&scenario);
}

/* Put into sleepers: they wake at once, and part. */
static void
test_spawned_into_sleepers(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	two_piles(&living, &scenario, 0.25);
	sleep_all(&living, 30);
	const struct body_state host = body_of(living.world, 18);
	struct circle_def ball = circle_at(100, host.x + 0.1, host.y + 0.8, 0.4);
	ball.restitution = 0;
	const struct edit edit = edit_circle_spawn(&ball);
	living_edited(&living, &edit, 1);
	assert_int_equal(asleep_count(&living, 0), 0);
	assert_int_equal(asleep_count(&living, 1), 15);
	for (int i = 0; i < 240; i++)
		living_step(&living, dt);
	assert_int_equal(living.flags & ~(uint32_t)BODY_FLAG_INITIAL_OVERLAP, 0);
	assert_int_equal(living.report.shortfall_count, 0);
	for (size_t i = 0; i < world_body_count(living.world); i++) {
		const struct body_state a = world_body(living.world, i);
		for (size_t k = 0; k < i; k++) {
			const struct body_state b = world_body(living.world, k);
			assert_at_most(a.radius + b.radius - hypot(a.x - b.x, a.y - b.y), 1e-12);
		}
	}
	living_finish(&living);
	scenario_finish(&scenario);
}

/* A sleeper that gets a velocity, that is carried off, or that is held: each wakes its pile and no other. */
static void
test_sleepers_that_are_changed(void **state)
{
	(void)state;
	for (int what = 0; what < 4; what++) {
		struct scenario scenario;
		struct living living;
		two_piles(&living, &scenario, 0.25);
		sleep_all(&living, 30);
		struct circle_def circle = world_circle(living.world, index_of(living.world, 18));
		uint64_t fields = edit_field(DEF_CIRCLE_VY);
		circle.vy = 4;
		if (what == 1) {
			circle.x = 0;
			circle.y = 10;
			fields = edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y);
		} else if (what == 2) {
			circle.kind = BODY_STATIC;
			fields = edit_field(DEF_CIRCLE_KIND);
		} else if (what == 3) {
			circle.friction = 0;
			fields = edit_field(DEF_CIRCLE_FRICTION);
		}
		const struct edit edit = edit_circle_change(&circle, fields);
		living_edited(&living, &edit, 1);
		assert_int_equal(asleep_count(&living, 0), 0);
		assert_int_equal(asleep_count(&living, 1), 15);
		step_many(&living, 120);
		if (what == 2) {
			const struct body_state held = body_of(living.world, 18);
			assert_same(held.x, circle.x);
			assert_same(held.y, circle.y);
		}
		sleep_all(&living, what == 2 ? 29 : 30);
		living_finish(&living);
		scenario_finish(&scenario);
	}
}

/* The rest of a settled pile hardly notices that one on top is gone: its impulses are kept. */
static void
test_the_rest_of_a_pile_keeps_its_rest(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	two_piles(&living, &scenario, 0);
	step_many(&living, 600);
	struct body_state before[30];
	for (uint32_t i = 0; i < 30; i++)
		before[i] = world_body(living.world, i);
	/* The one on top of the right pile, and a wall that none touches. */
	const struct edit edits[] = { edit_circle_remove(29), edit_segment_remove(1) };
	living_edited(&living, edits, 2);
	step_many(&living, 60);
	for (uint32_t i = 0; i < 29; i++) {
		const struct body_state now = world_body(living.world, i);
		assert_at_most(hypot(now.x - before[i].x, now.y - before[i].y), 0.005);
	}
	living_finish(&living);
	scenario_finish(&scenario);
}

static void
test_a_velocity_is_given(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario_segment(&scenario, -20, 0, 20, 0);
	scenario_circle(&scenario, 0, 0.5, 0, 0, 0.5)->restitution = 0;
	scenario.segments[0].restitution = 0;
	scenario.segments[0].friction = 0.5;
	living_start(&living, scenario_def(&scenario), true, 2);
	step_many(&living, 30);
	/* A leap of known height: v^2 / 2g = 1.25. The solver has it for its first part, where it goes straight. */
	struct circle_def circle = world_circle(living.world, 0);
	const double y = circle.y;
	circle.vy = 5;
	const struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VY));
	living_edited(&living, &edit, 1);
	double top = 0;
	for (int i = 0; i < 50; i++) {
		step_many(&living, 1);
		top = fmax(top, world_body(living.world, 0).y - y);
	}
	assert_at_most(fabs(top - 1.25), 0.03);
	living_finish(&living);
	scenario_finish(&scenario);
}

/* What wakes by an edit is damped like all others: the stream tells that it wakes, then its velocity. */
static void
test_a_velocity_is_given_to_a_damped_sleeper(void **state)
{
	(void)state;
	struct scenario scenario;
	struct living living;
	scenario_init(&scenario);
	scenario.def.gravity_y = -10;
	scenario.def.sleep_after = 0.1;
	scenario_segment(&scenario, -20, 0, 20, 0)->restitution = 0;
	struct circle_def *damped = scenario_circle(&scenario, 0, 0.5, 0, 0, 0.5);
	damped->restitution = 0;
	damped->linear_damping = 2;
	living_start(&living, scenario_def(&scenario), true, 2);
	step_many(&living, 60);
	assert_true(world_body(living.world, 0).asleep);
	struct circle_def circle = world_circle(living.world, 0);
	circle.vx = 3;
	circle.vy = 4;
	const struct edit edit = edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	living_edited(&living, &edit, 1);
	step_many(&living, 1);
	assert_double_near(world_body(living.world, 0).vx, 3 / (1 + 2 * dt), 1e-15);
	step_many(&living, 10);
	living_finish(&living);
	scenario_finish(&scenario);
}

/* One that has flown, or turned, beyond what a definition may hold is edited all the same, as long as that is not what is
 * given. */
static void
test_what_has_gone_too_far_may_be_edited(void **state)
{
	(void)state;
	static const enum def_field fields[] = { DEF_CIRCLE_X, DEF_CIRCLE_Y, DEF_CIRCLE_VX, DEF_CIRCLE_VY, DEF_CIRCLE_ANGLE };
	for (size_t k = 0; k < sizeof fields / sizeof *fields; k++) {
		for (int sign = -1; sign <= 1; sign += 2) {
			struct world_def def = world_def_default();
			struct circle_def circle = circle_def_default();
			struct def_problem problem;
			struct tick_report report;
			struct world *world;
			circle.radius = 1;
			circle.vx = fields[k] == DEF_CIRCLE_X || fields[k] == DEF_CIRCLE_VX ? sign * PHYSICS_SPEED_MAX : 0;
			circle.vy = fields[k] == DEF_CIRCLE_Y || fields[k] == DEF_CIRCLE_VY ? sign * PHYSICS_SPEED_MAX : 0;
			circle.angular_velocity = fields[k] == DEF_CIRCLE_ANGLE ? sign * PHYSICS_SPEED_MAX : 0;
			circle.friction = 1;
			def.gravity_x = fields[k] == DEF_CIRCLE_VX ? sign : 0;
			def.gravity_y = fields[k] == DEF_CIRCLE_VY ? sign : 0;
			def.circles = &circle;
			def.circle_count = 1;
			assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
			for (int tick = 0; tick < 2; tick++)
				assert_int_equal(world_step(world, 1, &report), STATUS_OK);
			const struct circle_def far = world_circle(world, 0);
			struct circle_def changed = far;
			changed.restitution = 0.25;
			const struct edit good = edit_circle_change(&changed, edit_field(DEF_CIRCLE_RESTITUTION));
			const struct edit bad = edit_circle_change(&changed, edit_field(DEF_CIRCLE_RESTITUTION) | edit_field(fields[k]));
			assert_int_equal(world_edit(world, &bad, 1, &problem), STATUS_INVALID_ARGUMENT);
			assert_int_equal(problem.field, fields[k]);
			assert_int_equal(world_edit(world, &good, 1, &problem), STATUS_OK);
			changed = world_circle(world, 0);
			assert_true(changed.restitution == 0.25 && changed.x == far.x && changed.y == far.y && changed.vx == far.vx &&
			            changed.vy == far.vy && changed.angle == far.angle);
			world_destroy(world);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_world_built_by_edits_is_the_world),
		cmocka_unit_test(test_removed_and_spawned_again_behaves_the_same),
		cmocka_unit_test(test_one_is_taken_from_under_a_pile),
		cmocka_unit_test(test_the_floor_is_taken),
		cmocka_unit_test(test_spawned_above_sleepers),
		cmocka_unit_test(test_spawned_into_sleepers),
		cmocka_unit_test(test_sleepers_that_are_changed),
		long_case(test_the_rest_of_a_pile_keeps_its_rest),
		cmocka_unit_test(test_a_velocity_is_given),
		cmocka_unit_test(test_a_velocity_is_given_to_a_damped_sleeper),
		cmocka_unit_test(test_what_has_gone_too_far_may_be_edited),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
