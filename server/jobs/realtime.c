#define _GNU_SOURCE /* gettid */
#include "jobs/realtime.h"

#include "base/check.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

/* Two on one core, as after an affinity was set, take turns. */
bool
realtime_enter(void)
{
	const struct sched_param least = { .sched_priority = sched_get_priority_min(SCHED_RR) };
	return pthread_setschedparam(pthread_self(), SCHED_RR, &least) == 0;
}

void
realtime_leave(void)
{
	const struct sched_param none = { .sched_priority = 0 };
	CHECK(pthread_setschedparam(pthread_self(), SCHED_OTHER, &none) == 0);
}

bool
realtime_is_allowed(void)
{
	struct sched_param before;
	int policy = SCHED_OTHER;
	CHECK(pthread_getschedparam(pthread_self(), &policy, &before) == 0);
	if (!realtime_enter())
		return false;
	CHECK(pthread_setschedparam(pthread_self(), policy, &before) == 0);
	return true;
}

/* On Linux a thread has a nice value of its own. */
bool
realtime_yield_to_all(void)
{
	return setpriority(PRIO_PROCESS, (id_t)gettid(), 19) == 0;
}
