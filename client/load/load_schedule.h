/* load_schedule: when each request of an open load is meant to start, whatever became of those before it.
 *
 * Starts are evenly spaced, counted over all connections; the connections take them in turn. Pure arithmetic: no state, any
 * thread. A latency that is counted from here has no coordinated omission: a server that stalls does not stop the clock of the
 * requests that it kept from being sent. */
#ifndef COLLIDE_LOAD_LOAD_SCHEDULE_H
#define COLLIDE_LOAD_LOAD_SCHEDULE_H

#include <stdint.h>

struct load_schedule {
	int64_t start_ns; /* of request 0 */
	double rate;      /* requests per second, > 0 */
	uint64_t connections;
};

/* The intended start of request `index`. */
int64_t load_schedule_time(const struct load_schedule *schedule, uint64_t index);
/* How many are meant to have started by `now_ns`, that moment included. */
uint64_t load_schedule_due(const struct load_schedule *schedule, int64_t now_ns);
/* The index of the turn-th request of a connection. */
uint64_t load_schedule_index(const struct load_schedule *schedule, uint64_t connection, uint64_t turn);

#endif
