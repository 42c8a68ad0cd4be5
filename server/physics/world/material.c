#include "physics/world/material.h"

#include "physics/world/relation.h"

#include <math.h>

static double
larger_of(double a, double b)
{
	return a > b ? a : b;
}

static double
restitution_mixed(enum restitution_mix mix, double a, double b)
{
	switch (mix) {
	case RESTITUTION_MIX_MAX: return larger_of(a, b);
	case RESTITUTION_MIX_MIN: return a < b ? a : b;
	case RESTITUTION_MIX_PRODUCT: return a * b;
	case RESTITUTION_MIX_MEAN: return 0.5 * (a + b);
	}
	return a;
}

static double
friction_mixed(enum friction_mix mix, double a, double b)
{
	switch (mix) {
	case FRICTION_MIX_GEOMETRIC: return sqrt(a * b);
	case FRICTION_MIX_MAX: return larger_of(a, b);
	case FRICTION_MIX_MIN: return a < b ? a : b;
	case FRICTION_MIX_PRODUCT: return a * b;
	case FRICTION_MIX_MEAN: return 0.5 * (a + b);
	}
	return a;
}

/* Applies the stronger of two responses to a material. */
static struct material
material_respond(struct material material, uint8_t a, uint8_t b)
{
	uint8_t response = a > b ? a : b;

	if (response == RESPONSE_BOUNCE)
		return material;
	if (response == RESPONSE_SLIDE)
		return (struct material){ 0 };
	return (struct material){ .friction = MATERIAL_FRICTION_STOP, .central = true };
}

/* Applies a relation to a material. */
static struct material
material_related(struct material material, const struct relation_def *relation)
{
	if (relation && relation->kind == RELATION_KIND_MOVE)
		return (struct material){ 0 };
	if (relation && relation->has_elasticity)
		material.restitution = relation->elasticity;
	return material;
}

struct material
material_of_circles(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];
	struct material material = {
		.restitution = restitution_mixed(world->settings.restitution_mix, i->restitution, j->restitution),
		.friction = friction_mixed(world->settings.friction_mix, i->friction, j->friction),
		.rolling = larger_of(i->rolling, j->rolling) * larger_of(world->bodies.paths[a].radius, world->bodies.paths[b].radius),
	};

	if (world->settings.relations)
		material = material_related(material, relation_find(world->settings.relations, i->group, j->group));
	return material_respond(material, i->response, j->response);
}

struct material
material_of_wall(const struct world *world, uint32_t body, const struct segment *wall)
{
	const struct body_info *i = &world->bodies.infos[body];
	struct material material = {
		.restitution = restitution_mixed(world->settings.restitution_mix, i->restitution, wall->restitution),
		.friction = friction_mixed(world->settings.friction_mix, i->friction, wall->friction),
		.rolling = larger_of(i->rolling, wall->rolling) * world->bodies.paths[body].radius,
	};

	if (world->settings.relations)
		material = material_related(material, relation_find(world->settings.relations, i->group, wall->group));
	return material_respond(material, i->response, RESPONSE_BOUNCE);
}

double
material_surface_circles(const struct world *world, uint32_t a, uint32_t b)
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];

	/* At the contact a's surface moves along the normal turned right, and b's along the normal turned left. */
	if (i->response == RESPONSE_STOP || j->response == RESPONSE_STOP)
		return 0.0;
	return -(i->surface_speed + j->surface_speed);
}

double
material_surface_wall(const struct world *world, uint32_t body, const struct segment *wall, double nx, double ny)
{
	const struct body_info *info = &world->bodies.infos[body];
	double along = 0.0;

	if (wall->surface_speed != 0.0)
		along = wall->surface_speed * ((wall->uy * nx - wall->ux * ny) / wall->length);
	return info->response == RESPONSE_STOP ? -along : -(info->surface_speed + along);
}

double
material_scale(const struct world *world, uint32_t a, uint32_t b)
{
	double i = world->bodies.infos[a].gravity_scale, j = world->bodies.infos[b].gravity_scale;

	return larger_of(larger_of(fabs(i), fabs(j)), fabs(i - j));
}

bool
material_weights(const struct world *world, uint32_t a, uint32_t b, double inverse[2])
{
	const struct body_info *i = &world->bodies.infos[a], *j = &world->bodies.infos[b];
	double weights[2], sum = i->inverse_mass + j->inverse_mass;

	inverse[0] = i->inverse_mass;
	inverse[1] = j->inverse_mass;
	if (!world->settings.relations || i->inverse_mass == 0.0 || j->inverse_mass == 0.0 ||
	    !relation_weights(relation_find(world->settings.relations, i->group, j->group), i->group, weights) ||
	    weights[0] * j->mass == weights[1] * i->mass)
		return false;
	inverse[0] = sum * (weights[1] / (weights[0] + weights[1]));
	inverse[1] = sum * (weights[0] / (weights[0] + weights[1]));
	return true;
}

bool
material_weights_rule(const struct world *world, uint32_t a, uint32_t b)
{
	double inverse[2];

	return world->settings.relations && (world->settings.gravity == 0.0 || material_scale(world, a, b) == 0.0) &&
	       material_weights(world, a, b, inverse);
}

double
material_rebound_least(const struct world *world, double restitution)
{
	return world->step.dt * (restitution < 1.0 ? REBOUND_TICKS_MIN : HOP_TICKS_MIN);
}

bool
material_stays(const struct world *world, double restitution, double approach, double pull)
{
	if (restitution == 0.0 || approach < world->settings.restitution_threshold)
		return true;
	/* Thrown up against gravity at e * approach, it is back after 2 e approach / pull along the normal. */
	return pull > 0.0 && 2.0 * restitution * approach < material_rebound_least(world, restitution) * pull;
}
