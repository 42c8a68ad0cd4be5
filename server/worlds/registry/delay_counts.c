#include "worlds/registry/delay_counts.h"

size_t
delay_counter(uint64_t delay_ns)
{
	if (delay_ns >> DELAY_OCTAVE_FIRST == 0)
		return 0;
	unsigned octave = 63 - (unsigned)__builtin_clzll(delay_ns);
	if (octave > DELAY_OCTAVE_LAST)
		return DELAY_COUNTERS - 1;
	return 1 + 16 * (octave - DELAY_OCTAVE_FIRST) + (size_t)(delay_ns >> (octave - 4) & 15);
}

uint64_t
delay_below_ns(size_t counter)
{
	size_t octave = DELAY_OCTAVE_FIRST + (counter == 0 ? 0 : (counter - 1) / 16);
	return counter == 0 ? UINT64_C(1) << octave : (uint64_t)(17 + (counter - 1) % 16) << (octave - 4);
}

size_t
delay_counts_list(const struct delay_counts *counts, uint64_t below_ns[DELAY_COUNTERS], uint64_t count[DELAY_COUNTERS])
{
	size_t rows = 0;
	for (size_t i = 0; i < DELAY_COUNTERS; i++)
		if (counts->count[i] > 0) {
			below_ns[rows] = delay_below_ns(i);
			count[rows++] = counts->count[i];
		}
	return rows;
}
