/* client_account: the connections of an address, which share workers and places with those of others (session/account.h).
 *
 * Loop thread only. Owned by the list that it is in, as long as it has connections, or requests and worlds that outlive them.
 */
#ifndef COLLIDED_CLIENT_ACCOUNT_H
#define COLLIDED_CLIENT_ACCOUNT_H

#include "jobs/pool.h"
#include "net/net.h"
#include "session/account.h"

struct client_account {
	struct account share; /* the first member */
	struct client_accounts *list;
	struct address_key key;
	size_t connections;
	struct flow *flow; /* one for all that it has; NULL: the pool is about to end */
	struct client_account *next;
};

struct client_accounts {
	struct service *service;
	struct pool *pool;
	const char *weights; /* borrowed (weights.h) */
	struct client_account *first;
};

/* That of a connection, which counts as one of it from now on; NULL without memory. */
struct client_account *client_account_enter(struct client_accounts *list, const struct address_key *key);
/* One connection less; NULL is fine. */
void client_account_leave(struct client_account *account);
/* How many connections an address has. */
size_t client_account_connections(const struct client_accounts *list, const struct address_key *key);
/* Lets go of the pool, which may be destroyed then. No connection comes any more. */
void client_accounts_leave_pool(struct client_accounts *list);
/* Borrows other weights, which apply at once. */
void client_accounts_weigh(struct client_accounts *list, const char *weights);

#endif
