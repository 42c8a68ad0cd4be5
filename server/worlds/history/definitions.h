/* definitions: what a world's circles, segments and gravity are, to tell readers what has become of them when the past was made
 * again.
 *
 * The worker that has the world. */
#ifndef COLLIDED_WORLDS_HISTORY_DEFINITIONS_H
#define COLLIDED_WORLDS_HISTORY_DEFINITIONS_H

#include "physics/physics.h"
#include "worlds/commands/change_log.h"

/* As they were, ascending by id. */
struct definitions {
	struct circle_def *circles;
	size_t circle_count;
	struct segment_def *segments;
	size_t segment_count;
	double gravity[2];
};

/* Of the present. False without memory: *out holds nothing. */
STATUS_MUST_USE bool definitions_take(const struct world *world, struct definitions *out);
void definitions_free(struct definitions *definitions);
/* Notes in the log what differs in the world as it is now. False without memory. */
STATUS_MUST_USE bool definitions_tell(const struct definitions *before, const struct world *world, struct change_log *log);

#endif
