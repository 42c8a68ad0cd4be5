/* disc_speeds: whether the velocities of a gas of discs that all began at the same speed become Maxwell's, by chi-square tests.
 *
 * One thread. */
#ifndef COLLIDED_TESTS_PHYSICS_DISC_SPEEDS_H
#define COLLIDED_TESTS_PHYSICS_DISC_SPEEDS_H

#include "physics/statistics/disc_gas.h"

/* Cells of equal probability. */
#define DISC_SPEED_CELLS 40
#define DISC_DIRECTION_CELLS 36

/* Counts of velocities. */
struct disc_velocities {
	uint64_t total;
	uint64_t energy[DISC_SPEED_CELLS];        /* by v^2/2 */
	uint64_t component[DISC_SPEED_CELLS];     /* by v_x */
	uint64_t direction[DISC_DIRECTION_CELLS]; /* by the angle of v, 0 to 2 pi */
};

/* Adds the velocities of all discs now. The cells are those of Maxwell's distribution at `temperature` (1: what the discs began
 * with) under the condition that the energy is what it is. */
void disc_velocities_add(struct disc_velocities *velocities, const struct disc_gas *gas, double temperature);

/* A chi-square over its degrees of freedom, and the chance of one as large if the cells are equally probable. */
struct disc_chi_square {
	double per_degree, chance;
};

struct disc_chi_square disc_chi_square(const uint64_t *counts, size_t cells);

#endif
