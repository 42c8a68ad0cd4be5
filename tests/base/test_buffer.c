#include "support/assert_double.h"
#include "support/random.h"

#include "base/buffer.h"

#include <stdlib.h>

static void
test_appended_bytes_come_back_in_order(void **state)
{
	uint64_t seed = 3;
	struct buffer buffer;
	uint8_t piece[3000], *bytes = NULL;
	uint8_t next = 0;
	size_t total = 0, count = 0;

	(void)state;
	buffer_init(&buffer);
	for (int i = 0; i < 200; i++) {
		size_t length = random_below(&seed, sizeof piece);

		for (size_t k = 0; k < length; k++)
			piece[k] = next++;
		buffer_append(&buffer, piece, length);
		total += length;
		assert_int_equal(buffer.count, total);
		assert_true(buffer.count <= buffer.capacity);
	}
	assert_false(buffer.failed);
	buffer_take(&buffer, &bytes, &count);
	assert_int_equal(count, total);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(bytes[i], i & 0xff);
	assert_int_equal(buffer.count, 0);
	assert_int_equal(buffer.capacity, 0);
	assert_null(buffer.bytes);
	free(bytes);
	buffer_finish(&buffer);
}

static void
test_extend_counts_the_room_in(void **state)
{
	struct buffer buffer;

	(void)state;
	buffer_init(&buffer);
	assert_non_null(buffer_extend(&buffer, 0));
	assert_int_equal(buffer.count, 0);
	uint8_t *room = buffer_extend(&buffer, 5);
	assert_non_null(room);
	memcpy(room, "hello", 5);
	buffer_append(&buffer, NULL, 0);
	assert_int_equal(buffer.count, 5);
	assert_memory_equal(buffer.bytes, "hello", 5);
	buffer_finish(&buffer);
	assert_null(buffer.bytes);
}

static void
test_failure_keeps_the_contents_and_is_remembered(void **state)
{
	struct buffer buffer;

	(void)state;
	buffer_init(&buffer);
	buffer_append(&buffer, "abc", 3);
	assert_null(buffer_extend(&buffer, SIZE_MAX));
	assert_true(buffer.failed);
	assert_int_equal(buffer.count, 3);
	assert_memory_equal(buffer.bytes, "abc", 3);
	buffer_append(&buffer, "d", 1);
	assert_true(buffer.failed);
	assert_int_equal(buffer.count, 4);
	buffer_finish(&buffer);
	assert_false(buffer.failed);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_appended_bytes_come_back_in_order),
		cmocka_unit_test(test_extend_counts_the_room_in),
		cmocka_unit_test(test_failure_keeps_the_contents_and_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
