/* The loops over contacts for any machine, two at once where it can. */
#include "physics/dense_lanes.h"

static struct sweep
sweep_plain(struct dense *dense, const struct island *island, struct impulses *change)
{
	return island_sweep_any(dense, island, change);
}

static bool
measure_plain(struct dense *dense, const struct dense_bodies *bodies, double h, const struct range *range, bool *deep)
{
	return range_measure_any(dense, bodies, h, range, deep);
}

static struct survey
survey_plain(const struct dense *dense, const struct island *island)
{
	return island_survey(dense, island);
}

static double
survey_far_plain(const struct dense *dense)
{
	return far_survey(dense);
}

const struct dense_way dense_plain = { sweep_plain, measure_plain, survey_plain, survey_far_plain };

const struct dense_way *
dense_way_best(void)
{
#ifdef DENSE_MAY_BE_WIDE
	if (__builtin_cpu_supports("avx2"))
		return &dense_wide;
#endif
	return &dense_plain;
}
