/* realtime: the scheduling policy of a thread: ordinary, or before all ordinary threads (SCHED_RR), or with the least weight
 * among these.
 *
 * Each function for the calling thread, but realtime_give. */
#ifndef COLLIDED_JOBS_REALTIME_H
#define COLLIDED_JOBS_REALTIME_H

#include "jobs/budget.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* One of the higher level takes a core from one of the lower. */
enum realtime_level {
	REALTIME_LOW,
	REALTIME_HIGH, /* the low one where the process may have only one */
};

/* Whether this process may; tries it for a moment. It takes CAP_SYS_NICE or an RLIMIT_RTPRIO of 1 (2 for both levels), and a
 * control group with real-time bandwidth where the kernel has such. */
bool realtime_is_allowed(void);
/* False: it may not, and nothing has changed. */
bool realtime_enter(enum realtime_level level);
/* The same for another thread of this process, so that it has the level once it is to run. */
bool realtime_give(pthread_t thread, enum realtime_level level);
void realtime_leave(void);
/* From now on this thread has the least weight (nice 19): one that wakes up takes its core. False: it may not. */
bool realtime_yield_to_all(void);

/* A thread that has the low level while it takes no more than its part of a core, and is an ordinary one otherwise. So what
 * others have it do cannot keep ordinary threads from that core. */
struct realtime_share {
	struct budget budget; /* of CPU time */
	bool wanted, has_level;
	uint64_t looked_ns, cpu_ns; /* when it was last looked at, and what the thread had taken by then */
};

/* From now on, with no part until one is set. */
void realtime_share_begin(struct realtime_share *share, uint64_t now_ns);
/* So much CPU time a second from now on. */
void realtime_share_set(struct realtime_share *share, uint64_t ns_per_s, uint64_t now_ns);
/* Now and then, at least every few ms while it has work. Cheap; does nothing if it was never begun. */
void realtime_share_look(struct realtime_share *share, uint64_t now_ns);

#endif
