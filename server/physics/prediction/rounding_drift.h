/* rounding_drift: what rounding does to a circle that moves along a wall, or beside another circle.
 *
 * A path's end is rounded in each tick. A circle that slides along a wall, rests on it or is carried by it does not approach
 * it, so it makes no contact. Yet the rounding of its places may move it towards the wall by an ulp per tick, right through the
 * skin. The remedy: a circle within a small part of the skin that would be nearer still at its next place is raised. Its place
 * is rounded away from the wall, by a few ulp, where there is room; its velocity stays. Far from the origin, where an ulp is
 * large, this happens every few ticks; near it, after millions. Pure. */
#ifndef COLLIDED_PREDICTION_ROUNDING_DRIFT_H
#define COLLIDED_PREDICTION_ROUNDING_DRIFT_H

#include "physics/world/world.h"

/* Fraction of the skin for rounding (64 ulp): a circle nearer than this is raised if it sinks. A larger value is visible; a
 * smaller one lets rounding appear as overlap before it is noticed. */
#define DRIFT_BELOW 0.125
/* Fraction of the circle's coordinates: 2 ulp. This is more than a tick's rounding, and no more than the rounding of an event
 * may be. */
#define DRIFT_RAISE 0x1p-51

/* How far a body on this path must be raised from a segment. The body is over its face, on a side (+1 left of the segment's
 * direction, -1 right). 0 if it does not sink up to the time `end`. */
double face_raise(const struct segment *segment, const struct body *path, int side, double end);

/* The same of two circles that move side by side: how far `a`, which has the lower id, must be raised from `b`; or `b` from
 * `a`. That is as far, and more once they overlap if the places of `b` are rounded by more. 0 if they do not come nearer up to
 * the time `end`. `driven`: the resting solver leads one of them. */
double circles_raise(const struct body *a, const struct body *b, bool of_b, bool driven, double end);

#endif
