/* no_core: how long the calling thread was ready to run without a core to run on, as Linux counts it. */
#ifndef COLLIDE_LOAD_NO_CORE_H
#define COLLIDE_LOAD_NO_CORE_H

#include <stdint.h>

/* A descriptor for no_core_ns, to be closed; -1: this system does not tell. */
int no_core_open(void);
/* Nanoseconds since the thread that opened it began; -1: this system does not tell. */
int64_t no_core_ns(int descriptor);

#endif
