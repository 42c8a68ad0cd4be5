#include "client_account.h"

#include "jobs/fair_queue.h"
#include "weights.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>

static_assert(offsetof(struct client_account, share) == 0, "on_unused");
static_assert(WEIGHT_MAX * FAIR_WEIGHT_ONE <= FAIR_WEIGHT_MAX, "every weight is one of the queue's");

static void
on_unused(struct account *share)
{
	struct client_account *account = (struct client_account *)share;
	struct client_account **link = &account->list->first;
	while (*link != account)
		link = &(*link)->next;
	*link = account->next;
	pool_flow_release(account->flow);
	free(account);
}

static struct client_account *
client_account_find(const struct client_accounts *list, const struct address_key *key)
{
	struct client_account *account = list->first;
	while (account && !address_key_equal(&account->key, key))
		account = account->next;
	return account;
}

static uint32_t
flow_weight(const struct client_accounts *list, const struct address_key *key)
{
	return weights_of(list->weights, key) * FAIR_WEIGHT_ONE;
}

/* With a hold on it. */
static struct client_account *
client_account_get(struct client_accounts *list, const struct address_key *key)
{
	struct client_account *account = client_account_find(list, key);
	if (account) {
		account_hold(&account->share);
		return account;
	}
	account = calloc(1, sizeof *account);
	if (!account)
		return NULL;
	account->flow = pool_flow_create(list->pool, NULL, flow_weight(list, key));
	if (!account->flow) {
		free(account);
		return NULL;
	}
	account_init(&account->share, list->service, on_unused);
	account->list = list;
	account->key = *key;
	account->next = list->first;
	list->first = account;
	return account;
}

struct client_account *
client_account_enter(struct client_accounts *list, const struct address_key *key)
{
	struct client_account *account = client_account_get(list, key);
	if (account)
		account->connections++;
	return account;
}

void
client_account_leave(struct client_account *account)
{
	if (!account)
		return;
	account->connections--;
	account_release(&account->share);
}

size_t
client_account_connections(const struct client_accounts *list, const struct address_key *key)
{
	const struct client_account *account = client_account_find(list, key);
	return account ? account->connections : 0;
}

void
client_accounts_weigh(struct client_accounts *list, const char *weights)
{
	list->weights = weights;
	for (struct client_account *account = list->first; account; account = account->next)
		pool_flow_weight_set(account->flow, flow_weight(list, &account->key));
}

void
client_accounts_leave_pool(struct client_accounts *list)
{
	for (struct client_account *account = list->first; account; account = account->next) {
		pool_flow_release(account->flow);
		account->flow = NULL;
	}
}
