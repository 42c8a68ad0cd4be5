/* load: puts a load of simulations on a daemon and measures what becomes of each.
 *
 * Closed model (rate 0): each connection has `pipeline` requests in flight and sends the next when one is done. Open model:
 * requests start by a schedule, whatever the daemon does. A request waits while its connection is full, and that wait counts.
 *   response time: from the intended start to the final reply, as a user outside would have waited.
 *   service time:  from the time when it was really sent.
 * Latencies cover the requests with their intended start in the window, between warm-up and end; they may end in the drain
 * after it. Rates cover the requests that ended within the window, whenever they started.
 *
 * load_run takes the calling thread and has one more for pings. Prints nothing. */
#ifndef COLLIDE_LOAD_H
#define COLLIDE_LOAD_H

#include "client/lib/collide.h"
#include "client/load/load_result.h"

#include <stdbool.h>

#define LOAD_CONNECTIONS_MAX 1000 /* descriptors are limited to 1,024 by default */
#define LOAD_PIPELINE_MAX 65536   /* the most that a daemon can be configured to take of one connection */

/* Runs the plan. false: *error says what ended it; *result has the figures so far. */
bool load_run(const struct load_plan *plan, struct load_result *result, struct collide_error *error);

/* Seconds after which requests on a loaded machine should have ended; the default. */
#define LOAD_DRAIN_SECONDS 5.0

#endif
