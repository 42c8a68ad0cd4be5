/* velocities: sets the velocities of many circles at once, between two ticks, or adds to them, without a struct edit for each.
 */
#ifndef COLLIDED_PHYSICS_VELOCITIES_H
#define COLLIDED_PHYSICS_VELOCITIES_H

#include "physics/physics.h"

/* As world_edit with an EDIT_CIRCLE_CHANGE of DEF_CIRCLE_VX and DEF_CIRCLE_VY for each row, in its effect, its bits, its
 * statuses and its problems: circle ids[k] gets the velocity (vx[k], vy[k]). Each id at most once, in any order; ascending ones
 * are fastest. Columns of `count`, borrowed. What slept in contact with a circle that is set wakes, as with the edit; without
 * such circles this costs a search of each id, else what the edit costs. */
STATUS_MUST_USE enum status world_velocities_set(struct world *world, const uint32_t *ids, const double *vx, const double *vy,
                                                 size_t count, struct def_problem *problem);

/* The same with an EDIT_CIRCLE_ADD_VELOCITY of (dvx[k], dvy[k]) for each row. Ids may repeat: all of a circle's rows sum up. */
STATUS_MUST_USE enum status world_velocities_add(struct world *world, const uint32_t *ids, const double *dvx, const double *dvy,
                                                 size_t count, struct def_problem *problem);

/* The same with an EDIT_CIRCLE_IMPULSE of (jx[k], jy[k]) at the centre. */
STATUS_MUST_USE enum status world_impulses_add(struct world *world, const uint32_t *ids, const double *jx, const double *jy,
                                               size_t count, struct def_problem *problem);

/* As world_edit with one EDIT_EXPLOSION. Costs a pass over the circles, and for those that it reaches what an edit costs. */
STATUS_MUST_USE enum status world_explode(struct world *world, const struct explosion *explosion, struct def_problem *problem);

#endif
