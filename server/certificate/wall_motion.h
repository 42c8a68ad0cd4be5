/* wall_motion: walls that move, in a tick.
 *
 * For the whole of a tick a wall is kept where it is at its start; what is seen from it moves by as much less. */
#ifndef COLLIDED_CERTIFICATE_WALL_MOTION_H
#define COLLIDED_CERTIFICATE_WALL_MOTION_H

#include "certificate/motion.h"
#include "certificate/shapes.h"

/* Where a point that is at p at `time` is as the wall sees it. */
static inline struct cert_vec
cert_point_seen(const struct cert_wall *wall, struct cert_vec p, double time)
{
	return cert_along(p, -time, wall->v);
}

/* The same of a motion that begins at `time`. */
static inline struct cert_motion
cert_motion_seen(const struct cert_wall *wall, const struct cert_motion *motion, double time)
{
	return (struct cert_motion){ cert_point_seen(wall, motion->d, time), cert_sub(motion->w, wall->v), motion->q };
}

/* Where the walls that move are at the end of the tick: as the tick tells, or worked out if it does not. What is told
 * otherwise, or is not told when it should be, is a jump. */
void cert_walls_begin(struct cert_shapes *shapes, const struct certificate_tick *tick, struct certificate_report *report);
/* Puts all walls there. */
void cert_walls_finish(struct cert_shapes *shapes);

#endif
