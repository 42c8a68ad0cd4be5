#include "base/pause.h"
#include "scene/definition/ids.h"
#include "scene/definition/shape_defs.h"
#include "scene/fields/columns.h"

struct segment_def
shapes_column_segment(const Collide__V1__SegmentColumns *columns, size_t row, bool ids_given)
{
	struct segment_def def = segment_def_default();

	def.id = ids_given && row < columns->n_id ? columns->id[row] : (uint32_t)row;
	def.x1 = column_double(columns->x1, columns->n_x1, row, 0);
	def.y1 = column_double(columns->y1, columns->n_y1, row, 0);
	def.x2 = column_double(columns->x2, columns->n_x2, row, 0);
	def.y2 = column_double(columns->y2, columns->n_y2, row, 0);
	def.restitution = column_double(columns->restitution, columns->n_restitution, row, def.restitution);
	def.friction = column_double(columns->friction, columns->n_friction, row, 0);
	def.rolling_resistance = column_double(columns->rolling_resistance, columns->n_rolling_resistance, row, 0);
	def.surface_speed = column_double(columns->surface_speed, columns->n_surface_speed, row, 0);
	def.category = column_uint32(columns->category, columns->n_category, row, def.category);
	def.mask = column_uint32(columns->mask, columns->n_mask, row, def.mask);
	def.sensor = column_bool(columns->sensor, columns->n_sensor, row);
	def.radius = column_double(columns->radius, columns->n_radius, row, 0);
	def.one_sided = column_bool(columns->one_sided, columns->n_one_sided, row);
	def.filter_group = column_int32(columns->filter_group, columns->n_filter_group, row, 0);
	def.group = column_uint32(columns->group, columns->n_group, row, 0);
	def.vx = column_double(columns->vx, columns->n_vx, row, 0);
	def.vy = column_double(columns->vy, columns->n_vy, row, 0);
	def.disabled = column_bool(columns->disabled, columns->n_disabled, row);
	return def;
}

static struct segment_def
hand_segment(const Collide__V1__Segment *segment, uint32_t id)
{
	struct segment_def def = segment_def_default();

	def.id = id;
	if (segment->optional_id_case == COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID)
		def.id = segment->id;
	def.x1 = segment->x1;
	def.y1 = segment->y1;
	def.x2 = segment->x2;
	def.y2 = segment->y2;
	def.friction = segment->friction;
	def.rolling_resistance = segment->rolling_resistance;
	def.surface_speed = segment->surface_speed;
	def.radius = segment->radius;
	def.one_sided = segment->one_sided;
	if (segment->optional_restitution_case == COLLIDE__V1__SEGMENT__OPTIONAL_RESTITUTION_RESTITUTION)
		def.restitution = segment->restitution;
	if (segment->optional_category_case == COLLIDE__V1__SEGMENT__OPTIONAL_CATEGORY_CATEGORY)
		def.category = segment->category;
	if (segment->optional_mask_case == COLLIDE__V1__SEGMENT__OPTIONAL_MASK_MASK)
		def.mask = segment->mask;
	def.sensor = segment->sensor != 0;
	def.filter_group = segment->filter_group;
	def.group = segment->group;
	def.vx = segment->vx;
	def.vy = segment->vy;
	def.disabled = segment->disabled;
	return def;
}

static enum status
rows_check(const Collide__V1__Scene *scene, const char *path, const struct column_list *columns, bool *ids_given,
           struct diagnostics *diagnostics)
{
	struct id_presence ids = { .path = path,
		                       .hand_list = "segments",
		                       .columns = columns,
		                       .hand_count = scene->n_segments,
		                       .hand_first_without = scene->n_segments };
	enum status status = column_list_check(columns, path, diagnostics);

	for (size_t i = 0; i < scene->n_segments && !pause_after(1); i++)
		if (scene->segments[i]->optional_id_case == COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID)
			ids.hand_with_id++;
		else if (ids.hand_first_without == scene->n_segments)
			ids.hand_first_without = i;
	return status != STATUS_OK ? status : diagnostics_add(diagnostics, ids_check(&ids, ids_given, diagnostics->problem));
}

enum status
shapes_segments(struct arena *arena, const Collide__V1__Scene *scene, const char *path, const struct segment_def **out,
                size_t *count, struct diagnostics *diagnostics)
{
	struct column_list columns = segment_column_list(scene);
	bool ids_given;
	enum status status = rows_check(scene, path, &columns, &ids_given, diagnostics);

	if (status != STATUS_OK)
		return status;
	struct segment_def *defs = arena_room(arena, columns.rows + scene->n_segments, sizeof *defs);
	if (!defs)
		return wire_problem_set(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its segments");
	for (size_t i = 0; i < columns.rows && !pause_after(8); i++)
		defs[i] = shapes_column_segment(scene->segment_columns, i, ids_given);
	for (size_t i = 0; i < scene->n_segments && !pause_after(8); i++)
		defs[columns.rows + i] = hand_segment(scene->segments[i], (uint32_t)(columns.rows + i));
	*out = defs;
	*count = columns.rows + scene->n_segments;
	return STATUS_OK;
}
