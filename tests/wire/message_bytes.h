/* message_bytes: protobuf by hand, right or wrong, for what no encoder would write. Grows a struct buffer. */
#ifndef COLLIDED_TESTS_WIRE_MESSAGE_BYTES_H
#define COLLIDED_TESTS_WIRE_MESSAGE_BYTES_H

#include "base/buffer.h"

#include <string.h>

enum { PUT_VARINT = 0, PUT_FIXED64 = 1, PUT_BYTES = 2, PUT_FIXED32 = 5 };

static inline void
put_varint(struct buffer *out, uint64_t value)
{
	do {
		uint8_t byte = (uint8_t)((value & 0x7f) | (value >= 0x80 ? 0x80 : 0));

		buffer_append(out, &byte, 1);
		value >>= 7;
	} while (value != 0);
}

static inline void
put_tag(struct buffer *out, uint32_t number, unsigned type)
{
	put_varint(out, (uint64_t)number << 3 | type);
}

static inline void
put_number(struct buffer *out, uint32_t number, uint64_t value)
{
	put_tag(out, number, PUT_VARINT);
	put_varint(out, value);
}

static inline void
put_double(struct buffer *out, uint32_t number, double value)
{
	put_tag(out, number, PUT_FIXED64);
	buffer_append(out, &value, 8);
}

static inline void
put_bytes(struct buffer *out, uint32_t number, const void *bytes, size_t count)
{
	put_tag(out, number, PUT_BYTES);
	put_varint(out, count);
	buffer_append(out, bytes, count);
}

/* Moves the contents of `inner` into a field of `out`; inner may be used again. */
static inline void
put_message(struct buffer *out, uint32_t number, struct buffer *inner)
{
	put_bytes(out, number, inner->bytes, inner->count);
	inner->count = 0;
}

/* Wraps the contents of `scene` as ClientMessage{request_id 7, simulate{scene}}. */
static inline void
put_scene_request(struct buffer *out, struct buffer *scene)
{
	struct buffer simulate;

	buffer_init(&simulate);
	put_message(&simulate, 1, scene);
	put_number(out, 1, 7);
	put_message(out, 6, &simulate);
	buffer_finish(&simulate);
}

#endif
