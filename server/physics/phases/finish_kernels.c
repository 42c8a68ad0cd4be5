/* The loop over a span of bodies, compiled for any CPU and for AVX2, which holds two bodies in one register. */
#include "physics/phases/finish_pairs.h"

__attribute__((noinline)) static uint32_t
turning_plain(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *all, double plain)
{
	return finish_turning(world, first, end, all, plain);
}

bool
finish_span_plain(struct world *world, struct span span, struct ledger_sums *sums)
{
	return finish_span(world, span, sums, turning_plain);
}

#ifdef FINISH_WIDE
__attribute__((target("avx2"), noinline)) static uint32_t
turning_wide(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *all, double plain)
{
	return finish_turning(world, first, end, all, plain);
}

__attribute__((target("avx2"))) bool
finish_span_wide(struct world *world, struct span span, struct ledger_sums *sums)
{
	return finish_span(world, span, sums, turning_wide);
}
#endif

finish_span_fn *
finish_span_best(void)
{
#ifdef FINISH_WIDE
	if (__builtin_cpu_supports("avx2"))
		return finish_span_wide;
#endif
	return finish_span_plain;
}
