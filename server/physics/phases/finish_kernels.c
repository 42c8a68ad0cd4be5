/* The loop over a span of bodies, compiled for any CPU and for AVX2, which holds two bodies in one register. */
#include "physics/phases/finish_pairs.h"

bool
finish_span_plain(struct world *world, struct span span, struct ledger_sums *sums)
{
	return finish_span(world, span, sums);
}

#ifdef FINISH_WIDE
__attribute__((target("avx2"))) bool
finish_span_wide(struct world *world, struct span span, struct ledger_sums *sums)
{
	return finish_span(world, span, sums);
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
