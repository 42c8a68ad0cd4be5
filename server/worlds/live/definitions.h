/* definitions: what a world's circles and segments are, to tell readers what has become of them when the past was made again.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_LIVE_DEFINITIONS_H
#define COLLIDED_WORLDS_LIVE_DEFINITIONS_H

#include "physics/physics.h"

struct live_world;

/* As they were, ascending by id. */
struct definitions {
	struct circle_def *circles;
	size_t circle_count;
	struct segment_def *segments;
	size_t segment_count;
};

/* Of the present. False without memory: *out holds nothing. */
STATUS_MUST_USE bool definitions_take(const struct world *world, struct definitions *out);
void definitions_free(struct definitions *definitions);
/* Notes what differs at the present in the world's log of changes. False without memory. */
STATUS_MUST_USE bool definitions_tell(struct live_world *world, const struct definitions *before);

#endif
