/* Writing, by descriptor as reading is. Laid out for people: the scene's own fields one a line, a hand-written circle or
 * segment one a line, columns wrapped. */
#include "client/cli/scene_json.h"

#include "client/cli/scene_json_name.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Columns are wrapped after this many characters, so that a file of a million circles still opens in an editor. */
enum { LINE_CHARS = 110 };
/* Of a field's name; a test holds the schema to it. */
enum { NAME_BYTES_MAX = 64 };

void
scene_json_name(const char *field, char *out, size_t size)
{
	size_t used = 0;
	bool capital = false;
	for (; *field != '\0' && used + 1 < size; field++) {
		if (*field == '_') {
			capital = true;
			continue;
		}
		bool lower = *field >= 'a' && *field <= 'z';
		out[used++] = capital && lower ? (char)(*field - 'a' + 'A') : *field;
		capital = false;
	}
	out[used] = '\0';
}

bool
scene_json_name_matches(const char *field, const char *key)
{
	char camel[NAME_BYTES_MAX];
	scene_json_name(field, camel, sizeof camel);
	return strcmp(camel, key) == 0 || strcmp(field, key) == 0;
}

/* Numbers with at most nine decimals, which is what the generators make: n / 1e9 is correctly rounded because both are exact,
 * so the decimal n·1e-9 reads as exactly this double. Ten times as fast as the general way. */
static bool
decimal_format(double value, char *out, size_t size)
{
	double magnitude = fabs(value);
	if (!(magnitude < 4e6)) {
		return false;
	}
	int64_t units = (int64_t)(magnitude * 1e9 + 0.5);
	if ((double)units / 1e9 != magnitude) {
		return false;
	}
	int64_t whole = units / 1000000000, part = units % 1000000000;
	int used = snprintf(out, size, "%s%" PRId64, value < 0 ? "-" : "", whole);
	if (used < 0 || part == 0) {
		return used > 0;
	}
	char *at = out + used;
	*at++ = '.';
	for (int64_t unit = 100000000; part > 0; unit /= 10) {
		*at++ = (char)('0' + part / unit);
		part %= unit;
	}
	*at = '\0';
	return true;
}

static void
double_format(double value, char out[32])
{
	if (isnan(value)) {
		(void)snprintf(out, 32, "\"NaN\"");
	} else if (isinf(value)) {
		(void)snprintf(out, 32, value > 0 ? "\"Infinity\"" : "\"-Infinity\"");
	} else if (value == 0) {
		(void)snprintf(out, 32, signbit(value) ? "-0.0" : "0");
	} else if (!decimal_format(value, out, 32)) {
		/* 17 digits always read back as the same double; fewer often do. */
		for (int digits = 15; digits <= 17; digits++) {
			(void)snprintf(out, 32, "%.*g", digits, value);
			if (strtod(out, NULL) == value) {
				return;
			}
		}
	}
}

static void message_write(FILE *out, const ProtobufCMessage *message, int indent, bool one_line);

/* Returns the number of characters of a scalar; messages count 0. */
static int
value_write(FILE *out, const ProtobufCFieldDescriptor *field, const void *member, int indent, bool one_line)
{
	char text[32];
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: {
		double value;
		memcpy(&value, member, sizeof value);
		double_format(value, text);
		return fputs(text, out) < 0 ? 0 : (int)strlen(text);
	}
	case PROTOBUF_C_TYPE_ENUM: {
		int number;
		memcpy(&number, member, sizeof number);
		const ProtobufCEnumValue *value = protobuf_c_enum_descriptor_get_value(field->descriptor, number);
		return value != NULL ? fprintf(out, "\"%s\"", value->name) : fprintf(out, "%d", number);
	}
	case PROTOBUF_C_TYPE_MESSAGE: {
		const ProtobufCMessage *message;
		memcpy(&message, member, sizeof(void *));
		message_write(out, message, indent, one_line);
		return 0;
	}
	default: {
		uint32_t value;
		memcpy(&value, member, sizeof value);
		return fprintf(out, "%" PRIu32, value);
	}
	}
}

static size_t
value_size(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: return sizeof(double);
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
	default: return sizeof(uint32_t);
	}
}

static void
line_break(FILE *out, int indent)
{
	(void)fprintf(out, "\n%*s", 2 * indent, "");
}

static void
list_write(FILE *out, const ProtobufCFieldDescriptor *field, const char *elements, size_t count, int indent)
{
	bool messages = field->type == PROTOBUF_C_TYPE_MESSAGE;
	size_t size = value_size(field);
	int used = 0;
	(void)fputc('[', out);
	for (size_t i = 0; i < count; i++) {
		if (messages || used > LINE_CHARS) {
			(void)fputs(i == 0 ? "" : ",", out);
			line_break(out, indent + 1);
			used = 0;
		} else if (i > 0) {
			(void)fputs(", ", out);
		}
		used += 2 + value_write(out, field, elements + i * size, indent + 1, true);
	}
	if (messages) {
		line_break(out, indent);
	}
	(void)fputc(']', out);
}

/* Whether a field is written: lists that are not empty, oneof members that are chosen, scalars that are not the default. */
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
	static const char zeros[sizeof(double)];
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
		list_write(out, field, elements, count, indent);
	} else {
		(void)value_write(out, field, member, indent, one_line);
	}
}

static void
message_write(FILE *out, const ProtobufCMessage *message, int indent, bool one_line)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	bool first = true;
	(void)fputc('{', out);
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		if (!field_is_set(field, message)) {
			continue;
		}
		(void)fputs(first ? "" : ",", out);
		if (!one_line) {
			line_break(out, indent + 1);
		} else if (!first) {
			(void)fputc(' ', out);
		}
		char name[NAME_BYTES_MAX];
		scene_json_name(field->name, name, sizeof name);
		(void)fprintf(out, "\"%s\": ", name);
		field_write(out, field, message, indent + 1, one_line);
		first = false;
	}
	if (!first && !one_line) {
		line_break(out, indent);
	}
	(void)fputc('}', out);
}

bool
scene_json_write(FILE *out, const Collide__V1__Scene *scene)
{
	message_write(out, &scene->base, 0, false);
	(void)fputc('\n', out);
	return fflush(out) == 0 && ferror(out) == 0;
}
