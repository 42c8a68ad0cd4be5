/* dirty_bodies: walks over the dirty bodies (not world.bodies.untouched), by index, with prefetching. Reads the world only. */
#ifndef COLLIDED_PREDICTION_DIRTY_BODIES_H
#define COLLIDED_PREDICTION_DIRTY_BODIES_H

#include "physics/math/double8.h"
#include "physics/prediction/prefetch.h"

#include <string.h>

/* How many dirty bodies are prefetched ahead of the current one. */
#define DIRTY_AHEAD 8u

/* The first dirty body from `i` on, or `end`. */
static inline uint32_t
dirty_next(const struct world *world, uint32_t i, uint32_t end)
{
	const uint8_t *clean = world->bodies.clean;
	uint64_t eight;

	for (; i + sizeof eight <= end; i += sizeof eight) {
		memcpy(&eight, clean + i, sizeof eight);
		if (zeros_of(eight) != 0)
			break;
	}
	while (i < end && clean[i] != BODY_DIRTY)
		i++;
	return i;
}

/* A walk over all dirty bodies, many at once, because the distance to the next one is unpredictable. A body that becomes dirty
 * during the walk may be missed. */
struct dirty_walk {
	uint64_t bits; /* of the 64 before `next`: those still to visit */
	uint32_t next, end;
};

static inline struct dirty_walk
dirty_walk(uint32_t first, uint32_t end)
{
	return (struct dirty_walk){ 0, first, end };
}

/* The next dirty body; the walk's `end` or more if there is none. */
static inline uint32_t
dirty_walk_next(const struct world *world, struct dirty_walk *walk)
{
	const uint8_t *clean = world->bodies.clean;
	uint64_t eight;

	while (walk->bits == 0) {
		if (walk->next >= walk->end)
			return walk->end;
		for (uint32_t k = 0; k < 64; k += 8) {
			uint32_t i = walk->next + k;

			if (i + 8 <= walk->end) {
				memcpy(&eight, clean + i, sizeof eight);
				walk->bits |= tops_of(zeros_of(eight)) << k;
				continue;
			}
			for (; i < walk->end; i++)
				walk->bits |= (uint64_t)(clean[i] == BODY_DIRTY) << (i - walk->next);
			break;
		}
		walk->next += 64;
	}

	uint32_t at = walk->next - 64 + (uint32_t)__builtin_ctzll(walk->bits);

	walk->bits &= walk->bits - 1;
	return at;
}

/* Prefetches the infos of the dirty bodies, some of them ahead of the caller's walk. They lie far apart, so the hardware
 * prefetcher does not find them. `at` is the first that is not prefetched yet. */
struct dirty_prefetch {
	uint32_t at, end;
};

static inline void
dirty_fetch(const struct world *world, struct dirty_prefetch *ahead)
{
	if (ahead->at >= ahead->end)
		return;
	line_fetch(&world->bodies.paths[ahead->at]);
	line_fetch(&world->bodies.infos[ahead->at]);
	line_fetch(&world->bodies.infos[ahead->at].inverse_mass);
	ahead->at = dirty_next(world, ahead->at + 1, ahead->end);
}

static inline struct dirty_prefetch
dirty_fetch_first(const struct world *world, uint32_t first, uint32_t end)
{
	/* In smaller worlds they are in the cache. */
	if (world->bodies.count < FETCH_BODIES_MIN)
		return (struct dirty_prefetch){ end, end };

	struct dirty_prefetch ahead = { dirty_next(world, first, end), end };

	for (unsigned k = 0; k < DIRTY_AHEAD; k++)
		dirty_fetch(world, &ahead);
	return ahead;
}

#endif
