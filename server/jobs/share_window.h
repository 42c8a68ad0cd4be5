/* share_window: how much of a core the due turns of a keeper may take, window by window, so that others get theirs. A pure
 * structure: time and cost are arguments; one thread at a time. */
#ifndef COLLIDED_JOBS_SHARE_WINDOW_H
#define COLLIDED_JOBS_SHARE_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#define SHARE_WINDOW_NS UINT64_C(100000000)
/* Of a window, for class 1 while class 2 waits; so class 2 gets a quarter, of which a fifth is promised. With real-time
 * priority always: beyond four fifths the kernel stops such threads for 50 ms. */
#define SHARE_CLASS_1_NS UINT64_C(75000000)
/* Class 2 that nothing has come to for so long gets SHARE_TURN_NS of a permit first. */
#define SHARE_STARVED_NS UINT64_C(50000000)
#define SHARE_TURN_NS UINT64_C(1000000)

/* What there is besides. */
struct share_others {
	bool strict;        /* the bound holds whatever waits */
	bool wait;          /* class 2 work waits */
	uint64_t served_ns; /* since when nothing of it was served */
};

struct share_window {
	uint64_t begin_ns, used_ns;
	uint64_t gave_ns; /* when a turn was last given to what starved */
};

/* Class 1 has run from one time to another. */
void share_window_charge(struct share_window *window, uint64_t from_ns, uint64_t to_ns);
/* Until when class 1 must pause; not after now: it may run. */
uint64_t share_window_pause_ns(struct share_window *window, const struct share_others *others, uint64_t now_ns);

#endif
