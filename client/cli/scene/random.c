#include "client/cli/scene/random.h"

#include <math.h>

void
random_init(struct random *random, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		seed += UINT64_C(0x9e3779b97f4a7c15);
		uint64_t mixed = (seed ^ (seed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
		mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
		random->state[i] = mixed ^ (mixed >> 31);
	}
}

static uint64_t
rotate_left(uint64_t value, int by)
{
	return (value << by) | (value >> (64 - by));
}

uint64_t
random_next(struct random *random)
{
	uint64_t *s = random->state;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t shifted = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= shifted;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t
random_below(struct random *random, uint64_t bound)
{
	/* Values below the threshold would make low remainders slightly more frequent. */
	uint64_t threshold = (0 - bound) % bound, value;
	do {
		value = random_next(random);
	} while (value < threshold);
	return value % bound;
}

double
random_between(struct random *random, double low, double high)
{
	double unit = (double)(random_next(random) >> 11) * 0x1p-53;
	return low + (high - low) * unit;
}

void
random_direction(struct random *random, double length, double *x, double *y)
{
	double a, b, square;
	do {
		a = random_between(random, -1, 1);
		b = random_between(random, -1, 1);
		square = a * a + b * b;
	} while (square > 1 || square < 0.01);
	double scale = length / sqrt(square);
	*x = a * scale;
	*y = b * scale;
}
