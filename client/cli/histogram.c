#include "client/cli/histogram.h"

#include <math.h>
#include <stddef.h>

/* Values below HISTOGRAM_STEPS have a counter each. Above, the leading 8 bits name the counter. */
static size_t
counter_of(uint64_t value)
{
	unsigned shift = 0;
	while (value >> shift >= 2 * HISTOGRAM_STEPS)
		shift++;
	size_t counter = (size_t)shift * HISTOGRAM_STEPS + (size_t)(value >> shift);
	return counter < HISTOGRAM_COUNTERS ? counter : HISTOGRAM_COUNTERS - 1;
}

/* The largest value that a counter counts. */
static uint64_t
counter_end(size_t counter)
{
	if (counter < 2 * HISTOGRAM_STEPS)
		return counter;
	size_t shift = counter / HISTOGRAM_STEPS - 1, lead = counter % HISTOGRAM_STEPS + HISTOGRAM_STEPS;
	return ((uint64_t)(lead + 1) << shift) - 1;
}

void
histogram_add(struct histogram *histogram, uint64_t nanoseconds)
{
	histogram->counters[counter_of(nanoseconds)]++;
	histogram->count++;
	if (nanoseconds > histogram->most)
		histogram->most = nanoseconds;
}

uint64_t
histogram_quantile(const struct histogram *histogram, double share)
{
	uint64_t wanted = (uint64_t)ceil(share * (double)histogram->count), seen = 0;
	if (wanted == 0)
		wanted = 1;
	for (size_t i = 0; i < HISTOGRAM_COUNTERS && histogram->count > 0; i++) {
		seen += histogram->counters[i];
		if (seen >= wanted && i < HISTOGRAM_COUNTERS - 1)
			return counter_end(i) < histogram->most ? counter_end(i) : histogram->most;
	}
	return histogram->most;
}
