/* material: the combined material of two sides. Pure functions of the world's definition; any thread that may read it. */
#ifndef COLLIDED_WORLD_MATERIAL_H
#define COLLIDED_WORLD_MATERIAL_H

#include "physics/world/world.h"

struct material {
	double restitution;
	double friction;
	double rolling; /* a length: largest torque impulse per normal impulse */
	bool central;   /* friction acts on the centres and causes no rotation (RESPONSE_STOP) */
};

/* The coefficient of friction of RESPONSE_STOP: beyond every bound, yet finite, so that it times an impulse of 0 is 0. */
#define MATERIAL_FRICTION_STOP 0x1p996

struct material material_of_circles(const struct world *world, uint32_t a, uint32_t b);
struct material material_of_wall(const struct world *world, uint32_t body, const struct segment *wall);
/* The inverse masses that two bodies have in contacts with each other: their own, or those by the weights of their groups'
 * relation (struct relation_def). Returns whether it is the latter. */
bool material_weights(const struct world *world, uint32_t a, uint32_t b, double inverse[2]);
/* Whether two bodies have such weights and nothing presses them together. Then the rest solver never takes the pair, because it
 * knows masses only. What gravity holds at rest is held by the masses. */
bool material_weights_rule(const struct world *world, uint32_t a, uint32_t b);

/* The surface velocity of two sides: what moving surfaces add to the slip. Slip is the relative speed along the contact, in the
 * direction of the normal (from b to a, or from the wall to the body) turned left. 0: neither surface moves. */
double material_surface_circles(const struct world *world, uint32_t a, uint32_t b);
double material_surface_wall(const struct world *world, uint32_t body, const struct segment *wall, double nx, double ny);

/* A bound of how strongly gravity can press two circles together, as a multiple of gravity: one of them may be supported. */
double material_scale(const struct world *world, uint32_t a, uint32_t b);

/* The shortest time between two impacts of a pair at which there is a rebound; prevents Zeno behaviour. */
double material_rebound_least(const struct world *world, double restitution);
/* Whether a pair that approaches at this speed stays together, without a rebound. There are three causes: its restitution; the
 * threshold; or gravity, which would end the rebound within material_rebound_least. `pull`: the acceleration that pulls the two
 * together (<= 0: none). */
bool material_stays(const struct world *world, double restitution, double approach, double pull);

#endif
