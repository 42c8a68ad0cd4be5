/* The blocks of an update: bodies of WorldUpdates. */
#include "base/memory.h"
#include "physics/describe.h"
#include "physics/wall_map.h"
#include "scene/definition/scene_tell.h"
#include "scene/limits.h"
#include "worlds/commands/room.h"
#include "worlds/live/encoder.h"
#include "worlds/live/live_private.h"

#include <stdio.h>

/* Definitions in one part of a key: some 60 bytes each with few columns, up to 250 with all. */
#define KEY_ROWS_MAX 16384u

bool
encoder_blocks_add(struct encoder_blocks *blocks, struct buffer *bytes)
{
	struct shared_bytes *block = NULL;
	uint8_t *taken;
	size_t count;

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

bool
encoder_rows_block(struct encoder *encoder, uint64_t tick, uint64_t ticks, bool more, struct encoder_blocks *out)
{
	Collide__V1__WorldUpdate head;
	struct wire_frame frame = { .tick = tick, .more = more };
	struct buffer bytes = { .count = 0 };

	collide__v1__world_update__init(&head);
	head.tick = tick;
	head.ticks = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
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

/* What the last part of a frame says besides rows. */
static void
frame_close(struct wire_frame *frame, const struct encoder *encoder, const struct live_world *world)
{
	frame->time = (double)world->tick * world->policy.dt;
	if (encoder->sums.summed)
		report_sums_attach(&encoder->sums, frame);
}

/* What an update says of its tick. */
static void
head_begin(Collide__V1__WorldUpdate *head, const struct encoder *encoder, const struct live_world *world)
{
	uint64_t ticks = world->tick - encoder->tick_told;

	collide__v1__world_update__init(head);
	head->tick = world->tick;
	head->ticks = ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
	if (world->grid_hash_tick != encoder->hash_tick_told) {
		head->hash = world->grid_hash;
		head->hash_tick = world->grid_hash_tick;
	}
	head->lost_ticks = world->clock.lost;
	head->late_ns = world->late_ns;
}

/* A block with the states of bodies first .. first + count in it. */
static bool
bodies_block(const struct live_world *world, const Collide__V1__WorldUpdate *head, struct wire_frame *frame, size_t first,
             size_t count, struct encoder_blocks *out)
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

	head_begin(&head, encoder, world);
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
			frame_close(&frame, encoder, world);
		made = made && bodies_block(world, &head, &frame, first, taken, out);
		if (!frame.more)
			break;
		/* What all parts have in common is told in the first. */
		collide__v1__world_update__init(&head);
		head.tick = world->tick;
	}
	frame_rows_finish(&places);
	return made;
}

/* Definitions of segments from *next on: of a world in a map those that are switched otherwise than there. */
static size_t
segments_take(const struct live_world *world, struct segment_def *to, size_t *next)
{
	const struct wall_map *map = world_map(world->world);
	size_t count = world_segment_count(world->world), taken = 0;

	for (; *next < count && taken < KEY_ROWS_MAX; ++*next) {
		struct segment_def segment = world_segment(world->world, *next);

		if (!map || wall_map_segment(map, *next).disabled != segment.disabled)
			to[taken++] = segment;
	}
	if (*next >= count)
		*next = SIZE_MAX;
	return taken;
}

/* The scene of a part of a key: circles first .. first + count and segments from *segment on. */
static bool
key_scene(const struct live_world *world, struct arena *arena, size_t first, size_t count, size_t *segment,
          Collide__V1__Scene *scene)
{
	size_t segments = world_segment_count(world->world), room = segments < KEY_ROWS_MAX ? segments : KEY_ROWS_MAX;
	struct circle_def *circles = arena_room(arena, count, sizeof *circles);
	struct segment_def *walls = *segment == SIZE_MAX ? NULL : arena_room(arena, room, sizeof *walls);

	scene->circle_columns = arena_room(arena, 1, sizeof *scene->circle_columns);
	scene->segment_columns = arena_room(arena, 1, sizeof *scene->segment_columns);
	if (!circles || (!walls && *segment != SIZE_MAX) || !scene->circle_columns || !scene->segment_columns)
		return false;
	for (size_t i = 0; i < count; i++)
		circles[i] = world_circle(world->world, first + i);

	size_t wall_count = *segment == SIZE_MAX ? 0 : segments_take(world, walls, segment);

	if (!scene_tell_circles(arena, circles, count, scene->circle_columns) ||
	    !scene_tell_segments(arena, walls, wall_count, scene->segment_columns))
		return false;
	if (count > 0)
		scene->optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	if (wall_count > 0)
		scene->optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	return true;
}

/* What the first part of a key says besides shapes. The name must live as long as the key. */
static bool
key_begin(const struct live_world *world, struct arena *arena, char *map_name, size_t map_name_bytes, Collide__V1__Key *key,
          Collide__V1__Scene *scene)
{
	struct world_def def;

	key->dt = world->policy.dt;
	key->clock = (Collide__V1__Clock)world->clock.kind;
	key->tick_hz = world->clock.hz;
	key->epoch = world->epoch;
	if (world_map(world->world)) {
		(void)snprintf(map_name, map_name_bytes, "%s", world->map_name);
		key->map = map_name;
		key->map_hash = wall_map_hash(world_map(world->world));
	}
	world_describe_settings(world->world, &def);
	return scene_tell_settings(arena, &def, scene);
}

bool
encoder_key_blocks(struct encoder *encoder, struct live_world *world, struct encoder_blocks *out)
{
	size_t count = world_body_count(world->world), segment = 0, taken;
	char map_name[sizeof world->map_name];

	for (size_t first = 0;; first += taken) {
		Collide__V1__WorldUpdate head;
		Collide__V1__Key key;
		Collide__V1__Scene scene;
		struct wire_frame frame = { .more = false };

		taken = count - first < KEY_ROWS_MAX ? count - first : KEY_ROWS_MAX;
		arena_reset(&world->arena);
		world->arena.budget_bytes = SIZE_MAX; /* the ledger bounds it */
		collide__v1__key__init(&key);
		collide__v1__scene__init(&scene);
		head_begin(&head, encoder, world);
		if ((first == 0 && segment == 0 && !key_begin(world, &world->arena, map_name, sizeof map_name, &key, &scene)) ||
		    !key_scene(world, &world->arena, first, taken, &segment, &scene))
			return false;
		key.optional_scene_case = COLLIDE__V1__KEY__OPTIONAL_SCENE_SCENE;
		key.scene = &scene;
		head.optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
		head.key = &key;
		frame.more = first + taken < count || segment != SIZE_MAX;
		if (!frame.more)
			frame_close(&frame, encoder, world);
		if (!bodies_block(world, &head, &frame, first, taken, out))
			return false;
		if (!frame.more)
			return true;
	}
}
