/* The hand-written frame against protobuf-c: random frames, byte for byte. */
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

#include "proto/frame.h"
#include "wire/wire.h"

#include <stdlib.h>

#define FRAMES effort(500, 3000)
#define ROWS_MAX 200
#define COLUMNS_MAX 25

/* One frame twice: lent to the encoder, and as a message that protobuf-c packs. */
struct twin {
	struct wire_frame frame;
	Collide__V1__ServerMessage message;
	Collide__V1__Frame inner;
	Collide__V1__BodyColumns bodies;
	Collide__V1__ContactColumns contacts;
	Collide__V1__PathChangeColumns paths;
	Collide__V1__ShortfallColumns shortfalls;
	Collide__V1__PairEventColumns pair_events;
	Collide__V1__PathColumns path_pieces;
	Collide__V1__MovingSegmentColumns moving;
	Collide__V1__EndColumns ends;
	Collide__V1__Energy energy;
	void *pieces[180];
	size_t piece_count;
};

static void *
piece_of(struct twin *twin, size_t bytes)
{
	void *piece = calloc(1, bytes + 1);

	assert_non_null(piece);
	assert_true(twin->piece_count < sizeof twin->pieces / sizeof twin->pieces[0]);
	twin->pieces[twin->piece_count++] = piece;
	return piece;
}

static size_t
element_bytes(const ProtobufCFieldDescriptor *field)
{
	return field->type == PROTOBUF_C_TYPE_DOUBLE || field->type == PROTOBUF_C_TYPE_FIXED64 ? 8 : 4;
}

static bool
is_small(const ProtobufCFieldDescriptor *field)
{
	return field->type == PROTOBUF_C_TYPE_ENUM || field->type == PROTOBUF_C_TYPE_UINT32;
}

/* Fills every column of a message, in field order, with any bytes at all (NaN and -0 among the doubles), one in eight with
 * none. *lent gets the same columns as the encoder wants them, small numbers in bytes. One in four of those needs two bytes a
 * number on the wire. */
static void
columns_make(struct twin *twin, uint64_t *seed, ProtobufCMessage *message, size_t rows, void *lent[static COLUMNS_MAX])
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		size_t count = rows == 0 || random_below(seed, 8) == 0 ? 0 : rows, bytes = count * element_bytes(field);
		uint8_t *column = piece_of(twin, bytes), *narrow = piece_of(twin, count);
		uint32_t mask = random_below(seed, 4) == 0 ? 0xff : 0x7f;

		for (size_t k = 0; k < bytes; k++)
			column[k] = (uint8_t)random_bits(seed);
		for (size_t k = 0; is_small(field) && k < count; k++) {
			uint32_t number = column[4 * k] & mask;

			memcpy(column + 4 * k, &number, 4);
			narrow[k] = (uint8_t)number;
		}
		memcpy((char *)message + field->offset, &column, sizeof column);
		memcpy((char *)message + field->quantifier_offset, &count, sizeof count);
		lent[i] = count == 0 ? NULL : is_small(field) ? narrow : column;
	}
}

/* Nothing, a few, or many rows. */
static size_t
rows_of(uint64_t *seed)
{
	return random_below(seed, 3) == 0 ? 0 : random_below(seed, random_below(seed, 2) == 0 ? 4 : ROWS_MAX);
}

static void
bodies_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__body_columns__init(&twin->bodies);
	frame->body_count = rows_of(seed);
	columns_make(twin, seed, &twin->bodies.base, frame->body_count, lent);
	frame->body_id = lent[0];
	frame->body_x = lent[1];
	frame->body_y = lent[2];
	frame->body_vx = lent[3];
	frame->body_vy = lent[4];
	frame->body_angle = lent[5];
	frame->body_spin = lent[6];
	frame->body_tag = lent[7];
	if (frame->body_count > 0) {
		twin->inner.optional_bodies_case = COLLIDE__V1__FRAME__OPTIONAL_BODIES_BODIES;
		twin->inner.bodies = &twin->bodies;
	}
}

static void
contacts_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__contact_columns__init(&twin->contacts);
	frame->contact_count = rows_of(seed);
	columns_make(twin, seed, &twin->contacts.base, frame->contact_count, lent);
	frame->contact_tick = lent[0];
	frame->contact_time = lent[1];
	frame->contact_a = lent[2];
	frame->contact_b = lent[3];
	frame->contact_feature = lent[4];
	frame->contact_flags = lent[5];
	for (size_t i = 0; i < sizeof frame->contact_values / sizeof frame->contact_values[0]; i++)
		frame->contact_values[i] = lent[6 + i];
	if (frame->contact_count > 0) {
		twin->inner.optional_contacts_case = COLLIDE__V1__FRAME__OPTIONAL_CONTACTS_CONTACTS;
		twin->inner.contacts = &twin->contacts;
	}
}

static void
paths_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__path_change_columns__init(&twin->paths);
	frame->path_change_count = rows_of(seed);
	columns_make(twin, seed, &twin->paths.base, frame->path_change_count, lent);
	frame->path_tick = lent[0];
	frame->path_time = lent[1];
	frame->path_body = lent[2];
	frame->path_kind = lent[3];
	frame->path_vector_x = lent[4];
	frame->path_vector_y = lent[5];
	if (frame->path_change_count > 0) {
		twin->inner.optional_path_changes_case = COLLIDE__V1__FRAME__OPTIONAL_PATH_CHANGES_PATH_CHANGES;
		twin->inner.path_changes = &twin->paths;
	}
}

static void
shortfalls_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__shortfall_columns__init(&twin->shortfalls);
	frame->shortfall_count = rows_of(seed);
	columns_make(twin, seed, &twin->shortfalls.base, frame->shortfall_count, lent);
	frame->shortfall_tick = lent[0];
	frame->shortfall_body = lent[1];
	frame->shortfall_flag = lent[2];
	frame->shortfall_amount = lent[3];
	if (frame->shortfall_count > 0) {
		twin->inner.optional_shortfalls_case = COLLIDE__V1__FRAME__OPTIONAL_SHORTFALLS_SHORTFALLS;
		twin->inner.shortfalls = &twin->shortfalls;
	}
}

static void
pair_events_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__pair_event_columns__init(&twin->pair_events);
	frame->pair_event_count = rows_of(seed);
	columns_make(twin, seed, &twin->pair_events.base, frame->pair_event_count, lent);
	frame->pair_event_tick = lent[0];
	frame->pair_event_time = lent[1];
	frame->pair_event_kind = lent[2];
	frame->pair_event_a = lent[3];
	frame->pair_event_b = lent[4];
	frame->pair_event_feature = lent[5];
	for (size_t i = 0; i < sizeof frame->pair_event_values / sizeof frame->pair_event_values[0]; i++)
		frame->pair_event_values[i] = lent[6 + i];
	frame->pair_event_tags[0] = lent[12];
	frame->pair_event_tags[1] = lent[13];
	if (frame->pair_event_count > 0) {
		twin->inner.optional_pair_events_case = COLLIDE__V1__FRAME__OPTIONAL_PAIR_EVENTS_PAIR_EVENTS;
		twin->inner.pair_events = &twin->pair_events;
	}
}

static void
moving_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__moving_segment_columns__init(&twin->moving);
	frame->moving_count = rows_of(seed);
	columns_make(twin, seed, &twin->moving.base, frame->moving_count, lent);
	frame->moving_id = lent[0];
	for (size_t i = 0; i < sizeof frame->moving_values / sizeof frame->moving_values[0]; i++)
		frame->moving_values[i] = lent[1 + i];
	if (frame->moving_count > 0) {
		twin->inner.optional_moving_segments_case = COLLIDE__V1__FRAME__OPTIONAL_MOVING_SEGMENTS_MOVING_SEGMENTS;
		twin->inner.moving_segments = &twin->moving;
	}
}

static void
ends_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__end_columns__init(&twin->ends);
	frame->end_count = rows_of(seed);
	columns_make(twin, seed, &twin->ends.base, frame->end_count, lent);
	frame->end_tick = lent[0];
	frame->end_time = lent[1];
	frame->end_body = lent[2];
	frame->end_reason = lent[3];
	frame->end_tag = lent[4];
	for (size_t i = 0; i < sizeof frame->end_values / sizeof frame->end_values[0]; i++)
		frame->end_values[i] = lent[5 + i];
	if (frame->end_count > 0) {
		twin->inner.optional_ends_case = COLLIDE__V1__FRAME__OPTIONAL_ENDS_ENDS;
		twin->inner.ends = &twin->ends;
	}
}

static void
path_pieces_make(struct twin *twin, uint64_t *seed)
{
	struct wire_frame *frame = &twin->frame;
	void *lent[COLUMNS_MAX];

	collide__v1__path_columns__init(&twin->path_pieces);
	frame->piece_count = rows_of(seed);
	columns_make(twin, seed, &twin->path_pieces.base, frame->piece_count, lent);
	frame->piece_tick = lent[0];
	frame->piece_time = lent[1];
	frame->piece_body = lent[2];
	for (size_t i = 0; i < sizeof frame->piece_values / sizeof frame->piece_values[0]; i++)
		frame->piece_values[i] = lent[3 + i];
	if (frame->piece_count > 0) {
		twin->inner.optional_paths_case = COLLIDE__V1__FRAME__OPTIONAL_PATHS_PATHS;
		twin->inner.paths = &twin->path_pieces;
	}
}

/* 0, small, or of any size: every length of varint comes up. */
static uint64_t
number_of(uint64_t *seed)
{
	return random_below(seed, 3) == 0 ? 0 : random_bits(seed) >> random_below(seed, 64);
}

static double
double_of(uint64_t *seed)
{
	static const double special[] = { 0.0, -0.0, 1.0, 0x1p-1074, (double)INFINITY, (double)NAN };

	return random_below(seed, 2) == 0 ? random_between(seed, -1e3, 1e3)
	                                  : special[random_below(seed, sizeof special / sizeof special[0])];
}

static void
scalars_make(struct twin *twin, uint64_t *seed)
{
	Collide__V1__Frame *inner = &twin->inner;
	Collide__V1__Energy *energy = &twin->energy;

	inner->tick = number_of(seed);
	inner->time = double_of(seed);
	inner->hash = number_of(seed);
	inner->more = random_below(seed, 2) == 0;
	inner->events = number_of(seed);
	inner->collisions = number_of(seed);
	inner->clusters = number_of(seed);
	twin->frame.tick = inner->tick;
	twin->frame.time = inner->time;
	twin->frame.hash = inner->hash;
	twin->frame.more = inner->more != 0;
	twin->frame.events = inner->events;
	twin->frame.collisions = inner->collisions;
	twin->frame.clusters = inner->clusters;
	collide__v1__energy__init(energy);
	energy->kinetic_before = double_of(seed);
	energy->contact = double_of(seed);
	energy->support = double_of(seed);
	energy->removed = double_of(seed);
	if (random_below(seed, 2) == 0) {
		twin->frame.energy = energy;
		inner->energy = energy;
		inner->optional_energy_case = COLLIDE__V1__FRAME__OPTIONAL_ENERGY_ENERGY;
	}
}

/* Its envelope and its body, made apart, are the whole message; and the same body goes with any other envelope. */
static void
parts_check(const struct wire_frame *frame, uint64_t request_id, const struct buffer *whole)
{
	struct buffer body, apart;

	buffer_init(&body);
	buffer_init(&apart);
	wire_frame_body_append(&body, frame);
	wire_envelope_append(&apart, request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME, body.count);
	buffer_append(&apart, body.bytes, body.count);
	assert_int_equal(apart.count, whole->count);
	assert_memory_equal(apart.bytes, whole->bytes, whole->count);
	buffer_finish(&body);
	buffer_finish(&apart);
}

/* In a WorldUpdate, behind what else that has. */
static void
update_check(struct twin *twin, uint64_t *seed)
{
	Collide__V1__WorldUpdate update;
	Collide__V1__WorldChange changes;
	struct buffer buffer;

	collide__v1__world_update__init(&update);
	collide__v1__world_change__init(&changes);
	update.tick = number_of(seed);
	update.hash = number_of(seed);
	changes.tick_hz = (uint32_t)number_of(seed);
	if (number_of(seed) % 2 == 0) {
		update.optional_changes_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_CHANGES_CHANGES;
		update.changes = &changes;
	}
	buffer_init(&buffer);
	wire_update_body_append(&buffer, &update, &twin->frame);
	assert_false(buffer.failed);
	update.optional_frame_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME_FRAME;
	update.frame = &twin->inner;

	size_t packed_bytes = collide__v1__world_update__get_packed_size(&update);
	uint8_t *packed = piece_of(twin, packed_bytes);

	assert_int_equal(collide__v1__world_update__pack(&update, packed), packed_bytes);
	assert_int_equal(buffer.count, packed_bytes);
	assert_memory_equal(buffer.bytes, packed, packed_bytes);
	buffer_finish(&buffer);
}

static void
twin_check(uint64_t *seed)
{
	struct twin twin = { .piece_count = 0 };
	uint8_t header[FRAME_HEADER_BYTES_MAX], *packed;
	struct buffer buffer;

	collide__v1__server_message__init(&twin.message);
	collide__v1__frame__init(&twin.inner);
	twin.message.request_id = number_of(seed);
	twin.message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
	twin.message.frame = &twin.inner;
	scalars_make(&twin, seed);
	bodies_make(&twin, seed);
	contacts_make(&twin, seed);
	paths_make(&twin, seed);
	shortfalls_make(&twin, seed);
	pair_events_make(&twin, seed);
	path_pieces_make(&twin, seed);
	moving_make(&twin, seed);
	ends_make(&twin, seed);

	size_t packed_bytes = collide__v1__server_message__get_packed_size(&twin.message);
	packed = piece_of(&twin, packed_bytes);
	assert_int_equal(collide__v1__server_message__pack(&twin.message, packed), packed_bytes);
	size_t header_bytes = frame_header_write(header, (uint32_t)packed_bytes);

	buffer_init(&buffer);
	buffer_append(&buffer, "before", 6);
	wire_frame_append(&buffer, twin.message.request_id, &twin.frame);
	assert_false(buffer.failed);
	assert_int_equal(buffer.count, 6 + header_bytes + packed_bytes);
	assert_memory_equal(buffer.bytes, "before", 6);
	assert_memory_equal(buffer.bytes + 6, header, header_bytes);
	assert_memory_equal(buffer.bytes + 6 + header_bytes, packed, packed_bytes);
	buffer.count = 0;
	wire_frame_append(&buffer, UINT64_MAX, &twin.frame);
	parts_check(&twin.frame, UINT64_MAX, &buffer);
	update_check(&twin, seed);
	buffer_finish(&buffer);
	for (size_t i = 0; i < twin.piece_count; i++)
		free(twin.pieces[i]);
}

static void
test_random_frames_equal_protobuf_c(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < FRAMES; i++) {
		uint64_t seed = i;

		twin_check(&seed);
	}
}

/* Bodies of which only room is made give, once written there, the bytes that borrowed columns give. */
static void
room_check(size_t rows, bool turns, bool tagged)
{
	const uint32_t id[] = { 1, 200, 70000 };
	const double x[] = { 1.5, -0.0, 1e300 }, y[] = { 2, 3, 4 }, vx[] = { 5, 6, 7 }, vy[] = { 8, 9, 10 };
	const double angle[] = { 11, 12, 13 }, spin[] = { 14, 15, 16 };
	struct wire_frame frame = { .tick = 300, .body_count = rows, .body_id = id, .body_x = x, .body_y = y, .events = 9 };
	const uint64_t tag[] = { 17, 0, UINT64_MAX };
	struct wire_body_room room = { .turns = turns, .tagged = tagged };
	struct buffer borrowed, filled;

	frame.body_vx = vx;
	frame.body_vy = vy;
	frame.body_angle = turns ? angle : NULL;
	frame.body_spin = turns ? spin : NULL;
	frame.body_tag = tagged ? tag : NULL;
	buffer_init(&borrowed);
	wire_frame_append(&borrowed, 7, &frame);
	frame = (struct wire_frame){ .tick = 300, .body_count = rows, .body_room = &room, .events = 9 };
	buffer_init(&filled);
	wire_frame_append(&filled, 7, &frame);
	assert_true((room.id != NULL) == (rows > 0));
	assert_true((room.angle != NULL) == (rows > 0 && turns) && (room.spin != NULL) == (rows > 0 && turns));
	if (rows > 0) {
		memcpy(room.id, id, rows * sizeof id[0]);
		memcpy(room.x, x, rows * sizeof x[0]);
		memcpy(room.y, y, rows * sizeof y[0]);
		memcpy(room.vx, vx, rows * sizeof vx[0]);
		memcpy(room.vy, vy, rows * sizeof vy[0]);
	}
	if (rows > 0 && turns) {
		memcpy(room.angle, angle, rows * sizeof angle[0]);
		memcpy(room.spin, spin, rows * sizeof spin[0]);
	}
	assert_true((room.tag != NULL) == (rows > 0 && tagged));
	if (room.tag)
		memcpy(room.tag, tag, rows * sizeof tag[0]);
	assert_int_equal(filled.count, borrowed.count);
	assert_memory_equal(filled.bytes, borrowed.bytes, borrowed.count);
	buffer_finish(&borrowed);
	buffer_finish(&filled);
}

static void
test_room_for_bodies_equals_borrowed_columns(void **state)
{
	(void)state;
	for (size_t rows = 0; rows <= 3; rows++)
		for (unsigned with = 0; with < 4; with++)
			room_check(rows, (with & 1) != 0, (with & 2) != 0);
}

/* One of the numbers at which an encoder may go wrong, and any other. */
static uint64_t
some_number(uint64_t *seed)
{
	static const uint64_t ends[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX };

	return random_below(seed, 2) == 0 ? ends[random_below(seed, sizeof ends / sizeof ends[0])] : random_bits(seed);
}

static double
some_double(uint64_t *seed)
{
	static const double ends[] = { 0.0, -0.0, 1.0, 1e300, -1e-300 };

	return random_below(seed, 2) == 0 ? ends[random_below(seed, sizeof ends / sizeof ends[0])] : random_between(seed, -9, 9);
}

static void
test_random_ends_equal_protobuf_c(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < FRAMES; i++) {
		Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
		Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
		Collide__V1__Cost cost = COLLIDE__V1__COST__INIT;
		uint64_t seed = i;
		struct buffer ours, theirs;

		done.ticks = some_number(&seed);
		done.start_tick = some_number(&seed);
		done.events = some_number(&seed);
		done.collisions = some_number(&seed);
		done.clusters = some_number(&seed);
		done.clips = some_number(&seed);
		done.shortfalls = some_number(&seed);
		done.hash = some_number(&seed);
		done.engine_seconds = some_double(&seed);
		done.worker_seconds = some_double(&seed);
		done.waiting_seconds = some_double(&seed);
		if (random_below(&seed, 4) > 0) {
			done.optional_cost_case = COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST;
			done.cost = &cost;
		}
		cost.read_seconds = some_double(&seed);
		cost.reply_seconds = some_double(&seed);
		cost.looks = some_number(&seed);
		cost.repeated_ticks = some_number(&seed);
		cost.timed_ticks = some_number(&seed);
		cost.end_seconds = some_double(&seed);
		message.request_id = some_number(&seed);
		message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE;
		message.simulate_done = &done;
		buffer_init(&ours);
		buffer_init(&theirs);
		wire_done_append(&ours, message.request_id, &done);
		wire_reply_append(&theirs, &message);
		assert_int_equal(ours.count, theirs.count);
		assert_memory_equal(ours.bytes, theirs.bytes, theirs.count);
		buffer_finish(&ours);
		buffer_finish(&theirs);
	}
}

/* A frame of nothing at all is an empty Frame, not an absent one. */
static void
test_empty_frame(void **state)
{
	static const uint8_t expected[] = { 2, 0x32, 0 };
	struct wire_frame frame = { .tick = 0 };
	struct buffer buffer;

	(void)state;
	buffer_init(&buffer);
	wire_frame_append(&buffer, 0, &frame);
	assert_int_equal(buffer.count, sizeof expected);
	assert_memory_equal(buffer.bytes, expected, sizeof expected);
	buffer_finish(&buffer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_frames_equal_protobuf_c),
		cmocka_unit_test(test_room_for_bodies_equals_borrowed_columns),
		cmocka_unit_test(test_random_ends_equal_protobuf_c),
		cmocka_unit_test(test_empty_frame),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
