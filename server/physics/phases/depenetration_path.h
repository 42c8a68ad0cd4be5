/* push_way: how far a body can be moved straight, at one moment, before it meets something.
 *
 * Used by depenetration.c alone. Reads the world and its cells. */
#ifndef COLLIDED_PHASES_DEPENETRATION_PATH_H
#define COLLIDED_PHASES_DEPENETRATION_PATH_H

#include "physics/world/world.h"

/* The part of the way (x, y) that a body can go, not minding one wall, and the circle that ends it (NONE: a wall, or nothing).
 * Walls stop it as they stop what moves by itself. Nothing is entered that it was not in at the start, of one-sided walls from
 * their left. */
double way_free(const struct world *world, uint32_t body, double x, double y, uint32_t wall, uint32_t *blocker);

#endif
