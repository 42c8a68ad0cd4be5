/* buffer: bytes that grow, for messages on their way out.
 *
 * One thread at a time. Owns its memory. A failed append leaves the buffer as it was and sets `failed`, so that a writer may
 * check once at the end. */
#ifndef COLLIDED_BASE_BUFFER_H
#define COLLIDED_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
	uint8_t *bytes;
	size_t count;
	size_t capacity;
	bool failed; /* some append found no memory */
};

void buffer_init(struct buffer *buffer);
void buffer_finish(struct buffer *buffer);
/* Of one that is empty: room for `count` bytes, from which it grows, if there is memory. */
void buffer_begin(struct buffer *buffer, size_t count);
/* Has room for `count` more bytes made at once, if there is memory. */
void buffer_reserve(struct buffer *buffer, size_t count);
/* Room for `count` more bytes at the end, counted in; NULL without memory. */
uint8_t *buffer_extend(struct buffer *buffer, size_t count);
void buffer_append(struct buffer *buffer, const void *bytes, size_t count);
/* Moves the contents out; the buffer is empty afterwards. The caller frees *bytes with free(). */
void buffer_take(struct buffer *buffer, uint8_t **bytes, size_t *count);

#endif
