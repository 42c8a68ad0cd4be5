/* The free list: the last one given is taken first, nothing is lost, and nothing is taken twice by threads at once. */
#include "jobs/free_list.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static size_t discarded;

static void
on_discard(void *thing)
{
	assert_non_null(thing);
	discarded++;
}

static void
the_last_given_is_the_first_taken(void **state)
{
	(void)state;
	int things[3];
	struct free_list *list = free_list_create();
	assert_non_null(list);
	assert_null(free_list_take(list));
	for (size_t i = 0; i < 3; i++)
		assert_true(free_list_give(list, &things[i]));
	assert_ptr_equal(free_list_take(list), &things[2]);
	assert_ptr_equal(free_list_take(list), &things[1]);
	assert_true(free_list_give(list, &things[2]));
	assert_ptr_equal(free_list_take(list), &things[2]);
	assert_ptr_equal(free_list_take(list), &things[0]);
	assert_null(free_list_take(list));
	free_list_destroy(list, on_discard);
	assert_int_equal(discarded, 0);
	free_list_destroy(NULL, on_discard);
}

static void
a_full_shelf_refuses(void **state)
{
	(void)state;
	int things[FREE_LIST_ITEMS_MAX + 1];
	struct free_list *list = free_list_create();
	assert_non_null(list);
	for (size_t i = 0; i < FREE_LIST_ITEMS_MAX; i++)
		assert_true(free_list_give(list, &things[i]));
	assert_false(free_list_give(list, &things[FREE_LIST_ITEMS_MAX]));
	assert_ptr_equal(free_list_take(list), &things[FREE_LIST_ITEMS_MAX - 1]);
	discarded = 0;
	free_list_destroy(list, on_discard);
	assert_int_equal(discarded, FREE_LIST_ITEMS_MAX - 1);
}

/* Takes one, which no other thread may have meanwhile, and gives it back. */
static void *
take_and_give(void *argument)
{
	for (int i = 0; i < 20000; i++) {
		uint64_t *users = free_list_take(argument);
		if (users) {
			/* Not atomic: if another had it too, a count would be lost, and a thread checker would say so. */
			++*users;
			if (!free_list_give(argument, users))
				return NULL;
		} else {
			i--;
		}
	}
	return argument;
}

static void
threads_share_it(void **state)
{
	(void)state;
	pthread_t threads[4];
	uint64_t things[2] = { 0 };
	struct free_list *list = free_list_create();
	assert_non_null(list);
	assert_true(free_list_give(list, &things[0]) && free_list_give(list, &things[1]));
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, list), 0);
	for (size_t i = 0; i < 4; i++) {
		void *result;
		assert_int_equal(pthread_join(threads[i], &result), 0);
		assert_ptr_equal(result, list);
	}
	assert_int_equal(things[0] + things[1], 80000);
	discarded = 0;
	free_list_destroy(list, on_discard);
	assert_int_equal(discarded, 2);
}

/* Six are left by those that needed them at once. Of these two are in use again and again: the rest is given out, but for three
 * that stay in any case. */
static void
what_is_not_used_is_given_out(void **state)
{
	(void)state;
	int things[6];
	struct free_list *list = free_list_create();
	assert_non_null(list);
	for (size_t i = 0; i < 6; i++)
		assert_true(free_list_give(list, &things[i]));
	assert_null(free_list_take_unused(list, 0));
	void *one = free_list_take(list), *two = free_list_take(list);
	assert_true(free_list_give(list, one) && free_list_give(list, two));
	assert_ptr_equal(free_list_take_unused(list, 3), &things[0]);
	assert_ptr_equal(free_list_take_unused(list, 3), &things[1]);
	assert_ptr_equal(free_list_take_unused(list, 3), &things[2]);
	assert_null(free_list_take_unused(list, 3));
	assert_int_equal(free_list_count(list), 3);
	one = free_list_take(list);
	assert_true(free_list_give(list, one));
	assert_ptr_equal(free_list_take_unused(list, 0), &things[3]);
	assert_non_null(free_list_take_unused(list, 0));
	assert_null(free_list_take_unused(list, 0));
	assert_ptr_equal(free_list_take(list), one);
	free_list_destroy(list, on_discard);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_given_is_the_first_taken),
		cmocka_unit_test(a_full_shelf_refuses),
		cmocka_unit_test(threads_share_it),
		cmocka_unit_test(what_is_not_used_is_given_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
