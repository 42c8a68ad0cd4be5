/* two: a pair of doubles on which + - * / work at once. Each half is rounded as it would be alone, so the bits are the same on
 * every machine, whether it has such registers or not. A GNU extension of gcc and clang. */
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

/* What comparing two pairs gives: all bits of a half, or none. */
typedef int64_t two_mask __attribute__((vector_size(16)));

static inline two
two_abs(two value)
{
	return (two)((two_mask)value & INT64_MAX);
}

/* The halves that are masked, 0 for the others. */
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

#endif
