/* curve: how near a parabola comes to a point or to a segment, by Bezier control points.
 *
 * Pure functions in long double. A stretch of path p + v s + a s^2 / 2, 0 <= s <= h, is the quadratic Bezier curve of the three
 * points below. It lies in their convex hull, and so does each half after a split: lower bounds come from the control values
 * (the Bernstein form), upper bounds from the ends. No root is solved for. */
#ifndef COLLIDED_TESTS_OUTSIDE_CURVE_H
#define COLLIDED_TESTS_OUTSIDE_CURVE_H

#include <stdbool.h>

typedef long double real;

struct point {
	real x, y;
};

struct curve {
	struct point p[3];
};

/* A wall as curves are asked about it: from `from`, along the unit vector `along` for `length`. */
struct bar {
	struct point from, to, along;
	real length, radius;
};

struct curve curve_of(struct point p, struct point v, struct point a, real h);
void curve_split(const struct curve *curve, struct curve *left, struct curve *right);
struct bar bar_of(struct point from, struct point to, real radius);
/* Distance of a point from the bar's core line, by clamped projection. */
real bar_distance(const struct bar *bar, struct point p);
/* The place along the bar nearest to the point, 0..length. */
real bar_foot(const struct bar *bar, struct point p);
real bar_height(const struct bar *bar, struct point p);

/* The least distance of the curve from the origin, or `most` if it is not less. Its square is found to 2^-50 of that of
 * `scale`, such as the radii, or to the rounding of the coordinates. What is less than `most` is never missed by more. */
real curve_nearest(const struct curve *curve, real most, real scale);
/* The first part of the curve, 0..1, from which on it is farther than `reach` from the origin, if only for a moment; 2: it
 * never is. */
real curve_leaves(const struct curve *curve, real reach);
/* The same as curve_nearest of the distance from the bar's core line. */
real curve_nearest_bar(const struct curve *curve, const struct bar *bar, real most, real scale);
/* Whether it crosses the bar's core line. `side` is the sign of the height where it was last more than the grain, and is
 * updated.
 */
bool curve_crosses(const struct curve *curve, const struct bar *bar, real grain, int *side);

/* Told in order of time, by the distance from the bar's core line. `away`: a part that is farther than `near`. `beside`: one
 * that is nearer than that, but farther than `reach`. `entry`: the moment at which it gets nearer than `reach`. `within`: a
 * part that is so near. It has left at the distance `leave`, a little more, so that rounding brings it in once. `inside` is the
 * state before, and is updated. */
struct curve_follower {
	void (*away)(void *context);
	void (*beside)(void *context, const struct curve *part);
	void (*entry)(void *context, struct point place);
	void (*within)(void *context, const struct curve *part);
	void *context;
	real reach, leave, near;
};
void curve_follow(const struct curve *curve, const struct bar *bar, bool *inside, const struct curve_follower *follower);

#endif
