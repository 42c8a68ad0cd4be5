#include "client/load/conn_bytes.h"

#include "client/lib/core.h"
#include "client/lib/failure.h"
#include "client/lib/socket.h"

bool
conn_bytes_send(int descriptor, struct bytes *output, uint64_t *sent, struct collide_error *error)
{
	while (bytes_count(output) > 0) {
		const ptrdiff_t moved = socket_send(descriptor, output->memory + output->start, bytes_count(output), error);
		if (moved < 0)
			return false;
		if (moved == 0)
			break;
		bytes_consume(output, (size_t)moved);
		*sent += (uint64_t)moved;
	}
	return true;
}

bool
conn_bytes_receive(int descriptor, struct bytes *input, uint64_t *received, bool *more, struct collide_error *error)
{
	uint8_t *to = bytes_reserve(input, CORE_RECEIVE_BYTES);
	if (!to)
		return failure_memory(error);
	const size_t room = input->capacity - input->end;
	const ptrdiff_t moved = socket_receive(descriptor, to, room, error);
	if (moved < 0)
		return false;
	bytes_commit(input, (size_t)moved);
	*received += (uint64_t)moved;
	*more = (size_t)moved == room;
	return true;
}

bool
conn_malformed(struct collide_error *error, const char *what)
{
	return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY",
	                   "the other end does not speak collide.v1: %s", what);
}
