#include "worlds/rate.h"

#define NS_PER_S UINT64_C(1000000000)

/* per_s * ns / 10^9, rounded down, for less than a second. A rate of bytes has more than 34 bits. */
static uint64_t
whole_units(uint64_t per_s, uint64_t ns)
{
	return per_s / NS_PER_S * ns + per_s % NS_PER_S * ns / NS_PER_S;
}

/* The time that so many units take, in ns, rounded up; of less than a second, which `ns` is. Of a unit a nanosecond and more
 * there is nothing over. */
static uint64_t
time_of(uint64_t per_s, uint64_t units, uint64_t ns)
{
	return per_s == 0 || per_s >= NS_PER_S ? ns : (units * NS_PER_S + per_s - 1) / per_s;
}

bool
rate_take(struct rate *rate, uint64_t per_s, uint64_t amount, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - rate->since_ns;
	if (passed_ns >= NS_PER_S) {
		rate->left = per_s;
		rate->since_ns = now_ns;
	} else {
		/* Whole units, and no more time than they take: what is over counts the next time. */
		uint64_t more = whole_units(per_s, passed_ns);
		rate->left = rate->left + more < per_s ? rate->left + more : per_s;
		rate->since_ns += time_of(per_s, more, passed_ns);
	}
	if (amount > rate->left)
		return false;
	rate->left -= amount;
	return true;
}

uint32_t
rate_class(uint32_t per_s)
{
	uint32_t step = 1;

	while (per_s / step >= 8)
		step *= 2;
	return per_s / step * step;
}
