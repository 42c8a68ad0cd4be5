/* respond: the response of two bodies to a contact, by the published methods: pushed out of each other, bounced off.
 *
 * Any thread; no state. Takes the results of detect.h (normal from b to a) and returns displacements and velocities; applies
 * nothing. */
#ifndef COLLIDED_PHYSICS_RESPOND_H
#define COLLIDED_PHYSICS_RESPOND_H

#include "physics/detect.h"

#include <math.h>

/* Displacements that end an overlap. */
struct push_out {
	bool pushed; /* they overlapped */
	double a_move[2], b_move[2];
};

/* How far each must move along the normal until they touch. Each one's share is the other's part of the sum of the weights: a
 * weight of 0 yields completely, INFINITY never (a wall, a static body). Unchanged unless the relation is RELATION_OVERLAPPING.
 * STATUS_INVALID_ARGUMENT: both 0 or both INFINITY (no shares follow from that), negative or NaN. */
STATUS_MUST_USE enum status respond_push_out(const struct shape_distance *distance, double weight_a, double weight_b,
                                             struct push_out *out);

enum bounce_outcome {
	BOUNCE_DONE,
	BOUNCE_RECEDING, /* not approaching: a second bounce would pull them together. Many texts lack this test */
	BOUNCE_APART,    /* neither touching nor overlapping */
};

struct bounce {
	enum bounce_outcome outcome;
	double approach_speed; /* along the normal; < 0: the speed at which they recede */
	double impulse;        /* >= 0: a gets +impulse * normal */
	double a_velocity[2], b_velocity[2];
};

/* An elastic impact along the normal: the relative speed along it is reversed and multiplied by `elasticity` (0..1), and
 * momentum is conserved. Mass INFINITY: not moved by it. STATUS_INVALID_ARGUMENT: both are INFINITY, a mass is not above 0, or
 * elasticity out of range. */
STATUS_MUST_USE enum status respond_bounce(const struct shape_distance *distance, const double a_velocity[2],
                                           const double b_velocity[2], const double mass[2], double elasticity,
                                           struct bounce *out);

#endif
