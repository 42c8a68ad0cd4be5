/* run_queue: how long the calling thread was ready to run but waited for a core, as Linux counts it. */
#ifndef COLLIDE_LOAD_RUN_QUEUE_H
#define COLLIDE_LOAD_RUN_QUEUE_H

#include <stdint.h>

/* A descriptor for run_queue_wait_ns, to be closed; -1: unknown on this system. */
int run_queue_open(void);
/* Nanoseconds since the thread that opened it began; -1: unknown on this system. */
int64_t run_queue_wait_ns(int descriptor);

#endif
