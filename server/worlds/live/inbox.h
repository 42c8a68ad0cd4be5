/* inbox: what the loop asks of a world, on its way to the worker that has it.
 *
 * A list without a lock: one thread pushes, another takes all that is there at once. Owns what is in it. */
#ifndef COLLIDED_WORLDS_LIVE_INBOX_H
#define COLLIDED_WORLDS_LIVE_INBOX_H

#include "worlds/post.h"

#include <stdatomic.h>
#include <stdbool.h>

struct inbox {
	_Atomic(struct post *) newest; /* each points to the one before */
};

void inbox_init(struct inbox *inbox);
/* The loop. */
void inbox_push(struct inbox *inbox, struct post *post);
/* Any thread. */
bool inbox_is_empty(const struct inbox *inbox);
/* The worker: all of them, the oldest first, linked by `next`; NULL: none. */
struct post *inbox_take(struct inbox *inbox);

#endif
