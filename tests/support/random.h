/* random: a small generator for tests, the same numbers from the same seed everywhere (splitmix64, Steele et al. 2014).
 *
 * The state is the caller's. */
#ifndef COLLIDED_TESTS_SUPPORT_RANDOM_H
#define COLLIDED_TESTS_SUPPORT_RANDOM_H

#include <stdint.h>

static inline uint64_t
random_bits(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 .. count-1; count > 0. The bias of the remainder does not matter in a test. */
static inline uint64_t
random_below(uint64_t *state, uint64_t count)
{
	return random_bits(state) % count;
}

/* low <= value < high. */
static inline double
random_between(uint64_t *state, double low, double high)
{
	return low + (high - low) * ((double)(random_bits(state) >> 11) * 0x1p-53);
}

#endif
