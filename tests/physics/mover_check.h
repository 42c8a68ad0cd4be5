/* mover_check: whether a mover's way is free, by a check that shares nothing with the engine: the distance of each shape from
 * each leg, in long doubles from the textbook.
 *
 * Shapes are counted circles first, then segments, as they are defined. */
#ifndef COLLIDED_TESTS_PHYSICS_MOVER_CHECK_H
#define COLLIDED_TESTS_PHYSICS_MOVER_CHECK_H

#include "physics/mover.h"

typedef long double real;

size_t mover_check_count(const struct world_def *def);
bool mover_check_meets(const struct world_def *def, size_t shape, const struct space_filter *filter);
/* The least gap along a leg to one shape. */
real mover_check_gap(const struct world_def *def, size_t shape, const struct mover *mover, double x1, double y1, double x2,
                     double y2);
/* Fails if a leg brings it into anything, or deeper into what it was in when the leg began, or if legs, fractions and end do
 * not fit together. */
void mover_check_legs(const struct world_def *def, const struct mover *mover, const struct space_filter *filter,
                      const struct mover_path *path);

#endif
