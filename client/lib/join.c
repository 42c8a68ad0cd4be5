#include "client/lib/join.h"

#include <stdlib.h>
#include <string.h>

void
join_finish(struct join *join)
{
	free(join->bytes);
	*join = (struct join){ 0 };
}

static bool
bytes_add(struct join *join, const ProtobufCBinaryData *data)
{
	if (data->len > join->capacity - join->count) {
		size_t twice = 2 * join->capacity, capacity = join->count + data->len;
		capacity = twice > capacity ? twice : capacity;
		uint8_t *grown = realloc(join->bytes, capacity);
		if (!grown)
			return false;
		join->bytes = grown;
		join->capacity = capacity;
	}
	memcpy(join->bytes + join->count, data->data, data->len);
	join->count += data->len;
	return true;
}

enum merge_result
join_add(struct join *join, const Collide__V1__Snapshot *part, size_t bytes_max)
{
	if (!join->partial) {
		join->count = 0;
		join->tick = part->tick;
		join->size = part->size;
	}
	if (part->tick != join->tick || part->size != join->size || part->data.len == 0 ||
	    part->data.len > join->size - join->count || part->more != (part->data.len < join->size - join->count))
		return MERGE_MALFORMED;
	if (join->size > bytes_max)
		return MERGE_TOO_LARGE;
	if (!bytes_add(join, &part->data))
		return MERGE_NO_MEMORY;
	join->partial = part->more;
	if (part->more)
		return MERGE_MORE;
	join->snapshot = (struct collide_snapshot){ .tick = join->tick, .bytes = join->bytes, .count = join->count };
	return MERGE_WHOLE;
}
