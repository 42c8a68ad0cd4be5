#include "client/load/rooms/room_conn.h"

#include "client/lib/core.h"
#include "client/lib/request_append.h"
#include "client/load/conn_bytes.h"
#include "proto/frame.h"

#include <stdlib.h>

bool
room_conn_open(struct room_conn *conn, const char *address, struct collide_error *error)
{
	static const struct collide_options options = { .client_name = "collide bench rooms" };
	*conn = (struct room_conn){ .descriptor = -1 };
	conn->client = collide_connect(address, &options, error);
	if (conn->client)
		conn->descriptor = collide_client_descriptor(conn->client);
	return conn->client != NULL;
}

static void
places_free(struct room_conn *conn)
{
	for (size_t i = 0; i < conn->place_count; i++)
		free((void *)(uintptr_t)conn->places[i].batch);
	conn->place_count = 0;
}

void
room_conn_finish(struct room_conn *conn)
{
	collide_close(conn->client);
	bytes_finish(&conn->input);
	bytes_finish(&conn->output);
	places_free(conn);
	conn->client = NULL;
	conn->descriptor = -1;
}

bool
room_conn_ask(struct room_conn *conn, const Collide__V1__ClientMessage *message, struct collide_error *error)
{
	return request_append(&conn->output, message, 0, error);
}

static bool
places_append(struct room_conn *conn, struct collide_error *error)
{
	bool good = conn->place_count == 0 || batches_append(&conn->output, 0, conn->places, conn->place_count, 0, error);
	places_free(conn);
	return good;
}

bool
room_conn_input(struct room_conn *conn, const struct collide_numbers *numbers, struct batch_bytes *batch,
                struct collide_error *error)
{
	conn->places[conn->place_count++] = (struct batch_place){ .numbers = *numbers, .batch = batch };
	return conn->place_count < ROOM_CONN_BATCHES_MAX || places_append(conn, error);
}

bool
room_conn_flush(struct room_conn *conn, struct collide_error *error)
{
	return places_append(conn, error) && conn_bytes_send(conn->descriptor, &conn->output, &conn->bytes_sent, error);
}

bool
room_conn_receive(struct room_conn *conn, bool *more, struct collide_error *error)
{
	return conn_bytes_receive(conn->descriptor, &conn->input, &conn->bytes_received, more, error);
}

bool
room_conn_next(struct room_conn *conn, struct room_reply *reply, struct collide_error *error)
{
	size_t header_bytes, count = bytes_count(&conn->input);
	uint32_t body_bytes;
	const uint8_t *bytes = conn->input.memory + conn->input.start;
	error->code = COLLIDE_OK;
	if (count == 0)
		return false;
	switch (frame_header_read(bytes, count, CORE_MESSAGE_BYTES_MAX, &header_bytes, &body_bytes)) {
	case FRAME_SHORT: return false;
	case FRAME_MALFORMED: return conn_malformed(error, "a message's length is not a varint");
	case FRAME_TOO_LARGE: return conn_malformed(error, "a message is longer than any may be");
	case FRAME_OK: break;
	}
	if (count - header_bytes < body_bytes)
		return false;
	if (!room_reply_read(bytes + header_bytes, body_bytes, reply))
		return conn_malformed(error, "a message cannot be read");
	/* The bytes stay in place until more are received. */
	bytes_consume(&conn->input, header_bytes + body_bytes);
	return true;
}
