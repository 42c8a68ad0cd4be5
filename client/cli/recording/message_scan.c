#include "client/cli/recording/message_scan.h"

#include "wire/reader.h"
#include "wire/rules.h"

#include <stdio.h>

struct message_walk {
	const uint8_t *start;
	struct message_unknown unknown;
	struct message_fault *fault;
	char path[120];
};

static bool
scan_fail(struct message_walk *scan, const uint8_t *at, const char *what)
{
	scan->fault->offset = (size_t)(at - scan->start);
	snprintf(scan->fault->text, sizeof scan->fault->text, "%s%s%s", scan->path, scan->path[0] != '\0' ? " " : "", what);
	return false;
}

static enum wire_type
scalar_wire_type(ProtobufCType type)
{
	switch (type) {
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_SFIXED64: return WIRE_FIXED64;
	case PROTOBUF_C_TYPE_FLOAT:
	case PROTOBUF_C_TYPE_FIXED32:
	case PROTOBUF_C_TYPE_SFIXED32: return WIRE_FIXED32;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_BYTES:
	case PROTOBUF_C_TYPE_MESSAGE: return WIRE_BYTES;
	default: return WIRE_VARINT;
	}
}

static bool
packed_scan(struct message_walk *scan, enum wire_type element, struct reader elements)
{
	size_t size = element == WIRE_FIXED64 ? 8 : 4;
	uint64_t value;
	if (element != WIRE_VARINT)
		return reader_left(&elements) % size == 0 || scan_fail(scan, elements.at, "does not hold whole elements");
	while (!reader_at_end(&elements)) {
		const char *wrong = reader_varint(&elements, &value);
		if (wrong)
			return scan_fail(scan, elements.at, wrong);
	}
	return true;
}

/* UTF-8. Control characters are allowed here, although the server's rule for names refuses them. */
static bool
string_scan(struct message_walk *scan, struct reader text)
{
	while (!reader_at_end(&text)) {
		const uint8_t *end = text.at;
		while (end != text.end && *end >= 0x20 && *end != 0x7f)
			end++;
		if (!wire_text_is_valid(text.at, (size_t)(end - text.at)))
			return scan_fail(scan, text.at, "is not UTF-8");
		text.at = end == text.end ? end : end + 1;
	}
	return true;
}

static bool fields_scan(struct message_walk *scan, const ProtobufCMessageDescriptor *type, struct reader reader,
                        size_t path_length);

/* A field of the schema; `at` is its tag. */
static bool
field_scan(struct message_walk *scan, const ProtobufCFieldDescriptor *known, const struct wire_field *field, const uint8_t *at,
           size_t path_length)
{
	enum wire_type wanted = scalar_wire_type(known->type);
	if (field->type == WIRE_BYTES && wanted != WIRE_BYTES && known->label == PROTOBUF_C_LABEL_REPEATED)
		return packed_scan(scan, wanted, field->value);
	if (field->type != wanted)
		return scan_fail(scan, at, "has a wire type that the schema does not give it");
	if (known->type == PROTOBUF_C_TYPE_BOOL && field->varint > 1)
		return scan_fail(scan, at, "is neither true nor false");
	if (known->type == PROTOBUF_C_TYPE_MESSAGE)
		return fields_scan(scan, known->descriptor, field->value, path_length);
	return known->type != PROTOBUF_C_TYPE_STRING || string_scan(scan, field->value);
}

/* No type of the schema contains itself, so the recursion is as deep as the schema. */
static bool
fields_scan(struct message_walk *scan, const ProtobufCMessageDescriptor *type, struct reader reader, size_t path_length)
{
	while (!reader_at_end(&reader)) {
		const uint8_t *at = reader.at;
		struct wire_field field = { 0 };
		const char *wrong = reader_tag(&reader, &field.number, &field.type);
		if (wrong)
			return scan_fail(scan, at, wrong);
		const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(type, field.number);
		size_t room = sizeof scan->path - path_length, length = path_length;
		if (known) {
			int written = snprintf(scan->path + path_length, room, "%s%s", path_length > 0 ? "." : "", known->name);
			length += written > 0 && (size_t)written < room ? (size_t)written : 0;
		}
		wrong = reader_value(&reader, &field);
		if (wrong)
			return scan_fail(scan, at, wrong);
		if (!known)
			*(path_length == 0 ? &scan->unknown.outer : &scan->unknown.inner) += 1;
		else if (!field_scan(scan, known, &field, at, length))
			return false;
		scan->path[path_length] = '\0';
	}
	return true;
}

bool
message_scan(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t count, struct message_unknown *unknown,
             struct message_fault *fault)
{
	struct message_walk scan = { .start = bytes, .fault = fault };
	bool good = fields_scan(&scan, type, reader_of(bytes, count), 0);
	*unknown = scan.unknown;
	return good;
}
