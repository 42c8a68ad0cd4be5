#include "net/scripted_peer.h"

#include "net/pattern.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cmocka.h>

/* ---- the server's side */

/* The context of one connection. */
struct link {
	struct server *server;
	struct conn *conn;
};

static void *
on_open(void *context, struct conn *conn, const char *peer)
{
	struct server *server = context;
	struct link *link = malloc(sizeof *link);
	assert_non_null(link);
	*link = (struct link){ .server = server, .conn = conn };
	server->conn = conn;
	server->opened++;
	/* One that was reset before it was accepted has no address any more. */
	bool known = strncmp(peer, "127.0.0.1:", 10) == 0 || strcmp(peer, "unknown") == 0;
	server->order_broken = server->order_broken || !known;
	return link;
}

static size_t
on_refused(void *context, const char *peer, const char *reason, const uint8_t **bytes)
{
	static const uint8_t full[] = "full";
	struct server *server = context;
	(void)peer;
	server->refused++;
	server->refusal = reason;
	*bytes = full;
	return 4;
}

static void
on_bytes(void *context, const uint8_t *bytes, size_t count)
{
	struct server *server = ((struct link *)context)->server;
	server->received += count;
	if (server->on_bytes)
		server->on_bytes(server, bytes, count);
}

static void
close_when_sent(const struct link *link)
{
	if (link->server->ended > 0 && link->server->waiting == 0)
		conn_close(link->conn, "END", true);
}

static void
on_end(void *context)
{
	struct server *server = ((struct link *)context)->server;
	server->ended++;
	close_when_sent(context);
}

static void
on_sent(void *context, size_t count)
{
	struct server *server = ((struct link *)context)->server;
	server->order_broken = server->order_broken || count > server->waiting;
	server->most_at_once = count > server->most_at_once ? count : server->most_at_once;
	server->waiting -= count;
	close_when_sent(context);
}

static void
on_later(void *context)
{
	struct server *server = ((struct link *)context)->server;
	server->turns++;
	server->order_broken = server->order_broken || server->in_call;
}

static void
on_time(void *context)
{
	((struct link *)context)->server->ticks++;
}

static void
on_stood(void *context, uint64_t stood_ns)
{
	((struct link *)context)->server->stood_ns += stood_ns;
}

static void
stop_when_done(struct server *server)
{
	/* A peer that is quick may be done before it was accepted. */
	if (server->peer_is_done && server->opened > 0 && net_connection_count(server->net) == 0)
		net_stop(server->net);
}

static void
on_closed(void *context, const char *reason)
{
	struct server *server = ((struct link *)context)->server;
	if (server->closed < REASONS_MAX)
		server->reasons[server->closed] = reason;
	server->closed++;
	free(context);
	stop_when_done(server);
}

static void
on_wake(void *context)
{
	struct server *server = context;
	server->wakes++;
	server->peer_is_done = true;
	if (server->close_on_wake)
		conn_close(server->conn, "WOKEN", false);
	stop_when_done(server);
}

static void
on_tick(void *context)
{
	(void)context;
}

static void
on_iteration(void *context)
{
	(void)context;
}

static void
on_signal(void *context, int number)
{
	(void)context;
	(void)number;
}

const struct net_handlers script_handlers = {
	.on_open = on_open,
	.on_refused = on_refused,
	.on_bytes = on_bytes,
	.on_end = on_end,
	.on_sent = on_sent,
	.on_later = on_later,
	.on_time = on_time,
	.on_stood = on_stood,
	.on_closed = on_closed,
	.on_wake = on_wake,
	.on_tick = on_tick,
	.on_iteration = on_iteration,
	.on_signal = on_signal,
};

struct net_options
default_options(void)
{
	return (struct net_options){ .connections_max = 8, .write_queue_bytes_max = 2 * MANY_BYTES, .write_timeout_ms = 30000 };
}

/* ---- the peer's side */

int
peer_connect(struct peer *peer, int receive_bytes)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons((uint16_t)peer->port) };
	struct timeval patience = { .tv_sec = 600 };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
	if (receive_bytes > 0)
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
	peer->failed = connect(fd, (struct sockaddr *)&address, sizeof address) != 0 || peer->failed;
	return fd;
}

/* A pause of this process interrupts what a socket with a time limit does. */
ssize_t
peer_put(int fd, const void *bytes, size_t count)
{
	ssize_t sent;
	do
		sent = send(fd, bytes, count, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent;
}

bool
peer_get(int fd, void *bytes, size_t count)
{
	uint8_t *at = bytes;
	for (ssize_t got; count > 0; at += got, count -= (size_t)got) {
		do
			got = recv(fd, at, count, 0);
		while (got < 0 && errno == EINTR);
		if (got <= 0)
			return false;
	}
	return true;
}

void
peer_send(struct peer *peer, int fd, const char *text)
{
	peer->failed = peer_put(fd, text, strlen(text)) != (ssize_t)strlen(text) || peer->failed;
}

void
peer_read_all(struct peer *peer, int fd)
{
	static uint8_t bytes[65536];
	ssize_t count = 1;
	while (count > 0) {
		do
			count = recv(fd, bytes, sizeof bytes, 0);
		while (count < 0 && errno == EINTR);
		for (ssize_t i = 0; i < count; i++) {
			size_t at = peer->received + (size_t)i;
			peer->content_wrong = peer->content_wrong || bytes[i] != pattern(at);
			if (at + 1 < sizeof peer->text)
				peer->text[at] = (char)bytes[i];
		}
		peer->received += count > 0 ? (size_t)count : 0;
	}
	peer->saw_end = count == 0;
	peer->saw_reset = count < 0;
}

static void *
peer_main(void *context)
{
	struct peer *peer = context;
	peer->script(peer);
	net_wake(peer->server->net);
	return NULL;
}

void
play(struct server *server, struct peer *peer, const struct net_options *options, void (*script)(struct peer *peer))
{
	const char *error = "";
	assert_int_equal(net_create(options, &script_handlers, server, &server->net), STATUS_OK);
	assert_int_equal(net_listen(server->net, "127.0.0.1", "0", &error), STATUS_OK);
	*peer = (struct peer){ .server = server, .port = net_port(server->net), .script = script };
	assert_int_not_equal(peer->port, 0);
	assert_int_equal(pthread_create(&peer->thread, NULL, peer_main, peer), 0);
	net_run(server->net);
	assert_int_equal(pthread_join(peer->thread, NULL), 0);
	assert_int_equal(net_connection_count(server->net), 0);
	net_destroy(server->net);
	assert_false(peer->failed);
	assert_false(server->order_broken);
	assert_int_equal(server->opened, server->closed);
}

void
send_pattern(struct server *server, size_t count)
{
	struct shared_bytes *bodies[2];
	pattern_bodies(bodies, count);
	server->waiting += conn_send(server->conn, bodies, 2);
}

void
answer_many(struct server *server, const uint8_t *bytes, size_t count)
{
	(void)bytes;
	(void)count;
	send_pattern(server, MANY_BYTES);
	server->on_bytes = NULL;
}
