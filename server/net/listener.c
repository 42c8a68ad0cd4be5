/* The listening socket: lets connections in, or refuses them, before anything is spent on them. */
#include "net/net_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool
address_format(const struct sockaddr_storage *address, char text[static NET_ADDRESS_BYTES], unsigned *port)
{
	char host[NET_ADDRESS_BYTES - 16];
	if (address->ss_family == AF_INET) {
		struct sockaddr_in in;
		memcpy(&in, address, sizeof in);
		*port = ntohs(in.sin_port);
		return uv_ip4_name(&in, host, sizeof host) == 0 && snprintf(text, NET_ADDRESS_BYTES, "%s:%u", host, *port) > 0;
	}
	if (address->ss_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, address, sizeof in6);
		*port = ntohs(in6.sin6_port);
		return uv_ip6_name(&in6, host, sizeof host) == 0 && snprintf(text, NET_ADDRESS_BYTES, "[%s]:%u", host, *port) > 0;
	}
	return false;
}

/* An IPv4 address stays itself when it comes over an IPv6 socket (::ffff:a.b.c.d). */
static struct address_key
address_key_of(const struct sockaddr_storage *address)
{
	struct address_key key = { .is_ipv6 = false };
	if (address->ss_family == AF_INET) {
		struct sockaddr_in in;
		memcpy(&in, address, sizeof in);
		memcpy(key.bytes, &in.sin_addr, 4);
	} else if (address->ss_family == AF_INET6) {
		struct sockaddr_in6 in6;
		memcpy(&in6, address, sizeof in6);
		key.is_ipv6 = !IN6_IS_ADDR_V4MAPPED(&in6.sin6_addr);
		memcpy(key.bytes, in6.sin6_addr.s6_addr + (key.is_ipv6 ? 0 : 12), key.is_ipv6 ? 8 : 4);
	}
	return key;
}

bool
address_key_parse(const char *text, struct address_key *key)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	if (uv_ip4_addr(text, 0, &in) == 0)
		memcpy(&address, &in, sizeof in);
	else if (uv_ip6_addr(text, 0, &in6) == 0)
		memcpy(&address, &in6, sizeof in6);
	else
		return false;
	*key = address_key_of(&address);
	return true;
}

struct address_key
conn_address_key(const struct conn *conn)
{
	return conn->key;
}

bool
address_key_equal(const struct address_key *a, const struct address_key *b)
{
	return a->is_ipv6 == b->is_ipv6 && memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static size_t
listener_count_address(const struct net *net, const struct address_key *key)
{
	size_t count = 0;
	for (const struct conn *conn = net->conns; conn; conn = conn->next)
		count += conn->counted && address_key_equal(&conn->key, key) ? 1 : 0;
	return count;
}

static void
conn_learn_peer(struct conn *conn)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	int count = sizeof address;
	unsigned port = 0;
	if (uv_tcp_getpeername(&conn->tcp, (struct sockaddr *)&address, &count) != 0 ||
	    !address_format(&address, conn->peer, &port))
		snprintf(conn->peer, sizeof conn->peer, "unknown");
	conn->key = address_key_of(&address);
}

static bool
listener_make_room(struct net *net, const struct address_key *key)
{
	const struct net_handlers *handlers = net->handlers;
	return handlers->make_room && handlers->make_room(net->context, key) && net->conn_count < net->options.connections_max;
}

/* Until its address is known, a connection uses one of the descriptors that are kept back. */
static void
listener_accept(struct net *net)
{
	const struct net_options *options = &net->options;
	const char *reason = NULL;
	struct conn *conn = conn_create(net);
	net->accept_pending = !conn;
	if (!conn) {
		net_update_tick(net);
		return;
	}
	if (uv_accept((uv_stream_t *)&net->listener, (uv_stream_t *)&conn->tcp) != 0) {
		conn_discard(conn);
		return;
	}
	conn_learn_peer(conn);
	if (net->conn_count >= options->connections_max && !listener_make_room(net, &conn->key))
		reason = "CONNECTIONS_MAX";
	if (!reason && options->connections_per_address_max != 0 &&
	    listener_count_address(net, &conn->key) >= options->connections_per_address_max)
		reason = "CONNECTIONS_PER_ADDRESS";
	if (reason)
		conn_refuse(conn, reason);
	else
		conn_open(conn);
}

static void
on_connection(uv_stream_t *stream, int status)
{
	struct net *net = stream->data;
	if (status == 0)
		listener_accept(net);
}

void
listener_retry(struct net *net)
{
	if (net->accept_pending && net->listening)
		listener_accept(net);
	net->accept_pending = net->accept_pending && net->listening;
}

/* Tries one address of those a name has. */
static int
listener_try(struct net *net, const struct sockaddr *address)
{
	int result = uv_tcp_init(&net->loop, &net->listener);
	if (result != 0)
		return result;
	net->listener.data = net;
	result = uv_tcp_bind(&net->listener, address, 0);
	if (result == 0)
		result = uv_listen((uv_stream_t *)&net->listener, NET_BACKLOG, on_connection);
	if (result != 0) {
		uv_close((uv_handle_t *)&net->listener, NULL);
		uv_run(&net->loop, UV_RUN_NOWAIT);
	}
	return result;
}

static bool
address_is_loopback(const struct sockaddr_storage *address)
{
	struct address_key key = address_key_of(address);
	struct sockaddr_in6 in6;
	if (!key.is_ipv6)
		return key.bytes[0] == 127;
	memcpy(&in6, address, sizeof in6);
	return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

static void
listener_learn_address(struct net *net)
{
	struct sockaddr_storage address = { .ss_family = AF_UNSPEC };
	int count = sizeof address;
	net->loopback = false;
	if (uv_tcp_getsockname(&net->listener, (struct sockaddr *)&address, &count) != 0 ||
	    !address_format(&address, net->address, &net->port))
		snprintf(net->address, sizeof net->address, "unknown");
	else
		net->loopback = address_is_loopback(&address);
}

enum status
net_listen(struct net *net, const char *host, const char *port, const char **error)
{
	uv_getaddrinfo_t request;
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE };
	int result = uv_getaddrinfo(&net->loop, &request, NULL, host, port, &hints);
	if (result != 0) {
		*error = uv_strerror(result);
		return STATUS_INVALID_ARGUMENT;
	}
	for (const struct addrinfo *at = request.addrinfo; at && !net->listening; at = at->ai_next) {
		result = listener_try(net, at->ai_addr);
		net->listening = result == 0;
	}
	uv_freeaddrinfo(request.addrinfo);
	if (!net->listening) {
		*error = uv_strerror(result);
		return STATUS_UNAVAILABLE;
	}
	listener_learn_address(net);
	return STATUS_OK;
}

void
net_set_connections_per_address(struct net *net, unsigned connections_per_address_max)
{
	net->options.connections_per_address_max = connections_per_address_max;
}

void
net_stop_listening(struct net *net)
{
	if (net->listening) {
		net->listening = false;
		uv_close((uv_handle_t *)&net->listener, NULL);
	}
}
