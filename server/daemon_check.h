/* daemon_check: self-checks of live worlds (worlds/live/live_check.h), as work of the background class (jobs/background.h).
 *
 * Functions of the daemon: the loop. Those of a world: the worker that gives it a turn, but for world_check_release. */
#ifndef COLLIDED_DAEMON_CHECK_H
#define COLLIDED_DAEMON_CHECK_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct live_world;
struct world_check;

/* How many worlds of a thousand are under check from now on: at their next turn. False: no memory or no thread, which is
 * logged; then none is. After the pool. */
bool daemon_check_set(struct daemon *daemon, uint32_t permille);
/* A line of the log, if there were checks. */
void daemon_check_log(struct daemon *daemon);
/* Ends all that is under way. Before the pool ends; workers may still run. */
void daemon_check_stop(struct daemon *daemon);
/* After the pool. */
void daemon_check_finish(struct daemon *daemon);

/* After a turn: what it has left is to be checked. *check: NULL before the first time. */
void world_check_want(struct daemon *daemon, const struct live_world *live, struct world_check **check);
/* When the world has ended. NULL is fine. */
void world_check_release(struct world_check *check);

#endif
