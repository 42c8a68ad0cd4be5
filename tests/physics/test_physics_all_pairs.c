/* All pairs of a scene: the same as asking each pair, in the order of ids, through trees of boxes. */
#include "physics/all_pairs.h"
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/long_case.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

enum { CIRCLES = 300, SEGMENTS = 120 };

struct scene {
	struct circle_def circles[CIRCLES];
	struct segment_def segments[SEGMENTS];
	struct world_def def;
};

/* Mixed sizes over six orders, clusters, strays, fast ones, layers; ids in no order. */
static void
scene_make(struct scene *scene, uint64_t *random)
{
	for (uint32_t i = 0; i < CIRCLES; i++) {
		struct circle_def *c = &scene->circles[i];
		double size = ldexp(1.0, (int)random_below(random, 20) - 12), cluster = random_below(random, 4) == 0 ? 500.0 : 0.0;

		*c = circle_def_default();
		c->id = (i * 7919u) % 10007u;
		c->x = cluster + random_between(random, -20, 20) * (random_below(random, 30) == 0 ? 1e6 : 1);
		c->y = random_between(random, -20, 20);
		c->radius = size;
		c->vx = random_between(random, -20, 20) * (random_below(random, 30) == 0 ? 1e4 : 1);
		c->vy = random_between(random, -20, 20);
		c->category = 1u << random_below(random, 3);
		c->mask = (uint32_t)random_below(random, 8);
	}
	for (uint32_t i = 0; i < SEGMENTS; i++) {
		struct segment_def *s = &scene->segments[i];
		double length = ldexp(1.0, (int)random_below(random, 16) - 8);

		*s = segment_def_default();
		s->id = (i * 31u) % 127u;
		s->x1 = random_between(random, -20, 20);
		s->y1 = random_between(random, -20, 20);
		s->x2 = s->x1 + random_between(random, -1, 1) * length;
		s->y2 = s->y1 + random_between(random, -1, 1) * length;
		s->mask = (uint32_t)random_below(random, 8);
	}
	scene->def = world_def_default();
	scene->def.circles = scene->circles;
	scene->def.circle_count = CIRCLES;
	scene->def.segments = scene->segments;
	scene->def.segment_count = SEGMENTS;
}

static int
circle_order(const void *left, const void *right)
{
	const struct circle_def *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static int
segment_order(const void *left, const void *right)
{
	const struct segment_def *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static struct all_pairs *
all_pairs_of(const struct world_def *def, const struct all_pairs_settings *settings)
{
	struct def_problem problem;
	struct all_pairs *all_pairs;

	assert_int_equal(all_pairs_create(def, settings, &problem, &all_pairs), STATUS_OK);
	return all_pairs;
}

static bool
all_pairs_row(struct all_pairs *all_pairs, struct all_pairs_row *out)
{
	enum all_pairs_progress progress;

	while ((progress = all_pairs_next(all_pairs, out)) == SURVEY_IDLE)
		;
	assert_int_not_equal(progress, SURVEY_NO_MEMORY);
	return progress == SURVEY_PAIR;
}

static void
expect(struct all_pairs *all_pairs, const struct all_pairs_settings *settings, uint32_t a, uint32_t b, bool is_segment,
       const struct shape_distance *c, const struct sweep *s)
{
	struct all_pairs_row pair;
	bool hit = settings->duration > 0 && (s->outcome == SWEEP_HIT || s->outcome == SWEEP_AT_START);

	if (c->relation == RELATION_NONE && !hit)
		return;
	assert_true(all_pairs_row(all_pairs, &pair));
	assert_int_equal(pair.a, a);
	assert_int_equal(pair.b, b);
	assert_int_equal(pair.segment, is_segment);
	assert_int_equal(pair.distance.relation, c->relation);
	assert_double_same_bits(pair.distance.gap, c->gap);
	if (settings->duration > 0) {
		assert_int_equal(pair.sweep.outcome, s->outcome);
		assert_double_same_bits(pair.sweep.time, s->time);
	}
}

/* Every pair by itself, in the order of ids, against the search for all pairs. */
static void
check_all_pairs(struct scene *scene, const struct all_pairs_settings *settings)
{
	struct all_pairs *all_pairs = all_pairs_of(&scene->def, settings);
	struct all_pairs_row pair;

	qsort(scene->circles, CIRCLES, sizeof scene->circles[0], circle_order);
	qsort(scene->segments, SEGMENTS, sizeof scene->segments[0], segment_order);
	for (size_t i = 0; i < CIRCLES; i++) {
		const struct circle_def *p = &scene->circles[i];
		const struct disc a = { p->x, p->y, p->radius, p->vx, p->vy };
		struct shape_distance c;
		struct sweep s = { .time = 0 };

		for (size_t j = i + 1; j < CIRCLES; j++) {
			const struct circle_def *q = &scene->circles[j];
			const struct disc b = { q->x, q->y, q->radius, q->vx, q->vy };

			if (!(p->category & q->mask) || !(q->category & p->mask))
				continue;
			c = distance_circles(&a, &b, &settings->tolerance);
			if (settings->duration > 0)
				s = sweep_circles(&a, &b, settings->skin ? skin_circles(&a, &b) : 0, settings->duration);
			expect(all_pairs, settings, p->id, q->id, false, &c, &s);
		}
		for (size_t j = 0; j < SEGMENTS; j++) {
			const struct segment_def *q = &scene->segments[j];
			const struct wall b = { q->x1, q->y1, q->x2, q->y2, q->radius, q->one_sided, 0, 0 };

			if (!(p->category & q->mask) || !(q->category & p->mask))
				continue;
			assert_int_equal(distance_segment(&a, &b, settings->reading, &settings->tolerance, &c), STATUS_OK);
			if (settings->duration > 0)
				assert_int_equal(
					sweep_segment(&a, &b, settings->reading, settings->skin ? skin_wall(&a, &b) : 0, settings->duration, &s),
					STATUS_OK);
			expect(all_pairs, settings, p->id, q->id, true, &c, &s);
		}
	}
	assert_false(all_pairs_row(all_pairs, &pair));
	assert_true(all_pairs_memory_bytes(all_pairs) > (size_t)CIRCLES * sizeof(struct disc));
	all_pairs_destroy(all_pairs);
}

static void
test_every_pair_is_found(void **state)
{
	(void)state;
	uint64_t random = 5;

	for (int round = 0; round < (int)effort(1, 6); round++) {
		static struct scene scene;
		const struct all_pairs_settings settings[] = {
			{ .duration = 0 },
			{ .duration = 1, .skin = true },
			{ .duration = 0.25, .reading = READING_OUTLINE },
			{ .tolerance = { .absolute = 2 }, .duration = 0.01 },
			{ .tolerance = { .relative = 1 } },
		};

		for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
			scene_make(&scene, &random);
			check_all_pairs(&scene, &settings[i]);
		}
	}
}

static void
test_counts_cover_what_was_tested(void **state)
{
	(void)state;
	uint64_t random = 6, sum = 0;
	static struct scene scene;
	const struct all_pairs_settings settings = { .duration = 1 };
	struct all_pairs_row pair;

	scene_make(&scene, &random);

	struct all_pairs *all_pairs = all_pairs_of(&scene.def, &settings);

	while (all_pairs_row(all_pairs, &pair))
		;

	const struct all_pairs_counts *counts = all_pairs_counts(all_pairs);

	for (int i = 0; i < SWEEP_OUTCOMES; i++)
		sum += counts->sweeps[i];
	assert_int_equal(sum, counts->tested);
	assert_int_equal(counts->relations[0] + counts->relations[1] + counts->relations[2], counts->tested);
	assert_true(counts->sweeps[SWEEP_HIT] > 0 && counts->sweeps[SWEEP_PASSES] > 0 && counts->sweeps[SWEEP_MOVING_AWAY] > 0);
	assert_true(counts->tested < (uint64_t)CIRCLES * (CIRCLES / 2 + SEGMENTS)); /* not all of them */
	all_pairs_destroy(all_pairs);
}

/* A row of 100,000 circles that touch their neighbours: the work is in proportion. */
static void
test_work_is_in_proportion(void **state)
{
	(void)state;
	enum { MANY = 100000 };
	struct circle_def *circles = malloc(MANY * sizeof *circles);
	struct world_def def = world_def_default();
	const struct all_pairs_settings settings = { .duration = 0 };
	struct all_pairs_row pair;
	uint32_t next = 0;

	assert_non_null(circles);
	for (uint32_t i = 0; i < MANY; i++) {
		circles[i] = circle_def_default();
		circles[i].id = i;
		circles[i].x = 2.0 * i;
		circles[i].radius = 1;
	}
	def.circles = circles;
	def.circle_count = MANY;

	struct all_pairs *all_pairs = all_pairs_of(&def, &settings);

	for (; all_pairs_row(all_pairs, &pair); next++) {
		assert_int_equal(pair.a, next);
		assert_int_equal(pair.b, next + 1);
		assert_int_equal(pair.distance.relation, RELATION_TOUCHING);
	}
	assert_int_equal(next, MANY - 1);
	assert_int_equal(all_pairs_counts(all_pairs)->tested, MANY - 1);
	all_pairs_destroy(all_pairs);
	free(circles);
}

static void
test_scenes_of_nothing(void **state)
{
	(void)state;
	struct world_def def = world_def_default();
	const struct all_pairs_settings settings = { .duration = 1 };
	struct all_pairs *all_pairs = all_pairs_of(&def, &settings);
	struct all_pairs_row pair;

	assert_int_equal(all_pairs_next(all_pairs, &pair), SURVEY_DONE);
	assert_int_equal(all_pairs_next(all_pairs, &pair), SURVEY_DONE);
	all_pairs_destroy(all_pairs);
	all_pairs_destroy(NULL);
}

static void
test_definitions_are_checked(void **state)
{
	(void)state;
	struct circle_def circles[3];
	struct segment_def wall = segment_def_default();
	struct world_def def = world_def_default();
	const struct all_pairs_settings settings = { .duration = 0 };
	struct def_problem problem;
	struct all_pairs *all_pairs;

	for (uint32_t i = 0; i < 3; i++) {
		circles[i] = circle_def_default();
		circles[i].id = i;
		circles[i].radius = 1;
	}
	def.circles = circles;
	def.circle_count = 3;
	circles[1].radius = 0;
	assert_int_equal(all_pairs_create(&def, &settings, &problem, &all_pairs), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_CIRCLE_RADIUS);
	assert_int_equal(problem.index, 1);
	circles[1].radius = 1;
	circles[2].id = 0;
	assert_int_equal(all_pairs_create(&def, &settings, &problem, &all_pairs), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_CIRCLE_ID);
	assert_int_equal(problem.index, 2);
	circles[2].id = 2;
	def.segments = &wall; /* both ends at the origin */
	def.segment_count = 1;
	assert_false(world_def_check(&def, &problem));
	assert_int_equal(all_pairs_create(&def, &settings, &problem, &all_pairs), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_SEGMENT_X2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_pair_is_found),     cmocka_unit_test(test_counts_cover_what_was_tested),
		long_case(test_work_is_in_proportion),          cmocka_unit_test(test_scenes_of_nothing),
		cmocka_unit_test(test_definitions_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
