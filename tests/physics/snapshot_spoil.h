/* snapshot_spoil: a snapshot of which some is made up, and that is sealed again: only the fields themselves tell.
 *
 * Any thread; owns nothing. */
#ifndef COLLIDED_TESTS_PHYSICS_SNAPSHOT_SPOIL_H
#define COLLIDED_TESTS_PHYSICS_SNAPSHOT_SPOIL_H

#include "physics/snapshot_layout.h"

#include "support/random.h"

#include <math.h>

/* One byte or one double of it, at random, is another. `spoiled` has as much room. */
static inline void
snapshot_spoil(struct snapshot *spoiled, const struct snapshot *from, uint64_t *random)
{
	static const double values[] = { 0, 1, -1, 0.5, 1e-300, 1e12, 1e300, (double)INFINITY, (double)NAN };
	memcpy(spoiled->bytes, from->bytes, from->size);
	/* The tail has the shortest tables. */
	const size_t room = from->size - 24 - AT_WORLD;
	const size_t back = (size_t)random_below(random, random_below(random, 2) ? room : room < 400 ? room : 400);
	uint8_t *at = spoiled->bytes + from->size - 24 - back;
	if (random_below(random, 2))
		*at = (uint8_t)(random_below(random, 2) ? random_below(random, 4) : random_bits(random));
	else
		double_put(at, values[random_below(random, sizeof values / sizeof *values)]);
	snapshot_rehash(spoiled);
	snapshot_seal(spoiled);
}

#endif
