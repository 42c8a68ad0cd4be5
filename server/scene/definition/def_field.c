#include "scene/definition/def_field.h"

#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"

const char *
def_field_name(enum def_field field)
{
	switch (field) {
	case DEF_WORLD_GRAVITY_X: return "gravity_x";
	case DEF_WORLD_GRAVITY_Y: return "gravity_y";
	case DEF_WORLD_RESTITUTION_MIX: return "restitution_mix";
	case DEF_WORLD_FRICTION_MIX: return "friction_mix";
	case DEF_WORLD_RESTITUTION_THRESHOLD: return "restitution_threshold";
	case DEF_WORLD_SLEEP_AFTER: return "sleep_after";
	case DEF_WORLD_EVENTS_PER_BODY_MAX: return "events_per_body_max";
	case DEF_WORLD_WORK_PER_TICK_MAX: return "work_per_tick_max";
	case DEF_WORLD_WORK_PER_BODY_MAX: return "work_per_body_max";
	case DEF_WORLD_EVENTS: return "events";
	case DEF_WORLD_HIT_SPEED: return "hit_speed";
	case DEF_WORLD_BOUNDS_X_MIN: return "x_min";
	case DEF_WORLD_BOUNDS_Y_MIN: return "y_min";
	case DEF_WORLD_BOUNDS_X_MAX: return "x_max";
	case DEF_WORLD_BOUNDS_Y_MAX: return "y_max";
	case DEF_CIRCLE_ID:
	case DEF_SEGMENT_ID: return "id";
	case DEF_CIRCLE_KIND: return "kind";
	case DEF_CIRCLE_X: return "x";
	case DEF_CIRCLE_Y: return "y";
	case DEF_CIRCLE_VX:
	case DEF_SEGMENT_VX: return "vx";
	case DEF_CIRCLE_VY:
	case DEF_SEGMENT_VY: return "vy";
	case DEF_CIRCLE_RADIUS:
	case DEF_SEGMENT_RADIUS: return "radius";
	case DEF_CIRCLE_MASS: return "mass";
	case DEF_CIRCLE_RESTITUTION:
	case DEF_SEGMENT_RESTITUTION: return "restitution";
	case DEF_CIRCLE_FRICTION:
	case DEF_SEGMENT_FRICTION: return "friction";
	case DEF_CIRCLE_ROLLING_RESISTANCE:
	case DEF_SEGMENT_ROLLING_RESISTANCE: return "rolling_resistance";
	case DEF_CIRCLE_ANGLE: return "angle";
	case DEF_CIRCLE_ANGULAR_VELOCITY: return "angular_velocity";
	case DEF_CIRCLE_MOMENT_OF_INERTIA: return "moment_of_inertia";
	case DEF_WORLD_SPEED_MAX: return "speed_max";
	case DEF_CIRCLE_SURFACE_SPEED:
	case DEF_SEGMENT_SURFACE_SPEED: return "surface_speed";
	case DEF_CIRCLE_LINEAR_DAMPING: return "linear_damping";
	case DEF_CIRCLE_ANGULAR_DAMPING: return "angular_damping";
	case DEF_CIRCLE_GRAVITY_SCALE: return "gravity_scale";
	case DEF_CIRCLE_RESPONSE: return "response";
	case DEF_CIRCLE_CATEGORY:
	case DEF_SEGMENT_CATEGORY: return "category";
	case DEF_CIRCLE_MASK:
	case DEF_SEGMENT_MASK: return "mask";
	case DEF_CIRCLE_SENSOR:
	case DEF_SEGMENT_SENSOR: return "sensor";
	case DEF_SEGMENT_ONE_SIDED: return "one_sided";
	case DEF_SEGMENT_X1: return "x1";
	case DEF_SEGMENT_Y1: return "y1";
	case DEF_SEGMENT_X2: return "x2";
	case DEF_SEGMENT_Y2: return "y2";
	case DEF_CIRCLE_FILTER_GROUP:
	case DEF_SEGMENT_FILTER_GROUP: return "filter_group";
	case DEF_CIRCLE_GROUP:
	case DEF_SEGMENT_GROUP: return "group";
	case DEF_CIRCLE_STOP_GROUPS: return "stop_groups";
	case DEF_CIRCLE_REMOVE_GROUPS: return "remove_groups";
	case DEF_CIRCLE_REPORT_GROUPS: return "report_groups";
	case DEF_CIRCLE_LIFETIME_TICKS: return "lifetime_ticks";
	case DEF_CIRCLE_LIFETIME_S: return "lifetime_s";
	case DEF_CIRCLE_IGNORE: return "ignore";
	case DEF_CIRCLE_IGNORED_CIRCLE: return "ignored_circle";
	case DEF_CIRCLE_TAG: return "tag";
	case DEF_SEGMENT_DISABLED: return "disabled";
	case DEF_RELATION_GROUP_A: return "group_a";
	case DEF_RELATION_GROUP_B: return "group_b";
	case DEF_RELATION_KIND: return "kind";
	case DEF_RELATION_WEIGHT_A: return "weight_a";
	case DEF_RELATION_WEIGHT_B: return "weight_b";
	case DEF_RELATION_ELASTICITY: return "elasticity";
	case DEF_FIELD_COUNT: break;
	}
	return "";
}

enum status
def_field_problem(struct wire_problem *problem, const char *path, const Collide__V1__Scene *scene,
                  const struct def_problem *found)
{
	struct path_place place = { .path = path, .name = def_field_name(found->field), .index = PATH_NO_INDEX };
	bool is_circle = found->field >= DEF_CIRCLE_ID && found->field < DEF_SEGMENT_ID;

	if (found->field >= DEF_RELATION_GROUP_A) {
		place.list = "relations";
		place.index = found->index;
	} else if (found->field >= DEF_CIRCLE_ID) {
		struct column_list columns = is_circle ? circle_column_list(scene) : segment_column_list(scene);

		place.by_column = found->index < columns.rows;
		if (place.by_column) {
			place.list = is_circle ? "circle_columns" : "segment_columns";
			place.index = path_column_index(column_list_count(&columns, place.name), found->index);
		} else {
			place.list = is_circle ? "circles" : "segments";
			place.index = found->index - columns.rows;
		}
	}
	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, found->text);
}
