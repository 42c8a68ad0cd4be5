/* local: a client with its server in the same process. It is the daemon's own session, over a host in memory instead of a
 * socket.
 *
 * Requests and replies pass through the protocol as they would over a socket, so later code cannot tell the difference. There
 * are no workers: waiting for replies makes the next slice of them. One thread at a time. */
#ifndef COLLIDE_CLI_LOCAL_H
#define COLLIDE_CLI_LOCAL_H

#include "client/lib/collide.h"

/* As collide_connect. The limits are a daemon's defaults, apart from those of time and message length. Ticks of large scenes
 * use up to `threads` threads, at least 1. NULL: *error says why. To be closed with collide_close. */
struct collide_client *local_open(unsigned threads, const struct collide_options *options, struct collide_error *error);

#endif
