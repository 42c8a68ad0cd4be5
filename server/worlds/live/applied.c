/* What readers of commands are told: batches that took effect. */
#include "worlds/live/applied.h"

#include "worlds/live/live_private.h"

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

/* In the encoder's next update. False without memory. */
static bool
batch_add(struct encoder *encoder, const Collide__V1__AppliedBatch *message, bool undone)
{
	const struct coded_batch coded = { message->tick, message->sequence,     message->seat,
		                               undone,        message->commands.len, message->commands.data };
	bool plain = true;

	if (encoder->options.coded && !batch_coder_add(&encoder->coder, &coded, &plain))
		return false;
	if (plain)
		wire_field_append(&encoder->batches, undone ? UNDONE_FIELD : APPLIED_FIELD, &message->base);
	return !encoder->batches.failed;
}

/* To all readers of commands; NULL: there was no memory for it. */
static void
tell(struct live_world *world, const Collide__V1__AppliedBatch *message, bool undone)
{
	int64_t most = live_readers_enter(world);

	for (struct encoder *encoder = world->encoders; encoder; encoder = encoder->next)
		if (encoder->options.commands && !encoder->failed)
			encoder->failed = !message || !batch_add(encoder, message, undone);
	live_readers_leave(world, most);
}

static bool
is_read(const struct live_world *world)
{
	const struct encoder *encoder = world->encoders;

	while (encoder && !encoder->options.commands)
		encoder = encoder->next;
	return encoder != NULL;
}

Collide__V1__AppliedBatch
applied_message(const struct batch *batch, struct buffer *rows)
{
	Collide__V1__AppliedBatch message;
	size_t from = rows_offset(batch->bytes, batch->count);

	collide__v1__applied_batch__init(&message);
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

void
live_applied_tell(struct live_world *world, const struct batch *batch)
{
	struct buffer rows = { .count = 0 };

	if (!is_read(world))
		return;

	Collide__V1__AppliedBatch message = applied_message(batch, &rows);

	tell(world, rows.failed ? NULL : &message, false);
	buffer_finish(&rows);
}

void
live_undone_tell(struct live_world *world, const struct batch *batch)
{
	Collide__V1__AppliedBatch message;

	if (!is_read(world))
		return;
	collide__v1__applied_batch__init(&message);
	message.tick = batch->tick;
	message.seat = batch->seat;
	message.sequence = batch->sequence;
	tell(world, &message, true);
}

void
live_seat_ended_tell(struct live_world *world, uint32_t seat)
{
	Collide__V1__AppliedBatch message;

	if (!is_read(world))
		return;
	collide__v1__applied_batch__init(&message);
	message.tick = world->tick + 1;
	message.seat = seat;
	tell(world, &message, false);
}
