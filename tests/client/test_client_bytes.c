/* The queue of bytes against a plain array, and that moving stays cheap. */
#include "client/lib/bytes.h"

#include "support/assert_double.h"
#include "support/random.h"

static void
what_goes_in_comes_out_in_order(void **state)
{
	(void)state;
	struct bytes bytes = { 0 };
	uint64_t random = 5, in = 0, out = 0; /* byte i of the stream is (uint8_t)i */
	for (int round = 0; round < 20000; round++) {
		size_t add = (size_t)random_below(&random, 200);
		uint8_t *room = bytes_reserve(&bytes, add);
		assert_non_null(room);
		for (size_t i = 0; i < add; i++)
			room[i] = (uint8_t)in++;
		bytes_commit(&bytes, add);
		assert_int_equal(bytes_count(&bytes), in - out);
		size_t take = (size_t)random_below(&random, bytes_count(&bytes) + 1);
		for (size_t i = 0; i < take; i++)
			assert_int_equal(bytes.memory[bytes.start + i], (uint8_t)out++);
		bytes_consume(&bytes, take);
	}
	assert_true(bytes.capacity < 64 * 1024); /* consumed space was used again */
	bytes_finish(&bytes);
}

static void
an_impossible_size_is_refused(void **state)
{
	(void)state;
	struct bytes bytes = { 0 };
	assert_non_null(bytes_reserve(&bytes, 8));
	bytes_commit(&bytes, 8);
	assert_null(bytes_reserve(&bytes, SIZE_MAX - 4));
	assert_int_equal(bytes_count(&bytes), 8);
	bytes_finish(&bytes);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_goes_in_comes_out_in_order),
		cmocka_unit_test(an_impossible_size_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
