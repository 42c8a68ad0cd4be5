#define _GNU_SOURCE /* syscall, which has no POSIX name */
#include "jobs/bell.h"

#include "base/check.h"
#include "base/clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h> /* with struct timespec, says POSIX */
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { BELL_QUIET, BELL_RUNG, BELL_WAITED };

/* Until a wake, the time, or a signal. */
static void
futex_wait(_Atomic(uint32_t) *word, uint32_t value, uint64_t until_ns)
{
	const struct timespec until = { .tv_sec = (time_t)(until_ns / CLOCK_NS_PER_S),
		                            .tv_nsec = (long)(until_ns % CLOCK_NS_PER_S) };
	long result = syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, value,
	                      until_ns == UINT64_MAX ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY);
	CHECK(result == 0 || errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR);
}

bool
bell_wait(struct bell *bell, uint64_t until_ns)
{
	uint32_t quiet = BELL_QUIET;
	if (atomic_compare_exchange_strong(&bell->state, &quiet, BELL_WAITED))
		do {
			futex_wait(&bell->state, BELL_WAITED, until_ns);
		} while (atomic_load(&bell->state) == BELL_WAITED && (until_ns == UINT64_MAX || clock_now_ns() < until_ns));
	return atomic_exchange(&bell->state, BELL_QUIET) == BELL_RUNG;
}

void
bell_ring(struct bell *bell)
{
	if (atomic_exchange(&bell->state, BELL_RUNG) == BELL_WAITED)
		CHECK(syscall(SYS_futex, &bell->state, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) >= 0);
}

void
bell_sharpen(void)
{
	CHECK(prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0) == 0);
}
