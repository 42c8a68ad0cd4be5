/* tick_times: what the last ticks of a world cost, and how late they began.
 *
 * The worker that has the world. A value. */
#ifndef COLLIDED_WORLDS_CLOCK_TICK_TIMES_H
#define COLLIDED_WORLDS_CLOCK_TICK_TIMES_H

#include <stdint.h>

/* Timed ticks that the mean and the percentile are of: of a small world one in four is timed (live_tick.c). */
#define TICK_TIMES_MAX 64
/* Seconds that the greatest lateness is of. */
#define TICK_TIMES_LATE_SECONDS 10

struct tick_times {
	uint32_t cpu_ns[TICK_TIMES_MAX]; /* the last ones, in a ring; a second and more are one */
	uint64_t count;                  /* of all timed ticks */
	uint64_t cpu_ns_sum;             /* of those in the ring */
	uint64_t p95_ns, p95_count;      /* what the percentile was, and when */
	uint64_t late_ns[TICK_TIMES_LATE_SECONDS], late_second[TICK_TIMES_LATE_SECONDS];
};

/* How late a tick began. */
void tick_times_late(struct tick_times *times, uint64_t now_ns, uint64_t late_ns);
/* What a tick cost that was timed. */
void tick_times_add(struct tick_times *times, uint64_t cpu_ns);
/* 0 without ticks. */
uint64_t tick_times_mean_ns(const struct tick_times *times);
/* The same; made anew after each 16 of them. */
uint64_t tick_times_p95_ns(struct tick_times *times);
uint64_t tick_times_late_ns_max(const struct tick_times *times, uint64_t now_ns);

#endif
