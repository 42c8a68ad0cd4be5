/* What the scan and the unpacker rely on, proved from the descriptors that they are driven by. */
#include "support/assert_double.h"

#include "wire/limits.h"
#include "wire/wire.h"

#include <assert.h>

#define PATH_MAX_DEPTH 16

/* Walks every path from `message` down; fails on a type inside itself. Returns the depth of the deepest, 1 for a leaf. */
static int
message_depth(const ProtobufCMessageDescriptor *message, const ProtobufCMessageDescriptor **above, int above_count)
{
	int deepest = 0;

	assert_true(above_count < PATH_MAX_DEPTH);
	for (int i = 0; i < above_count; i++) {
		if (above[i] == message) {
			print_error("%s contains itself\n", message->name);
			fail();
		}
	}
	above[above_count] = message;
	for (unsigned i = 0; i < message->n_fields; i++) {
		if (message->fields[i].type == PROTOBUF_C_TYPE_MESSAGE) {
			int depth = message_depth(message->fields[i].descriptor, above, above_count + 1);

			deepest = depth > deepest ? depth : deepest;
		}
	}
	return deepest + 1;
}

static void
test_no_type_contains_itself(void **state)
{
	const ProtobufCMessageDescriptor *above[PATH_MAX_DEPTH];

	(void)state;
	assert_int_equal(message_depth(&collide__v1__client_message__descriptor, above, 0), WIRE_DEPTH_MAX);
	/* What the server sends it never scans: WorldUpdate, Key, Scene, CircleColumns. */
	assert_in_range(message_depth(&collide__v1__server_message__descriptor, above, 0), 2, WIRE_DEPTH_MAX + 1);
	assert_in_range(message_depth(&collide__v1__world_state__descriptor, above, 0), 2, WIRE_DEPTH_MAX);
}

/* protobuf-c merges a singular sub-message that comes again, quadratically; in a oneof it replaces it. */
static void
singular_messages_check(const ProtobufCMessageDescriptor *message)
{
	for (unsigned i = 0; i < message->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->fields[i];

		if (field->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		if (field->label != PROTOBUF_C_LABEL_REPEATED && (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) == 0) {
			print_error("%s.%s is singular and not in a oneof\n", message->name, field->name);
			fail();
		}
		singular_messages_check(field->descriptor);
	}
}

static void
test_singular_messages_are_in_a_oneof(void **state)
{
	(void)state;
	singular_messages_check(&collide__v1__client_message__descriptor);
	singular_messages_check(&collide__v1__server_message__descriptor);
}

/* The scan remembers fields in a 64-bit set and counts in an array, both by place. Packing is what makes columns cheap. */
static void
fields_check(const ProtobufCMessageDescriptor *message)
{
	assert_true(message->n_fields <= WIRE_FIELDS_MAX);
	assert_true(message->sizeof_message <= WIRE_MESSAGE_BYTES_MAX);
	for (unsigned i = 0; i < message->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->fields[i];

		assert_true(field->id < 1u << (7 * WIRE_TAG_BYTES_MAX - 3));
		switch (field->type) {
		case PROTOBUF_C_TYPE_MESSAGE: fields_check(field->descriptor); break;
		case PROTOBUF_C_TYPE_STRING:
		case PROTOBUF_C_TYPE_BYTES: break;
		default:
			if (field->label == PROTOBUF_C_LABEL_REPEATED)
				assert_true((field->flags & PROTOBUF_C_FIELD_FLAG_PACKED) != 0);
		}
	}
}

static void
test_fields_fit_the_scan(void **state)
{
	(void)state;
	static_assert(WIRE_FIELDS_MAX <= 64, "a 64-bit set");
	fields_check(&collide__v1__client_message__descriptor);
	fields_check(&collide__v1__server_message__descriptor);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_type_contains_itself),
		cmocka_unit_test(test_singular_messages_are_in_a_oneof),
		cmocka_unit_test(test_fields_fit_the_scan),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
