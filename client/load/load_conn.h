/* load_conn: one connection of a load: its socket, its bytes, and the requests in flight on it. One thread at a time. */
#ifndef COLLIDE_LOAD_LOAD_CONN_H
#define COLLIDE_LOAD_LOAD_CONN_H

#include "client/load/load_reply.h"
#include "client/load/prepared.h"

/* A request in flight. */
struct flight {
	uint64_t request_id; /* 0: this place is free */
	int64_t intended_ns, sent_ns;
	size_t scene;
};

struct load_conn {
	struct collide_client *client; /* it made the connection, and is not used for requests */
	int descriptor;
	bool writing; /* epoll waits until the socket takes more */
	bool broken;  /* it takes nothing more; what can still be read says why */
	struct bytes input, output;
	uint64_t bytes_sent, bytes_received;

	struct flight *flights; /* `pipeline` places */
	uint64_t *free_places;  /* a stack: pipeline - under_way of them */
	uint64_t pipeline, under_way, serial;
	int64_t room_since_ns; /* when it last stopped being full */

	/* Of the load. */
	uint64_t released, taken; /* open model: starts due so far, and requests sent */
	int64_t retry_ns;         /* closed model: nothing is sent before this, after a refusal */
};

/* Connects, and receives the Welcome. false: *error says why. The caller finishes it in any case. */
bool load_conn_open(struct load_conn *conn, const char *address, uint64_t pipeline, const struct collide_options *options,
                    struct collide_error *error);
void load_conn_finish(struct load_conn *conn);

/* Puts a request into the output; there must be room (under_way < pipeline). false: no memory. */
bool load_conn_ask(struct load_conn *conn, const struct prepared *prepared, const struct flight *flight);
/* Sends as much as the socket takes. */
bool load_conn_flush(struct load_conn *conn, struct collide_error *error);
/* Receives once what is there. */
bool load_conn_receive(struct load_conn *conn, struct collide_error *error);

enum load_conn_result { CONN_MESSAGE, CONN_MORE, CONN_FAULT };
/* The next whole message. CONN_MORE: more must be received first. CONN_FAULT: *error; nothing follows. *flight is the request
 * that it belongs to; a final reply frees its place. What *reply points to is valid until the next call. */
enum load_conn_result load_conn_next(struct load_conn *conn, struct load_reply *reply, struct flight *flight, int64_t now_ns,
                                     struct collide_error *error);

#endif
