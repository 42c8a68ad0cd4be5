/* relation_def: relations between groups of shapes. A part of physics.h, the public interface. */
#ifndef COLLIDED_PHYSICS_RELATION_DEF_H
#define COLLIDED_PHYSICS_RELATION_DEF_H

#include <stdbool.h>
#include <stdint.h>

#define PHYSICS_GROUPS 64u
#define PHYSICS_WEIGHT_MAX 1e15

/* How shapes of two groups interact, if masks and filter groups let them meet. A circle's movement_response takes precedence
 * over the restitution and friction given here. */
enum relation_kind {
	RELATION_KIND_BOUNCE = 0,    /* they collide by their materials, as without a relation */
	RELATION_KIND_NONE = 1,      /* they pass */
	RELATION_KIND_SENSOR = 2,    /* they pass, and it is reported what is inside what, as for a sensor (struct pair_event) */
	RELATION_KIND_MOVE = 3,      /* restitution 0 and no friction: a contact takes only the approach along the normal */
	RELATION_KIND_ONE_SIDED = 4, /* a segment stops only what comes from the left of its direction. Of two circles the one of
	                                group_b is not moved: weights 0 and 1, unless both groups are the same */
};

/* At most one for a pair of groups, in either order. What is not given follows from masses and materials.
 *
 * Weights replace the masses in contacts of two dynamic circles (all others are immovable). Each circle's share of the change
 * of their relative velocity is the other's part of the sum of both weights. The reported impulse is that of the masses. Let a
 * body's share be p by the masses and q by the weights: it gets q / p times the impulse (and that of friction). The difference
 * is in momentum_ledger.outside and energy_ledger.work. Weights in the ratio of the masses change no bit. Weights are for
 * impacts: what gravity holds at rest is held by the masses, and without gravity the rest solver takes no pair with weights.
 * Weights may have no solution, as when a body that yields completely is pressed against a wall. Then a cluster is resolved by
 * the masses: CONTACT_BY_MASS. */
struct relation_def {
	uint32_t group_a, group_b;
	enum relation_kind kind;
	bool has_weight_a, has_weight_b, has_elasticity;
	double weight_a, weight_b; /* MOVE, BOUNCE; 0..PHYSICS_WEIGHT_MAX, not both 0; if one is given the other is 1. Equal if both
	                              groups are the same, because there a and b are not distinguished */
	double elasticity;         /* BOUNCE, ONE_SIDED; 0..1: the restitution, whatever the materials */
};

#endif
