/* The framer: any fragmentation gives the same messages; memory follows what came, not what was announced. */
#include "session/framer.h"

#include "session/limits.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void
whole_message_in_one_piece(void **state)
{
	(void)state;
	const uint8_t stream[] = { 3, 'a', 'b', 'c', 1, 'd' };
	struct framer framer;
	enum framer_result result = FRAMER_MORE;
	framer_init(&framer);
	assert_int_equal(framer_feed(&framer, stream, sizeof stream, 100, 1000, &result), 4);
	assert_int_equal(result, FRAMER_MESSAGE);
	assert_int_equal(framer.body_bytes, 3);
	assert_memory_equal(framer.body, "abc", 3);
	framer_next(&framer);
	assert_false(framer_is_mid_frame(&framer));
	assert_int_equal(framer_feed(&framer, stream + 4, 2, 100, 1000, &result), 2);
	assert_int_equal(result, FRAMER_MESSAGE);
	assert_memory_equal(framer.body, "d", 1);
	framer_finish(&framer);
}

static void
empty_message(void **state)
{
	(void)state;
	const uint8_t stream[] = { 0 };
	struct framer framer;
	enum framer_result result = FRAMER_MORE;
	framer_init(&framer);
	assert_int_equal(framer_feed(&framer, stream, 1, 100, 1000, &result), 1);
	assert_int_equal(result, FRAMER_MESSAGE);
	assert_int_equal(framer.body_bytes, 0);
	framer_finish(&framer);
}

static void
length_over_the_limit_is_refused_before_a_byte_is_kept(void **state)
{
	(void)state;
	const uint8_t stream[] = { 101, 'a', 'b' };
	struct framer framer;
	enum framer_result result = FRAMER_MORE;
	framer_init(&framer);
	assert_int_equal(framer_feed(&framer, stream, sizeof stream, 100, 1000, &result), 1);
	assert_int_equal(result, FRAMER_TOO_LARGE);
	assert_int_equal(framer.capacity, 0);
	assert_null(framer.body);
	framer_finish(&framer);
}

static void
lengths_that_are_none(void **state)
{
	(void)state;
	static const struct {
		uint8_t bytes[8];
		size_t used;
	} cases[] = {
		{ { 0x81, 0x00 }, 2 },                         /* not canonical */
		{ { 0xff, 0xff, 0xff, 0xff, 0x7f }, 5 },       /* over 32 bits */
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, 5 }, /* over five bytes */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct framer framer;
		enum framer_result result = FRAMER_MORE;
		framer_init(&framer);
		assert_int_equal(framer_feed(&framer, cases[i].bytes, 8, UINT32_MAX, 1000, &result), cases[i].used);
		assert_int_equal(result, FRAMER_MALFORMED);
		framer_finish(&framer);
	}
}

static void
buffer_grows_with_bytes_received_not_announced(void **state)
{
	(void)state;
	const uint8_t header[] = { 0x80, 0x80, 0x80, 0x40 }; /* 128 MiB */
	struct framer framer;
	enum framer_result result = FRAMER_MORE;
	uint8_t bytes[1000] = { 0 };
	framer_init(&framer);
	framer_feed(&framer, header, sizeof header, UINT32_MAX, UINT64_MAX, &result);
	assert_int_equal(framer.capacity, 0);
	for (size_t received = sizeof bytes; received < 100 * sizeof bytes; received += sizeof bytes) {
		framer_feed(&framer, bytes, sizeof bytes, UINT32_MAX, UINT64_MAX, &result);
		assert_int_equal(result, FRAMER_MORE);
		assert_in_range(framer.capacity, received, 2 * received);
	}
	framer_finish(&framer);
}

static void
without_memory_the_message_is_skipped_and_its_prefix_kept(void **state)
{
	(void)state;
	enum { BODY = 10000 };
	struct framer framer;
	enum framer_result result = FRAMER_MORE;
	uint8_t *stream = malloc(2 + BODY + 2);
	assert_non_null(stream);
	stream[0] = 0x80 | (BODY & 0x7f);
	stream[1] = BODY >> 7;
	for (size_t i = 0; i < BODY; i++)
		stream[2 + i] = (uint8_t)i;
	stream[2 + BODY] = 1;
	stream[3 + BODY] = 'z';
	framer_init(&framer);
	size_t used = framer_feed(&framer, stream, 3000, UINT32_MAX, 6000, &result);
	assert_int_equal(result, FRAMER_MORE);
	used += framer_feed(&framer, stream + used, BODY + 4 - used, UINT32_MAX, 6000, &result);
	assert_int_equal(result, FRAMER_SKIPPED);
	assert_int_equal(used, BODY + 2);
	assert_int_equal(framer.capacity, FRAMER_PREFIX_BYTES);
	assert_memory_equal(framer.body, stream + 2, FRAMER_PREFIX_BYTES);
	framer_next(&framer);
	framer_feed(&framer, stream + used, 2, UINT32_MAX, 6000, &result);
	assert_int_equal(result, FRAMER_MESSAGE);
	assert_int_equal(framer.body[0], 'z');
	framer_finish(&framer);
	free(stream);
}

/* A connection that rests holds no more than a Hello, Ping or Cancel needs: at the limit, and one byte over it. */
static void
a_large_message_leaves_no_buffer(void **state)
{
	(void)state;
	for (uint32_t bytes = SESSION_CONTROL_BYTES_MAX; bytes <= SESSION_CONTROL_BYTES_MAX + 1; bytes++) {
		static uint8_t stream[2 + SESSION_CONTROL_BYTES_MAX + 1];
		struct framer framer;
		enum framer_result result = FRAMER_MORE;
		stream[0] = (uint8_t)(0x80 | (bytes & 0x7f));
		stream[1] = (uint8_t)(bytes >> 7);
		framer_init(&framer);
		assert_int_equal(framer_feed(&framer, stream, 2 + bytes, bytes, bytes, &result), 2 + bytes);
		assert_int_equal(result, FRAMER_MESSAGE);
		assert_int_equal(framer.capacity, bytes);
		framer_next(&framer);
		assert_int_equal(framer.capacity, bytes == SESSION_CONTROL_BYTES_MAX ? bytes : 0);
		assert_int_equal(framer.body != NULL, bytes == SESSION_CONTROL_BYTES_MAX);
		framer_finish(&framer);
	}
}

static void
any_fragmentation_gives_the_same_messages(void **state)
{
	(void)state;
	enum { MESSAGES = 200 };
	uint64_t seed = 7;
	uint8_t *stream = malloc(MESSAGES * 402);
	size_t total = 0;
	assert_non_null(stream);
	for (unsigned i = 0; i < MESSAGES; i++) {
		uint32_t count = (uint32_t)random_below(&seed, 400);
		total += frame_header_write(stream + total, count);
		memset(stream + total, (int)(i & 0xff), count);
		total += count;
	}
	for (unsigned round = 0; round < 50; round++) {
		struct framer framer;
		unsigned messages = 0;
		framer_init(&framer);
		for (size_t at = 0; at < total;) {
			size_t piece = 1 + random_below(&seed, round < 10 ? 1 : 700);
			piece = piece < total - at ? piece : total - at;
			for (size_t used = 0; used < piece;) {
				enum framer_result result = FRAMER_MORE;
				used += framer_feed(&framer, stream + at + used, piece - used, 400, 1000, &result);
				if (result == FRAMER_MESSAGE) {
					for (uint32_t i = 0; i < framer.body_bytes; i++)
						assert_int_equal(framer.body[i], messages & 0xff);
					messages++;
					framer_next(&framer);
				}
			}
			at += piece;
		}
		assert_int_equal(messages, MESSAGES);
		assert_false(framer_is_mid_frame(&framer));
		framer_finish(&framer);
	}
	free(stream);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_message_in_one_piece),
		cmocka_unit_test(empty_message),
		cmocka_unit_test(length_over_the_limit_is_refused_before_a_byte_is_kept),
		cmocka_unit_test(lengths_that_are_none),
		cmocka_unit_test(buffer_grows_with_bytes_received_not_announced),
		cmocka_unit_test(without_memory_the_message_is_skipped_and_its_prefix_kept),
		cmocka_unit_test(a_large_message_leaves_no_buffer),
		cmocka_unit_test(any_fragmentation_gives_the_same_messages),
	};
	return cmocka_run_group_tests_name("session/framer", tests, NULL, NULL);
}
