#include "scene/run/snapshot_parts.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "scene/limits.h"

enum status
snapshot_parts_begin(struct snapshot_parts *parts, const struct world *world)
{
	size_t size = world_snapshot_bytes(world);
	uint8_t *bytes = memory_alloc(size);

	CHECK(!parts->bytes);
	if (!bytes)
		return STATUS_RESOURCE_EXHAUSTED;

	enum status status = world_snapshot(world, bytes, size);

	CHECK(status == STATUS_OK || status == STATUS_CANCELLED); /* between two ticks, and of the size it asked for */
	if (status != STATUS_OK) {
		memory_free(bytes);
		return status;
	}
	*parts = (struct snapshot_parts){ .bytes = bytes, .size = size, .tick = world_tick(world) };
	return STATUS_OK;
}

void
snapshot_parts_finish(struct snapshot_parts *parts)
{
	memory_free(parts->bytes);
	*parts = (struct snapshot_parts){ .bytes = NULL };
}

void
snapshot_parts_append(struct snapshot_parts *parts, uint64_t request_id, struct buffer *out)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Snapshot snapshot = COLLIDE__V1__SNAPSHOT__INIT;
	size_t left = parts->size - parts->sent, count = left < SCENE_SNAPSHOT_PART_BYTES ? left : SCENE_SNAPSHOT_PART_BYTES;

	snapshot.tick = parts->tick;
	snapshot.size = parts->size;
	snapshot.more = count < left;
	snapshot.data = (ProtobufCBinaryData){ .len = count, .data = parts->bytes + parts->sent };
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT;
	message.snapshot = &snapshot;
	/* New pages take longer than the copy: they are written here, with questions (base/pause.h). */
	buffer_reserve(out, count);
	if (out->capacity - out->count >= count)
		(void)pause_fill(out->bytes + out->count, 0, count);
	wire_reply_append(out, &message);
	parts->sent += count;
	if (parts->sent == parts->size)
		snapshot_parts_finish(parts);
}
