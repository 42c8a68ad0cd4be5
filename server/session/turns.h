/* turns: how long the messages of one account keep the loop in a round, however many connections they come by.
 *
 * Loop only. While other accounts have connections, too, an account has one turn a round. Of its connections those that find
 * no time left wait in a line, and the first of it goes first in the next round. A host that counts no rounds has no turns. */
#ifndef COLLIDED_SESSION_TURNS_H
#define COLLIDED_SESSION_TURNS_H

#include <stdint.h>

struct session;

/* How long the session's messages may take now. 0: it waits in line. */
uint64_t turn_begin(struct session *session);
/* So long they took. */
void turn_end(struct session *session, uint64_t took_ns);
/* It waits no longer: it has nothing to say, or reads too little. */
void turn_leave(struct session *session);

#endif
