/* larger, lesser: fmax and fmin without the care for NaN, which makes those calls.
 *
 * Against a constant 0 the 0 comes second: then the result is never -0, in C as in what compilers make of it. With the 0 first
 * clang 14 for aarch64 gives another zero than C does for x = -0, and fmax may give either. */
#ifndef COLLIDED_MATH_LARGER_H
#define COLLIDED_MATH_LARGER_H

static inline double
larger(double a, double b)
{
	return a > b ? a : b;
}

static inline double
lesser(double a, double b)
{
	return a < b ? a : b;
}

#endif
