/* frame: the framing that both ends agree on: a varint length, then that many bytes of one message.
 *
 * Any thread; owns nothing; libc only. */
#ifndef COLLIDE_PROTO_FRAME_H
#define COLLIDE_PROTO_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define FRAME_HEADER_BYTES_MAX 5

enum frame_result {
	FRAME_OK,        /* a length was read: *header_bytes and *body_bytes are set */
	FRAME_SHORT,     /* more bytes are needed to know */
	FRAME_MALFORMED, /* over five bytes, over 32 bits, or not canonical (a last byte of 0 after others) */
	FRAME_TOO_LARGE, /* the length is over body_bytes_max; *body_bytes is set */
};

/* Reads the length before a message from the first `count` bytes. */
enum frame_result frame_header_read(const uint8_t *bytes, size_t count, uint32_t body_bytes_max, size_t *header_bytes,
                                    uint32_t *body_bytes);

/* Writes the length; returns the number of bytes written, 1..FRAME_HEADER_BYTES_MAX. */
size_t frame_header_write(uint8_t bytes[static FRAME_HEADER_BYTES_MAX], uint32_t body_bytes);

#endif
