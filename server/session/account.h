/* account: what some connections hold together, so that they do not take the share of others.
 *
 * Now an account is an address (server/client_account.h); a token may name one later. Loop only. The caller's memory. It stays
 * in the service's list as long as sessions or requests hold it: a request may outlive its session. */
#ifndef COLLIDED_SESSION_ACCOUNT_H
#define COLLIDED_SESSION_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_share;
struct service;
struct session;

/* The most of one account. May change at any time: what is held already stays. */
struct account_quotas {
	size_t requests_max;       /* under way; over it RESOURCE_EXHAUSTED, OVER_SHARE, as for the others */
	size_t queued_max;         /* of these, that wait for a worker for the first time */
	uint64_t memory_bytes_max; /* of messages being received and of requests */
};

struct account {
	struct service *service;
	void (*on_unused)(struct account *account); /* nothing holds it any more; NULL: nothing is done */
	struct account *next, *previous;            /* in the service's list */
	size_t holders;
	struct session *sessions;
	size_t session_count;
	struct session *line_first, *line_last; /* of these, with messages that wait for the account's next turn (turns.h) */
	uint64_t round, turn_left_ns;           /* of its turn in that round */
	size_t requests;
	size_t queued;
	uint64_t memory_bytes;
	struct memory_share *memory_share; /* of what workers allocate for its requests (base/memory.h) */
};

/* Held once, by the caller. */
void account_init(struct account *account, struct service *service, void (*on_unused)(struct account *account));
void account_hold(struct account *account);
void account_release(struct account *account);

/* Whether it may have one more request under way while so many places are free. It may have its quota, and no more than are
 * free: an account alone gets half of all, n get n parts of n + 1. So one that has none finds a place, whatever others hold. */
bool account_may_have_request(const struct account *account, size_t free_places);
/* So many bytes more or less. */
void account_charge(struct account *account, uint64_t before_bytes, uint64_t bytes);

#endif
