#define _GNU_SOURCE /* gettid, SIGEV_THREAD_ID */
#include "jobs/core_yield.h"

#include "base/check.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h> /* with the timers of time.h, says POSIX */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define NS_PER_US 1000
#define NS_PER_S 1000000000

/* The signal that says that it is time to yield; nothing else in this process uses real-time signals. */
#define SIGNAL_YIELD SIGRTMIN

/* This thread's; written by it and by its own signal handler. */
static _Thread_local timer_t timer;
static _Thread_local volatile sig_atomic_t has_timer, armed, working;
static _Thread_local volatile sig_atomic_t begun;    /* pieces of work since the last signal */
static _Thread_local volatile sig_atomic_t is_short; /* of late they were, or what lies between two yield points */
static _Thread_local volatile sig_atomic_t passed;   /* a yield point was followed by another since the last signal */
static _Thread_local volatile sig_atomic_t late;     /* and once later than a yield was due */
/* The time that this thread had spent on a core when it last yielded, or when a new piece of work was noticed. */
static _Thread_local _Atomic(int64_t) yielded_ns;
static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a signal's handler and the thread share them");
/* The thread's alone, by core_yield_point's clock: the last yield point of this piece of work (0: none), and when the
 * next yield is due. */
static _Thread_local uint64_t passed_ns, due_ns;

static int64_t
own_time_ns(void)
{
	struct timespec now;
	CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Goes off once: a thread that rests is not woken again and again. */
static void
timer_arm(void)
{
	const struct itimerspec when = { .it_value.tv_nsec = (is_short ? CORE_YIELD_LOOK_US : CORE_YIELD_PERIOD_US) * NS_PER_US };
	armed = timer_settime(timer, 0, &when, NULL) == 0;
}

/* Timers go by the clock. A thread that had to wait for its core meanwhile has not used enough of it to yield. */
static void
core_yield(void)
{
	int64_t now_ns = own_time_ns();
	if (now_ns - atomic_load(&yielded_ns) >= CORE_YIELD_SPENT_US * NS_PER_US) {
		atomic_store(&yielded_ns, now_ns);
		(void)sched_yield();
	}
}

static void
on_signal(int number)
{
	int before = errno;
	bool yields = passed && !late;
	(void)number;
	if (has_timer && working) {
		if (begun > 0)
			atomic_store(&yielded_ns, own_time_ns());
		else if (!yields)
			core_yield();
		is_short = begun > 1 || yields;
		begun = passed = late = 0;
		timer_arm();
	} else {
		is_short = begun > 1 || (is_short && begun > 0) || yields;
		begun = passed = late = 0;
		armed = false;
	}
	errno = before;
}

void
core_yield_begin(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_YIELD };
	sigset_t signals;
	event._sigev_un._tid = gettid();
	sigemptyset(&action.sa_mask);
	sigemptyset(&signals);
	sigaddset(&signals, SIGNAL_YIELD);
	CHECK(sigaction(SIGNAL_YIELD, &action, NULL) == 0);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &signals, NULL) == 0);
	working = armed = passed = late = false;
	is_short = true;
	begun = 0;
	has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void
core_yield_resume(void)
{
	working = true;
	if (has_timer && !armed)
		timer_arm();
}

void
core_yield_work(void)
{
	begun++;
	passed_ns = 0;
	core_yield_resume();
}

void
core_yield_point(uint64_t now_ns)
{
	if (!has_timer)
		return;
	if (passed_ns == 0) {
		due_ns = now_ns + CORE_YIELD_PERIOD_US * NS_PER_US;
	} else {
		late = late || now_ns - passed_ns > CORE_YIELD_PERIOD_US * NS_PER_US;
		passed = true;
	}
	passed_ns = now_ns;
	if (now_ns >= due_ns) {
		due_ns = now_ns + CORE_YIELD_PERIOD_US * NS_PER_US;
		core_yield();
	}
}

void
core_yield_rest(void)
{
	working = false;
}

void
core_yield_end(void)
{
	working = false;
	if (has_timer) {
		has_timer = false;
		CHECK(timer_delete(timer) == 0);
	}
}
