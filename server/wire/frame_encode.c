/* The frame by hand: every column is a tag, a length and a copy. protobuf-c would walk each element through a switch. A test
 * holds the result byte for byte against protobuf-c, so the order of fields and what is left out follow its rules. */
#include "wire/wire.h"

#include "base/check.h"
#include "base/pause.h"
#include "proto/frame.h"
#include "wire/limits.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "columns are copied as they are in memory");
static_assert(sizeof(double) == 8, "a double is a fixed64");

#define COLUMNS_MAX 25
#define VARINT_BYTES_MAX 10
#define UPDATE_FRAME_FIELD 10 /* WorldUpdate.frame */
/* Of a flat message: numbers with tags of one or two bytes, and as many of one message in it. */
#define FLAT_BYTES_MAX (2 * (WIRE_FIELDS_MAX + 1) * (2 + VARINT_BYTES_MAX))

enum column_type { COLUMN_FIXED32, COLUMN_FIXED64, COLUMN_SMALL_VARINT };

struct frame_column {
	uint32_t number;
	enum column_type type;
	const void *values; /* uint32_t, uint64_t or double, uint8_t; NULL: left out */
	uint8_t **room;     /* not NULL: gets where the values belong, which are written later */
	size_t payload_bytes;
};

/* A sub-message of columns, each of `rows` values. */
struct frame_table {
	uint32_t number; /* in Frame */
	size_t rows;
	size_t column_count;
	size_t payload_bytes;
	struct frame_column columns[COLUMNS_MAX];
};

static size_t
varint_bytes(uint64_t value)
{
	size_t count = 1;

	while (value >= 0x80) {
		value >>= 7;
		count++;
	}
	return count;
}

static uint8_t *
varint_write(uint8_t *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (uint8_t)(value | 0x80);
		value >>= 7;
	}
	*at++ = (uint8_t)value;
	return at;
}

static size_t
tag_bytes(uint32_t number)
{
	return varint_bytes((uint64_t)number << 3);
}

static uint8_t *
tag_write(uint8_t *at, uint32_t number, unsigned wire_type)
{
	return varint_write(at, (uint64_t)number << 3 | wire_type);
}

/* Bytes of a field of type 2 with its tag and length; 0 payload bytes still cost these. */
static size_t
span_bytes(uint32_t number, size_t payload_bytes)
{
	return tag_bytes(number) + varint_bytes(payload_bytes) + payload_bytes;
}

static uint8_t *
span_begin(uint8_t *at, uint32_t number, size_t payload_bytes)
{
	return varint_write(tag_write(at, number, 2), payload_bytes);
}

/* The rule of proto3: a scalar of zero is left out. protobuf-c asks value == 0, so -0.0 is left out too. */
static size_t
scalar_bytes(uint32_t number, uint64_t value)
{
	return value == 0 ? 0 : tag_bytes(number) + varint_bytes(value);
}

static uint8_t *
scalar_write(uint8_t *at, uint32_t number, uint64_t value)
{
	return value == 0 ? at : varint_write(tag_write(at, number, 0), value);
}

static size_t
fixed_bytes(uint32_t number, bool zero)
{
	return zero ? 0 : tag_bytes(number) + 8;
}

static uint8_t *
fixed_write(uint8_t *at, uint32_t number, bool zero, const void *value)
{
	if (zero)
		return at;
	at = tag_write(at, number, 1);
	memcpy(at, value, 8);
	return at + 8;
}

/* A message of singular numbers alone, packed, or of such and one more such message in it. */
struct flat {
	size_t count;
	uint8_t bytes[FLAT_BYTES_MAX];
};

static uint8_t *
flat_number_write(uint8_t *at, const ProtobufCFieldDescriptor *field, const char *value)
{
	uint32_t narrow;
	uint64_t wide;
	double number;

	CHECK(field->label == PROTOBUF_C_LABEL_NONE && (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0);
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: memcpy(&number, value, sizeof number); return fixed_write(at, field->id, number == 0, value);
	case PROTOBUF_C_TYPE_FIXED64: memcpy(&wide, value, sizeof wide); return fixed_write(at, field->id, wide == 0, value);
	case PROTOBUF_C_TYPE_UINT64: memcpy(&wide, value, sizeof wide); return scalar_write(at, field->id, wide);
	case PROTOBUF_C_TYPE_UINT32: memcpy(&narrow, value, sizeof narrow); return scalar_write(at, field->id, narrow);
	default: CHECK(false && "a flat message has numbers only"); return at;
	}
}

static uint8_t *
flat_numbers_write(uint8_t *at, const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;

	CHECK(descriptor->n_fields <= WIRE_FIELDS_MAX);
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];

		if (field->type != PROTOBUF_C_TYPE_MESSAGE)
			at = flat_number_write(at, field, (const char *)message + field->offset);
	}
	return at;
}

/* `inner`: the last field, of that number; NULL: none. */
static void
flat_pack(struct flat *flat, const ProtobufCMessage *message, uint32_t number, const ProtobufCMessage *inner)
{
	uint8_t *at = flat_numbers_write(flat->bytes, message);
	uint8_t bytes[FLAT_BYTES_MAX / 2];

	if (inner) {
		size_t count = (size_t)(flat_numbers_write(bytes, inner) - bytes);

		at = span_begin(at, number, count);
		memcpy(at, bytes, count);
		at += count;
	}
	flat->count = (size_t)(at - flat->bytes);
}

static uint8_t *
flat_write(uint8_t *at, uint32_t number, const struct flat *flat)
{
	at = span_begin(at, number, flat->count);
	memcpy(at, flat->bytes, flat->count);
	return at + flat->count;
}

static size_t
column_payload_bytes(enum column_type type, const uint8_t *values, size_t rows)
{
	size_t bytes = rows;

	switch (type) {
	case COLUMN_FIXED32: return 4 * rows;
	case COLUMN_FIXED64: return 8 * rows;
	case COLUMN_SMALL_VARINT: break;
	}
	for (size_t i = 0; i < rows; i++)
		bytes += values[i] >= 0x80;
	return bytes;
}

/* Its columns are told by column_count: none is worth clearing. false: it has no rows, and so no columns, as most tables of a
 * frame. */
static bool
table_begin(struct frame_table *table, uint32_t number, size_t rows)
{
	table->number = number;
	table->rows = rows;
	table->column_count = table->payload_bytes = 0;
	return rows > 0;
}

/* Takes the number and type of a column, and its values or room for them. */
static void
table_add_column(struct frame_table *table, struct frame_column column)
{
	CHECK(table->column_count < COLUMNS_MAX);
	column.payload_bytes = column_payload_bytes(column.type, column.values, table->rows);
	table->payload_bytes += span_bytes(column.number, column.payload_bytes);
	table->columns[table->column_count++] = column;
}

/* To a table with rows. */
static void
table_add(struct frame_table *table, uint32_t number, enum column_type type, const void *values)
{
	if (values)
		table_add_column(table, (struct frame_column){ .number = number, .type = type, .values = values });
}

/* The same of fixed32 or fixed64 that are written later. */
static void
table_add_room(struct frame_table *table, uint32_t number, enum column_type type, uint8_t **room)
{
	*room = NULL;
	if (table->rows > 0)
		table_add_column(table, (struct frame_column){ .number = number, .type = type, .room = room });
}

static uint8_t *
column_write(uint8_t *at, const struct frame_column *column, size_t rows)
{
	at = span_begin(at, column->number, column->payload_bytes);
	if (column->room) {
		*column->room = at;
		return at + column->payload_bytes;
	}
	if (column->type == COLUMN_SMALL_VARINT && column->payload_bytes != rows) {
		for (size_t i = 0; i < rows; i++)
			at = varint_write(at, ((const uint8_t *)column->values)[i]);
		return at;
	}
	(void)pause_copy(at, column->values, column->payload_bytes);
	return at + column->payload_bytes;
}

static size_t
table_bytes(const struct frame_table *table)
{
	return table->rows == 0 ? 0 : span_bytes(table->number, table->payload_bytes);
}

static uint8_t *
table_write(uint8_t *at, const struct frame_table *table)
{
	if (table->rows == 0)
		return at;
	at = span_begin(at, table->number, table->payload_bytes);
	for (size_t i = 0; i < table->column_count; i++)
		at = column_write(at, &table->columns[i], table->rows);
	return at;
}

/* Those before TABLE_PAIR_EVENTS come before the scalars of a frame, the others after them. */
enum {
	TABLE_BODIES,
	TABLE_CONTACTS,
	TABLE_PATH_CHANGES,
	TABLE_SHORTFALLS,
	TABLE_PAIR_EVENTS,
	TABLE_PATHS,
	TABLE_MOVING,
	TABLE_ENDS,
	TABLE_COUNT
};

static void
contact_table_set(struct frame_table *contacts, const struct wire_frame *frame)
{
	if (!table_begin(contacts, 6, frame->contact_count))
		return;
	table_add(contacts, 1, COLUMN_FIXED64, frame->contact_tick);
	table_add(contacts, 2, COLUMN_FIXED64, frame->contact_time);
	table_add(contacts, 3, COLUMN_FIXED32, frame->contact_a);
	table_add(contacts, 4, COLUMN_FIXED32, frame->contact_b);
	table_add(contacts, 5, COLUMN_SMALL_VARINT, frame->contact_feature);
	table_add(contacts, 6, COLUMN_SMALL_VARINT, frame->contact_flags);
	for (uint32_t i = 0; i < sizeof frame->contact_values / sizeof frame->contact_values[0]; i++)
		table_add(contacts, 7 + i, COLUMN_FIXED64, frame->contact_values[i]);
}

static void
path_change_table_set(struct frame_table *paths, const struct wire_frame *frame)
{
	if (!table_begin(paths, 7, frame->path_change_count))
		return;
	table_add(paths, 1, COLUMN_FIXED64, frame->path_tick);
	table_add(paths, 2, COLUMN_FIXED64, frame->path_time);
	table_add(paths, 3, COLUMN_FIXED32, frame->path_body);
	table_add(paths, 4, COLUMN_SMALL_VARINT, frame->path_kind);
	table_add(paths, 5, COLUMN_FIXED64, frame->path_vector_x);
	table_add(paths, 6, COLUMN_FIXED64, frame->path_vector_y);
}

static void
shortfall_table_set(struct frame_table *shortfalls, const struct wire_frame *frame)
{
	if (!table_begin(shortfalls, 8, frame->shortfall_count))
		return;
	table_add(shortfalls, 1, COLUMN_FIXED64, frame->shortfall_tick);
	table_add(shortfalls, 2, COLUMN_FIXED32, frame->shortfall_body);
	table_add(shortfalls, 3, COLUMN_SMALL_VARINT, frame->shortfall_flag);
	table_add(shortfalls, 4, COLUMN_FIXED64, frame->shortfall_amount);
}

static void
pair_event_table_set(struct frame_table *events, const struct wire_frame *frame)
{
	if (!table_begin(events, 16, frame->pair_event_count))
		return;
	table_add(events, 1, COLUMN_FIXED64, frame->pair_event_tick);
	table_add(events, 2, COLUMN_FIXED64, frame->pair_event_time);
	table_add(events, 3, COLUMN_SMALL_VARINT, frame->pair_event_kind);
	table_add(events, 4, COLUMN_FIXED32, frame->pair_event_a);
	table_add(events, 5, COLUMN_FIXED32, frame->pair_event_b);
	table_add(events, 6, COLUMN_SMALL_VARINT, frame->pair_event_feature);
	for (uint32_t i = 0; i < sizeof frame->pair_event_values / sizeof frame->pair_event_values[0]; i++)
		table_add(events, 7 + i, COLUMN_FIXED64, frame->pair_event_values[i]);
	table_add(events, 13, COLUMN_FIXED64, frame->pair_event_tags[0]);
	table_add(events, 14, COLUMN_FIXED64, frame->pair_event_tags[1]);
}

static void
path_table_set(struct frame_table *paths, const struct wire_frame *frame)
{
	if (!table_begin(paths, 17, frame->piece_count))
		return;
	table_add(paths, 1, COLUMN_FIXED64, frame->piece_tick);
	table_add(paths, 2, COLUMN_FIXED64, frame->piece_time);
	table_add(paths, 3, COLUMN_FIXED32, frame->piece_body);
	for (uint32_t i = 0; i < sizeof frame->piece_values / sizeof frame->piece_values[0]; i++)
		table_add(paths, 4 + i, COLUMN_FIXED64, frame->piece_values[i]);
}

static void
moving_table_set(struct frame_table *moving, const struct wire_frame *frame)
{
	if (!table_begin(moving, 18, frame->moving_count))
		return;
	table_add(moving, 1, COLUMN_FIXED32, frame->moving_id);
	for (uint32_t i = 0; i < sizeof frame->moving_values / sizeof frame->moving_values[0]; i++)
		table_add(moving, 2 + i, COLUMN_FIXED64, frame->moving_values[i]);
}

static void
end_table_set(struct frame_table *ends, const struct wire_frame *frame)
{
	if (!table_begin(ends, 19, frame->end_count))
		return;
	table_add(ends, 1, COLUMN_FIXED64, frame->end_tick);
	table_add(ends, 2, COLUMN_FIXED64, frame->end_time);
	table_add(ends, 3, COLUMN_FIXED32, frame->end_body);
	table_add(ends, 4, COLUMN_SMALL_VARINT, frame->end_reason);
	table_add(ends, 5, COLUMN_FIXED64, frame->end_tag);
	for (uint32_t i = 0; i < sizeof frame->end_values / sizeof frame->end_values[0]; i++)
		table_add(ends, 6 + i, COLUMN_FIXED64, frame->end_values[i]);
}

static void
body_room_set(struct frame_table *bodies, struct wire_body_room *room)
{
	table_add_room(bodies, 1, COLUMN_FIXED32, &room->id);
	table_add_room(bodies, 2, COLUMN_FIXED64, &room->x);
	table_add_room(bodies, 3, COLUMN_FIXED64, &room->y);
	table_add_room(bodies, 4, COLUMN_FIXED64, &room->vx);
	table_add_room(bodies, 5, COLUMN_FIXED64, &room->vy);
	room->angle = room->spin = room->tag = NULL;
	if (room->turns) {
		table_add_room(bodies, 6, COLUMN_FIXED64, &room->angle);
		table_add_room(bodies, 7, COLUMN_FIXED64, &room->spin);
	}
	if (room->tagged)
		table_add_room(bodies, 8, COLUMN_FIXED64, &room->tag);
}

static void
body_table_set(struct frame_table *bodies, const struct wire_frame *frame)
{
	bool some = table_begin(bodies, 5, frame->body_count);

	if (frame->body_room)
		body_room_set(bodies, frame->body_room);
	if (frame->body_room || !some)
		return;
	table_add(bodies, 1, COLUMN_FIXED32, frame->body_id);
	table_add(bodies, 2, COLUMN_FIXED64, frame->body_x);
	table_add(bodies, 3, COLUMN_FIXED64, frame->body_y);
	table_add(bodies, 4, COLUMN_FIXED64, frame->body_vx);
	table_add(bodies, 5, COLUMN_FIXED64, frame->body_vy);
	table_add(bodies, 6, COLUMN_FIXED64, frame->body_angle);
	table_add(bodies, 7, COLUMN_FIXED64, frame->body_spin);
	table_add(bodies, 8, COLUMN_FIXED64, frame->body_tag);
}

/* Numbers of tables and columns are those of the fields in collide.proto. */
static void
tables_set(struct frame_table tables[static TABLE_COUNT], const struct wire_frame *frame)
{
	body_table_set(&tables[TABLE_BODIES], frame);
	contact_table_set(&tables[TABLE_CONTACTS], frame);
	path_change_table_set(&tables[TABLE_PATH_CHANGES], frame);
	shortfall_table_set(&tables[TABLE_SHORTFALLS], frame);
	pair_event_table_set(&tables[TABLE_PAIR_EVENTS], frame);
	path_table_set(&tables[TABLE_PATHS], frame);
	moving_table_set(&tables[TABLE_MOVING], frame);
	end_table_set(&tables[TABLE_ENDS], frame);
}

/* Those that there are. */
struct ledgers {
	struct flat energy, momentum;
};

static size_t
frame_bytes(const struct wire_frame *frame, const struct frame_table tables[static TABLE_COUNT], const struct ledgers *ledgers)
{
	size_t bytes = scalar_bytes(1, frame->tick) + fixed_bytes(2, frame->time == 0) + fixed_bytes(3, frame->hash == 0) +
	               scalar_bytes(4, frame->more) + scalar_bytes(10, frame->events) + scalar_bytes(11, frame->collisions) +
	               scalar_bytes(12, frame->clusters) + scalar_bytes(13, frame->clips) + scalar_bytes(14, frame->asleep);

	for (size_t i = 0; i < TABLE_COUNT; i++)
		bytes += table_bytes(&tables[i]);
	return bytes + (!frame->energy ? 0 : span_bytes(9, ledgers->energy.count)) +
	       (!frame->momentum ? 0 : span_bytes(15, ledgers->momentum.count));
}

static uint8_t *
frame_write(uint8_t *at, const struct wire_frame *frame, const struct frame_table tables[static TABLE_COUNT],
            const struct ledgers *ledgers)
{
	at = scalar_write(at, 1, frame->tick);
	at = fixed_write(at, 2, frame->time == 0, &frame->time);
	at = fixed_write(at, 3, frame->hash == 0, &frame->hash);
	at = scalar_write(at, 4, frame->more);
	for (size_t i = 0; i < TABLE_PAIR_EVENTS; i++)
		at = table_write(at, &tables[i]);
	if (frame->energy)
		at = flat_write(at, 9, &ledgers->energy);
	at = scalar_write(at, 10, frame->events);
	at = scalar_write(at, 11, frame->collisions);
	at = scalar_write(at, 12, frame->clusters);
	at = scalar_write(at, 13, frame->clips);
	at = scalar_write(at, 14, frame->asleep);
	if (frame->momentum)
		at = flat_write(at, 15, &ledgers->momentum);
	for (size_t i = TABLE_PAIR_EVENTS; i < TABLE_COUNT; i++)
		at = table_write(at, &tables[i]);
	return at;
}

/* Room for a ServerMessage with its length in front, and for a reply of `bytes` in it. At least the envelope is written.
 * Returns the place of the reply; *end is where that ends. NULL without memory. */
static uint8_t *
reply_begin(struct buffer *buffer, uint64_t request_id, uint32_t number, size_t bytes, bool with_reply, uint8_t **end)
{
	size_t body_bytes = scalar_bytes(1, request_id) + span_bytes(number, bytes), header_bytes;
	uint8_t header[FRAME_HEADER_BYTES_MAX];

	CHECK(body_bytes <= UINT32_MAX);
	header_bytes = frame_header_write(header, (uint32_t)body_bytes);
	uint8_t *at = buffer_extend(buffer, header_bytes + body_bytes - (with_reply ? 0 : bytes));
	if (!at)
		return NULL;
	*end = at + header_bytes + body_bytes;
	memcpy(at, header, header_bytes);
	at = scalar_write(at + header_bytes, 1, request_id);
	return span_begin(at, number, bytes);
}

void
wire_envelope_append(struct buffer *buffer, uint64_t request_id, uint32_t reply_field, size_t body_bytes)
{
	uint8_t *end;

	(void)reply_begin(buffer, request_id, reply_field, body_bytes, false, &end);
}

/* What a frame is made of, measured. */
struct frame_plan {
	struct frame_table tables[TABLE_COUNT];
	struct ledgers ledgers;
	size_t bytes;
};

static void
frame_plan_set(struct frame_plan *plan, const struct wire_frame *frame)
{
	if (frame->energy)
		flat_pack(&plan->ledgers.energy, &frame->energy->base, 0, NULL);
	if (frame->momentum)
		flat_pack(&plan->ledgers.momentum, &frame->momentum->base, 0, NULL);
	tables_set(plan->tables, frame);
	plan->bytes = frame_bytes(frame, plan->tables, &plan->ledgers);
}

void
wire_frame_append(struct buffer *buffer, uint64_t request_id, const struct wire_frame *frame)
{
	struct frame_plan plan;
	uint8_t *end;

	frame_plan_set(&plan, frame);
	uint8_t *at = reply_begin(buffer, request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME, plan.bytes, true, &end);
	if (at) {
		at = frame_write(at, frame, plan.tables, &plan.ledgers);
		CHECK(at == end);
	}
}

void
wire_frame_body_append(struct buffer *buffer, const struct wire_frame *frame)
{
	struct frame_plan plan;

	frame_plan_set(&plan, frame);
	uint8_t *at = buffer_extend(buffer, plan.bytes);
	if (at)
		CHECK(frame_write(at, frame, plan.tables, &plan.ledgers) == at + plan.bytes);
}

void
wire_update_body_append(struct buffer *buffer, const Collide__V1__WorldUpdate *head, const struct wire_frame *frame)
{
	struct frame_plan plan;
	size_t head_bytes = collide__v1__world_update__get_packed_size(head);

	CHECK(head->optional_frame_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_FRAME__NOT_SET);
	frame_plan_set(&plan, frame);
	uint8_t *at = buffer_extend(buffer, head_bytes + span_bytes(UPDATE_FRAME_FIELD, plan.bytes));
	if (!at)
		return;
	(void)collide__v1__world_update__pack(head, at);
	at = span_begin(at + head_bytes, UPDATE_FRAME_FIELD, plan.bytes);
	CHECK(frame_write(at, frame, plan.tables, &plan.ledgers) == at + plan.bytes);
}

void
wire_field_append(struct buffer *buffer, uint32_t number, const ProtobufCMessage *message)
{
	size_t count = protobuf_c_message_get_packed_size(message);
	uint8_t *at = buffer_extend(buffer, span_bytes(number, count));

	if (at)
		(void)protobuf_c_message_pack(message, span_begin(at, number, count));
}

void
wire_described_begin(struct buffer *buffer, uint64_t request_id)
{
	size_t count;

	(void)wire_descriptor_set(&count);
	wire_envelope_append(buffer, request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED, span_bytes(1, count));
	uint8_t *at = buffer->failed ? NULL : buffer_extend(buffer, span_bytes(1, count) - count);
	if (at)
		(void)span_begin(at, 1, count);
}

void
wire_done_append(struct buffer *buffer, uint64_t request_id, const Collide__V1__SimulateDone *done)
{
	struct flat flat;
	uint8_t *end;
	bool told = done->optional_cost_case == COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST;

	flat_pack(&flat, &done->base, COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST, told ? &done->cost->base : NULL);
	uint8_t *at = reply_begin(buffer, request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE, flat.count, true, &end);
	if (at) {
		memcpy(at, flat.bytes, flat.count);
		CHECK(at + flat.count == end);
	}
}
