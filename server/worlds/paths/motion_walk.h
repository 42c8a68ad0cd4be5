/* motion_walk: a world's circles in the order of their ids, read some at a time. Copies of all would be as large as the world
 * itself, and out of the nearest cache, for one pass in each tick. Borrows the world, which must not change meanwhile. */
#ifndef COLLIDED_WORLDS_PATHS_MOTION_WALK_H
#define COLLIDED_WORLDS_PATHS_MOTION_WALK_H

#include "physics/physics.h"

#define MOTIONS_AT_ONCE 16u

struct motion_walk {
	const struct world *world;
	size_t count;      /* of the world */
	size_t first, end; /* those that are copied */
	struct body_motion motions[MOTIONS_AT_ONCE];
};

static inline void
motion_walk_begin(struct motion_walk *walk, const struct world *world)
{
	walk->world = world;
	walk->count = world_body_count(world);
	walk->first = walk->end = 0;
}

/* index < walk->count, and no lower than in the last call. Valid until the next one. */
static inline const struct body_motion *
motion_at(struct motion_walk *walk, size_t index)
{
	if (index >= walk->end) {
		size_t left = walk->count - index;

		walk->first = index;
		walk->end = index + (left < MOTIONS_AT_ONCE ? left : MOTIONS_AT_ONCE);
		world_copy_motions(walk->world, walk->first, walk->end - walk->first, walk->motions);
	}
	return &walk->motions[index - walk->first];
}

#endif
