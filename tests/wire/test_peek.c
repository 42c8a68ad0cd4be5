#include "support/assert_double.h"

#include "wire/message_bytes.h"

#include "wire/limits.h"
#include "wire/wire.h"

static void
assert_peek(struct buffer *bytes, bool good, uint64_t request_id, uint32_t field)
{
	uint64_t found_id = 99;
	uint32_t found = 99;

	assert_int_equal(wire_request_peek(bytes->bytes, bytes->count, &found_id, &found), good);
	assert_true(found_id == request_id);
	assert_int_equal(found, field);
	buffer_finish(bytes);
}

static void
test_each_kind_of_request(void **state)
{
	static const uint32_t fields[] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND,
		                               COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY,
		                               2000 /* of a later version */ };
	const uint32_t count = sizeof fields / sizeof fields[0];
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(wire_request_is_known(fields[i]), i < count - 1);
		put_number(&bytes, 1, i + 1);
		put_bytes(&bytes, fields[i], NULL, 0);
		assert_peek(&bytes, true, i + 1, fields[i]);
		put_bytes(&bytes, fields[i], NULL, 0); /* the other way round, and without an id */
		put_number(&bytes, 1, i + 1);
		assert_peek(&bytes, true, i + 1, fields[i]);
		put_bytes(&bytes, fields[i], NULL, 0);
		assert_peek(&bytes, true, 0, fields[i]);
	}
	assert_peek(&bytes, true, 0, 0);
	put_number(&bytes, 1, 3);
	assert_peek(&bytes, true, 3, 0);
}

/* The envelope's other field and what lies beside the oneof are no requests. */
static void
test_only_the_oneof_is_known(void **state)
{
	(void)state;
	assert_false(wire_request_is_known(0));
	assert_false(wire_request_is_known(1));
	assert_false(wire_request_is_known(UINT32_MAX));
}

/* An unknown field beside a known request changes nothing. */
static void
test_unknown_fields_do_not_hide_the_request(void **state)
{
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	put_bytes(&bytes, 77, "later", 5);
	put_bytes(&bytes, 3, NULL, 0);
	put_bytes(&bytes, 78, "later", 5);
	put_number(&bytes, 79, 1);
	assert_peek(&bytes, true, 0, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING);
}

/* The inside is not looked into: that is for a worker. */
/* As many of them as a message may have, before what is looked for; with one more it is no message of ours. */
static void
test_the_most_unknown_fields(void **state)
{
	(void)state;
	for (uint32_t count = WIRE_UNKNOWN_FIELDS_MAX; count <= WIRE_UNKNOWN_FIELDS_MAX + 1; count++) {
		struct buffer bytes;
		uint64_t id = 0;
		uint32_t field = 0;

		buffer_init(&bytes);
		for (uint32_t i = 0; i < count; i++)
			put_number(&bytes, 50 + i, i);
		put_number(&bytes, 1, 5);
		put_bytes(&bytes, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING, NULL, 0);
		assert_int_equal(wire_request_peek(bytes.bytes, bytes.count, &id, &field), count == WIRE_UNKNOWN_FIELDS_MAX);
		if (count == WIRE_UNKNOWN_FIELDS_MAX) {
			assert_int_equal(id, 5);
			assert_int_equal(field, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING);
		}
		buffer_finish(&bytes);
	}
}

static void
test_the_inside_is_not_read(void **state)
{
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	put_number(&bytes, 1, 4);
	put_bytes(&bytes, 6, "\x00\xff\x0b", 3);
	assert_peek(&bytes, true, 4, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE);
}

/* The id is told where it was read before things went wrong, so that the Error can name its request. */
static void
test_broken_envelopes(void **state)
{
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	put_number(&bytes, 1, 5);
	put_tag(&bytes, 3, PUT_BYTES);
	put_varint(&bytes, 100);
	assert_peek(&bytes, false, 5, 0);

	put_number(&bytes, 1, 5);
	put_bytes(&bytes, 3, NULL, 0);
	put_bytes(&bytes, 4, NULL, 0);
	assert_peek(&bytes, false, 5, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL);

	buffer_append(&bytes, "GET / HTTP/1.1", 14);
	assert_peek(&bytes, false, 0, 0);

	for (uint32_t i = 0; i < 100; i++)
		put_number(&bytes, 50 + i, i);
	put_number(&bytes, 1, 5);
	assert_peek(&bytes, false, 0, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_request),
		cmocka_unit_test(test_only_the_oneof_is_known),
		cmocka_unit_test(test_unknown_fields_do_not_hide_the_request),
		cmocka_unit_test(test_the_most_unknown_fields),
		cmocka_unit_test(test_the_inside_is_not_read),
		cmocka_unit_test(test_broken_envelopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
