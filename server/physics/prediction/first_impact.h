/* first_impact: how far a circle could fly straight between two ticks, while everything else stands still. Pure; reads the
 * whole world. Used by edit_sweep.c. */
#ifndef COLLIDED_PREDICTION_FIRST_IMPACT_H
#define COLLIDED_PREDICTION_FIRST_IMPACT_H

#include "physics/world/world.h"

/* When a body on a straight path of one unit of time (t0 = 0, no acceleration), in place of its own, would make its first
 * contact; INFINITY: not within it. It is the contact of a tick: what passes it there by filters, rules or sides passes it
 * here. What it touches or overlaps at the start it meets at once, if the path leads nearer to it by more than rounding. A body
 * that is not dynamic meets no walls. What the world derives from its definitions must be there; cells need not. */
double first_impact(const struct world *world, uint32_t body, const struct body *path);

#endif
