/* The loops over contacts with AVX2, four at once. */
#include "physics/rest_solver/solver_kernels.h"

#ifdef SOLVER_MAY_BE_AVX2

#define SOLVER_AVX2
#include "physics/rest_solver/solver_lanes_gaps.h"

__attribute__((target("avx2"))) static struct sweep_result
sweep_wide(struct solver *solver, const struct island *island, struct impulses *change, const struct step *step)
{
	return island_sweep_any(solver, island, change, step);
}

__attribute__((target("avx2"))) static void
step_wide(struct solver *solver, const struct island *island, double beta)
{
	bodies_step(solver, island, beta);
}

__attribute__((target("avx2"))) static bool
measure_wide(struct solver *solver, const struct solver_bodies *bodies, double h, const struct range *range, bool *deep)
{
	return range_measure_any(solver, bodies, h, range, deep);
}

__attribute__((target("avx2"))) static void
again_wide(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half)
{
	island_again(solver, bodies, island, half);
}

__attribute__((target("avx2"))) static double
push_wide(struct solver *solver, const struct island *island, double below, double share)
{
	return island_push(solver, island, below, share);
}

__attribute__((target("avx2"))) static struct gap_summary
gaps_wide(const struct solver *solver, const struct island *island)
{
	return island_gaps(solver, island);
}

__attribute__((target("avx2"))) static uint32_t
closing_wide(const struct solver *solver, uint32_t start, uint32_t end, double *least)
{
	return slots_closing(solver, start, end, least);
}

const struct solver_kernels solver_avx2 = {
	sweep_wide, step_wide, measure_wide, again_wide, push_wide, gaps_wide, closing_wide
};

#endif
