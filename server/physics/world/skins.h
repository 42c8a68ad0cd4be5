/* skins: the distance at which two things count as touching, from the rounding of their places (geometry/skin.h). Pure. */
#ifndef COLLIDED_WORLD_SKINS_H
#define COLLIDED_WORLD_SKINS_H

#include "physics/world/world.h"

#include <math.h>

/* SKIN_PER_COORDINATE * the size of a body's coordinates at its last own event. */
static inline double
body_rounding(const struct body *body)
{
	return larger(fabs(body->x), fabs(body->y)) * SKIN_PER_COORDINATE;
}

static inline double
circles_skin(const struct body *a, const struct body *b)
{
	double radius = a->radius < b->radius ? a->radius : b->radius;

	return larger(larger(body_rounding(a), body_rounding(b)), radius * SKIN_PER_RADIUS);
}

/* For a circle and a wall or vertex with the given rounding. */
static inline double
wall_skin(const struct body *body, double rounding)
{
	return larger(larger(body_rounding(body), rounding), body->radius * SKIN_PER_RADIUS);
}

#endif
