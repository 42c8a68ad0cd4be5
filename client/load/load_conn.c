#include "client/load/load_conn.h"

#include "client/lib/core.h"
#include "client/lib/failure.h"
#include "client/load/conn_bytes.h"
#include "proto/frame.h"

#include <stdlib.h>

bool
load_conn_open(struct load_conn *conn, const char *address, uint64_t pipeline, const struct collide_options *options,
               struct collide_error *error)
{
	*conn = (struct load_conn){ .pipeline = pipeline, .descriptor = -1 };
	conn->flights = calloc(pipeline, sizeof *conn->flights);
	conn->free_places = calloc(pipeline, sizeof *conn->free_places);
	if (!conn->flights || !conn->free_places)
		return failure_memory(error);
	for (uint64_t i = 0; i < pipeline; i++)
		conn->free_places[i] = pipeline - 1 - i;
	conn->client = collide_connect(address, options, error);
	if (!conn->client)
		return false;
	conn->descriptor = collide_client_descriptor(conn->client);
	uint32_t most = collide_client_welcome(conn->client)->limits.requests_in_flight_max;
	if (most > 0 && pipeline > most)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ARGUMENT",
		                   "--pipeline: this daemon takes at most %u requests at a time from one connection", most);
	return true;
}

void
load_conn_finish(struct load_conn *conn)
{
	collide_close(conn->client);
	bytes_finish(&conn->input);
	bytes_finish(&conn->output);
	free(conn->flights);
	free(conn->free_places);
	*conn = (struct load_conn){ .descriptor = -1 };
}

bool
load_conn_ask(struct load_conn *conn, const struct prepared *prepared, const struct flight *flight)
{
	/* The id gives the flight's place; the serial number makes it unique. */
	uint64_t place = conn->free_places[conn->pipeline - conn->under_way - 1];
	uint64_t request_id = conn->serial * conn->pipeline + place + 1;
	if (!prepared_append(prepared, request_id, &conn->output))
		return false;
	conn->serial++;
	conn->flights[place] = *flight;
	conn->flights[place].request_id = request_id;
	conn->under_way++;
	return true;
}

bool
load_conn_flush(struct load_conn *conn, struct collide_error *error)
{
	return conn_bytes_send(conn->descriptor, &conn->output, &conn->bytes_sent, error);
}

bool
load_conn_receive(struct load_conn *conn, struct collide_error *error)
{
	bool more;
	return conn_bytes_receive(conn->descriptor, &conn->input, &conn->bytes_received, &more, error);
}

static enum load_conn_result
malformed(struct collide_error *error, const char *what)
{
	(void)conn_malformed(error, what);
	return CONN_FAULT;
}

/* Finds the reply's flight; a final reply frees its place. */
static bool
flight_take(struct load_conn *conn, const struct load_reply *reply, struct flight *flight, int64_t now_ns)
{
	uint64_t place = (reply->request_id - 1) % conn->pipeline;
	if (reply->request_id == 0 || conn->flights[place].request_id != reply->request_id)
		return false;
	*flight = conn->flights[place];
	if (reply->kind == REPLY_PART || reply->kind == REPLY_FRAME)
		return true;
	if (conn->under_way == conn->pipeline)
		conn->room_since_ns = now_ns;
	conn->flights[place].request_id = 0;
	conn->under_way--;
	conn->free_places[conn->pipeline - conn->under_way - 1] = place;
	return true;
}

enum load_conn_result
load_conn_next(struct load_conn *conn, struct load_reply *reply, struct flight *flight, int64_t now_ns,
               struct collide_error *error)
{
	size_t header_bytes, count = bytes_count(&conn->input);
	uint32_t body_bytes;
	const uint8_t *bytes = conn->input.memory + conn->input.start;
	if (count == 0)
		return CONN_MORE;
	switch (frame_header_read(bytes, count, CORE_MESSAGE_BYTES_MAX, &header_bytes, &body_bytes)) {
	case FRAME_SHORT: return CONN_MORE;
	case FRAME_MALFORMED: return malformed(error, "a message's length is not a varint");
	case FRAME_TOO_LARGE: return malformed(error, "a message is longer than any may be");
	case FRAME_OK: break;
	}
	if (count - header_bytes < body_bytes)
		return CONN_MORE;
	if (!load_reply_read(bytes + header_bytes, body_bytes, reply))
		return malformed(error, "a message cannot be read");
	/* The bytes stay in place until more are received. */
	bytes_consume(&conn->input, header_bytes + body_bytes);
	if (flight_take(conn, reply, flight, now_ns))
		return CONN_MESSAGE;
	/* An error that belongs to no request ends the conversation, and says why. */
	if (reply->request_id != 0 || reply->kind != REPLY_ERROR || !load_reply_error(reply, error))
		return malformed(error, "a reply to no request");
	return CONN_FAULT;
}
