/* Segments in columns alone, as a map. */
#include "scene/definition/wall_columns.h"

#include "base/pause.h"
#include "scene/definition/def_field.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"

#include <string.h>

static enum status
walls_refuse(const struct column_list *columns, const char *path, const struct def_problem *found, struct wire_problem *problem)
{
	struct path_place place = { .path = path, .list = columns->list, .name = def_field_name(found->field), .by_column = true };
	place.index = path_column_index(column_list_count(columns, place.name), found->index);
	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, found->text);
}

static enum status
walls_create(const struct column_list *columns, const char *path, const struct segment_def *defs, struct wall_map **out,
             struct wire_problem *problem)
{
	struct def_problem found = { 0 };
	enum status status = wall_map_create(defs, columns->rows, &found, out);
	if (status == STATUS_INVALID_ARGUMENT)
		return walls_refuse(columns, path, &found, problem);
	if (status != STATUS_OK)
		return wire_problem_set(problem, status, "MEMORY", "", "no memory for the map");
	return STATUS_OK;
}

enum status
scene_wall_map(struct arena *arena, const Collide__V1__SegmentColumns *segments, const struct scene_limits *limits,
               const char *path, const char *list, struct wall_map **out, struct wire_problem *problem)
{
	struct diagnostics diagnostics = { .problem = problem };
	struct column_list columns = segment_columns_list(list, segments);
	enum status status = shapes_count_check(path, list, columns.rows, list, 0, limits->segments_max, &diagnostics);
	if (status == STATUS_OK)
		status = column_list_check(&columns, path, &diagnostics);
	if (status != STATUS_OK)
		return status;
	struct segment_def *defs = arena_room(arena, columns.rows, sizeof *defs);
	if (!defs)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for the map");
	for (size_t i = 0; i < columns.rows && !pause_after(4); i++)
		defs[i] = shapes_column_segment(segments, i, segments->n_id > 0);
	return pause_stopped() ? STATUS_CANCELLED : walls_create(&columns, path, defs, out, problem);
}
