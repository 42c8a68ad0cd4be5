/* room_conn: one connection of a load of rooms: bytes both ways, whole messages, inputs gathered into few messages. One thread.
 */
#ifndef COLLIDE_LOAD_ROOM_CONN_H
#define COLLIDE_LOAD_ROOM_CONN_H

#include "client/lib/batch.h"
#include "client/lib/bytes.h"
#include "client/load/rooms/room_reply.h"
#include "collide/v1/collide.pb-c.h"

enum { ROOM_CONN_BATCHES_MAX = 256 }; /* of one ManyCommands: the protocol's limit */

struct room_conn {
	struct collide_client *client; /* it made the connection, and is not used for requests */
	int descriptor;
	struct bytes input, output;
	uint64_t bytes_sent, bytes_received;
	struct batch_place places[ROOM_CONN_BATCHES_MAX]; /* not in the output yet; they own their batches */
	size_t place_count;
	bool pending; /* for the caller: it is among those that have something to send */
};

bool room_conn_open(struct room_conn *conn, const char *address, struct collide_error *error);
void room_conn_finish(struct room_conn *conn);
/* Puts a request into the output. */
bool room_conn_ask(struct room_conn *conn, const Collide__V1__ClientMessage *message, struct collide_error *error);
/* Adds an input, which is taken; what is full goes into the output. */
bool room_conn_input(struct room_conn *conn, const struct collide_numbers *numbers, struct batch_bytes *batch,
                     struct collide_error *error);
/* Puts the inputs gathered so far into the output, and sends what the socket takes. */
bool room_conn_flush(struct room_conn *conn, struct collide_error *error);
/* Receives once what is there; *more: there may be more. */
bool room_conn_receive(struct room_conn *conn, bool *more, struct collide_error *error);
/* The next whole message. false: there is none, or *error says what is wrong with it (its code is not OK then). */
bool room_conn_next(struct room_conn *conn, struct room_reply *reply, struct collide_error *error);

#endif
