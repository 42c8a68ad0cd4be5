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

/* One of the higher level takes a core from one of the lower. Where the process may have fewer, it is the highest that it may
 * have. */
enum realtime_level {
	REALTIME_LOW,
	REALTIME_HIGH,
	REALTIME_TOP, /* for stretches of less than a millisecond */
};

/* Whether this process may; tries it for a moment. It takes CAP_SYS_NICE or an RLIMIT_RTPRIO of 1 (3 for all levels), and a
 * control group with real-time bandwidth where the kernel has such. */
bool realtime_is_allowed(void);
/* False: it may not, and nothing has changed. */
bool realtime_enter(enum realtime_level level);
/* The same for another thread of this process, so that it has the level once it is to run. */
bool realtime_give(pthread_t thread, enum realtime_level level);
void realtime_leave(void);
/* From now on this thread has the least weight (nice 19): one that wakes up takes its core. False: it may not. */
bool realtime_yield_to_all(void);

/* A thread that has real-time priority while it takes no more than its part of a core, and is an ordinary one otherwise. So
 * what others have it do cannot keep ordinary threads from that core.
 *
 * It has the top level when it wakes up, so that what is short is done at once, whatever the threads of the high level do.
 * After REALTIME_TOP_NS of work without sleep, or when it works for more than three quarters of the time, it has the low one,
 * and these threads go first. */
struct realtime_share {
	struct budget budget; /* of CPU time */
	bool wanted, has_level;
	bool is_low;                /* of has_level: it has the low one */
	uint64_t looked_ns, cpu_ns; /* when it was last looked at, and what the thread had taken by then */
	uint64_t woken_ns;          /* when its present work was begun; 0: it sleeps */
	uint64_t top_ns, filled_ns; /* what is left to the top level, and when that was */
};

/* Of work with the top level: what has gathered while the host had the core for some milliseconds. Threads of the high one are
 * late by so much at most. */
#define REALTIME_TOP_NS UINT64_C(2000000)

/* From now on, with no part until one is set. */
void realtime_share_begin(struct realtime_share *share, uint64_t now_ns);
/* So much CPU time a second from now on. */
void realtime_share_set(struct realtime_share *share, uint64_t ns_per_s, uint64_t now_ns);
/* Before it sleeps, and at least every few ms while it has work. Cheap; does nothing if it was never begun. */
void realtime_share_look(struct realtime_share *share, uint64_t now_ns);
/* Whenever it begins a piece of work, after a sleep or another piece. Cheap. */
void realtime_share_work(struct realtime_share *share, uint64_t now_ns);
/* What it does up to its next sleep may be long: it has the low level. Cheap where it has that already. */
void realtime_share_lower(struct realtime_share *share);

#endif
