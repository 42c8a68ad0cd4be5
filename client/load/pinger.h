/* pinger: pings a daemon that is under load, on a connection and a thread of its own, every 5 ms by schedule.
 *
 * A ping that is late because of a slow one before it counts from its intended start (response) as well as from its sending
 * (service). One thread calls all functions. Only atomics are shared with the pinger's own thread until pinger_destroy has
 * joined it. */
#ifndef COLLIDE_LOAD_PINGER_H
#define COLLIDE_LOAD_PINGER_H

#include "client/load/load_result.h"

/* Between two pings: short enough for percentiles within seconds, long enough to be no load. */
#define PINGER_INTERVAL_NS 5000000

struct pinger;

/* Connects and starts to ping, without counting yet. NULL: *error says why. */
struct pinger *pinger_create(const char *address, struct collide_error *error);
/* Whether pings count from now on. */
void pinger_measure(struct pinger *pinger, bool counts);
/* Ends it and adds its figures to the result. NULL is fine. */
void pinger_destroy(struct pinger *pinger, struct load_result *result);

#endif
