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

/* Of what the process may have a request's ledger is refused the last eighth, and a world's is not. So it is with what is
 * charged to neither, but for one of them. */
static void
test_what_is_left(void **state)
{
	struct ledger request, world;

	(void)state;
	ledger_init(&request, 0);
	ledger_leave(&request);
	ledger_init(&world, 0);
	memory_bound_set(UINT64_C(64) << 20);
	struct ledger *own = memory_enter(&request);
	void *most = memory_alloc((size_t)55 << 20);

	assert_non_null(most);
	assert_null(memory_alloc((size_t)2 << 20));
	assert_false(ledger_reserve(&request, UINT64_C(58) << 20));
	(void)memory_enter_common();
	assert_null(memory_alloc((size_t)2 << 20));
	(void)memory_enter(&world);
	void *more = memory_alloc((size_t)2 << 20);

	assert_non_null(more);
	(void)memory_enter_common();
	void *common = memory_alloc((size_t)2 << 20);

	assert_non_null(common);
	memory_free(common);
	(void)memory_enter(&world);
	assert_null(memory_alloc((size_t)8 << 20));
	memory_free(more);
	(void)memory_enter(&request);
	memory_free(most);
	(void)memory_enter(own);
	memory_bound_set(0);
}

/* As much as it gets in pieces of a mebibyte, without writing to them. */
static size_t
fill(struct ledger *ledger, void *pieces[])
{
	struct ledger *own = memory_enter(ledger);
	size_t count = 0;

	while (count < 64 && (pieces[count] = memory_alloc((size_t)1 << 20)))
		count++;
	(void)memory_enter(own);
	return count;
}

static void
empty(struct ledger *ledger, void *pieces[], size_t count)
{
	struct ledger *own = memory_enter(ledger);

	for (size_t i = 0; i < count; i++)
		memory_free(pieces[i]);
	(void)memory_enter(own);
}

static struct ledger
leaving(struct memory_share *share)
{
	struct ledger ledger;

	ledger_init(&ledger, 0);
	ledger_leave(&ledger);
	ledger_share(&ledger, share);
	return ledger;
}

/* Of the 63 MiB that requests may have, an account's get two thirds, in one ledger or in several. The next account's get two
 * thirds of the rest. What is freed or moved to a world is the share's no more. */
static void
test_shares(void **state)
{
	struct memory_share *greedy = memory_share_create(), *other = memory_share_create();
	void *pieces[3][64];
	const uint64_t before = memory_used();

	(void)state;
	assert_true(greedy && other);
	memory_bound_set(UINT64_C(72) << 20);
	struct ledger first = leaving(greedy), second = leaving(greedy), third = leaving(other);
	const size_t alone = fill(&first, pieces[0]);

	assert_in_range(alone, 41, 42);
	assert_int_equal(atomic_load(&first.refused), MEMORY_REFUSED_SHARE);
	assert_int_equal(fill(&second, pieces[1]), 0);
	assert_false(ledger_reserve(&second, 1 << 20));
	assert_int_equal(atomic_load(&second.refused), MEMORY_REFUSED_SHARE);
	const size_t beside = fill(&third, pieces[2]);

	assert_in_range(beside, 13, 14);
	empty(&third, pieces[2], beside);
	empty(&first, pieces[0], alone);
	ledger_finish(&first);
	assert_in_range(fill(&second, pieces[1]), alone, alone);
	struct ledger world;

	ledger_init(&world, 0);
	ledger_move(&second, &world);
	assert_int_equal(atomic_load(&greedy->used), 0);
	empty(&world, pieces[1], alone);
	ledger_finish(&third);
	assert_int_equal(atomic_load(&other->used), 0);
	assert_int_equal(memory_used(), before);
	memory_bound_set(0);
	memory_share_release(other);
	memory_share_release(greedy);
}

static struct ledger spared;
static void *first_spare, *second_spare;

static void
spare_release(void *context)
{
	void **spare = context;

	memory_free(*spare);
	*spare = NULL;
}

/* What a thread can do without goes in its order, and only as much as is needed. */
static void
test_spares(void **state)
{
	const struct memory_spare second = { spare_release, &second_spare, NULL };

	(void)state;
	ledger_init(&spared, 100000);
	struct ledger *own = memory_enter(&spared);

	first_spare = memory_alloc(30000);
	second_spare = memory_alloc(30000);
	struct memory_spare before = memory_spare_set((struct memory_spare){ spare_release, &first_spare, &second });
	void *one = memory_alloc(50000);

	assert_non_null(one);
	assert_null(first_spare);
	assert_non_null(second_spare);
	void *two = memory_alloc(40000);

	assert_non_null(two);
	assert_null(second_spare);
	assert_null(memory_alloc(30000));
	(void)memory_spare_set(before);
	memory_free(one);
	memory_free(two);
	(void)memory_enter(own);
	assert_int_equal(ledger_used(&spared), 0);
}

/* Shrunk to nothing it is still a block, which is freed once. */
static void
a_block_of_no_bytes_is_one(void **state)
{
	(void)state;
	char *block = memory_alloc(256);
	assert_non_null(block);
	block = memory_resize(block, 0);
	assert_non_null(block);
	block = memory_resize(block, 16);
	assert_non_null(block);
	memory_free(block);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_move),   cmocka_unit_test(test_what_is_left),          cmocka_unit_test(test_shares),
		cmocka_unit_test(test_spares), cmocka_unit_test(a_block_of_no_bytes_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
