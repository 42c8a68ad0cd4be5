#include "worlds/clock/tick_times.h"

#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)
/* Ticks between two looks at the percentile, which sorts. */
#define P95_EVERY 16

void
tick_times_late(struct tick_times *times, uint64_t now_ns, uint64_t late_ns)
{
	uint64_t second = now_ns / NS_PER_S, at = second % TICK_TIMES_LATE_SECONDS;

	if (times->late_second[at] != second) {
		times->late_second[at] = second;
		times->late_ns[at] = 0;
	}
	if (late_ns > times->late_ns[at])
		times->late_ns[at] = late_ns;
}

void
tick_times_add(struct tick_times *times, uint64_t cpu_ns)
{
	uint32_t *slot = &times->cpu_ns[times->count % TICK_TIMES_MAX];

	times->cpu_ns_sum -= times->count >= TICK_TIMES_MAX ? *slot : 0;
	*slot = cpu_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)cpu_ns;
	times->cpu_ns_sum += *slot;
	times->count++;
}

static uint64_t
kept_count(const struct tick_times *times)
{
	return times->count < TICK_TIMES_MAX ? times->count : TICK_TIMES_MAX;
}

uint64_t
tick_times_mean_ns(const struct tick_times *times)
{
	return times->count == 0 ? 0 : times->cpu_ns_sum / kept_count(times);
}

static int
ns_compare(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

uint64_t
tick_times_p95_ns(struct tick_times *times)
{
	uint32_t sorted[TICK_TIMES_MAX];
	size_t count = (size_t)kept_count(times);

	if (count == 0 || (times->p95_count != 0 && times->count - times->p95_count < P95_EVERY))
		return times->p95_ns;
	memcpy(sorted, times->cpu_ns, count * sizeof *sorted);
	qsort(sorted, count, sizeof *sorted, ns_compare);
	times->p95_ns = sorted[(count * 95 + 99) / 100 - 1];
	times->p95_count = times->count;
	return times->p95_ns;
}

uint64_t
tick_times_late_ns_max(const struct tick_times *times, uint64_t now_ns)
{
	uint64_t second = now_ns / NS_PER_S, most = 0;

	for (size_t i = 0; i < TICK_TIMES_LATE_SECONDS; i++)
		if (second - times->late_second[i] < TICK_TIMES_LATE_SECONDS && times->late_ns[i] > most)
			most = times->late_ns[i];
	return most;
}
