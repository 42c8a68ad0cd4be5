#include "support/assert_double.h"

#include "wire/message_bytes.h"

#include "wire/wire.h"

static void
assert_peek(struct buffer *bytes, bool good, uint64_t request_id, enum wire_request_kind kind)
{
	uint64_t found_id = 99;
	enum wire_request_kind found = WIRE_REQUEST_UNKNOWN;

	assert_int_equal(wire_request_peek(bytes->bytes, bytes->count, &found_id, &found), good);
	assert_true(found_id == request_id);
	assert_int_equal(found, kind);
	buffer_finish(bytes);
}

static void
test_each_kind_of_request(void **state)
{
	static const enum wire_request_kind kinds[] = { WIRE_REQUEST_HELLO,    WIRE_REQUEST_PING,     WIRE_REQUEST_CANCEL,
		                                            WIRE_REQUEST_DESCRIBE, WIRE_REQUEST_SIMULATE, WIRE_REQUEST_DETECT,
		                                            WIRE_REQUEST_RESPOND,  WIRE_REQUEST_QUERY,    WIRE_REQUEST_UNKNOWN };
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	for (uint32_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		put_number(&bytes, 1, i + 1);
		put_bytes(&bytes, 2 + i, NULL, 0);
		assert_peek(&bytes, true, i + 1, kinds[i]);
		put_bytes(&bytes, 2 + i, NULL, 0); /* the other way round, and without an id */
		put_number(&bytes, 1, i + 1);
		assert_peek(&bytes, true, i + 1, kinds[i]);
		put_bytes(&bytes, 2 + i, NULL, 0);
		assert_peek(&bytes, true, 0, kinds[i]);
	}
	assert_peek(&bytes, true, 0, WIRE_REQUEST_NONE);
	put_number(&bytes, 1, 3);
	assert_peek(&bytes, true, 3, WIRE_REQUEST_NONE);
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
	assert_peek(&bytes, true, 0, WIRE_REQUEST_PING);
}

/* The inside is not looked into: that is for a worker. */
static void
test_the_inside_is_not_read(void **state)
{
	struct buffer bytes;

	(void)state;
	buffer_init(&bytes);
	put_number(&bytes, 1, 4);
	put_bytes(&bytes, 6, "\x00\xff\x0b", 3);
	assert_peek(&bytes, true, 4, WIRE_REQUEST_SIMULATE);
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
	assert_peek(&bytes, false, 5, WIRE_REQUEST_NONE);

	put_number(&bytes, 1, 5);
	put_bytes(&bytes, 3, NULL, 0);
	put_bytes(&bytes, 4, NULL, 0);
	assert_peek(&bytes, false, 5, WIRE_REQUEST_CANCEL);

	buffer_append(&bytes, "GET / HTTP/1.1", 14);
	assert_peek(&bytes, false, 0, WIRE_REQUEST_NONE);

	for (uint32_t i = 0; i < 100; i++) {
		put_number(&bytes, 50 + i, i);
	}
	put_number(&bytes, 1, 5);
	assert_peek(&bytes, false, 0, WIRE_REQUEST_NONE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_kind_of_request),
		cmocka_unit_test(test_unknown_fields_do_not_hide_the_request),
		cmocka_unit_test(test_the_inside_is_not_read),
		cmocka_unit_test(test_broken_envelopes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
