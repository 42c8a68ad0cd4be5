/* Writes by descriptor, as reading does. The wide layout is for people: a message's own fields one a line, a message in a list
 * one a line, columns wrapped. */
#include "client/cli/scene/message_json.h"

#include "client/cli/scene/json_text.h"
#include "client/cli/scene/scene_json_name.h"

#include <inttypes.h>
#include <string.h>

/* Columns are wrapped after this many characters, so that a file of a million circles still opens in an editor. */
enum { LINE_CHARS = 110 };

static void message_write(FILE *out, const ProtobufCMessage *message, int indent, bool one_line);

static int
bytes_write(FILE *out, const ProtobufCBinaryData *data)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	fputc('"', out);
	for (size_t i = 0; i < data->len; i += 3) {
		size_t left = data->len - i;
		uint32_t three = (uint32_t)data->data[i] << 16;
		three |= left > 1 ? (uint32_t)data->data[i + 1] << 8 : 0;
		three |= left > 2 ? (uint32_t)data->data[i + 2] : 0;
		char four[4] = { digits[three >> 18], digits[three >> 12 & 63], left > 1 ? digits[three >> 6 & 63] : '=',
			             left > 2 ? digits[three & 63] : '=' };
		(void)fwrite(four, 1, sizeof four, out);
	}
	fputc('"', out);
	return (int)(data->len / 3 * 4);
}

static int
enum_write(FILE *out, const ProtobufCEnumDescriptor *type, const void *member)
{
	int number;
	memcpy(&number, member, sizeof number);
	const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(type, number);
	return value ? fprintf(out, "\"%s\"", value->name) : fprintf(out, "%d", number);
}

/* 64-bit integers are strings, because JSON's numbers are doubles. */
static int
integer_write(FILE *out, ProtobufCType type, const void *member)
{
	uint64_t wide;
	uint32_t value;
	int32_t number;
	switch (type) {
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64: memcpy(&wide, member, sizeof wide); return fprintf(out, "\"%" PRIu64 "\"", wide);
	case PROTOBUF_C_TYPE_BOOL: memcpy(&value, member, sizeof value); return fputs(value != 0 ? "true" : "false", out);
	case PROTOBUF_C_TYPE_SINT32: memcpy(&number, member, sizeof number); return fprintf(out, "%" PRId32, number);
	default: memcpy(&value, member, sizeof value); return fprintf(out, "%" PRIu32, value);
	}
}

/* Returns roughly the number of characters of a scalar; messages count 0. */
static int
value_write(FILE *out, const ProtobufCFieldDescriptor *field, const void *member, int indent, bool one_line)
{
	char text[JSON_DOUBLE_BYTES];
	double value;
	const void *pointer;
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE:
		memcpy(&value, member, sizeof value);
		return fputs(json_double(value, text), out) < 0 ? 0 : (int)strlen(text);
	case PROTOBUF_C_TYPE_ENUM: return enum_write(out, field->descriptor, member);
	case PROTOBUF_C_TYPE_BYTES: return bytes_write(out, member);
	case PROTOBUF_C_TYPE_STRING: memcpy(&pointer, member, sizeof pointer); return json_string_write(out, pointer);
	case PROTOBUF_C_TYPE_MESSAGE:
		memcpy(&pointer, member, sizeof pointer);
		message_write(out, pointer, indent, one_line);
		return 0;
	default: return integer_write(out, field->type, member);
	}
}

static size_t
value_size(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: return sizeof(double);
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64: return sizeof(uint64_t);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
	default: return sizeof(uint32_t);
	}
}

static void
line_break(FILE *out, int indent)
{
	fprintf(out, "\n%*s", 2 * indent, "");
}

static void
list_write(FILE *out, const ProtobufCFieldDescriptor *field, const char *elements, size_t count, int indent, bool one_line)
{
	bool messages = field->type == PROTOBUF_C_TYPE_MESSAGE;
	size_t size = value_size(field);
	int used = 0;
	fputc('[', out);
	for (size_t i = 0; i < count; i++) {
		if (!one_line && (messages || used > LINE_CHARS)) {
			fputs(i == 0 ? "" : ",", out);
			line_break(out, indent + 1);
			used = 0;
		} else if (i > 0) {
			fputs(", ", out);
		}
		used += 2 + value_write(out, field, elements + i * size, indent + 1, true);
	}
	if (messages && !one_line)
		line_break(out, indent);
	fputc(']', out);
}

/* Whether a field is written: a list that is not empty, the chosen member of a oneof, a scalar that is not the default. */
static bool
field_is_set(const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message)
{
	const char *base = (const char *)message;
	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		size_t count;
		memcpy(&count, base + field->quantifier_offset, sizeof count);
		return count > 0;
	}
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
		int chosen;
		memcpy(&chosen, base + field->quantifier_offset, sizeof chosen);
		return chosen == (int)field->id;
	}
	if (field->type == PROTOBUF_C_TYPE_STRING) {
		const char *string;
		memcpy(&string, base + field->offset, sizeof string);
		return string != NULL && *string != '\0';
	}
	/* Bytes of length 0 may have a pointer. */
	static const char zeros[sizeof(uint64_t)];
	if (field->type == PROTOBUF_C_TYPE_BYTES)
		return memcmp(base + field->offset + offsetof(ProtobufCBinaryData, len), zeros, sizeof(size_t)) != 0;
	return memcmp(base + field->offset, zeros, value_size(field)) != 0;
}

static void
field_write(FILE *out, const ProtobufCFieldDescriptor *field, const ProtobufCMessage *message, int indent, bool one_line)
{
	const char *member = (const char *)message + field->offset;
	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		const char *elements;
		size_t count;
		memcpy(&elements, member, sizeof elements);
		memcpy(&count, (const char *)message + field->quantifier_offset, sizeof count);
		list_write(out, field, elements, count, indent, one_line);
	} else {
		(void)value_write(out, field, member, indent, one_line);
	}
}

static void
message_write(FILE *out, const ProtobufCMessage *message, int indent, bool one_line)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	bool first = true;
	fputc('{', out);
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		if (!field_is_set(field, message))
			continue;
		fputs(first ? "" : ",", out);
		if (!one_line)
			line_break(out, indent + 1);
		else if (!first)
			fputc(' ', out);
		char name[SCENE_JSON_NAME_BYTES_MAX];
		scene_json_name(field->name, name, sizeof name);
		fprintf(out, "\"%s\": ", name);
		field_write(out, field, message, indent + 1, one_line);
		first = false;
	}
	if (!first && !one_line)
		line_break(out, indent);
	fputc('}', out);
}

bool
message_json_write(FILE *out, const ProtobufCMessage *message, enum message_json_layout layout)
{
	message_write(out, message, 0, layout == MESSAGE_JSON_LINE);
	fputc('\n', out);
	return ferror(out) == 0;
}
