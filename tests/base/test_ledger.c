/* What a ledger is charged for, and how that moves to another. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"

static void
test_move(void **state)
{
	struct ledger from, to;
	const uint64_t before = memory_used();

	(void)state;
	ledger_init(&from, 0);
	ledger_init(&to, 10000);
	assert_true(ledger_reserve(&from, 1 << 20));
	struct ledger *own = memory_enter(&from);
	void *large = memory_alloc(20000), *small = memory_alloc(100);

	assert_true(ledger_used(&from) >= 20100);
	(void)memory_enter(&to);
	void *other = memory_alloc(1000);
	const uint64_t sum = ledger_used(&from) + ledger_used(&to);

	/* All that was charged to one is charged to the other, over its bound if need be; the reservation ends. */
	ledger_move(&from, &to);
	assert_int_equal(ledger_used(&from), 0);
	assert_int_equal(ledger_used(&to), sum);
	assert_true(memory_used() - before <= sum);
	assert_null(memory_alloc(1));
	memory_free(large);
	large = memory_alloc(1);
	assert_non_null(large);
	memory_free(large);
	memory_free(small);
	memory_free(other);
	(void)memory_enter(own);
	assert_int_equal(ledger_used(&to), 0);
	assert_int_equal(memory_used(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_move) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
