/* framer: bytes as they come to whole messages.
 *
 * One thread. Owns the message being received. Its buffer grows with the bytes received, never with the length announced:
 * it is at most twice what has come. */
#ifndef COLLIDED_SESSION_FRAMER_H
#define COLLIDED_SESSION_FRAMER_H

#include "proto/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a message that are kept when the rest finds no memory: enough for the tag and the value of request_id. */
#define FRAMER_PREFIX_BYTES 16

struct framer {
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	size_t header_count;
	bool in_body;        /* the header is complete and the body is not */
	bool skipping;       /* no memory: the body is counted, only its prefix is kept */
	uint32_t body_bytes; /* announced */
	uint32_t received;   /* of them */
	uint8_t *body;
	uint32_t capacity;
};

enum framer_result {
	FRAMER_MORE,      /* all bytes were used and the message is not complete */
	FRAMER_MESSAGE,   /* framer->body holds framer->body_bytes */
	FRAMER_SKIPPED,   /* the message was complete, but only its prefix was kept: `received` up to FRAMER_PREFIX_BYTES */
	FRAMER_MALFORMED, /* not a length; the stream cannot be read on */
	FRAMER_TOO_LARGE, /* announced more than body_bytes_max (framer->body_bytes); nothing of it was kept */
};

void framer_init(struct framer *framer);
void framer_finish(struct framer *framer);

/* Reads up to the end of one message; returns how many bytes it used. The buffer never grows beyond `capacity_max` bytes
 * (memory left to the server); a message that would is skipped. After FRAMER_MESSAGE or FRAMER_SKIPPED, framer_next. */
size_t framer_feed(struct framer *framer, const uint8_t *bytes, size_t count, uint32_t body_bytes_max, uint64_t capacity_max,
                   enum framer_result *result);

/* Moves the complete message out; the caller frees it. May be called before framer_next. */
uint8_t *framer_take_body(struct framer *framer);
/* Gets ready for the next message; keeps a small buffer. */
void framer_next(struct framer *framer);
/* Some bytes of a message have come, but not all. */
bool framer_is_mid_frame(const struct framer *framer);

#endif
