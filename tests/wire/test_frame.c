#include "support/assert_double.h"

#include "proto/frame.h"

#include <stdbool.h>

static void
test_written_headers_are_read_back(void **state)
{
	static const struct {
		uint32_t body;
		size_t header;
	} cases[] = {
		{ 0, 1 },       { 1, 1 },       { 127, 1 },       { 128, 2 },       { 16383, 2 },      { 16384, 3 },
		{ 2097151, 3 }, { 2097152, 4 }, { 268435455, 4 }, { 268435456, 5 }, { UINT32_MAX, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		uint8_t bytes[FRAME_HEADER_BYTES_MAX];
		size_t header = 0, written = frame_header_write(bytes, cases[i].body);
		uint32_t body = 0;

		assert_int_equal(written, cases[i].header);
		for (size_t count = 0; count < written; count++)
			assert_int_equal(frame_header_read(bytes, count, UINT32_MAX, &header, &body), FRAME_SHORT);
		assert_int_equal(frame_header_read(bytes, written, UINT32_MAX, &header, &body), FRAME_OK);
		assert_int_equal(header, written);
		assert_int_equal(body, cases[i].body);
	}
}

static void
test_malformed_headers(void **state)
{
	static const uint8_t longer_than_needed[] = { 0x80, 0x00 };
	static const uint8_t longer_still[] = { 0xff, 0xff, 0x00 };
	static const uint8_t over_32_bits[] = { 0xff, 0xff, 0xff, 0xff, 0x1f };
	static const uint8_t over_five_bytes[] = { 0x80, 0x80, 0x80, 0x80, 0x80, 0x01 };
	static const uint8_t http[] = "GET / HTTP/1.1\r\n";
	size_t header = 0;
	uint32_t body = 0;

	(void)state;
	assert_int_equal(frame_header_read(longer_than_needed, 2, UINT32_MAX, &header, &body), FRAME_MALFORMED);
	assert_int_equal(frame_header_read(longer_still, 3, UINT32_MAX, &header, &body), FRAME_MALFORMED);
	assert_int_equal(frame_header_read(over_32_bits, 5, UINT32_MAX, &header, &body), FRAME_MALFORMED);
	assert_int_equal(frame_header_read(over_five_bytes, 6, UINT32_MAX, &header, &body), FRAME_MALFORMED);
	/* Known to be malformed from the fifth byte on, without waiting for a sixth. */
	assert_int_equal(frame_header_read(over_five_bytes, 5, UINT32_MAX, &header, &body), FRAME_MALFORMED);
	/* A browser's request reads as a short message: 'G' is 71. The message itself is then refused. */
	assert_int_equal(frame_header_read(http, sizeof http, UINT32_MAX, &header, &body), FRAME_OK);
	assert_int_equal(body, 'G');
}

static void
test_too_large_is_told_from_the_header_alone(void **state)
{
	uint8_t bytes[FRAME_HEADER_BYTES_MAX];
	size_t header = 0, count = frame_header_write(bytes, 1001);
	uint32_t body = 0;

	(void)state;
	assert_int_equal(frame_header_read(bytes, count, 1000, &header, &body), FRAME_TOO_LARGE);
	assert_int_equal(body, 1001);
	assert_int_equal(frame_header_read(bytes, count, 1001, &header, &body), FRAME_OK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_written_headers_are_read_back),
		cmocka_unit_test(test_malformed_headers),
		cmocka_unit_test(test_too_large_is_told_from_the_header_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
