/* lifetimes: circles that end at a time of their own (circle_def.lifetime_ticks, lifetime_s). What is left of a lifetime is
 * state between ticks (body_rule.h). Internal. */
#ifndef COLLIDED_EVENTS_LIFETIMES_H
#define COLLIDED_EVENTS_LIFETIMES_H

#include "physics/world/world.h"

/* At a tick's start: takes the tick from all lifetimes, and lists those that end in it. Failure sets world->failed. */
void lifetimes_begin(struct world *world);
/* The next of them that ends before `until`, or, with `inclusive`, at it; NULL: none. */
static inline const struct life *
life_next(const struct world *world, double until, bool inclusive)
{
	const struct tick_scratch *scratch = &world->scratch;

	if (scratch->life_next == scratch->life_count)
		return NULL;
	const struct life *life = &scratch->lives[scratch->life_next];
	return life->time < until || (inclusive && life->time == until) ? life : NULL;
}
/* Ends it, when all contacts up to its time, and at it, are resolved. */
void life_end(struct world *world);

#endif
