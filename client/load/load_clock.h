/* load_clock: nanoseconds of the monotonic clock. Any thread. */
#ifndef COLLIDE_LOAD_LOAD_CLOCK_H
#define COLLIDE_LOAD_LOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline int64_t
clock_ns_of(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline int64_t
clock_ns(void)
{
	return clock_ns_of(CLOCK_MONOTONIC);
}

#endif
