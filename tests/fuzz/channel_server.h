/* channel_server: what a channel is connected to: a server that says the messages of a stream, whatever it is asked for. In
 * memory, with a clock that stands still unless moved.
 *
 * The client chooses the ids of requests. So an answer with an id below 128 is readdressed: to one of this connection's
 * requests that such a message answers, and that has had no final one. From 128 on it is to any request, from 256 on to the id
 * itself. One that finds no request is left out, as a client ends the connection for it.
 *
 * One thread. Owns what is on its way; the stream is borrowed. */
#ifndef COLLIDED_TESTS_FUZZ_CHANNEL_SERVER_H
#define COLLIDED_TESTS_FUZZ_CHANNEL_SERVER_H

#include "base/buffer.h"
#include "client/lib/worlds/channel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_ASKED_MAX = 256 };

/* What becomes of connections. */
enum server_mood {
	SERVER_FINE,
	SERVER_CLOSES,  /* this one, behind all that it has said */
	SERVER_BREAKS,  /* this one: what is sent to it fails */
	SERVER_DEAF,    /* it takes nothing */
	SERVER_REFUSES, /* no connection is made */
	SERVER_SLOW,    /* none is made for a long time */
	SERVER_MOODS
};

struct channel_server {
	const uint8_t *stream;
	size_t count, said; /* of the stream: bytes, and how many of them are said */
	struct buffer out;  /* on its way to the client */
	size_t out_read;
	struct buffer in; /* the front of a request that is not all there */
	struct {
		uint64_t id;
		unsigned kind; /* the field of ClientMessage */
	} asked[SERVER_ASKED_MAX];
	size_t asked_count;
	bool welcomes, has_limits; /* Hello is answered; with small limits */
	uint64_t pieces;           /* a state of random_bits: reads are of any size; 0: of all that is there */
	enum server_mood mood;
	int64_t now_ns;
};

void channel_server_start(struct channel_server *server, const uint8_t *stream, size_t count);
void channel_server_finish(struct channel_server *server);
struct channel_transport channel_server_transport(struct channel_server *server);
/* Says the next message. false: there is none. */
bool channel_server_say(struct channel_server *server);

#endif
