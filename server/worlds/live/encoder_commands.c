/* STREAM_COMMANDS: an update's block, and a key: the state that a reader begins with. */
#include "physics/wall_map.h"
#include "worlds/live/applied.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

/* Bytes of a snapshot in one part of a key. */
#define KEY_PART_BYTES ((size_t)1 << 18)

/* What the coder has, as a field of a WorldUpdate. */
static void
coded_append(const struct encoder *encoder, struct buffer *out)
{
	Collide__V1__WorldUpdate update;

	if (encoder->coder.out.count == 0)
		return;
	collide__v1__world_update__init(&update);
	update.coded = (ProtobufCBinaryData){ .len = encoder->coder.out.count, .data = encoder->coder.out.bytes };

	uint8_t *at = buffer_extend(out, collide__v1__world_update__get_packed_size(&update));

	if (at)
		(void)collide__v1__world_update__pack(&update, at);
}

bool
encoder_commands_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	struct buffer bytes = { .count = 0 };

	if (!encoder_head_append(encoder, world, &bytes) || !batch_coder_end(&encoder->coder))
		return false;
	coded_append(encoder, &bytes);
	buffer_append(&bytes, encoder->batches.bytes, encoder->batches.count);
	return encoder_blocks_add(out, &bytes);
}

/* A part of the key: some of the state's bytes; with the last one batches, as fields of a WorldUpdate. */
static bool
key_part(const struct encoder *encoder, const struct live_world *world, struct buffer *state, size_t from, size_t count,
         const struct buffer *batches, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate head;
	Collide__V1__Key key;
	Collide__V1__Frame frame;
	struct buffer bytes = { .count = 0 };

	encoder_head(&head, encoder, world);
	collide__v1__key__init(&key);
	if (from == 0) {
		key.dt = world->policy.dt;
		key.clock = (Collide__V1__Clock)world->clock.kind;
		key.tick_hz = world->clock.hz;
		key.epoch = world->epoch;
	}
	key.snapshot = (ProtobufCBinaryData){ .len = count, .data = state->bytes + from };
	head.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	head.key = &key;
	collide__v1__frame__init(&frame);
	frame.more = from + count < state->count;
	head.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
	head.frame = &frame;

	uint8_t *at = buffer_extend(&bytes, collide__v1__world_update__get_packed_size(&head));

	if (at)
		(void)collide__v1__world_update__pack(&head, at);
	if (!frame.more)
		buffer_append(&bytes, batches->bytes, batches->count);
	return encoder_blocks_add(out, &bytes);
}

/* Batches after a tick, up to now. */
static bool
batches_append(const struct batch *batch, struct buffer *out)
{
	bool good = true;

	for (; good && batch; batch = batch->next) {
		struct buffer rows = { .count = 0 };
		Collide__V1__AppliedBatch message = applied_message(batch, &rows);

		if (!rows.failed)
			wire_field_append(out, APPLIED_FIELD, &message.base);
		good = !rows.failed && !out->failed;
		buffer_finish(&rows);
	}
	return good;
}

/* The state that a reader begins with: the present, or one that no late batch changes, and the batches since. */
static bool
begin_append(struct live_world *world, struct buffer *state, struct buffer *batches)
{
	const struct batch *since = NULL;
	uint64_t final = live_final_tick(world);
	const struct journal_state *kept = final < world->tick ? journal_find(&world->journal, world->tick, final, &since) : NULL;
	struct world_moment moment;

	if (!kept)
		return final == world->tick && world_state_append(world, true, state);
	if (!batches_append(since, batches) || !live_moment_restore(world, kept, &moment))
		return false;
	live_moment_swap(world, &moment);

	bool made = world_state_append(world, true, state);

	live_moment_swap(world, &moment);
	world_moment_finish(&moment);
	return made;
}

bool
encoder_commands_key(const struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	struct buffer state = { .count = 0 }, batches = { .count = 0 };
	bool made = begin_append(world, &state, &batches);

	for (size_t from = 0; made && from < state.count; from += KEY_PART_BYTES) {
		size_t left = state.count - from;

		made = key_part(encoder, world, &state, from, left < KEY_PART_BYTES ? left : KEY_PART_BYTES, &batches, out);
	}
	buffer_finish(&state);
	buffer_finish(&batches);
	return made;
}
