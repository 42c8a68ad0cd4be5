#include "client/load/mix.h"

size_t
mix_next(struct mix *mix)
{
	size_t best = 0;
	int64_t sum = 0;
	for (size_t i = 0; i < mix->count; i++) {
		mix->credit[i] += mix->weight[i];
		sum += mix->weight[i];
		if (mix->credit[i] > mix->credit[best])
			best = i;
	}
	mix->credit[best] -= sum;
	return best;
}
