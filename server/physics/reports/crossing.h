/* crossing: when the gap of a moving point to a point or a segment becomes 0, in either direction.
 *
 * Any thread; pure functions. Unlike a time of impact (toi.h) it does not depend on the approach, only on whether the gap is
 * open. A time is exact to a few ulp of the gap there. */
#ifndef COLLIDED_REPORTS_CROSSING_H
#define COLLIDED_REPORTS_CROSSING_H

#include "physics/geometry/toi.h"

#include <stdbool.h>

enum crossing_way {
	CROSS_IN, /* the first time at which the distance is <= R */
	CROSS_OUT /* the first time at which it is > R */
};

/* For a motion d + w t + q t^2/2 relative to the origin, for t in 0..duration; INFINITY: never. 0 if it is so from the
 * start. */
double crossing_point(const struct relative *motion, double R, double duration, enum crossing_way way);

/* The same relative to a segment, ends included, that begins at the origin. (ux, uy) leads to its other end, and `length` is
 * its length. */
double crossing_segment(const struct relative *motion, double ux, double uy, double length, double R, double duration,
                        enum crossing_way way);

#endif
