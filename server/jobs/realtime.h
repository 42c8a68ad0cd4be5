/* realtime: the scheduling policy of a thread: ordinary, or before all ordinary threads (SCHED_RR, at the least priority), or
 * with the least weight among these.
 *
 * Each function for the calling thread. */
#ifndef COLLIDED_JOBS_REALTIME_H
#define COLLIDED_JOBS_REALTIME_H

#include <stdbool.h>

/* Whether this process may; tries it for a moment. It takes CAP_SYS_NICE or an RLIMIT_RTPRIO of 1, and a control group with
 * real-time bandwidth where the kernel has such. */
bool realtime_is_allowed(void);
/* False: it may not, and nothing has changed. */
bool realtime_enter(void);
void realtime_leave(void);
/* From now on this thread has the least weight (nice 19): one that wakes up takes its core. False: it may not. */
bool realtime_yield_to_all(void);

#endif
