#include "scene/good_scene.h"

#include "support/assert_double.h"

#include <stdlib.h>
#include <string.h>

static void
columns_make(struct fixture *f)
{
	for (size_t i = 0; i < ROWS; i++) {
		f->x[i] = 10.0 * (double)i;
		f->y[i] = 1;
		f->radius[i] = 0.5;
		f->mass[i] = 2;
		f->restitution[i] = 0.25;
		f->category[i] = 2;
		f->mask[i] = 3;
		f->id[i] = 40 - (uint32_t)i;
		f->kind[i] = COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC;
	}
	for (size_t i = 0; i < 2; i++) {
		f->x1[i] = -100;
		f->y1[i] = -10 - (double)i;
		f->x2[i] = 100;
		f->y2[i] = -10 - (double)i;
		f->segment_restitution[i] = 0.5;
		f->segment_id[i] = 7 + (uint32_t)i;
	}
	collide__v1__circle_columns__init(&f->circle_columns);
	f->circle_columns.n_x = ROWS, f->circle_columns.x = f->x;
	f->circle_columns.n_y = 1, f->circle_columns.y = f->y;
	f->circle_columns.n_radius = 1, f->circle_columns.radius = f->radius;
	collide__v1__segment_columns__init(&f->segment_columns);
	f->segment_columns.n_x1 = 1, f->segment_columns.x1 = f->x1;
	f->segment_columns.n_y1 = 2, f->segment_columns.y1 = f->y1;
	f->segment_columns.n_x2 = 1, f->segment_columns.x2 = f->x2;
	f->segment_columns.n_y2 = 2, f->segment_columns.y2 = f->y2;
}

static void
hand_make(struct fixture *f)
{
	for (size_t i = 0; i < 2; i++) {
		collide__v1__circle__init(&f->circles[i]);
		f->circles[i].x = 10.0 * (double)i;
		f->circles[i].y = 20;
		f->circles[i].radius = 1;
		f->circle_list[i] = &f->circles[i];
	}
	collide__v1__segment__init(&f->segments[0]);
	f->segments[0].x1 = -100;
	f->segments[0].y1 = -20;
	f->segments[0].x2 = 100;
	f->segments[0].y2 = -20;
	f->segment_list[0] = &f->segments[0];
}

int
fixture_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);

	if (!f)
		return -1;
	arena_init(&f->arena, 1 << 20);
	f->limits = scene_limits_default();
	columns_make(f);
	hand_make(f);
	collide__v1__scene__init(&f->scene);
	f->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	f->scene.circle_columns = &f->circle_columns;
	f->scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	f->scene.segment_columns = &f->segment_columns;
	f->scene.n_circles = 2, f->scene.circles = f->circle_list;
	f->scene.n_segments = 1, f->scene.segments = f->segment_list;
	*state = f;
	return 0;
}

int
fixture_teardown(void **state)
{
	struct fixture *f = *state;

	arena_finish(&f->arena);
	free(f);
	return 0;
}

void
assert_accepted(struct fixture *f)
{
	struct world *world = NULL;
	enum status status = scene_world_create(&f->arena, &f->scene, &f->limits, "simulate.scene", &world, &f->problem);

	if (status != STATUS_OK)
		print_error("%s %s: %s\n", f->problem.reason, f->problem.field, f->problem.text);
	assert_int_equal(status, STATUS_OK);
	world_destroy(world);
	arena_reset(&f->arena);
}

void
assert_refused(struct fixture *f, enum status status, const char *reason, const char *field)
{
	char path[200] = "simulate.scene";
	struct world *world = NULL;

	if (field[0] != '\0')
		(void)strcat(strcat(path, "."), field);
	assert_int_equal(scene_world_create(&f->arena, &f->scene, &f->limits, "simulate.scene", &world, &f->problem), status);
	assert_null(world);
	assert_string_equal(f->problem.field, path);
	assert_string_equal(f->problem.reason, reason);
	assert_int_equal(f->problem.status, status);
	assert_true(f->problem.text[0] != '\0');
	arena_reset(&f->arena);
}

void
assert_bad(struct fixture *f, const char *field)
{
	assert_refused(f, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field);
}

void
def_make(struct fixture *f)
{
	assert_int_equal(scene_world_def(&f->arena, &f->scene, &f->limits, "scene", &f->def, &f->problem), STATUS_OK);
}
