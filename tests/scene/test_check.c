/* scene_check against scene_world_create: scenes spoiled at random places. Every place is reported, the first problem that a
 * request is refused for is among them, and nothing is reported of a scene that is accepted. */
#include "support/assert_double.h"
#include "support/random.h"

#include "scene/scene.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 6, HAND = 5, WALLS = 4, FOUND_MAX = 400, ROUNDS = 3000 };

struct found {
	char fields[FOUND_MAX][160];
	size_t count;
};

static void
found_take(void *context, const struct wire_problem *problem)
{
	struct found *found = context;
	assert_true(problem->status != STATUS_OK && problem->text[0] != '\0');
	assert_true(found->count < FOUND_MAX);
	memcpy(found->fields[found->count++], problem->field, sizeof found->fields[0]);
}

static bool
found_has(const struct found *found, const char *field)
{
	for (size_t i = 0; i < found->count; i++)
		if (strcmp(found->fields[i], field) == 0)
			return true;
	return false;
}

struct scene {
	Collide__V1__Scene message;
	Collide__V1__CircleColumns columns;
	Collide__V1__Circle circles[HAND], *circle_list[HAND];
	Collide__V1__Segment segments[WALLS], *segment_list[WALLS];
	double x[ROWS], y[ROWS], vx[ROWS], radius[ROWS], mass[ROWS], restitution[ROWS];
	uint32_t id[ROWS];
};

/* Far apart, all with ids, none wrong. */
static void
scene_make(struct scene *scene)
{
	collide__v1__scene__init(&scene->message);
	collide__v1__circle_columns__init(&scene->columns);
	for (size_t i = 0; i < ROWS; i++) {
		scene->x[i] = 10.0 * (double)i;
		scene->y[i] = scene->vx[i] = 0;
		scene->radius[i] = scene->mass[i] = scene->restitution[i] = 1;
		scene->id[i] = 100 + (uint32_t)i;
	}
	scene->columns.n_x = scene->columns.n_y = scene->columns.n_vx = scene->columns.n_radius = ROWS;
	scene->columns.n_mass = scene->columns.n_restitution = scene->columns.n_id = ROWS;
	scene->columns.x = scene->x, scene->columns.y = scene->y, scene->columns.vx = scene->vx;
	scene->columns.radius = scene->radius, scene->columns.mass = scene->mass, scene->columns.id = scene->id;
	scene->columns.restitution = scene->restitution;
	scene->message.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene->message.circle_columns = &scene->columns;
	for (size_t i = 0; i < HAND; i++) {
		collide__v1__circle__init(&scene->circles[i]);
		scene->circles[i].x = 10.0 * (double)i;
		scene->circles[i].y = 10;
		scene->circles[i].radius = 1;
		scene->circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		scene->circles[i].id = 200 + (uint32_t)i;
		scene->circle_list[i] = &scene->circles[i];
	}
	scene->message.circles = scene->circle_list, scene->message.n_circles = HAND;
	for (size_t i = 0; i < WALLS; i++) {
		collide__v1__segment__init(&scene->segments[i]);
		scene->segments[i].x1 = 100 + (double)i;
		scene->segments[i].x2 = 200;
		scene->segment_list[i] = &scene->segments[i];
	}
	scene->message.segments = scene->segment_list, scene->message.n_segments = WALLS;
}

/* Spoils one place that a request can be refused for; writes its path. */
static void
scene_spoil(struct scene *scene, uint64_t *random, char *path, size_t size)
{
	size_t row = random_below(random, ROWS), hand = random_below(random, HAND), wall = random_below(random, WALLS);
	switch (random_below(random, 16)) {
	case 0: scene->x[row] = (double)NAN, snprintf(path, size, "s.circle_columns.x[%zu]", row); break;
	case 1: scene->radius[row] = -1, snprintf(path, size, "s.circle_columns.radius[%zu]", row); break;
	case 2: scene->mass[row] = 0, snprintf(path, size, "s.circle_columns.mass[%zu]", row); break;
	case 3: scene->restitution[row] = 1.5, snprintf(path, size, "s.circle_columns.restitution[%zu]", row); break;
	case 4: scene->vx[row] = 1e13, snprintf(path, size, "s.circle_columns.vx[%zu]", row); break;
	case 5: scene->circles[hand].radius = 0, snprintf(path, size, "s.circles[%zu].radius", hand); break;
	case 6: scene->circles[hand].y = (double)INFINITY, snprintf(path, size, "s.circles[%zu].y", hand); break;
	case 7: scene->circles[hand].vy = -2e12, snprintf(path, size, "s.circles[%zu].vy", hand); break;
	case 8: scene->segments[wall].x2 = scene->segments[wall].x1, snprintf(path, size, "s.segments[%zu].x2", wall); break;
	case 9: scene->segments[wall].y1 = (double)NAN, snprintf(path, size, "s.segments[%zu].y1", wall); break;
	case 10: scene->message.gravity_x = (double)NAN, snprintf(path, size, "s.gravity_x"); break;
	case 11: scene->message.restitution_threshold = -1, snprintf(path, size, "s.restitution_threshold"); break;
	case 12: scene->message.events_per_body_max = 2000000, snprintf(path, size, "s.events_per_body_max"); break;
	case 13:
		hand = 1 + random_below(random, HAND - 1);
		scene->circles[hand].id = scene->circles[0].id, snprintf(path, size, "s.circles[%zu].id", hand);
		break;
	case 14: scene->circles[hand].kind = (Collide__V1__BodyKind)9, snprintf(path, size, "s.circles[%zu].kind", hand); break;
	default: scene->columns.n_y = 2, snprintf(path, size, "s.circle_columns.y"); break;
	}
}

static void
round_run(uint64_t *random, size_t spoiled)
{
	struct scene scene;
	char paths[4][160];
	struct found found = { .count = 0 };
	struct wire_problem problem;
	struct world *world = NULL;
	struct arena arena;
	const struct scene_limits limits = scene_limits_default();

	scene_make(&scene);
	for (size_t i = 0; i < spoiled; i++)
		scene_spoil(&scene, random, paths[i], sizeof paths[i]);
	arena_init(&arena, SIZE_MAX);
	assert_int_equal(scene_check(&arena, &scene.message, &limits, "s", found_take, &found, &problem), STATUS_OK);
	for (size_t i = 0; i < spoiled; i++)
		if (!found_has(&found, paths[i]))
			fail_msg("%s was not reported", paths[i]);
	enum status status = scene_world_create(&arena, &scene.message, &limits, "s", &world, &problem);
	assert_int_equal(status == STATUS_OK, found.count == 0);
	if (status != STATUS_OK)
		assert_true(found_has(&found, problem.field));
	else
		world_destroy(world);
	arena_finish(&arena);
}

static void
every_spoiled_place_is_reported(void **state)
{
	uint64_t random = 11;
	(void)state;
	for (size_t i = 0; i < ROUNDS; i++)
		round_run(&random, i % 4);
}

/* Each place once, and nothing that follows from another. */
static void
nothing_is_reported_twice(void **state)
{
	struct scene scene;
	struct found found = { .count = 0 };
	struct wire_problem problem;
	struct arena arena;
	const struct scene_limits limits = scene_limits_default();
	(void)state;
	scene_make(&scene);
	for (size_t i = 0; i < ROWS; i++)
		scene.radius[i] = -1;
	for (size_t i = 0; i < HAND; i++)
		scene.circles[i].id = 7;
	for (size_t i = 0; i < WALLS; i++)
		scene.segments[i].x2 = scene.segments[i].x1;
	arena_init(&arena, SIZE_MAX);
	assert_int_equal(scene_check(&arena, &scene.message, &limits, "s", found_take, &found, &problem), STATUS_OK);
	arena_finish(&arena);
	assert_int_equal(found.count, ROWS + (HAND - 1) + WALLS);
	for (size_t i = 0; i < found.count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(found.fields[i], found.fields[j]);
}

/* Circles without ids that are alike are read by the one before. What is wrong with all of them is told of each, and what is
 * wrong with one of them, of that one. */
static void
alike_circles_are_all_reported(void **state)
{
	struct scene scene;
	const struct scene_limits limits = scene_limits_default();
	(void)state;
	for (size_t bad = 0; bad <= HAND; bad++) {
		struct found found = { .count = 0 };
		struct wire_problem problem;
		struct arena arena;
		scene_make(&scene);
		scene.message.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS__NOT_SET;
		scene.message.circle_columns = NULL;
		for (size_t i = 0; i < HAND; i++) {
			scene.circles[i].optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID__NOT_SET;
			scene.circles[i].id = 0;
			if (bad == HAND || i == bad)
				scene.circles[i].ignore = (Collide__V1__Ignore)7;
		}
		scene.circles[HAND - 1].vy = (double)NAN;
		arena_init(&arena, SIZE_MAX);
		assert_int_equal(scene_check(&arena, &scene.message, &limits, "s", found_take, &found, &problem), STATUS_OK);
		arena_finish(&arena);
		char path[40];
		(void)snprintf(path, sizeof path, "s.circles[%zu].ignore", bad == HAND ? (size_t)2 : bad);
		assert_true(found_has(&found, path));
		assert_true(found_has(&found, "s.circles[4].vy"));
		assert_int_equal(found.count, bad == HAND ? HAND + 1 : 2);
	}
}

/* Columns that are too short in every way: nothing is read beyond them. */
static void
unequal_columns_are_all_reported(void **state)
{
	struct scene scene;
	struct found found = { .count = 0 };
	struct wire_problem problem;
	struct arena arena;
	const struct scene_limits limits = scene_limits_default();
	(void)state;
	scene_make(&scene);
	double *x = calloc(2, sizeof *x), *radius = calloc(3, sizeof *radius);
	uint32_t *id = calloc(1, sizeof *id);
	assert_true(x != NULL && radius != NULL && id != NULL);
	radius[0] = radius[1] = 1;
	radius[2] = -5;
	scene.columns.n_x = 2, scene.columns.x = x;
	scene.columns.n_radius = 3, scene.columns.radius = radius;
	scene.columns.n_id = 1, scene.columns.id = id;
	arena_init(&arena, SIZE_MAX);
	assert_int_equal(scene_check(&arena, &scene.message, &limits, "s", found_take, &found, &problem), STATUS_OK);
	arena_finish(&arena);
	assert_true(found_has(&found, "s.circle_columns.x"));
	assert_true(found_has(&found, "s.circle_columns.radius"));
	assert_true(found_has(&found, "s.circle_columns.id"));
	assert_true(found_has(&found, "s.circle_columns.radius[2]"));
	assert_true(!found_has(&found, "s.circle_columns.radius[1]"));
	free(x), free(radius), free(id);
}

/* A few bytes ask for billions of rows: that is told. No memory is taken for them. */
static void
rows_over_a_limit_are_reported_and_not_made(void **state)
{
	struct scene scene;
	struct found found = { .count = 0 };
	struct wire_problem problem;
	struct arena arena;
	const struct scene_limits limits = scene_limits_default();
	(void)state;
	scene_make(&scene);
	collide__v1__circle_columns__init(&scene.columns);
	scene.columns.count = UINT32_MAX;
	arena_init(&arena, 1 << 20);
	assert_int_equal(scene_check(&arena, &scene.message, &limits, "s", found_take, &found, &problem), STATUS_OK);
	assert_true(arena.used_bytes < 1 << 16);
	arena_finish(&arena);
	assert_true(found_has(&found, "s.circle_columns"));
	assert_int_equal(found.count, 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_spoiled_place_is_reported),
		cmocka_unit_test(nothing_is_reported_twice),
		cmocka_unit_test(alike_circles_are_all_reported),
		cmocka_unit_test(unequal_columns_are_all_reported),
		cmocka_unit_test(rows_over_a_limit_are_reported_and_not_made),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
