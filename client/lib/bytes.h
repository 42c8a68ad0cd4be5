/* bytes: a queue of bytes, appended at the end and consumed from the front.
 *
 * One thread at a time. Owns its memory. Consuming is free until the next append needs the space. */
#ifndef COLLIDE_CLIENT_LIB_BYTES_H
#define COLLIDE_CLIENT_LIB_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	uint8_t *memory;
	size_t start, end; /* the contents are memory[start..end) */
	size_t capacity;
};

void bytes_finish(struct bytes *bytes);
static inline size_t
bytes_count(const struct bytes *bytes)
{
	return bytes->end - bytes->start;
}

/* Space for at least `count` more bytes at the end, not yet part of the contents; NULL without memory. */
uint8_t *bytes_reserve(struct bytes *bytes, size_t count);
/* Adds to the contents what was written after bytes_reserve. */
void bytes_commit(struct bytes *bytes, size_t count);
void bytes_consume(struct bytes *bytes, size_t count);

#endif
