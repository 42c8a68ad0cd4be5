/* clock: the monotonic clock, the only one that times anything.
 *
 * Any thread. Owns nothing. */
#ifndef COLLIDED_BASE_CLOCK_H
#define COLLIDED_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NS_PER_MS UINT64_C(1000000)
#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* Nanoseconds since some fixed moment of this boot; never goes back. */
uint64_t clock_now_ns(void);

/* CPU time of the calling thread, in nanoseconds. Half a microsecond. */
uint64_t clock_thread_ns(void);

#endif
