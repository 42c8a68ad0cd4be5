#include "fuzz/message_mutator.h"

#include "fuzz/fuzz_target.h"
#include "support/random.h"

#include "base/check.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { EDITS_MAX = 4, ELEMENTS_MAX = 48, TEXT_BYTES_MAX = 64, NEW_FIELDS_MAX = 4 };
/* One of so many mutations changes bytes, whatever they mean. */
enum { RAW_OF = 8 };

static void message_edit(ProtobufCMessage *message, uint64_t *seed);

static size_t
value_size(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_SFIXED64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_DOUBLE: return 8;
	case PROTOBUF_C_TYPE_STRING:
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
	default: return 4;
	}
}

static void *
memory_of(size_t count)
{
	void *memory = calloc(1, count > 0 ? count : 1);
	CHECK(memory);
	return memory;
}

/* ---- numbers */

static double
number_near(double before, uint64_t *seed)
{
	static const double edges[] = { 0.0,
		                            -0.0,
		                            1.0,
		                            -1.0,
		                            0.5,
		                            1.0 / 60,
		                            1e-9,
		                            1e9,
		                            DBL_MIN,
		                            5e-324,
		                            1e150,
		                            -1e300,
		                            DBL_MAX,
		                            INFINITY,
		                            (double)NAN,
		                            0x1p-52,
		                            1.0 / 65536,
		                            1e-3,
		                            10.0,
		                            1e4,
		                            1e6,
		                            0x1p53,
		                            9007199254740993.0 };
	switch (random_below(seed, 8)) {
	case 0: return edges[random_below(seed, sizeof edges / sizeof edges[0])];
	case 1: return -before;
	case 2: return nextafter(before, random_below(seed, 2) == 0 ? -INFINITY : INFINITY);
	case 3: return before * random_between(seed, 0, 4);
	case 4: return before + random_between(seed, -1, 1);
	case 5: return (double)random_below(seed, 21) / 2 - 5;
	case 6: return floor(before);
	default: return random_between(seed, -10, 10);
	}
}

static uint64_t
integer_near(uint64_t before, uint64_t *seed)
{
	switch (random_below(seed, 7)) {
	case 0: return before + 1;
	case 1: return before - 1;
	case 2: return UINT64_MAX >> random_below(seed, 64);
	case 3: return UINT64_C(1) << random_below(seed, 64);
	case 4: return random_bits(seed);
	default: return random_below(seed, 8);
	}
}

static int32_t
choice(const ProtobufCFieldDescriptor *field, uint64_t *seed)
{
	const ProtobufCEnumDescriptor *names = field->descriptor;
	if (random_below(seed, 10) == 0)
		return (int32_t)random_bits(seed);
	return names->values[random_below(seed, names->n_values)].value;
}

/* ---- values */

static void
text_change(ProtobufCBinaryData *data, uint64_t *seed)
{
	size_t most = data->len > TEXT_BYTES_MAX ? 2 * data->len : TEXT_BYTES_MAX;
	uint8_t *bytes = memory_of(most + 1);
	if (data->len > 0)
		memcpy(bytes, data->data, data->len);
	/* Secrets and names have lengths of their own. */
	size_t count = random_below(seed, 4) == 0 ? (size_t)random_below(seed, 33) : LLVMFuzzerMutate(bytes, data->len, most);
	free(data->data);
	*data = (ProtobufCBinaryData){ .len = count, .data = bytes };
}

static void
string_change(const ProtobufCFieldDescriptor *field, char **text, uint64_t *seed)
{
	ProtobufCBinaryData data = { 0 };
	if (*text && *text != field->default_value)
		data = (ProtobufCBinaryData){ .len = strlen(*text), .data = (uint8_t *)*text };
	text_change(&data, seed);
	data.data[data.len] = '\0';
	*text = (char *)data.data;
}

static ProtobufCMessage *
message_new(const ProtobufCMessageDescriptor *type, uint64_t *seed)
{
	ProtobufCMessage *message = memory_of(type->sizeof_message);
	protobuf_c_message_init(type, message);
	for (uint64_t i = random_below(seed, NEW_FIELDS_MAX + 1); i > 0; i--)
		message_edit(message, seed);
	return message;
}

/* Another value where one is, or where there are zeros. */
static void
value_change(const ProtobufCFieldDescriptor *field, void *at, uint64_t *seed)
{
	double number;
	uint64_t wide = 0;
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE:
		memcpy(&number, at, sizeof number);
		number = number_near(number, seed);
		memcpy(at, &number, sizeof number);
		return;
	case PROTOBUF_C_TYPE_BOOL: *(protobuf_c_boolean *)at = !*(protobuf_c_boolean *)at; return;
	case PROTOBUF_C_TYPE_ENUM: *(int32_t *)at = choice(field, seed); return;
	case PROTOBUF_C_TYPE_STRING: string_change(field, at, seed); return;
	case PROTOBUF_C_TYPE_BYTES: text_change(at, seed); return;
	case PROTOBUF_C_TYPE_MESSAGE:
		if (*(ProtobufCMessage **)at)
			message_edit(*(ProtobufCMessage **)at, seed);
		else
			*(ProtobufCMessage **)at = message_new(field->descriptor, seed);
		return;
	default: /* integers and floats of either width, of which none is larger than what it is read into */
		memcpy(&wide, at, value_size(field));
		wide = integer_near(wide, seed);
		memcpy(at, &wide, value_size(field));
	}
}

static void
value_free(const ProtobufCFieldDescriptor *field, void *at)
{
	if (field->type == PROTOBUF_C_TYPE_MESSAGE && *(ProtobufCMessage **)at)
		protobuf_c_message_free_unpacked(*(ProtobufCMessage **)at, NULL);
	else if (field->type == PROTOBUF_C_TYPE_STRING && *(char **)at != field->default_value)
		free(*(char **)at);
	else if (field->type == PROTOBUF_C_TYPE_BYTES)
		free(((ProtobufCBinaryData *)at)->data);
	memset(at, 0, value_size(field));
}

/* A value that is the same as another, in zeros. */
static void
value_copy(const ProtobufCFieldDescriptor *field, void *to, const void *from)
{
	const ProtobufCBinaryData *data = from;
	if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
		const ProtobufCMessage *message = *(ProtobufCMessage *const *)from;
		size_t count = protobuf_c_message_get_packed_size(message);
		uint8_t *bytes = memory_of(count);
		protobuf_c_message_pack(message, bytes);
		*(ProtobufCMessage **)to = protobuf_c_message_unpack(message->descriptor, NULL, count, bytes);
		free(bytes);
		/* Now and then protobuf-c does not read what it wrote. */
		if (!*(ProtobufCMessage **)to) {
			*(ProtobufCMessage **)to = memory_of(message->descriptor->sizeof_message);
			protobuf_c_message_init(message->descriptor, *(ProtobufCMessage **)to);
		}
	} else if (field->type == PROTOBUF_C_TYPE_STRING) {
		*(char **)to = strdup(*(char *const *)from);
	} else if (field->type == PROTOBUF_C_TYPE_BYTES) {
		*(ProtobufCBinaryData *)to = (ProtobufCBinaryData){ .len = data->len, .data = memory_of(data->len) };
		if (data->len > 0)
			memcpy(((ProtobufCBinaryData *)to)->data, data->data, data->len);
	} else {
		memcpy(to, from, value_size(field));
	}
}

/* ---- columns and lists */

struct elements {
	const ProtobufCFieldDescriptor *field;
	size_t *count;
	char **values;
};

static struct elements
elements_of(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field)
{
	char *base = (char *)message;
	return (struct elements){ field, (size_t *)(void *)(base + field->quantifier_offset),
		                      (char **)(void *)(base + field->offset) };
}

static char *
element(const struct elements *elements, size_t index)
{
	return *elements->values + index * value_size(elements->field);
}

/* New ones are like the one before them, or made. */
static void
elements_resize(struct elements *elements, size_t count, uint64_t *seed)
{
	size_t before = *elements->count, size = value_size(elements->field);
	for (size_t i = count; i < before; i++)
		value_free(elements->field, element(elements, i));
	if (count > before) {
		*elements->values = realloc(*elements->values, count * size);
		CHECK(*elements->values);
		memset(*elements->values + before * size, 0, (count - before) * size);
	}
	for (size_t i = before; i < count; i++) {
		if (i > 0)
			value_copy(elements->field, element(elements, i), element(elements, i - 1));
		if (i == 0 || random_below(seed, 2) == 0)
			value_change(elements->field, element(elements, i), seed);
	}
	*elements->count = count;
	if (count == 0) { /* as what was unpacked */
		free(*elements->values);
		*elements->values = NULL;
	}
}

static void
elements_swap(struct elements *elements, size_t a, size_t b)
{
	char between[sizeof(ProtobufCBinaryData)];
	size_t size = value_size(elements->field);
	memcpy(between, element(elements, a), size);
	memmove(element(elements, a), element(elements, b), size);
	memcpy(element(elements, b), between, size);
}

/* How many another column of the message has. */
static size_t
count_of_another(ProtobufCMessage *message, uint64_t *seed)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	const ProtobufCFieldDescriptor *field = &type->fields[random_below(seed, type->n_fields)];
	size_t count = field->label == PROTOBUF_C_LABEL_REPEATED ? *elements_of(message, field).count : 1;
	return count < ELEMENTS_MAX ? count : ELEMENTS_MAX;
}

static void
elements_edit(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, uint64_t *seed)
{
	struct elements elements = elements_of(message, field);
	size_t count = *elements.count, at = count > 0 ? (size_t)random_below(seed, count) : 0;
	switch (random_below(seed, 8)) {
	case 0: elements_resize(&elements, count_of_another(message, seed), seed); return;
	case 1: elements_resize(&elements, count < ELEMENTS_MAX ? count + 1 : 0, seed); return;
	case 2:
		if (count > 0) {
			elements_swap(&elements, at, count - 1);
			elements_resize(&elements, count - 1, seed);
		}
		return;
	case 3:
		if (count > 0)
			elements_swap(&elements, at, (size_t)random_below(seed, count));
		return;
	default:
		if (count > 0)
			value_change(field, element(&elements, at), seed);
		else
			elements_resize(&elements, 1, seed);
	}
}

/* ---- fields */

static void
single_edit(ProtobufCMessage *message, const ProtobufCFieldDescriptor *field, uint64_t *seed)
{
	char *base = (char *)message, *at = base + field->offset;
	bool is_oneof = (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0;
	uint32_t *chosen = (uint32_t *)(void *)(base + field->quantifier_offset);
	bool is_there = !is_oneof || *chosen == field->id;
	if (is_oneof && !is_there) {
		const ProtobufCFieldDescriptor *other = protobuf_c_message_descriptor_get_field(message->descriptor, *chosen);
		if (other)
			value_free(other, at);
		memset(at, 0, value_size(field));
		*chosen = field->id;
	} else if (is_oneof && random_below(seed, 6) == 0) {
		value_free(field, at);
		*chosen = 0;
		return;
	}
	value_change(field, at, seed);
}

/* One change, in the message or in one that it holds. */
static void
message_edit(ProtobufCMessage *message, uint64_t *seed)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	if (type->n_fields == 0)
		return;
	/* What is there is of more interest than what is not. */
	for (int tries = 0; tries < 4; tries++) {
		const ProtobufCFieldDescriptor *field = &type->fields[random_below(seed, type->n_fields)];
		bool is_there = field->label == PROTOBUF_C_LABEL_REPEATED ? *elements_of(message, field).count > 0
		                : (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0
		                    ? *(uint32_t *)(void *)((char *)message + field->quantifier_offset) == field->id
		                    : true;
		if (!is_there && tries < 3)
			continue;
		if (field->label == PROTOBUF_C_LABEL_REPEATED)
			elements_edit(message, field, seed);
		else
			single_edit(message, field, seed);
		return;
	}
}

size_t
message_mutate(const ProtobufCMessageDescriptor *type, uint8_t *bytes, size_t count, size_t count_max, uint64_t *seed)
{
	ProtobufCMessage *message = random_below(seed, RAW_OF) == 0 ? NULL : protobuf_c_message_unpack(type, NULL, count, bytes);
	size_t size = SIZE_MAX;
	if (message) {
		for (uint64_t i = random_below(seed, EDITS_MAX) + 1; i > 0; i--)
			message_edit(message, seed);
		size = protobuf_c_message_get_packed_size(message);
		if (size <= count_max)
			protobuf_c_message_pack(message, bytes);
		protobuf_c_message_free_unpacked(message, NULL);
	}
	return size <= count_max ? size : LLVMFuzzerMutate(bytes, count, count_max);
}
