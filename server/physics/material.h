/* material: what two sides make of each other. Pure functions of the world's definition; any thread that may read it. */
#ifndef COLLIDED_PHYSICS_MATERIAL_H
#define COLLIDED_PHYSICS_MATERIAL_H

#include "physics/world.h"

struct material {
	double restitution;
	double friction;
	double rolling; /* a length: the largest torque impulse over the normal impulse */
};

struct material material_of_circles(const struct world *world, uint32_t a, uint32_t b);
struct material material_of_wall(const struct world *world, uint32_t body, const struct segment *wall);

/* The shortest time between two hits of a pair for which there is a rebound; against Zeno. */
double material_rebound_least(const struct world *world, double restitution);
/* Whether a pair that approaches at this speed stays together: no rebound by its restitution, by the threshold, or because
 * gravity, which pulls it together by `pull` (an acceleration, <= 0: not), would end it within material_rebound_least. */
bool material_stays(const struct world *world, double restitution, double approach, double pull);

#endif
