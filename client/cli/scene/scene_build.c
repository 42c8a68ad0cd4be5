#include "client/cli/scene/scene_build.h"

#include "client/cli/scene/packing.h"
#include "client/cli/scene/scene_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void
scene_build_init(struct scene_build *build)
{
	*build = (struct scene_build){ 0 };
}

void
scene_build_finish(struct scene_build *build)
{
	free(build->circles);
	free(build->segments);
	*build = (struct scene_build){ 0 };
}

/* Returns the memory of row `count`, or NULL without memory. */
static void *
row_place(void **rows, size_t count, size_t *capacity, size_t size)
{
	if (count == *capacity) {
		size_t wanted = *capacity == 0 ? 64 : 2 * *capacity;
		void *grown = wanted > SIZE_MAX / size ? NULL : realloc(*rows, wanted * size);
		if (!grown)
			return NULL;
		*rows = grown;
		*capacity = wanted;
	}
	return (char *)*rows + count * size;
}

void
scene_build_circle(struct scene_build *build, struct build_circle circle)
{
	void *rows = build->circles;
	struct build_circle *place = row_place(&rows, build->circle_count, &build->circle_capacity, sizeof *place);
	build->circles = rows;
	if (!place) {
		build->failed = true;
		return;
	}
	*place = circle;
	build->circle_count++;
}

void
scene_build_segment(struct scene_build *build, struct build_segment segment)
{
	void *rows = build->segments;
	struct build_segment *place = row_place(&rows, build->segment_count, &build->segment_capacity, sizeof *place);
	build->segments = rows;
	if (!place) {
		build->failed = true;
		return;
	}
	*place = segment;
	build->segment_count++;
}

void
scene_build_box(struct scene_build *build, double x1, double y1, double x2, double y2, double restitution)
{
	scene_build_segment(build, segment_between(x1, y1, x2, y1, restitution));
	scene_build_segment(build, segment_between(x2, y1, x2, y2, restitution));
	scene_build_segment(build, segment_between(x2, y2, x1, y2, restitution));
	scene_build_segment(build, segment_between(x1, y2, x1, y1, restitution));
}

void
scene_build_friction(struct scene_build *build, double friction)
{
	for (size_t i = 0; i < build->circle_count; i++)
		build->circles[i].friction = friction;
	for (size_t i = 0; i < build->segment_count; i++)
		build->segments[i].friction = friction;
}

bool
scene_build_is_clear(const struct scene_build *build, double x, double y, double reach)
{
	for (size_t i = 0; i < build->segment_count; i++) {
		const struct build_segment *wall = &build->segments[i];
		if (segment_distance_squared(x, y, wall->x1, wall->y1, wall->x2, wall->y2) <= reach * reach)
			return false;
	}
	return true;
}

/* One column from the member at `offset` of each row: empty if all are the default, one element if all are the same. */
static bool
column_make(const void *rows, size_t count, size_t size, size_t offset, double standard, double **column, size_t *length)
{
	const char *member = (const char *)rows + offset;
	double first = *(const double *)(const void *)member;
	size_t same = 1;
	while (same < count && *(const double *)(const void *)(member + same * size) == first)
		same++;
	size_t wanted = same < count ? count : first == standard ? 0 : 1;
	if (wanted == 0)
		return true;
	*column = calloc(wanted, sizeof **column);
	if (!*column)
		return false;
	for (size_t i = 0; i < wanted; i++)
		(*column)[i] = *(const double *)(const void *)(member + i * size);
	*length = wanted;
	return true;
}

/* The same for what rows may leave out: `given` is the offset of a row's bits, `bit` the one of this column. */
static bool
flagged_column_make(const void *rows, size_t count, size_t size, size_t offset, size_t given, unsigned bit, uint32_t standard,
                    uint32_t **column, size_t *length)
{
	bool any = false;
	uint32_t *values = calloc(count, sizeof *values);
	if (!values)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *row = (const char *)rows + i * size;
		bool has = (*(const unsigned *)(const void *)(row + given) & bit) != 0;
		values[i] = has ? *(const uint32_t *)(const void *)(row + offset) : standard;
		any = any || has;
	}
	if (!any) {
		free(values);
		return true;
	}
	*column = values;
	*length = count;
	return true;
}

#define FLAGGED_COLUMN(rows, count, type, name, bit, standard)                                                            \
	flagged_column_make(rows, count, sizeof(struct type), offsetof(struct type, name), offsetof(struct type, given), bit, \
	                    standard, &columns->name, &columns->n_##name)

/* A column of members that are `element` bytes each: none if all are 0. */
static bool
plain_column_make(const void *rows, size_t count, size_t size, size_t offset, size_t element, void **column, size_t *length)
{
	static const char zeros[sizeof(uint64_t)];
	char *values = calloc(count, element);
	bool any = false;
	if (!values)
		return false;
	for (size_t i = 0; i < count; i++) {
		const char *member = (const char *)rows + i * size + offset;
		memcpy(values + i * element, member, element);
		any = any || memcmp(member, zeros, element) != 0;
	}
	if (!any) {
		free(values);
		return true;
	}
	*column = values;
	*length = count;
	return true;
}

#define PLAIN_COLUMN(rows, count, type, name)                                                                         \
	plain_column_make(rows, count, sizeof(struct type), offsetof(struct type, name), sizeof((struct type){ 0 }.name), \
	                  (void **)(void *)&columns->name, &columns->n_##name)
#define CIRCLE_PLAIN(name) PLAIN_COLUMN(build->circles, build->circle_count, build_circle, name)

static bool
kind_column_make(const struct scene_build *build, Collide__V1__CircleColumns *columns)
{
	bool any = false;
	for (size_t i = 0; i < build->circle_count; i++)
		any = any || build->circles[i].kind != COLLIDE__V1__BODY_KIND__BODY_KIND_UNSPECIFIED;
	columns->kind = any ? calloc(build->circle_count, sizeof *columns->kind) : NULL;
	if (!columns->kind)
		return !any;
	columns->n_kind = build->circle_count;
	for (size_t i = 0; i < build->circle_count; i++) {
		bool dynamic = build->circles[i].kind == COLLIDE__V1__BODY_KIND__BODY_KIND_UNSPECIFIED;
		columns->kind[i] = dynamic ? COLLIDE__V1__BODY_KIND__BODY_KIND_DYNAMIC : build->circles[i].kind;
	}
	return true;
}

#define CIRCLE_COLUMN(name, standard)                                                                                  \
	column_make(build->circles, build->circle_count, sizeof(struct build_circle), offsetof(struct build_circle, name), \
	            standard, &columns->name, &columns->n_##name)

static bool
circle_columns_make(const struct scene_build *build, Collide__V1__Scene *scene)
{
	Collide__V1__CircleColumns *columns = malloc(sizeof *columns);
	if (!columns)
		return false;
	collide__v1__circle_columns__init(columns);
	scene->optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene->circle_columns = columns;
	columns->count = (uint32_t)build->circle_count;
	return CIRCLE_COLUMN(x, 0) && CIRCLE_COLUMN(y, 0) && CIRCLE_COLUMN(vx, 0) && CIRCLE_COLUMN(vy, 0) &&
	       CIRCLE_COLUMN(radius, 0) && CIRCLE_COLUMN(mass, 1) && CIRCLE_COLUMN(restitution, 1) && CIRCLE_COLUMN(friction, 0) &&
	       CIRCLE_COLUMN(rolling_resistance, 0) && CIRCLE_COLUMN(angle, 0) && CIRCLE_COLUMN(angular_velocity, 0) &&
	       CIRCLE_COLUMN(moment_of_inertia, 0) && kind_column_make(build, columns) &&
	       FLAGGED_COLUMN(build->circles, build->circle_count, build_circle, id, BUILD_ID, 0) &&
	       FLAGGED_COLUMN(build->circles, build->circle_count, build_circle, category, BUILD_CATEGORY, 1) &&
	       FLAGGED_COLUMN(build->circles, build->circle_count, build_circle, mask, BUILD_MASK, UINT32_MAX) &&
	       CIRCLE_PLAIN(filter_group) && CIRCLE_PLAIN(group) && CIRCLE_PLAIN(remove_groups) && CIRCLE_PLAIN(lifetime_s) &&
	       CIRCLE_PLAIN(ignore) && CIRCLE_PLAIN(ignored_circle) && CIRCLE_PLAIN(tag);
}

static bool
sensor_column_make(const struct scene_build *build, Collide__V1__SegmentColumns *columns)
{
	bool any = false;
	for (size_t i = 0; i < build->segment_count; i++)
		any = any || build->segments[i].sensor;
	columns->sensor = any ? calloc(build->segment_count, sizeof *columns->sensor) : NULL;
	if (!columns->sensor)
		return !any;
	columns->n_sensor = build->segment_count;
	for (size_t i = 0; i < build->segment_count; i++)
		columns->sensor[i] = build->segments[i].sensor;
	return true;
}

#define SEGMENT_COLUMN(name, standard)                                                                                     \
	column_make(build->segments, build->segment_count, sizeof(struct build_segment), offsetof(struct build_segment, name), \
	            standard, &columns->name, &columns->n_##name)

static bool
segment_columns_make(const struct scene_build *build, Collide__V1__Scene *scene)
{
	Collide__V1__SegmentColumns *columns = malloc(sizeof *columns);
	if (!columns)
		return false;
	collide__v1__segment_columns__init(columns);
	scene->optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	scene->segment_columns = columns;
	columns->count = (uint32_t)build->segment_count;
	return SEGMENT_COLUMN(x1, 0) && SEGMENT_COLUMN(y1, 0) && SEGMENT_COLUMN(x2, 0) && SEGMENT_COLUMN(y2, 0) &&
	       SEGMENT_COLUMN(restitution, 1) && SEGMENT_COLUMN(friction, 0) && SEGMENT_COLUMN(rolling_resistance, 0) &&
	       sensor_column_make(build, columns) &&
	       FLAGGED_COLUMN(build->segments, build->segment_count, build_segment, id, BUILD_ID, 0) &&
	       FLAGGED_COLUMN(build->segments, build->segment_count, build_segment, category, BUILD_CATEGORY, 1) &&
	       FLAGGED_COLUMN(build->segments, build->segment_count, build_segment, mask, BUILD_MASK, UINT32_MAX) &&
	       PLAIN_COLUMN(build->segments, build->segment_count, build_segment, group);
}

static void
circle_given_set(Collide__V1__Circle *circle, const struct build_circle *row)
{
	if ((row->given & BUILD_ID) != 0) {
		circle->optional_id_case = COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID;
		circle->id = row->id;
	}
	if ((row->given & BUILD_CATEGORY) != 0) {
		circle->optional_category_case = COLLIDE__V1__CIRCLE__OPTIONAL_CATEGORY_CATEGORY;
		circle->category = row->category;
	}
	if ((row->given & BUILD_MASK) != 0) {
		circle->optional_mask_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASK_MASK;
		circle->mask = row->mask;
	}
}

static void
segment_given_set(Collide__V1__Segment *segment, const struct build_segment *row)
{
	if ((row->given & BUILD_ID) != 0) {
		segment->optional_id_case = COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID;
		segment->id = row->id;
	}
	if ((row->given & BUILD_CATEGORY) != 0) {
		segment->optional_category_case = COLLIDE__V1__SEGMENT__OPTIONAL_CATEGORY_CATEGORY;
		segment->category = row->category;
	}
	if ((row->given & BUILD_MASK) != 0) {
		segment->optional_mask_case = COLLIDE__V1__SEGMENT__OPTIONAL_MASK_MASK;
		segment->mask = row->mask;
	}
}

static bool
circles_make(const struct scene_build *build, Collide__V1__Scene *scene)
{
	scene->circles = calloc(build->circle_count, sizeof(Collide__V1__Circle *));
	if (!scene->circles)
		return false;
	for (size_t i = 0; i < build->circle_count; i++) {
		const struct build_circle *row = &build->circles[i];
		Collide__V1__Circle *circle = malloc(sizeof *circle);
		if (!circle)
			return false;
		collide__v1__circle__init(circle);
		circle->x = row->x;
		circle->y = row->y;
		circle->vx = row->vx;
		circle->vy = row->vy;
		circle->radius = row->radius;
		if (row->mass != 1) {
			circle->optional_mass_case = COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS;
			circle->mass = row->mass;
		}
		if (row->restitution != 1) {
			circle->optional_restitution_case = COLLIDE__V1__CIRCLE__OPTIONAL_RESTITUTION_RESTITUTION;
			circle->restitution = row->restitution;
		}
		circle->kind = row->kind;
		circle->friction = row->friction;
		circle->rolling_resistance = row->rolling_resistance;
		circle->angle = row->angle;
		circle->angular_velocity = row->angular_velocity;
		circle->moment_of_inertia = row->moment_of_inertia;
		circle->filter_group = row->filter_group;
		circle->group = row->group;
		circle->remove_groups = row->remove_groups;
		circle->lifetime_s = row->lifetime_s;
		circle->ignore = row->ignore;
		circle->ignored_circle = row->ignored_circle;
		circle->tag = row->tag;
		circle_given_set(circle, row);
		scene->circles[scene->n_circles++] = circle;
	}
	return true;
}

static bool
segments_make(const struct scene_build *build, Collide__V1__Scene *scene)
{
	scene->segments = calloc(build->segment_count, sizeof(Collide__V1__Segment *));
	if (!scene->segments)
		return false;
	for (size_t i = 0; i < build->segment_count; i++) {
		const struct build_segment *row = &build->segments[i];
		Collide__V1__Segment *segment = malloc(sizeof *segment);
		if (!segment)
			return false;
		collide__v1__segment__init(segment);
		segment->x1 = row->x1;
		segment->y1 = row->y1;
		segment->x2 = row->x2;
		segment->y2 = row->y2;
		if (row->restitution != 1) {
			segment->optional_restitution_case = COLLIDE__V1__SEGMENT__OPTIONAL_RESTITUTION_RESTITUTION;
			segment->restitution = row->restitution;
		}
		segment->friction = row->friction;
		segment->sensor = row->sensor;
		segment->rolling_resistance = row->rolling_resistance;
		segment->group = row->group;
		segment_given_set(segment, row);
		scene->segments[scene->n_segments++] = segment;
	}
	return true;
}

Collide__V1__Scene *
scene_build_message(const struct scene_build *build)
{
	Collide__V1__Scene *scene = build->failed ? NULL : malloc(sizeof *scene);
	if (!scene)
		return NULL;
	collide__v1__scene__init(scene);
	scene->events_per_body_max = build->events_per_body_max;
	scene->work_per_tick_max = build->work_per_tick_max;
	scene->gravity_x = build->gravity_x;
	scene->gravity_y = build->gravity_y;
	scene->restitution_mix = build->restitution_mix;
	bool made = true;
	if (build->circle_count > SCENE_HAND_WRITTEN_MAX)
		made = circle_columns_make(build, scene);
	else if (build->circle_count > 0)
		made = circles_make(build, scene);
	if (made && build->segment_count > SCENE_HAND_WRITTEN_MAX)
		made = segment_columns_make(build, scene);
	else if (made && build->segment_count > 0)
		made = segments_make(build, scene);
	if (!made) {
		scene_json_free(scene);
		return NULL;
	}
	return scene;
}

/* Halves are rounded up. Floor and division are exact or correctly rounded, so this is the same everywhere. */
double
round_position(double value)
{
	return floor(value * 1e6 + 0.5) / 1e6;
}

double
round_speed(double value)
{
	return floor(value * 1e9 + 0.5) / 1e9;
}

struct build_segment
segment_rounded(struct build_segment segment)
{
	segment.x1 = round_position(segment.x1);
	segment.y1 = round_position(segment.y1);
	segment.x2 = round_position(segment.x2);
	segment.y2 = round_position(segment.y2);
	return segment;
}
