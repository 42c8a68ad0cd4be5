/* way: a parabola in the plane and the times at which its distance from a segment turns. Long double, pure functions. */
#ifndef COLLIDED_TESTS_PHYSICS_JOINS_WAY_H
#define COLLIDED_TESTS_PHYSICS_JOINS_WAY_H

#include <math.h>

/* p + v t + a t^2 / 2 for t in 0..duration, relative to the first end of a segment that ends at (lx, ly). */
struct way {
	long double px, py, vx, vy, ax, ay, duration;
	long double lx, ly;
};

/* Two ends, two borders of the face twice, the line twice, its turn, and for both ends three turns each. */
#define WAY_TIMES_MAX 16

/* Squares of doubles are within the range of a long double, so that hypotl, which is ten times slower, is not needed. */
static inline long double
way_length(long double x, long double y)
{
	return sqrtl(x * x + y * y);
}

/* Ascending, 0 and the duration among them: between two of them the distance from the closed segment only grows or shrinks. */
int way_times(const struct way *way, long double times[WAY_TIMES_MAX]);
/* From the closed segment, at a time. */
long double way_distance(const struct way *way, long double time);
/* Along the segment from its first end. */
long double way_along(const struct way *way, long double time);
/* Height over the segment's line, left of its direction. */
long double way_height(const struct way *way, long double time);

#endif
