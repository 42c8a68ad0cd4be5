/* snapshot_parts: a world's snapshot on its way out, part by part.
 *
 * One thread at a time. Owns a copy of the snapshot until its last part is out. */
#ifndef COLLIDED_SCENE_RUN_SNAPSHOT_PARTS_H
#define COLLIDED_SCENE_RUN_SNAPSHOT_PARTS_H

#include "physics/physics.h"
#include "wire/wire.h"

struct snapshot_parts {
	uint8_t *bytes; /* NULL: nothing is on its way */
	size_t size, sent;
	uint64_t tick;
};

/* Takes a snapshot of the world as it is. STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status snapshot_parts_begin(struct snapshot_parts *parts, const struct world *world);
void snapshot_parts_finish(struct snapshot_parts *parts);
static inline size_t
snapshot_parts_memory_bytes(const struct snapshot_parts *parts)
{
	return !parts->bytes ? 0 : parts->size;
}

/* Appends the next part, of at most SCENE_SNAPSHOT_PART_BYTES (scene/limits.h) of data. After the last, nothing is on its way.
 */
void snapshot_parts_append(struct snapshot_parts *parts, uint64_t request_id, struct buffer *out);

#endif
