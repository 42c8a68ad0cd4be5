/* fields: what protobuf-c's descriptors say of a field on the wire.
 *
 * Any thread; static data. */
#ifndef COLLIDED_WIRE_FIELDS_H
#define COLLIDED_WIRE_FIELDS_H

#include "wire/reader.h"

#include <protobuf-c/protobuf-c.h>

/* NULL: the message has no such field. */
static inline const ProtobufCFieldDescriptor *
wire_field_of(const ProtobufCMessageDescriptor *message, uint32_t number)
{
	/* Sorted by number, and nearly always 1, 2, 3... without gaps. */
	if (number <= message->n_fields && message->fields[number - 1].id == number)
		return &message->fields[number - 1];
	for (unsigned i = 0; i < message->n_fields; i++)
		if (message->fields[i].id == number)
			return &message->fields[i];
	return NULL;
}

/* The wire type of one value of a field. */
static inline enum wire_type
wire_type_of(const ProtobufCFieldDescriptor *field)
{
	static const uint8_t types[] = {
		[PROTOBUF_C_TYPE_DOUBLE] = WIRE_FIXED64,   [PROTOBUF_C_TYPE_FIXED64] = WIRE_FIXED64,
		[PROTOBUF_C_TYPE_SFIXED64] = WIRE_FIXED64, [PROTOBUF_C_TYPE_FLOAT] = WIRE_FIXED32,
		[PROTOBUF_C_TYPE_FIXED32] = WIRE_FIXED32,  [PROTOBUF_C_TYPE_SFIXED32] = WIRE_FIXED32,
		[PROTOBUF_C_TYPE_STRING] = WIRE_BYTES,     [PROTOBUF_C_TYPE_BYTES] = WIRE_BYTES,
		[PROTOBUF_C_TYPE_MESSAGE] = WIRE_BYTES, /* the last; all others are varints, which are 0 */
	};

	return (enum wire_type)types[field->type];
}

/* Whether a value that came is many elements of a repeated field, one behind the other. */
static inline bool
wire_is_packed(const ProtobufCFieldDescriptor *field, const struct wire_field *value)
{
	return field->label == PROTOBUF_C_LABEL_REPEATED && value->type == WIRE_BYTES && wire_type_of(field) != WIRE_BYTES;
}

/* The field that comes next, if it is a singular double behind a tag of one byte, all there. Then READER_DOUBLE_BYTES are to be
 * skipped. NULL: anything else. Most fields of a scene are such doubles, so a fast path pays. */
static inline const ProtobufCFieldDescriptor *
wire_double_next(const ProtobufCMessageDescriptor *message, const uint8_t *at, const uint8_t *end)
{
	if (end - at < READER_DOUBLE_BYTES || (*at & 0x87) != WIRE_FIXED64)
		return NULL;
	unsigned place = (*at >> 3) - 1u; /* of number 0: none */
	if (place >= message->n_fields)
		return NULL;
	const ProtobufCFieldDescriptor *field = &message->fields[place];
	return field->id == place + 1 && field->type == PROTOBUF_C_TYPE_DOUBLE && field->label != PROTOBUF_C_LABEL_REPEATED ? field
	                                                                                                                    : NULL;
}

#endif
