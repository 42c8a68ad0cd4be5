/* statics: whether discs that lie on each other can be at rest at all, by the laws of statics alone.
 *
 * At rest the forces and torques on every disc cancel its weight, and every normal force presses. Friction is at most the
 * coefficient times it, and rolling resistance at most the coefficient times it and the radius. All that is linear: whether
 * such forces exist is asked of the simplex method (first phase, Bland's rule). Knows nothing of the engine; one thread. */
#ifndef COLLIDED_TESTS_PHYSICS_STATICS_H
#define COLLIDED_TESTS_PHYSICS_STATICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATICS_GROUND SIZE_MAX

/* Discs of radius 1 and weight 1, which points down. */
struct statics_contact {
	size_t upper, lower; /* lower may be STATICS_GROUND */
	double nx, ny;       /* unit normal, from lower to upper */
};

/* False also without memory. */
bool statics_stands(size_t discs, const struct statics_contact *contacts, size_t contact_count, double friction,
                    double rolling);
/* The least coefficient of friction at which they can stand, to 1e-6; infinity if more than 8. */
double statics_friction_least(size_t discs, const struct statics_contact *contacts, size_t contact_count, double rolling);

#endif
