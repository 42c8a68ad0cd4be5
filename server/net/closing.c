/* The end of a connection: at once, or once our side has said its last byte. */
#include "net/net_private.h"

#include "base/clock.h"

#include <stdlib.h>

static void
conn_unlink(struct conn *conn)
{
	struct net *net = conn->net;
	if (conn->previous)
		conn->previous->next = conn->next;
	else
		net->conns = conn->next;
	if (conn->next)
		conn->next->previous = conn->previous;
}

static void
on_closed(uv_handle_t *handle)
{
	struct conn *conn = handle->data;
	struct net *net = conn->net;
	conn_forget_later(conn);
	write_queue_finish(conn);
	conn_unlink(conn);
	net->conn_count -= conn->counted ? 1 : 0;
	net->refused_count -= conn->refused ? 1 : 0;
	net_update_tick(net);
	if (conn->context)
		net->handlers->on_closed(conn->context, conn->reason);
	free(conn);
}

void
conn_close_now(struct conn *conn, const char *reason)
{
	if (conn->state == CONN_CLOSED)
		return;
	conn->reason = !conn->reason ? reason : conn->reason;
	conn->state = CONN_CLOSED;
	uv_close((uv_handle_t *)&conn->tcp, on_closed);
}

static void
on_shutdown(uv_shutdown_t *request, int status)
{
	struct conn *conn = request->data;
	if (status != 0 || conn->peer_ended) {
		conn_close_now(conn, "PEER_RESET");
		return;
	}
	conn->shut = true;
	conn->shut_ns = clock_now_ns();
}

/* What our kernel still holds for the peer is dropped too: else it would keep that, and try, for minutes. */
void
conn_break_off(struct conn *conn, const char *reason)
{
	if (conn->state == CONN_CLOSED)
		return;
	conn->reason = !conn->reason ? reason : conn->reason;
	if (uv_tcp_close_reset(&conn->tcp, on_closed) == 0)
		conn->state = CONN_CLOSED;
	else
		conn_close_now(conn, reason); /* our end has been said already */
}

void
conn_say_end(struct conn *conn)
{
	if (uv_shutdown(&conn->shutdown, conn_stream(conn), on_shutdown) != 0)
		conn_close_now(conn, conn->reason);
}
