/* waiting: the batches of a world that have not taken effect: a heap in the order in which they will.
 *
 * The worker that has the world. Owns what is in it. */
#ifndef COLLIDED_WORLDS_COMMANDS_WAITING_H
#define COLLIDED_WORLDS_COMMANDS_WAITING_H

#include "worlds/commands/batch.h"

struct waiting {
	struct batch **heap;
	size_t count, capacity;
	uint64_t arrivals;
};

void waiting_finish(struct waiting *waiting);
/* Takes the batch, which has its tick. False without memory: it is the caller's still. */
STATUS_MUST_USE bool waiting_add(struct waiting *waiting, struct batch *batch);
/* The first; NULL: none. */
struct batch *waiting_first(const struct waiting *waiting);
/* Takes it out. There must be one. */
struct batch *waiting_take(struct waiting *waiting);
/* All of them in the order of their arrival: `out` has room for waiting->count. */
void waiting_list(const struct waiting *waiting, const struct batch **out);

#endif
