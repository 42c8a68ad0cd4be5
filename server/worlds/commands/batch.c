#include "worlds/commands/batch.h"

#include "base/memory.h"

#include <string.h>

struct batch *
batch_create(const struct post *post)
{
	struct batch *batch = memory_alloc(sizeof *batch + post->count);

	if (!batch)
		return NULL;
	*batch = (struct batch){
		.seat = post->batch.seat,
		.right = post->batch.right,
		.id_first = post->batch.id_first,
		.id_count = post->batch.id_count,
		.circles_max = post->batch.circles_max,
		.seat_next = post->batch.seat_next,
		.wants_outcome = post->batch.wants_outcome,
		.sequence = post->batch.sequence,
		.tick_asked = post->batch.tick,
		.arrived_ns = post->arrived_ns,
		.count = post->count,
	};
	memcpy(batch->bytes, post->bytes, post->count);
	return batch;
}

void
batch_destroy(struct batch *batch)
{
	memory_free(batch);
}

size_t
batch_bytes(const struct batch *batch)
{
	return sizeof *batch + batch->count + MEMORY_BLOCK_BYTES;
}

static uint32_t
bits_reverse(uint32_t bits)
{
	bits = (bits & 0x55555555u) << 1 | (bits >> 1 & 0x55555555u);
	bits = (bits & 0x33333333u) << 2 | (bits >> 2 & 0x33333333u);
	bits = (bits & 0x0f0f0f0fu) << 4 | (bits >> 4 & 0x0f0f0f0fu);
	bits = (bits & 0x00ff00ffu) << 8 | (bits >> 8 & 0x00ff00ffu);
	return bits << 16 | bits >> 16;
}

void
batch_tick_set(struct batch *batch, uint64_t tick)
{
	batch->tick = tick;
	batch->rank = bits_reverse(batch->seat + (uint32_t)tick);
}

bool
batch_is_before(const struct batch *batch, const struct batch *other)
{
	if (batch->tick != other->tick)
		return batch->tick < other->tick;
	if (batch->rank != other->rank)
		return batch->rank < other->rank;
	return batch->sequence < other->sequence;
}
