/* Shared bytes: freed by its last release, on any thread. What is freed too early, too late or never, the sanitizers tell.
 */
#include "support/assert_double.h"

#include "base/shared_bytes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 4, ROUNDS = 20000 };

static void
the_last_holder_frees_it(void **state)
{
	uint8_t *bytes = malloc(3);

	(void)state;
	assert_non_null(bytes);
	memset(bytes, 7, 3);
	struct shared_bytes *block = shared_bytes_create(bytes, 3);
	assert_non_null(block);
	struct shared_bytes *other = shared_bytes_hold(block);
	assert_ptr_equal(other, block);
	shared_bytes_release(block);
	assert_int_equal(other->bytes[0] + other->bytes[1] + other->bytes[2], 21);
	assert_int_equal(other->count, 3);
	assert_int_equal(atomic_load(&other->holders), 1);
	shared_bytes_release(other);
	shared_bytes_release(NULL);
}

static void
one_in_the_callers_memory_is_never_freed(void **state)
{
	static const uint8_t bytes[] = { 1, 2 };
	struct shared_bytes block;

	(void)state;
	shared_bytes_init(&block, bytes, sizeof bytes);
	shared_bytes_release(shared_bytes_hold(&block));
	assert_int_equal(atomic_load(&block.holders), 1);
	shared_bytes_release(&block);
	assert_int_equal(atomic_load(&block.holders), 0);
	assert_ptr_equal(block.bytes, bytes);
}

static void *
hold_and_release(void *context)
{
	struct shared_bytes *block = context;

	for (unsigned i = 0; i < ROUNDS; i++)
		shared_bytes_release(shared_bytes_hold(block));
	shared_bytes_release(block); /* the hold it was given */
	return NULL;
}

static void
many_threads_hold_it(void **state)
{
	pthread_t threads[THREADS];
	struct shared_bytes *block = shared_bytes_create(calloc(1, 100), 100);

	(void)state;
	assert_non_null(block);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, shared_bytes_hold(block)), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&block->holders), 1);
	shared_bytes_release(block);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_holder_frees_it),
		cmocka_unit_test(one_in_the_callers_memory_is_never_freed),
		cmocka_unit_test(many_threads_hold_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
