/* load_conn: one connection of a load: its socket, its bytes, and the requests under way on it. One thread at a time. */
#ifndef COLLIDE_LOAD_LOAD_CONN_H
#define COLLIDE_LOAD_LOAD_CONN_H

#include "client/load/load_reply.h"
#include "client/load/prepared.h"

/* A request under way. */
struct flight {
	uint64_t request_id; /* 0: this place is free */
	int64_t intended_ns, sent_ns;
	size_t scene;
};

struct load_conn {
	struct collide_client *client; /* made the connection; not used for requests */
	int descriptor;
	bool writing; /* somebody waits until the socket takes more */
	bool broken;  /* it takes nothing any more: what can still be read says why */
	struct bytes input, output;
	uint64_t bytes_sent, bytes_received;

	struct flight *flights; /* `pipeline` places */
	uint64_t *free_places;  /* a stack: pipeline - under_way of them */
	uint64_t pipeline, under_way, serial;
	int64_t room_since_ns; /* when it last stopped being full */

	/* Of the load. */
	uint64_t released, taken; /* open model: turns due so far, and turns sent */
	int64_t retry_ns;         /* closed model: after a refusal, nothing is sent before */
};

/* Connects, and is welcomed. false: *error says why; the caller finishes it in any case. */
bool load_conn_open(struct load_conn *conn, const char *address, uint64_t pipeline, const struct collide_options *options,
                    struct collide_error *error);
void load_conn_finish(struct load_conn *conn);

/* Puts a request into the output; there must be room (under_way < pipeline). false: no memory. */
bool load_conn_ask(struct load_conn *conn, const struct prepared *prepared, const struct flight *flight);
/* Sends what the socket takes. */
bool load_conn_flush(struct load_conn *conn, struct collide_error *error);
/* Receives what is there, once. */
bool load_conn_receive(struct load_conn *conn, struct collide_error *error);

enum load_conn_result { CONN_MESSAGE, CONN_MORE, CONN_FAULT };
/* The next whole message. CONN_MORE: not before more was received; CONN_FAULT: *error, there will be none. *flight is that
 * which it belongs to; a final reply frees its place. What *reply points to is valid until the next call. */
enum load_conn_result load_conn_next(struct load_conn *conn, struct load_reply *reply, struct flight *flight, int64_t now_ns,
                                     struct collide_error *error);

#endif
