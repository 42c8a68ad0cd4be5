/* What meets what: filter groups by Box2D's table, relations that let shapes pass, and what is refused. */
#include "physics/all_pairs.h"
#include "physics/relate.h"
#include "physics/scenes.h"
#include "physics/space.h"

#include <math.h>
#include <string.h>

struct filter {
	int32_t group;
	uint32_t category, mask;
};

/* As b2Filter is documented: "Collision groups allow a certain group of objects to never collide (negative) or always collide
 * (positive). Zero means no collision group. Non-zero group filtering always wins against the mask bits." */
static bool
box2d_should_collide(const struct filter *a, const struct filter *b)
{
	if (a->group == b->group && a->group != 0)
		return a->group > 0;
	return (a->mask & b->category) != 0 && (a->category & b->mask) != 0;
}

static void
filter_put(const struct filter *filter, uint32_t *category, uint32_t *mask, int32_t *group)
{
	*category = filter->category;
	*mask = filter->mask;
	*group = filter->group;
}

/* Two circles head-on, and a circle on its way to a segment, with these filters; far from others at y. */
static void
filters_add(struct scenario *scenario, const struct filter *a, const struct filter *b, double y)
{
	struct circle_def *circle = scenario_circle(scenario, -2, y, 2, 0, 1);
	filter_put(a, &circle->category, &circle->mask, &circle->filter_group);
	circle = scenario_circle(scenario, 2, y, -2, 0, 1);
	filter_put(b, &circle->category, &circle->mask, &circle->filter_group);
	circle = scenario_circle(scenario, 20, y + 2, 0, -2, 1);
	filter_put(a, &circle->category, &circle->mask, &circle->filter_group);
	struct segment_def *segment = scenario_segment(scenario, 10, y, 30, y);
	filter_put(b, &segment->category, &segment->mask, &segment->filter_group);
}

static size_t
all_pairs_hits(struct scenario *scenario)
{
	struct all_pairs *all_pairs;
	struct def_problem problem;
	struct all_pairs_row pair;
	enum all_pairs_progress progress;
	size_t rows = 0;
	const struct all_pairs_settings settings = { .duration = 1 };
	assert_int_equal(all_pairs_create(scenario_def(scenario), &settings, &problem, &all_pairs), STATUS_OK);
	while ((progress = all_pairs_next(all_pairs, &pair)) != SURVEY_DONE)
		rows += progress == SURVEY_PAIR;
	all_pairs_destroy(all_pairs);
	return rows;
}

/* Whether a question with filter `a` meets the second circle of the filters at y. */
static bool
space_hits_b(const struct space *space, const struct filter *a, double y)
{
	struct space_hits hits = { 0 };
	struct space_filter filter = space_filter_default();
	const struct space_circle circle = { 2, y, 0.5 };
	const struct tolerance tolerance = { 0, 0 };
	filter.category = a->category;
	filter.mask = a->mask;
	filter.filter_group = a->group;
	assert_int_equal(space_overlap_circle(space, &circle, &tolerance, &filter, SIZE_MAX, &hits), STATUS_OK);
	const bool hit = hits.count > 0;
	space_hits_finish(&hits);
	return hit;
}

/* All categories and masks of two bits for two filter groups: 256 pairs in one scene, a row each. */
static void
filters_run(int32_t group_a, int32_t group_b)
{
	struct scenario scenario;
	struct run run;
	struct space *space;
	struct def_problem problem;
	size_t met = 0;
	scenario_init(&scenario);
	for (uint32_t k = 0; k < 256; k++) {
		const struct filter a = { group_a, k & 3, k >> 2 & 3 }, b = { group_b, k >> 4 & 3, k >> 6 };
		filters_add(&scenario, &a, &b, 10.0 * k);
	}
	assert_int_equal(space_create(scenario_def(&scenario), &problem, &space), STATUS_OK);
	run_start(&run, &scenario);
	run_ticks(&run, 1, 1);
	for (uint32_t k = 0; k < 256; k++) {
		const struct filter a = { group_a, k & 3, k >> 2 & 3 }, b = { group_b, k >> 4 & 3, k >> 6 };
		const bool meet = box2d_should_collide(&a, &b);
		assert_double_near(run_body(&run, 3 * k).vx, meet ? -2 : 2, 1e-14);
		assert_double_near(run_body(&run, 3 * k + 2).vy, meet ? 2 : -2, 1e-14);
		assert_int_equal(space_hits_b(space, &a, 10.0 * k), meet);
		met += meet;
	}
	assert_int_equal(run.contact_count, 2 * met);
	assert_int_equal(all_pairs_hits(&scenario), 2 * met);
	run_finish(&run);
	space_destroy(space);
	scenario_finish(&scenario);
}

static void
test_filter_groups_are_those_of_box2d(void **state)
{
	(void)state;
	static const int32_t groups[] = { INT32_MIN, -2, 0, 2, INT32_MAX };
	for (size_t i = 0; i < 5; i++)
		for (size_t j = 0; j < 5; j++)
			filters_run(groups[i], groups[j]);
}

/* What passes is as if the other were not there, to the bit. */
static void
test_none_and_sensor_pass(void **state)
{
	(void)state;
	for (int kind = RELATION_KIND_NONE; kind <= RELATION_KIND_SENSOR; kind++) {
		struct scenario alone, both;
		struct run a, b;
		const struct relation_def relation = related(0, 7, (enum relation_kind)kind);
		scenario_init(&alone);
		scene_mixed(&alone, 12, 30, 5);
		scenario_init(&both);
		scene_mixed(&both, 12, 30, 5);
		for (int i = 0; i < 6; i++) {
			struct circle_def *ghost = scenario_circle(&both, i - 3, 0.1 * i, 5, 3, 1);
			ghost->group = 7;
			ghost->category = ghost->mask = 2 + 1; /* the masks would let it */
			ghost->kind = i % 2 ? BODY_STATIC : BODY_KINEMATIC;
			if (i % 2)
				ghost->vx = ghost->vy = 0;
		}
		scenario_segment(&both, -8, -0.5, 8, 0.5)->group = 7;
		relations_put(&both, &relation, 1);
		run_start(&a, &alone);
		run_start(&b, &both);
		run_ticks(&a, 1.0 / 60, 60);
		run_ticks(&b, 1.0 / 60, 60);
		assert_true(a.contact_count > 20);
		assert_int_equal(a.contact_count, b.contact_count);
		for (uint32_t i = 0; i < alone.circle_count; i++) {
			assert_same(run_body(&a, i).x, run_body(&b, i).x);
			assert_same(run_body(&a, i).vy, run_body(&b, i).vy);
		}
		run_finish(&a);
		run_finish(&b);
		scenario_finish(&alone);
		scenario_finish(&both);
	}
	/* Detect tells of sensors, and of nothing that passes. */
	for (int kind = RELATION_KIND_NONE; kind <= RELATION_KIND_SENSOR; kind++) {
		const struct relation_def relation = related(0, 7, (enum relation_kind)kind);
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 0, 0, 1)->group = 7;
		scenario_circle(&scenario, 1, 0, 0, 0, 1);
		scenario_segment(&scenario, 1, -1, 1, 1)->group = 7;
		relations_put(&scenario, &relation, 1);
		/* Within group 7 the circle and the segment collide. */
		assert_int_equal(all_pairs_hits(&scenario), kind == RELATION_KIND_NONE ? 1 : 3);
		scenario_finish(&scenario);
	}
}

/* Enters at (gap) / 4 and exits where the rims part, in a run of one second; b sees a. */
static void
sense_expect(struct run *run, uint32_t a, uint32_t b, enum contact_other other, double enter, double exit_at)
{
	size_t found = 0;
	for (size_t i = 0; i < run->pair_event_count; i++) {
		const struct pair_event *event = &run->pair_events[i].event;
		if (event->other != other)
			continue;
		assert_true(event->a == a && event->b == b && found < 2);
		assert_int_equal(event->kind, found == 0 ? PAIR_EVENT_ENTER : PAIR_EVENT_EXIT);
		assert_double_near(run->pair_events[i].at, found++ == 0 ? enter : exit_at, 1e-12);
	}
	assert_int_equal(found, 2);
	assert_int_equal(run->contact_count, 0);
}

/* Speeds 3 and -1, radii 1, 4 apart: the rims meet after 1/2 and part after 3/2. A circle at 2 towards a wall 2 away: inside
 * from 1/2 to 3/2 too. The certificate follows all pairs that may see each other by itself. */
static void
test_relations_sense(void **state)
{
	(void)state;
	for (int way = 0; way < 4; way++) {
		/* b is the one of group_b; or what does not move; or of one group the one with the higher id. */
		const struct relation_def relations[] = { related(way == 1 ? 2 : 1,
			                                              way == 3   ? 1
			                                              : way == 1 ? 1
			                                                         : 2,
			                                              RELATION_KIND_SENSOR),
			                                      related(0, 9, RELATION_KIND_SENSOR) };
		struct scenario scenario;
		struct run run;
		scenario_init(&scenario);
		struct circle_def *circle = scenario_circle(&scenario, -2, 0, way == 2 ? 0 : 3, 0, 1);
		circle->group = 1;
		circle->kind = way == 2 ? BODY_STATIC : BODY_DYNAMIC;
		circle = scenario_circle(&scenario, 2, 0, way == 2 ? -4 : -1, 0, 1);
		circle->group = way == 3 ? 1 : 2;
		circle->kind = BODY_KINEMATIC;
		scenario_circle(&scenario, 20, 2, 0, -2, 1);
		scenario_segment(&scenario, 10, 0, 30, 0)->group = 9;
		relations_put(&scenario, relations, 2);
		run_start(&run, &scenario);
		run_ticks(&run, 1.0 / 64, 128);
		const bool lower_sees = way == 1 || way == 2;
		sense_expect(&run, lower_sees, !lower_sees, CONTACT_CIRCLE, 0.5, 1.5);
		sense_expect(&run, 2, 0, CONTACT_SEGMENT, 0.5, 1.5);
		run_finish(&run);
		scenario_finish(&scenario);
	}
}

/* Platforms among bodies of group 0, and one body of group 3 below them that rises. */
static void
platforms_make(struct scenario *scenario, bool by_relation, const struct relation_def *relation)
{
	scenario_init(scenario);
	scene_mixed(scenario, 12, 30, 5);
	for (int i = 0; i < 4; i++) {
		struct segment_def *platform = scenario_segment(scenario, -6, i - 2, 6, i - 1.5);
		platform->one_sided = !by_relation;
		platform->group = by_relation ? 7 : 0;
	}
	if (by_relation)
		relations_put(scenario, relation, 1);
}

/* A relation that makes walls one-sided is to the bit what walls are that are so by themselves; to another group, and to
 * Detect of it, they have two sides. */
static void
test_relations_make_walls_one_sided(void **state)
{
	(void)state;
	const struct relation_def relation = related(7, 0, RELATION_KIND_ONE_SIDED);
	struct scenario own, related_ones;
	struct run a, b;
	platforms_make(&own, false, NULL);
	platforms_make(&related_ones, true, &relation);
	assert_int_equal(all_pairs_hits(&own), all_pairs_hits(&related_ones));
	run_start(&a, &own);
	run_start(&b, &related_ones);
	run_ticks(&a, 1.0 / 60, 90);
	run_ticks(&b, 1.0 / 60, 90);
	assert_true(a.contact_count > 20);
	assert_int_equal(a.contact_count, b.contact_count);
	for (uint32_t i = 0; i < own.circle_count; i++) {
		assert_same(run_body(&a, i).x, run_body(&b, i).x);
		assert_same(run_body(&a, i).vy, run_body(&b, i).vy);
	}
	run_finish(&a);
	run_finish(&b);
	scenario_finish(&own);
	scenario_finish(&related_ones);

	for (uint32_t group = 0; group < 2; group++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, -2, 0, 3, 1)->group = group;
		scenario_segment(&scenario, -4, 0, 4, 0)->group = 7;
		relations_put(&scenario, &relation, 1);
		assert_int_equal(all_pairs_hits(&scenario), group);
		run_start(&a, &scenario);
		run_ticks(&a, 1.0 / 64, 96);
		assert_same(run_body(&a, 0).vy, group == 0 ? 3 : -3);
		run_finish(&a);
		scenario_finish(&scenario);
	}
}

/* A circle inside of another that it passes; then its group is changed, or what the masks say is, and they part. */
static void
test_who_meets_whom_may_be_changed(void **state)
{
	(void)state;
	const struct relation_def none = related(1, 2, RELATION_KIND_NONE);
	for (int way = 0; way < 2; way++) {
		struct scenario scenario;
		struct run run;
		struct def_problem problem;
		scenario_init(&scenario);
		scenario_circle(&scenario, 0, 0, 0, 0, 1)->group = 1;
		struct circle_def *circle = scenario_circle(&scenario, 1, 0, 0, 0, 1);
		circle->group = way == 0 ? 2 : 0;
		circle->filter_group = way == 0 ? 0 : -4;
		scenario.circles[0].filter_group = circle->filter_group;
		if (way == 0)
			relations_put(&scenario, &none, 1);
		run_start_uncertified(&run, &scenario);
		run_ticks(&run, 1.0 / 60, 5);
		assert_same(run_body(&run, 1).x, 1);
		struct circle_def change = scenario.circles[1];
		change.group = 0;
		change.filter_group = 0;
		const struct edit edit = edit_circle_change(&change, edit_field(way == 0 ? DEF_CIRCLE_GROUP : DEF_CIRCLE_FILTER_GROUP));
		assert_int_equal(world_edit(run.world, &edit, 1, &problem), STATUS_OK);
		run_ticks(&run, 1.0 / 60, 60);
		assert_true(run_body(&run, 1).x - run_body(&run, 0).x >= 2);
		run_abandon(&run);
		scenario_finish(&scenario);
	}
}

/* A definition that is refused, with the field. */
struct refusal {
	struct relation_def relation;
	enum def_field field;
};

static void
test_each_field_is_checked(void **state)
{
	(void)state;
#define DEF(...)                                \
	{                                           \
		.group_a = 1, .group_b = 2, __VA_ARGS__ \
	}
	const struct refusal refusals[] = {
		{ { .group_a = 64 }, DEF_RELATION_GROUP_A },
		{ { .group_b = 64 }, DEF_RELATION_GROUP_B },
		{ { .group_b = UINT32_MAX }, DEF_RELATION_GROUP_B },
		{ DEF(.kind = (enum relation_kind)5), DEF_RELATION_KIND },
		{ DEF(.kind = (enum relation_kind) - 1), DEF_RELATION_KIND },
		{ DEF(.has_weight_a = true, .weight_a = -1e-300), DEF_RELATION_WEIGHT_A },
		{ DEF(.has_weight_a = true, .weight_a = 1.0001e15), DEF_RELATION_WEIGHT_A },
		{ DEF(.has_weight_b = true, .weight_b = (double)NAN), DEF_RELATION_WEIGHT_B },
		{ DEF(.has_weight_a = true, .has_weight_b = true), DEF_RELATION_WEIGHT_B },
		{ DEF(.kind = RELATION_KIND_NONE, .has_weight_a = true, .weight_a = 1), DEF_RELATION_WEIGHT_A },
		{ DEF(.kind = RELATION_KIND_SENSOR, .has_weight_b = true, .weight_b = 1), DEF_RELATION_WEIGHT_B },
		{ DEF(.kind = RELATION_KIND_ONE_SIDED, .has_weight_b = true, .weight_b = 1), DEF_RELATION_WEIGHT_B },
		{ { .group_a = 3, .group_b = 3, .has_weight_a = true, .weight_a = 2 }, DEF_RELATION_WEIGHT_A },
		{ { .group_a = 3, .group_b = 3, .has_weight_b = true, .weight_b = 2 }, DEF_RELATION_WEIGHT_B },
		{ DEF(.kind = RELATION_KIND_MOVE, .has_elasticity = true), DEF_RELATION_ELASTICITY },
		{ DEF(.kind = RELATION_KIND_SENSOR, .has_elasticity = true), DEF_RELATION_ELASTICITY },
		{ DEF(.has_elasticity = true, .elasticity = 1.5), DEF_RELATION_ELASTICITY },
		{ DEF(.has_elasticity = true, .elasticity = (double)NAN), DEF_RELATION_ELASTICITY },
		{ { .group_a = 9, .group_b = 7 }, DEF_RELATION_GROUP_B }, /* given before, the other way round */
	};
#undef DEF
	for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
		const struct relation_def relations[] = { related(7, 9, RELATION_KIND_MOVE), refusals[i].relation };
		struct world_def def = world_def_default();
		struct def_problem problem;
		struct world *world;
		def.relations = relations;
		def.relation_count = 2;
		assert_int_equal(world_create(&def, &problem, &world), STATUS_INVALID_ARGUMENT);
		assert_int_equal(problem.field, refusals[i].field);
		assert_int_equal(problem.index, 1);
		assert_true(strlen(problem.text) > 10);
	}
	struct scenario scenario;
	struct def_problem problem;
	struct world *world;
	scenario_init(&scenario);
	scenario_circle(&scenario, 0, 0, 0, 0, 1);
	scenario_circle(&scenario, 5, 0, 0, 0, 1)->group = 64;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_true(problem.field == DEF_CIRCLE_GROUP && problem.index == 1);
	scenario.circles[1].group = 63;
	scenario_segment(&scenario, 0, 9, 1, 9)->group = 64;
	assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_true(problem.field == DEF_SEGMENT_GROUP && problem.index == 0);
	scenario_finish(&scenario);
}

static void
test_each_field_may_be_at_its_limits(void **state)
{
	(void)state;
	const struct relation_def relations[] = {
		{ .group_a = 63, .group_b = 63, .kind = RELATION_KIND_ONE_SIDED, .has_elasticity = true, .elasticity = 1 },
		{ .group_a = 0, .group_b = 63, .has_weight_a = true, .weight_a = PHYSICS_WEIGHT_MAX },
		{ .group_a = 63, .group_b = 1, .has_weight_b = true, .weight_b = PHYSICS_WEIGHT_MAX, .has_elasticity = true },
		{ .group_a = 2, .group_b = 3, .has_weight_a = true, .has_weight_b = true, .weight_b = 1e-300 },
		{ .group_a = 3, .group_b = 4, .kind = RELATION_KIND_MOVE, .has_weight_b = true },
		{ .group_a = 5, .group_b = 5, .has_weight_a = true, .weight_a = 1 },
		{ .group_a = 6, .group_b = 6, .has_weight_a = true, .has_weight_b = true, .weight_a = 7, .weight_b = 7 },
	};
	for (size_t i = 0; i <= sizeof relations / sizeof *relations; i++) {
		struct world_def def = world_def_default();
		struct def_problem problem;
		struct world *world;
		const bool all = i == sizeof relations / sizeof *relations;
		def.relations = all ? relations : &relations[i];
		def.relation_count = all ? i : 1;
		assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
		world_destroy(world);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_filter_groups_are_those_of_box2d),
		cmocka_unit_test(test_none_and_sensor_pass),
		cmocka_unit_test(test_relations_sense),
		cmocka_unit_test(test_relations_make_walls_one_sided),
		cmocka_unit_test(test_who_meets_whom_may_be_changed),
		cmocka_unit_test(test_each_field_is_checked),
		cmocka_unit_test(test_each_field_may_be_at_its_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
