/* histogram: how often which duration, in a fixed number of counters: linear within each power of two, so that every value is
 * kept to better than 1 %. One thread at a time; a plain value that may be copied through a pipe. */
#ifndef COLLIDE_CLI_HISTOGRAM_H
#define COLLIDE_CLI_HISTOGRAM_H

#include <stdint.h>

enum {
	HISTOGRAM_STEPS = 128, /* per power of two */
	HISTOGRAM_POWERS = 36, /* the last holds 2^42 ns, over an hour, and all above */
	HISTOGRAM_COUNTERS = HISTOGRAM_STEPS * HISTOGRAM_POWERS,
};

struct histogram {
	uint64_t count, most; /* nanoseconds */
	uint64_t counters[HISTOGRAM_COUNTERS];
};

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
/* The smallest value that at least this share (0..1) of all values does not exceed; 0 if there are none. Exact to the counter's
 * width, never over the largest value added. */
uint64_t histogram_quantile(const struct histogram *histogram, double share);

#endif
