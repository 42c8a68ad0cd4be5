/* sink: what rounding does to a circle that goes along a wall.
 *
 * A path's end is rounded in each tick. A circle that slides along a wall, rests on it or rides it does not approach it, so it
 * makes no contact; yet the rounding of its places may carry it towards the wall by an ulp a tick, all the skin through. So a
 * circle that has come within a small part of the skin, and whose next place is nearer still, is raised: its place is rounded
 * away from the wall, by a few ulp, where there is room for that. Its velocity stays. Far from the origin, where an ulp is
 * large, this happens every few ticks; near it, after millions. Pure. */
#ifndef COLLIDED_PREDICTION_ROUNDING_DRIFT_H
#define COLLIDED_PREDICTION_ROUNDING_DRIFT_H

#include "physics/world/world.h"

/* Of the skin that rounding asks for (64 ulp): a circle nearer than this is raised if it sinks. More shows; less lets rounding
 * appear as overlap before it is seen. */
#define SINK_BELOW 0.125
/* Of the circle's coordinates: 2 ulp, more than a tick's rounding, and no more than what each event's rounding may be. */
#define SINK_RAISE 0x1p-51

/* How far a body on this path is to be raised from a segment whose face it is over, on a side (+1 left of the segment's
 * direction, -1 right): 0 if it does not sink up to the time `end`. */
double face_raise(const struct segment *segment, const struct body *path, int side, double end);

#endif
