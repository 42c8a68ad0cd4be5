#include "client/load/floor/floor_conn.h"

#include "base/shared_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

/* epoll's event has the connection's address; the server's own descriptors have small numbers there. */
static void
watch(struct floor_conn *conn, int operation)
{
	struct epoll_event event = { .events = (conn->reading ? EPOLLIN : 0u) | (conn->writing ? EPOLLOUT : 0u), .data.ptr = conn };
	if (epoll_ctl(conn->epoll, operation, conn->socket, &event) != 0)
		conn->over = true;
}

/* How many of the bytes the socket takes at once. */
static size_t
try_send(struct floor_conn *conn, struct iovec *parts, size_t count)
{
	const struct msghdr message = { .msg_iov = parts, .msg_iovlen = count };
	ssize_t sent = sendmsg(conn->socket, &message, MSG_NOSIGNAL);
	if (sent < 0 && errno != EAGAIN && errno != EINTR)
		conn->over = true;
	return sent > 0 ? (size_t)sent : 0;
}

/* ---- The session's host */

static size_t
host_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	struct floor_conn *conn = context;
	struct iovec parts[SESSION_BLOCKS_MAX];
	for (size_t i = 0; i < count; i++)
		parts[i] = (struct iovec){ .iov_base = (void *)(uintptr_t)blocks[i]->bytes, .iov_len = blocks[i]->count };
	size_t before = conn->waiting.count, taken = before == conn->gone && !conn->over ? try_send(conn, parts, count) : 0;
	for (size_t i = 0; i < count; i++) {
		size_t part = taken < blocks[i]->count ? taken : blocks[i]->count;
		taken -= part;
		if (part < blocks[i]->count && !conn->over)
			buffer_append(&conn->waiting, blocks[i]->bytes + part, blocks[i]->count - part);
		shared_bytes_release(blocks[i]);
	}
	conn->over = conn->over || conn->waiting.failed;
	if (!conn->over && !conn->writing && conn->waiting.count > conn->gone) {
		conn->writing = true;
		watch(conn, EPOLL_CTL_MOD);
	}
	return conn->waiting.count - before;
}

static void
host_set_reading(void *context, bool reading)
{
	struct floor_conn *conn = context;
	conn->reading = reading;
	watch(conn, EPOLL_CTL_MOD);
}

static enum status
host_submit(void *context, struct job *job, bool started)
{
	struct floor_jobs *jobs = ((struct floor_conn *)context)->jobs;
	(void)started;
	if (jobs->count == sizeof jobs->jobs / sizeof jobs->jobs[0])
		return STATUS_RESOURCE_EXHAUSTED;
	jobs->jobs[(jobs->first + jobs->count++) % (sizeof jobs->jobs / sizeof jobs->jobs[0])] = job;
	return STATUS_OK;
}

static void
host_call_later(void *context)
{
	((struct floor_conn *)context)->later = true;
}

static void
host_close(void *context, const char *reason, bool flush)
{
	struct floor_conn *conn = context;
	(void)reason;
	conn->ending = true;
	conn->over = conn->over || !flush || conn->waiting.count == conn->gone;
}

static const struct session_host HOST = {
	.send = host_send,
	.set_reading = host_set_reading,
	.submit = host_submit,
	.call_later = host_call_later,
	.close = host_close,
};

/* ---- The server's side */

struct floor_conn *
floor_conn_create(struct service *service, struct floor_jobs *jobs, int epoll, int socket)
{
	struct floor_conn *conn = calloc(1, sizeof *conn);
	if (!conn) {
		close(socket);
		return NULL;
	}
	*conn = (struct floor_conn){ .jobs = jobs, .socket = socket, .epoll = epoll, .reading = true };
	buffer_init(&conn->waiting);
	watch(conn, EPOLL_CTL_ADD);
	conn->session = session_create(service, NULL, &HOST, conn);
	if (!conn->session || conn->over) {
		floor_conn_destroy(conn);
		return NULL;
	}
	return conn;
}

void
floor_conn_destroy(struct floor_conn *conn)
{
	session_destroy(conn->session);
	buffer_finish(&conn->waiting);
	/* Closing does not do it while a process that was forked just now has the socket too. */
	(void)epoll_ctl(conn->epoll, EPOLL_CTL_DEL, conn->socket, NULL);
	close(conn->socket);
	free(conn);
}

void
floor_conn_readable(struct floor_conn *conn, uint8_t *room, size_t room_bytes)
{
	if (!conn->reading || conn->over || conn->ending)
		return;
	ssize_t got = recv(conn->socket, room, room_bytes, 0);
	if (got > 0)
		session_on_bytes(conn->session, room, (size_t)got);
	else if (got == 0 || (errno != EAGAIN && errno != EINTR))
		conn->over = true; /* a load's client that ends wants no more replies */
}

void
floor_conn_writable(struct floor_conn *conn)
{
	if (conn->over || conn->waiting.count == conn->gone)
		return;
	struct iovec rest = { .iov_base = conn->waiting.bytes + conn->gone, .iov_len = conn->waiting.count - conn->gone };
	size_t taken = try_send(conn, &rest, 1);
	conn->gone += taken;
	if (conn->gone == conn->waiting.count) {
		conn->waiting.count = conn->gone = 0;
		conn->writing = false;
		watch(conn, EPOLL_CTL_MOD);
		conn->over = conn->over || conn->ending;
	}
	if (taken > 0 && !conn->ending)
		session_on_sent(conn->session, taken);
}
