/* followed: what a follower has of a world, as a frame of states.
 *
 * One thread at a time. Owns its columns, which are valid until they are filled again. */
#ifndef COLLIDE_CLI_WORLDS_FOLLOWED_H
#define COLLIDE_CLI_WORLDS_FOLLOWED_H

#include "client/lib/collide.h"

/* Initialize with all 0. */
struct followed_columns {
	struct collide_frame frame; /* bodies, places of moving segments, time and number of sleepers */
	uint32_t *ids;
	double *numbers;
	size_t capacity;
};

/* false: no memory. */
bool followed_columns_fill(struct followed_columns *columns, const struct collide_follower *follower);
void followed_columns_finish(struct followed_columns *columns);

#endif
