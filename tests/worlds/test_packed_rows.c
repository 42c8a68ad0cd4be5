/* Rows that are packed come back as they were, whatever they are; like ones take little; what is no such packing is refused
 * and reads nothing beyond it. */
#include "worlds/history/packed_rows.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 5000u

static uint8_t bytes[COUNT_MAX], back[COUNT_MAX], packed[2 * COUNT_MAX];

/* Rows that have in common what is 0 in `differs` of 16. */
static void
rows_make(uint64_t *random, size_t count, size_t row_bytes, unsigned differs)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = i < row_bytes || random_below(random, 16) < differs ? (uint8_t)random_bits(random) : bytes[i - row_bytes];
}

static void
rows_come_back(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		uint64_t random = seed;
		size_t count = random_below(&random, COUNT_MAX + 1), row_bytes = 1 + random_below(&random, 200);

		rows_make(&random, count, row_bytes, (unsigned)(seed % 17));
		size_t taken = packed_rows_write(bytes, count, row_bytes, packed);
		assert_true(taken <= packed_rows_most(count));
		memset(back, 1, sizeof back);
		/* In a block of its own, for AddressSanitizer. */
		uint8_t *exact = malloc(taken + 1), *whole = malloc(count + 1);
		assert_true(exact && whole);
		memcpy(exact, packed, taken);
		assert_true(packed_rows_read(exact, taken, row_bytes, whole, count));
		assert_memory_equal(whole, bytes, count);
		free(whole);
		free(exact);
	}
}

static void
like_rows_take_little(void **state)
{
	uint64_t random = 1;

	(void)state;
	rows_make(&random, 4000, 100, 0);
	/* The first row, and a count of zeros and one of no others. */
	assert_true(packed_rows_write(bytes, 4000, 100, packed) <= 100 + 3);
	/* 20 of 100 bytes differ: they, and two counts. */
	for (size_t i = 100; i < 4000; i++)
		if (i % 100 < 20)
			bytes[i] = bytes[i - 100] ^ (uint8_t)(1 + random_below(&random, 255));
		else
			bytes[i] = bytes[i - 100];
	assert_true(packed_rows_write(bytes, 4000, 100, packed) <= 100 + 39 * 22 + 2);
}

static void
what_is_none_is_refused(void **state)
{
	size_t refused = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 2000; seed++) {
		uint64_t random = seed;
		size_t count = 1 + random_below(&random, 600), row_bytes = 1 + random_below(&random, 60);

		rows_make(&random, count, row_bytes, 4);
		size_t taken = packed_rows_write(bytes, count, row_bytes, packed), left = random_below(&random, taken + 1);
		uint8_t *exact = malloc(taken + 1), *whole = malloc(count);
		assert_true(exact && whole);
		memcpy(exact, packed, taken);
		/* Cut short, and with some bytes that are others. */
		if (left < taken)
			assert_false(packed_rows_read(exact, left, row_bytes, whole, count));
		for (size_t i = 0; i < 3 && taken > 0; i++)
			exact[random_below(&random, taken)] = (uint8_t)random_bits(&random);
		refused += !packed_rows_read(exact, taken, row_bytes, whole, count);
		free(whole);
		free(exact);
	}
	assert_true(refused > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_back),
		cmocka_unit_test(like_rows_take_little),
		cmocka_unit_test(what_is_none_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
