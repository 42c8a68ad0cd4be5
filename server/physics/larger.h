/* larger, lesser: fmax and fmin without the care for NaN, which makes those calls. */
#ifndef COLLIDED_PHYSICS_LARGER_H
#define COLLIDED_PHYSICS_LARGER_H

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
