/* depenetration_path: how far a body can be moved straight, at one moment, before it meets something.
 *
 * Used by depenetration.c alone. Reads the world and its cells. */
#ifndef COLLIDED_PHASES_DEPENETRATION_PATH_H
#define COLLIDED_PHASES_DEPENETRATION_PATH_H

#include "physics/world/world.h"

/* The fraction of the way (x, y) that a body can move, ignoring one wall, and the circle that ends it (NONE: a wall, or
 * nothing). Walls stop it as they stop a moving body. It enters nothing that it was not inside at the start; one-sided walls
 * count from their left. */
double way_free(const struct world *world, uint32_t body, double x, double y, uint32_t wall, uint32_t *blocker);

#endif
