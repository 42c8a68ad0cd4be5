/* bell: where one thread waits for a time, or until another rings. A ring is kept until it is waited for; two are as one.
 *
 * bell_wait: its one thread. bell_ring: any thread, also from a signal's handler; cheap while nothing waits. What was written
 * before a ring is seen after the wait that it ends. */
#ifndef COLLIDED_JOBS_BELL_H
#define COLLIDED_JOBS_BELL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct bell {
	_Atomic(uint32_t) state;
};

/* By clock_now_ns; UINT64_MAX: for as long as it takes. Whether it was rung. */
bool bell_wait(struct bell *bell, uint64_t until_ns);
void bell_ring(struct bell *bell);
/* Timed waits of the calling thread end when they are to, not up to 50 us later, as the kernel lets those of ordinary threads.
 */
void bell_sharpen(void);

#endif
