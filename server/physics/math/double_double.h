/* dd: double-double arithmetic, a number as the sum of two doubles, about 31 digits (Dekker 1971; Joldes, Muller, Popescu
 * 2017).
 *
 * Any thread; no state. Used for decisions. A result that is a small exact number is exact. All others have an error below
 * 2^-100 of the largest term, as long as no product is below 2^-900 or above 2^1000. Only + - * / sqrt fma, so the bits are the
 * same everywhere. Sums and products are commutative to the last bit, so a rotation by 90 degrees or a reflection changes no
 * bit. */
#ifndef COLLIDED_MATH_DOUBLE_DOUBLE_H
#define COLLIDED_MATH_DOUBLE_DOUBLE_H

#include <math.h>

struct dd {
	double high, low; /* |low| <= half an ulp of high */
};

static inline struct dd
dd_of(double value)
{
	return (struct dd){ value, 0.0 };
}

/* a + b, exact (Knuth's TwoSum). */
static inline struct dd
dd_sum(double a, double b)
{
	double s = a + b, t = s - a;

	return (struct dd){ s, (a - (s - t)) + (b - t) };
}

/* The same for |a| >= |b| or a = 0. */
static inline struct dd
dd_sum_ordered(double a, double b)
{
	double s = a + b;

	return (struct dd){ s, b - (s - a) };
}

/* a - b, exact. */
static inline struct dd
dd_difference(double a, double b)
{
	return dd_sum(a, -b);
}

static inline struct dd
dd_negative(struct dd a)
{
	return (struct dd){ -a.high, -a.low };
}

static inline struct dd
dd_add(struct dd a, struct dd b)
{
	struct dd s = dd_sum(a.high, b.high), t = dd_sum(a.low, b.low);

	s = dd_sum_ordered(s.high, s.low + t.high);
	return dd_sum_ordered(s.high, s.low + t.low);
}

static inline struct dd
dd_subtract(struct dd a, struct dd b)
{
	return dd_add(a, dd_negative(b));
}

static inline struct dd
dd_multiply(struct dd a, struct dd b)
{
	double p = a.high * b.high, e = fma(a.high, b.high, -p);

	return dd_sum_ordered(p, e + (a.high * b.low + a.low * b.high));
}

static inline struct dd
dd_square(struct dd a)
{
	return dd_multiply(a, a);
}

static inline struct dd
dd_divide(struct dd a, struct dd b)
{
	double q = a.high / b.high;
	struct dd rest = dd_subtract(a, dd_multiply(b, dd_of(q)));
	double r = rest.high / b.high;

	rest = dd_subtract(rest, dd_multiply(b, dd_of(r)));
	return dd_add(dd_sum_ordered(q, r), dd_of(rest.high / b.high));
}

/* The square root; 0 if a is not above 0. */
static inline struct dd
dd_root(struct dd a)
{
	if (!(a.high > 0.0))
		return dd_of(0.0);

	double x = sqrt(a.high);
	struct dd rest = dd_subtract(a, dd_square(dd_of(x)));

	return dd_sum_ordered(x, rest.high / (2.0 * x));
}

static inline double
dd_value(struct dd a)
{
	return a.high; /* the rounded sum */
}

/* A double with the sign of a - b. */
static inline double
dd_compare(struct dd a, struct dd b)
{
	return a.high != b.high ? (a.high > b.high ? 1.0 : -1.0) : a.low - b.low;
}

static inline double
dd_sign(struct dd a)
{
	return a.high; /* 0 only if the sum is 0 */
}

static inline struct dd
dd_magnitude(struct dd a)
{
	return a.high < 0.0 ? dd_negative(a) : a;
}

/* A vector of two. */
struct dd2 {
	struct dd x, y;
};

static inline struct dd
dd_dot(struct dd2 a, struct dd2 b)
{
	return dd_add(dd_multiply(a.x, b.x), dd_multiply(a.y, b.y));
}

static inline struct dd
dd_cross(struct dd2 a, struct dd2 b)
{
	return dd_subtract(dd_multiply(a.x, b.y), dd_multiply(a.y, b.x));
}

/* a + t b */
static inline struct dd2
dd_along(struct dd2 a, struct dd2 b, double t)
{
	return (struct dd2){ dd_add(a.x, dd_multiply(b.x, dd_of(t))), dd_add(a.y, dd_multiply(b.y, dd_of(t))) };
}

#endif
