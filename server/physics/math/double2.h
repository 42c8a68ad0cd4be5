/* two: a pair of doubles with elementwise + - * /. Each half is rounded as it would be alone, so the bits are the same on every
 * machine, with or without vector registers. Uses a GNU extension of gcc and clang. */
#ifndef COLLIDED_MATH_DOUBLE2_H
#define COLLIDED_MATH_DOUBLE2_H

#include <stdint.h>
#include <string.h>

typedef double two __attribute__((vector_size(16)));

static inline two
two_load(const double *from)
{
	two out;

	memcpy(&out, from, sizeof out);
	return out;
}

static inline void
two_store(double *to, two value)
{
	memcpy(to, &value, sizeof value);
}

/* The result of comparing two pairs: in each half all bits, or none. */
typedef int64_t two_mask __attribute__((vector_size(16)));

static inline two
two_abs(two value)
{
	return (two)((two_mask)value & INT64_MAX);
}

/* The halves that the mask selects, 0 for the others. */
static inline two
two_where(two_mask mask, two value)
{
	return (two)((two_mask)value & mask);
}

static inline two
two_choose(two_mask mask, two masked, two others)
{
	return (two)(((two_mask)masked & mask) | ((two_mask)others & ~mask));
}

static inline two
two_lesser(two a, two b)
{
	return two_choose(a < b, a, b);
}

static inline two
two_larger(two a, two b)
{
	return two_choose(a > b, a, b);
}

#endif
