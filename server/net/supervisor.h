/* supervisor: tells what started the process how that stands, by the protocol of systemd's sd_notify(3): one datagram to the
 * socket that NOTIFY_SOCKET names.
 *
 * Any thread; owns nothing. It waits for the supervisor only where the socket's queue is full, which a supervisor that reads
 * never lets come about. */
#ifndef COLLIDED_NET_SUPERVISOR_H
#define COLLIDED_NET_SUPERVISOR_H

#include <stdbool.h>

/* `socket_path` is the variable's value, NULL or empty for none: a path, or "@NAME" for a name in Linux's abstract space.
 * `state` is lines such as "READY=1". Returns false, with errno, if there is a socket and it could not be told. */
bool supervisor_tell(const char *socket_path, const char *state);

#endif
