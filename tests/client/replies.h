/* replies: what a server would send, for tests of the client: framed ServerMessages in a growing buffer. */
#ifndef COLLIDED_TESTS_CLIENT_REPLIES_H
#define COLLIDED_TESTS_CLIENT_REPLIES_H

#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"

#include <stddef.h>
#include <stdint.h>

/* A column of one value, which must be an object. */
#define COLUMN(value) \
	{                 \
		&(value), 1   \
	}

struct replies {
	uint8_t *bytes;
	size_t count;
};

void replies_finish(struct replies *replies);
void replies_append(struct replies *replies, const Collide__V1__ServerMessage *message);
void replies_append_welcome(struct replies *replies, uint64_t request_id, uint32_t message_bytes_max);
void replies_append_pong(struct replies *replies, uint64_t request_id, const void *payload, size_t count);
void replies_append_error(struct replies *replies, uint64_t request_id, Collide__V1__Code code, const char *text);
/* The end of a seat, and of a subscription. */
void replies_append_detached(struct replies *replies, uint64_t request_id, const char *reason);
void replies_append_unsubscribed(struct replies *replies, uint64_t request_id, const char *reason);
void replies_append_done(struct replies *replies, uint64_t request_id, uint64_t ticks, uint64_t hash);

/* Part of a frame: `bodies` rows with ids first_body.. and x = id / 4, then `contacts` rows with a = first_contact.. */
void replies_append_part(struct replies *replies, uint64_t request_id, uint64_t tick, bool more, uint32_t first_body,
                         size_t bodies, uint32_t first_contact, size_t contacts);

/* Gives all replies to the core in one piece. */
void replies_give(const struct replies *replies, struct collide_core *core);
/* Gives bytes to the core. */
void bytes_give(const void *bytes, size_t count, struct collide_core *core);

/* `rows` zeros in each column with a number below `full_below`, none in the others; one more in column `spoil`. The zeros are
 * static. */
void columns_fill(ProtobufCMessage *table, size_t rows, unsigned full_below, int spoil);
/* Expects that the conversation ends now, for this reason, and that it stays ended. */
void failure_expect(struct collide_core *core, const char *reason);
/* Gives the replies to the core, which must end the conversation for them; finishes both. */
void replies_fail(struct replies *replies, struct collide_core *core, const char *reason);

/* A core with the default options. */
struct collide_core *core_new(void);

/* Takes the next whole request from the core's output. The caller frees it with collide__v1__client_message__free_unpacked.
 * NULL: there is none. */
Collide__V1__ClientMessage *request_take(struct collide_core *core);

#endif
