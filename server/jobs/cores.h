/* cores: how many threads can run at once in this process. Any thread. */
#ifndef COLLIDED_JOBS_CORES_H
#define COLLIDED_JOBS_CORES_H

#include <stdbool.h>
#include <stdint.h>

/* The cores this process may be scheduled on (its affinity), and no more than the quota of its control group pays for, as
 * `docker run --cpus` and Kubernetes' limits set it. At least 1. */
uint32_t cores_usable(void);

/* The cores that this process may be scheduled on: those of its first thread. At least 1. */
uint32_t cores_allowed(void);
/* From now on the calling thread, and those that it creates, run on one of these only: that of this index, counted from 0.
 * False: there is none, or it may not, and nothing has changed. */
bool cores_pin(uint32_t index);
/* The calling thread has all of them again. */
void cores_unpin(void);

/* What a cgroup v2 cpu.max file ("150000 100000": microseconds in each period, or "max 100000") comes to, rounded up; 0: no
 * limit, or not such a text. */
uint32_t cores_of_quota(const char *text);

#endif
