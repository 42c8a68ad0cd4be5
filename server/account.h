/* account: the connections of an address, which share workers equally with those of every other.
 *
 * Loop thread only. Owned by the list that it is in, as long as it has connections. */
#ifndef COLLIDED_ACCOUNT_H
#define COLLIDED_ACCOUNT_H

#include "jobs/pool.h"
#include "net/net.h"

struct account {
	struct address_key key;
	size_t connections;
	struct flow *flow;
	struct account *next;
};

/* That of a connection, which counts as one of it from now on; NULL without memory. */
struct account *account_enter(struct account **accounts, struct pool *pool, const struct conn *conn);
/* One connection less; NULL is fine. */
void account_leave(struct account **accounts, struct account *account);

#endif
