/* Threads that allocate, however many, do so in as many arenas as they may have. */
#include "base/memory.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8, ARENAS = 3 };

static pthread_barrier_t allocated;

static void *
thread_main(void *context)
{
	void **block = context; /* outside, so that the compiler does not do without it */

	*block = malloc(100);
	(void)pthread_barrier_wait(&allocated);
	free(*block);
	return NULL;
}

/* As glibc tells them. */
static unsigned
arenas_count(void)
{
	char *text;
	size_t size;
	unsigned count = 0;
	FILE *file = open_memstream(&text, &size);

	assert_non_null(file);
	assert_int_equal(malloc_info(0, file), 0);
	assert_int_equal(fclose(file), 0);
	for (const char *at = text; (at = strstr(at, "<heap nr=")); at++)
		count++;
	free(text);
	return count;
}

static void
threads_share_arenas(void **state)
{
	pthread_t threads[THREADS];
	static void *blocks[THREADS];

	(void)state;
	memory_arenas_set(ARENAS);
	assert_int_equal(pthread_barrier_init(&allocated, NULL, THREADS + 1), 0);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, thread_main, &blocks[i]), 0);
	(void)pthread_barrier_wait(&allocated);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	assert_int_equal(arenas_count(), ARENAS);
	(void)pthread_barrier_destroy(&allocated);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(threads_share_arenas) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
