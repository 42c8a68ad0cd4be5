/* bare_wait: how late a thread of this machine is that only waits: what no scheduler of worlds can be better than.
 *
 * A thread of its own waits absolutely for the due times of so many worlds, and does nothing when they come.
 * It wakes as a keeper of the daemon does: at the earliest due time, but not before a slot has passed since the last wake. Then
 * it takes all that are due. Due times lie evenly on slots, as the daemon's phases do. A due time that was slept through
 * counts, with how late it was, just as the tick of a world would. Beside the load that it is to be compared with, in the same
 * run.
 *
 * One thread calls all functions. Only atomics are shared with the thread until bare_wait_stop has joined it. */
#ifndef COLLIDE_LOAD_BARE_WAIT_H
#define COLLIDE_LOAD_BARE_WAIT_H

#include "client/load/histogram.h"

#include <stdbool.h>
#include <stdint.h>

struct bare_wait_plan {
	uint64_t rate_hz; /* due times per second, of all worlds together; 1 .. 1e9 */
	uint64_t slot_ns; /* 0: it wakes for each */
	bool realtime;    /* SCHED_RR, if this process may */
};

struct bare_wait_result {
	struct histogram late; /* of each due time */
	uint64_t waits;        /* how often it waited */
	uint64_t cpu_ns;       /* that it took */
	bool realtime;         /* it had that priority */
};

struct bare_wait;

/* NULL: no memory or no thread. Nothing counts yet. */
struct bare_wait *bare_wait_start(const struct bare_wait_plan *plan);
/* Whether due times count from now on. */
void bare_wait_measure(struct bare_wait *wait, bool counts);
/* Ends it. NULL is fine: the result is empty then. */
void bare_wait_stop(struct bare_wait *wait, struct bare_wait_result *result);

/* The k-th due time, from 0, after its begin. */
uint64_t bare_wait_due_ns(const struct bare_wait_plan *plan, uint64_t k);

#endif
