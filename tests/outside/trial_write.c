/* A draft as the JSON form of collide.v1.Scene, in which what is 0 or usual is left out. */
#include "outside/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const body_kinds[] = { "BODY_KIND_DYNAMIC", "BODY_KIND_KINEMATIC", "BODY_KIND_STATIC" };
static const char *const ignores[] = { "IGNORE_NONE", "IGNORE_ALWAYS", "IGNORE_UNTIL_APART" };
static const char *const responses[] = { "MOVEMENT_RESPONSE_BOUNCE", "MOVEMENT_RESPONSE_SLIDE", "MOVEMENT_RESPONSE_STOP" };
static const char *const restitution_mixes[] = { "RESTITUTION_MIX_MAX", "RESTITUTION_MIX_MIN", "RESTITUTION_MIX_PRODUCT",
	                                             "RESTITUTION_MIX_MEAN" };
static const char *const friction_mixes[] = { "FRICTION_MIX_GEOMETRIC", "FRICTION_MIX_MAX", "FRICTION_MIX_MIN",
	                                          "FRICTION_MIX_PRODUCT", "FRICTION_MIX_MEAN" };
static const char *const relation_kinds[] = { "RELATION_KIND_BOUNCE", "RELATION_KIND_NONE", "RELATION_KIND_SENSOR",
	                                          "RELATION_KIND_MOVE", "RELATION_KIND_ONE_SIDED" };

static void
put(FILE *file, const char *name, double value, double usual)
{
	if (value != usual)
		(void)fprintf(file, ", \"%s\": %.17g", name, value);
}

static void
put_text(FILE *file, const char *name, const char *const *names, unsigned value)
{
	if (value != 0)
		(void)fprintf(file, ", \"%s\": \"%s\"", name, names[value]);
}

static void
put_true(FILE *file, const char *name, bool value)
{
	if (value)
		(void)fprintf(file, ", \"%s\": true", name);
}

static void
put_wide(FILE *file, const char *name, uint64_t value)
{
	if (value != 0)
		(void)fprintf(file, ", \"%s\": \"%" PRIu64 "\"", name, value);
}

static void
circle_write(FILE *file, const struct circle_def *c)
{
	(void)fprintf(file, "{\"id\": %u, \"x\": %.17g, \"y\": %.17g, \"radius\": %.17g", c->id, c->x, c->y, c->radius);
	put(file, "vx", c->vx, 0);
	put(file, "vy", c->vy, 0);
	put_text(file, "kind", body_kinds, (unsigned)c->kind);
	put(file, "mass", c->mass, 1);
	put(file, "restitution", c->restitution, 1);
	put(file, "friction", c->friction, 0);
	put(file, "rollingResistance", c->rolling_resistance, 0);
	put(file, "angularVelocity", c->angular_velocity, 0);
	put(file, "momentOfInertia", c->moment_of_inertia, 0);
	put(file, "surfaceSpeed", c->surface_speed, 0);
	put(file, "linearDamping", c->linear_damping, 0);
	put(file, "angularDamping", c->angular_damping, 0);
	put(file, "gravityScale", c->gravity_scale, 1);
	put_text(file, "response", responses, (unsigned)c->response);
	put_true(file, "sensor", c->sensor);
	put(file, "category", c->category, 1);
	put(file, "mask", c->mask, UINT32_MAX);
	put(file, "group", c->group, 0);
	put(file, "filterGroup", c->filter_group, 0);
	put_wide(file, "stopGroups", c->stop_groups);
	put_wide(file, "removeGroups", c->remove_groups);
	put_wide(file, "reportGroups", c->report_groups);
	put(file, "lifetimeTicks", c->lifetime_ticks, 0);
	put(file, "lifetimeS", c->lifetime_s, 0);
	put_text(file, "ignore", ignores, (unsigned)c->ignore);
	put(file, "ignoredCircle", c->ignored_circle, 0);
	put_wide(file, "tag", c->tag);
	(void)fputs("}", file);
}

static void
wall_write(FILE *file, const struct segment_def *w)
{
	(void)fprintf(file, "{\"id\": %u, \"x1\": %.17g, \"y1\": %.17g, \"x2\": %.17g, \"y2\": %.17g", w->id, w->x1, w->y1, w->x2,
	              w->y2);
	put(file, "radius", w->radius, 0);
	put(file, "vx", w->vx, 0);
	put(file, "vy", w->vy, 0);
	put(file, "restitution", w->restitution, 1);
	put(file, "friction", w->friction, 0);
	put(file, "rollingResistance", w->rolling_resistance, 0);
	put(file, "surfaceSpeed", w->surface_speed, 0);
	put_true(file, "oneSided", w->one_sided);
	put_true(file, "sensor", w->sensor);
	put_true(file, "disabled", w->disabled);
	put(file, "category", w->category, 1);
	put(file, "mask", w->mask, UINT32_MAX);
	put(file, "group", w->group, 0);
	put(file, "filterGroup", w->filter_group, 0);
	(void)fputs("}", file);
}

static void
relation_write(FILE *file, const struct relation_def *r)
{
	(void)fprintf(file, "{\"groupA\": %u, \"groupB\": %u, \"kind\": \"%s\"", r->group_a, r->group_b, relation_kinds[r->kind]);
	if (r->has_weight_a)
		(void)fprintf(file, ", \"weightA\": %.17g", r->weight_a);
	if (r->has_weight_b)
		(void)fprintf(file, ", \"weightB\": %.17g", r->weight_b);
	if (r->has_elasticity)
		(void)fprintf(file, ", \"elasticity\": %.17g", r->elasticity);
	(void)fputs("}", file);
}

bool
trial_write(const struct draft *draft, const char *path)
{
	FILE *file = fopen(path, "w");
	const struct world_def *def = &draft->def;

	if (!file)
		return false;
	(void)fputs("{\"circles\": [", file);
	for (size_t i = 0; i < draft->circle_count; i++) {
		(void)fputs(i > 0 ? ",\n  " : "\n  ", file);
		circle_write(file, &draft->circles[i]);
	}
	(void)fputs("],\n \"segments\": [", file);
	for (size_t i = 0; i < draft->wall_count; i++) {
		(void)fputs(i > 0 ? ",\n  " : "\n  ", file);
		wall_write(file, &draft->walls[i]);
	}
	(void)fputs("]", file);
	if (draft->relation_count > 0)
		(void)fputs(",\n \"relations\": [", file);
	for (size_t i = 0; i < draft->relation_count; i++) {
		(void)fputs(i > 0 ? ",\n  " : "\n  ", file);
		relation_write(file, &draft->relations[i]);
	}
	if (draft->relation_count > 0)
		(void)fputs("]", file);
	put(file, "gravityX", def->gravity_x, 0);
	put(file, "gravityY", def->gravity_y, 0);
	put_text(file, "restitutionMix", restitution_mixes, (unsigned)def->restitution_mix);
	put_text(file, "frictionMix", friction_mixes, (unsigned)def->friction_mix);
	put(file, "restitutionThreshold", def->restitution_threshold, 0);
	put(file, "eventsPerBodyMax", def->events_per_body_max, 10000);
	put(file, "sleepAfter", def->sleep_after, 0);
	put(file, "speedMax", def->speed_max, 0);
	if (def->has_bounds)
		(void)fprintf(file, ", \"bounds\": {\"xMin\": %.17g, \"yMin\": %.17g, \"xMax\": %.17g, \"yMax\": %.17g}",
		              def->bounds_x_min, def->bounds_y_min, def->bounds_x_max, def->bounds_y_max);
	(void)fputs("}\n", file);
	return fclose(file) == 0;
}
