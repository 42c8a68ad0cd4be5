/* The blocks that wait to be written to a connection, oldest first, each from the byte on that is not yet gone. */
#include "net/net_private.h"

#include "base/shared_bytes.h"

#include <stdlib.h>

size_t
write_queue_waiting(const struct conn *conn)
{
	return conn->held_bytes + uv_stream_get_write_queue_size((const uv_stream_t *)&conn->tcp);
}

uint64_t
write_queue_given(const struct conn *conn)
{
	return conn->tried_total + conn->queued_total - write_queue_waiting(conn);
}

bool
write_queue_add(struct conn *conn, struct shared_bytes *block, size_t offset)
{
	struct queued_block *queued = malloc(sizeof *queued);
	if (!queued)
		return false;
	*queued = (struct queued_block){ .block = block, .offset = offset };
	*(!conn->queue_first ? &conn->queue_first : &conn->queue_last->next) = queued;
	conn->queue_last = queued;
	conn->held_bytes += block->count - offset;
	conn->queued_total += block->count - offset;
	return true;
}

void
write_queue_pop(struct conn *conn)
{
	struct queued_block *queued = conn->queue_first;
	conn->queue_first = queued->next;
	conn->queue_last = !conn->queue_first ? NULL : conn->queue_last;
	shared_bytes_release(queued->block);
	free(queued);
}

void
write_queue_finish(struct conn *conn)
{
	while (conn->queue_first)
		write_queue_pop(conn);
}
