/* budget: a bucket of CPU time that fills at a steady rate: what one has reserved. A pure structure: time and cost are
 * arguments; one thread at a time.
 *
 * Something may be begun while there is anything in the bucket. It is charged afterwards, and the bucket may owe: so a turn
 * that costs more than the bucket holds is begun too, and what it cost beyond is waited for. */
#ifndef COLLIDED_JOBS_BUDGET_H
#define COLLIDED_JOBS_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

/* What it holds at most is what comes in so long: ticks that cost several times as much as others, for as long as it takes
 * until more is reserved. With a tenth of a second, one of ten turns of 300 rooms was beyond it beside requests for large
 * scenes, which make all caches cold. What all may take at once the share_window of class 1 bounds, not this. */
#define BUDGET_DEPTH_NS UINT64_C(1000000000)

struct budget {
	uint64_t rate_ns; /* per second */
	int64_t left_ns;
	uint64_t filled_ns; /* the time up to which it was filled */
	uint64_t rest;      /* billionths of a nanosecond not filled in yet */
};

/* Full. */
void budget_init(struct budget *budget, uint64_t rate_ns, uint64_t now_ns);
/* From now on; what is in it stays, up to its new depth. */
void budget_rate_set(struct budget *budget, uint64_t rate_ns, uint64_t now_ns);
void budget_charge(struct budget *budget, uint64_t cost_ns);
/* Fills it up to now, and says what is in it; not positive: nothing may be begun. */
int64_t budget_left_ns(struct budget *budget, uint64_t now_ns);
/* When there will be something in it, after budget_left_ns; UINT64_MAX: never. */
uint64_t budget_ready_ns(const struct budget *budget);

#endif
