/* A channel over TCP: its endpoints are tried one after the other. */
#include "client/lib/failure.h"
#include "client/lib/socket.h"
#include "client/lib/worlds/channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct socket_transport {
	struct addrinfo *endpoints;
	const struct addrinfo *trying;
	char address[SOCKET_ADDRESS_BYTES];
	int descriptor; /* -1: none */
};

static void
socket_close(void *context)
{
	struct socket_transport *transport = context;
	if (transport->descriptor >= 0)
		close(transport->descriptor);
	transport->descriptor = -1;
}

static void
socket_destroy(void *context)
{
	struct socket_transport *transport = context;
	freeaddrinfo(transport->endpoints);
	free(transport);
}

/* Begins with the first endpoint from `trying` on that lets it. */
static bool
begin_next(struct socket_transport *transport, struct collide_error *error)
{
	int number = ETIMEDOUT;
	for (; transport->trying; transport->trying = transport->trying->ai_next) {
		int descriptor = socket_begin(transport->trying);
		if (descriptor >= 0) {
			transport->descriptor = descriptor;
			return true;
		}
		number = -descriptor;
	}
	socket_failed(error, transport->address, number);
	return false;
}

static bool
socket_open(void *context, struct collide_error *error)
{
	struct socket_transport *transport = context;
	transport->trying = transport->endpoints;
	return begin_next(transport, error);
}

static enum transport_state
socket_state(void *context, struct collide_error *error)
{
	struct socket_transport *transport = context;
	int number = socket_finish(transport->descriptor, 0);
	if (number == 0)
		return TRANSPORT_OPEN;
	if (number == ETIMEDOUT)
		return TRANSPORT_OPENING;
	socket_close(transport);
	/* After a move there are others. */
	transport->trying = transport->trying ? transport->trying->ai_next : NULL;
	if (transport->trying)
		return begin_next(transport, error) ? TRANSPORT_OPENING : TRANSPORT_FAILED;
	socket_failed(error, transport->address, number);
	return TRANSPORT_FAILED;
}

static bool
socket_move(void *context, const char *address, struct collide_error *error)
{
	struct socket_transport *transport = context;
	struct addrinfo *endpoints;
	char tried[SOCKET_ADDRESS_BYTES];
	if (!address_resolve(address, &endpoints, tried, sizeof tried, error))
		return false;
	freeaddrinfo(transport->endpoints);
	transport->endpoints = endpoints;
	transport->trying = NULL;
	memcpy(transport->address, tried, sizeof tried);
	return true;
}

static ptrdiff_t
socket_send_bytes(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	const struct socket_transport *transport = context;
	return socket_send(transport->descriptor, bytes, count, error);
}

static ptrdiff_t
socket_receive_bytes(void *context, void *bytes, size_t room, struct collide_error *error)
{
	const struct socket_transport *transport = context;
	return socket_receive(transport->descriptor, bytes, room, error);
}

static int
socket_descriptor(void *context)
{
	const struct socket_transport *transport = context;
	return transport->descriptor;
}

static int64_t
socket_now_ns(void *context)
{
	struct timespec now;
	(void)context;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct collide_channel *
collide_channel_create(const char *address, const struct collide_channel_options *options, struct collide_error *error)
{
	struct socket_transport *transport = calloc(1, sizeof *transport);
	if (!transport) {
		failure_memory(error);
		return NULL;
	}
	transport->descriptor = -1;
	if (!address_resolve(address, &transport->endpoints, transport->address, sizeof transport->address, error)) {
		free(transport);
		return NULL;
	}
	const struct channel_transport made = { .open = socket_open,
		                                    .state = socket_state,
		                                    .send = socket_send_bytes,
		                                    .receive = socket_receive_bytes,
		                                    .close = socket_close,
		                                    .move = socket_move,
		                                    .descriptor = socket_descriptor,
		                                    .now_ns = socket_now_ns,
		                                    .destroy = socket_destroy,
		                                    .context = transport };
	return channel_over(&made, options, error);
}

bool
collide_channel_wait(struct collide_channel *channel, int wait_ms, struct collide_error *error)
{
	int due_ms = collide_channel_wait_ms(channel);
	struct pollfd wanted = { .fd = collide_channel_descriptor(channel),
		                     .events = (short)(collide_channel_writes(channel) ? POLLIN | POLLOUT : POLLIN) };
	/* A signal ends the wait, as a time-out does: the caller looks at its own conditions and calls again. */
	if (poll(&wanted, 1, wait_ms < 0 || due_ms < wait_ms ? due_ms : wait_ms) < 0 && errno != EINTR)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "POLL_FAILED", "poll failed");
	return collide_channel_process(channel, error);
}
