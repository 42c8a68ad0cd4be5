#include "jobs/ring.h"

#include "base/check.h"

#include <stdlib.h>

bool
ring_init(struct ring *ring, size_t capacity)
{
	*ring = (struct ring){ .slots = calloc(capacity, sizeof *ring->slots), .capacity = capacity };
	return ring->slots != NULL;
}

void
ring_finish(struct ring *ring)
{
	free(ring->slots);
	*ring = (struct ring){ 0 };
}

void
ring_push(struct ring *ring, void *item)
{
	CHECK(ring->count < ring->capacity);
	ring->slots[(ring->first + ring->count) % ring->capacity] = item;
	ring->count++;
}

void *
ring_pop(struct ring *ring)
{
	if (ring->count == 0)
		return NULL;
	void *item = ring->slots[ring->first];
	ring->first = (ring->first + 1) % ring->capacity;
	ring->count--;
	return item;
}
