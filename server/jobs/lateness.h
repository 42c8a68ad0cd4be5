/* lateness: how late things began, counted in steps of a sixteenth. A pure structure; one thread at a time. */
#ifndef COLLIDED_JOBS_LATENESS_H
#define COLLIDED_JOBS_LATENESS_H

#include <stdint.h>

/* Sixteen to each power of two of microseconds, up to 2^32 of them; all that is later counts as that. */
#define LATENESS_STEPS 16
#define LATENESS_COUNTERS ((32 - 3) * LATENESS_STEPS)

/* The counter of a lateness. */
unsigned lateness_step(uint64_t late_ns);
/* What at least so many millionths of all counted do not exceed, to within a step; 0: there are none. */
uint64_t lateness_quantile_ns(const uint64_t counters[static LATENESS_COUNTERS], uint32_t millionths);

#endif
