#include "client/lib/socket.h"

#include "client/lib/failure.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

int64_t
clock_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A number from 1 to 65535, or the name of a service. getaddrinfo would take any number modulo 65536. */
static bool
port_is_good(const char *port)
{
	size_t digits = strspn(port, "0123456789");
	if (digits == 0)
		return true;
	return digits <= 5 && port[digits] == '\0' && strtol(port, NULL, 10) >= 1 && strtol(port, NULL, 10) <= 65535;
}

static bool
copy_span(char *to, size_t size, const char *from, size_t length, const char *if_empty)
{
	if (length == 0) {
		from = if_empty;
		length = strlen(if_empty);
	}
	if (length >= size)
		return false;
	memcpy(to, from, length);
	to[length] = '\0';
	return true;
}

bool
address_split(const char *address, char *host, size_t host_size, char *port, size_t port_size)
{
	const char *host_end, *rest;
	if (address[0] == '[') {
		address++;
		host_end = strchr(address, ']');
		if (!host_end || host_end == address)
			return false;
		rest = host_end + 1;
	} else {
		host_end = rest = address + strcspn(address, ":");
		if (rest[0] == ':' && strchr(rest + 1, ':'))
			return false; /* an IPv6 address without brackets: the beginning of its port is ambiguous */
	}
	if (rest[0] != '\0' && (rest[0] != ':' || rest[1] == '\0'))
		return false;
	const char *service = rest[0] == ':' ? rest + 1 : rest;
	return copy_span(host, host_size, address, (size_t)(host_end - address), "127.0.0.1") &&
	       copy_span(port, port_size, service, strlen(service), COLLIDE_PORT_DEFAULT) && port_is_good(port);
}

/* strerror is not thread-safe, and strerrordesc_np is not in POSIX; strerror_r of POSIX is both. */
static const char *
errno_text(int number, char *scratch, size_t size)
{
	if (strerror_r(number, scratch, size) != 0)
		return "unknown error";
	return scratch;
}

int
socket_failed(struct collide_error *error, const char *address, int number)
{
	char scratch[128];
	if (number == ETIMEDOUT)
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_DEADLINE_EXCEEDED, "CONNECT_TIMEOUT", "no answer from %s in time",
		            address);
	else
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONNECT_FAILED", "cannot connect to %s: %s", address,
		            errno_text(number, scratch, sizeof scratch));
	return -1;
}

static int
wait_until(int64_t deadline_ms)
{
	int64_t left = deadline_ms - clock_ms();
	return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

int
socket_begin(const struct addrinfo *endpoint)
{
	int descriptor = socket(endpoint->ai_family, endpoint->ai_socktype, endpoint->ai_protocol);
	if (descriptor < 0)
		return -errno;
	int number = 0;
	int one = 1;
	if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0 || fcntl(descriptor, F_SETFL, O_NONBLOCK) != 0)
		number = errno;
	/* Without this a ping would wait for the acknowledgement of earlier bytes. */
	else if (setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0)
		number = errno;
	else if (connect(descriptor, endpoint->ai_addr, endpoint->ai_addrlen) != 0 && errno != EINPROGRESS && errno != EINTR)
		number = errno;
	if (number == 0)
		return descriptor;
	close(descriptor);
	return -number;
}

int
socket_finish(int descriptor, int64_t deadline_ms)
{
	struct pollfd wanted = { .fd = descriptor, .events = POLLOUT };
	int ready;
	do
		ready = poll(&wanted, 1, wait_until(deadline_ms));
	while (ready < 0 && errno == EINTR);
	if (ready < 0)
		return errno;
	if (ready == 0)
		return ETIMEDOUT;
	int number = 0;
	socklen_t size = sizeof number;
	if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &number, &size) != 0)
		return errno;
	return number;
}

/* The descriptor, or the negative of an errno. */
static int
connect_one(const struct addrinfo *endpoint, int64_t deadline_ms)
{
	int descriptor = socket_begin(endpoint);
	if (descriptor < 0)
		return descriptor;
	int number = socket_finish(descriptor, deadline_ms);
	if (number == 0)
		return descriptor;
	close(descriptor);
	return -number;
}

bool
address_resolve(const char *address, struct addrinfo **endpoints, char *tried, size_t tried_size, struct collide_error *error)
{
	char host[256], port[32];
	if (!address_split(address, host, sizeof host, port, sizeof port))
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ADDRESS",
		                   "\"%.100s\" is not an address; try 127.0.0.1:7878 or [::1]:7878", address);
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	int problem = getaddrinfo(host, port, &hints, endpoints);
	if (problem != 0)
		return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "RESOLVE_FAILED", "cannot find %s: %s", address,
		                   gai_strerror(problem));
	snprintf(tried, tried_size, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
	return true;
}

int
socket_connect(const char *address, int64_t deadline_ms, struct collide_error *error)
{
	char tried[SOCKET_ADDRESS_BYTES];
	struct addrinfo *endpoints;
	if (!address_resolve(address, &endpoints, tried, sizeof tried, error))
		return -1;
	int descriptor = -ETIMEDOUT;
	for (const struct addrinfo *endpoint = endpoints; endpoint && descriptor < 0; endpoint = endpoint->ai_next)
		descriptor = connect_one(endpoint, deadline_ms);
	freeaddrinfo(endpoints);
	if (descriptor >= 0)
		return descriptor;
	return socket_failed(error, tried, -descriptor);
}

static int
connection_lost(struct collide_error *error, int number)
{
	char scratch[128];
	failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONNECTION_LOST", "the connection was lost: %s",
	            errno_text(number, scratch, sizeof scratch));
	return -1;
}

bool
socket_wait(int descriptor, bool for_write, int wait_ms, bool *readable, bool *writable, struct collide_error *error)
{
	struct pollfd wanted = { .fd = descriptor, .events = (short)(for_write ? POLLIN | POLLOUT : POLLIN) };
	*readable = *writable = false;
	if (poll(&wanted, 1, wait_ms) < 0) {
		if (errno == EINTR)
			return true; /* the caller checks its own clock and calls again */
		connection_lost(error, errno);
		return false;
	}
	*readable = (wanted.revents & (POLLIN | POLLHUP | POLLERR)) != 0;
	*writable = (wanted.revents & POLLOUT) != 0;
	return true;
}

ptrdiff_t
socket_send(int descriptor, const void *bytes, size_t count, struct collide_error *error)
{
	ssize_t moved = send(descriptor, bytes, count, MSG_NOSIGNAL);
	if (moved >= 0)
		return moved;
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return connection_lost(error, errno);
}

ptrdiff_t
socket_receive(int descriptor, void *bytes, size_t room, struct collide_error *error)
{
	ssize_t moved = recv(descriptor, bytes, room, 0);
	if (moved > 0)
		return moved;
	if (moved == 0) {
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONNECTION_CLOSED",
		            "the server closed the connection");
		return -1;
	}
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return connection_lost(error, errno);
}
