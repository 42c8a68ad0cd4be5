/* make_room: when the server is full, the account that holds most gives way to one that holds less: most of those that can.
 *
 * What gives way is the newest of its requests that no worker has begun, or its longest idle connection. It gets an Error
 * OVER_SHARE with a time to try again. What a worker has begun never gives way, as it may have sent a frame. Nothing gives way
 * to an account that holds as much already. Loop only. */
#ifndef COLLIDED_SESSION_MAKE_ROOM_H
#define COLLIDED_SESSION_MAKE_ROOM_H

#include "session/account.h"

/* A place among all requests under way for this account; false: none. */
bool make_request_room(const struct account *account);
/* A place in the queue for workers. */
bool make_queue_room(const struct account *account);
/* A connection for an account that has `own_count`. Returns the session that ended for it, which its host was told to close;
 * NULL: none. */
struct session *make_connection_room(const struct service *service, size_t own_count);

#endif
