/* random: a generator of our own (xoshiro256**, seeded through splitmix64, https://prng.di.unimi.it/), so that a seed makes the
 * same scene with every libc on every machine. One thread at a time; owns nothing. Only + - * / sqrt, for the same reason. */
#ifndef COLLIDE_CLI_RANDOM_H
#define COLLIDE_CLI_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state[4];
};

void random_init(struct random *random, uint64_t seed);
uint64_t random_next(struct random *random);
/* Uniform in 0 .. bound-1, without bias; bound > 0. */
uint64_t random_below(struct random *random, uint64_t bound);
/* Uniform in [low, high), in 2^53 steps. */
double random_between(struct random *random, double low, double high);
/* A uniform direction of this length, by rejection rather than by sine and cosine, which differ between libms. */
void random_direction(struct random *random, double length, double *x, double *y);

#endif
