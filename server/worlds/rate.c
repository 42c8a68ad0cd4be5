#include "worlds/rate.h"

#define NS_PER_S UINT64_C(1000000000)

bool
rate_take(struct rate *rate, uint64_t amount, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - rate->since_ns;
	if (passed_ns >= NS_PER_S) {
		rate->left = rate->per_s;
		rate->since_ns = now_ns;
	} else {
		uint64_t more = rate->per_s * (passed_ns / 1000) / 1000000;
		if (more > 0) {
			rate->left = rate->left + more < rate->per_s ? rate->left + more : rate->per_s;
			rate->since_ns = now_ns;
		}
	}
	if (amount > rate->left)
		return false;
	rate->left -= amount;
	return true;
}
