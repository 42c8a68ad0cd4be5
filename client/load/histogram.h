/* histogram: counts of durations in a fixed number of counters, linear within each power of two, as in HdrHistogram. Every
 * value is kept to better than a thousandth. One thread at a time; a plain value. */
#ifndef COLLIDE_LOAD_HISTOGRAM_H
#define COLLIDE_LOAD_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HISTOGRAM_STEPS = 1024, /* per power of two */
	HISTOGRAM_POWERS = 36,  /* the last counter holds 2^45 ns, nearly ten hours, and everything above */
	HISTOGRAM_COUNTERS = HISTOGRAM_STEPS * HISTOGRAM_POWERS,
};

/* Ranks are in millionths of all values: 999,990 is the percentile 99.999. */
#define HISTOGRAM_MILLION 1000000u

struct histogram {
	uint64_t count, least, most; /* nanoseconds */
	uint64_t sum;                /* exact: 2^64 ns are 584 years */
	uint64_t counters[HISTOGRAM_COUNTERS];
};

void histogram_add(struct histogram *histogram, uint64_t nanoseconds);
void histogram_add_many(struct histogram *histogram, uint64_t nanoseconds, uint64_t count);
void histogram_clear(struct histogram *histogram);
/* Adds all values of `from`. */
void histogram_merge(struct histogram *histogram, const struct histogram *from);
/* Leaves those values that were added since it was as `before`. Each is the largest of its counter from then on. */
void histogram_since(struct histogram *histogram, const struct histogram *before);

/* The smallest value that at least so many millionths of all values do not exceed; 0 if there are none. The rank is exact. The
 * value is exact to the counter's width, never below the true one and never over the largest added. */
uint64_t histogram_quantile(const struct histogram *histogram, uint32_t millionths);
double histogram_mean(const struct histogram *histogram);

/* One point of the percentile curve: `below` of all values are at most `value`. */
struct histogram_point {
	uint64_t below, value;
};

/* Visits the counters that are not 0, in ascending order. *counter starts at 0, *point as zeros. false: no more. */
bool histogram_next(const struct histogram *histogram, uint32_t *counter, struct histogram_point *point);

#endif
