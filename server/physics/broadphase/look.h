/* look: the cells in which a body's partners may be. */
#ifndef COLLIDED_BROADPHASE_LOOK_H
#define COLLIDED_BROADPHASE_LOOK_H

#include "physics/world/skins.h"

/* How far from its centre's path a body may touch another's surface, skins included. Nearby bodies have coordinates of about
 * the same size. */
static inline double
look_radius(const struct body *body)
{
	return body->radius * (1.0 + 4.0 * SKIN_PER_RADIUS) + 4.0 * body_rounding(body);
}

/* An outlier: see grid.h. */
static inline bool
is_outlier(const struct world *world, uint32_t body)
{
	return body_rounding(&world->bodies.paths[body]) > world->grid.rounding;
}

/* The cells of the bodies that may touch one with its centre in the box. The box lies about the body's cell. */
static inline struct grid_look
look_near(const struct world *world, uint32_t body, const struct grid_box *box)
{
	double radius = look_radius(&world->bodies.paths[body]);

	return is_outlier(world, body) ? grid_look_begin(&world->grid, 0, NONE, box, radius)
	                               : grid_look_around(&world->grid, body, box, radius);
}

#endif
