/* material: what two sides make of each other. Pure functions of the world's definition; any thread that may read it. */
#ifndef COLLIDED_WORLD_MATERIAL_H
#define COLLIDED_WORLD_MATERIAL_H

#include "physics/world/world.h"

struct material {
	double restitution;
	double friction;
	double rolling; /* a length: the largest torque impulse over the normal impulse */
	bool central;   /* friction acts on the centres and turns nothing (RESPONSE_STOP) */
};

/* The coefficient of friction of RESPONSE_STOP: beyond every bound, and finite, as times an impulse of 0 it is to be 0. */
#define MATERIAL_FRICTION_STOP 0x1p996

struct material material_of_circles(const struct world *world, uint32_t a, uint32_t b);
struct material material_of_wall(const struct world *world, uint32_t body, const struct segment *wall);
/* The inverse masses that two bodies have in contacts with each other: their own, or by the weights of their groups' relation
 * (struct relation_def). Whether it is the latter. */
bool material_weights(const struct world *world, uint32_t a, uint32_t b, double inverse[2]);
/* Whether two bodies have such weights and nothing presses them together: then they are never the resting solver's, which knows
 * masses only. What gravity holds at rest is held by the masses. */
bool material_weights_rule(const struct world *world, uint32_t a, uint32_t b);

/* What the surfaces of two sides that move by themselves add to their slip, the speed along each other in the direction of the
 * normal (from b to a, or from the wall to the body) turned left. 0: none does. */
double material_surface_circles(const struct world *world, uint32_t a, uint32_t b);
double material_surface_wall(const struct world *world, uint32_t body, const struct segment *wall, double nx, double ny);

/* How strongly gravity, of which it gives the multiple, can press two circles together at most: one of them may be held. */
double material_scale(const struct world *world, uint32_t a, uint32_t b);

/* The shortest time between two hits of a pair for which there is a rebound; against Zeno. */
double material_rebound_least(const struct world *world, double restitution);
/* Whether a pair that approaches at this speed stays together: no rebound by its restitution, by the threshold, or because
 * gravity, which pulls it together by `pull` (an acceleration, <= 0: not), would end it within material_rebound_least. */
bool material_stays(const struct world *world, double restitution, double approach, double pull);

#endif
