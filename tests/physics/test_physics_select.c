/* double_select against sorting: random numbers, few different ones, sorted, backwards, in and out again. Also an order in
 * which the middle of first, middle and last is mostly one of the least. */
#include "physics/math/sort.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define COUNT_MAX 3000

enum { RANDOM, FEW_VALUES, ASCENDING, DESCENDING, OUT_AND_IN, ADVERSE, KINDS };

static int
compare(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

static double
value_of(int kind, size_t i, size_t count, uint64_t *random)
{
	switch (kind) {
	case FEW_VALUES: return (double)random_below(random, 3) - 1;
	case ASCENDING: return (double)i;
	case DESCENDING: return -(double)i;
	case OUT_AND_IN: return (double)(i < count / 2 ? i : count - i);
	case ADVERSE: return i < count / 2 ? (double)(i % 2 ? i : i + count / 2) : (double)(2 * (i - count / 2));
	default: return random_between(random, -1, 1);
	}
}

static void
test_select_is_what_sorting_gives(void **state)
{
	(void)state;
	static double values[COUNT_MAX], sorted[COUNT_MAX];
	for (uint64_t seed = 1; seed <= 600; seed++) {
		uint64_t random = seed;
		const size_t count = 1 + (size_t)random_below(&random, seed % 2 ? 60 : COUNT_MAX);
		for (size_t i = 0; i < count; i++)
			sorted[i] = values[i] = value_of((int)(seed % KINDS), i, count, &random);
		qsort(sorted, count, sizeof *sorted, compare);
		for (int k = 0; k < 8; k++) {
			const size_t rank = (size_t)random_below(&random, count);
			assert_true(double_select(values, count, rank) == sorted[rank]);
		}
		qsort(values, count, sizeof *values, compare);
		assert_memory_equal(values, sorted, count * sizeof *values);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_select_is_what_sorting_gives) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
