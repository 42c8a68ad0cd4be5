#include "support/assert_double.h"
#include "support/random.h"

#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>

static void
test_pieces_are_zero_aligned_and_apart(void **state)
{
	static const size_t sizes[] = { 1, 16, 17, 4096, 20000, 70000, 3, 65536, 100, 0, 8 };
	enum { COUNT = sizeof sizes / sizeof sizes[0] };
	unsigned char *pieces[COUNT];
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNT; i++) {
			pieces[i] = arena_alloc(&arena, sizes[i]);
			assert_non_null(pieces[i]);
			assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(pieces[i][k], 0);
			memset(pieces[i], (int)i + 1, sizes[i]);
		}
		for (size_t i = 0; i < COUNT; i++)
			for (size_t k = 0; k < sizes[i]; k++)
				assert_int_equal(pieces[i][k], i + 1);
		arena_reset(&arena);
		assert_int_equal(arena.used_bytes, 0);
	}
	arena_finish(&arena);
}

static void
test_size_zero_is_a_unique_pointer(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64);
	void *first = arena_alloc(&arena, 0);
	void *second = arena_alloc(&arena, 0);
	assert_non_null(first);
	assert_non_null(second);
	assert_ptr_not_equal(first, second);
	arena_finish(&arena);
}

/* The budget is cumulative: it holds across pieces and a refusal costs nothing of it. */
static void
test_budget_is_never_exceeded(void **state)
{
	uint64_t seed = 7;
	struct arena arena;
	size_t refused = 0;

	(void)state;
	arena_init(&arena, 100000);
	for (int i = 0; i < 1000; i++) {
		size_t before = arena.used_bytes, size = random_below(&seed, 5000);

		if (!arena_alloc(&arena, size)) {
			refused++;
			assert_int_equal(arena.used_bytes, before);
			assert_true(before + size + alignof(max_align_t) > arena.budget_bytes);
		}
		assert_true(arena.used_bytes <= arena.budget_bytes);
	}
	assert_true(refused > 0);
	arena_reset(&arena);
	assert_non_null(arena_alloc(&arena, 100000));
	assert_null(arena_alloc(&arena, 1));
	arena_finish(&arena);
}

static void
test_overflow_is_refused(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, SIZE_MAX);
	assert_null(arena_alloc(&arena, SIZE_MAX));
	assert_null(arena_alloc(&arena, SIZE_MAX - 8));
	assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
	assert_null(arena_array(&arena, (size_t)1 << 33, (size_t)1 << 33));
	assert_non_null(arena_array(&arena, 3, 0));
	assert_non_null(arena_array(&arena, 0, 3));
	assert_non_null(arena_array(&arena, 10, 10));
	arena_finish(&arena);
	arena_init(&arena, 0);
	assert_null(arena_alloc(&arena, 0));
	arena_finish(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces_are_zero_aligned_and_apart),
		cmocka_unit_test(test_size_zero_is_a_unique_pointer),
		cmocka_unit_test(test_budget_is_never_exceeded),
		cmocka_unit_test(test_overflow_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
