/* pinger: pings a daemon that is under load, on a connection and a thread of its own, every 5 ms by schedule.
 *
 * One that is late because the one before it took long counts from when it was meant to start (response), as well as from when
 * it was sent (service). The creator's thread calls all; only what is atomic is shared until pinger_finish has waited for the
 * end. */
#ifndef COLLIDE_LOAD_PINGER_H
#define COLLIDE_LOAD_PINGER_H

#include "client/load/load.h"

/* Between two pings: often enough for percentiles within seconds, rare enough to be no load. */
#define PINGER_INTERVAL_NS 5000000

struct pinger;

/* Connects and starts to ping, for nothing yet. NULL: *error says why. */
struct pinger *pinger_create(const char *address, struct collide_error *error);
/* From now on pings count; from now on they do not. */
void pinger_measure(struct pinger *pinger, bool counts);
/* Ends it and adds what it measured. NULL is fine. */
void pinger_destroy(struct pinger *pinger, struct load_result *result);

#endif
