/* reply_reader: takes length-delimited ServerMessages out of a buffer, for looking at what was appended. */
#ifndef COLLIDED_TESTS_WIRE_REPLY_READER_H
#define COLLIDED_TESTS_WIRE_REPLY_READER_H

#include "support/assert_double.h"

#include "proto/frame.h"
#include "wire/wire.h"

#include <stdlib.h>

/* The message at *at, which moves past it. Fails at the end and on anything that is not a message; never NULL. Free with
 * collide__v1__server_message__free_unpacked. */
static inline Collide__V1__ServerMessage *
reply_next(const struct buffer *buffer, size_t *at)
{
	size_t header_bytes = 0;
	uint32_t body_bytes = 0;

	assert_int_equal(frame_header_read(buffer->bytes + *at, buffer->count - *at, UINT32_MAX, &header_bytes, &body_bytes),
	                 FRAME_OK);
	assert_true(body_bytes <= buffer->count - *at - header_bytes);
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, body_bytes,
	                                                                          buffer->bytes + *at + header_bytes);
	if (!message) {
		fail();
		abort(); /* fail() jumps; this tells the compiler */
	}
	*at += header_bytes + body_bytes;
	return message;
}

#endif
