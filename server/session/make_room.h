/* make_room: when the server is full, the account that holds most gives way to one that holds less.
 *
 * What gives way is the newest of its requests that no worker has begun, or its connection that has been idle for longest: an
 * Error OVER_SHARE with a time to try again. Never a request that a worker has begun, as it may have sent a frame, and never to
 * an account that holds as much already. Loop only. */
#ifndef COLLIDED_SESSION_MAKE_ROOM_H
#define COLLIDED_SESSION_MAKE_ROOM_H

#include "session/account.h"

/* A place among all requests under way for this account; false: none. */
bool make_request_room(const struct account *account);
/* A place in the queue for workers. */
bool make_queue_room(const struct account *account);
/* A connection for an account that has `own_count`: the one that ended, whose host was told to close it; NULL: none. */
struct session *make_connection_room(const struct service *service, size_t own_count);

#endif
