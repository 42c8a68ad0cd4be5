/* stirred: those of the bodies that something came to (world.untouched), by index, and fetched ahead. Reads the world only. */
#ifndef COLLIDED_PHYSICS_STIRRED_H
#define COLLIDED_PHYSICS_STIRRED_H

#include "physics/ahead.h"

#include <string.h>

/* How many bodies that something came to are fetched before their turn. */
#define STIRRED_AHEAD 8u

/* How many of eight bytes, the first in memory first, come before one that is not 0; there is one. */
static inline uint32_t
zeros_before(uint64_t eight)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	eight = __builtin_bswap64(eight);
#endif
	return (uint32_t)__builtin_ctzll(eight) / 8;
}

/* The first body from `i` on that something came to, or `end`. */
static inline uint32_t
next_stirred(const struct world *world, uint32_t i, uint32_t end)
{
	const uint8_t *untouched = world->untouched;
	const uint64_t all = UINT64_C(0x0101010101010101);
	uint64_t eight;

	for (; i + sizeof eight <= end; i += sizeof eight) {
		memcpy(&eight, untouched + i, sizeof eight);
		if (eight != all)
			return i + zeros_before(eight ^ all);
	}
	while (i < end && untouched[i])
		i++;
	return i;
}

/* Fetches the infos of those that something came to, some of them ahead of who goes through them: they lie far apart, so the
 * machine does not guess where the next will be. `at` is the first that is not fetched yet. */
struct stirred_ahead {
	uint32_t at, end;
};

static inline void
stirred_fetch(const struct world *world, struct stirred_ahead *ahead)
{
	if (ahead->at >= ahead->end)
		return;
	line_fetch(&world->bodies[ahead->at]);
	line_fetch(&world->infos[ahead->at]);
	line_fetch(&world->infos[ahead->at].inverse_mass);
	ahead->at = next_stirred(world, ahead->at + 1, ahead->end);
}

static inline struct stirred_ahead
stirred_fetch_first(const struct world *world, uint32_t first, uint32_t end)
{
	/* In smaller worlds they are in the cache. */
	if (world->body_count < FETCH_BODIES_MIN)
		return (struct stirred_ahead){ end, end };

	struct stirred_ahead ahead = { next_stirred(world, first, end), end };

	for (unsigned k = 0; k < STIRRED_AHEAD; k++)
		stirred_fetch(world, &ahead);
	return ahead;
}

#endif
