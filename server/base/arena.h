/* arena: memory for one request, given back all at once, with a cumulative budget.
 *
 * One thread at a time. Owns its blocks. Single pieces are never freed, so the budget bounds what a hostile message can make
 * us allocate in total, not only at once. */
#ifndef COLLIDED_BASE_ARENA_H
#define COLLIDED_BASE_ARENA_H

#include <stddef.h>

struct arena {
	struct arena_block *blocks; /* newest first */
	size_t used_bytes;          /* handed out since the last reset */
	size_t budget_bytes;        /* the most that used_bytes may reach */
};

void arena_init(struct arena *arena, size_t budget_bytes);
void arena_finish(struct arena *arena);
/* Zeroed memory aligned for any type, or NULL when the budget or the memory is used up. size 0 gives a unique pointer. */
void *arena_alloc(struct arena *arena, size_t size);
/* As arena_alloc of count * size, NULL on overflow. */
void *arena_array(struct arena *arena, size_t count, size_t size);
/* As arena_array, but not zeroed: anything may be in it, and the caller writes all of it. */
void *arena_room(struct arena *arena, size_t count, size_t size);
/* Forgets all pieces; may keep one block for reuse. O(number of blocks). */
void arena_reset(struct arena *arena);

#endif
