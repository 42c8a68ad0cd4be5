/* Edits that add to velocities: what is added is compared with sums in long double, explosions with the formula of Box2D 3. The
 * order within a batch must not matter, a refused batch changes nothing, and what slept wakes. */
#include "physics/velocities.h"

#include "physics/followers.h"
#include "physics/scenes.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 24
#define BATCH 60

/* Circles far from each other, of all kinds, by id. */
static struct circle_def
circle_make(uint64_t *random, uint32_t id)
{
	struct circle_def circle = circle_def_default();
	circle.id = id;
	circle.kind = random_below(random, 6) == 0 ? BODY_KINEMATIC : random_below(random, 8) == 0 ? BODY_STATIC : BODY_DYNAMIC;
	circle.x = 10.0 * (id % 5) + random_between(random, -2, 2);
	circle.y = 10.0 * (id / 5) + random_between(random, -2, 2);
	circle.radius = random_between(random, 0.1, 2);
	circle.mass = random_between(random, 0.1, 9);
	circle.moment_of_inertia = random_below(random, 2) ? 0 : random_between(random, 0.1, 5);
	circle.category = 1u << random_below(random, 4);
	if (circle.kind != BODY_STATIC) {
		circle.vx = random_between(random, -5, 5);
		circle.vy = random_between(random, -5, 5);
		circle.angular_velocity = random_between(random, -5, 5);
	}
	return circle;
}

/* What is expected of a circle, and how large the terms of its sums are. */
struct expected {
	long double x, y, turn, scale;
};

static void
expected_add(struct expected *e, long double x, long double y, long double turn)
{
	e->x += x, e->y += y, e->turn += turn;
	e->scale += fabsl(x) + fabsl(y) + fabsl(turn);
}

static long double
inertia_of(const struct circle_def *c)
{
	return c->moment_of_inertia != 0 ? (long double)c->moment_of_inertia : (long double)c->mass * c->radius * c->radius / 2;
}

static void
impulse_expect(struct expected *e, const struct circle_def *c, const struct circle_push *push)
{
	long double turn = push->turn;
	if (push->has_point)
		turn += ((long double)push->point_x - c->x) * push->y - ((long double)push->point_y - c->y) * push->x;
	expected_add(e, push->x / (long double)c->mass, push->y / (long double)c->mass, turn / inertia_of(c));
	/* The products of the moment may be larger than it. */
	if (push->has_point)
		e->scale += 60 * (fabsl((long double)push->x) + fabsl((long double)push->y)) / inertia_of(c);
}

static void
explosion_expect(struct expected *e, const struct circle_def *c, const struct explosion *blast)
{
	const long double dx = (long double)c->x - blast->x, dy = (long double)c->y - blast->y, from = sqrtl(dx * dx + dy * dy);
	const long double apart = from > c->radius ? from - c->radius : 0;
	long double scale = 1;
	if (c->kind != BODY_DYNAMIC || !(c->category & blast->mask) || apart > (long double)blast->radius + blast->falloff)
		return;
	if (apart > blast->radius && blast->falloff > 0)
		scale = ((long double)blast->radius + blast->falloff - apart) / blast->falloff;
	const long double impulse = (long double)blast->impulse_per_length * 2 * c->radius * scale;
	expected_add(e, from > 0 ? impulse * dx / from / c->mass : impulse / c->mass, from > 0 ? impulse * dy / from / c->mass : 0,
	             0);
	/* Where the falloff ends, rounding of the distance counts. */
	if (blast->falloff > 0)
		e->scale += fabsl(impulse) / c->mass / scale * (from + blast->radius + blast->falloff) / blast->falloff;
}

static struct edit
edit_make(uint64_t *random, const struct circle_def *circles, struct expected *expected)
{
	const struct circle_def *circle = &circles[random_below(random, COUNT)];
	struct expected *e = &expected[circle->id];
	struct circle_push push = { .id = circle->id, .x = random_between(random, -9, 9), .y = random_between(random, -9, 9) };
	if (random_below(random, 4) == 0) {
		const struct explosion blast = { .x = random_between(random, -5, 45),
			                             .y = random_between(random, -5, 45),
			                             .radius = random_below(random, 3) ? random_between(random, 0, 15) : 0,
			                             .falloff = random_below(random, 3) ? random_between(random, 1, 15) : 0,
			                             .impulse_per_length = random_between(random, -3, 9),
			                             .mask = (uint32_t)random_below(random, 16) };
		for (size_t i = 0; i < COUNT; i++)
			explosion_expect(&expected[i], &circles[i], &blast);
		return edit_explosion(&blast);
	}
	if (circle->kind == BODY_DYNAMIC && random_below(random, 2)) {
		push.turn = random_below(random, 2) ? random_between(random, -3, 3) : 0;
		push.has_point = random_below(random, 2);
		push.point_x = push.has_point ? circle->x + random_between(random, -2, 2) : 0;
		push.point_y = push.has_point ? circle->y + random_between(random, -2, 2) : 0;
		impulse_expect(e, circle, &push);
		return edit_circle_impulse(&push);
	}
	if (circle->kind == BODY_STATIC)
		push.x = push.y = 0;
	expected_add(e, push.x, push.y, 0);
	return edit_circle_add_velocity(circle->id, push.x, push.y);
}

static void
circle_judge(const struct circle_def *now, const struct expected *e)
{
	const long double limit = 0x1p-50L * (e->scale + 10);
	assert_true(fabsl(now->vx - e->x) <= limit);
	assert_true(fabsl(now->vy - e->y) <= limit);
	assert_true(fabsl(now->angular_velocity - e->turn) <= limit);
}

static void
one_batch(uint64_t seed)
{
	uint64_t random = seed;
	struct scenario scenario;
	struct circle_def circles[COUNT];
	struct expected expected[COUNT];
	struct edit edits[BATCH];
	struct def_problem problem;
	scenario_init(&scenario);
	for (uint32_t i = 0; i < COUNT; i++) {
		circles[i] = circle_make(&random, i);
		expected[i] = (struct expected){ 0 };
		expected_add(&expected[i], circles[i].vx, circles[i].vy, circles[i].angular_velocity);
		*scenario_circle(&scenario, 0, 0, 0, 0, 1) = circles[i];
	}
	const size_t count = (size_t)random_below(&random, BATCH + 1);
	for (size_t k = 0; k < count; k++)
		edits[k] = edit_make(&random, circles, expected);
	struct world *world = scenario_world(&scenario), *twin = scenario_world(&scenario);
	assert_int_equal(world_edit(world, edits, count, &problem), STATUS_OK);
	for (size_t k = count; k > 1; k--) {
		const size_t other = (size_t)random_below(&random, k);
		const struct edit edit = edits[other];
		edits[other] = edits[k - 1];
		edits[k - 1] = edit;
	}
	assert_int_equal(world_edit(twin, edits, count, &problem), STATUS_OK);
	struct snapshot first = snapshot_take(world), second = snapshot_take(twin);
	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.bytes, second.bytes, first.size);
	for (size_t i = 0; i < COUNT; i++) {
		const struct circle_def now = world_circle(world, i);
		circle_judge(&now, &expected[i]);
		assert_double_same_bits(now.x, circles[i].x);
		assert_double_same_bits(now.y, circles[i].y);
	}
	free(first.bytes);
	free(second.bytes);
	world_destroy(world);
	world_destroy(twin);
	scenario_finish(&scenario);
}

static void
test_sums(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort(300, 20000); seed++)
		one_batch(seed);
}

static struct scenario
few(void)
{
	struct scenario scenario;
	struct circle_def circle = circle_def_default();
	scenario_init(&scenario);
	circle.radius = 0.5;
	for (circle.id = 0; circle.id < 3; circle.id++) {
		circle.kind = (enum body_kind)circle.id;
		circle.x = 4 * circle.id;
		*scenario_circle(&scenario, 0, 0, 0, 0, 1) = circle;
	}
	return scenario;
}

/* A change of velocity and what is added to it; cancelling sums are exact; nothing added is no edit. */
static void
test_with_changes(void **state)
{
	(void)state;
	struct scenario scenario = few();
	struct world *world = scenario_world(&scenario);
	const struct circle_def change = { .id = 0, .vx = 3, .mass = 4, .kind = BODY_DYNAMIC };
	const struct circle_push push = { .id = 0, .x = 0, .y = 8, .turn = 1 };
	struct edit edits[8] = { edit_circle_add_velocity(0, 1e9, 0),
		                     edit_circle_add_velocity(0, 0x1p-30, 0),
		                     edit_circle_add_velocity(0, -1e9, 0),
		                     edit_circle_impulse(&push),
		                     edit_circle_change(&change, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_MASS)),
		                     edit_circle_add_velocity(1, -2, 0) };
	struct def_problem problem;
	assert_int_equal(world_edit(world, edits, 6, &problem), STATUS_OK);
	const struct circle_def now = world_circle(world, 0);
	assert_true(now.vx == 3 + 0x1p-30 && now.vy == 2);
	assert_true(now.angular_velocity == 1 / (0.5 * 4 * 0.25)); /* the disc of the new mass */
	assert_true(world_circle(world, 1).vx == -2);
	const uint64_t hash = world_hash(world);
	edits[0] = edit_circle_add_velocity(0, 0, -0.0);
	edits[1] = edit_circle_add_velocity(2, 0, 0);
	assert_int_equal(world_edit(world, edits, 2, &problem), STATUS_OK);
	assert_true(world_hash(world) == hash);
	world_destroy(world);
	scenario_finish(&scenario);
}

static void
test_refusals(void **state)
{
	(void)state;
	struct scenario scenario = few();
	struct world *world = scenario_world(&scenario);
	const struct circle_push kinematic = { .id = 1, .x = 1 }, fixed = { .id = 2, .x = 1 }, none = { .id = 9, .x = 1 };
	const struct circle_push spin = { .id = 0, .turn = NAN }, far = { .id = 0, .x = 1, .has_point = true, .point_y = 1e15 };
	const struct circle_push endless = { .id = 0, .x = 1e300, .has_point = true, .point_y = 1e300, .point_x = 1 };
	const struct explosion strong = { .radius = 2, .impulse_per_length = 1e14, .mask = 1 }, wide = { .radius = -1 };
	struct edit edits[3] = { edit_circle_add_velocity(0, 1, 1) };
	edits[1] = edit_circle_impulse(&kinematic);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_KIND);
	edits[1] = edit_circle_impulse(&fixed);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_KIND);
	edits[1] = edit_circle_impulse(&none);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	edits[1] = edit_circle_impulse(&spin);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ANGULAR_VELOCITY);
	edits[1] = edit_circle_add_velocity(2, 0, 1);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_VY);
	edits[1] = edit_circle_add_velocity(1, 2e12, 1);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_VX);
	edits[1] = edit_circle_add_velocity(1, 0, INFINITY);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_VY);
	edits[0] = edit_circle_impulse(&far);
	batch_refused(world, edits, 1, 0, DEF_CIRCLE_ANGULAR_VELOCITY);
	edits[0] = edit_circle_impulse(&endless);
	batch_refused(world, edits, 1, 0, DEF_CIRCLE_VX);
	edits[0] = edit_explosion(&strong);
	batch_refused(world, edits, 1, 0, DEF_CIRCLE_VX);
	edits[0] = edit_explosion(&wide);
	batch_refused(world, edits, 1, 0, DEF_CIRCLE_RADIUS);
	edits[0] = edit_circle_remove(0);
	edits[1] = edit_circle_add_velocity(0, 1, 1);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	/* An explosion does not reach what is removed, or becomes another kind. */
	struct def_problem problem;
	struct circle_def change = { .id = 0, .kind = BODY_STATIC };
	edits[1] = edit_explosion(&strong);
	edits[2] = edit_circle_change(&change, edit_field(DEF_CIRCLE_KIND));
	assert_int_equal(world_edit(world, edits + 1, 2, &problem), STATUS_OK);
	change = world_circle(world, 0);
	assert_true(change.kind == BODY_STATIC && change.vx == 0);
	assert_int_equal(world_edit(world, edits, 2, &problem), STATUS_OK);
	assert_int_equal(world_body_count(world), 2);
	world_destroy(world);
	scenario_finish(&scenario);
}

/* A pile sleeps; an explosion under it wakes it. */
static void
test_sleepers(void **state)
{
	(void)state;
	struct scenario scenario;
	struct tick_report report;
	struct def_problem problem;
	size_t woken = 0;
	scenario_init(&scenario);
	scene_pile(&scenario, 30, 8, 0.5, 0.5, 3);
	scenario.def.sleep_after = 0.1;
	struct world *world = scenario_world(&scenario);
	do
		assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	while (report.asleep < 30 && report.tick < 3000);
	assert_int_equal(report.asleep, 30);
	const struct circle_def lowest = world_circle(world, 0);
	const struct explosion blast = { lowest.x, lowest.y - 0.1, 1, 2, 4, UINT32_MAX };
	assert_int_equal(world_explode(world, &blast, &problem), STATUS_OK);
	assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	for (size_t k = 0; k < report.path_change_count; k++)
		woken += report.path_changes[k].kind == PATH_WOKEN;
	assert_true(woken == 30 && report.asleep == 0);
	world_destroy(world);
	scenario_finish(&scenario);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sums), cmocka_unit_test(test_with_changes),
		                                cmocka_unit_test(test_refusals), cmocka_unit_test(test_sleepers) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
