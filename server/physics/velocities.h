/* velocities: sets the velocities of many circles at once, between two ticks, without a struct edit for each. */
#ifndef COLLIDED_PHYSICS_VELOCITIES_H
#define COLLIDED_PHYSICS_VELOCITIES_H

#include "physics/physics.h"

/* As world_edit with an EDIT_CIRCLE_CHANGE of DEF_CIRCLE_VX and DEF_CIRCLE_VY for each row, in its effect, its bits, its
 * statuses and its problems: circle ids[k] gets the velocity (vx[k], vy[k]). Each id at most once, in any order; ascending ones
 * are fastest. Columns of `count`, borrowed. What slept in contact with a circle that is set wakes, as with the edit; without
 * such circles this costs a search of each id, else what the edit costs. */
STATUS_MUST_USE enum status world_velocities_set(struct world *world, const uint32_t *ids, const double *vx, const double *vy,
                                                 size_t count, struct def_problem *problem);

#endif
