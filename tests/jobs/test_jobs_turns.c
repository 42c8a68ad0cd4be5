/* That a working thread offers its core as often as it should and a resting one is left alone. */
#define _GNU_SOURCE
#include "jobs/turns.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#include <cmocka.h>

/* Two threads on one core. */
static atomic_bool is_over;

static void *
compute(void *context)
{
	while (!atomic_load(&is_over)) {
		continue;
	}
	return context;
}

static double
own_ms(void)
{
	struct timespec now;
	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Losses of the core in each millisecond that the thread had it. */
static void *
compute_and_offer(void *context)
{
	struct rusage before, after;
	turns_begin();
	turns_work();
	assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
	double begin_ms = own_ms(), spent_ms;
	while ((spent_ms = own_ms() - begin_ms) < 100) {
		continue;
	}
	assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
	turns_rest();
	turns_end();
	*(double *)context = (double)(after.ru_nivcsw - before.ru_nivcsw) / spent_ms;
	return NULL;
}

/* Without offers one is lost with the clock's ticks: 0.5 or fewer in a millisecond. */
static void
who_works_offers_the_core(void **state)
{
	(void)state;
	pthread_t other, worker;
	cpu_set_t all, one;
	double losses = 0;
	size_t core = 0;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	while (!CPU_ISSET(core, &all)) {
		core++;
	}
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(pthread_create(&other, NULL, compute, NULL), 0);
	assert_int_equal(pthread_create(&worker, NULL, compute_and_offer, &losses), 0);
	assert_int_equal(pthread_join(worker, NULL), 0);
	atomic_store(&is_over, true);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	assert_true(losses > 0.7);
}

/* One signal may be on its way; none follows. */
static void
who_rests_is_not_disturbed(void **state)
{
	(void)state;
	const struct timespec while_ = { .tv_nsec = 5 * TURNS_LOOK_US * 1000 };
	turns_begin();
	turns_work();
	turns_rest();
	int first = nanosleep(&while_, NULL);
	assert_true(first == 0 || errno == EINTR);
	assert_int_equal(nanosleep(&while_, NULL), 0);
	turns_work();
	turns_end();
	assert_int_equal(nanosleep(&while_, NULL), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_works_offers_the_core),
		cmocka_unit_test(who_rests_is_not_disturbed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
