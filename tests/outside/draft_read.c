#include "outside/draft_read.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static double
number_of(const json_t *row, const char *name, double usual)
{
	const json_t *value = json_object_get(row, name);

	return json_is_number(value) ? json_number_value(value) : usual;
}

static uint32_t
whole_of(const json_t *row, const char *name, uint32_t usual)
{
	const json_t *value = json_object_get(row, name);

	return json_is_integer(value) ? (uint32_t)json_integer_value(value) : usual;
}

/* The index of the row's text among the names; 0, the usual one, if it has none of them. */
static unsigned
name_of(const json_t *row, const char *key, const char *const *names, unsigned count)
{
	const char *text = json_string_value(json_object_get(row, key));

	for (unsigned i = 0; i < count; i++)
		if (text && strcmp(text, names[i]) == 0)
			return i;
	return 0;
}

/* Of 64 bits, which JSON may have as text. */
static uint64_t
wide_of(const json_t *row, const char *name)
{
	const json_t *value = json_object_get(row, name);

	return json_is_string(value) ? strtoull(json_string_value(value), NULL, 10) : (uint64_t)json_integer_value(value);
}

static void
circle_read(struct draft *draft, const json_t *row)
{
	static const char *const kinds[] = { "BODY_KIND_DYNAMIC", "BODY_KIND_KINEMATIC", "BODY_KIND_STATIC" };
	static const char *const responses[] = { "MOVEMENT_RESPONSE_BOUNCE", "MOVEMENT_RESPONSE_SLIDE", "MOVEMENT_RESPONSE_STOP" };
	static const char *const ignores[] = { "IGNORE_NONE", "IGNORE_ALWAYS", "IGNORE_UNTIL_APART" };
	struct circle_def *c = draft_circle(draft, number_of(row, "x", 0), number_of(row, "y", 0), number_of(row, "vx", 0),
	                                    number_of(row, "vy", 0), number_of(row, "radius", 0));

	c->id = whole_of(row, "id", (uint32_t)draft->circle_count - 1);
	c->kind = (enum body_kind)name_of(row, "kind", kinds, 3);
	c->mass = number_of(row, "mass", c->mass);
	c->restitution = number_of(row, "restitution", c->restitution);
	c->friction = number_of(row, "friction", 0);
	c->rolling_resistance = number_of(row, "rollingResistance", 0);
	c->angular_velocity = number_of(row, "angularVelocity", 0);
	c->moment_of_inertia = number_of(row, "momentOfInertia", 0);
	c->surface_speed = number_of(row, "surfaceSpeed", 0);
	c->linear_damping = number_of(row, "linearDamping", 0);
	c->angular_damping = number_of(row, "angularDamping", 0);
	c->gravity_scale = number_of(row, "gravityScale", 1);
	c->response = (enum movement_response)name_of(row, "response", responses, 3);
	c->sensor = json_is_true(json_object_get(row, "sensor"));
	c->category = whole_of(row, "category", c->category);
	c->mask = whole_of(row, "mask", c->mask);
	c->group = whole_of(row, "group", 0);
	c->filter_group = (int32_t)number_of(row, "filterGroup", 0);
	c->stop_groups = wide_of(row, "stopGroups");
	c->remove_groups = wide_of(row, "removeGroups");
	c->report_groups = wide_of(row, "reportGroups");
	c->lifetime_ticks = whole_of(row, "lifetimeTicks", 0);
	c->lifetime_s = number_of(row, "lifetimeS", 0);
	c->ignore = (enum ignore)name_of(row, "ignore", ignores, 3);
	c->ignored_circle = whole_of(row, "ignoredCircle", 0);
	c->tag = wide_of(row, "tag");
}

static void
wall_read(struct draft *draft, const json_t *row)
{
	struct segment_def *w = draft_wall(draft, number_of(row, "x1", 0), number_of(row, "y1", 0), number_of(row, "x2", 0),
	                                   number_of(row, "y2", 0));

	if (!w)
		return;
	w->id = whole_of(row, "id", (uint32_t)draft->wall_count - 1);
	w->radius = number_of(row, "radius", 0);
	w->vx = number_of(row, "vx", 0);
	w->vy = number_of(row, "vy", 0);
	w->restitution = number_of(row, "restitution", w->restitution);
	w->friction = number_of(row, "friction", 0);
	w->rolling_resistance = number_of(row, "rollingResistance", 0);
	w->surface_speed = number_of(row, "surfaceSpeed", 0);
	w->one_sided = json_is_true(json_object_get(row, "oneSided"));
	w->sensor = json_is_true(json_object_get(row, "sensor"));
	w->disabled = json_is_true(json_object_get(row, "disabled"));
	w->category = whole_of(row, "category", w->category);
	w->mask = whole_of(row, "mask", w->mask);
	w->group = whole_of(row, "group", 0);
	w->filter_group = (int32_t)number_of(row, "filterGroup", 0);
}

static void
relation_read(struct draft *draft, const json_t *row)
{
	static const char *const kinds[] = { "RELATION_KIND_BOUNCE", "RELATION_KIND_NONE", "RELATION_KIND_SENSOR",
		                                 "RELATION_KIND_MOVE", "RELATION_KIND_ONE_SIDED" };

	if (draft->relation_count == sizeof draft->relations / sizeof *draft->relations)
		return;
	draft->relations[draft->relation_count++] = (struct relation_def){
		.group_a = whole_of(row, "groupA", 0),
		.group_b = whole_of(row, "groupB", 0),
		.kind = (enum relation_kind)name_of(row, "kind", kinds, 5),
		.has_weight_a = json_object_get(row, "weightA") != NULL,
		.has_weight_b = json_object_get(row, "weightB") != NULL,
		.has_elasticity = json_object_get(row, "elasticity") != NULL,
		.weight_a = number_of(row, "weightA", 0),
		.weight_b = number_of(row, "weightB", 0),
		.elasticity = number_of(row, "elasticity", 0),
	};
}

static void
world_read(struct draft *draft, const json_t *root)
{
	static const char *const restitutions[] = { "RESTITUTION_MIX_MAX", "RESTITUTION_MIX_MIN", "RESTITUTION_MIX_PRODUCT",
		                                        "RESTITUTION_MIX_MEAN" };
	static const char *const frictions[] = { "FRICTION_MIX_GEOMETRIC", "FRICTION_MIX_MAX", "FRICTION_MIX_MIN",
		                                     "FRICTION_MIX_PRODUCT", "FRICTION_MIX_MEAN" };
	struct world_def *def = &draft->def;

	def->gravity_x = number_of(root, "gravityX", 0);
	def->gravity_y = number_of(root, "gravityY", 0);
	def->restitution_mix = (enum restitution_mix)name_of(root, "restitutionMix", restitutions, 4);
	def->friction_mix = (enum friction_mix)name_of(root, "frictionMix", frictions, 5);
	def->restitution_threshold = number_of(root, "restitutionThreshold", 0);
	def->events_per_body_max = whole_of(root, "eventsPerBodyMax", def->events_per_body_max);
	def->sleep_after = number_of(root, "sleepAfter", 0);
	def->speed_max = number_of(root, "speedMax", 0);
	const json_t *bounds = json_object_get(root, "bounds");
	def->has_bounds = bounds != NULL;
	def->bounds_x_min = number_of(bounds, "xMin", 0);
	def->bounds_y_min = number_of(bounds, "yMin", 0);
	def->bounds_x_max = number_of(bounds, "xMax", 0);
	def->bounds_y_max = number_of(bounds, "yMax", 0);
}

bool
draft_read(struct draft *draft, const char *path)
{
	json_t *root = json_load_file(path, 0, NULL), *row;
	size_t i;

	draft_init(draft, 0);
	if (!json_is_object(root)) {
		json_decref(root);
		return false;
	}
	json_array_foreach(json_object_get(root, "circles"), i, row) circle_read(draft, row);
	json_array_foreach(json_object_get(root, "segments"), i, row) wall_read(draft, row);
	json_array_foreach(json_object_get(root, "relations"), i, row) relation_read(draft, row);
	world_read(draft, root);
	json_decref(root);
	return true;
}
