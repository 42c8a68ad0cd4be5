#include "client/load/histogram.h"

#include <stddef.h>
#include <string.h>

/* Values below 2 * HISTOGRAM_STEPS have a counter each. Above, the leading 11 bits give the counter. */
static size_t
counter_of(uint64_t value)
{
	unsigned shift = 0;
	while (value >> shift >= 2 * HISTOGRAM_STEPS)
		shift++;
	size_t counter = (size_t)shift * HISTOGRAM_STEPS + (size_t)(value >> shift);
	return counter < HISTOGRAM_COUNTERS ? counter : HISTOGRAM_COUNTERS - 1;
}

/* The largest value of a counter. The last counter also counts everything above. */
static uint64_t
counter_end(size_t counter)
{
	if (counter == HISTOGRAM_COUNTERS - 1)
		return UINT64_MAX;
	if (counter < (size_t)2 * HISTOGRAM_STEPS)
		return counter;
	size_t shift = counter / HISTOGRAM_STEPS - 1, lead = counter % HISTOGRAM_STEPS + HISTOGRAM_STEPS;
	return ((uint64_t)(lead + 1) << shift) - 1;
}

void
histogram_add(struct histogram *histogram, uint64_t nanoseconds)
{
	histogram->counters[counter_of(nanoseconds)]++;
	if (histogram->count == 0 || nanoseconds < histogram->least)
		histogram->least = nanoseconds;
	if (nanoseconds > histogram->most)
		histogram->most = nanoseconds;
	histogram->count++;
	histogram->sum += nanoseconds;
}

void
histogram_add_many(struct histogram *histogram, uint64_t nanoseconds, uint64_t count)
{
	if (count == 0)
		return;
	histogram_add(histogram, nanoseconds);
	histogram->counters[counter_of(nanoseconds)] += count - 1;
	histogram->count += count - 1;
	histogram->sum += nanoseconds * (count - 1);
}

void
histogram_clear(struct histogram *histogram)
{
	if (histogram->count > 0)
		memset(histogram, 0, sizeof *histogram);
}

void
histogram_merge(struct histogram *histogram, const struct histogram *from)
{
	if (from->count == 0)
		return;
	for (size_t i = 0; i < HISTOGRAM_COUNTERS; i++)
		histogram->counters[i] += from->counters[i];
	if (histogram->count == 0 || from->least < histogram->least)
		histogram->least = from->least;
	if (from->most > histogram->most)
		histogram->most = from->most;
	histogram->count += from->count;
	histogram->sum += from->sum;
}

void
histogram_since(struct histogram *histogram, const struct histogram *before)
{
	const uint64_t most = histogram->most;
	histogram->count = histogram->sum = histogram->least = histogram->most = 0;
	for (size_t i = 0; i < HISTOGRAM_COUNTERS; i++) {
		uint64_t count = histogram->counters[i] - before->counters[i], end = counter_end(i) < most ? counter_end(i) : most;
		histogram->counters[i] = count;
		if (count == 0)
			continue;
		histogram->least = histogram->count == 0 ? end : histogram->least;
		histogram->most = end;
		histogram->count += count;
		histogram->sum += count * end;
	}
}

static uint64_t
value_of(const struct histogram *histogram, size_t counter)
{
	uint64_t end = counter_end(counter);
	return end < histogram->most ? end : histogram->most;
}

uint64_t
histogram_quantile(const struct histogram *histogram, uint32_t millionths)
{
	/* In integers, so that no rounding moves the rank; in two parts, so that nothing overflows. */
	uint64_t whole = histogram->count / HISTOGRAM_MILLION * millionths;
	uint64_t part = (histogram->count % HISTOGRAM_MILLION * millionths + HISTOGRAM_MILLION - 1) / HISTOGRAM_MILLION;
	uint64_t wanted = whole + part > 0 ? whole + part : 1, seen = 0;
	for (size_t i = 0; i < HISTOGRAM_COUNTERS && histogram->count > 0; i++) {
		seen += histogram->counters[i];
		if (seen >= wanted)
			return value_of(histogram, i);
	}
	return histogram->most;
}

double
histogram_mean(const struct histogram *histogram)
{
	return histogram->count > 0 ? (double)histogram->sum / (double)histogram->count : 0;
}

bool
histogram_next(const struct histogram *histogram, uint32_t *counter, struct histogram_point *point)
{
	while (*counter < HISTOGRAM_COUNTERS && histogram->counters[*counter] == 0)
		++*counter;
	if (*counter == HISTOGRAM_COUNTERS)
		return false;
	point->below += histogram->counters[*counter];
	point->value = value_of(histogram, *counter);
	++*counter;
	return true;
}
