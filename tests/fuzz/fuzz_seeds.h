/* fuzz_seeds: what the fuzzers begin with, made of the formats as they are now. One thread. */
#ifndef COLLIDED_TESTS_FUZZ_FUZZ_SEEDS_H
#define COLLIDED_TESTS_FUZZ_FUZZ_SEEDS_H

#include <stddef.h>

/* A seed of the target; ends the program if it cannot be written. */
void seed_write(const char *target, const char *name, const void *bytes, size_t count);

/* Tables of snapshots of small scenes. */
void seeds_of_snapshots(void);
/* Conversations, single messages, recordings. */
void seeds_of_protocol(void);

#endif
