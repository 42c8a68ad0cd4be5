/* net: the loop: a listener, its connections, a tick, signals, and a wake from other threads. Moves bytes, knows no protocol.
 *
 * All on the loop thread, except net_wake. Owns the sockets; the context of a connection is the handlers', from on_open
 * until on_closed has returned. No function here calls a handler before it returns, except net_run: handlers may call
 * anything here from anywhere.
 *
 * What can go wrong: a peer resets (on_closed, PEER_RESET); it does not read (WRITE_STALLED, WRITE_QUEUE_FULL); there are
 * too many (make_room, else on_refused: CONNECTIONS_MAX, CONNECTIONS_PER_ADDRESS). Nothing here waits for a peer. */
#ifndef COLLIDED_NET_NET_H
#define COLLIDED_NET_NET_H

#include "base/status.h"
#include "net/limits.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct net;
struct shared_bytes;
struct conn;

/* What counts as one peer: an IPv4 address, or the /64 that an IPv6 host may choose from. */
struct address_key {
	uint8_t bytes[8];
	bool is_ipv6;
};

struct net_options {
	unsigned connections_max;
	unsigned connections_per_address_max; /* an IPv4 address or an IPv6 /64; 0: no cap */
	uint64_t write_queue_bytes_max;       /* of one connection; over it: WRITE_QUEUE_FULL */
	uint32_t write_timeout_ms; /* without a byte that the peer acknowledges while some wait: WRITE_STALLED; 0: none */
};

struct net_handlers {
	/* A new connection, from `peer` ("127.0.0.1:40001"). Returns its context, or NULL if it cannot be served (NO_MEMORY). */
	void *(*on_open)(void *context, struct conn *conn, const char *peer);
	/* All places are taken, and one comes from this address. Ends another connection and gives its place up
	 * (conn_give_place_up), or returns false: the one that comes is refused. NULL: always. */
	bool (*make_room)(void *context, const struct address_key *key);
	/* A connection that was not let in. *bytes is what it is told, borrowed until the handler is called again; returns
	 * their number, 0 for nothing. */
	size_t (*on_refused)(void *context, const char *peer, const char *reason, const uint8_t **bytes);
	/* About one connection; with the context that on_open gave. */
	void (*on_bytes)(void *conn_context, const uint8_t *bytes, size_t count);
	void (*on_end)(void *conn_context);                        /* the peer will send no more */
	void (*on_sent)(void *conn_context, size_t count);         /* of those that conn_send left waiting */
	void (*on_later)(void *conn_context);                      /* after conn_call_later */
	void (*on_time)(void *conn_context);                       /* every NET_TICK_MS */
	void (*on_stood)(void *conn_context, uint64_t stood_ns);   /* before that: the process stood still so long, NET_STOOD_MS at
	                                                              least, which is to count for no time-out */
	void (*on_closed)(void *conn_context, const char *reason); /* the last one; the conn is gone */
	/* About the loop. */
	void (*on_wake)(void *context);
	void (*on_iteration)(void *context); /* of the loop, before it sleeps */
	void (*on_tick)(void *context);      /* every NET_TICK_MS while there are connections, or net_keep_ticking */
	void (*on_signal)(void *context, int number);
};

/* Lowers connections_max so far that NET_DESCRIPTORS_RESERVED descriptors remain, after raising the process's soft limit as
 * far as that is needed and allowed. */
unsigned net_connections_possible(unsigned connections_max);

/* Ignores SIGPIPE for the whole process. Copies the options, borrows the handlers. */
STATUS_MUST_USE enum status net_create(const struct net_options *options, const struct net_handlers *handlers, void *context,
                                       struct net **out);
/* Ends every connection without a word, on_closed included; for after net_run. */
void net_close_connections(struct net *net);
/* Closes everything, on_closed of every connection included. NULL is fine. */
void net_destroy(struct net *net);

/* Listens. `host` is an address or a name, `port` a number, "0" for any free one. On failure *error is a static text. */
STATUS_MUST_USE enum status net_listen(struct net *net, const char *host, const char *port, const char **error);
/* The address and port really listened on: "127.0.0.1:7878", "[::1]:7878". */
const char *net_address(const struct net *net);
/* Whether only this machine reaches it. */
bool net_is_loopback(const struct net *net);
unsigned net_port(const struct net *net);
void net_stop_listening(struct net *net);
/* For connections that come from now on. */
void net_set_connections_per_address(struct net *net, unsigned connections_per_address_max);
/* on_signal is called for it. */
STATUS_MUST_USE enum status net_handle_signal(struct net *net, int number);

/* Until net_stop. */
void net_run(struct net *net);
void net_stop(struct net *net);
/* Any thread: on_wake is called soon; several wakes may become one. */
void net_wake(struct net *net);

/* On the loop: on_wake is called after so long, more than 0; the first call counts until then. */
void net_wake_after(struct net *net, uint64_t ns);
/* Whether on_tick is called without connections too. */
void net_keep_ticking(struct net *net, bool keep);

size_t net_connection_count(const struct net *net);
/* Of every connection that is not closing. */
void net_for_each(struct net *net, void (*visit)(void *conn_context));

/* Sends the bytes of up to NET_BLOCKS_MAX blocks, one after the other, and takes a hold on each of the caller's. Tries to write
 * at once; returns how many bytes could not be and wait. */
size_t conn_send(struct conn *conn, struct shared_bytes *const *blocks, size_t count);
struct address_key conn_address_key(const struct conn *conn);
/* Of "127.0.0.1" or "2001:db8::1"; false: it is no address. */
bool address_key_parse(const char *text, struct address_key *key);
bool address_key_equal(const struct address_key *a, const struct address_key *b);
/* Stops or goes on calling on_bytes and on_end. */
void conn_set_reading(struct conn *conn, bool reading);
/* on_later is called once, once the other connections have been served. */
void conn_call_later(struct conn *conn);
/* No handler but on_closed is called any more. `flush`: sends what waits first, within write_timeout_ms. The first reason
 * counts; it must be static. */
void conn_close(struct conn *conn, const char *reason, bool flush);
/* Of one that is closing: it counts no more, and another may come. From then on it has what a refused connection has: a
 * reserved descriptor and a little time, or no time if too many have it. */
void conn_give_place_up(struct conn *conn);

#endif
