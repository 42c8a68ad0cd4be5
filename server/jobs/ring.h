/* ring: a first-in first-out queue of pointers of fixed capacity.
 *
 * Under its owner's lock. Owns its slots, not what they point to. */
#ifndef COLLIDED_JOBS_RING_H
#define COLLIDED_JOBS_RING_H

#include <stdbool.h>
#include <stddef.h>

struct ring {
	void **slots;
	size_t capacity;
	size_t first;
	size_t count;
};

/* false: no memory. */
bool ring_init(struct ring *ring, size_t capacity);
void ring_finish(struct ring *ring);
/* The ring must not be full. */
void ring_push(struct ring *ring, void *item);
/* NULL if empty. */
void *ring_pop(struct ring *ring);

#endif
