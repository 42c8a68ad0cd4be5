/* A body: freed by its last release, on any thread. What is freed too early, too late or never, the sanitizers tell.
 */
#include "support/assert_double.h"

#include "base/body.h"

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
	struct body *body = body_create(bytes, 3);
	assert_non_null(body);
	struct body *other = body_hold(body);
	assert_ptr_equal(other, body);
	body_release(body);
	assert_int_equal(other->bytes[0] + other->bytes[1] + other->bytes[2], 21);
	assert_int_equal(other->count, 3);
	assert_int_equal(atomic_load(&other->holders), 1);
	body_release(other);
	body_release(NULL);
}

static void
one_in_the_callers_memory_is_never_freed(void **state)
{
	static const uint8_t bytes[] = { 1, 2 };
	struct body body;

	(void)state;
	body_init(&body, bytes, sizeof bytes);
	body_release(body_hold(&body));
	assert_int_equal(atomic_load(&body.holders), 1);
	body_release(&body);
	assert_int_equal(atomic_load(&body.holders), 0);
	assert_ptr_equal(body.bytes, bytes);
}

static void *
hold_and_release(void *context)
{
	struct body *body = context;

	for (unsigned i = 0; i < ROUNDS; i++)
		body_release(body_hold(body));
	body_release(body); /* the hold it was given */
	return NULL;
}

static void
many_threads_hold_it(void **state)
{
	pthread_t threads[THREADS];
	struct body *body = body_create(calloc(1, 100), 100);

	(void)state;
	assert_non_null(body);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, hold_and_release, body_hold(body)), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(atomic_load(&body->holders), 1);
	body_release(body);
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
