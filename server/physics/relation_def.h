/* relation_def: what groups of shapes may be to each other. A part of physics.h, the public interface. */
#ifndef COLLIDED_PHYSICS_RELATION_DEF_H
#define COLLIDED_PHYSICS_RELATION_DEF_H

#include <stdbool.h>
#include <stdint.h>

#define PHYSICS_GROUPS 64u
#define PHYSICS_WEIGHT_MAX 1e15

/* What shapes of two groups are to each other, if masks and filter groups let them meet. A circle's movement_response goes
 * before what is said here of restitution and friction. */
enum relation_kind {
	RELATION_KIND_BOUNCE = 0,    /* they collide by their materials, as without a relation */
	RELATION_KIND_NONE = 1,      /* they pass */
	RELATION_KIND_SENSOR = 2,    /* they pass, and who is inside whom is told, as of a sensor (struct pair_event) */
	RELATION_KIND_MOVE = 3,      /* restitution 0 and no friction: a contact takes only the approach along the normal */
	RELATION_KIND_ONE_SIDED = 4, /* a segment stops what comes from the left of its direction only; of two circles that of
	                                group_b is not moved: weights 0 and 1, unless both groups are the same */
};

/* One for a pair of groups, in either order, at most. What is not given is by mass or by material.
 *
 * Weights replace the masses in contacts of two dynamic circles (nothing else yields): of the change of their relative velocity
 * each takes the other's part of both weights. The impulse told is that of the masses; who by them would take the part p of the
 * change, and by weights takes q, gets q / p times it (and of friction). The rest of that is momentum_ledger.outside and
 * energy_ledger.work. In the ratio of the masses they change no bit. They are for blows: what gravity holds at rest is held by
 * the masses, and the resting solver leads no pair with weights without gravity. Where they leave no way (what yields
 * completely is pressed against a wall) a cluster is resolved by the masses: CONTACT_BY_MASS. */
struct relation_def {
	uint32_t group_a, group_b;
	enum relation_kind kind;
	bool has_weight_a, has_weight_b, has_elasticity;
	double weight_a, weight_b; /* MOVE, BOUNCE; 0..PHYSICS_WEIGHT_MAX, not both 0; one alone: the other is 1. Equal if both
	                              groups are the same: nobody there is a */
	double elasticity;         /* BOUNCE, ONE_SIDED; 0..1: the restitution, whatever the materials */
};

#endif
