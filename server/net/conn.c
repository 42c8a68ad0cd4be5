/* One connection: its bytes in both directions and its end.
 *
 *     OPEN --conn_close(flush)--> CLOSING: queue drains, FIN, wait for the peer's end --> CLOSED
 *       \--conn_close, reset, stall-------------------------------------------------------^ */
#include "net/net_private.h"

#include "base/clock.h"
#include "base/patience.h"

#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>

static void
conn_link(struct conn *conn)
{
	struct net *net = conn->net;
	conn->next = net->conns;
	conn->previous = NULL;
	if (net->conns)
		net->conns->previous = conn;
	net->conns = conn;
}

struct conn *
conn_create(struct net *net)
{
	struct conn *conn = calloc(1, sizeof *conn);
	if (!conn || uv_tcp_init(&net->loop, &conn->tcp) != 0) {
		free(conn);
		return NULL;
	}
	conn->net = net;
	conn->tcp.data = conn;
	return conn;
}

static void
on_discarded(uv_handle_t *handle)
{
	free(handle->data);
}

void
conn_discard(struct conn *conn)
{
	uv_close((uv_handle_t *)&conn->tcp, on_discarded);
}

/* One buffer serves all reads; a second one in the same iteration of the loop is put off to the next. */
static void
on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
	struct conn *conn = handle->data;
	struct net *net = conn->net;
	(void)suggested;
	bool was_read = conn->read_iteration == net->iteration;
	*out = uv_buf_init((char *)net->read_buffer, was_read ? 0 : NET_READ_BYTES);
}

static void
on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer)
{
	struct conn *conn = stream->data;
	if (count == UV_ENOBUFS || count == 0)
		return;
	conn->read_iteration = conn->net->iteration;
	net_mark_awake(conn->net);
	if (count > 0) {
		if (conn->state == CONN_OPEN)
			conn->net->handlers->on_bytes(conn->context, (const uint8_t *)buffer->base, (size_t)count);
		return;
	}
	if (count != UV_EOF) {
		conn_close_now(conn, "PEER_RESET");
		return;
	}
	conn->peer_ended = true;
	if (conn->state == CONN_OPEN)
		conn->net->handlers->on_end(conn->context);
	else if (conn->shut)
		conn_close_now(conn, conn->reason);
}

void
conn_set_reading(struct conn *conn, bool reading)
{
	if (conn->state != CONN_OPEN)
		return;
	if (!reading)
		uv_read_stop(conn_stream(conn));
	else if (!conn->peer_ended && uv_read_start(conn_stream(conn), on_alloc, on_read) != 0)
		conn_close_now(conn, "PEER_RESET");
}

/* Without this the kernel would take megabytes for a peer that does not read. Where it is not known, it takes them. */
static void
conn_limit_unsent(struct conn *conn)
{
	const int bytes = NET_UNSENT_BYTES;
	uv_os_fd_t fd = -1;
	if (uv_fileno((const uv_handle_t *)&conn->tcp, &fd) == 0)
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
}

/* Bytes that the peer's kernel has acknowledged of all that were given to ours. */
static uint64_t
conn_acked_total(const struct conn *conn)
{
	uint64_t given = write_queue_given(conn);
	uv_os_fd_t fd = -1;
	int unacked = 0;
	if (uv_fileno((const uv_handle_t *)&conn->tcp, &fd) != 0 || ioctl(fd, SIOCOUTQ, &unacked) != 0 || unacked < 0)
		return given;
	return (uint64_t)unacked < given ? given - (uint64_t)unacked : 0;
}

void
conn_open(struct conn *conn)
{
	struct net *net = conn->net;
	conn_link(conn);
	conn->counted = true;
	net->conn_count++;
	net_update_tick(net);
	uv_tcp_nodelay(&conn->tcp, 1);
	conn_limit_unsent(conn);
	uv_tcp_keepalive(&conn->tcp, 1, NET_KEEPALIVE_S);
	conn->context = net->handlers->on_open(net->context, conn, conn->peer);
	if (!conn->context) {
		conn_close_now(conn, "NO_MEMORY");
		return;
	}
	conn_set_reading(conn, true);
}

void
conn_refuse(struct conn *conn, const char *reason)
{
	struct net *net = conn->net;
	const uint8_t *bytes = NULL;
	conn_link(conn);
	conn->refused = true;
	net->refused_count++;
	net_update_tick(net);
	size_t count = net->handlers->on_refused(net->context, conn->peer, reason, &bytes);
	if (count > 0) {
		/* An error of a hundred bytes fits into an empty socket buffer; one that does not fit is not worth a queue. */
		uv_buf_t buffer = uv_buf_init((char *)(uintptr_t)bytes, (unsigned)count);
		(void)uv_try_write(conn_stream(conn), &buffer, 1);
	}
	conn_close(conn, reason, net->refused_count <= NET_REFUSED_MAX);
}

void
conn_close(struct conn *conn, const char *reason, bool flush)
{
	if (!flush || conn->state == CONN_CLOSED) {
		conn_close_now(conn, reason);
		return;
	}
	if (conn->state == CONN_CLOSING)
		return;
	conn->reason = reason;
	conn->state = CONN_CLOSING;
	conn->shutdown.data = conn;
	/* What still comes is read and thrown away: closing over unread bytes would send a reset that can overtake the reply. */
	if (!conn->peer_ended)
		(void)uv_read_start(conn_stream(conn), on_alloc, on_read);
	if (!conn->queue_first) /* else when the last of them is gone */
		conn_say_end(conn);
}

/* Bytes wait, and the peer has taken none for write_timeout_ms. What our kernel takes does not count: it takes much that the
 * peer never reads, and nothing for long while the peer reads slowly. */
static bool
conn_is_stalled(struct conn *conn, uint64_t now_ns)
{
	uint32_t timeout_ms = conn->net->options.write_timeout_ms;
	if (timeout_ms == 0 || write_queue_waiting(conn) == 0)
		return false;
	uint64_t acked = conn_acked_total(conn);
	if (acked != conn->acked_total) {
		conn->acked_total = acked;
		conn->progress_ns = now_ns;
	}
	return now_ns - conn->progress_ns >= timeout_ms * CLOCK_NS_PER_MS;
}

void
conn_give_place_up(struct conn *conn)
{
	struct net *net = conn->net;
	if (!conn->counted || conn->state == CONN_OPEN)
		return;
	conn->counted = false;
	net->conn_count--;
	conn->refused = true;
	if (++net->refused_count > NET_REFUSED_MAX)
		conn_close_now(conn, conn->reason);
}

void
conn_on_stood(struct conn *conn, uint64_t stood_ns, uint64_t now_ns)
{
	conn->progress_ns = patience_shift(conn->progress_ns, stood_ns, now_ns);
	conn->shut_ns = patience_shift(conn->shut_ns, stood_ns, now_ns);
	if (conn->state == CONN_OPEN)
		conn->net->handlers->on_stood(conn->context, stood_ns);
}

void
conn_on_tick(struct conn *conn, uint64_t now_ns)
{
	if (conn->state == CONN_CLOSED)
		return;
	if (conn_is_stalled(conn, now_ns)) {
		/* While closing, the reason is the one it closes for. */
		conn_break_off(conn, "WRITE_STALLED");
	} else if (conn->shut && now_ns - conn->shut_ns >= NET_LINGER_MS * CLOCK_NS_PER_MS) {
		conn_close_now(conn, conn->reason);
	} else if (conn->state == CONN_OPEN) {
		conn->net->handlers->on_time(conn->context);
	}
}
