/* larger, lesser: fmax and fmin without the treatment of NaN, which makes those function calls.
 *
 * In a comparison with a constant 0 the 0 comes second. Then the result is never -0, in C as in compiled code. With the 0
 * first, clang 14 for aarch64 gives another zero than C does for x = -0, and fmax may give either. */
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
