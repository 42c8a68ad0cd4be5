/* vec: points and vectors of the plane, for the certificate's own geometry.
 *
 * Any thread; values only. Shares nothing with the engine. */
#ifndef COLLIDED_CERTIFICATE_VEC_H
#define COLLIDED_CERTIFICATE_VEC_H

#include <math.h>
#include <stdbool.h>

struct cert_vec {
	double x, y;
};

/* As fmin and fmax, which cannot be inlined because of what they promise for numbers that are none; there are none here. */
static inline double
cert_min(double a, double b)
{
	return a < b ? a : b;
}

static inline double
cert_max(double a, double b)
{
	return a > b ? a : b;
}

static inline struct cert_vec
cert_vec_from(const double pair[2])
{
	return (struct cert_vec){ pair[0], pair[1] };
}

static inline struct cert_vec
cert_add(struct cert_vec a, struct cert_vec b)
{
	return (struct cert_vec){ a.x + b.x, a.y + b.y };
}

static inline struct cert_vec
cert_sub(struct cert_vec a, struct cert_vec b)
{
	return (struct cert_vec){ a.x - b.x, a.y - b.y };
}

/* a + s b */
static inline struct cert_vec
cert_along(struct cert_vec a, double s, struct cert_vec b)
{
	return (struct cert_vec){ a.x + s * b.x, a.y + s * b.y };
}

static inline double
cert_dot(struct cert_vec a, struct cert_vec b)
{
	return a.x * b.x + a.y * b.y;
}

static inline double
cert_cross(struct cert_vec a, struct cert_vec b)
{
	return a.x * b.y - a.y * b.x;
}

static inline double
cert_length(struct cert_vec a)
{
	return sqrt(cert_dot(a, a));
}

/* The larger of |x| and |y|. */
static inline double
cert_reach(struct cert_vec a)
{
	return cert_max(fabs(a.x), fabs(a.y));
}

static inline bool
cert_finite(struct cert_vec a)
{
	return isfinite(a.x) && isfinite(a.y);
}

static inline bool
cert_same(struct cert_vec a, struct cert_vec b)
{
	return a.x == b.x && a.y == b.y;
}

#endif
