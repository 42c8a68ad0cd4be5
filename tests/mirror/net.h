/* net: a way between a world and a client in a test: what is sent arrives later, by a random number of ticks, in order. One
 * thread; time is an argument. */
#ifndef COLLIDED_TESTS_MIRROR_NET_H
#define COLLIDED_TESTS_MIRROR_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct letter {
	struct letter *next;
	uint64_t arrives; /* at this tick */
	int kind;         /* the test's own, as all below */
	uint64_t tick, number;
	size_t count;
	uint8_t bytes[];
};

struct way {
	struct letter *first, *last;
	uint64_t delay, jitter, *seed; /* ticks */
};

void way_send(struct way *way, uint64_t now, const struct letter *head, const void *bytes, size_t count);
/* The next that has arrived, to be freed with free(); NULL: none. */
struct letter *way_take(struct way *way, uint64_t now);
void way_finish(struct way *way);

#endif
