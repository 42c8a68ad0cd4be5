/* local: a client whose server is in this process: the daemon's session, with a host that has memory instead of a socket.
 *
 * Requests and replies pass through the protocol as they would over a socket, so that nothing after it can tell. Workers are
 * not needed: waiting for replies makes the next slice of them. One thread at a time. */
#ifndef COLLIDE_CLI_LOCAL_H
#define COLLIDE_CLI_LOCAL_H

#include "client/lib/collide.h"

/* As collide_connect, with the limits that a daemon has by default but those of time and of the message's length. Ticks of
 * large scenes are made on up to so many threads, at least 1. NULL: *error says why. To be closed with collide_close. */
struct collide_client *local_open(unsigned threads, const struct collide_options *options, struct collide_error *error);

#endif
