#include "worlds/live/world_state.h"

#include "base/check.h"
#include "base/memory.h"
#include "physics/wall_map.h"

#include <stdio.h>

/* Handover.waiting */
#define WAITING_FIELD 10u

static Collide__V1__PushColumns
forces_message(const struct force_list *list, struct arena *arena)
{
	Collide__V1__PushColumns columns;
	size_t count = list->count;

	collide__v1__push_columns__init(&columns);
	columns.id = arena_room(arena, count, sizeof *columns.id);
	columns.force_x = arena_room(arena, count, sizeof *columns.force_x);
	columns.force_y = arena_room(arena, count, sizeof *columns.force_y);
	columns.ticks = arena_room(arena, count, sizeof *columns.ticks);
	if (!columns.id || !columns.force_x || !columns.force_y || !columns.ticks)
		return columns;
	columns.n_id = columns.n_force_x = columns.n_force_y = columns.n_ticks = count;
	for (size_t i = 0; i < count; i++) {
		columns.id[i] = list->forces[i].id;
		columns.force_x[i] = list->forces[i].x;
		columns.force_y[i] = list->forces[i].y;
		columns.ticks[i] = list->forces[i].ticks;
	}
	return columns;
}

static Collide__V1__OwnerColumns
owners_message(const struct owner_list *list, struct arena *arena)
{
	Collide__V1__OwnerColumns columns;

	collide__v1__owner_columns__init(&columns);
	columns.id = arena_room(arena, list->count, sizeof *columns.id);
	columns.seat = arena_room(arena, list->count, sizeof *columns.seat);
	if (!columns.id || !columns.seat)
		return columns;
	columns.n_id = columns.n_seat = list->count;
	for (size_t i = 0; i < list->count; i++) {
		columns.id[i] = list->owners[i].id;
		columns.seat[i] = list->owners[i].seat;
	}
	return columns;
}

/* The engine's snapshot; `in_map`: without the walls of the map. */
static bool
engine_message(const struct live_world *world, bool in_map, struct arena *arena, ProtobufCBinaryData *out)
{
	size_t size = in_map ? world_snapshot_in_map_bytes(world->world) : world_snapshot_bytes(world->world);
	uint8_t *bytes = arena_room(arena, size, 1);

	if (!bytes)
		return false;
	/* Between two ticks, and of the size it asked for. */
	enum status status = in_map ? world_snapshot_in_map(world->world, bytes, size) : world_snapshot(world->world, bytes, size);

	CHECK(status == STATUS_OK);
	*out = (ProtobufCBinaryData){ .len = size, .data = bytes };
	return true;
}

static bool
state_append(const struct live_world *world, bool whole, struct arena *arena, struct buffer *out)
{
	bool in_map = !whole && world_map(world->world) != NULL;
	Collide__V1__WorldState state;
	Collide__V1__PushColumns forces = forces_message(&world->forces, arena);
	Collide__V1__OwnerColumns owners = owners_message(&world->owners, arena);
	char map_name[sizeof world->map_name];

	collide__v1__world_state__init(&state);
	if (!engine_message(world, in_map, arena, &state.engine) || forces.n_id != world->forces.count ||
	    owners.n_id != world->owners.count)
		return false;
	state.magic = WORLD_STATE_MAGIC;
	state.dt = world->policy.dt;
	if (in_map) {
		(void)snprintf(map_name, sizeof map_name, "%s", world->map_name);
		state.map = map_name;
		state.map_hash = wall_map_hash(world->map);
	}
	if (forces.n_id > 0) {
		state.optional_forces_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_FORCES_FORCES;
		state.forces = &forces;
	}
	if (owners.n_id > 0) {
		state.optional_owners_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_OWNERS_OWNERS;
		state.owners = &owners;
	}

	uint8_t *to = buffer_extend(out, collide__v1__world_state__get_packed_size(&state));

	if (to)
		(void)collide__v1__world_state__pack(&state, to);
	return to != NULL;
}

bool
world_state_append(const struct live_world *world, bool whole, struct buffer *out)
{
	struct arena arena;

	arena_init(&arena, SIZE_MAX); /* the ledger bounds it */
	bool made = state_append(world, whole, &arena, out);

	arena_finish(&arena);
	return made;
}

/* The message has all but the commands. */
static bool
batch_append(Collide__V1__WaitingBatch *message, const uint8_t *bytes, size_t count, struct buffer *out)
{
	struct buffer commands = { .count = 0 };

	/* protobuf-c's struct has no const; it only reads. */
	buffer_append(&commands, bytes, count);
	message->commands = (ProtobufCBinaryData){ .len = commands.count, .data = commands.bytes };

	if (!commands.failed)
		wire_field_append(out, WAITING_FIELD, &message->base);

	bool made = !commands.failed && !out->failed;

	buffer_finish(&commands);
	return made;
}

static bool
waiting_append(const struct batch *batch, struct buffer *out)
{
	Collide__V1__WaitingBatch message;

	collide__v1__waiting_batch__init(&message);
	message.seat = batch->seat;
	message.sequence = batch->sequence;
	message.tick = batch->tick_asked;
	message.right = (Collide__V1__Right)batch->right;
	message.id_first = batch->id_first;
	message.id_count = batch->id_count;
	message.circles_max = batch->circles_max;
	return batch_append(&message, batch->bytes, batch->count, out);
}

/* One that there was no memory for here. */
static bool
lost_append(const struct post *post, struct buffer *out)
{
	Collide__V1__WaitingBatch message;

	collide__v1__waiting_batch__init(&message);
	message.seat = post->batch.seat;
	message.sequence = post->batch.sequence;
	message.tick = post->batch.tick;
	message.right = (Collide__V1__Right)post->batch.right;
	message.id_first = post->batch.id_first;
	message.id_count = post->batch.id_count;
	message.circles_max = post->batch.circles_max;
	return batch_append(&message, post->bytes, post->count, out);
}

bool
world_waiting_append(const struct live_world *world, struct buffer *out)
{
	size_t late = world->late.waiting.count, count = late + world->waiting.count;
	const struct batch **list = memory_alloc((count + 1) * sizeof *list);
	bool made = list != NULL;

	/* Of a seat those that are late came first. */
	if (list) {
		waiting_list(&world->late.waiting, list);
		waiting_list(&world->waiting, list + late);
	}
	for (size_t i = 0; made && i < count; i++)
		made = waiting_append(list[i], out);
	memory_free(list);
	/* Behind all others of their seats. */
	for (size_t i = 0; i < world->seats.count; i++)
		for (const struct post *post = world->seats.entries[i].lost; made && post; post = post->next)
			made = lost_append(post, out);
	return made;
}
