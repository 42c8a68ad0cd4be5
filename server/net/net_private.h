/* net_private: the structures of the loop and its connections, shared by the files of this folder. Loop thread only. */
#ifndef COLLIDED_NET_NET_PRIVATE_H
#define COLLIDED_NET_NET_PRIVATE_H

#include "net/net.h"

#include <stdatomic.h>
#include <uv.h>

enum conn_state {
	CONN_OPEN,    /* the handlers' */
	CONN_CLOSING, /* writes what waits, then says so to the peer and waits for it a little */
	CONN_CLOSED,  /* uv_close was called */
};

/* Bytes that wait to be written, or the rest of it. */
struct queued_block {
	struct queued_block *next;
	struct shared_bytes *block;
	size_t offset; /* what is gone of it */
};

struct conn {
	uv_tcp_t tcp;
	struct net *net;
	struct conn *next, *previous;
	enum conn_state state;
	bool refused; /* was not let in, or gave its place up; does not count */
	bool counted; /* takes a place of the quota */
	void *context;
	const char *reason; /* of its close; NULL while open */
	char peer[NET_ADDRESS_BYTES];
	struct address_key key;

	bool peer_ended;         /* an end was read */
	uint64_t read_iteration; /* of the loop, in which it was last read from */
	bool later_asked;
	struct conn *next_later;

	/* What conn_send left waiting, and of the first in the queue the part that libuv has. */
	struct queued_block *queue_first, *queue_last;
	size_t held_bytes; /* that libuv does not have */
	uv_write_t write;
	size_t part_bytes;
	uint64_t queued_total; /* bytes ever given to the write queue */
	uint64_t tried_total;  /* bytes that the socket took past the queue */
	uint64_t acked_total;  /* bytes that the peer's kernel had acknowledged at the last tick with some waiting */
	uint64_t progress_ns;  /* of the tick at which these were last seen to rise, or of the first byte that entered the queue */

	uv_shutdown_t shutdown;
	bool shut; /* our end was said */
	uint64_t shut_ns;
};

/* Whether net_wake has to write: a loop that is awake looks by itself before it sleeps. */
enum net_wakefulness {
	NET_ASLEEP, /* or about to be: net_wake writes to wake_fd */
	NET_AWAKE,
	NET_CALLED, /* awake, or wake_fd has been written to */
};

struct net {
	struct net_options options;
	const struct net_handlers *handlers;
	void *context;

	uv_loop_t loop;
	uv_tcp_t listener;
	bool listening, loopback;
	bool accept_pending; /* a connection waits for memory to accept it with */
	char address[NET_ADDRESS_BYTES];
	unsigned port;

	/* Written to by net_wake. Not a uv_async_t: up to libuv 1.44 its loop spins while a thread is inside uv_async_send.
	 * That thread may have lost its core to the loop which it woke. */
	int wake_fd;
	uv_poll_t wake_poll;
	_Atomic(int) wakefulness; /* any thread: enum net_wakefulness */
	uv_timer_t tick;
	uint64_t tick_ns; /* when that was last, or was started */
	/* Rings when net_wake_after says; not a uv_timer_t, which counts whole milliseconds and is up to one of them late. */
	int later_fd;
	uv_poll_t later_poll;
	bool later_set;
	bool keeps_ticking; /* without connections too */
	uv_prepare_t before_poll;
	uv_idle_t later_calls; /* active while a connection is to be called later */
	uv_signal_t signals[4];
	size_t signal_count;

	uint64_t iteration;
	struct conn *conns;
	size_t conn_count; /* of the quota */
	size_t refused_count;
	struct conn *later_first, *later_last;
	uint8_t read_buffer[NET_READ_BYTES];
};

static inline uv_stream_t *
conn_stream(struct conn *conn)
{
	return (uv_stream_t *)&conn->tcp;
}

/* Each file may call those above it in this list. */

/* loop.c */
/* Something has woken the loop. */
void net_mark_awake(struct net *net);
/* The tick runs while there is something to watch. */
void net_update_tick(struct net *net);
/* The timer of net_wake_after has rung. */
void net_on_later(uv_poll_t *poll, int status, int events);
/* Drops a call that was asked for with conn_call_later. */
void conn_forget_later(struct conn *conn);

/* write_queue.c */
/* Bytes that conn_send left and that are not gone. */
size_t write_queue_waiting(const struct conn *conn);
/* Puts what is behind the offset at the end and takes the caller's hold; false without memory. */
bool write_queue_add(struct conn *conn, struct shared_bytes *block, size_t offset);
/* Bytes ever given to the kernel. */
uint64_t write_queue_given(const struct conn *conn);
/* Drops the first. */
void write_queue_pop(struct conn *conn);
/* Drops all of it; once the socket is closed. */
void write_queue_finish(struct conn *conn);

/* closing.c */
void conn_close_now(struct conn *conn, const char *reason);
/* The same with a reset, for a peer that does not read. */
void conn_break_off(struct conn *conn, const char *reason);
/* Once nothing waits any more: the end of what we say. */
void conn_say_end(struct conn *conn);

/* conn.c */
/* Memory for a connection, with its tcp initialised, in no list yet; NULL without memory. */
struct conn *conn_create(struct net *net);
/* Once accepted: counts it and hands it to the handlers. */
void conn_open(struct conn *conn);
/* Once accepted: tells it why not, and closes. */
void conn_refuse(struct conn *conn, const char *reason);
/* Gives up on one that could not be accepted. */
void conn_discard(struct conn *conn);
/* Before a tick: the process stood still for so long. */
void conn_on_stood(struct conn *conn, uint64_t stood_ns, uint64_t now_ns);
/* Every tick. */
void conn_on_tick(struct conn *conn, uint64_t now_ns);

/* listener.c */
void listener_retry(struct net *net);
/* Writes "address:port" of a socket's own end or of its peer's; false if it has none. */
bool address_format(const struct sockaddr_storage *address, char text[static NET_ADDRESS_BYTES], unsigned *port);

#endif
