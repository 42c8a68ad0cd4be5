/* kept_updates: the last updates of an encoding without gaps, oldest first, for readers that come back. A copy of their bytes
 * in a ring: a small update, as those of paths are, takes a quarter of what it does in pieces of memory of its own.
 *
 * Loop only. Owns its memory, which grows to what is asked of it and no further. Initialize with all 0. */
#ifndef COLLIDED_WORLDS_REGISTRY_KEPT_UPDATES_H
#define COLLIDED_WORLDS_REGISTRY_KEPT_UPDATES_H

#include "worlds/news.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kept_updates {
	uint8_t *ring;
	size_t capacity;
	size_t first, bytes;  /* where the oldest begins; of all of them */
	uint64_t since, tick; /* there are some: after the first of these ticks, up to the other */
};

void kept_updates_finish(struct kept_updates *kept);
/* Takes a copy of all but the key, with at most bytes_max of memory, and gives up the oldest for it, and those of `ticks` ticks
 * ago and more. What does not fit, and what there is no memory for, leaves a gap: then there are none. */
void kept_updates_add(struct kept_updates *kept, const struct update *update, uint64_t bytes_max, uint64_t ticks);
/* Copies of those after this tick, oldest first; to be freed with kept_updates_free. NULL: none begins there. False without
 * memory. */
bool kept_updates_after(const struct kept_updates *kept, uint64_t tick, struct update **first);
void kept_updates_free(struct update *first);

#endif
