/* Random messages of every type, made from the descriptors: what our reader makes of them is what protobuf-c makes of them. */
#include "support/assert_double.h"
#include "support/effort.h"
#include "support/random.h"

#include "wire/message_bytes.h"

#include "wire/fields.h"
#include "wire/limits.h"
#include "wire/scan.h"
#include "wire/unpack.h"

#include <stdlib.h>

#define ARENA_BYTES ((size_t)1 << 22)
#define MESSAGES effort(500, 4000)

struct made {
	uint64_t seed;
	unsigned unknown_left;
	size_t values, elements, unknown; /* how much was made, over all messages */
	size_t alike;                     /* elements that are doubles and nothing else */
	size_t same;                      /* messages compared */
};

static void message_make(struct made *made, const ProtobufCMessageDescriptor *descriptor, struct buffer *out);

/* Any width, and often one of the ends. */
static uint64_t
any_bits(struct made *made)
{
	uint64_t bits = random_bits(&made->seed) >> random_below(&made->seed, 64);

	return random_below(&made->seed, 8) == 0 ? UINT64_MAX : bits;
}

/* A varint that fits the field. */
static uint64_t
varint_make(struct made *made, const ProtobufCFieldDescriptor *field)
{
	uint64_t bits = any_bits(made);

	switch (field->type) {
	case PROTOBUF_C_TYPE_BOOL: return bits & 1;
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_SINT32: return (uint32_t)bits;
	case PROTOBUF_C_TYPE_INT32:
	case PROTOBUF_C_TYPE_ENUM: return (uint64_t)(int64_t)(int32_t)(uint32_t)bits;
	default: return bits;
	}
}

/* A value behind its tag, or an element of a packed field. */
static void
value_make(struct made *made, const ProtobufCFieldDescriptor *field, struct buffer *out)
{
	uint64_t bits = any_bits(made);
	struct buffer inner;

	made->values++;
	switch (wire_type_of(field)) {
	case WIRE_VARINT: put_varint(out, varint_make(made, field)); return;
	case WIRE_FIXED64: buffer_append(out, &bits, 8); return;
	case WIRE_FIXED32: buffer_append(out, &bits, 4); return;
	case WIRE_BYTES: break;
	}
	if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
		buffer_init(&inner);
		message_make(made, field->descriptor, &inner);
		put_varint(out, inner.count);
		buffer_append(out, inner.bytes, inner.count);
		buffer_finish(&inner);
		return;
	}
	size_t count = random_below(&made->seed, 40);
	put_varint(out, count);
	for (size_t i = 0; i < count; i++) {
		uint8_t letter = (uint8_t)('a' + random_below(&made->seed, 26));

		buffer_append(out, &letter, 1);
	}
}

/* Fields of their own that are singular doubles with a tag of one byte, in a random order. Returns how many. */
static unsigned
doubles_choose(struct made *made, const ProtobufCMessageDescriptor *descriptor, uint32_t *ids)
{
	unsigned count = 0;

	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];

		if (field->type != PROTOBUF_C_TYPE_DOUBLE || field->label == PROTOBUF_C_LABEL_REPEATED || field->id > 15 ||
		    random_below(&made->seed, 3) == 0)
			continue;
		size_t place = random_below(&made->seed, count + 1);
		ids[count++] = ids[place];
		ids[place] = field->id;
	}
	return count;
}

/* Elements with the same doubles, one behind the other; now and then one that has them in another order. Returns how many. */
static size_t
alike_make(struct made *made, const ProtobufCFieldDescriptor *field, struct buffer *out)
{
	uint32_t ids[WIRE_FIELDS_MAX];
	unsigned count = doubles_choose(made, field->descriptor, ids);
	size_t elements = random_below(&made->seed, 6);

	for (size_t i = 0; i < elements; i++) {
		bool turned = count > 1 && random_below(&made->seed, 8) == 0;

		put_tag(out, field->id, PUT_BYTES);
		put_varint(out, (uint64_t)count * READER_DOUBLE_BYTES);
		for (unsigned k = 0; k < count; k++) {
			uint64_t bits = any_bits(made);

			put_tag(out, ids[turned ? count - 1 - k : k], PUT_FIXED64);
			buffer_append(out, &bits, sizeof bits);
		}
	}
	return elements;
}

/* Some elements: one by one, or packed, as any encoder may mix them. */
static void
elements_make(struct made *made, const ProtobufCFieldDescriptor *field, struct buffer *out)
{
	size_t count = random_below(&made->seed, field->type == PROTOBUF_C_TYPE_MESSAGE ? 4 : 12);
	struct buffer packed;

	if (field->type == PROTOBUF_C_TYPE_MESSAGE && random_below(&made->seed, 2) == 0) {
		made->alike += alike_make(made, field, out);
		return;
	}
	made->elements += count;
	if (wire_type_of(field) == WIRE_BYTES || random_below(&made->seed, 2) == 0) {
		for (size_t i = 0; i < count; i++) {
			put_tag(out, field->id, (unsigned)wire_type_of(field));
			value_make(made, field, out);
		}
		return;
	}
	buffer_init(&packed);
	for (size_t i = 0; i < count; i++)
		value_make(made, field, &packed);
	put_bytes(out, field->id, packed.bytes, packed.count);
	buffer_finish(&packed);
}

static void
unknown_make(struct made *made, struct buffer *out)
{
	uint64_t bits = any_bits(made);
	uint32_t number = 4000 + (uint32_t)random_below(&made->seed, 100);

	made->unknown_left--;
	made->unknown++;
	switch (random_below(&made->seed, 4)) {
	case 0: put_number(out, number, bits); return;
	case 1:
		put_tag(out, number, PUT_FIXED64);
		buffer_append(out, &bits, 8);
		return;
	case 2:
		put_tag(out, number, PUT_FIXED32);
		buffer_append(out, &bits, 4);
		return;
	default: put_bytes(out, number, &bits, random_below(&made->seed, 9)); return;
	}
}

/* Fields in any order, repeated ones in several places, of each oneof one at most. */
static void
message_make(struct made *made, const ProtobufCMessageDescriptor *descriptor, struct buffer *out)
{
	bool given[WIRE_FIELDS_MAX] = { false };
	uint64_t tries = descriptor->n_fields > 0 ? random_below(&made->seed, 2 * (size_t)descriptor->n_fields) : 0;

	for (uint64_t i = 0; i < tries; i++) {
		unsigned place = (unsigned)random_below(&made->seed, descriptor->n_fields);
		const ProtobufCFieldDescriptor *field = &descriptor->fields[place];

		if (made->unknown_left > 0 && random_below(&made->seed, 20) == 0)
			unknown_make(made, out);
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			elements_make(made, field, out);
			continue;
		}
		for (unsigned k = 0; k < descriptor->n_fields; k++) {
			const ProtobufCFieldDescriptor *other = &descriptor->fields[k];
			bool same_oneof = (field->flags & other->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
			                  field->quantifier_offset == other->quantifier_offset;

			given[place] = given[place] || (same_oneof && given[k]);
		}
		if (!given[place]) {
			given[place] = true;
			put_tag(out, field->id, (unsigned)wire_type_of(field));
			value_make(made, field, out);
		}
	}
}

static void message_same(const ProtobufCMessage *left, const ProtobufCMessage *right);

static size_t
width_of(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE:
	case PROTOBUF_C_TYPE_INT64:
	case PROTOBUF_C_TYPE_SINT64:
	case PROTOBUF_C_TYPE_UINT64:
	case PROTOBUF_C_TYPE_FIXED64:
	case PROTOBUF_C_TYPE_SFIXED64: return 8;
	case PROTOBUF_C_TYPE_MESSAGE:
	case PROTOBUF_C_TYPE_STRING: return sizeof(void *);
	case PROTOBUF_C_TYPE_BYTES: return sizeof(ProtobufCBinaryData);
	default: return 4;
	}
}

static void
value_same(const ProtobufCFieldDescriptor *field, const char *left, const char *right)
{
	const ProtobufCMessage *left_message, *right_message;
	const char *left_text, *right_text;
	ProtobufCBinaryData left_data, right_data;

	switch (field->type) {
	case PROTOBUF_C_TYPE_MESSAGE:
		memcpy(&left_message, left, sizeof left_message);
		memcpy(&right_message, right, sizeof right_message);
		assert_int_equal(!left_message, !right_message);
		if (left_message)
			message_same(left_message, right_message);
		return;
	case PROTOBUF_C_TYPE_STRING:
		memcpy(&left_text, left, sizeof left_text);
		memcpy(&right_text, right, sizeof right_text);
		assert_int_equal(!left_text, !right_text);
		if (left_text)
			assert_string_equal(left_text, right_text);
		return;
	case PROTOBUF_C_TYPE_BYTES:
		memcpy(&left_data, left, sizeof left_data);
		memcpy(&right_data, right, sizeof right_data);
		assert_int_equal(left_data.len, right_data.len);
		if (left_data.len > 0)
			assert_memory_equal(left_data.data, right_data.data, left_data.len);
		return;
	default: assert_memory_equal(left, right, width_of(field));
	}
}

static void
elements_same(const ProtobufCFieldDescriptor *field, const char *left, const char *right)
{
	size_t left_count, right_count;
	const char *left_array, *right_array;

	memcpy(&left_count, left + field->quantifier_offset, sizeof left_count);
	memcpy(&right_count, right + field->quantifier_offset, sizeof right_count);
	memcpy(&left_array, left + field->offset, sizeof left_array);
	memcpy(&right_array, right + field->offset, sizeof right_array);
	assert_int_equal(left_count, right_count);
	for (size_t i = 0; i < left_count; i++)
		value_same(field, left_array + i * width_of(field), right_array + i * width_of(field));
}

static void
message_same(const ProtobufCMessage *left, const ProtobufCMessage *right)
{
	const ProtobufCMessageDescriptor *descriptor = left->descriptor;

	assert_ptr_equal(descriptor, right->descriptor);
	assert_int_equal(left->n_unknown_fields, right->n_unknown_fields);
	for (unsigned i = 0; i < left->n_unknown_fields; i++) {
		const ProtobufCMessageUnknownField *a = &left->unknown_fields[i], *b = &right->unknown_fields[i];

		assert_true(a->tag == b->tag && a->wire_type == b->wire_type && a->len == b->len);
		assert_memory_equal(a->data, b->data, a->len);
	}
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
		const char *a = (const char *)left, *b = (const char *)right;
		uint32_t chosen = field->id;

		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			elements_same(field, a, b);
			continue;
		}
		if (field->quantifier_offset != 0) {
			assert_memory_equal(a + field->quantifier_offset, b + field->quantifier_offset, sizeof chosen);
			memcpy(&chosen, a + field->quantifier_offset, sizeof chosen);
		}
		/* The other members of a oneof share its place. */
		if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0 || chosen == field->id)
			value_same(field, a + field->offset, b + field->offset);
	}
}

/* How many bytes the arena needs is between what it may have and what it may not. */
static void
budget_check(const ProtobufCMessageDescriptor *descriptor, const struct buffer *bytes, size_t used)
{
	ProtobufCMessage *message;
	struct arena arena;

	arena_init(&arena, used);
	assert_int_equal(wire_unpack(&arena, descriptor, bytes->bytes, bytes->count, &message), STATUS_OK);
	arena_finish(&arena);
	arena_init(&arena, used - 1);
	assert_int_equal(wire_unpack(&arena, descriptor, bytes->bytes, bytes->count, &message), STATUS_RESOURCE_EXHAUSTED);
	arena_finish(&arena);
}

static void
messages_check(struct made *made, const ProtobufCMessageDescriptor *descriptor)
{
	const struct wire_limits limits = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	struct wire_problem problem;

	for (int i = 0; i < (int)MESSAGES; i++) {
		struct buffer bytes;
		struct arena arena;
		ProtobufCMessage *ours;

		buffer_init(&bytes);
		arena_init(&arena, ARENA_BYTES);
		made->unknown_left = i % 2 == 0 ? WIRE_UNKNOWN_FIELDS_MAX : 0;
		message_make(made, descriptor, &bytes);
		if (wire_scan(descriptor, &limits, SCAN_WHOLE, bytes.bytes, bytes.count, &problem) != STATUS_OK) {
			/* A few have more of something than there may be. */
			assert_string_equal(problem.reason, "LIMIT");
			buffer_finish(&bytes);
			continue;
		}
		made->same++;
		assert_int_equal(wire_unpack(&arena, descriptor, bytes.bytes, bytes.count, &ours), STATUS_OK);
		ProtobufCMessage *theirs = protobuf_c_message_unpack(descriptor, NULL, bytes.count, bytes.bytes);
		assert_non_null(theirs);
		message_same(ours, theirs);
		budget_check(descriptor, &bytes, arena.used_bytes);
		protobuf_c_message_free_unpacked(theirs, NULL);
		arena_finish(&arena);
		buffer_finish(&bytes);
	}
}

static void
test_the_same_as_protobuf_c(void **state)
{
	struct made made = { .seed = 11 };

	(void)state;
	messages_check(&made, &collide__v1__client_message__descriptor);
	messages_check(&made, &collide__v1__server_message__descriptor);
	messages_check(&made, &collide__v1__scene__descriptor);
	messages_check(&made, &collide__v1__frame__descriptor);
	print_message("%zu messages: %zu values, %zu elements, %zu of doubles, %zu unknown fields\n", made.same, made.values,
	              made.elements, made.alike, made.unknown);
	assert_true(made.same > 3 * MESSAGES);
	assert_true(made.alike > 3 * MESSAGES);
	assert_true(made.values > 25 * MESSAGES && made.elements > 25 * MESSAGES && made.unknown > MESSAGES / 4);
}

/* What no scan lets pass is refused, not believed. */
static void
test_other_forms_are_refused(void **state)
{
	static const uint8_t truncated[] = { 0x08 }, wrong_type[] = { 0x09, 1, 2, 3, 4, 5, 6, 7, 8 };
	/* Column 2 of CircleColumns, x: a double and a byte of the next one, or that byte alone. */
	static const uint8_t column[] = { 0x12, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9 }, byte[] = { 0x12, 1, 1 };
	ProtobufCMessage *message = NULL;
	struct arena arena;

	(void)state;
	arena_init(&arena, ARENA_BYTES);
	assert_int_equal(wire_unpack(&arena, &collide__v1__client_message__descriptor, truncated, sizeof truncated, &message),
	                 STATUS_INVALID_ARGUMENT);
	assert_int_equal(wire_unpack(&arena, &collide__v1__client_message__descriptor, wrong_type, sizeof wrong_type, &message),
	                 STATUS_INVALID_ARGUMENT);
	assert_int_equal(wire_unpack(&arena, &collide__v1__circle_columns__descriptor, column, sizeof column, &message),
	                 STATUS_INVALID_ARGUMENT);
	assert_int_equal(wire_unpack(&arena, &collide__v1__circle_columns__descriptor, byte, sizeof byte, &message),
	                 STATUS_INVALID_ARGUMENT);
	assert_null(message);
	arena_finish(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_same_as_protobuf_c),
		cmocka_unit_test(test_other_forms_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
