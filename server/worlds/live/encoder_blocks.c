/* The blocks of an update: bodies of WorldUpdates. */
#include "base/memory.h"
#include "scene/limits.h"
#include "worlds/commands/room.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

/* Updates of paths have some sixty bytes. */
#define BLOCK_SLACK_BYTES 64

/* Blocks may be kept for long: without the room that the buffer has for more. */
static void
bytes_trim(struct buffer *bytes)
{
	if (bytes->failed || bytes->capacity - bytes->count < BLOCK_SLACK_BYTES)
		return;

	struct ledger *own = memory_enter_common();
	uint8_t *trimmed = memory_resize(bytes->bytes, bytes->count);

	(void)memory_enter(own);
	if (!trimmed)
		return;
	bytes->bytes = trimmed;
	bytes->capacity = bytes->count;
}

bool
encoder_blocks_add(struct encoder_blocks *blocks, struct buffer *bytes)
{
	struct shared_bytes *block = NULL;
	uint8_t *taken;
	size_t count;

	bytes_trim(bytes);
	if (!bytes->failed && room_reserve(&blocks->items, &blocks->capacity, blocks->count + 1, sizeof(struct shared_bytes *))) {
		buffer_take(bytes, &taken, &count);
		block = shared_bytes_create(taken, count);
		if (!block)
			*bytes = (struct buffer){ .bytes = taken, .count = count, .capacity = count };
	}
	buffer_finish(bytes);
	if (!block)
		return false;
	blocks->items[blocks->count++] = block;
	return true;
}

void
encoder_blocks_finish(struct encoder_blocks *blocks)
{
	struct ledger *own = memory_enter(NULL);

	for (size_t i = 0; i < blocks->count; i++)
		shared_bytes_release(blocks->items[i]);
	(void)memory_enter(own);
	memory_free(blocks->items);
	*blocks = (struct encoder_blocks){ .count = 0 };
}

size_t
encoder_blocks_bytes(const struct encoder_blocks *blocks)
{
	size_t bytes = 0;

	for (size_t i = 0; i < blocks->count; i++)
		bytes += blocks->items[i]->count + WORLDS_STREAM_ENVELOPE_BYTES;
	return bytes;
}

uint32_t
encoder_ticks(const struct encoder *encoder, const struct live_world *world)
{
	uint64_t ticks = world->tick - encoder->tick_told;

	return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

static void
head_begin(Collide__V1__WorldUpdate *head, const struct encoder *encoder, const struct live_world *world)
{
	collide__v1__world_update__init(head);
	head->tick = world->tick;
	head->ticks = encoder_ticks(encoder, world);
	if (world->policy.late == WORLD_LATE_RESIMULATE)
		head->final_tick = live_final_tick(world);
}

bool
encoder_rows_block(struct encoder *encoder, const struct live_world *world, bool more, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate head;
	struct wire_frame frame = { .tick = world->tick, .more = more };
	struct buffer bytes = { .count = 0 };

	head_begin(&head, encoder, world);
	head.provisional = encoder->options.provisional;
	frame_rows_attach_contacts(&encoder->contacts, &frame);
	frame_rows_attach_path_changes(&encoder->path_changes, &frame);
	frame_rows_attach_shortfalls(&encoder->shortfalls, &frame);
	frame_rows_attach_pair_events(&encoder->pair_events, &frame);
	frame_rows_attach_ends(&encoder->ends, &frame);
	wire_update_body_append(&bytes, &head, &frame);
	if (!encoder_blocks_add(out, &bytes))
		return false;
	encoder->contacts.count = encoder->path_changes.count = encoder->shortfalls.count = 0;
	encoder->pair_events.count = encoder->ends.count = 0;
	return true;
}

void
encoder_frame_close(struct wire_frame *frame, const struct encoder *encoder, const struct live_world *world)
{
	frame->time = (double)world->tick * world->policy.dt;
	if (encoder->sums && encoder->sums->summed)
		report_sums_attach(encoder->sums, frame);
}

void
encoder_head(Collide__V1__WorldUpdate *head, const struct encoder *encoder, const struct live_world *world)
{
	head_begin(head, encoder, world);
	if (world->grid_hash_tick != encoder->hash_tick_told) {
		head->hash = world->grid_hash;
		head->hash_tick = world->grid_hash_tick;
	}
	head->lost_ticks = world->clock.lost;
	head->late_ns = world->late_ns;
}

/* With coded batches: what is as it was, and what is as it should be. */
static void
head_shorten(Collide__V1__WorldUpdate *head, const struct encoder *encoder, const struct live_world *world)
{
	if (head->ticks == encoder->ticks_told)
		head->ticks = 0;
	if (head->lost_ticks == encoder->lost_told)
		head->lost_ticks = 0;
	if (!tick_clock_overruns(&world->clock, head->late_ns))
		head->late_ns = 0;
}

bool
encoder_bodies_block(const struct live_world *world, const Collide__V1__WorldUpdate *head, struct wire_frame *frame,
                     size_t first, size_t count, struct encoder_blocks *out)
{
	struct wire_body_room room = { .turns = world_turns(world->world), .tagged = world_tagged(world->world) };
	struct buffer bytes = { .count = 0 };

	frame->tick = world->tick;
	frame->body_count = count;
	frame->body_room = &room;
	wire_update_body_append(&bytes, head, frame);
	if (room.id && !bytes.failed) {
		const struct body_bytes to = { .id = room.id,
			                           .x = room.x,
			                           .y = room.y,
			                           .vx = room.vx,
			                           .vy = room.vy,
			                           .angle = room.angle,
			                           .spin = room.spin,
			                           .tag = room.tag };

		world_write_bodies(world->world, first, count, &to);
	}
	return encoder_blocks_add(out, &bytes);
}

/* Segments that move, from *next on, as many as a part may have. False without memory. */
static bool
places_take(const struct live_world *world, struct frame_rows *rows, size_t *next)
{
	size_t count = world->walls_move ? world_segment_count(world->world) : 0;

	rows->count = 0;
	for (; *next < count && !frame_rows_full(rows); ++*next) {
		struct segment_def segment = world_segment(world->world, *next);
		struct segment_place place = { segment.id, segment.x1, segment.y1, segment.x2, segment.y2 };

		if ((segment.vx != 0.0 || segment.vy != 0.0) && !frame_rows_add_place(rows, &place))
			return false;
	}
	if (*next >= count)
		*next = SIZE_MAX; /* all */
	return true;
}

bool
encoder_states_blocks(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	size_t count = world_body_count(world->world), place = 0;
	struct frame_rows places = frame_rows_of_places();
	Collide__V1__WorldUpdate head;
	Collide__V1__WorldChange changes;
	bool changed = false, made;

	encoder_head(&head, encoder, world);
	made = encoder_changes(encoder, world, &changes, &changed);
	if (changed) {
		head.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		head.changes = &changes;
	}
	for (size_t first = 0, taken; made; first += taken) {
		struct wire_frame frame = { .more = false };

		taken = count - first < SCENE_BODY_ROWS_MAX ? count - first : SCENE_BODY_ROWS_MAX;
		made = places_take(world, &places, &place);
		frame_rows_attach_places(&places, &frame);
		frame.more = first + taken < count || place != SIZE_MAX;
		if (!frame.more)
			encoder_frame_close(&frame, encoder, world);
		made = made && encoder_bodies_block(world, &head, &frame, first, taken, out);
		if (!frame.more)
			break;
		/* What all parts have in common is told in the first. */
		collide__v1__world_update__init(&head);
		head.tick = world->tick;
	}
	frame_rows_finish(&places);
	return made;
}

bool
encoder_head_append(const struct encoder *encoder, struct live_world *world, struct buffer *out)
{
	Collide__V1__WorldUpdate head;
	Collide__V1__WorldChange changes;
	bool changed;

	encoder_head(&head, encoder, world);
	if (encoder->options.coded)
		head_shorten(&head, encoder, world);
	if (!encoder_changes(encoder, world, &changes, &changed))
		return false;
	if (changed) {
		head.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		head.changes = &changes;
	}

	uint8_t *at = buffer_extend(out, collide__v1__world_update__get_packed_size(&head));

	if (at)
		(void)collide__v1__world_update__pack(&head, at);
	return true;
}

bool
encoder_paths_block(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	struct buffer bytes = { .count = 0 };

	if (!encoder_head_append(encoder, world, &bytes))
		return false;
	path_rows_take(&encoder->paths, &bytes);
	return encoder_blocks_add(out, &bytes);
}
