#include "base/buffer.h"

#include "base/memory.h"

#include <string.h>

/* First capacity in bytes: most replies (Pong, Error, SimulateDone) fit without growing. */
#define BUFFER_BYTES_MIN ((size_t)256)

void
buffer_init(struct buffer *buffer)
{
	*buffer = (struct buffer){ .bytes = NULL };
}

void
buffer_finish(struct buffer *buffer)
{
	struct ledger *own = memory_enter_common();
	memory_free(buffer->bytes);
	(void)memory_enter(own);
	buffer_init(buffer);
}

static bool
buffer_resize(struct buffer *buffer, size_t capacity)
{
	struct ledger *own = memory_enter_common();
	uint8_t *bytes = memory_resize(buffer->bytes, capacity);
	(void)memory_enter(own);
	if (!bytes)
		return false;
	buffer->bytes = bytes;
	buffer->capacity = capacity;
	return true;
}

/* Makes room for `count` more bytes; doubling keeps the cost of a byte constant. */
static bool
buffer_grow(struct buffer *buffer, size_t count)
{
	if (count <= buffer->capacity - buffer->count)
		return true;
	if (count > PTRDIFF_MAX - buffer->count)
		return false;
	size_t wanted = buffer->count + count, capacity = buffer->capacity > 0 ? buffer->capacity : BUFFER_BYTES_MIN;
	while (capacity < wanted)
		capacity = capacity > PTRDIFF_MAX / 2 ? wanted : capacity * 2;
	return buffer_resize(buffer, capacity);
}

void
buffer_begin(struct buffer *buffer, size_t count)
{
	(void)buffer_resize(buffer, count);
}

void
buffer_reserve(struct buffer *buffer, size_t count)
{
	(void)buffer_grow(buffer, count);
}

uint8_t *
buffer_extend(struct buffer *buffer, size_t count)
{
	/* One byte of room even for none, so that NULL always means failure. */
	if (!buffer_grow(buffer, count == 0 ? 1 : count)) {
		buffer->failed = true;
		return NULL;
	}
	uint8_t *bytes = buffer->bytes + buffer->count;
	buffer->count += count;
	return bytes;
}

void
buffer_append(struct buffer *buffer, const void *bytes, size_t count)
{
	uint8_t *room = buffer_extend(buffer, count);

	if (room && count > 0)
		memcpy(room, bytes, count);
}

void
buffer_take(struct buffer *buffer, uint8_t **bytes, size_t *count)
{
	*bytes = buffer->bytes;
	*count = buffer->count;
	buffer_init(buffer);
}
