/* daemon_worlds: live worlds as tasks of the pool: what gives them turns, and takes their news to the loop.
 *
 * Started and ended by the loop; turns run on workers. */
#ifndef COLLIDED_DAEMON_WORLDS_H
#define COLLIDED_DAEMON_WORLDS_H

#include <stdbool.h>

struct daemon;

/* After the pool. False: no memory. */
bool daemon_start_worlds(struct daemon *daemon);
/* On the loop, when it was woken: takes the news of turns, but not more often than once in DAEMON_NEWS_MS. */
void daemon_take_news(struct daemon *daemon);
/* Every NET_TICK_MS. */
void daemon_worlds_on_time(struct daemon *daemon);
/* When no worker runs any more; before and after pool_destroy. */
void daemon_drop_news(struct daemon *daemon);
void daemon_finish_worlds(struct daemon *daemon);

#endif
