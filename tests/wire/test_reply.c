#include "support/assert_double.h"

#include "wire/message_bytes.h"
#include "wire/reply_reader.h"

#include "wire/wire.h"

static void
test_error_carries_the_problem(void **state)
{
	struct wire_problem problem;
	struct buffer buffer;
	size_t at = 0;

	(void)state;
	buffer_init(&buffer);
	assert_int_equal(wire_problem_set(&problem, STATUS_RESOURCE_EXHAUSTED, "QUEUE_FULL", "simulate", "%d of %d", 3, 3),
	                 STATUS_RESOURCE_EXHAUSTED);
	assert_int_equal(problem.retry_after_ms, 0);
	problem.retry_after_ms = 250;
	wire_error_append(&buffer, 12, &problem);
	(void)wire_problem_set(&problem, STATUS_INTERNAL, "ODD", "", "no field");
	wire_error_append(&buffer, 0, &problem);

	Collide__V1__ServerMessage *message = reply_next(&buffer, &at);
	assert_int_equal(message->request_id, 12);
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_int_equal(message->error->code, COLLIDE__V1__CODE__CODE_RESOURCE_EXHAUSTED);
	assert_string_equal(message->error->text, "3 of 3");
	assert_string_equal(message->error->reason, "QUEUE_FULL");
	assert_int_equal(message->error->retry_after_ms, 250);
	assert_int_equal(message->error->n_violations, 1);
	assert_string_equal(message->error->violations[0]->field, "simulate");
	assert_string_equal(message->error->violations[0]->text, "3 of 3");
	collide__v1__server_message__free_unpacked(message, NULL);

	message = reply_next(&buffer, &at);
	assert_int_equal(message->error->n_violations, 0);
	collide__v1__server_message__free_unpacked(message, NULL);
	assert_int_equal(at, buffer.count);
	buffer_finish(&buffer);
}

/* Texts longer than their room are cut, never overrun. */
static void
test_long_problem_is_cut(void **state)
{
	struct wire_problem problem;
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	(void)wire_problem_set(&problem, STATUS_INTERNAL, "ODD", text, "%s", text);
	assert_int_equal(strlen(problem.field), sizeof problem.field - 1);
	assert_int_equal(strlen(problem.text), sizeof problem.text - 1);
}

static bool
contains(const uint8_t *bytes, size_t count, const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i + length <= count; i++)
		if (memcmp(bytes + i, text, length) == 0)
			return true;
	return false;
}

/* The whole schema with its comments. That a dynamic client can use it is tested from outside, in another language. */
static void
test_described_holds_the_schema(void **state)
{
	struct buffer buffer, packed;
	size_t at = 0, count = 0;
	const uint8_t *bytes = wire_descriptor_set(&count);

	(void)state;
	assert_true(count > 10000);
	assert_true(contains(bytes, count, "collide/v1/collide.proto"));
	assert_true(contains(bytes, count, "CircleColumns"));
	assert_true(contains(bytes, count, "These comments are its specification"));
	buffer_init(&buffer);
	wire_described_begin(&buffer, 3);
	buffer_append(&buffer, bytes, count);
	Collide__V1__ServerMessage *message = reply_next(&buffer, &at);
	assert_int_equal(message->request_id, 3);
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED);
	assert_int_equal(message->described->file_descriptor_set.len, count);
	assert_memory_equal(message->described->file_descriptor_set.data, bytes, count);
	assert_int_equal(at, buffer.count);
	/* The bytes that protobuf-c would write. */
	buffer_init(&packed);
	wire_reply_append(&packed, message);
	assert_int_equal(packed.count, buffer.count);
	assert_memory_equal(packed.bytes, buffer.bytes, packed.count);
	buffer_finish(&packed);
	collide__v1__server_message__free_unpacked(message, NULL);
	buffer_finish(&buffer);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_error_carries_the_problem),
		cmocka_unit_test(test_long_problem_is_cut),
		cmocka_unit_test(test_described_holds_the_schema),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
