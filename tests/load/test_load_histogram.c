/* Histograms against sorting. */
#include "client/load/histogram.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>

static int
compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
	return (a > b) - (a < b);
}

/* The rank of a percentile among `count` sorted values, from 1, in integers. */
static uint64_t
rank_of(uint64_t count, uint32_t millionths)
{
	uint64_t rank = (count * millionths + 999999) / 1000000;
	return rank > 0 ? rank : 1;
}

static const uint32_t RANKS[] = { 0, 1, 10000, 250000, 500000, 900000, 990000, 999000, 999900, 999990, 1000000 };
enum { RANK_COUNT = sizeof RANKS / sizeof RANKS[0] };

/* Never below the true percentile, and above it by less than a thousandth, for every count and to five nines. */
static void
percentiles_are_those_of_the_sorted_values(void **state)
{
	(void)state;
	enum { COUNT = 200000 };
	static const size_t counts[] = { 1, 2, 3, 10, 99, 100, 101, 1000, 12345, COUNT };
	static struct histogram histogram;
	static uint64_t values[COUNT];
	uint64_t random = 99;
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
		uint64_t sum = 0;
		histogram_clear(&histogram);
		for (size_t i = 0; i < counts[c]; i++) {
			values[i] = random_bits(&random) >> (24 + random_below(&random, 40)); /* 0 .. 2^40, each power as likely */
			sum += values[i];
			histogram_add(&histogram, values[i]);
		}
		qsort(values, counts[c], sizeof values[0], compare);
		for (size_t i = 0; i < RANK_COUNT; i++) {
			uint64_t exact = values[rank_of(counts[c], RANKS[i]) - 1], found = histogram_quantile(&histogram, RANKS[i]);
			assert_true(found >= exact);
			assert_true(found - exact <= exact / 1000);
		}
		assert_true(histogram_quantile(&histogram, 1000000) == values[counts[c] - 1]);
		assert_true(histogram.most == values[counts[c] - 1] && histogram.least == values[0] && histogram.sum == sum);
		assert_double_same_bits(histogram_mean(&histogram), (double)sum / (double)counts[c]);
	}
}

/* 0.99 x 100 and the like must not slip to the next rank. */
static void
ranks_are_exact(void **state)
{
	(void)state;
	static struct histogram histogram;
	for (uint64_t i = 1; i <= 1000; i++)
		histogram_add(&histogram, i);
	assert_int_equal(histogram_quantile(&histogram, 500000), 500);
	assert_int_equal(histogram_quantile(&histogram, 990000), 990);
	assert_int_equal(histogram_quantile(&histogram, 999000), 999);
	assert_int_equal(histogram_quantile(&histogram, 999001), 1000);
	assert_int_equal(histogram_quantile(&histogram, 70000), 70);
	assert_int_equal(histogram_quantile(&histogram, 70001), 71);
}

static void
small_and_huge_values_have_a_place(void **state)
{
	(void)state;
	static struct histogram histogram;
	assert_int_equal(histogram_quantile(&histogram, 500000), 0);
	for (uint64_t i = 0; i < 2048; i++)
		histogram_add(&histogram, i);
	assert_int_equal(histogram_quantile(&histogram, 500000), 1023); /* a counter each: exact */
	histogram_add(&histogram, UINT64_MAX);
	assert_true(histogram_quantile(&histogram, 1000000) == UINT64_MAX);
	histogram_clear(&histogram);
	histogram_add(&histogram, (uint64_t)1 << 50); /* beyond what has counters of its own: the largest stands for it */
	assert_true(histogram_quantile(&histogram, 500000) == (uint64_t)1 << 50);
}

static void
merged_ones_are_as_if_added_to_one(void **state)
{
	(void)state;
	static struct histogram parts[3], all, merged;
	uint64_t random = 5;
	for (size_t i = 0; i < 3000; i++) {
		uint64_t value = random_bits(&random) >> 30;
		histogram_add(&parts[i % 2], value); /* the third stays empty */
		histogram_add(&all, value);
	}
	for (size_t i = 0; i < 3; i++)
		histogram_merge(&merged, &parts[i]);
	assert_memory_equal(&merged, &all, sizeof all);
}

/* What was added since a moment, as if it had been added to an empty one, but for the width of counters. */
static void
what_was_added_since_is_left(void **state)
{
	(void)state;
	static struct histogram before, all, since;
	uint64_t random = 11;
	for (size_t i = 0; i < 4000; i++) {
		uint64_t value = random_bits(&random) >> 30, count = random_below(&random, 4);
		if (i < 1500)
			histogram_add_many(&before, value, count);
		else
			for (uint64_t k = 0; k < count; k++)
				histogram_add(&since, value);
		histogram_add_many(&all, value, count);
	}
	histogram_since(&all, &before);
	assert_int_equal(all.count, since.count);
	assert_memory_equal(all.counters, since.counters, sizeof all.counters);
	for (size_t i = 0; i < RANK_COUNT; i++) {
		uint64_t exact = histogram_quantile(&since, RANKS[i]), found = histogram_quantile(&all, RANKS[i]);
		assert_true(found >= exact && found - exact <= exact / 1000);
	}
	histogram_since(&all, &since);
	assert_int_equal(all.count + all.sum + all.most + all.least, 0);
}

static void
the_curve_climbs_to_all_values(void **state)
{
	(void)state;
	static struct histogram histogram;
	struct histogram_point point = { 0 };
	uint32_t counter = 0;
	uint64_t random = 7, below = 0, value = 0, points = 0;
	assert_false(histogram_next(&histogram, &counter, &point));
	for (size_t i = 0; i < 5000; i++)
		histogram_add(&histogram, random_bits(&random) >> 34);
	for (counter = 0; histogram_next(&histogram, &counter, &point); points++) {
		assert_true(point.below > below && (points == 0 || point.value > value));
		below = point.below;
		value = point.value;
	}
	assert_true(points > 100);
	assert_int_equal(below, 5000);
	assert_true(value == histogram.most);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(percentiles_are_those_of_the_sorted_values),
		cmocka_unit_test(ranks_are_exact),
		cmocka_unit_test(small_and_huge_values_have_a_place),
		cmocka_unit_test(merged_ones_are_as_if_added_to_one),
		cmocka_unit_test(what_was_added_since_is_left),
		cmocka_unit_test(the_curve_climbs_to_all_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
