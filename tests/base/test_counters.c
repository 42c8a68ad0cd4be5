#include "base/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void
counts_by_group_and_name(void **state)
{
	(void)state;
	struct counters counters;
	char copy[] = "IDLE";
	counters_init(&counters);
	assert_int_equal(counters_value(&counters, "close", "IDLE"), 0);
	counters_add(&counters, "close", "IDLE", 2);
	counters_add(&counters, "close", copy, 1);
	counters_add(&counters, "refusal", "IDLE", 5);
	assert_int_equal(counters_value(&counters, "close", "IDLE"), 3);
	assert_int_equal(counters_value(&counters, "refusal", "IDLE"), 5);
	assert_int_equal(counters.count, 2);
}

static void
more_names_than_places_share_one(void **state)
{
	(void)state;
	static char names[COUNTERS_MAX + 20][8];
	struct counters counters;
	uint64_t total = 0;
	counters_init(&counters);
	for (size_t i = 0; i < COUNTERS_MAX + 20; i++) {
		snprintf(names[i], sizeof names[i], "N%zu", i);
		counters_add(&counters, "group", names[i], 1);
	}
	counters_add(&counters, "group", names[3], 1);
	assert_int_equal(counters.count, COUNTERS_MAX);
	for (size_t i = 0; i < counters.count; i++)
		total += counters.entries[i].value;
	assert_int_equal(total, COUNTERS_MAX + 21);
	assert_int_equal(counters_value(&counters, "group", "N3"), 2);
	assert_int_equal(counters_value(&counters, "other", "OTHER"), 21);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_by_group_and_name),
		cmocka_unit_test(more_names_than_places_share_one),
	};
	return cmocka_run_group_tests_name("base/counters", tests, NULL, NULL);
}
