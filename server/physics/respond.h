/* respond: what two bodies do when they meet, as the published methods have it: pushed out of each other, bounced off.
 *
 * Any thread; no state. Takes what detect.h found (normal from b to a) and gives movements and velocities; applies nothing. */
#ifndef COLLIDED_PHYSICS_RESPOND_H
#define COLLIDED_PHYSICS_RESPOND_H

#include "physics/detect.h"

#include <math.h>

/* Moves that end an overlap. */
struct push_out {
	bool pushed; /* they overlapped */
	double a_move[2], b_move[2];
};

/* By how much each must move along the normal until they touch; each one's share is the other's part of the weights, so weight
 * 0 yields completely and INFINITY never (a wall, a static body). Untouched unless the relation is RELATION_OVERLAPPING.
 * STATUS_INVALID_ARGUMENT: both 0 or both INFINITY (neither says who is to move), negative or NaN. */
STATUS_MUST_USE enum status respond_push_out(const struct closeness *closeness, double weight_a, double weight_b,
                                             struct push_out *out);

enum bounce_outcome {
	BOUNCE_DONE,
	BOUNCE_RECEDING, /* not coming nearer: a second bounce would pull them together. The check that the texts forget */
	BOUNCE_APART,    /* neither touching nor overlapping */
};

struct bounce {
	enum bounce_outcome outcome;
	double approach_speed; /* along the normal; < 0: they recede at as much */
	double impulse;        /* >= 0: a gets +impulse * normal */
	double a_velocity[2], b_velocity[2];
};

/* An elastic impact along the normal: the relative speed along it is reversed and multiplied by `elasticity` (0..1), momentum
 * is kept. Mass INFINITY: is not moved by it. STATUS_INVALID_ARGUMENT: both are, a mass is not above 0, or elasticity out of
 * range. */
STATUS_MUST_USE enum status respond_bounce(const struct closeness *closeness, const double a_velocity[2],
                                           const double b_velocity[2], const double mass[2], double elasticity,
                                           struct bounce *out);

#endif
