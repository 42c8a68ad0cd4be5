/* link: a connection in memory, with a session of its own. Several may have one service. All that the session says is taken at
 * once; what it wants of workers is done at once. One thread. */
#ifndef COLLIDED_TESTS_SESSION_LINK_H
#define COLLIDED_TESTS_SESSION_LINK_H

#include "base/buffer.h"
#include "session/session.h"

#include "collide/v1/collide.pb-c.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_link {
	struct service *service;
	struct session *session; /* NULL: none */
	struct buffer arrived;
	size_t read;
	struct job *job;
	bool later;
	bool closed; /* by the session, for want of memory */
};

/* Says Hello. */
void link_open(struct memory_link *link, struct service *service);
/* The same for one account; NULL: the service's common one. */
void link_open_for(struct memory_link *link, struct service *service, struct account *account);
/* What came and was not read is lost. */
void link_cut(struct memory_link *link);
/* Part of a message, or some. */
void link_say_bytes(struct memory_link *link, const uint8_t *bytes, size_t count);
void link_say(struct memory_link *link, const Collide__V1__ClientMessage *message);
/* The next message that came, which is the caller's; NULL: none has. */
Collide__V1__ServerMessage *link_next(struct memory_link *link);

#endif
