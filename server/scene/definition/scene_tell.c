#include "scene/definition/scene_tell.h"

#include "base/pause.h"

#include <assert.h>
#include <string.h>

static_assert(sizeof(bool) == 1 && sizeof(protobuf_c_boolean) == 4 && sizeof(enum body_kind) == 4, "as value_read has it");
/* Wire numbers are those of the engine and one more. */
static_assert((int)COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC == (int)BODY_STATIC + 1, "kinds");
static_assert((int)COLLIDE__V1__MOVEMENT_RESPONSE__MOVEMENT_RESPONSE_STOP == (int)RESPONSE_STOP + 1, "responses");
static_assert((int)COLLIDE__V1__IGNORE__IGNORE_UNTIL_APART == (int)IGNORE_UNTIL_APART + 1, "ignore");
static_assert((int)COLLIDE__V1__RELATION_KIND__RELATION_KIND_ONE_SIDED == (int)RELATION_KIND_ONE_SIDED + 1, "relations");
static_assert((int)COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MEAN == (int)RESTITUTION_MIX_MEAN + 1, "mixes");
static_assert((int)COLLIDE__V1__FRICTION_MIX__FRICTION_MIX_MEAN == (int)FRICTION_MIX_MEAN + 1, "mixes");

enum column_of { COLUMN_OF_64, COLUMN_OF_32, COLUMN_OF_BOOL, COLUMN_OF_ENUM };

/* Where a field is in a definition, and its column in the message. */
struct column_place {
	enum column_of type;
	size_t field, count, values;
};

static const struct column_place circle_places[] = {
	{ COLUMN_OF_64, offsetof(struct circle_def, x), offsetof(Collide__V1__CircleColumns, n_x),
	  offsetof(Collide__V1__CircleColumns, x) },
	{ COLUMN_OF_64, offsetof(struct circle_def, y), offsetof(Collide__V1__CircleColumns, n_y),
	  offsetof(Collide__V1__CircleColumns, y) },
	{ COLUMN_OF_64, offsetof(struct circle_def, vx), offsetof(Collide__V1__CircleColumns, n_vx),
	  offsetof(Collide__V1__CircleColumns, vx) },
	{ COLUMN_OF_64, offsetof(struct circle_def, vy), offsetof(Collide__V1__CircleColumns, n_vy),
	  offsetof(Collide__V1__CircleColumns, vy) },
	{ COLUMN_OF_64, offsetof(struct circle_def, radius), offsetof(Collide__V1__CircleColumns, n_radius),
	  offsetof(Collide__V1__CircleColumns, radius) },
	{ COLUMN_OF_64, offsetof(struct circle_def, mass), offsetof(Collide__V1__CircleColumns, n_mass),
	  offsetof(Collide__V1__CircleColumns, mass) },
	{ COLUMN_OF_64, offsetof(struct circle_def, restitution), offsetof(Collide__V1__CircleColumns, n_restitution),
	  offsetof(Collide__V1__CircleColumns, restitution) },
	{ COLUMN_OF_64, offsetof(struct circle_def, friction), offsetof(Collide__V1__CircleColumns, n_friction),
	  offsetof(Collide__V1__CircleColumns, friction) },
	{ COLUMN_OF_64, offsetof(struct circle_def, rolling_resistance), offsetof(Collide__V1__CircleColumns, n_rolling_resistance),
	  offsetof(Collide__V1__CircleColumns, rolling_resistance) },
	{ COLUMN_OF_64, offsetof(struct circle_def, angle), offsetof(Collide__V1__CircleColumns, n_angle),
	  offsetof(Collide__V1__CircleColumns, angle) },
	{ COLUMN_OF_64, offsetof(struct circle_def, angular_velocity), offsetof(Collide__V1__CircleColumns, n_angular_velocity),
	  offsetof(Collide__V1__CircleColumns, angular_velocity) },
	{ COLUMN_OF_64, offsetof(struct circle_def, moment_of_inertia), offsetof(Collide__V1__CircleColumns, n_moment_of_inertia),
	  offsetof(Collide__V1__CircleColumns, moment_of_inertia) },
	{ COLUMN_OF_64, offsetof(struct circle_def, surface_speed), offsetof(Collide__V1__CircleColumns, n_surface_speed),
	  offsetof(Collide__V1__CircleColumns, surface_speed) },
	{ COLUMN_OF_64, offsetof(struct circle_def, linear_damping), offsetof(Collide__V1__CircleColumns, n_linear_damping),
	  offsetof(Collide__V1__CircleColumns, linear_damping) },
	{ COLUMN_OF_64, offsetof(struct circle_def, angular_damping), offsetof(Collide__V1__CircleColumns, n_angular_damping),
	  offsetof(Collide__V1__CircleColumns, angular_damping) },
	{ COLUMN_OF_64, offsetof(struct circle_def, gravity_scale), offsetof(Collide__V1__CircleColumns, n_gravity_scale),
	  offsetof(Collide__V1__CircleColumns, gravity_scale) },
	{ COLUMN_OF_64, offsetof(struct circle_def, lifetime_s), offsetof(Collide__V1__CircleColumns, n_lifetime_s),
	  offsetof(Collide__V1__CircleColumns, lifetime_s) },
	{ COLUMN_OF_32, offsetof(struct circle_def, category), offsetof(Collide__V1__CircleColumns, n_category),
	  offsetof(Collide__V1__CircleColumns, category) },
	{ COLUMN_OF_32, offsetof(struct circle_def, mask), offsetof(Collide__V1__CircleColumns, n_mask),
	  offsetof(Collide__V1__CircleColumns, mask) },
	{ COLUMN_OF_32, offsetof(struct circle_def, group), offsetof(Collide__V1__CircleColumns, n_group),
	  offsetof(Collide__V1__CircleColumns, group) },
	{ COLUMN_OF_32, offsetof(struct circle_def, lifetime_ticks), offsetof(Collide__V1__CircleColumns, n_lifetime_ticks),
	  offsetof(Collide__V1__CircleColumns, lifetime_ticks) },
	{ COLUMN_OF_32, offsetof(struct circle_def, ignored_circle), offsetof(Collide__V1__CircleColumns, n_ignored_circle),
	  offsetof(Collide__V1__CircleColumns, ignored_circle) },
	{ COLUMN_OF_32, offsetof(struct circle_def, filter_group), offsetof(Collide__V1__CircleColumns, n_filter_group),
	  offsetof(Collide__V1__CircleColumns, filter_group) },
	{ COLUMN_OF_64, offsetof(struct circle_def, stop_groups), offsetof(Collide__V1__CircleColumns, n_stop_groups),
	  offsetof(Collide__V1__CircleColumns, stop_groups) },
	{ COLUMN_OF_64, offsetof(struct circle_def, remove_groups), offsetof(Collide__V1__CircleColumns, n_remove_groups),
	  offsetof(Collide__V1__CircleColumns, remove_groups) },
	{ COLUMN_OF_64, offsetof(struct circle_def, report_groups), offsetof(Collide__V1__CircleColumns, n_report_groups),
	  offsetof(Collide__V1__CircleColumns, report_groups) },
	{ COLUMN_OF_64, offsetof(struct circle_def, tag), offsetof(Collide__V1__CircleColumns, n_tag),
	  offsetof(Collide__V1__CircleColumns, tag) },
	{ COLUMN_OF_BOOL, offsetof(struct circle_def, sensor), offsetof(Collide__V1__CircleColumns, n_sensor),
	  offsetof(Collide__V1__CircleColumns, sensor) },
	{ COLUMN_OF_ENUM, offsetof(struct circle_def, kind), offsetof(Collide__V1__CircleColumns, n_kind),
	  offsetof(Collide__V1__CircleColumns, kind) },
	{ COLUMN_OF_ENUM, offsetof(struct circle_def, response), offsetof(Collide__V1__CircleColumns, n_response),
	  offsetof(Collide__V1__CircleColumns, response) },
	{ COLUMN_OF_ENUM, offsetof(struct circle_def, ignore), offsetof(Collide__V1__CircleColumns, n_ignore),
	  offsetof(Collide__V1__CircleColumns, ignore) },
};

static const struct column_place segment_places[] = {
	{ COLUMN_OF_64, offsetof(struct segment_def, x1), offsetof(Collide__V1__SegmentColumns, n_x1),
	  offsetof(Collide__V1__SegmentColumns, x1) },
	{ COLUMN_OF_64, offsetof(struct segment_def, y1), offsetof(Collide__V1__SegmentColumns, n_y1),
	  offsetof(Collide__V1__SegmentColumns, y1) },
	{ COLUMN_OF_64, offsetof(struct segment_def, x2), offsetof(Collide__V1__SegmentColumns, n_x2),
	  offsetof(Collide__V1__SegmentColumns, x2) },
	{ COLUMN_OF_64, offsetof(struct segment_def, y2), offsetof(Collide__V1__SegmentColumns, n_y2),
	  offsetof(Collide__V1__SegmentColumns, y2) },
	{ COLUMN_OF_64, offsetof(struct segment_def, restitution), offsetof(Collide__V1__SegmentColumns, n_restitution),
	  offsetof(Collide__V1__SegmentColumns, restitution) },
	{ COLUMN_OF_64, offsetof(struct segment_def, friction), offsetof(Collide__V1__SegmentColumns, n_friction),
	  offsetof(Collide__V1__SegmentColumns, friction) },
	{ COLUMN_OF_64, offsetof(struct segment_def, rolling_resistance),
	  offsetof(Collide__V1__SegmentColumns, n_rolling_resistance), offsetof(Collide__V1__SegmentColumns, rolling_resistance) },
	{ COLUMN_OF_64, offsetof(struct segment_def, surface_speed), offsetof(Collide__V1__SegmentColumns, n_surface_speed),
	  offsetof(Collide__V1__SegmentColumns, surface_speed) },
	{ COLUMN_OF_64, offsetof(struct segment_def, radius), offsetof(Collide__V1__SegmentColumns, n_radius),
	  offsetof(Collide__V1__SegmentColumns, radius) },
	{ COLUMN_OF_64, offsetof(struct segment_def, vx), offsetof(Collide__V1__SegmentColumns, n_vx),
	  offsetof(Collide__V1__SegmentColumns, vx) },
	{ COLUMN_OF_64, offsetof(struct segment_def, vy), offsetof(Collide__V1__SegmentColumns, n_vy),
	  offsetof(Collide__V1__SegmentColumns, vy) },
	{ COLUMN_OF_32, offsetof(struct segment_def, category), offsetof(Collide__V1__SegmentColumns, n_category),
	  offsetof(Collide__V1__SegmentColumns, category) },
	{ COLUMN_OF_32, offsetof(struct segment_def, mask), offsetof(Collide__V1__SegmentColumns, n_mask),
	  offsetof(Collide__V1__SegmentColumns, mask) },
	{ COLUMN_OF_32, offsetof(struct segment_def, group), offsetof(Collide__V1__SegmentColumns, n_group),
	  offsetof(Collide__V1__SegmentColumns, group) },
	{ COLUMN_OF_32, offsetof(struct segment_def, filter_group), offsetof(Collide__V1__SegmentColumns, n_filter_group),
	  offsetof(Collide__V1__SegmentColumns, filter_group) },
	{ COLUMN_OF_BOOL, offsetof(struct segment_def, sensor), offsetof(Collide__V1__SegmentColumns, n_sensor),
	  offsetof(Collide__V1__SegmentColumns, sensor) },
	{ COLUMN_OF_BOOL, offsetof(struct segment_def, one_sided), offsetof(Collide__V1__SegmentColumns, n_one_sided),
	  offsetof(Collide__V1__SegmentColumns, one_sided) },
	{ COLUMN_OF_BOOL, offsetof(struct segment_def, disabled), offsetof(Collide__V1__SegmentColumns, n_disabled),
	  offsetof(Collide__V1__SegmentColumns, disabled) },
};

static size_t
value_bytes(enum column_of type)
{
	return type == COLUMN_OF_64 ? 8 : 4;
}

/* The bits of a definition's field, as the message has them. */
static uint64_t
value_read(const struct column_place *place, const uint8_t *def)
{
	uint64_t wide = 0;
	uint32_t narrow = 0;

	switch (place->type) {
	case COLUMN_OF_64: memcpy(&wide, def + place->field, sizeof wide); return wide;
	case COLUMN_OF_BOOL: return def[place->field] != 0;
	case COLUMN_OF_32:
	case COLUMN_OF_ENUM: memcpy(&narrow, def + place->field, sizeof narrow); break;
	}
	return narrow + (place->type == COLUMN_OF_ENUM);
}

static void
value_write(const struct column_place *place, uint64_t value, uint8_t *to)
{
	uint32_t narrow = (uint32_t)value;

	if (place->type == COLUMN_OF_64)
		memcpy(to, &value, sizeof value);
	else
		memcpy(to, &narrow, sizeof narrow);
}

/* One column of definitions of `size` bytes. */
static bool
column_tell(struct arena *arena, const struct column_place *place, const uint8_t *defs, size_t count, size_t size,
            const uint8_t *def_default, uint8_t *message)
{
	uint64_t first = value_read(place, defs);
	size_t rows = 1;

	for (size_t i = 1; rows == 1 && i < count && !pause_after(1); i++)
		rows = value_read(place, defs + i * size) == first ? 1 : count;
	if (rows == 1 && first == value_read(place, def_default))
		return true;

	uint8_t *values = arena_room(arena, rows, value_bytes(place->type));

	if (!values)
		return false;
	for (size_t i = 0; i < rows && !pause_after(1); i++)
		value_write(place, value_read(place, defs + i * size), values + i * value_bytes(place->type));
	memcpy(message + place->count, &rows, sizeof rows);
	memcpy(message + place->values, &values, sizeof values);
	return true;
}

bool
scene_tell_circles(struct arena *arena, const struct circle_def *circles, size_t count, Collide__V1__CircleColumns *out)
{
	const struct circle_def def_default = circle_def_default();

	collide__v1__circle_columns__init(out);
	if (count == 0)
		return true;
	out->id = arena_room(arena, count, sizeof *out->id);
	if (!out->id)
		return false;
	out->n_id = count;
	for (size_t i = 0; i < count; i++)
		out->id[i] = circles[i].id;
	for (size_t i = 0; i < sizeof circle_places / sizeof circle_places[0]; i++)
		if (!column_tell(arena, &circle_places[i], (const uint8_t *)circles, count, sizeof *circles,
		                 (const uint8_t *)&def_default, (uint8_t *)out))
			return false;
	return true;
}

bool
scene_tell_segments(struct arena *arena, const struct segment_def *segments, size_t count, Collide__V1__SegmentColumns *out)
{
	const struct segment_def def_default = segment_def_default();

	collide__v1__segment_columns__init(out);
	if (count == 0)
		return true;
	out->id = arena_room(arena, count, sizeof *out->id);
	if (!out->id)
		return false;
	out->n_id = count;
	for (size_t i = 0; i < count; i++)
		out->id[i] = segments[i].id;
	for (size_t i = 0; i < sizeof segment_places / sizeof segment_places[0]; i++)
		if (!column_tell(arena, &segment_places[i], (const uint8_t *)segments, count, sizeof *segments,
		                 (const uint8_t *)&def_default, (uint8_t *)out))
			return false;
	return true;
}

static bool
relations_tell(struct arena *arena, const struct world_def *def, Collide__V1__Scene *out)
{
	out->relations = arena_room(arena, def->relation_count, sizeof *out->relations);
	Collide__V1__GroupRelation *relations = arena_room(arena, def->relation_count, sizeof *relations);

	if (!out->relations || !relations)
		return false;
	out->n_relations = def->relation_count;
	for (size_t i = 0; i < def->relation_count; i++) {
		const struct relation_def *from = &def->relations[i];
		Collide__V1__GroupRelation *to = out->relations[i] = &relations[i];

		collide__v1__group_relation__init(to);
		to->group_a = from->group_a;
		to->group_b = from->group_b;
		to->kind = (Collide__V1__RelationKind)((int)from->kind + 1);
		if (from->has_weight_a) {
			to->optional_weight_a_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_A_WEIGHT_A;
			to->weight_a = from->weight_a;
		}
		if (from->has_weight_b) {
			to->optional_weight_b_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_WEIGHT_B_WEIGHT_B;
			to->weight_b = from->weight_b;
		}
		if (from->has_elasticity) {
			to->optional_elasticity_case = COLLIDE__V1__GROUP_RELATION__OPTIONAL_ELASTICITY_ELASTICITY;
			to->elasticity = from->elasticity;
		}
	}
	return true;
}

static uint32_t
bound_of(uint64_t bound)
{
	return bound > UINT32_MAX ? UINT32_MAX : (uint32_t)bound;
}

bool
scene_tell_settings(struct arena *arena, const struct world_def *def, Collide__V1__Scene *out)
{
	collide__v1__scene__init(out);
	out->gravity_x = def->gravity_x;
	out->gravity_y = def->gravity_y;
	out->restitution_mix = (Collide__V1__RestitutionMix)((int)def->restitution_mix + 1);
	out->friction_mix = (Collide__V1__FrictionMix)((int)def->friction_mix + 1);
	out->restitution_threshold = def->restitution_threshold;
	out->sleep_after = def->sleep_after;
	out->events_per_body_max = def->events_per_body_max;
	out->work_per_tick_max = bound_of(def->work_per_tick_max);
	out->work_per_body_max = bound_of(def->work_per_body_max);
	out->speed_max = def->speed_max;
	out->hit_speed = def->hit_speed;
	if (def->has_bounds) {
		out->bounds = arena_room(arena, 1, sizeof *out->bounds);
		if (!out->bounds)
			return false;
		collide__v1__bounds__init(out->bounds);
		out->optional_bounds_case = COLLIDE__V1__SCENE__OPTIONAL_BOUNDS_BOUNDS;
		out->bounds->x_min = def->bounds_x_min;
		out->bounds->y_min = def->bounds_y_min;
		out->bounds->x_max = def->bounds_x_max;
		out->bounds->y_max = def->bounds_y_max;
	}
	return relations_tell(arena, def, out);
}
