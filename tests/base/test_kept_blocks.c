#include "support/assert_double.h"

#include "base/kept_blocks.h"
#include "base/memory.h"

#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A block of malloc's, and how many bytes it has. */
static void *
block_make(size_t bytes, size_t *usable)
{
	void *block = malloc(bytes);

	assert_non_null(block);
	*usable = malloc_usable_size(block);
	return block;
}

static void
test_the_block_given_last_is_taken_first(void **state)
{
	size_t bytes;
	void *first = block_make(3000, &bytes), *last = block_make(3000, &bytes);

	(void)state;
	kept_blocks_limit(10000);
	assert_true(kept_blocks_give(first, bytes));
	assert_true(kept_blocks_give(last, bytes));
	assert_ptr_equal(kept_blocks_take(1, 3000), last);
	assert_ptr_equal(kept_blocks_take(1, 3000), first);
	assert_null(kept_blocks_take(1, 3000));
	free(first);
	free(last);
	kept_blocks_limit(0);
}

static void
test_what_is_too_short_or_stands_wrongly_is_not_taken(void **state)
{
	size_t bytes, wrong = 128;
	char *block = block_make(5000, &bytes);

	(void)state;
	kept_blocks_limit(100000);
	assert_true(kept_blocks_give(block, bytes));
	assert_null(kept_blocks_take(1, bytes + 1));
	assert_null(kept_blocks_take(1, 5000)); /* it has been freed */
	block = aligned_alloc(64, 6400);
	assert_non_null(block);
	assert_true(kept_blocks_give(block, malloc_usable_size(block)));
	assert_ptr_equal(kept_blocks_take(64, 6400), block);
	while ((uintptr_t)block % wrong == 0)
		wrong *= 2;
	assert_true(kept_blocks_give(block, malloc_usable_size(block)));
	assert_null(kept_blocks_take(wrong, 6400));
	assert_null(kept_blocks_take(1, 6400));
	kept_blocks_limit(0);
}

static void
test_all_sizes_have_a_list(void **state)
{
	(void)state;
	kept_blocks_limit(100000);
	for (size_t asked = KEPT_BLOCK_BYTES_MIN / 2; asked < KEPT_BLOCK_BYTES_MAX + 1000; asked += 99) {
		size_t bytes;
		void *block = block_make(asked, &bytes), *taken = block;
		bool kept = kept_blocks_give(block, bytes);

		assert_int_equal(kept, bytes >= KEPT_BLOCK_BYTES_MIN && bytes <= KEPT_BLOCK_BYTES_MAX);
		if (kept)
			taken = kept_blocks_take(1, bytes);
		assert_ptr_equal(taken, block);
		free(taken);
	}
	kept_blocks_limit(0);
}

static void
test_no_more_is_kept_than_allowed(void **state)
{
	size_t bytes;
	void *first = block_make(4000, &bytes), *second = block_make(4000, &bytes), *third = block_make(4000, &bytes);

	(void)state;
	assert_false(kept_blocks_give(first, bytes));
	kept_blocks_limit(2 * bytes);
	assert_true(kept_blocks_give(first, bytes));
	assert_true(kept_blocks_give(second, bytes));
	assert_true(kept_blocks_give(third, bytes)); /* the other two are freed */
	assert_ptr_equal(kept_blocks_take(1, bytes), third);
	assert_null(kept_blocks_take(1, bytes));
	free(third);
	kept_blocks_limit(0);
}

/* They count as freed, and what is to be zero is. */
static void
test_kept_memory_is_charged_and_cleared_anew(void **state)
{
	static const unsigned char zeros[2000];
	struct ledger ledger;

	(void)state;
	ledger_init(&ledger, 3000);
	memory_keep(100000);
	assert_null(memory_enter(&ledger));
	unsigned char *dirty = memory_alloc(2000);
	assert_non_null(dirty);
	memset(dirty, 255, 2000);
	memory_free(dirty);
	assert_int_equal(ledger_used(&ledger), 0);
	unsigned char *clean = memory_zeroed(2, 1000);
	assert_ptr_equal(clean, dirty);
	assert_memory_equal(clean, zeros, sizeof zeros);
	assert_true(ledger_used(&ledger) >= 2000);
	assert_null(memory_alloc(2000)); /* over its bound */
	assert_null(memory_zeroed(SIZE_MAX / 2, 4));
	memory_free(clean);
	assert_int_equal(ledger_used(&ledger), 0);
	(void)memory_enter(NULL);
	memory_keep(0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_block_given_last_is_taken_first),
		cmocka_unit_test(test_what_is_too_short_or_stands_wrongly_is_not_taken),
		cmocka_unit_test(test_all_sizes_have_a_list),
		cmocka_unit_test(test_no_more_is_kept_than_allowed),
		cmocka_unit_test(test_kept_memory_is_charged_and_cleared_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
