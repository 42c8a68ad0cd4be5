#define _GNU_SOURCE /* gettid */
#include "jobs/realtime.h"

#include "base/check.h"
#include "base/clock.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

/* A share is looked at so often at most: that takes a call of the system. */
#define SHARE_LOOK_NS UINT64_C(1000000)
/* A thread that has spent its share has its level again with so much left, and not for a few microseconds at a time. */
#define SHARE_AGAIN_NS 10000000
/* One that sleeps has the top level if so much of it is left. */
#define TOP_AGAIN_NS (REALTIME_TOP_NS / 32)

/* Threads that this one creates are ordinary ones. An ordinary thread keeps that flag: to take it off is not allowed to all. */
static bool
policy_set(pthread_t thread, int policy, int priority)
{
	const struct sched_param param = { .sched_priority = priority };
	return pthread_setschedparam(thread, policy | SCHED_RESET_ON_FORK, &param) == 0;
}

static bool
level_set(pthread_t thread, int above)
{
	return policy_set(thread, SCHED_RR, sched_get_priority_min(SCHED_RR) + above);
}

/* Two of one level on one core, as after an affinity was set, take turns. */
bool
realtime_give(pthread_t thread, enum realtime_level level)
{
	for (int above = (int)level; above >= 0; above--)
		if (level_set(thread, above))
			return true;
	return false;
}

bool
realtime_enter(enum realtime_level level)
{
	return realtime_give(pthread_self(), level);
}

void
realtime_leave(void)
{
	CHECK(policy_set(pthread_self(), SCHED_OTHER, 0));
}

bool
realtime_is_allowed(void)
{
	struct sched_param before;
	int policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
	CHECK(sched_getparam(0, &before) == 0);
	if (!realtime_enter(REALTIME_LOW))
		return false;
	CHECK(policy_set(pthread_self(), policy, before.sched_priority));
	return true;
}

/* On Linux a thread has a nice value of its own. */
bool
realtime_yield_to_all(void)
{
	return setpriority(PRIO_PROCESS, (id_t)gettid(), 19) == 0;
}

void
realtime_share_begin(struct realtime_share *share, uint64_t now_ns)
{
	*share = (struct realtime_share){ .wanted = true, .looked_ns = now_ns, .cpu_ns = clock_thread_ns() };
	budget_init(&share->budget, 0, now_ns);
}

void
realtime_share_set(struct realtime_share *share, uint64_t ns_per_s, uint64_t now_ns)
{
	budget_rate_set(&share->budget, ns_per_s, now_ns);
}

/* Charges what it has taken, and gives or takes real-time priority by what is left. */
static void
share_charge(struct realtime_share *share, uint64_t now_ns)
{
	uint64_t cpu_ns = clock_thread_ns();
	budget_charge(&share->budget, cpu_ns - share->cpu_ns);
	share->cpu_ns = cpu_ns;
	share->looked_ns = now_ns;
	int64_t left_ns = budget_left_ns(&share->budget, now_ns);
	if (share->has_level && left_ns <= 0) {
		realtime_leave();
		share->has_level = false;
	} else if (!share->has_level && left_ns >= SHARE_AGAIN_NS) {
		share->has_level = share->is_low = realtime_enter(REALTIME_LOW);
	}
}

/* Three quarters of the time are for the top level. */
static void
top_fill(struct realtime_share *share, uint64_t now_ns)
{
	uint64_t top_ns = share->top_ns + (now_ns - share->filled_ns) / 4 * 3;
	share->top_ns = top_ns < REALTIME_TOP_NS ? top_ns : REALTIME_TOP_NS;
	share->filled_ns = now_ns;
}

/* The work since it woke is over, and is taken from that. */
static void
top_charge(struct realtime_share *share, uint64_t now_ns)
{
	uint64_t worked_ns = share->woken_ns != 0 ? now_ns - share->woken_ns : 0;
	top_fill(share, now_ns);
	share->top_ns -= worked_ns < share->top_ns ? worked_ns : share->top_ns;
	share->woken_ns = 0;
}

void
realtime_share_look(struct realtime_share *share, uint64_t now_ns)
{
	if (!share->wanted)
		return;
	if (now_ns - share->looked_ns >= SHARE_LOOK_NS)
		share_charge(share, now_ns);
	if (!share->has_level)
		return;
	top_charge(share, now_ns);
	if (share->top_ns < TOP_AGAIN_NS)
		realtime_share_lower(share);
	else if (share->is_low)
		share->is_low = !realtime_enter(REALTIME_TOP);
}

void
realtime_share_work(struct realtime_share *share, uint64_t now_ns)
{
	if (!share->has_level || share->is_low)
		return;
	if (share->woken_ns == 0) {
		top_fill(share, now_ns);
		share->woken_ns = now_ns;
	} else if (now_ns - share->woken_ns > share->top_ns) {
		realtime_share_lower(share);
	}
}

void
realtime_share_lower(struct realtime_share *share)
{
	if (share->has_level && !share->is_low)
		share->is_low = realtime_enter(REALTIME_LOW);
}
