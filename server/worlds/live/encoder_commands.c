/* What readers of commands are told: batches that took effect, and in a key the state. */
#include "physics/wall_map.h"
#include "worlds/live/live_private.h"
#include "worlds/live/world_state.h"

/* Bytes of a snapshot in one part of a key. */
#define KEY_PART_BYTES ((size_t)1 << 18)

/* Fields of WorldUpdate, of wire type 2. */
#define TAKEN_FIELD 16u
#define UNDONE_FIELD 17u

/* Appends a field that is a message. */
static bool
field_append(struct buffer *out, uint32_t field, const Collide__V1__TakenBatch *message)
{
	uint8_t head[16];
	size_t count = collide__v1__taken_batch__get_packed_size(message), at = 0;

	/* Tags of these fields take two bytes. */
	head[at++] = (uint8_t)((field << 3 | 2u) & 0x7f) | 0x80;
	head[at++] = (uint8_t)(field >> 4);
	for (size_t left = count;; left >>= 7) {
		head[at++] = (uint8_t)((left & 0x7f) | (left > 0x7f ? 0x80 : 0));
		if (left <= 0x7f)
			break;
	}
	buffer_reserve(out, at + count);
	buffer_append(out, head, at);

	uint8_t *to = buffer_extend(out, count);

	if (to)
		(void)collide__v1__taken_batch__pack(message, to);
	return !out->failed;
}

/* Where the rows begin: a reader has no use for the numbers in front, of which each is a varint of the fields 1 to 4. */
static size_t
rows_offset(const uint8_t *bytes, size_t count)
{
	size_t at = 0;

	while (at < count && (bytes[at] & 7) == 0 && bytes[at] >> 3 >= 1 && bytes[at] >> 3 <= 4) {
		size_t end = at + 1;

		while (end < count && (bytes[end] & 0x80) != 0)
			end++;
		if (end >= count)
			return at;
		at = end + 1;
	}
	return at;
}

/* To all readers of commands. False without memory. */
static bool
tell(struct live_world *world, uint32_t field, const Collide__V1__TakenBatch *message)
{
	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		if (encoder->options.commands && !field_append(&encoder->batches, field, message))
			return false;
	return true;
}

static bool
is_read(const struct live_world *world)
{
	const struct encoder *encoder = world->encoders;

	while (encoder && !encoder->options.commands)
		encoder = encoder->next;
	return encoder != NULL;
}

/* A TakenBatch of a batch; the end of a seat has no commands. Borrows the rows, which are to be finished. */
static Collide__V1__TakenBatch
taken_message(const struct batch *batch, struct buffer *rows)
{
	Collide__V1__TakenBatch message;
	size_t from = rows_offset(batch->bytes, batch->count);

	collide__v1__taken_batch__init(&message);
	message.tick = batch->tick;
	message.seat = batch->seat;
	message.sequence = batch->sequence;
	if (batch->seat_ended)
		return message;
	/* protobuf-c's struct has no const; it only reads. One without rows is told as one of nothing but a field of no effect. */
	buffer_append(rows, batch->bytes + from, batch->count - from);
	if (from == batch->count)
		buffer_append(rows, (const uint8_t[]){ 1 << 3, 1 }, 2);
	message.commands = (ProtobufCBinaryData){ .len = rows->count, .data = rows->bytes };
	return message;
}

bool
live_taken_tell(struct live_world *world, const struct batch *batch)
{
	struct buffer rows = { .count = 0 };

	if (!is_read(world))
		return true;

	Collide__V1__TakenBatch message = taken_message(batch, &rows);
	bool told = !rows.failed && tell(world, TAKEN_FIELD, &message);

	buffer_finish(&rows);
	return told;
}

bool
live_undone_tell(struct live_world *world, const struct batch *batch)
{
	Collide__V1__TakenBatch message;

	if (!is_read(world))
		return true;
	collide__v1__taken_batch__init(&message);
	message.tick = batch->tick;
	message.seat = batch->seat;
	message.sequence = batch->sequence;
	return tell(world, UNDONE_FIELD, &message);
}

bool
live_seat_ended_tell(struct live_world *world, uint32_t seat)
{
	Collide__V1__TakenBatch message;

	if (!is_read(world))
		return true;
	collide__v1__taken_batch__init(&message);
	message.tick = world->tick + 1;
	message.seat = seat;
	return tell(world, TAKEN_FIELD, &message);
}

bool
encoder_commands_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate head;
	Collide__V1__WorldChange changes;
	struct buffer bytes = { .count = 0 };
	bool changed;

	encoder_head(&head, encoder, world);
	if (!encoder_changes(encoder, world, &changes, &changed))
		return false;
	if (changed) {
		head.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		head.changes = &changes;
	}

	uint8_t *at = buffer_extend(&bytes, collide__v1__world_update__get_packed_size(&head));

	if (at)
		(void)collide__v1__world_update__pack(&head, at);
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
		Collide__V1__TakenBatch message = taken_message(batch, &rows);

		good = !rows.failed && field_append(out, TAKEN_FIELD, &message);
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
