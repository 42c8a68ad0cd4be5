/* Every problem of a scene. Columns, ids and enums are checked by the code that defines worlds, values by
 * world_def_check, which stops at the first problem. That is reported and set right in a copy, and the rest is checked again.
 */
#include "scene/definition/def_field.h"
#include "scene/definition/define.h"

#include "base/check.h"
#include "scene/fields/field_path.h"

#include <stdlib.h>

/* Values that world_create accepts, whatever the other fields hold. */
static void
world_field_repair(struct world_def *def, enum def_field field)
{
	const struct world_def good = world_def_default();

	switch (field) {
	case DEF_WORLD_GRAVITY_X: def->gravity_x = good.gravity_x; break;
	case DEF_WORLD_GRAVITY_Y: def->gravity_y = good.gravity_y; break;
	case DEF_WORLD_RESTITUTION_MIX: def->restitution_mix = good.restitution_mix; break;
	case DEF_WORLD_FRICTION_MIX: def->friction_mix = good.friction_mix; break;
	case DEF_WORLD_RESTITUTION_THRESHOLD: def->restitution_threshold = good.restitution_threshold; break;
	case DEF_WORLD_SLEEP_AFTER: def->sleep_after = good.sleep_after; break;
	case DEF_WORLD_SPEED_MAX: def->speed_max = good.speed_max; break;
	case DEF_WORLD_EVENTS: def->events = good.events; break;
	case DEF_WORLD_WORK_PER_TICK_MAX: def->work_per_tick_max = good.work_per_tick_max; break;
	case DEF_WORLD_WORK_PER_BODY_MAX: def->work_per_body_max = good.work_per_body_max; break;
	case DEF_WORLD_HIT_SPEED: def->hit_speed = good.hit_speed; break;
	case DEF_WORLD_EVENTS_PER_BODY_MAX: def->events_per_body_max = good.events_per_body_max; break;
	/* Each is enough for its own check, and the last two for those that compare. */
	case DEF_WORLD_BOUNDS_X_MIN: def->bounds_x_min = -PHYSICS_COORDINATE_MAX; break;
	case DEF_WORLD_BOUNDS_Y_MIN: def->bounds_y_min = -PHYSICS_COORDINATE_MAX; break;
	case DEF_WORLD_BOUNDS_X_MAX: def->bounds_x_max = PHYSICS_COORDINATE_MAX; break;
	case DEF_WORLD_BOUNDS_Y_MAX: def->bounds_y_max = PHYSICS_COORDINATE_MAX; break;
	default: CHECK(false); /* a field of the world that nothing repairs */
	}
}

static void
circle_repair(struct circle_def *circle, enum def_field field)
{
	const struct circle_def good = circle_def_default();

	switch (field) {
	case DEF_CIRCLE_KIND: circle->kind = good.kind; break;
	case DEF_CIRCLE_X: circle->x = good.x; break;
	case DEF_CIRCLE_Y: circle->y = good.y; break;
	case DEF_CIRCLE_VX: circle->vx = good.vx; break;
	case DEF_CIRCLE_VY: circle->vy = good.vy; break;
	case DEF_CIRCLE_RADIUS: circle->radius = 1; break;
	case DEF_CIRCLE_MASS: circle->mass = good.mass; break;
	case DEF_CIRCLE_FRICTION: circle->friction = good.friction; break;
	case DEF_CIRCLE_ROLLING_RESISTANCE: circle->rolling_resistance = good.rolling_resistance; break;
	case DEF_CIRCLE_ANGLE: circle->angle = good.angle; break;
	case DEF_CIRCLE_ANGULAR_VELOCITY: circle->angular_velocity = good.angular_velocity; break;
	case DEF_CIRCLE_GROUP: circle->group = good.group; break;
	case DEF_CIRCLE_MOMENT_OF_INERTIA: circle->moment_of_inertia = good.moment_of_inertia; break;
	case DEF_CIRCLE_SURFACE_SPEED: circle->surface_speed = good.surface_speed; break;
	case DEF_CIRCLE_LINEAR_DAMPING: circle->linear_damping = good.linear_damping; break;
	case DEF_CIRCLE_ANGULAR_DAMPING: circle->angular_damping = good.angular_damping; break;
	case DEF_CIRCLE_GRAVITY_SCALE: circle->gravity_scale = good.gravity_scale; break;
	case DEF_CIRCLE_RESPONSE: circle->response = good.response; break;
	case DEF_CIRCLE_REMOVE_GROUPS: circle->remove_groups = good.remove_groups; break;
	case DEF_CIRCLE_REPORT_GROUPS: circle->report_groups = good.report_groups; break;
	case DEF_CIRCLE_LIFETIME_S: circle->lifetime_s = good.lifetime_s; break;
	case DEF_CIRCLE_IGNORE: circle->ignore = good.ignore; break;
	default: circle->restitution = good.restitution; break;
	}
}

static void
segment_repair(struct segment_def *segment, enum def_field field)
{
	switch (field) {
	case DEF_SEGMENT_X1: segment->x1 = 0; break;
	case DEF_SEGMENT_Y1: segment->y1 = 0; break;
	case DEF_SEGMENT_X2: segment->x2 = segment->x1 == 0 ? 1 : 0; break; /* also when both points are the same */
	case DEF_SEGMENT_Y2: segment->y2 = 0; break;
	case DEF_SEGMENT_GROUP: segment->group = 0; break;
	case DEF_SEGMENT_VX: segment->vx = 0; break;
	case DEF_SEGMENT_VY: segment->vy = 0; break;
	case DEF_SEGMENT_FRICTION: segment->friction = 0; break;
	case DEF_SEGMENT_ROLLING_RESISTANCE: segment->rolling_resistance = 0; break;
	case DEF_SEGMENT_SURFACE_SPEED: segment->surface_speed = 0; break;
	case DEF_SEGMENT_RADIUS: segment->radius = 0; break;
	default: segment->restitution = segment_def_default().restitution; break;
	}
}

/* Whether there is something wrong with the values of `def`; ids are looked at elsewhere. */
static bool
value_is_wrong(const struct world_def *def, struct def_problem *found)
{
	return !world_def_check(def, found);
}

static void
value_report(struct diagnostics *diagnostics, const char *path, const Collide__V1__Scene *scene,
             const struct def_problem *found)
{
	enum status status = def_field_problem(diagnostics->problem, path, scene, found);

	status = diagnostics_add(diagnostics, status);
	(void)status; /* reported: OK */
}

static void
values_check(struct world_def *def, struct circle_def *circles, struct segment_def *segments, const char *path,
             const Collide__V1__Scene *scene, struct diagnostics *diagnostics)
{
	struct world_def world = *def;
	struct def_problem found;

	world.circle_count = world.segment_count = world.relation_count = 0;
	world.circles_alike = 0; /* they are repaired */
	while (value_is_wrong(&world, &found)) {
		value_report(diagnostics, path, scene, &found);
		world_field_repair(&world, found.field);
	}
	/* Each time from where the last problem was, so that all of it is one pass. */
	for (size_t start = 0; start < def->circle_count;) {
		world.circles = circles + start;
		world.circle_count = def->circle_count - start;
		if (!value_is_wrong(&world, &found))
			break;
		start += found.index;
		found.index = start;
		value_report(diagnostics, path, scene, &found);
		circle_repair(&circles[start], found.field);
	}
	world.circle_count = 0;
	for (size_t start = 0; start < def->segment_count;) {
		world.segments = segments + start;
		world.segment_count = def->segment_count - start;
		if (!value_is_wrong(&world, &found))
			break;
		start += found.index;
		found.index = start;
		value_report(diagnostics, path, scene, &found);
		segment_repair(&segments[start], found.field);
	}
}

/* Each relation by itself, and whether one before has its pair of groups. */
static void
relations_values_check(const struct world_def *def, const char *path, const Collide__V1__Scene *scene,
                       struct diagnostics *diagnostics)
{
	struct world_def world = world_def_default();
	struct def_problem found;

	for (size_t i = 0; i < def->relation_count; i++) {
		const struct relation_def *one = &def->relations[i];
		struct relation_def both[2] = { relation_def_default(), *one };

		world.relations = one;
		world.relation_count = 1;
		if (value_is_wrong(&world, &found)) {
			found.index = i;
			value_report(diagnostics, path, scene, &found);
			continue;
		}
		both[0].group_a = one->group_a;
		both[0].group_b = one->group_b;
		world.relations = both;
		world.relation_count = 2;
		for (size_t k = 0; k < i; k++) {
			const struct relation_def *before = &def->relations[k];
			bool same = before->group_a == one->group_a && before->group_b == one->group_b;
			bool other_way = before->group_a == one->group_b && before->group_b == one->group_a;

			if ((same || other_way) && value_is_wrong(&world, &found)) {
				found.index = i;
				value_report(diagnostics, path, scene, &found);
				break;
			}
		}
	}
}

struct given_id {
	uint32_t id;
	size_t index; /* of the row or element, columns first */
};

static int
given_compare(const void *left, const void *right)
{
	const struct given_id *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void
given_report(struct given_id *given, size_t count, enum def_field field, const char *path, const Collide__V1__Scene *scene,
             struct diagnostics *diagnostics)
{
	struct def_problem found = { .field = field, .text = "must be unique" };

	qsort(given, count, sizeof *given, given_compare);
	for (size_t i = 1; i < count; i++) {
		if (given[i].id == given[i - 1].id) {
			found.index = given[i].index;
			value_report(diagnostics, path, scene, &found);
		}
	}
}

/* Ids that are given, however many are not: missing ones are another problem. */
static enum status
ids_unique_check(struct arena *arena, const Collide__V1__Scene *scene, const struct world_def *def, const char *path,
                 struct diagnostics *diagnostics)
{
	size_t most = def->circle_count > def->segment_count ? def->circle_count : def->segment_count, count = 0;
	size_t circle_rows = def->circle_count - scene->n_circles, segment_rows = def->segment_count - scene->n_segments;
	struct given_id *given = arena_array(arena, most + 1, sizeof *given);

	if (!given)
		return wire_problem_set(diagnostics->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for its ids");
	for (size_t i = 0; i < circle_rows && i < scene->circle_columns->n_id; i++)
		given[count++] = (struct given_id){ scene->circle_columns->id[i], i };
	for (size_t i = 0; i < scene->n_circles; i++)
		if (scene->circles[i]->optional_id_case == COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID)
			given[count++] = (struct given_id){ scene->circles[i]->id, circle_rows + i };
	given_report(given, count, DEF_CIRCLE_ID, path, scene, diagnostics);
	count = 0;
	for (size_t i = 0; i < segment_rows && i < scene->segment_columns->n_id; i++)
		given[count++] = (struct given_id){ scene->segment_columns->id[i], i };
	for (size_t i = 0; i < scene->n_segments; i++)
		if (scene->segments[i]->optional_id_case == COLLIDE__V1__SEGMENT__OPTIONAL_ID_ID)
			given[count++] = (struct given_id){ scene->segments[i]->id, segment_rows + i };
	given_report(given, count, DEF_SEGMENT_ID, path, scene, diagnostics);
	return STATUS_OK;
}

enum status
scene_check(struct arena *arena, const Collide__V1__Scene *scene, const struct scene_limits *limits, const char *path,
            scene_problem_fn report, void *context, struct wire_problem *problem)
{
	struct diagnostics diagnostics = { .problem = problem, .report = report, .context = context };
	struct world_def def;
	enum status status = scene_define(arena, scene, limits, path, &def, &diagnostics);

	if (status != STATUS_OK)
		return diagnostics.ended ? STATUS_OK : status;
	status = ids_unique_check(arena, scene, &def, path, &diagnostics);
	struct circle_def *circles = arena_array(arena, def.circle_count + 1, sizeof *circles);
	struct segment_def *segments = arena_array(arena, def.segment_count + 1, sizeof *segments);
	if (status != STATUS_OK || !circles || !segments)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory to check it");
	for (size_t i = 0; i < def.circle_count; i++)
		circles[i] = def.circles[i];
	for (size_t i = 0; i < def.segment_count; i++)
		segments[i] = def.segments[i];
	values_check(&def, circles, segments, path, scene, &diagnostics);
	relations_values_check(&def, path, scene, &diagnostics);
	return STATUS_OK;
}
