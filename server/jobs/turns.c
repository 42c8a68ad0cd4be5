#define _GNU_SOURCE /* gettid, SIGEV_THREAD_ID */
#include "jobs/turns.h"

#include "base/check.h"

#include <errno.h>
#include <pthread.h> /* with the timers of time.h, says POSIX */
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#define NS_PER_US 1000
#define NS_PER_S 1000000000

/* The signal that says that it is time for an offer; nobody else uses those for real time. */
#define SIGNAL_OFFER SIGRTMIN

/* This thread's; written by it and by its own signal handler. */
static _Thread_local timer_t timer;
static _Thread_local volatile sig_atomic_t has_timer, armed, working;
static _Thread_local volatile sig_atomic_t begun;    /* pieces of work since the last signal */
static _Thread_local volatile sig_atomic_t is_short; /* of late they were */
/* The handler's alone: the time that this thread had spent on a core when it last offered it, or its piece of work was seen
 * new. */
static _Thread_local int64_t offered_ns;

static int64_t
own_time_ns(void)
{
	struct timespec now;
	CHECK(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0);
	return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

/* Goes off once: who rests is not woken again and again. */
static void
timer_arm(void)
{
	const struct itimerspec when = { .it_value.tv_nsec = (is_short ? TURNS_LOOK_US : TURNS_OFFER_US) * NS_PER_US };
	armed = timer_settime(timer, 0, &when, NULL) == 0;
}

/* The timer goes by the clock; who had to wait for the core meanwhile has not had enough of it to offer it. */
static void
offer(void)
{
	int64_t now_ns = own_time_ns();
	if (begun > 0) {
		offered_ns = now_ns;
	} else if (now_ns - offered_ns >= TURNS_SPENT_US * NS_PER_US) {
		offered_ns = now_ns;
		(void)sched_yield();
	}
}

static void
on_signal(int number)
{
	int before = errno;
	(void)number;
	if (has_timer && working) {
		offer();
		is_short = begun > 1;
		begun = 0;
		timer_arm();
	} else {
		is_short = begun > 1 || (is_short && begun > 0);
		begun = 0;
		armed = false;
	}
	errno = before;
}

void
turns_begin(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL_OFFER };
	sigset_t offer;
	event._sigev_un._tid = gettid();
	sigemptyset(&action.sa_mask);
	sigemptyset(&offer);
	sigaddset(&offer, SIGNAL_OFFER);
	CHECK(sigaction(SIGNAL_OFFER, &action, NULL) == 0);
	CHECK(pthread_sigmask(SIG_UNBLOCK, &offer, NULL) == 0);
	working = armed = false;
	is_short = true;
	begun = 0;
	has_timer = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
}

void
turns_resume(void)
{
	working = true;
	if (has_timer && !armed) {
		timer_arm();
	}
}

void
turns_work(void)
{
	begun++;
	turns_resume();
}

void
turns_rest(void)
{
	working = false;
}

void
turns_end(void)
{
	working = false;
	if (has_timer) {
		has_timer = false;
		CHECK(timer_delete(timer) == 0);
	}
}
