/* Sweeps: circles that are placed, but stop at the first thing on their way. What that should be is computed in long double,
 * with filters of the test's own. A tick of a world in which all else is static must say the same, to the bit. The order of a
 * batch must not matter, and several sweeps are one after the other. */
#include "physics/followers.h"
#include "physics/scenes.h"
#include "physics/sweep_judge.h"

#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CIRCLES 24
#define WALLS 14

static size_t
index_of(const struct world *world, uint32_t id)
{
	size_t index;
	assert_true(world_body_find(world, id, &index));
	return index;
}

/* ---- random scenes */

static bool
chance(uint64_t *random, unsigned percent)
{
	return random_below(random, 100) < percent;
}

static void
filters_make(uint64_t *random, uint32_t *category, uint32_t *mask, int32_t *filter, uint32_t *group)
{
	*category = chance(random, 70) ? 1 : 1u << random_below(random, 4);
	*mask = chance(random, 70) ? UINT32_MAX : (uint32_t)random_below(random, 16);
	*filter = chance(random, 80) ? 0 : (int32_t)random_below(random, 5) - 2;
	*group = (uint32_t)random_below(random, 3);
}

/* No circle in another one or in a wall. Walls may cross, be joined, thick, off, or sensors. */
static void
scene_make(struct scenario *s, uint64_t *random, double size)
{
	struct segment_def last = segment_def_default();
	scenario_init(s);
	for (int i = 0; i < WALLS; i++) {
		const bool joined = i > 0 && chance(random, 40);
		const double x = joined ? last.x2 : random_between(random, -size, size),
					 y = joined ? last.y2 : random_between(random, -size, size);
		struct segment_def *w = scenario_segment(s, x, y, x + random_between(random, -size, size) / 2,
		                                         y + random_between(random, -size, size) / 2);
		w->radius = joined ? last.radius : chance(random, 25) ? size * random_between(random, 0.001, 0.02) : 0;
		filters_make(random, &w->category, &w->mask, &w->filter_group, &w->group);
		w->disabled = chance(random, 10);
		w->sensor = chance(random, 10);
		last = *w;
	}
	for (uint32_t i = 0; i < CIRCLES; i++) {
		struct circle_def c = circle_def_default();
		c.id = i;
		c.radius = size * random_between(random, 0.005, 0.06);
		for (int tries = 0; tries < 100; tries++) {
			c.x = random_between(random, -size, size);
			c.y = random_between(random, -size, size);
			if (scene_clear(s, c.x, c.y, c.radius, 1e-6 * size))
				break;
		}
		if (!scene_clear(s, c.x, c.y, c.radius, 1e-6 * size))
			continue;
		filters_make(random, &c.category, &c.mask, &c.filter_group, &c.group);
		c.kind = chance(random, 80) ? BODY_DYNAMIC : chance(random, 50) ? BODY_STATIC : BODY_KINEMATIC;
		c.sensor = chance(random, 8);
		c.report_groups = chance(random, 10) ? random_below(random, 8) : 0;
		c.stop_groups = chance(random, 10) ? random_below(random, 8) & ~c.report_groups : 0;
		if (chance(random, 20) && i > 0) {
			c.ignore = chance(random, 50) ? IGNORE_ALWAYS : IGNORE_UNTIL_APART;
			c.ignored_circle = (uint32_t)random_below(random, i);
		}
		const uint32_t id = (uint32_t)s->circle_count;
		*scenario_circle(s, 0, 0, 0, 0, 1) = c;
		s->circles[id].id = id;
	}
}

/* A place somewhere, beyond everything, or aimed at the edge of something: by some ulp it is met, or passed. */
static void
place_choose(const struct scenario *s, uint64_t *random, const struct circle_def *circle, double size, double *x, double *y)
{
	*x = random_between(random, -2 * size, 2 * size);
	*y = random_between(random, -2 * size, 2 * size);
	if (chance(random, 50))
		return;
	const struct circle_def *edge = &s->circles[random_below(random, s->circle_count)];
	const double dx = edge->x - circle->x, dy = edge->y - circle->y, away = hypot(dx, dy), near = edge->radius + circle->radius;
	if (away <= near)
		return;
	/* Along its tangent, and some skins beside it. */
	const double off = near * (1 + random_between(random, -4e-9, 4e-9)),
				 angle = asin(fmin(off / away, 1)) * (chance(random, 50) ? 1 : -1);
	const double far = away * random_between(random, 0.5, 3) / away;
	*x = circle->x + far * (dx * cos(angle) - dy * sin(angle));
	*y = circle->y + far * (dx * sin(angle) + dy * cos(angle));
}

static void
one_scene(uint64_t seed, struct sweep_counts *counts)
{
	uint64_t random = seed;
	struct scenario s;
	struct def_problem problem;
	const double size = pow(10, random_between(&random, -3, 8));
	scene_make(&s, &random, size);
	struct world *world = scenario_world(&s);
	for (int k = 0; k < 12; k++) {
		struct circle_def *c = &s.circles[random_below(&random, s.circle_count)];
		double x, y;
		place_choose(&s, &random, c, size, &x, &y);
		const struct edit edit = edit_circle_sweep(c->id, x, y);
		const struct circle_def before = *c;
		assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
		const struct circle_def now = world_circle(world, index_of(world, c->id));
		assert_true(now.vx == before.vx && now.vy == before.vy && now.angle == before.angle);
		sweep_judge(&s, &before, x, y, &now, counts);
		c->x = now.x;
		c->y = now.y;
	}
	world_destroy(world);
	scenario_finish(&s);
}

static void
test_long_double(void **state)
{
	(void)state;
	struct sweep_counts counts = { 0 };
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(25, 2500, 8000); seed++)
		one_scene(seed, &counts);
	print_message("%llu sweeps, %llu stopped, %llu at once\n", (unsigned long long)counts.swept,
	              (unsigned long long)counts.stopped, (unsigned long long)counts.stuck);
	assert_true(counts.stopped > counts.swept / 5 && counts.swept - counts.stopped > counts.swept / 5);
}

/* ---- a tick says the same */

/* The circle as it would fly there in one second, through everything as it stands, and stop at its first contact. */
static struct circle_def
flown(const struct scenario *s, size_t flyer, double x, double y)
{
	struct scenario still = *s;
	struct tick_report report;
	still.circles = calloc(s->circle_count, sizeof *still.circles);
	assert_non_null(still.circles);
	memcpy(still.circles, s->circles, s->circle_count * sizeof *still.circles);
	for (size_t i = 0; i < s->circle_count; i++) {
		struct circle_def *c = &still.circles[i];
		c->vx = c->vy = 0;
		c->stop_groups = c->remove_groups = 0;
		if (i != flyer)
			c->kind = BODY_STATIC;
	}
	struct circle_def *c = &still.circles[flyer];
	c->vx = x - c->x;
	c->vy = y - c->y;
	c->stop_groups = ~c->report_groups;
	still.def.gravity_x = still.def.gravity_y = 0;
	struct world *world = scenario_world(&still);
	assert_int_equal(world_step(world, 1, &report), STATUS_OK);
	const struct circle_def end = world_circle(world, flyer);
	world_destroy(world);
	free(still.circles);
	return end;
}

static void
one_flight(uint64_t seed, bool sided)
{
	uint64_t random = seed * 31 + 7;
	struct scenario s;
	struct def_problem problem;
	const double size = pow(10, random_between(&random, -2, 3));
	scene_make(&s, &random, size);
	for (size_t i = 0; sided && i < s.segment_count; i++)
		s.segments[i].one_sided = chance(&random, 60);
	struct world *world = scenario_world(&s);
	for (int k = 0; k < 6; k++) {
		const size_t index = (size_t)random_below(&random, s.circle_count);
		struct circle_def *c = &s.circles[index];
		double x, y;
		place_choose(&s, &random, c, size, &x, &y);
		if (c->kind != BODY_DYNAMIC)
			continue;
		const struct edit edit = edit_circle_sweep(c->id, x, y);
		/* What is deep in something at its start is pushed out by a tick. */
		const struct circle_def expected = flown(&s, index, x, y);
		assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
		const struct circle_def now = world_circle(world, index);
		const bool arrived = now.x == x && now.y == y;
		if (!arrived || (expected.x == x && expected.y == y)) {
			assert_double_same_bits(now.x, expected.x);
			assert_double_same_bits(now.y, expected.y);
		} else {
			/* x + (to - x) is `to`, but for an ulp. */
			assert_true(fabs(expected.x - x) <= 4 * 0x1p-52 * (fabs(x) + fabs(c->x)));
			assert_true(fabs(expected.y - y) <= 4 * 0x1p-52 * (fabs(y) + fabs(c->y)));
		}
		/* The next one begins where nothing overlaps: not within a one-sided wall. */
		const struct edit back = edit_circle_change(c, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y));
		if (sided) {
			assert_int_equal(world_edit(world, &back, 1, &problem), STATUS_OK);
		} else {
			c->x = now.x;
			c->y = now.y;
		}
	}
	world_destroy(world);
	scenario_finish(&s);
}

static void
test_as_a_tick(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(150, 5000, 15000); seed++)
		one_flight(seed, seed % 2);
}

/* ---- batches */

static void
worlds_same(const struct world *a, const struct world *b)
{
	struct snapshot first = snapshot_take(a), second = snapshot_take(b);
	assert_int_equal(first.size, second.size);
	assert_memory_equal(first.bytes, second.bytes, first.size);
	free(first.bytes);
	free(second.bytes);
}

/* Several sweeps and other edits: in any order the same; and the same places as one after the other, by id, after the others.
 */
static void
one_batch(uint64_t seed)
{
	uint64_t random = seed * 77 + 3;
	struct scenario s;
	struct def_problem problem;
	struct edit edits[16];
	size_t count = 0, others;
	bool used[CIRCLES + 1] = { false };
	scene_make(&s, &random, 10);
	struct world *batch = scenario_world(&s), *shuffled = scenario_world(&s), *single = scenario_world(&s);
	if (chance(&random, 50)) {
		struct circle_def change = s.circles[0];
		change.radius *= 0.5;
		change.group = 2;
		edits[count++] = edit_circle_change(&change, edit_field(DEF_CIRCLE_RADIUS) | edit_field(DEF_CIRCLE_GROUP));
	}
	if (chance(&random, 50)) {
		edits[count++] = edit_circle_remove((uint32_t)s.circle_count - 1);
		used[s.circle_count - 1] = true;
	}
	if (chance(&random, 50)) {
		struct segment_def wall = segment_def_default();
		wall.id = 900;
		wall.x1 = wall.y1 = -9;
		wall.x2 = wall.y2 = 9;
		edits[count++] = edit_segment_spawn(&wall);
	}
	if (chance(&random, 50)) {
		const struct segment_def wall = { .id = s.segments[3].id, .disabled = !s.segments[3].disabled };
		edits[count++] = edit_segment_change(&wall, edit_field(DEF_SEGMENT_DISABLED));
	}
	others = count;
	for (uint32_t id = 0; id < s.circle_count && count < 14; id += 1 + (uint32_t)random_below(&random, 3)) {
		double x, y;
		if (used[id])
			continue;
		place_choose(&s, &random, &s.circles[id], 10, &x, &y);
		edits[count++] = edit_circle_sweep(id, x, y);
	}
	assert_int_equal(world_edit(batch, edits, count, &problem), STATUS_OK);
	if (others > 0)
		assert_int_equal(world_edit(single, edits, others, &problem), STATUS_OK);
	for (size_t k = others; k < count; k++)
		assert_int_equal(world_edit(single, &edits[k], 1, &problem), STATUS_OK);
	for (size_t i = 0; i < world_body_count(batch); i++) {
		const struct body_state a = world_body(batch, i), b = world_body(single, i);
		assert_int_equal(a.id, b.id);
		assert_double_same_bits(a.x, b.x);
		assert_double_same_bits(a.y, b.y);
	}
	for (size_t k = count; k > 1; k--) {
		const size_t other = (size_t)random_below(&random, k);
		const struct edit edit = edits[other];
		edits[other] = edits[k - 1];
		edits[k - 1] = edit;
	}
	assert_int_equal(world_edit(shuffled, edits, count, &problem), STATUS_OK);
	worlds_same(batch, shuffled);
	world_destroy(batch);
	world_destroy(shuffled);
	world_destroy(single);
	scenario_finish(&s);
}

static void
test_batches(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= (uint64_t)effort_most(80, 3000, 10000); seed++)
		one_batch(seed);
}

/* ---- single cases */

static struct circle_def
swept_to(struct world *world, uint32_t id, double x, double y)
{
	struct def_problem problem;
	const struct edit edit = edit_circle_sweep(id, x, y);
	assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
	return world_circle(world, index_of(world, id));
}

static void
test_touching(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s);
	scenario_segment(&s, 0, 0, 100, 0);
	scenario_circle(&s, 10, 1, 0, 0, 1); /* lies on the wall */
	scenario_circle(&s, 30, 1, 0, 0, 1);
	scenario_circle(&s, 60, 0.5, 0, 0, 1); /* deep in the wall */
	struct world *world = scenario_world(&s);
	/* Down: not at all. Along: up to the next one. Away: as far as is asked. */
	struct circle_def c = swept_to(world, 0, 12, 0.9);
	assert_true(c.x == 10 && c.y == 1);
	c = swept_to(world, 0, 50, 1);
	assert_true(c.x < 28 && c.x > 28 - 3e-9 && c.y == 1);
	/* It touches the other now: through it not, along the wall back freely. */
	const double held = c.x;
	c = swept_to(world, 0, 29, 1);
	assert_true(fabs(c.x - held) < 1e-12 && fabs(28 - c.x) < 3e-9);
	c = swept_to(world, 0, 20, 5);
	assert_true(c.x == 20 && c.y == 5);
	c = swept_to(world, 2, 60, 0.4);
	assert_true(c.x == 60 && c.y == 0.5);
	c = swept_to(world, 2, 60, 3);
	assert_true(c.y == 3);
	c = swept_to(world, 2, 60, -3);
	assert_true(c.y > 1 && c.y < 1 + 3e-9);
	world_destroy(world);
	scenario_finish(&s);
}

static void
test_one_sided_and_moving(void **state)
{
	(void)state;
	struct scenario s;
	struct tick_report report;
	scenario_init(&s);
	scenario_segment(&s, 0, 0, 10, 0)->one_sided = true; /* stops from above */
	struct segment_def *moving = scenario_segment(&s, 20, 0, 30, 0);
	moving->vy = 1;
	scenario_circle(&s, 5, 3, 0, 0, 1);
	scenario_circle(&s, 5, -3, 0, 0, 1);
	scenario_circle(&s, 25, 9, 0, 0, 1);
	struct world *world = scenario_world(&s);
	assert_int_equal(world_step(world, 0.5, &report), STATUS_OK);
	struct circle_def c = swept_to(world, 0, 5, -10);
	assert_true(c.y > 1 && c.y < 1 + 3e-9);
	c = swept_to(world, 1, 5, 0.5); /* from below it passes, up to the other one */
	assert_true(c.y < -0.9 && c.y > -1.1);
	c = swept_to(world, 0, 8, 3);
	c = swept_to(world, 1, 5, 0.5);
	assert_true(c.y == 0.5);
	c = swept_to(world, 1, 5, -0.5); /* it is within the wall, which does not stop it */
	assert_true(c.y == -0.5);
	c = swept_to(world, 2, 25, -20);
	assert_true(c.y > 1.5 && c.y < 1.5 + 3e-9);
	world_destroy(world);
	scenario_finish(&s);
}

static void
test_no_edit(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s);
	scenario_circle(&s, 10, 1, 3, 4, 1);
	struct world *world = scenario_world(&s), *same = scenario_world(&s);
	(void)swept_to(world, 0, 10, 1);
	worlds_same(world, same);
	world_destroy(world);
	world_destroy(same);
	scenario_finish(&s);
}

static void
test_refusals(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s);
	scenario_circle(&s, 10, 1, 3, 4, 1);
	scenario_circle(&s, 20, 1, 3, 4, 1);
	struct world *world = scenario_world(&s);
	struct circle_def circle = { .id = 0, .x = 4 };
	struct edit edits[2] = { edit_circle_sweep(0, 1, 1), edit_circle_sweep(0, NAN, 0) };
	batch_refused(world, edits + 1, 1, 0, DEF_CIRCLE_X);
	edits[1] = edit_circle_sweep(1, 0, 2e12);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_Y);
	edits[1] = edit_circle_sweep(7, 0, 2);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	edits[1] = edit_circle_sweep(0, 5, 5);
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	edits[1] = edit_circle_change(&circle, edit_field(DEF_CIRCLE_X));
	batch_refused(world, edits, 2, 0, DEF_CIRCLE_ID);
	edits[1] = edit_circle_remove(0);
	batch_refused(world, edits, 2, 0, DEF_CIRCLE_ID);
	edits[1] = edit_circle_sweep(1, 5, 5);
	edits[1].exact = true;
	edits[1].generation = 99;
	batch_refused(world, edits, 2, 1, DEF_CIRCLE_ID);
	world_destroy(world);
	scenario_finish(&s);
}

/* A pile sleeps. One of it is swept away: it stops at its neighbours, or goes, and the pile wakes. */
static void
test_sleepers(void **state)
{
	(void)state;
	struct scenario s;
	struct tick_report report;
	size_t woken = 0;
	scenario_init(&s);
	scene_pile(&s, 30, 8, 0.5, 0.5, 3);
	s.def.sleep_after = 0.1;
	struct world *world = scenario_world(&s);
	do
		assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	while (report.asleep < 30 && report.tick < 3000);
	assert_int_equal(report.asleep, 30);
	(void)swept_to(world, 0, world_circle(world, 0).x, 50);
	assert_int_equal(world_step(world, 1.0 / 60, &report), STATUS_OK);
	for (size_t k = 0; k < report.path_change_count; k++)
		woken += report.path_changes[k].kind == PATH_WOKEN;
	assert_true(woken == 30 && report.asleep == 0 && report.shortfall_count == 0);
	world_destroy(world);
	scenario_finish(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_long_double),
		cmocka_unit_test(test_as_a_tick),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_touching),
		cmocka_unit_test(test_one_sided_and_moving),
		cmocka_unit_test(test_no_edit),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_sleepers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
