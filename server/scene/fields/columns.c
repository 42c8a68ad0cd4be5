#include "scene/fields/columns.h"

#include "scene/fields/field_path.h"

#include <stdio.h>
#include <string.h>

static void
column_add(struct column_list *list, const char *name, size_t count)
{
	list->columns[list->column_count].name = name;
	list->columns[list->column_count].count = count;
	list->column_count++;
}

static void
rows_set(struct column_list *list, uint32_t count)
{
	list->rows = count;
	for (size_t i = 0; count == 0 && i < list->column_count; i++)
		if (list->columns[i].count > list->rows)
			list->rows = list->columns[i].count;
}

struct column_list
circle_columns_list(const char *name, const Collide__V1__CircleColumns *columns)
{
	struct column_list list = { .list = name };

	if (!columns)
		return list;
	column_add(&list, "id", columns->n_id);
	column_add(&list, "x", columns->n_x);
	column_add(&list, "y", columns->n_y);
	column_add(&list, "vx", columns->n_vx);
	column_add(&list, "vy", columns->n_vy);
	column_add(&list, "radius", columns->n_radius);
	column_add(&list, "mass", columns->n_mass);
	column_add(&list, "restitution", columns->n_restitution);
	column_add(&list, "kind", columns->n_kind);
	column_add(&list, "category", columns->n_category);
	column_add(&list, "mask", columns->n_mask);
	column_add(&list, "friction", columns->n_friction);
	column_add(&list, "rolling_resistance", columns->n_rolling_resistance);
	column_add(&list, "angle", columns->n_angle);
	column_add(&list, "angular_velocity", columns->n_angular_velocity);
	column_add(&list, "moment_of_inertia", columns->n_moment_of_inertia);
	column_add(&list, "surface_speed", columns->n_surface_speed);
	column_add(&list, "linear_damping", columns->n_linear_damping);
	column_add(&list, "angular_damping", columns->n_angular_damping);
	column_add(&list, "gravity_scale", columns->n_gravity_scale);
	column_add(&list, "response", columns->n_response);
	column_add(&list, "sensor", columns->n_sensor);
	column_add(&list, "filter_group", columns->n_filter_group);
	column_add(&list, "group", columns->n_group);
	column_add(&list, "stop_groups", columns->n_stop_groups);
	column_add(&list, "remove_groups", columns->n_remove_groups);
	column_add(&list, "report_groups", columns->n_report_groups);
	column_add(&list, "lifetime_ticks", columns->n_lifetime_ticks);
	column_add(&list, "lifetime_s", columns->n_lifetime_s);
	column_add(&list, "ignore", columns->n_ignore);
	column_add(&list, "ignored_circle", columns->n_ignored_circle);
	column_add(&list, "tag", columns->n_tag);
	rows_set(&list, columns->count);
	return list;
}

struct column_list
circle_column_list(const Collide__V1__Scene *scene)
{
	bool given = scene->optional_circle_columns_case == COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;

	return circle_columns_list("circle_columns", given ? scene->circle_columns : NULL);
}

struct column_list
segment_columns_list(const char *name, const Collide__V1__SegmentColumns *columns)
{
	struct column_list list = { .list = name };

	if (!columns)
		return list;
	column_add(&list, "id", columns->n_id);
	column_add(&list, "x1", columns->n_x1);
	column_add(&list, "y1", columns->n_y1);
	column_add(&list, "x2", columns->n_x2);
	column_add(&list, "y2", columns->n_y2);
	column_add(&list, "restitution", columns->n_restitution);
	column_add(&list, "category", columns->n_category);
	column_add(&list, "mask", columns->n_mask);
	column_add(&list, "friction", columns->n_friction);
	column_add(&list, "rolling_resistance", columns->n_rolling_resistance);
	column_add(&list, "surface_speed", columns->n_surface_speed);
	column_add(&list, "sensor", columns->n_sensor);
	column_add(&list, "radius", columns->n_radius);
	column_add(&list, "one_sided", columns->n_one_sided);
	column_add(&list, "filter_group", columns->n_filter_group);
	column_add(&list, "group", columns->n_group);
	column_add(&list, "vx", columns->n_vx);
	column_add(&list, "vy", columns->n_vy);
	column_add(&list, "disabled", columns->n_disabled);
	rows_set(&list, columns->count);
	return list;
}

struct column_list
segment_column_list(const Collide__V1__Scene *scene)
{
	bool given = scene->optional_segment_columns_case == COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;

	return segment_columns_list("segment_columns", given ? scene->segment_columns : NULL);
}

size_t
column_list_count(const struct column_list *columns, const char *name)
{
	for (size_t i = 0; i < columns->column_count; i++)
		if (strcmp(columns->columns[i].name, name) == 0)
			return columns->columns[i].count;
	return 0;
}

enum status
column_list_check(const struct column_list *columns, const char *path, struct diagnostics *diagnostics)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; status == STATUS_OK && i < columns->column_count; i++) {
		size_t count = columns->columns[i].count;
		bool is_id = strcmp(columns->columns[i].name, "id") == 0;
		char text[sizeof diagnostics->problem->text];

		if (count == 0 || count == columns->rows || (count == 1 && !is_id))
			continue;
		(void)snprintf(text, sizeof text, "has %zu element%s for %zu rows; must have none%s or one a row", count,
		               count == 1 ? "" : "s", columns->rows, is_id ? "" : ", one for all");
		struct path_place place = {
			.path = path, .list = columns->list, .name = columns->columns[i].name, .by_column = true, .index = PATH_NO_INDEX
		};
		status = path_problem(diagnostics->problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text);
		status = diagnostics_add(diagnostics, status);
	}
	return status;
}
