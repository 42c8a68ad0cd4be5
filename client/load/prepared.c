#include "client/load/prepared.h"

#include "client/lib/failure.h"
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

/* The tag of ClientMessage.request_id, a varint; the greatest length of the field with its tag. */
enum { TAG_REQUEST_ID = 1 << 3, ID_BYTES_MAX = 11 };

/* Where the message at `bytes` continues behind its length and its id; NULL: it does not begin that way. */
static const uint8_t *
rest_find(const uint8_t *bytes, size_t count)
{
	size_t header_bytes;
	uint32_t body_bytes;
	if (frame_header_read(bytes, count, UINT32_MAX, &header_bytes, &body_bytes) != FRAME_OK ||
	    header_bytes + body_bytes != count || body_bytes < 2 || bytes[header_bytes] != TAG_REQUEST_ID)
		return NULL;
	const uint8_t *at = bytes + header_bytes + 1, *end = bytes + count;
	while (at < end && *at >= 0x80)
		at++;
	return at < end ? at + 1 : NULL;
}

/* Copies what follows the id of the core's only request. */
static bool
rest_copy(const struct collide_core *core, struct prepared *out, struct collide_error *error)
{
	size_t count;
	const uint8_t *bytes = collide_core_output(core, &count), *rest = bytes ? rest_find(bytes, count) : NULL;
	if (!rest)
		return failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INTERNAL, "INTERNAL", "a request begins oddly");
	size_t rest_bytes = count - (size_t)(rest - bytes);
	uint8_t *copy = malloc(rest_bytes + 1);
	if (!copy)
		return failure_memory(error);
	memcpy(copy, rest, rest_bytes);
	*out = (struct prepared){ .rest = copy, .count = rest_bytes };
	return true;
}

bool
prepared_make(const struct collide_simulation *simulation, struct prepared *out, struct collide_error *error)
{
	struct collide_core *core = collide_core_create(NULL);
	if (!core)
		return failure_memory(error);
	bool made = collide_core_simulate(core, simulation, error) != 0 && rest_copy(core, out, error);
	collide_core_destroy(core);
	return made;
}

void
prepared_finish(struct prepared *prepared)
{
	free(prepared->rest);
	*prepared = (struct prepared){ 0 };
}

bool
prepared_append(const struct prepared *prepared, uint64_t request_id, struct bytes *to)
{
	uint8_t id[ID_BYTES_MAX], *end = id;
	*end++ = TAG_REQUEST_ID;
	for (; request_id >= 0x80; request_id >>= 7)
		*end++ = (uint8_t)(request_id | 0x80);
	*end++ = (uint8_t)request_id;
	size_t id_bytes = (size_t)(end - id);
	uint8_t *at = bytes_reserve(to, FRAME_HEADER_BYTES_MAX + id_bytes + prepared->count);
	if (!at)
		return false;
	size_t header_bytes = frame_header_write(at, (uint32_t)(id_bytes + prepared->count));
	memcpy(at + header_bytes, id, id_bytes);
	memcpy(at + header_bytes + id_bytes, prepared->rest, prepared->count);
	bytes_commit(to, header_bytes + id_bytes + prepared->count);
	return true;
}
