#include "session/account.h"

#include "base/check.h"
#include "base/memory.h"
#include "session/service.h"

void
account_init(struct account *account, struct service *service, void (*on_unused)(struct account *account))
{
	*account = (struct account){ .service = service, .on_unused = on_unused, .next = service->accounts, .holders = 1 };
	if (account->next)
		account->next->previous = account;
	service->accounts = account;
	account->memory_share = memory_share_create();
}

void
account_hold(struct account *account)
{
	account->holders++;
}

void
account_release(struct account *account)
{
	if (--account->holders > 0)
		return;
	CHECK(!account->sessions && account->requests == 0 && account->queued == 0 && account->memory_bytes == 0);
	*(account->previous ? &account->previous->next : &account->service->accounts) = account->next;
	if (account->next)
		account->next->previous = account->previous;
	memory_share_release(account->memory_share);
	if (account->on_unused)
		account->on_unused(account);
}

bool
account_may_have_request(const struct account *account, size_t free_places)
{
	return account->requests < account->service->quotas.requests_max && account->requests < free_places;
}

void
account_charge(struct account *account, uint64_t before_bytes, uint64_t bytes)
{
	account->memory_bytes = account->memory_bytes - before_bytes + bytes;
	account->service->memory_bytes = account->service->memory_bytes - before_bytes + bytes;
}
