/* toi: times of impact, pure functions of the two paths.
 *
 * Any thread. A time of impact is the first time >= 0 at which the gap is <= 0 and shrinking (or about to shrink); INFINITY if
 * there is none up to `duration`. All of them are exact to a few ulp of the gap at the returned time. Scaling by powers of two
 * and rotation by 90 degrees change no bit.
 *
 * The room geometry/: times of impact; how two shapes stand and whether they hit; boxes in a tree; the skin. It uses math. It
 * is called by tables, world, prediction, rest_solver, reports, contact, phases, queries. */
#ifndef COLLIDED_GEOMETRY_TOI_H
#define COLLIDED_GEOMETRY_TOI_H

#include <math.h>
#include <stdbool.h>

/* Whether this build is for a CPU that may have fused multiplication, for which what calls fma() is compiled too. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__)
#define MAY_BE_FUSED
#endif

/* a*d - b*c without cancellation: both products are split into value and rounding error. This is Kahan's difference of products
 * in its symmetric form, so that a rotation by 90 degrees changes no bit. Apart from underflow, the result is 0 only if the
 * exact value is. */
double cross_exact(double a, double b, double c, double d);
/* The same in place, for loops that are compiled for CPUs with fused multiplication: elsewhere it calls fma(). */
static inline double
cross_exact_inline(double a, double b, double c, double d)
{
	double p = a * d, q = b * c;
	double e = fma(a, d, -p), f = fma(b, c, -q);

	return (p - q) + (e - f);
}
/* By how much the squared length of a rounded unit vector differs from 1, also below the last bit of 1. */
double unit_excess(double x, double y);
/* The same as cross_exact, for the sign alone. */
static inline double
cross_exact_sign(double a, double b, double c, double d)
{
	return cross_exact(a, b, c, d);
}

/* Relative position d, velocity w and acceleration q of a point that moves towards a circle of radius R around the origin. */
struct relative {
	double dx, dy, wx, wy, qx, qy;
};

/* For straight relative motion (q is ignored). */
double toi_straight(const struct relative *r, double R, double duration);
/* For accelerated relative motion. */
double toi_curved(const struct relative *r, double R, double duration);
/* A time that is not after toi_curved's, much cheaper: when the motion comes near enough along the line from the origin to
 * where it begins. 0 if that cannot be told. */
double toi_curved_bound(const struct relative *r, double R, double duration);

/* The same for a point that is stopped only from outside: nearer than `least` it counts as inside, and has no impact before it
 * has been farther away. */
double toi_outside(const struct relative *r, double least, double R, double duration);
/* The first time within `duration` at which a point that is nearer than R, on a curved path, moves farther away than R. */
double toi_leave(const struct relative *r, double R, double duration);
/* The first time from now on at which the point does not approach the origin, up to `duration`. */
double toi_recede(const struct relative *r, double duration);
/* toi_height for a point that counts as inside until it has been at `least` or higher; least <= R. */
double toi_height_outside(double h, double b, double a, double least, double R, double duration);

/* For a point at signed height h (rate b, acceleration a) over a line: the first time at which it comes down to height R on the
 * side h > 0. For a point that is at or below R already: now if it sinks, else when it returns. */
double toi_height(double h, double b, double a, double R, double duration);

#endif
