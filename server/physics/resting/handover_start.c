/* Bodies that the rest solver drives from the start. A scene may begin with them at rest on each other, or in each other; or
 * they are placed among others later. */
#include "physics/prediction/predict.h"
#include "physics/resting/handover_private.h"
#include "physics/world/contact_rules.h"

#include <math.h>

/* A body that would move by less than this fraction of its radius in a scene's first tick, a small part of the cushion, begins
 * at rest. */
#define STILL_PER_RADIUS 1e-3

static bool
body_is_still(const struct world *world, uint32_t i)
{
	const struct body *body = &world->bodies.paths[i];
	double least = STILL_PER_RADIUS * body->radius / world->step.dt;

	return world->bodies.infos[i].fresh && world->bodies.infos[i].mode == MODE_MOVING &&
	       world->bodies.infos[i].inverse_mass > 0.0 && body->vx * body->vx + body->vy * body->vy <= least * least;
}

void
handover_start(struct world *world)
{
	uint32_t still = 0;

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, world->bodies.count, 1);)
		for (uint32_t i = p.first; i < p.end; i++)
			still += body_is_still(world, i);
	if (!handover_enough(world, world->step.handover_candidates + still))
		return;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		if (!body_is_still(world, i))
			continue;
		world->step.handover_candidates += world->bodies.infos[i].handover == 0;
		body_touch(world, i);
		world->bodies.infos[i].handover = HANDOVER_CANDIDATE;
	}
}

/* Whether a side of an overlapping pair suits the solver: it is solver-driven, or may be from the start. */
static bool
side_is_driven(const struct world *world, uint32_t i)
{
	const struct body_info *info = &world->bodies.infos[i];

	return info->kind == BODY_STATIC || (info->handover & HANDOVER_LED) != 0 || (info->fresh && info->handover != 0);
}

static void
side_lead(struct world *world, uint32_t i)
{
	struct body_info *info = &world->bodies.infos[i];

	if (info->inverse_mass == 0.0)
		return;
	body_touch(world, i);
	world->step.handover_candidates += info->handover == 0;
	info->handover |= HANDOVER_LED;
}

/* Whether a body overlaps any circle except one: then it may lie in a heap, with a load that presses it against its
 * neighbours. */
static bool
body_is_entangled(const struct world *world, uint32_t i, uint32_t except)
{
	const struct body *body = &world->bodies.paths[i];
	const struct grid_box box = { body->x, body->y, body->x, body->y };
	struct grid_look look = look_near(world, i, &box);

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look)) {
		for (uint32_t place = world->grid.heads[cell]; place != NONE && !pause_after(1);
		     place = grid_onward(&world->grid, place)) {
			uint32_t j = grid_body(place);
			const struct body *that = &world->bodies.paths[j];
			double dx = body->x - that->x, dy = body->y - that->y, R = body->radius + that->radius;

			if (j != i && j != except && dx * dx + dy * dy < R * R && bodies_meet(world, i, j))
				return true;
		}
	}
	return false;
}

/* Whether one side is immovable, and the other is alone and gravity does not press it against the first: it falls along it. A
 * displacement of the solver would prevent that. */
static bool
side_falls(const struct world *world, uint32_t a, uint32_t b, bool wall, double nx, double ny)
{
	bool a_yields = world->bodies.infos[a].inverse_mass > 0.0, b_yields = !wall && world->bodies.infos[b].inverse_mass > 0.0;
	double scale = a_yields ? -world->bodies.infos[a].gravity_scale : world->bodies.infos[b].gravity_scale;
	double pull = (world->settings.gravity_x * nx + world->settings.gravity_y * ny) * scale,
		   gravity = world->settings.gravity * fabs(scale);

	if (a_yields == b_yields || gravity == 0.0 || pull > gravity * PULL_PART)
		return false;
	return a_yields ? !body_is_entangled(world, a, wall ? NONE : b) : !body_is_entangled(world, b, a);
}

bool
handover_overlap(struct world *world, uint32_t a, uint32_t b, bool wall, double nx, double ny)
{
	/* A moving immovable thing is left to the events. */
	if (!side_is_driven(world, a) || (wall ? world->walls.segments[b].moving : !side_is_driven(world, b)))
		return false;

	if (wall ? wall_is_for_events(world, a, &world->walls.segments[b]) : circles_are_for_events(world, a, b))
		return false;

	struct material material = wall ? material_of_wall(world, a, &world->walls.segments[b]) : material_of_circles(world, a, b);

	const struct body *i = &world->bodies.paths[a], *j = wall ? NULL : &world->bodies.paths[b];
	double vx = wall ? i->vx : i->vx - j->vx, vy = wall ? i->vy : i->vy - j->vy;
	double approach = -(nx * vx + ny * vy);

	double scale = wall ? fabs(world->bodies.infos[a].gravity_scale) : material_scale(world, a, b);

	if (!material_stays(world, material.restitution, approach,
	                    fabs(world->settings.gravity_x * nx + world->settings.gravity_y * ny) * scale) ||
	    side_falls(world, a, b, wall, nx, ny))
		return false;
	side_lead(world, a);
	if (!wall)
		side_lead(world, b);
	world->step.handover_asked = true;
	return true;
}
