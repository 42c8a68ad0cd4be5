#include "client/lib/scene_view.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Elements of a column. */
static size_t
column_count(const ProtobufCMessage *table, const ProtobufCFieldDescriptor *field)
{
	size_t count;
	memcpy(&count, (const char *)table + field->quantifier_offset, sizeof count);
	return count;
}

/* The number of rows of a table of repeated columns. false: a column has another length, and is neither empty nor one for all.
 */
static bool
rows_count(const ProtobufCMessage *table, uint32_t given, uint32_t *rows)
{
	const ProtobufCMessageDescriptor *descriptor = table->descriptor;
	size_t most = 0;
	for (unsigned i = 0; i < descriptor->n_fields; i++)
		if (descriptor->fields[i].label == PROTOBUF_C_LABEL_REPEATED) {
			size_t count = column_count(table, &descriptor->fields[i]);
			most = count > most ? count : most;
		}
	if (given > 0 && most > given)
		return false;
	size_t total = given > 0 ? given : most;
	for (unsigned i = 0; i < descriptor->n_fields; i++)
		if (descriptor->fields[i].label == PROTOBUF_C_LABEL_REPEATED) {
			size_t count = column_count(table, &descriptor->fields[i]);
			if (count > 1 && count != total)
				return false;
		}
	*rows = (uint32_t)total;
	return total <= UINT32_MAX;
}

static_assert(sizeof(Collide__V1__BodyKind) == sizeof(uint32_t) && sizeof(protobuf_c_boolean) == sizeof(uint32_t),
              "columns of enums and booleans are passed on as they are");

bool
circles_told(const Collide__V1__CircleColumns *from, struct collide_circles *to)
{
	*to = (struct collide_circles){ 0 };
	if (!rows_count(&from->base, from->count, &to->count))
		return false;
	to->id = (struct collide_uint32s){ from->id, from->n_id };
	to->x = (struct collide_doubles){ from->x, from->n_x };
	to->y = (struct collide_doubles){ from->y, from->n_y };
	to->vx = (struct collide_doubles){ from->vx, from->n_vx };
	to->vy = (struct collide_doubles){ from->vy, from->n_vy };
	to->radius = (struct collide_doubles){ from->radius, from->n_radius };
	to->mass = (struct collide_doubles){ from->mass, from->n_mass };
	to->restitution = (struct collide_doubles){ from->restitution, from->n_restitution };
	to->friction = (struct collide_doubles){ from->friction, from->n_friction };
	to->rolling_resistance = (struct collide_doubles){ from->rolling_resistance, from->n_rolling_resistance };
	to->angle = (struct collide_doubles){ from->angle, from->n_angle };
	to->angular_velocity = (struct collide_doubles){ from->angular_velocity, from->n_angular_velocity };
	to->moment_of_inertia = (struct collide_doubles){ from->moment_of_inertia, from->n_moment_of_inertia };
	to->surface_speed = (struct collide_doubles){ from->surface_speed, from->n_surface_speed };
	to->linear_damping = (struct collide_doubles){ from->linear_damping, from->n_linear_damping };
	to->angular_damping = (struct collide_doubles){ from->angular_damping, from->n_angular_damping };
	to->gravity_scale = (struct collide_doubles){ from->gravity_scale, from->n_gravity_scale };
	to->lifetime_s = (struct collide_doubles){ from->lifetime_s, from->n_lifetime_s };
	to->kind = (struct collide_uint32s){ (const uint32_t *)from->kind, from->n_kind };
	to->category = (struct collide_uint32s){ from->category, from->n_category };
	to->mask = (struct collide_uint32s){ from->mask, from->n_mask };
	to->response = (struct collide_uint32s){ (const uint32_t *)from->response, from->n_response };
	to->sensor = (struct collide_uint32s){ (const uint32_t *)from->sensor, from->n_sensor };
	to->filter_group = (struct collide_int32s){ from->filter_group, from->n_filter_group };
	to->group = (struct collide_uint32s){ from->group, from->n_group };
	to->stop_groups = (struct collide_uint64s){ from->stop_groups, from->n_stop_groups };
	to->remove_groups = (struct collide_uint64s){ from->remove_groups, from->n_remove_groups };
	to->report_groups = (struct collide_uint64s){ from->report_groups, from->n_report_groups };
	to->lifetime_ticks = (struct collide_uint32s){ from->lifetime_ticks, from->n_lifetime_ticks };
	to->ignore = (struct collide_uint32s){ (const uint32_t *)from->ignore, from->n_ignore };
	to->ignored_circle = (struct collide_uint32s){ from->ignored_circle, from->n_ignored_circle };
	to->tag = (struct collide_uint64s){ from->tag, from->n_tag };
	return to->id.count == to->count;
}

bool
segments_told(const Collide__V1__SegmentColumns *from, struct collide_segments *to)
{
	*to = (struct collide_segments){ 0 };
	if (!rows_count(&from->base, from->count, &to->count))
		return false;
	to->id = (struct collide_uint32s){ from->id, from->n_id };
	to->x1 = (struct collide_doubles){ from->x1, from->n_x1 };
	to->y1 = (struct collide_doubles){ from->y1, from->n_y1 };
	to->x2 = (struct collide_doubles){ from->x2, from->n_x2 };
	to->y2 = (struct collide_doubles){ from->y2, from->n_y2 };
	to->restitution = (struct collide_doubles){ from->restitution, from->n_restitution };
	to->friction = (struct collide_doubles){ from->friction, from->n_friction };
	to->rolling_resistance = (struct collide_doubles){ from->rolling_resistance, from->n_rolling_resistance };
	to->surface_speed = (struct collide_doubles){ from->surface_speed, from->n_surface_speed };
	to->radius = (struct collide_doubles){ from->radius, from->n_radius };
	to->vx = (struct collide_doubles){ from->vx, from->n_vx };
	to->vy = (struct collide_doubles){ from->vy, from->n_vy };
	to->category = (struct collide_uint32s){ from->category, from->n_category };
	to->mask = (struct collide_uint32s){ from->mask, from->n_mask };
	to->sensor = (struct collide_uint32s){ (const uint32_t *)from->sensor, from->n_sensor };
	to->one_sided = (struct collide_uint32s){ (const uint32_t *)from->one_sided, from->n_one_sided };
	to->filter_group = (struct collide_int32s){ from->filter_group, from->n_filter_group };
	to->group = (struct collide_uint32s){ from->group, from->n_group };
	to->disabled = (struct collide_uint32s){ (const uint32_t *)from->disabled, from->n_disabled };
	return to->id.count == to->count;
}

static struct collide_group_relation
relation_view(const Collide__V1__GroupRelation *from)
{
	return (struct collide_group_relation){
		.group_a = from->group_a,
		.group_b = from->group_b,
		.kind = (enum collide_group_relation_kind)from->kind,
		.has_weight_a = from->optional_weight_a_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A_WEIGHT_A,
		.has_weight_b = from->optional_weight_b_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_B_WEIGHT_B,
		.has_elasticity = from->optional_elasticity_case == COLLIDE__V1__GROUP_RELATION__OPTIONAL_ELASTICITY_ELASTICITY,
		.weight_a = from->weight_a,
		.weight_b = from->weight_b,
		.elasticity = from->elasticity,
	};
}

static bool
relations_view(const Collide__V1__Scene *from, struct collide_scene *to, struct collide_group_relation **relations)
{
	if (from->n_relations == 0)
		return true;
	*relations = calloc(from->n_relations, sizeof **relations);
	if (!*relations)
		return false;
	for (size_t i = 0; i < from->n_relations; i++)
		(*relations)[i] = relation_view(from->relations[i]);
	to->relations = *relations;
	to->relation_count = from->n_relations;
	return true;
}

enum scene_view_result
scene_view(const Collide__V1__Scene *from, struct collide_scene *to, struct collide_bounds *bounds,
           struct collide_group_relation **relations)
{
	*to = (struct collide_scene){
		.gravity_x = from->gravity_x,
		.gravity_y = from->gravity_y,
		.restitution_mix = (enum collide_restitution_mix)from->restitution_mix,
		.friction_mix = (enum collide_friction_mix)from->friction_mix,
		.restitution_threshold = from->restitution_threshold,
		.sleep_after = from->sleep_after,
		.events_per_body_max = from->events_per_body_max,
		.speed_max = from->speed_max,
		.hit_speed = from->hit_speed,
		.work_per_tick_max = from->work_per_tick_max,
		.work_per_body_max = from->work_per_body_max,
	};
	*relations = NULL;
	if (from->n_circles > 0 || from->n_segments > 0)
		return SCENE_MALFORMED; /* a server tells definitions in columns */
	if (from->optional_circle_columns_case == COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS &&
	    !circles_told(from->circle_columns, &to->circles))
		return SCENE_MALFORMED;
	if (from->optional_segment_columns_case == COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS &&
	    !segments_told(from->segment_columns, &to->segments))
		return SCENE_MALFORMED;
	if (from->optional_bounds_case == COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS) {
		*bounds = (struct collide_bounds){ from->bounds->x_min, from->bounds->y_min, from->bounds->x_max, from->bounds->y_max };
		to->bounds = bounds;
	}
	return relations_view(from, to, relations) ? SCENE_VIEWED : SCENE_NO_MEMORY;
}
