/* What goes out of a connection: at once what the socket takes, the rest in a queue of its own.
 *
 * No write is longer than NET_WRITE_BYTES, and from the queue one goes out in each iteration of the loop. So a
 * frame of megabytes is copied into the socket piece by piece, and other connections are served in between. */
#include "net/net_private.h"

#include "base/check.h"
#include "base/clock.h"
#include "base/shared_bytes.h"

#include <string.h>

static void on_written(uv_write_t *write, int status);

/* libuv only reads them; memcpy of the pointer says so without a cast. */
static uv_buf_t
bytes_of(const struct shared_bytes *block, size_t offset, size_t count)
{
	char *base = NULL;
	const uint8_t *bytes = block->bytes + offset;
	memcpy(&base, &bytes, sizeof base);
	return uv_buf_init(base, (unsigned)count);
}

/* Gives the next part of the first run to libuv, which has none. */
static void
sending_go_on(struct conn *conn)
{
	const struct queued_block *queued = conn->queue_first;
	size_t left = queued->block->count - queued->offset;
	conn->part_bytes = left < NET_WRITE_BYTES ? left : NET_WRITE_BYTES;
	conn->held_bytes -= conn->part_bytes;
	uv_buf_t buffer = bytes_of(queued->block, queued->offset, conn->part_bytes);
	if (uv_write(&conn->write, conn_stream(conn), &buffer, 1, on_written) != 0)
		conn_close_now(conn, "NO_MEMORY");
}

static void
on_written(uv_write_t *write, int status)
{
	struct conn *conn = write->data;
	size_t count = conn->part_bytes;
	conn->queue_first->offset += count;
	if (conn->queue_first->offset == conn->queue_first->block->count)
		write_queue_pop(conn);
	if (status != 0)
		conn_close_now(conn, "PEER_RESET");
	else if (conn->queue_first && conn->state != CONN_CLOSED)
		sending_go_on(conn);
	else if (conn->state == CONN_CLOSING)
		conn_say_end(conn);
	if (conn->state == CONN_OPEN)
		conn->net->handlers->on_sent(conn->context, count);
}

/* Queues what is behind the offset; takes the hold on success. */
static bool
conn_queue(struct conn *conn, struct shared_bytes *block, size_t offset)
{
	bool first = !conn->queue_first;
	if (!write_queue_add(conn, block, offset))
		return false;
	if (first) {
		conn->progress_ns = clock_now_ns();
		conn->write.data = conn;
		sending_go_on(conn);
	}
	return true;
}

/* What the socket takes at once of all blocks, in bytes. */
static size_t
conn_try_write(struct conn *conn, struct shared_bytes *const *blocks, size_t count)
{
	uv_buf_t buffers[NET_BLOCKS_MAX];
	size_t room = NET_WRITE_BYTES;
	unsigned used = 0;
	for (size_t i = 0; i < count && room > 0; i++) {
		size_t part = blocks[i]->count < room ? blocks[i]->count : room;
		buffers[used++] = bytes_of(blocks[i], 0, part);
		room -= part;
	}
	int result = uv_try_write(conn_stream(conn), buffers, used);
	if (result < 0 && result != UV_EAGAIN)
		conn_close_now(conn, "PEER_RESET");
	conn->tried_total += result > 0 ? (size_t)result : 0;
	return result > 0 ? (size_t)result : 0;
}

/* Queues what is left of the blocks behind the first `written` bytes, and lets go of those that are gone. */
static bool
conn_queue_rest(struct conn *conn, struct shared_bytes *const *blocks, size_t count, size_t written)
{
	bool ok = true;
	for (size_t i = 0; i < count; i++) {
		size_t gone = written < blocks[i]->count ? written : blocks[i]->count;
		written -= gone;
		if (gone < blocks[i]->count && ok && conn->state == CONN_OPEN) {
			ok = conn_queue(conn, blocks[i], gone);
			if (ok)
				continue;
		}
		shared_bytes_release(blocks[i]);
	}
	return ok;
}

size_t
conn_send(struct conn *conn, struct shared_bytes *const *blocks, size_t count)
{
	size_t total = 0;
	size_t waiting = write_queue_waiting(conn);
	CHECK(count <= NET_BLOCKS_MAX);
	for (size_t i = 0; i < count; i++)
		total += blocks[i]->count;
	size_t written = total;
	if (conn->state == CONN_OPEN && total > 0)
		written = !conn->queue_first ? conn_try_write(conn, blocks, count) : 0;
	if (conn->state != CONN_OPEN) {
		written = total; /* nothing is sent, all holds are let go of */
	} else if (waiting + (total - written) > conn->net->options.write_queue_bytes_max && written < total) {
		conn_break_off(conn, "WRITE_QUEUE_FULL");
		written = total;
	}
	if (!conn_queue_rest(conn, blocks, count, written)) {
		conn_close_now(conn, "NO_MEMORY");
		return 0;
	}
	return total - written;
}
