#include "account.h"

#include "jobs/fair_queue.h"

#include <stdlib.h>

struct account *
account_enter(struct account **accounts, struct pool *pool, const struct conn *conn)
{
	struct address_key key = conn_address_key(conn);
	struct account *account = *accounts;
	while (account && !address_key_equal(&account->key, &key))
		account = account->next;
	if (!account) {
		account = calloc(1, sizeof *account);
		if (!account)
			return NULL;
		*account = (struct account){ .key = key, .next = *accounts };
		account->flow = pool_flow_create(pool, NULL, FAIR_WEIGHT_ONE);
		if (!account->flow) {
			free(account);
			return NULL;
		}
		*accounts = account;
	}
	account->connections++;
	return account;
}

void
account_leave(struct account **accounts, struct account *account)
{
	struct account **link = accounts;
	if (!account || --account->connections > 0)
		return;
	while (*link != account)
		link = &(*link)->next;
	*link = account->next;
	pool_flow_release(account->flow);
	free(account);
}
