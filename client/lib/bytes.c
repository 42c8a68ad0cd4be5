#include "client/lib/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void
bytes_finish(struct bytes *bytes)
{
	free(bytes->memory);
	*bytes = (struct bytes){ 0 };
}

uint8_t *
bytes_reserve(struct bytes *bytes, size_t count)
{
	size_t kept = bytes_count(bytes);
	if (bytes->memory && bytes->capacity - bytes->end >= count)
		return bytes->memory + bytes->end;
	if (count > SIZE_MAX / 2 - kept)
		return NULL;
	/* Contents are moved only if that frees at least half of the memory, so that each byte moves O(1) times. */
	if (bytes->memory && bytes->capacity >= kept + count && bytes->start >= kept) {
		memmove(bytes->memory, bytes->memory + bytes->start, kept);
	} else {
		size_t capacity = kept + count > 2 * bytes->capacity ? kept + count : 2 * bytes->capacity;
		uint8_t *memory = malloc(capacity);
		if (!memory)
			return NULL;
		if (bytes->memory)
			memcpy(memory, bytes->memory + bytes->start, kept);
		free(bytes->memory);
		bytes->memory = memory;
		bytes->capacity = capacity;
	}
	bytes->start = 0;
	bytes->end = kept;
	return bytes->memory + bytes->end;
}

void
bytes_commit(struct bytes *bytes, size_t count)
{
	assert(count <= bytes->capacity - bytes->end);
	bytes->end += count;
}

void
bytes_consume(struct bytes *bytes, size_t count)
{
	assert(count <= bytes_count(bytes));
	bytes->start += count;
	if (bytes->start == bytes->end)
		bytes->start = bytes->end = 0;
}
