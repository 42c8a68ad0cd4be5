/* The loops over contacts for any CPU, two at once where it can. */
#include "physics/rest_solver/solver_lanes_gaps.h"

static struct sweep_result
sweep_plain(struct solver *solver, const struct island *island, struct impulses *change, const struct step *step)
{
	return island_sweep_any(solver, island, change, step);
}

static void
step_plain(struct solver *solver, const struct island *island, double beta)
{
	bodies_step(solver, island, beta);
}

static bool
measure_plain(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep)
{
	return range_measure_any(solver, bodies, h, range, deep);
}

static void
again_plain(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half)
{
	island_again(solver, bodies, island, half);
}

static double
push_plain(struct solver *solver, const struct island *island, double below, double share)
{
	return island_push(solver, island, below, share);
}

static struct gap_summary
gaps_plain(const struct solver *solver, const struct island *island)
{
	return island_gaps(solver, island);
}

static uint32_t
closing_plain(const struct solver *solver, uint32_t start, uint32_t end, double *least)
{
	return slots_closing(solver, start, end, least);
}

const struct solver_kernels solver_generic = { sweep_plain, step_plain, measure_plain, again_plain,
	                                           push_plain,  gaps_plain, closing_plain };

const struct solver_kernels *
solver_kernels_best(void)
{
#ifdef SOLVER_MAY_BE_AVX2
	if (__builtin_cpu_supports("avx2"))
		return &solver_avx2;
#endif
	return &solver_generic;
}
