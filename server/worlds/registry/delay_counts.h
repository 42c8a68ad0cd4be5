/* delay_counts: how often delays were how long: counters with 16 for each power of two, so that a delay's bound is at most a
 * sixteenth too high.
 *
 * Pure; owns nothing. */
#ifndef COLLIDED_WORLDS_REGISTRY_DELAY_COUNTS_H
#define COLLIDED_WORLDS_REGISTRY_DELAY_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* From 2^10 ns, a microsecond, to 2^37, two minutes. What is shorter or longer counts there. */
#define DELAY_OCTAVE_FIRST 10
#define DELAY_OCTAVE_LAST 36
#define DELAY_COUNTERS (1 + 16 * (DELAY_OCTAVE_LAST - DELAY_OCTAVE_FIRST + 1))

struct delay_counts {
	uint64_t count[DELAY_COUNTERS];
};

/* The counter of a delay. */
size_t delay_counter(uint64_t delay_ns);
/* All delays that it counts are below that, but for the last counter. */
uint64_t delay_below_ns(size_t counter);
/* Those that are not 0, ascending; returns how many. */
size_t delay_counts_list(const struct delay_counts *counts, uint64_t below_ns[DELAY_COUNTERS], uint64_t count[DELAY_COUNTERS]);

#endif
