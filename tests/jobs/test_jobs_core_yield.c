/* That a working thread yields its core as often as it should and a resting one is left alone. */
#define _GNU_SOURCE
#include "jobs/core_yield.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
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
	while (!atomic_load(&is_over))
		continue;
	return context;
}

static double
own_ms(void)
{
	struct timespec now;
	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Losses of the core in each millisecond that the thread had it; `passes`: it passes yield points. */
struct worker {
	bool passes;
	double losses;
};

static uint64_t
now_ns(void)
{
	struct timespec now;
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *
compute_and_yield(void *context)
{
	struct worker *worker = context;
	struct rusage before, after;
	core_yield_begin();
	core_yield_work();
	assert_int_equal(getrusage(RUSAGE_THREAD, &before), 0);
	double begin_ms = own_ms(), spent_ms;
	while ((spent_ms = own_ms() - begin_ms) < 100)
		if (worker->passes)
			core_yield_point(now_ns());
	assert_int_equal(getrusage(RUSAGE_THREAD, &after), 0);
	core_yield_rest();
	core_yield_end();
	worker->losses = (double)(after.ru_nivcsw - before.ru_nivcsw) / spent_ms;
	return NULL;
}

/* Without yields it is lost with the clock's ticks: 0.5 times or less in a millisecond. */
static double
losses_of(bool passes)
{
	pthread_t other, thread;
	cpu_set_t all, one;
	struct worker worker = { .passes = passes };
	size_t core = 0;
	assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
	while (!CPU_ISSET(core, &all))
		core++;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&other, NULL, compute, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, compute_and_yield, &worker), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	atomic_store(&is_over, true);
	assert_int_equal(pthread_join(other, NULL), 0);
	assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
	return worker.losses;
}

static void
a_working_thread_yields_its_core(void **state)
{
	(void)state;
	assert_true(losses_of(false) > 0.7);
}

static void
a_thread_that_passes_yield_points_does_so_too(void **state)
{
	(void)state;
	assert_true(losses_of(true) > 0.7);
}

/* One signal may be on its way; none follows. */
static void
a_resting_thread_is_not_disturbed(void **state)
{
	(void)state;
	const struct timespec while_ = { .tv_nsec = 5 * CORE_YIELD_LOOK_US * 1000 };
	core_yield_begin();
	core_yield_work();
	core_yield_rest();
	int first = nanosleep(&while_, NULL);
	assert_true(first == 0 || errno == EINTR);
	assert_int_equal(nanosleep(&while_, NULL), 0);
	core_yield_work();
	core_yield_end();
	assert_int_equal(nanosleep(&while_, NULL), 0);
}

static volatile sig_atomic_t signals;
static struct sigaction theirs;

static void
on_counted(int number)
{
	signals = signals + 1;
	theirs.sa_handler(number);
}

static void
count_signals(void)
{
	assert_int_equal(sigaction(SIGRTMIN, NULL, &theirs), 0);
	struct sigaction counted = theirs;
	counted.sa_handler = on_counted;
	assert_int_equal(sigaction(SIGRTMIN, &counted, NULL), 0);
	signals = 0;
}

/* For so much of a core's time a thread passes yield points. A clock of its own says that each is so long after the one before.
 * Returns its signals, and how much of the real clock's time it took. */
struct signalled {
	int count;
	uint64_t spent_ns;
};

static struct signalled
signals_of(double work_ms, uint64_t every_ns)
{
	core_yield_begin();
	count_signals();
	core_yield_work();
	uint64_t begin_ns = now_ns(), point_ns = begin_ns;
	for (double begin_ms = own_ms(); own_ms() - begin_ms < work_ms;)
		core_yield_point(point_ns += every_ns);
	core_yield_rest();
	struct signalled signalled = { signals, now_ns() - begin_ns };
	core_yield_end();
	return signalled;
}

static void
a_thread_that_passes_yield_points_gets_few_signals(void **state)
{
	(void)state;
	struct signalled often = signals_of(50, CORE_YIELD_PERIOD_US * 1000 / 10);
	assert_in_range(often.count, 1, 2 + often.spent_ns / (CORE_YIELD_LOOK_US * 1000));
	/* One each CORE_YIELD_PERIOD_US is due, while it has a core. */
	struct signalled seldom = signals_of(50, CORE_YIELD_PERIOD_US * 1000 * 4);
	assert_true(seldom.count >= 50000 / CORE_YIELD_PERIOD_US / 2);
}

/* As a worker that returns its request with each frame of a large world: before each long tick there is a yield point, after it
 * there is none. */
static void
one_yield_point_in_each_long_piece_does_not_stop_signals(void **state)
{
	(void)state;
	const double work_ms = 60, piece_ms = 3;
	core_yield_begin();
	count_signals();
	double begin_ms = own_ms();
	for (double piece = begin_ms; piece - begin_ms < work_ms; piece = own_ms()) {
		core_yield_work();
		core_yield_point(now_ns());
		while (own_ms() - piece < piece_ms) {
		}
	}
	core_yield_rest();
	int count = signals;
	core_yield_end();
	assert_true(count >= work_ms * 1000 / CORE_YIELD_PERIOD_US / 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_working_thread_yields_its_core),
		cmocka_unit_test(a_thread_that_passes_yield_points_does_so_too),
		cmocka_unit_test(a_resting_thread_is_not_disturbed),
		cmocka_unit_test(a_thread_that_passes_yield_points_gets_few_signals),
		cmocka_unit_test(one_yield_point_in_each_long_piece_does_not_stop_signals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
