/* Defaults and validation of definitions: the only place that checks numbers from outside. */
#include "base/check.h"
#include "physics/math/sort.h"
#include "physics/world/relation.h"
#include "physics/world/world.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct circle_def
circle_def_default(void)
{
	return (struct circle_def){
		.kind = BODY_DYNAMIC,
		.mass = 1.0,
		.restitution = 1.0,
		.category = 1,
		.mask = UINT32_MAX,
		.gravity_scale = 1.0,
	};
}

struct segment_def
segment_def_default(void)
{
	return (struct segment_def){ .restitution = 1.0, .category = 1, .mask = UINT32_MAX };
}

struct world_def
world_def_default(void)
{
	return (struct world_def){
		.restitution_mix = RESTITUTION_MIX_MAX,
		.events_per_body_max = 10000,
		.work_per_tick_max = PHYSICS_WORK_PER_TICK,
		.work_per_body_max = PHYSICS_WORK_PER_BODY,
		.contacts_per_tick_max = (size_t)1 << 22,
	};
}

struct relation_def
relation_def_default(void)
{
	return (struct relation_def){ .kind = RELATION_KIND_BOUNCE };
}

static bool
within(double value, double magnitude_max)
{
	return fabs(value) <= magnitude_max; /* false for NaN */
}

static bool
problem_set(struct def_problem *problem, enum def_field field, size_t index, const char *text)
{
	*problem = (struct def_problem){ .field = field, .index = index, .text = text };
	return false;
}

static bool
bounds_check(const struct world_def *def, struct def_problem *problem)
{
	static const char *const coordinate = "must be a finite number of magnitude at most 1e12";

	if (!within(def->bounds_x_min, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_BOUNDS_X_MIN, 0, coordinate);
	if (!within(def->bounds_y_min, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_BOUNDS_Y_MIN, 0, coordinate);
	if (!within(def->bounds_x_max, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_BOUNDS_X_MAX, 0, coordinate);
	if (def->bounds_x_max < def->bounds_x_min)
		return problem_set(problem, DEF_WORLD_BOUNDS_X_MAX, 0, "must not be less than x_min");
	if (!within(def->bounds_y_max, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_BOUNDS_Y_MAX, 0, coordinate);
	if (def->bounds_y_max < def->bounds_y_min)
		return problem_set(problem, DEF_WORLD_BOUNDS_Y_MAX, 0, "must not be less than y_min");
	return true;
}

static bool
world_fields_check(const struct world_def *def, struct def_problem *problem)
{
	if (!within(def->gravity_x, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_GRAVITY_X, 0, "must be a finite number of magnitude at most 1e12");
	if (!within(def->gravity_y, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_WORLD_GRAVITY_Y, 0, "must be a finite number of magnitude at most 1e12");
	if ((unsigned)def->restitution_mix > RESTITUTION_MIX_MEAN)
		return problem_set(problem, DEF_WORLD_RESTITUTION_MIX, 0, "must be one of the named mixes");
	if ((unsigned)def->friction_mix > FRICTION_MIX_MEAN)
		return problem_set(problem, DEF_WORLD_FRICTION_MIX, 0, "must be one of the named mixes");
	if (!(def->restitution_threshold >= 0.0 && def->restitution_threshold <= PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_WORLD_RESTITUTION_THRESHOLD, 0, "must be a number from 0 to 1e12");
	if (!(def->sleep_after >= 0.0 && def->sleep_after <= PHYSICS_SLEEP_AFTER_MAX))
		return problem_set(problem, DEF_WORLD_SLEEP_AFTER, 0, "must be a number from 0 to 1e12");
	if (def->events_per_body_max < 1 || def->events_per_body_max > 1000000)
		return problem_set(problem, DEF_WORLD_EVENTS_PER_BODY_MAX, 0, "must be from 1 to 1,000,000");
	if (def->work_per_tick_max < 1 || def->work_per_tick_max > PHYSICS_WORK_PER_TICK_MOST)
		return problem_set(problem, DEF_WORLD_WORK_PER_TICK_MAX, 0, "must be from 1 to 1e12");
	if (def->work_per_body_max < 1 || def->work_per_body_max > PHYSICS_WORK_PER_BODY_MOST)
		return problem_set(problem, DEF_WORLD_WORK_PER_BODY_MAX, 0, "must be from 1 to 1e9");
	if (!(def->speed_max >= 0.0 && def->speed_max <= PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_WORLD_SPEED_MAX, 0, "must be a number from 0 to 1e12");
	if (def->events & ~WORLD_EVENTS_ALL)
		return problem_set(problem, DEF_WORLD_EVENTS, 0, "must be a sum of 1, 2 and 4");
	if (!(def->hit_speed >= 0.0 && def->hit_speed <= PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_WORLD_HIT_SPEED, 0, "must be a number from 0 to 1e12");
	return !def->has_bounds || bounds_check(def, problem);
}

static bool
circle_turn_check(const struct circle_def *c, size_t index, struct def_problem *problem)
{
	if (!(c->friction >= 0.0 && c->friction <= PHYSICS_FRICTION_MAX))
		return problem_set(problem, DEF_CIRCLE_FRICTION, index, "must be from 0 to 1e6");
	if (!(c->rolling_resistance >= 0.0 && c->rolling_resistance <= PHYSICS_FRICTION_MAX))
		return problem_set(problem, DEF_CIRCLE_ROLLING_RESISTANCE, index, "must be from 0 to 1e6");
	if (!within(c->angle, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_CIRCLE_ANGLE, index, "must be a finite number of magnitude at most 1e12");
	if (!within(c->angular_velocity, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_CIRCLE_ANGULAR_VELOCITY, index, "must be a finite number of magnitude at most 1e12");
	if (c->kind == BODY_STATIC && c->angular_velocity != 0.0)
		return problem_set(problem, DEF_CIRCLE_ANGULAR_VELOCITY, index, "must be 0: the circle is static");
	if (c->kind == BODY_DYNAMIC && c->moment_of_inertia != 0.0 &&
	    !(c->moment_of_inertia >= PHYSICS_INERTIA_MIN && c->moment_of_inertia <= PHYSICS_INERTIA_MAX))
		return problem_set(problem, DEF_CIRCLE_MOMENT_OF_INERTIA, index, "must be from 1e-34 to 1e33, or 0 for that of a disc");
	if (c->group >= PHYSICS_GROUPS)
		return problem_set(problem, DEF_CIRCLE_GROUP, index, "must be from 0 to 63");
	return true;
}

static bool
circle_movement_check(const struct circle_def *c, size_t index, struct def_problem *problem)
{
	if (!within(c->surface_speed, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_CIRCLE_SURFACE_SPEED, index, "must be a finite number of magnitude at most 1e12");
	if (!(c->linear_damping >= 0.0 && c->linear_damping <= PHYSICS_DAMPING_MAX))
		return problem_set(problem, DEF_CIRCLE_LINEAR_DAMPING, index, "must be a number from 0 to 1e12");
	if (!(c->angular_damping >= 0.0 && c->angular_damping <= PHYSICS_DAMPING_MAX))
		return problem_set(problem, DEF_CIRCLE_ANGULAR_DAMPING, index, "must be a number from 0 to 1e12");
	if (!within(c->gravity_scale, PHYSICS_GRAVITY_SCALE_MAX))
		return problem_set(problem, DEF_CIRCLE_GRAVITY_SCALE, index, "must be a finite number of magnitude at most 1e6");
	if ((unsigned)c->response > RESPONSE_STOP)
		return problem_set(problem, DEF_CIRCLE_RESPONSE, index, "must be one of the named responses");
	return true;
}

static bool
circle_rules_check(const struct circle_def *c, size_t index, struct def_problem *problem)
{
	if (c->remove_groups & c->stop_groups)
		return problem_set(problem, DEF_CIRCLE_REMOVE_GROUPS, index, "must have no group of stop_groups");
	if (c->report_groups & (c->stop_groups | c->remove_groups))
		return problem_set(problem, DEF_CIRCLE_REPORT_GROUPS, index, "must have no group of stop_groups or remove_groups");
	if (!(c->lifetime_s >= 0.0 && c->lifetime_s <= PHYSICS_LIFETIME_MAX))
		return problem_set(problem, DEF_CIRCLE_LIFETIME_S, index, "must be a number from 0 to 1e9");
	if ((unsigned)c->ignore > IGNORE_UNTIL_APART)
		return problem_set(problem, DEF_CIRCLE_IGNORE, index, "must be one of the named ways");
	return true;
}

/* What may be another's of circles that are alike: place, velocity and radius. */
static bool
circle_place_check(const struct circle_def *c, size_t index, struct def_problem *problem)
{
	static const char *const coordinate = "must be a finite number of magnitude at most 1e12";

	if (!within(c->x, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_CIRCLE_X, index, coordinate);
	if (!within(c->y, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_CIRCLE_Y, index, coordinate);
	if (!within(c->vx, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_CIRCLE_VX, index, coordinate);
	if (!within(c->vy, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_CIRCLE_VY, index, coordinate);
	if (c->kind == BODY_STATIC && c->vx != 0.0)
		return problem_set(problem, DEF_CIRCLE_VX, index, "must be 0: the circle is static");
	if (c->kind == BODY_STATIC && c->vy != 0.0)
		return problem_set(problem, DEF_CIRCLE_VY, index, "must be 0: the circle is static");
	if (!(c->radius > 0.0))
		return problem_set(problem, DEF_CIRCLE_RADIUS, index, "must be greater than 0");
	if (!(c->radius >= PHYSICS_RADIUS_MIN && c->radius <= PHYSICS_RADIUS_MAX))
		return problem_set(problem, DEF_CIRCLE_RADIUS, index, "must be from 1e-9 to 1e9");
	return true;
}

bool
circle_def_check(const struct circle_def *c, size_t index, struct def_problem *problem)
{
	if ((unsigned)c->kind > BODY_STATIC)
		return problem_set(problem, DEF_CIRCLE_KIND, index, "must be one of the named kinds");
	if (!circle_place_check(c, index, problem))
		return false;
	if (c->kind == BODY_DYNAMIC && !(c->mass > 0.0))
		return problem_set(problem, DEF_CIRCLE_MASS, index, "must be greater than 0");
	if (c->kind == BODY_DYNAMIC && !(c->mass >= PHYSICS_MASS_MIN && c->mass <= PHYSICS_MASS_MAX))
		return problem_set(problem, DEF_CIRCLE_MASS, index, "must be from 1e-15 to 1e15");
	if (!(c->restitution >= 0.0 && c->restitution <= 1.0))
		return problem_set(problem, DEF_CIRCLE_RESTITUTION, index, "must be from 0 to 1");
	return circle_turn_check(c, index, problem) && circle_movement_check(c, index, problem) &&
	       circle_rules_check(c, index, problem);
}

/* Whether two circles differ in nothing but id, place, velocity and radius. Bytes are compared: that may say no of two that
 * only are written differently, and never yes of two that differ. */
static bool
circles_alike(const struct circle_def *a, const struct circle_def *b)
{
	const size_t from = offsetof(struct circle_def, mass);

	static_assert(offsetof(struct circle_def, mass) == offsetof(struct circle_def, x) + 5 * sizeof(double), "the five");
	return a->kind == b->kind && memcmp((const char *)a + from, (const char *)b + from, sizeof *a - from) == 0;
}

bool
segment_has_length(double x1, double y1, double x2, double y2)
{
	/* The squares of anything shorter would lose bits to underflow, and with them the direction. */
	return fabs(x2 - x1) >= 1e-100 || fabs(y2 - y1) >= 1e-100;
}

bool
segment_radius_good(double radius)
{
	return radius == 0.0 || (radius >= PHYSICS_RADIUS_MIN && radius <= PHYSICS_RADIUS_MAX);
}

bool
segment_def_check(const struct segment_def *s, size_t index, struct def_problem *problem)
{
	static const char *const coordinate = "must be a finite number of magnitude at most 1e12";

	if (!within(s->x1, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_SEGMENT_X1, index, coordinate);
	if (!within(s->y1, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_SEGMENT_Y1, index, coordinate);
	if (!within(s->x2, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_SEGMENT_X2, index, coordinate);
	if (!within(s->y2, PHYSICS_COORDINATE_MAX))
		return problem_set(problem, DEF_SEGMENT_Y2, index, coordinate);
	if (!segment_has_length(s->x1, s->y1, s->x2, s->y2))
		return problem_set(problem, DEF_SEGMENT_X2, index, "must not be the first point: a segment needs a length");
	if (!(s->restitution >= 0.0 && s->restitution <= 1.0))
		return problem_set(problem, DEF_SEGMENT_RESTITUTION, index, "must be from 0 to 1");
	if (!(s->friction >= 0.0 && s->friction <= PHYSICS_FRICTION_MAX))
		return problem_set(problem, DEF_SEGMENT_FRICTION, index, "must be from 0 to 1e6");
	if (!(s->rolling_resistance >= 0.0 && s->rolling_resistance <= PHYSICS_FRICTION_MAX))
		return problem_set(problem, DEF_SEGMENT_ROLLING_RESISTANCE, index, "must be from 0 to 1e6");
	if (!within(s->surface_speed, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_SEGMENT_SURFACE_SPEED, index, "must be a finite number of magnitude at most 1e12");
	if (!segment_radius_good(s->radius))
		return problem_set(problem, DEF_SEGMENT_RADIUS, index, "must be from 1e-9 to 1e9, or 0 for a thin segment");
	if (s->group >= PHYSICS_GROUPS)
		return problem_set(problem, DEF_SEGMENT_GROUP, index, "must be from 0 to 63");
	if (!within(s->vx, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_SEGMENT_VX, index, coordinate);
	if (!within(s->vy, PHYSICS_SPEED_MAX))
		return problem_set(problem, DEF_SEGMENT_VY, index, coordinate);
	return true;
}

/* Most are as the first, of which all is good then. `known`: so many are. *alike: all are. */
static bool
circle_defs_check(const struct circle_def *circles, size_t count, size_t known, bool *alike, struct def_problem *problem)
{
	*alike = count > 0;
	for (size_t i = 0; i < count && !pause_after(2); i++) {
		VALIDATE((i >= known || circles_alike(&circles[0], &circles[i])));
		bool as_first = i > 0 && (i < known || circles_alike(&circles[0], &circles[i]));

		*alike = *alike && (i == 0 || as_first);
		if (as_first ? !circle_place_check(&circles[i], i, problem) : !circle_def_check(&circles[i], i, problem))
			return false;
	}
	return true;
}

bool
world_def_check_alike(const struct world_def *def, bool *alike, struct def_problem *problem)
{
	if (!world_fields_check(def, problem) ||
	    !circle_defs_check(def->circles, def->circle_count, def->circles_alike, alike, problem))
		return false;
	for (size_t i = 0; i < def->segment_count && !pause_after(2); i++)
		if (!segment_def_check(&def->segments[i], i, problem))
			return false;
	return relations_check(def->relations, def->relation_count, problem);
}

bool
world_def_check(const struct world_def *def, struct def_problem *problem)
{
	bool alike;

	return world_def_check_alike(def, &alike, problem);
}

static int
order_compare(const void *left, const void *right)
{
	const struct id_order *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	return a->index < b->index ? -1 : a->index > b->index;
}

bool
id_order_sort(struct id_order *order, size_t count, enum def_field field, struct def_problem *problem)
{
	bool ascending = true;

	for (size_t i = 1; i < count && ascending && !pause_after(1); i++)
		ascending = order[i - 1].id < order[i].id;
	if (ascending)
		return true;
	array_sort(order, count, sizeof *order, order_compare);
	for (size_t i = 1; i < count && !pause_after(1); i++) /* not if the sort was stopped */
		if (order[i].id == order[i - 1].id)
			return problem_set(problem, field, order[i].index, "must be unique");
	return true;
}
