/* toi: times of impact, pure functions of the two paths.
 *
 * Any thread. A time of impact is the first time >= 0 at which the gap is <= 0 and shrinking (or about to shrink); INFINITY
 * if there is none up to `duration`. All of them are exact to a few ulp of the gap at the returned time, and invariant to the
 * bit under scaling by powers of two and turns by 90 degrees. */
#ifndef COLLIDED_GEOMETRY_TOI_H
#define COLLIDED_GEOMETRY_TOI_H

#include <stdbool.h>

/* a*d - b*c without cancellation: both products are split into value and rounding error (Kahan's difference of products in
 * its symmetric form, so that a turn by 90 degrees changes no bit). Exactly 0 only if it is 0, underflow apart. */
double cross_exact(double a, double b, double c, double d);
/* The same, for its sign alone. */
static inline double
cross_exact_sign(double a, double b, double c, double d)
{
	return cross_exact(a, b, c, d);
}

/* Relative position d, velocity w and acceleration q of a point; the impact with a circle of radius R around the origin. */
struct relative {
	double dx, dy, wx, wy, qx, qy;
};

/* Straight relative motion (q is ignored). */
double toi_straight(const struct relative *r, double R, double duration);
/* With acceleration. */
double toi_curved(const struct relative *r, double R, double duration);

/* The same for one that is stopped only from outside: a point nearer than `least` is within, and no impact comes of it before
 * it has been farther away. */
double toi_outside(const struct relative *r, double least, double R, double duration);
/* The first time within `duration` at which a point that is nearer than R, on a curved path, gets farther away than R. */
double toi_leave(const struct relative *r, double R, double duration);
/* The first time from now on at which the point is not coming nearer to the origin, up to `duration`. */
double toi_recede(const struct relative *r, double duration);
/* toi_height for a point that is within until it has been at `least` or higher; least <= R. */
double toi_height_outside(double h, double b, double a, double least, double R, double duration);

/* A point at signed height h (rate b, acceleration a) over a line; the first time at which it comes down to height R on the
 * side h > 0. For a point that is at or under R already: now if it sinks, else when it comes back. */
double toi_height(double h, double b, double a, double R, double duration);

#endif
