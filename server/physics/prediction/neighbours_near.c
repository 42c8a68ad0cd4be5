/* Which neighbours come near, two at once, and the choice of the CPU's way. What can go wrong: nothing. */
#include "physics/prediction/neighbours_lanes.h"

uint64_t
neighbours_near(const struct neighbours *all, const struct neighbours_asker *asker)
{
#ifdef NEIGHBOURS_MAY_BE_AVX2
	if (__builtin_cpu_supports("avx2"))
		return neighbours_near_avx2(all, asker);
#endif
	return near_find(all, asker);
}
