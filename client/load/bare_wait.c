#include "client/load/bare_wait.h"

#include "client/load/load_clock.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#define NS_PER_S UINT64_C(1000000000)

struct bare_wait {
	/* Immutable once the thread runs. */
	pthread_t thread;
	struct bare_wait_plan plan;
	/* Shared. */
	atomic_bool counts, over;
	/* The thread's, until it has ended. */
	struct bare_wait_result result;
};

uint64_t
bare_wait_due_ns(const struct bare_wait_plan *plan, uint64_t k)
{
	/* In two parts, so that no product overflows. */
	uint64_t due_ns = k / plan->rate_hz * NS_PER_S + k % plan->rate_hz * NS_PER_S / plan->rate_hz;
	return plan->slot_ns > 0 ? due_ns / plan->slot_ns * plan->slot_ns : due_ns;
}

static void
wait_until(uint64_t moment_ns)
{
	const struct timespec moment = { .tv_sec = (time_t)(moment_ns / NS_PER_S), .tv_nsec = (long)(moment_ns % NS_PER_S) };
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, NULL) != 0)
		continue;
}

static bool
take_priority(int above)
{
	const struct sched_param param = { .sched_priority = sched_get_priority_min(SCHED_RR) + above };
	return pthread_setschedparam(pthread_self(), SCHED_RR, &param) == 0;
}

/* That of a daemon's workers. */
static bool
take_realtime(void)
{
	return take_priority(1) || take_priority(0);
}

static void *
bare_wait_main(void *context)
{
	struct bare_wait *wait = context;
	const struct bare_wait_plan *plan = &wait->plan;
	struct bare_wait_result *result = &wait->result;
	/* Ordinary threads may be woken up to 50 us later than they ask to, unless they ask not to. */
	(void)prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	result->realtime = plan->realtime && take_realtime();
	uint64_t begin_ns = (uint64_t)clock_ns() + NS_PER_S / 1000, woken_ns = 0, k = 0, cpu_before_ns = 0;
	bool counted = false;
	while (!atomic_load(&wait->over)) {
		uint64_t due_ns = begin_ns + bare_wait_due_ns(plan, k), earliest_ns = woken_ns + plan->slot_ns;
		woken_ns = due_ns > earliest_ns ? due_ns : earliest_ns;
		wait_until(woken_ns);
		bool counts = atomic_load(&wait->counts);
		uint64_t now_ns = (uint64_t)clock_ns();
		if (counts && !counted)
			cpu_before_ns = (uint64_t)clock_ns_of(CLOCK_THREAD_CPUTIME_ID);
		counted = counts;
		result->waits += counts;
		for (; begin_ns + bare_wait_due_ns(plan, k) <= now_ns; k++)
			if (counts)
				histogram_add(&result->late, now_ns - begin_ns - bare_wait_due_ns(plan, k));
		if (counts)
			result->cpu_ns = (uint64_t)clock_ns_of(CLOCK_THREAD_CPUTIME_ID) - cpu_before_ns;
	}
	return NULL;
}

struct bare_wait *
bare_wait_start(const struct bare_wait_plan *plan)
{
	struct bare_wait *wait = calloc(1, sizeof *wait);
	if (!wait)
		return NULL;
	wait->plan = *plan;
	histogram_clear(&wait->result.late);
	if (pthread_create(&wait->thread, NULL, bare_wait_main, wait) != 0) {
		free(wait);
		return NULL;
	}
	return wait;
}

void
bare_wait_measure(struct bare_wait *wait, bool counts)
{
	atomic_store(&wait->counts, counts);
}

void
bare_wait_stop(struct bare_wait *wait, struct bare_wait_result *result)
{
	if (!wait) {
		memset(result, 0, sizeof *result);
		histogram_clear(&result->late);
		return;
	}
	atomic_store(&wait->over, true);
	(void)pthread_join(wait->thread, NULL);
	*result = wait->result;
	free(wait);
}
