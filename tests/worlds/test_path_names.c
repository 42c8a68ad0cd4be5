/* Names of velocities: whatever is put, a name is that of the same number in a reader's table, which has the last 256. Numbers
 * that come again soon are found, and then ever more of them. */
#include "worlds/paths/path_names.h"

#include "base/memory.h"
#include "support/assert_double.h"
#include "support/random.h"

/* As a reader has it. */
static uint64_t table[PATH_NAMES];

/* Tells so many numbers, each one of `choices`; returns how many were named in the last half. */
static size_t
named(uint64_t seed, uint64_t choices, uint32_t count, size_t *bytes)
{
	struct path_names *names = NULL;
	uint64_t random = seed;
	uint32_t put = 0;
	size_t found = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t bits = (1 + random_below(&random, choices)) * UINT64_C(0x9e3779b97f4a7c15);
		uint8_t place;

		if (names && path_names_find(names, bits, &place)) {
			assert_int_equal(table[place], bits);
			found += i >= count / 2;
			continue;
		}
		path_names_put(&names, put, bits);
		table[put++ % PATH_NAMES] = bits;
	}
	assert_non_null(names);
	if (names)
		*bytes = sizeof *names + names->capacity * sizeof names->bits[0];
	memory_free(names);
	return found;
}

static void
a_name_is_the_number_that_a_reader_has(void **state)
{
	size_t bytes;

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		(void)named(seed, 1 + random_below(&(uint64_t){ seed }, 400), 3000, &bytes);
}

static void
few_numbers_are_found(void **state)
{
	size_t bytes;

	(void)state;
	/* The directions of keys; then more than the table begins with. */
	assert_int_equal(named(1, 16, 2000, &bytes), 1000);
	assert_true(named(2, 100, 4000, &bytes) > 1900);
	assert_true(named(3, 200, 8000, &bytes) > 3500);
}

static void
numbers_that_never_come_again_take_little(void **state)
{
	size_t bytes;

	(void)state;
	assert_int_equal(named(4, UINT64_C(1) << 62, 4000, &bytes), 0);
	assert_true(bytes <= 700);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_the_number_that_a_reader_has),
		cmocka_unit_test(few_numbers_are_found),
		cmocka_unit_test(numbers_that_never_come_again_take_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
