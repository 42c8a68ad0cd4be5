/* What goes out of a connection: at once what the socket takes, the rest in a queue of its own.
 *
 * No write is longer than NET_WRITE_BYTES, and from the queue one goes out in each turn of the loop: a frame of megabytes is
 * copied into the socket piece by piece, and whoever else has something to say has it said in between. */
#include "net/net_private.h"

#include "base/clock.h"

#include <stdlib.h>

/* Bytes of one conn_send that wait. */
struct run {
	struct run *next;
	uint8_t *bytes;
	size_t offset, count; /* gone, and in all */
};

static void on_written(uv_write_t *write, int status);

size_t
sending_waiting(const struct conn *conn)
{
	return conn->held_bytes + uv_stream_get_write_queue_size((const uv_stream_t *)&conn->tcp);
}

/* Gives the next part of the first run to libuv, which has none. */
static void
sending_go_on(struct conn *conn)
{
	const struct run *run = conn->run_first;
	size_t left = run->count - run->offset;
	conn->part_bytes = left < NET_WRITE_BYTES ? left : NET_WRITE_BYTES;
	conn->held_bytes -= conn->part_bytes;
	uv_buf_t buffer = uv_buf_init((char *)run->bytes + run->offset, (unsigned)conn->part_bytes);
	if (uv_write(&conn->write, conn_stream(conn), &buffer, 1, on_written) != 0) {
		conn_close_now(conn, "NO_MEMORY");
	}
}

static void
run_finish(struct conn *conn)
{
	struct run *run = conn->run_first;
	conn->run_first = run->next;
	conn->run_last = conn->run_first == NULL ? NULL : conn->run_last;
	free(run->bytes);
	free(run);
}

static void
on_written(uv_write_t *write, int status)
{
	struct conn *conn = write->data;
	size_t count = conn->part_bytes;
	conn->run_first->offset += count;
	if (conn->run_first->offset == conn->run_first->count) {
		run_finish(conn);
	}
	if (status != 0) {
		conn_close_now(conn, "PEER_RESET");
	} else if (conn->run_first != NULL && conn->state != CONN_CLOSED) {
		sending_go_on(conn);
	} else if (conn->state == CONN_CLOSING) {
		conn_say_end(conn);
	}
	if (conn->state == CONN_OPEN) {
		conn->net->handlers->on_sent(conn->context, count);
	}
}

/* Queues bytes[offset..count); takes the bytes on success. */
static bool
conn_queue(struct conn *conn, uint8_t *bytes, size_t offset, size_t count)
{
	struct run *run = malloc(sizeof *run);
	if (run == NULL) {
		return false;
	}
	*run = (struct run){ .bytes = bytes, .offset = offset, .count = count };
	bool first = conn->run_first == NULL;
	*(first ? &conn->run_first : &conn->run_last->next) = run;
	conn->run_last = run;
	conn->held_bytes += count - offset;
	conn->queued_total += count - offset;
	if (first) {
		conn->progress_ns = clock_now_ns();
		conn->write.data = conn;
		sending_go_on(conn);
	}
	return true;
}

size_t
conn_send(struct conn *conn, uint8_t *bytes, size_t count)
{
	size_t written = 0;
	size_t waiting = sending_waiting(conn);
	if (conn->state != CONN_OPEN || count == 0) {
		free(bytes);
		return 0;
	}
	if (conn->run_first == NULL) {
		uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)(count < NET_WRITE_BYTES ? count : NET_WRITE_BYTES));
		int result = uv_try_write(conn_stream(conn), &buffer, 1);
		written = result > 0 ? (size_t)result : 0;
		if (result < 0 && result != UV_EAGAIN) {
			conn_close_now(conn, "PEER_RESET");
		}
	}
	if (written == count || conn->state != CONN_OPEN) {
		free(bytes);
		return 0;
	}
	bool too_much = waiting + (count - written) > conn->net->options.write_queue_bytes_max;
	if (too_much || !conn_queue(conn, bytes, written, count)) {
		free(bytes);
		conn_close_now(conn, too_much ? "WRITE_QUEUE_FULL" : "NO_MEMORY");
		return 0;
	}
	return count - written;
}

void
sending_finish(struct conn *conn)
{
	while (conn->run_first != NULL) {
		run_finish(conn);
	}
}
