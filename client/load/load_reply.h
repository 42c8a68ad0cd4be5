/* load_reply: what a load generator needs of a ServerMessage, read without unpacking it. A frame's columns are skipped, so that
 * measuring costs less than what is measured. Any thread; borrows the bytes. */
#ifndef COLLIDE_LOAD_LOAD_REPLY_H
#define COLLIDE_LOAD_LOAD_REPLY_H

#include "client/lib/collide.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum load_reply_kind {
	REPLY_PART,  /* a part of a frame that continues in the next message, or another message that is not its request's last */
	REPLY_FRAME, /* the last part of a frame, or a whole frame */
	REPLY_DONE,  /* SimulateDone */
	REPLY_ERROR, /* also final */
};

struct load_reply {
	enum load_reply_kind kind;
	uint64_t request_id;
	/* REPLY_DONE */
	uint64_t ticks, collisions;
	double engine_seconds, worker_seconds, waiting_seconds;
	/* REPLY_ERROR: the Error message */
	const uint8_t *error;
	size_t error_bytes;
};

/* Reads the body of one message. false: it is no ServerMessage, or does not answer a Simulate. */
bool load_reply_read(const uint8_t *body, size_t count, struct load_reply *out);
/* Unpacks a REPLY_ERROR's error. false: it cannot be read, or there is no memory. */
bool load_reply_error(const struct load_reply *reply, struct collide_error *error);

#endif
