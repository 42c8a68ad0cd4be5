/* load_schedule: the intended start of each request of an open load, whatever happened to earlier ones.
 *
 * Starts are evenly spaced over all connections, which take turns. Pure arithmetic: no state, any thread. Latencies from these
 * starts have no coordinated omission: if a server stalls, the clock of the requests that it delays goes on. */
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
/* How many are meant to have started by `now_ns`, inclusive. */
uint64_t load_schedule_due(const struct load_schedule *schedule, int64_t now_ns);
/* The index of the turn-th request of a connection. */
uint64_t load_schedule_index(const struct load_schedule *schedule, uint64_t connection, uint64_t turn);

#endif
