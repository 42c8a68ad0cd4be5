/* readiness: tells the supervisor that has set NOTIFY_SOCKET, such as systemd with Type=notify, that the daemon listens or
 * ends.
 *
 * Loop thread. A supervisor that cannot be told is logged; the daemon goes on. */
#ifndef COLLIDED_READINESS_H
#define COLLIDED_READINESS_H

/* "READY=1", "STOPPING=1". */
void readiness_tell(const char *state);

#endif
