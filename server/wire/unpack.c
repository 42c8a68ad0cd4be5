#include "wire/unpack.h"

#include "base/pause.h"
#include "wire/alike.h"
#include "wire/fields.h"
#include "wire/limits.h"

#include <assert.h>
#include <string.h>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "fixed values are copied as they are on the wire");
static_assert(sizeof(protobuf_c_boolean) == 4 && sizeof(int) == 4, "as element_bytes has it");

/* Bytes of a value in memory. */
static size_t
element_bytes(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_DOUBLE: return 8;
	case PROTOBUF_C_TYPE_STRING: return sizeof(char *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(ProtobufCMessage *);
	default: return 4;
	}
}

/* Bytes of a fixed value on the wire, and in memory. */
static size_t
fixed_bytes(enum wire_type type)
{
	return type == WIRE_FIXED64 ? 8 : 4;
}

/* How many elements of a repeated field one value is. */
static size_t
elements_in(const ProtobufCFieldDescriptor *field, const struct wire_field *value)
{
	size_t count = 0;

	if (!wire_is_packed(field, value))
		return 1;
	if (wire_type_of(field) != WIRE_VARINT)
		return reader_left(&value->value) / fixed_bytes(wire_type_of(field));
	for (const uint8_t *at = value->value.at; at != value->value.end; at++)
		count += *at < 0x80; /* the last byte of each */
	return count;
}

/* Reads the next field and what the schema says of it, NULL if it is unknown. *raw is what came behind the tag. false: not the
 * form that was scanned. */
static inline bool
field_next(struct reader *bytes, const ProtobufCMessageDescriptor *descriptor, const ProtobufCFieldDescriptor **field,
           struct wire_field *value, struct reader *raw)
{
	if (reader_tag(bytes, &value->number, &value->type))
		return false;
	raw->at = bytes->at;
	if (reader_value(bytes, value))
		return false;
	raw->end = bytes->at;
	*field = wire_field_of(descriptor, value->number);
	return !*field || value->type == wire_type_of(*field) || wire_is_packed(*field, value);
}

/* The arrays for the repeated fields that come from here on, with room for all; their counts stay 0. */
static enum status
arrays_make(struct arena *arena, ProtobufCMessage *message, struct reader bytes)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;
	size_t counts[WIRE_FIELDS_MAX] = { 0 };
	const ProtobufCFieldDescriptor *field;
	struct wire_field value;
	struct reader raw;

	while (!reader_at_end(&bytes) && !pause_after(4)) {
		const uint8_t *before = bytes.at;
		struct alike alike;

		if (!field_next(&bytes, descriptor, &field, &value, &raw))
			return STATUS_INVALID_ARGUMENT;
		if (!field || field->label != PROTOBUF_C_LABEL_REPEATED)
			continue;
		size_t *counted = &counts[field - descriptor->fields];
		*counted += elements_in(field, &value);
		if (!alike_begin(&alike, field, before, bytes.at, bytes.end))
			continue;
		for (; alike_has_next(&alike, bytes.end) && !pause_after(1); bytes.at += alike.bytes) {
			alike.before = bytes.at;
			++*counted;
		}
	}
	if (pause_stopped())
		return STATUS_CANCELLED; /* what is not counted has no room */
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		if (counts[i] > 0) {
			void *array = arena_room(arena, counts[i], element_bytes(&descriptor->fields[i]));

			if (!array)
				return STATUS_RESOURCE_EXHAUSTED;
			memcpy((char *)message + descriptor->fields[i].offset, &array, sizeof array);
		}
	}
	return STATUS_OK;
}

static int32_t
zigzag32(uint32_t value)
{
	return (int32_t)((value >> 1) ^ (0 - (value & 1)));
}

static int64_t
zigzag64(uint64_t value)
{
	return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

static void
varint_store(const ProtobufCFieldDescriptor *field, uint64_t value, void *at)
{
	uint32_t narrow = (uint32_t)value;
	int32_t turned;
	int64_t turned_wide;

	switch (field->type) {
	case PROTOBUF_C_TYPE_SINT32:
		turned = zigzag32(narrow);
		memcpy(at, &turned, sizeof turned);
		return;
	case PROTOBUF_C_TYPE_SINT64:
		turned_wide = zigzag64(value);
		memcpy(at, &turned_wide, sizeof turned_wide);
		return;
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_UINT64: memcpy(at, &value, sizeof value); return;
	case PROTOBUF_C_TYPE_BOOL:
		narrow = value != 0;
		memcpy(at, &narrow, sizeof narrow);
		return;
	default: memcpy(at, &narrow, sizeof narrow); return;
	}
}

/* A string gets the end that C wants. */
static enum status
span_store(struct arena *arena, const ProtobufCFieldDescriptor *field, const struct reader *value, void *at)
{
	size_t count = reader_left(value);
	ProtobufCBinaryData data = { .len = count };
	char *text;

	if (field->type == PROTOBUF_C_TYPE_STRING) {
		text = arena_alloc(arena, count + 1);
		if (!text)
			return STATUS_RESOURCE_EXHAUSTED;
		data.data = (uint8_t *)text;
		memcpy(at, &text, sizeof text);
	} else {
		data.data = count > 0 ? arena_alloc(arena, count) : NULL;
		if (count > 0 && !data.data)
			return STATUS_RESOURCE_EXHAUSTED;
		memcpy(at, &data, sizeof data);
	}
	return count == 0 || pause_copy(data.data, value->at, count) ? STATUS_OK : STATUS_CANCELLED;
}

/* One value, not a packed one. */
static enum status
value_store(struct arena *arena, const ProtobufCFieldDescriptor *field, const struct wire_field *value, void *at)
{
	ProtobufCMessage *inner;

	switch (value->type) {
	case WIRE_VARINT: varint_store(field, value->varint, at); return STATUS_OK;
	case WIRE_FIXED64: memcpy(at, value->value.at, 8); return STATUS_OK;
	case WIRE_FIXED32: memcpy(at, value->value.at, 4); return STATUS_OK;
	case WIRE_BYTES: break;
	}
	if (field->type != PROTOBUF_C_TYPE_MESSAGE)
		return span_store(arena, field, &value->value, at);
	enum status status = wire_unpack(arena, field->descriptor, value->value.at, reader_left(&value->value), &inner);
	if (status == STATUS_OK) {
		void *pointer = inner;
		memcpy(at, &pointer, sizeof pointer);
	}
	return status;
}

static enum status
packed_store(const ProtobufCFieldDescriptor *field, struct reader value, char *at, size_t *count)
{
	size_t bytes = reader_left(&value), width = element_bytes(field);
	uint64_t element;

	if (wire_type_of(field) != WIRE_VARINT) {
		if (bytes % width != 0)
			return STATUS_INVALID_ARGUMENT;
		if (bytes > 0)
			(void)pause_copy(at + *count * width, value.at, bytes);
		*count += bytes / width;
		return STATUS_OK;
	}
	while (!reader_at_end(&value) && !pause_after(1)) {
		if (reader_varint(&value, &element))
			return STATUS_INVALID_ARGUMENT;
		varint_store(field, element, at + (*count)++ * width);
	}
	return STATUS_OK;
}

/* More of a repeated field; its array has room. */
static enum status
elements_store(struct arena *arena, ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
               const struct wire_field *value)
{
	size_t *count = (size_t *)(void *)((char *)message + field->quantifier_offset);
	char *array;

	memcpy(&array, (char *)message + field->offset, sizeof array);
	if (wire_is_packed(field, value))
		return packed_store(field, value->value, array, count);
	enum status status = value_store(arena, field, value, array + *count * element_bytes(field));
	*count += status == STATUS_OK;
	return status;
}

/* Where the struct has the doubles that an element is of, in their order. Returns how many there are, at most WIRE_FIELDS_MAX.
 */
static size_t
doubles_places(const struct alike *alike, const ProtobufCMessageDescriptor *descriptor, uint32_t *places)
{
	size_t count = 0;

	for (size_t i = alike->head; i < alike->bytes && count < WIRE_FIELDS_MAX; i += READER_DOUBLE_BYTES)
		places[count++] = descriptor->fields[(alike->before[i] >> 3) - 1].offset;
	return count;
}

/* Elements of the same doubles as the one before, which has been kept: copies of that, but for the doubles. It is always the
 * first that is copied: what was just stored in eights of bytes is slow to load in larger pieces. */
static enum status
alike_store(struct arena *arena, ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, const uint8_t *before,
            struct reader *bytes)
{
	const ProtobufCMessageDescriptor *descriptor = field->descriptor;
	size_t *count = (size_t *)(void *)((char *)message + field->quantifier_offset), places_count;
	uint32_t places[WIRE_FIELDS_MAX];
	struct alike alike;
	char *array, *first;

	if (!alike_begin(&alike, field, before, bytes->at, bytes->end) || !alike_has_next(&alike, bytes->end) ||
	    !alike_is_doubles(&alike, descriptor))
		return STATUS_OK;
	places_count = doubles_places(&alike, descriptor, places);
	if (alike.head + places_count * READER_DOUBLE_BYTES < alike.bytes)
		return STATUS_OK; /* some are there twice */
	memcpy(&array, (char *)message + field->offset, sizeof array);
	memcpy(&first, array + (*count - 1) * sizeof first, sizeof first);
	size_t same;
	do {
		const size_t size = descriptor->sizeof_message;
		const uint8_t *value = bytes->at + alike.head + 1;

		same = alike_count_same(&alike, bytes->end, SIZE_MAX);
		char *elements = same > 0 ? arena_room(arena, same, size) : first;

		if (!elements)
			return STATUS_RESOURCE_EXHAUSTED;
		for (size_t k = 0; k < same; k++) {
			char *element = elements + k * size;

			memcpy(element, first, size);
			memcpy(array + (*count)++ * sizeof element, &element, sizeof element);
		}
		/* One double of all of them after the other: short loops. */
		for (size_t i = 0; i < places_count; i++, value += READER_DOUBLE_BYTES)
			for (size_t k = 0; k < same; k++)
				memcpy(elements + k * size + places[i], value + k * alike.bytes, sizeof(double));
		bytes->at += same * alike.bytes;
		alike.before += same * alike.bytes;
	} while (same == ALIKE_AT_ONCE && !pause_after(4 * ALIKE_AT_ONCE));
	return STATUS_OK;
}

/* Which of its oneof a singular field is, or that it is there. */
static void
quantifier_store(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	uint32_t quantifier = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 ? field->id : 1;

	if (field->quantifier_offset != 0)
		memcpy((char *)message + field->quantifier_offset, &quantifier, sizeof quantifier);
}

static enum status
singular_store(struct arena *arena, ProtobufCMessage *message, const ProtobufCFieldDescriptor *field,
               const struct wire_field *value)
{
	quantifier_store(message, field);
	return value_store(arena, field, value, (char *)message + field->offset);
}

/* Keeps a field of a later version as it came, from behind its tag on. */
static enum status
unknown_store(struct arena *arena, ProtobufCMessage *message, const struct wire_field *value, struct reader raw)
{
	if (!message->unknown_fields)
		message->unknown_fields = arena_array(arena, WIRE_UNKNOWN_FIELDS_MAX, sizeof *message->unknown_fields);
	if (!message->unknown_fields || message->n_unknown_fields == WIRE_UNKNOWN_FIELDS_MAX)
		return STATUS_RESOURCE_EXHAUSTED;
	ProtobufCMessageUnknownField *field = &message->unknown_fields[message->n_unknown_fields];
	field->tag = value->number;
	field->wire_type = (ProtobufCWireType)value->type;
	field->len = reader_left(&raw);
	field->data = arena_alloc(arena, field->len);
	if (!field->data)
		return STATUS_RESOURCE_EXHAUSTED;
	memcpy(field->data, raw.at, field->len); /* at least the length or the varint */
	message->n_unknown_fields++;
	return STATUS_OK;
}

/* Any field. *arrays: the message's have been made. */
static enum status
field_unpack(struct arena *arena, ProtobufCMessage *message, struct reader *bytes, bool *arrays)
{
	const struct reader here = *bytes;
	const ProtobufCFieldDescriptor *field;
	struct wire_field value;
	struct reader raw;
	enum status status = STATUS_OK;

	if (!field_next(bytes, message->descriptor, &field, &value, &raw))
		return STATUS_INVALID_ARGUMENT;
	if (!field)
		return unknown_store(arena, message, &value, raw);
	if (field->label != PROTOBUF_C_LABEL_REPEATED)
		return singular_store(arena, message, field, &value);
	if (!*arrays) {
		*arrays = true;
		status = arrays_make(arena, message, here);
	}
	if (status == STATUS_OK)
		status = elements_store(arena, message, field, &value);
	return status == STATUS_OK ? alike_store(arena, message, field, here.at, bytes) : status;
}

/* Keeps singular doubles up to the first field that is none; returns where that begins. */
static const uint8_t *
doubles_unpack(ProtobufCMessage *message, const uint8_t *at, const uint8_t *end)
{
	const ProtobufCMessageDescriptor *descriptor = message->descriptor;

	for (;; at += READER_DOUBLE_BYTES) {
		const ProtobufCFieldDescriptor *field = wire_double_next(descriptor, at, end);

		if (!field || pause_after(1))
			return at;
		quantifier_store(message, field);
		memcpy((char *)message + field->offset, at + 1, sizeof(double));
	}
}

enum status
wire_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t count,
            ProtobufCMessage **out)
{
	struct reader rest = reader_of(bytes, count);
	ProtobufCMessage *message = arena_room(arena, 1, descriptor->sizeof_message);
	enum status status = STATUS_OK;
	bool arrays = false;

	if (!message)
		return STATUS_RESOURCE_EXHAUSTED;
	descriptor->message_init(message);
	for (rest.at = doubles_unpack(message, rest.at, rest.end); status == STATUS_OK && rest.at != rest.end && !pause_after(8);
	     rest.at = doubles_unpack(message, rest.at, rest.end))
		status = field_unpack(arena, message, &rest, &arrays);
	if (status == STATUS_OK && pause_stopped())
		status = STATUS_CANCELLED;
	if (status == STATUS_OK)
		*out = message;
	return status;
}
