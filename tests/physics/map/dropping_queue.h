/* dropping_queue: a broken engine for tests of what must notice.
 *
 * The engine itself holds no code for this. The linker puts a function that loses one event in ten thousand in front of the
 * engine's own event queue (-Wl,--wrap=event_queue_push), in programs that list dropping_queue.c. One thread. */
#ifndef COLLIDED_TESTS_PHYSICS_DROPPING_QUEUE_H
#define COLLIDED_TESTS_PHYSICS_DROPPING_QUEUE_H

#include <stdint.h>

/* Since the last reset, or the program's start. */
struct dropping_counts {
	uint64_t pushes, dropped;
};

struct dropping_counts dropping_counts(void);
void dropping_reset(void);

#endif
