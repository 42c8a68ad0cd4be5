#include "base/pause.h"
#include "scene/definition/ids.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"
#include "scene/fields/kinds.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* An enum's number that has no name. */
static enum status
number_refuse(struct wire_problem *problem, struct path_place place, const char *name, const char *type, int number)
{
	char text[sizeof problem->text];

	(void)snprintf(text, sizeof text, "%d is not a %s", number, type);
	place.name = name;
	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text);
}

static Collide__V1__MovementResponse
column_response(const Collide__V1__CircleColumns *columns, size_t row)
{
	size_t count = columns->n_response;

	return count == 1    ? columns->response[0]
	       : row < count ? columns->response[row]
	                     : COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_UNSPECIFIED;
}

/* The number of an enum in a row of its column. */
static int
column_number(const void *values, size_t count, size_t row)
{
	return (int)column_uint32(values, count, row, 0);
}

bool
shapes_column_circle(const Collide__V1__CircleColumns *columns, size_t row, bool ids_given, struct circle_def *def)
{
	Collide__V1__BodyKind kind = COLLIDE__V1__BODY_KIND__BODY_KIND_UNSPECIFIED;

	if (columns->n_kind == 1 || row < columns->n_kind)
		kind = columns->kind[columns->n_kind == 1 ? 0 : row];

	*def = circle_def_default();
	def->id = ids_given && row < columns->n_id ? columns->id[row] : (uint32_t)row;
	def->x = column_double(columns->x, columns->n_x, row, 0);
	def->y = column_double(columns->y, columns->n_y, row, 0);
	def->vx = column_double(columns->vx, columns->n_vx, row, 0);
	def->vy = column_double(columns->vy, columns->n_vy, row, 0);
	def->radius = column_double(columns->radius, columns->n_radius, row, 0);
	def->mass = column_double(columns->mass, columns->n_mass, row, def->mass);
	def->restitution = column_double(columns->restitution, columns->n_restitution, row, def->restitution);
	def->friction = column_double(columns->friction, columns->n_friction, row, 0);
	def->rolling_resistance = column_double(columns->rolling_resistance, columns->n_rolling_resistance, row, 0);
	def->angle = column_double(columns->angle, columns->n_angle, row, 0);
	def->angular_velocity = column_double(columns->angular_velocity, columns->n_angular_velocity, row, 0);
	def->moment_of_inertia = column_double(columns->moment_of_inertia, columns->n_moment_of_inertia, row, 0);
	def->surface_speed = column_double(columns->surface_speed, columns->n_surface_speed, row, 0);
	def->linear_damping = column_double(columns->linear_damping, columns->n_linear_damping, row, 0);
	def->angular_damping = column_double(columns->angular_damping, columns->n_angular_damping, row, 0);
	def->gravity_scale = column_double(columns->gravity_scale, columns->n_gravity_scale, row, def->gravity_scale);
	def->category = column_uint32(columns->category, columns->n_category, row, def->category);
	def->mask = column_uint32(columns->mask, columns->n_mask, row, def->mask);
	def->sensor = column_bool(columns->sensor, columns->n_sensor, row);
	def->filter_group = column_int32(columns->filter_group, columns->n_filter_group, row, 0);
	def->group = column_uint32(columns->group, columns->n_group, row, 0);
	def->stop_groups = column_uint64(columns->stop_groups, columns->n_stop_groups, row);
	def->remove_groups = column_uint64(columns->remove_groups, columns->n_remove_groups, row);
	def->report_groups = column_uint64(columns->report_groups, columns->n_report_groups, row);
	def->lifetime_ticks = column_uint32(columns->lifetime_ticks, columns->n_lifetime_ticks, row, 0);
	def->lifetime_s = column_double(columns->lifetime_s, columns->n_lifetime_s, row, 0);
	def->ignored_circle = column_uint32(columns->ignored_circle, columns->n_ignored_circle, row, 0);
	def->tag = column_uint64(columns->tag, columns->n_tag, row);
	return kind_body(kind, &def->kind);
}

static bool
hand_circle(const Collide__V1__Circle *circle, const struct circle_def *usual, uint32_t id, struct circle_def *def)
{
	*def = *usual;
	def->id = id;
	if (circle->optional_id_case == COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID)
		def->id = circle->id;
	def->x = circle->x;
	def->y = circle->y;
	def->vx = circle->vx;
	def->vy = circle->vy;
	def->radius = circle->radius;
	def->friction = circle->friction;
	def->rolling_resistance = circle->rolling_resistance;
	def->angle = circle->angle;
	def->angular_velocity = circle->angular_velocity;
	def->moment_of_inertia = circle->moment_of_inertia;
	def->surface_speed = circle->surface_speed;
	def->linear_damping = circle->linear_damping;
	def->angular_damping = circle->angular_damping;
	if (circle->optional_gravity_scale_case == COLLIDE__V1__CIRCLE__OPTIONAL_GRAVITY_SCALE_GRAVITY_SCALE)
		def->gravity_scale = circle->gravity_scale;
	if (circle->optional_mass_case == COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS)
		def->mass = circle->mass;
	if (circle->optional_restitution_case == COLLIDE__V1__CIRCLE__OPTIONAL_RESTITUTION_RESTITUTION)
		def->restitution = circle->restitution;
	if (circle->optional_category_case == COLLIDE__V1__CIRCLE__OPTIONAL_CATEGORY_CATEGORY)
		def->category = circle->category;
	if (circle->optional_mask_case == COLLIDE__V1__CIRCLE__OPTIONAL_MASK_MASK)
		def->mask = circle->mask;
	def->sensor = circle->sensor != 0;
	def->filter_group = circle->filter_group;
	def->group = circle->group;
	def->stop_groups = circle->stop_groups;
	def->remove_groups = circle->remove_groups;
	def->report_groups = circle->report_groups;
	def->lifetime_ticks = circle->lifetime_ticks;
	def->lifetime_s = circle->lifetime_s;
	def->ignored_circle = circle->ignored_circle;
	def->tag = circle->tag;
	return kind_body(circle->kind, &def->kind);
}

/* Everything about rows as rows: how many, their columns' lengths, which have ids. */
static enum status
rows_check(const Collide__V1__Scene *scene, const char *path, const struct column_list *columns, bool *ids_given,
           struct diagnostics *diagnostics)
{
	struct id_presence ids = { .path = path,
		                       .hand_list = "circles",
		                       .columns = columns,
		                       .hand_count = scene->n_circles,
		                       .hand_first_without = scene->n_circles };
	enum status status = column_list_check(columns, path, diagnostics);

	for (size_t i = 0; i < scene->n_circles && !pause_after(1); i++)
		if (scene->circles[i]->optional_id_case == COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID)
			ids.hand_with_id++;
		else if (ids.hand_first_without == scene->n_circles)
			ids.hand_first_without = i;
	status = status != STATUS_OK ? status : diagnostics_add(diagnostics, ids_check(&ids, ids_given, diagnostics->problem));
	if (status == STATUS_OK && columns->rows > 0 && column_list_count(columns, "radius") == 0) {
		struct path_place place = { path, "circle_columns", "radius", true, PATH_NO_INDEX };

		status = path_problem(diagnostics->problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, "is required");
		status = diagnostics_add(diagnostics, status);
	}
	return status;
}

/* Reads a row of the columns, which are the table `list`, the numbers of enums last. */
static enum status
column_row_read(const Collide__V1__CircleColumns *columns, const char *path, const char *list, size_t row, bool ids_given,
                struct circle_def *def, struct diagnostics *diagnostics)
{
	Collide__V1__MovementResponse response = column_response(columns, row);
	struct path_place place = { .path = path, .list = list, .by_column = true };
	enum status status = STATUS_OK;

	if (!shapes_column_circle(columns, row, ids_given, def)) {
		place.index = path_column_index(columns->n_kind, row);
		status = diagnostics_add(
			diagnostics, number_refuse(diagnostics->problem, place, "kind", "BodyKind", (int)columns->kind[place.index]));
	}
	if (status == STATUS_OK && !kind_response(response, &def->response)) {
		place.index = path_column_index(columns->n_response, row);
		status = diagnostics_add(diagnostics,
		                         number_refuse(diagnostics->problem, place, "response", "MovementResponse", (int)response));
	}

	int ignore = column_number(columns->ignore, columns->n_ignore, row);

	if (status == STATUS_OK && !kind_ignore((Collide__V1__Ignore)ignore, &def->ignore)) {
		place.index = path_column_index(columns->n_ignore, row);
		status = diagnostics_add(diagnostics, number_refuse(diagnostics->problem, place, "ignore", "Ignore", ignore));
	}
	return status;
}

enum status
shapes_circle_row(const Collide__V1__CircleColumns *columns, const char *path, const char *list, size_t row,
                  struct circle_def *def, struct wire_problem *problem)
{
	struct diagnostics first = { .problem = problem };

	return column_row_read(columns, path, list, row, true, def, &first);
}

static enum status
hand_row_read(const Collide__V1__Circle *circle, const char *path, size_t row, const struct circle_def *usual, uint32_t id,
              struct circle_def *def, struct diagnostics *diagnostics)
{
	struct path_place place = { .path = path, .list = "circles", .index = row };
	enum status status = STATUS_OK;

	if (!hand_circle(circle, usual, id, def)) {
		status = diagnostics_add(diagnostics,
		                         number_refuse(diagnostics->problem, place, "kind", "BodyKind", (int)circle->kind));
	}
	if (status == STATUS_OK && !kind_response(circle->response, &def->response)) {
		status = diagnostics_add(
			diagnostics, number_refuse(diagnostics->problem, place, "response", "MovementResponse", (int)circle->response));
	}
	if (status == STATUS_OK && !kind_ignore(circle->ignore, &def->ignore)) {
		status = diagnostics_add(diagnostics,
		                         number_refuse(diagnostics->problem, place, "ignore", "Ignore", (int)circle->ignore));
	}
	return status;
}

/* Whether two circles differ in nothing but place, velocity and radius. Bytes are compared: that may say no of two that only
 * are written differently, and never yes of two that differ. */
static bool
hand_circles_alike(const Collide__V1__Circle *a, const Collide__V1__Circle *b)
{
	const size_t from = offsetof(Collide__V1__Circle, kind);

	static_assert(offsetof(Collide__V1__Circle, kind) == offsetof(Collide__V1__Circle, x) + 5 * sizeof(double), "the five");
	return memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from) == 0;
}

/* A row that is alike the one before, of which `before` was made and all was good. */
static void
hand_row_alike(const Collide__V1__Circle *circle, const struct circle_def *before, uint32_t id, struct circle_def *def)
{
	*def = *before;
	if (circle->optional_id_case != COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID)
		def->id = id;
	def->x = circle->x;
	def->y = circle->y;
	def->vx = circle->vx;
	def->vy = circle->vy;
	def->radius = circle->radius;
}

/* The circles that are not in columns, behind those that are. *alike: so many, from the first on, are alike. */
static enum status
hand_rows_read(const Collide__V1__Scene *scene, const char *path, size_t first, struct circle_def *defs, size_t *alike,
               struct diagnostics *diagnostics)
{
	const struct circle_def usual = circle_def_default();
	enum status status = STATUS_OK;
	bool good = false; /* the one before */

	*alike = 0;
	for (size_t i = 0; status == STATUS_OK && i < scene->n_circles && !pause_after(8); i++) {
		const Collide__V1__Circle *circle = scene->circles[i];
		const size_t problems = diagnostics->count;
		const uint32_t id = (uint32_t)(first + i);

		if (good && hand_circles_alike(scene->circles[i - 1], circle)) {
			hand_row_alike(circle, &defs[i - 1], id, &defs[i]);
			*alike += *alike == i;
			continue;
		}
		status = hand_row_read(circle, path, i, &usual, id, &defs[i], diagnostics);
		good = status == STATUS_OK && diagnostics->count == problems;
		*alike += i == 0;
	}
	return status;
}

enum status
shapes_circles(struct arena *arena, const Collide__V1__Scene *scene, const char *path, struct world_def *out,
               struct diagnostics *diagnostics)
{
	struct column_list columns = circle_column_list(scene);
	size_t alike = 0;
	bool ids_given;
	enum status status = rows_check(scene, path, &columns, &ids_given, diagnostics);

	if (status != STATUS_OK)
		return status;
	struct circle_def *defs = arena_room(arena, columns.rows + scene->n_circles, sizeof *defs);
	if (!defs)
		return wire_problem_set(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its circles");
	for (size_t i = 0; status == STATUS_OK && i < columns.rows && !pause_after(8); i++)
		status = column_row_read(scene->circle_columns, path, columns.list, i, ids_given, &defs[i], diagnostics);
	if (status == STATUS_OK)
		status = hand_rows_read(scene, path, columns.rows, defs + columns.rows, &alike, diagnostics);
	out->circles = defs;
	out->circle_count = columns.rows + scene->n_circles;
	out->circles_alike = columns.rows == 0 ? alike : 0;
	return status;
}
