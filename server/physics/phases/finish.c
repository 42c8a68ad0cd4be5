/* Moves bodies to the ends of their paths. Happy path: clean bodies two at a time, by a loop of their own (finish_pairs.h); the
 * others one by one (finish_dirty.c). What can go wrong: nothing. */
#include "physics/phases/finish.h"

#include "physics/phases/finish_kernels.h"

bool
bodies_finish(struct world *world, uint32_t first, uint32_t end, struct ledger_sums *sums)
{
	const struct awake *awake = &world->bodies.awake;
	finish_span_fn *span_finish = finish_span_best();
	bool crushed = false;

	for (struct span s = awake_span(awake, first, end); s.first < s.end; s = awake_span(awake, s.end, end))
		crushed |= span_finish(world, s, sums);
	return crushed;
}
