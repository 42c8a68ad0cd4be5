#include "fuzz/stream_mutator.h"

#include "fuzz/fuzz_target.h"
#include "fuzz/message_mutator.h"
#include "proto/frame.h"
#include "support/random.h"

#include "base/check.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES_MAX = 256, RAW_OF = 12 };
/* What a message may grow by. */
static const size_t ROOM_BYTES = 4096;

struct piece {
	size_t at, header, body;
};

/* The whole messages at the front. */
static size_t
pieces_find(const uint8_t *bytes, size_t count, struct piece *pieces)
{
	size_t found = 0, at = 0, header;
	uint32_t body;
	while (found < MESSAGES_MAX && at < count &&
	       frame_header_read(bytes + at, count - at, UINT32_MAX, &header, &body) == FRAME_OK && body <= count - at - header) {
		pieces[found++] = (struct piece){ at, header, body };
		at += header + body;
	}
	return found;
}

/* Puts `with` where the piece was; returns the new count, or the old one if there is no room. */
static size_t
piece_replace(const struct piece *piece, uint8_t *bytes, size_t count, size_t count_max, const uint8_t *with, size_t with_count)
{
	size_t end = piece->at + piece->header + piece->body;
	if (piece->at + with_count + (count - end) > count_max)
		return count;
	memmove(bytes + piece->at + with_count, bytes + end, count - end);
	if (with_count > 0)
		memcpy(bytes + piece->at, with, with_count);
	return piece->at + with_count + (count - end);
}

static size_t
piece_change(const ProtobufCMessageDescriptor *type, const struct piece *piece, uint8_t *bytes, size_t count, size_t count_max,
             uint64_t *seed)
{
	size_t most = piece->body + ROOM_BYTES;
	uint8_t *with = malloc(FRAME_HEADER_BYTES_MAX + most), header[FRAME_HEADER_BYTES_MAX];
	CHECK(with);
	memcpy(with + FRAME_HEADER_BYTES_MAX, bytes + piece->at + piece->header, piece->body);
	size_t body = message_mutate(type, with + FRAME_HEADER_BYTES_MAX, piece->body, most, seed);
	size_t header_count = frame_header_write(header, (uint32_t)body);
	memcpy(with + FRAME_HEADER_BYTES_MAX - header_count, header, header_count);
	size_t result = piece_replace(piece, bytes, count, count_max, with + FRAME_HEADER_BYTES_MAX - header_count,
	                              header_count + body);
	free(with);
	return result;
}

/* The message once more, before another. */
static size_t
piece_repeat(const struct piece *piece, size_t before, uint8_t *bytes, size_t count, size_t count_max)
{
	size_t size = piece->header + piece->body;
	if (count + size > count_max)
		return count;
	uint8_t *copy = malloc(size);
	CHECK(copy);
	memcpy(copy, bytes + piece->at, size);
	memmove(bytes + before + size, bytes + before, count - before);
	memcpy(bytes + before, copy, size);
	free(copy);
	return count + size;
}

size_t
stream_mutate(const ProtobufCMessageDescriptor *(*type_of)(size_t index), uint8_t *bytes, size_t count, size_t count_max,
              unsigned mutation)
{
	struct piece pieces[MESSAGES_MAX];
	uint64_t seed = mutation;
	size_t found = pieces_find(bytes, count, pieces);
	if (found == 0 || random_below(&seed, RAW_OF) == 0)
		return LLVMFuzzerMutate(bytes, count, count_max);
	size_t index = (size_t)random_below(&seed, found);
	switch (random_below(&seed, 8)) {
	case 0: return piece_replace(&pieces[index], bytes, count, count_max, NULL, 0);
	case 1: return piece_repeat(&pieces[index], pieces[random_below(&seed, found)].at, bytes, count, count_max);
	default: return piece_change(type_of(index), &pieces[index], bytes, count, count_max, &seed);
	}
}
