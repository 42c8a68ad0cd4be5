#include "client/lib/batch.h"

#include "client/lib/borrow.h"
#include "client/lib/failure.h"
#include "client/lib/request_append.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIELD_HANDLE = 1,
	FIELD_SEQUENCE = 2,
	FIELD_TICK = 3,
	FIELD_ACKED = 4,
	FIELD_BATCHES = 1, /* of ManyCommands */
	FIELD_REQUEST_ID = 1,
	FIELD_COMMANDS = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS,
	FIELD_MANY_COMMANDS = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS,
};

/* A Commands, with all columns borrowed. */
struct batch_view {
	Collide__V1__Commands commands;
	Collide__V1__CircleColumns spawn, changes;
	Collide__V1__VelocityColumns velocities, add_velocities;
	Collide__V1__PlaceColumns places;
	Collide__V1__PushColumns pushes;
	Collide__V1__SegmentColumns spawn_segments;
	Collide__V1__OwnerColumns give;
	Collide__V1__Vector gravity;
	Collide__V1__Explosion *explosions;    /* owned */
	Collide__V1__Explosion **explosion_at; /* owned */
};

static void
velocities_borrow(const struct collide_velocities *from, Collide__V1__VelocityColumns *out)
{
	out->id = uint32s_borrow(&from->id, &out->n_id);
	out->vx = doubles_borrow(&from->vx, &out->n_vx);
	out->vy = doubles_borrow(&from->vy, &out->n_vy);
	out->angular_velocity = doubles_borrow(&from->angular_velocity, &out->n_angular_velocity);
}

static void
tables_borrow(const struct collide_batch *batch, struct batch_view *view)
{
	Collide__V1__Commands *commands = &view->commands;
	collide__v1__velocity_columns__init(&view->velocities);
	collide__v1__velocity_columns__init(&view->add_velocities);
	velocities_borrow(&batch->velocities, &view->velocities);
	velocities_borrow(&batch->add_velocities, &view->add_velocities);
	collide__v1__place_columns__init(&view->places);
	view->places.id = uint32s_borrow(&batch->places.id, &view->places.n_id);
	view->places.x = doubles_borrow(&batch->places.x, &view->places.n_x);
	view->places.y = doubles_borrow(&batch->places.y, &view->places.n_y);
	view->places.angle = doubles_borrow(&batch->places.angle, &view->places.n_angle);
	view->places.swept = batch->places.swept;
	Collide__V1__PushColumns *pushes = &view->pushes;
	collide__v1__push_columns__init(pushes);
	pushes->id = uint32s_borrow(&batch->pushes.id, &pushes->n_id);
	pushes->impulse_x = doubles_borrow(&batch->pushes.impulse_x, &pushes->n_impulse_x);
	pushes->impulse_y = doubles_borrow(&batch->pushes.impulse_y, &pushes->n_impulse_y);
	pushes->angular_impulse = doubles_borrow(&batch->pushes.angular_impulse, &pushes->n_angular_impulse);
	pushes->force_x = doubles_borrow(&batch->pushes.force_x, &pushes->n_force_x);
	pushes->force_y = doubles_borrow(&batch->pushes.force_y, &pushes->n_force_y);
	pushes->ticks = uint32s_borrow(&batch->pushes.ticks, &pushes->n_ticks);
	collide__v1__owner_columns__init(&view->give);
	view->give.id = uint32s_borrow(&batch->give.id, &view->give.n_id);
	view->give.seat = uint32s_borrow(&batch->give.seat, &view->give.n_seat);
	commands->remove = uint32s_borrow(&batch->remove, &commands->n_remove);
	commands->remove_segments = uint32s_borrow(&batch->remove_segments, &commands->n_remove_segments);
	commands->enable_segments = uint32s_borrow(&batch->enable_segments, &commands->n_enable_segments);
	commands->disable_segments = uint32s_borrow(&batch->disable_segments, &commands->n_disable_segments);
}

/* Whether the table has any row; *good is cleared if one of its columns has a count but no values. */
static bool
table_is_used(const ProtobufCMessage *table, bool *good)
{
	if (!columns_are_there(table)) {
		*good = false;
		return false;
	}
	return protobuf_c_message_get_packed_size(table) > 0;
}

/* Puts the tables that have rows into the message. */
static bool
tables_put(const struct collide_batch *batch, struct batch_view *view)
{
	Collide__V1__Commands *commands = &view->commands;
	bool good = columns_are_there(&commands->base);
	if (batch->spawn) {
		circles_borrow(batch->spawn, &view->spawn);
		if (table_is_used(&view->spawn.base, &good)) {
			commands->optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
			commands->spawn = &view->spawn;
		}
	}
	if (batch->changes) {
		circles_borrow(batch->changes, &view->changes);
		if (table_is_used(&view->changes.base, &good)) {
			commands->optional_changes_case = COLLIDE__V1__COMMANDS__OPTIONAL_CHANGES_CHANGES;
			commands->changes = &view->changes;
		}
	}
	if (batch->spawn_segments) {
		segments_borrow(batch->spawn_segments, &view->spawn_segments);
		if (table_is_used(&view->spawn_segments.base, &good)) {
			commands->optional_spawn_segments_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SEGMENTS_SPAWN_SEGMENTS;
			commands->spawn_segments = &view->spawn_segments;
		}
	}
	if (table_is_used(&view->velocities.base, &good)) {
		commands->optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
		commands->velocities = &view->velocities;
	}
	if (table_is_used(&view->add_velocities.base, &good)) {
		commands->optional_add_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_ADD_VELOCITIES_ADD_VELOCITIES;
		commands->add_velocities = &view->add_velocities;
	}
	if (table_is_used(&view->places.base, &good)) {
		commands->optional_places_case = COLLIDE__V1__COMMANDS__OPTIONAL_PLACES_PLACES;
		commands->places = &view->places;
	}
	if (table_is_used(&view->pushes.base, &good)) {
		commands->optional_pushes_case = COLLIDE__V1__COMMANDS__OPTIONAL_PUSHES_PUSHES;
		commands->pushes = &view->pushes;
	}
	if (batch->has_gravity) {
		collide__v1__vector__init(&view->gravity);
		view->gravity.x = batch->gravity_x;
		view->gravity.y = batch->gravity_y;
		commands->optional_gravity_case = COLLIDE__V1__COMMANDS__OPTIONAL_GRAVITY_GRAVITY;
		commands->gravity = &view->gravity;
	}
	if (table_is_used(&view->give.base, &good)) {
		commands->optional_give_case = COLLIDE__V1__COMMANDS__OPTIONAL_GIVE_GIVE;
		commands->give = &view->give;
	}
	return good;
}

static bool
explosions_put(const struct collide_batch *batch, struct batch_view *view, struct collide_error *error)
{
	size_t count = batch->explosion_count;
	if (count == 0)
		return true;
	if (!batch->explosions)
		return request_null_column(error);
	view->explosions = calloc(count, sizeof *view->explosions);
	view->explosion_at = calloc(count, sizeof(Collide__V1__Explosion *));
	if (!view->explosions || !view->explosion_at)
		return failure_memory(error);
	for (size_t i = 0; i < count; i++) {
		const struct collide_explosion *from = &batch->explosions[i];
		Collide__V1__Explosion *to = view->explosion_at[i] = &view->explosions[i];
		collide__v1__explosion__init(to);
		to->x = from->x;
		to->y = from->y;
		to->radius = from->radius;
		to->falloff = from->falloff;
		to->impulse_per_length = from->impulse_per_length;
		to->optional_mask_case = from->has_mask ? COLLIDE__V1__EXPLOSION__OPTIONAL_MASK_MASK : 0;
		to->mask = from->mask;
	}
	view->commands.explosions = view->explosion_at;
	view->commands.n_explosions = count;
	return true;
}

/* The message without what is put in front of it. */
static struct batch_bytes *
commands_pack(Collide__V1__Commands *commands, struct collide_error *error)
{
	commands->handle = 0;
	commands->sequence = commands->acked = 0;
	size_t count = collide__v1__commands__get_packed_size(commands);
	struct batch_bytes *packed = malloc(sizeof *packed + count);
	if (!packed) {
		failure_memory(error);
		return NULL;
	}
	packed->tick = commands->tick;
	packed->count = count;
	collide__v1__commands__pack(commands, packed->bytes);
	return packed;
}

static struct batch_bytes *
message_pack(const struct collide_batch *batch, struct collide_error *error)
{
	Collide__V1__Commands *commands = collide__v1__commands__unpack(NULL, batch->message_bytes, batch->message);
	if (!commands) {
		request_bad_argument(error, "the message of a batch is not a collide.v1.Commands");
		return NULL;
	}
	struct batch_bytes *packed = commands_pack(commands, error);
	collide__v1__commands__free_unpacked(commands, NULL);
	return packed;
}

struct batch_bytes *
batch_pack(const struct collide_batch *batch, struct collide_error *error)
{
	struct batch_bytes *packed = NULL;
	struct batch_view view;
	if (batch->message)
		return message_pack(batch, error);
	view.explosions = NULL;
	view.explosion_at = NULL;
	collide__v1__commands__init(&view.commands);
	view.commands.tick = batch->tick;
	view.commands.skip_missing = batch->skip_missing;
	tables_borrow(batch, &view);
	if (!tables_put(batch, &view))
		request_null_column(error);
	else if (explosions_put(batch, &view, error))
		packed = commands_pack(&view.commands, error);
	free(view.explosions);
	free(view.explosion_at);
	return packed;
}

/* A field of a varint; nothing if it is 0. */
static size_t
number_bytes(uint32_t field, uint64_t value)
{
	return value == 0 ? 0 : varint_bytes((uint64_t)field << 3) + varint_bytes(value);
}

size_t
batch_tick_bytes(const struct batch_bytes *batch)
{
	/* Fields are packed in the order of their numbers, and those before it are 0. */
	return number_bytes(FIELD_TICK, batch->tick);
}

static uint8_t *
number_write(uint8_t *to, uint32_t field, uint64_t value)
{
	if (value == 0)
		return to;
	to += varint_write(to, (uint64_t)field << 3);
	return to + varint_write(to, value);
}

size_t
batch_place_bytes(const struct batch_place *place)
{
	return number_bytes(FIELD_HANDLE, place->numbers.handle) + number_bytes(FIELD_SEQUENCE, place->numbers.sequence) +
	       number_bytes(FIELD_ACKED, place->numbers.acked) + place->batch->count;
}

static uint8_t *
place_write(uint8_t *to, const struct batch_place *place)
{
	to = number_write(to, FIELD_HANDLE, place->numbers.handle);
	to = number_write(to, FIELD_SEQUENCE, place->numbers.sequence);
	to = number_write(to, FIELD_ACKED, place->numbers.acked);
	memcpy(to, place->batch->bytes, place->batch->count);
	return to + place->batch->count;
}

bool
batches_append(struct bytes *out, uint64_t request_id, const struct batch_place *places, size_t count, uint32_t body_bytes_max,
               struct collide_error *error)
{
	size_t inner = 0;
	for (size_t i = 0; i < count; i++) {
		size_t bytes = batch_place_bytes(&places[i]);
		inner += count == 1 ? bytes : field_bytes(FIELD_BATCHES, bytes);
	}
	uint32_t field = count == 1 ? FIELD_COMMANDS : FIELD_MANY_COMMANDS;
	uint8_t *to = message_begin(out, number_bytes(FIELD_REQUEST_ID, request_id) + field_bytes(field, inner), body_bytes_max,
	                            error);
	if (!to)
		return false;
	to = number_write(to, FIELD_REQUEST_ID, request_id);
	to = tag_write(to, field, inner);
	for (size_t i = 0; i < count; i++) {
		if (count > 1)
			to = tag_write(to, FIELD_BATCHES, batch_place_bytes(&places[i]));
		to = place_write(to, &places[i]);
	}
	return true;
}
