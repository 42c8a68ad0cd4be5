#include "jobs/lateness.h"

#define NS_PER_US 1000

unsigned
lateness_step(uint64_t late_ns)
{
	uint64_t us = late_ns / NS_PER_US;
	if (us < LATENESS_STEPS)
		return (unsigned)us;
	if (us > UINT32_MAX)
		us = UINT32_MAX;
	unsigned power = 63 - (unsigned)__builtin_clzll(us); /* 4 .. 31 */
	return (power - 3) * LATENESS_STEPS + (unsigned)((us >> (power - 4)) % LATENESS_STEPS);
}

/* The microseconds at which a step ends. */
static uint64_t
step_end_us(unsigned step)
{
	if (step < LATENESS_STEPS)
		return step + 1;
	unsigned power = step / LATENESS_STEPS + 3;
	return (uint64_t)(LATENESS_STEPS + step % LATENESS_STEPS + 1) << (power - 4);
}

uint64_t
lateness_quantile_ns(const uint64_t counters[static LATENESS_COUNTERS], uint32_t millionths)
{
	uint64_t all = 0, below = 0;
	for (unsigned i = 0; i < LATENESS_COUNTERS; i++)
		all += counters[i];
	/* The rank, rounded up, without a product that could overflow. */
	uint64_t rank = all / 1000000 * millionths + (all % 1000000 * millionths + 999999) / 1000000;
	for (unsigned i = 0; i < LATENESS_COUNTERS; i++) {
		below += counters[i];
		if (below >= rank && below > 0)
			return step_end_us(i) * NS_PER_US;
	}
	return 0;
}
