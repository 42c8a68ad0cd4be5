/* The loops over contacts with AVX2, four at once. */
#include "physics/dense_way.h"

#ifdef DENSE_MAY_BE_WIDE

#define DENSE_WIDE
#include "physics/dense_lanes.h"

__attribute__((target("avx2"))) static struct sweep
sweep_wide(struct dense *dense, const struct island *island, struct impulses *change)
{
	return island_sweep_any(dense, island, change);
}

__attribute__((target("avx2"))) static bool
measure_wide(struct dense *dense, const struct dense_bodies *bodies, double h, const struct range *range, bool *deep)
{
	return range_measure_any(dense, bodies, h, range, deep);
}

__attribute__((target("avx2"))) static struct survey
survey_wide(const struct dense *dense, const struct island *island)
{
	return island_survey(dense, island);
}

__attribute__((target("avx2"))) static double
survey_far_wide(const struct dense *dense)
{
	return far_survey(dense);
}

const struct dense_way dense_wide = { sweep_wide, measure_wide, survey_wide, survey_far_wide };

#endif
