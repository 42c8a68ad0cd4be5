/* Which neighbours come near, four at once with AVX2. What can go wrong: nothing. */
#include "physics/prediction/neighbours.h"

#ifdef NEIGHBOURS_MAY_BE_AVX2

#define NEIGHBOURS_AVX2
#include "physics/prediction/neighbours_lanes.h"

__attribute__((target("avx2"))) uint64_t
neighbours_near_avx2(const struct neighbours *all, const struct neighbours_asker *asker)
{
	return near_find(all, asker);
}

#endif
