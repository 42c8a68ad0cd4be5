/* scripted_peer: the loop and its connections with real sockets, for tests: the loop in the test's thread, a scripted peer in
 * another. */
#ifndef COLLIDED_TESTS_NET_SCRIPTED_PEER_H
#define COLLIDED_TESTS_NET_SCRIPTED_PEER_H

#include "net/net.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { MANY_BYTES = 32 << 20, REASONS_MAX = 16 };

/* What the server did; loop thread only, read by the test once the loop has ended. */
struct server {
	struct net *net;
	struct conn *conn; /* the last one opened */
	size_t opened, closed, refused, ended, turns, ticks;
	_Atomic(uint64_t) stood_ns; /* told by on_stood; any thread */
	size_t received;
	size_t most_at_once;              /* reported to one on_sent */
	size_t waiting;                   /* bytes that conn_send left and on_sent has not reported */
	const char *reasons[REASONS_MAX]; /* of closes, in order */
	const char *refusal;
	bool order_broken; /* a handler was called after on_closed, or a turn inside conn_call_later */
	bool in_call;
	void (*on_bytes)(struct server *server, const uint8_t *bytes, size_t count);
	bool close_on_wake;
	size_t wakes;
	bool peer_is_done; /* the script ended: stop when no connection is left */
};

/* What the peer saw; its thread only, read by the test once it has ended. */
struct peer {
	pthread_t thread;
	struct server *server;
	unsigned port;
	void (*script)(struct peer *peer);
	size_t received;
	bool saw_end, saw_reset, content_wrong, failed;
	uint64_t pause_ns; /* the longest between two things that it did */
	char text[64];
};

/* What `play` gives to the loop. */
extern const struct net_handlers script_handlers;
/* Room for a few connections, and time for a slow machine. */
struct net_options default_options(void);
/* Runs loop and script to the end of both. */
void play(struct server *server, struct peer *peer, const struct net_options *options, void (*script)(struct peer *peer));

/* On the loop: sends so many bytes of the pattern, in two blocks. */
void send_pattern(struct server *server, size_t count);
/* An `on_bytes`: sends MANY_BYTES, once. */
void answer_many(struct server *server, const uint8_t *bytes, size_t count);

/* In scripts. A `receive_bytes` over 0 is the size of its kernel's buffer. */
int peer_connect(struct peer *peer, int receive_bytes);
void peer_send(struct peer *peer, int fd, const char *text);
/* As send: how many bytes were taken. */
ssize_t peer_put(int fd, const void *bytes, size_t count);
/* All of them; false: the stream has ended. */
bool peer_get(int fd, void *bytes, size_t count);
/* Until the end of the stream; content is checked against the pattern, and the beginning kept. */
void peer_read_all(struct peer *peer, int fd);

#endif
