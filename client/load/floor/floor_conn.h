/* floor_conn: a connection of a floor's server: the session's host over a socket, without a loop of its own.
 *
 * The server's thread only. What the socket does not take at once waits in a buffer. A connection that is to end is marked, and
 * ended by the server when nothing runs in its session. */
#ifndef COLLIDE_LOAD_FLOOR_CONN_H
#define COLLIDE_LOAD_FLOOR_CONN_H

#include "base/buffer.h"
#include "base/job.h"
#include "session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Jobs of sessions that wait for the thread: a ring. */
struct floor_jobs {
	struct job *jobs[64];
	size_t first, count;
};

struct floor_conn {
	struct floor_conn *next; /* of the server */
	struct session *session;
	struct floor_jobs *jobs; /* of all the server's sessions */
	struct buffer waiting;   /* from `gone` on it is not sent yet */
	size_t gone;
	int socket, epoll;
	bool reading, writing; /* what epoll watches it for */
	bool later;            /* session_on_later is asked for */
	bool ending, over;     /* it ends once all has been sent; it has ended */
};

/* Takes the socket, which does not block. NULL: no memory, and the socket is closed. */
struct floor_conn *floor_conn_create(struct service *service, struct floor_jobs *jobs, int epoll, int socket);
/* With its session and socket. */
void floor_conn_destroy(struct floor_conn *conn);
/* What epoll says of it. */
void floor_conn_readable(struct floor_conn *conn, uint8_t *room, size_t room_bytes);
void floor_conn_writable(struct floor_conn *conn);

#endif
