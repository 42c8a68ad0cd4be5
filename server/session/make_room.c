#include "session/make_room.h"

#include "session/limits.h"
#include "session/session_private.h"

static void
problem_over_share(struct wire_problem *problem, uint32_t retry_after_ms, const char *text)
{
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "OVER_SHARE", "", "%s", text);
	problem->retry_after_ms = retry_after_ms;
}

/* Whether one account holds more than another would afterwards that holds `own_count` now. */
static bool
holds_more(size_t held, size_t own_count)
{
	return held > own_count + 1;
}

/* ---- requests */

/* The newest of an account that has not begun, as far as is known here. */
static struct request *
find_newest(const struct account *account, bool queued)
{
	struct request *newest = NULL;
	for (const struct session *session = account->sessions; session; session = session->next_of_account)
		for (struct request *at = session->requests; at; at = at->next)
			if ((at->queued || (!queued && !at->started)) && (!newest || at->arrived_ns > newest->arrived_ns))
				newest = at;
	return newest;
}

/* That of the account that holds most, of those that have one and hold more than this. */
static struct request *
find_request(const struct account *account, bool queued)
{
	struct request *found = NULL;
	size_t most = 0, own_count = queued ? account->queued : account->requests;
	for (const struct account *at = account->service->accounts; at; at = at->next) {
		size_t held = queued ? at->queued : at->requests;
		struct request *newest = holds_more(held, own_count) && held > most ? find_newest(at, queued) : NULL;
		if (newest) {
			found = newest;
			most = held;
		}
	}
	return found;
}

/* Back from the queue; false: a worker has it. */
static bool
request_withdraw(struct session *session, struct request *request)
{
	if (!session->host->withdraw(session->host_context, &request->job)) {
		request_leave_queue(request);
		return false;
	}
	request->submitted = false;
	session->submitted_count--;
	session_push_ready(session, request);
	return true;
}

/* Refuses the request that is to give way; false: there is none. */
static bool
displace(const struct account *account, bool queued)
{
	for (struct request *request = find_request(account, queued); request; request = find_request(account, queued)) {
		struct session *session = request->session;
		if (request->submitted && !request_withdraw(session, request))
			continue;
		problem_over_share(&request->problem, SESSION_RETRY_BUSY_MS,
		                   "the server is full, and this address has more requests than the one that came");
		session_finish_ready(session, request);
		session_ask_later(session);
		return true;
	}
	return false;
}

bool
make_request_room(const struct account *account)
{
	/* At its quota no place would be its own. */
	return account->requests < account->service->quotas.requests_max && displace(account, false);
}

bool
make_queue_room(const struct account *account)
{
	return displace(account, true);
}

/* ---- connections */

static bool
session_is_idle(const struct session *session)
{
	return session->phase != SESSION_CLOSED && session->request_count == 0 && session_has_sent_all(session) &&
	       worlds_client_in_flight(&session->worlds) == 0 && !framer_is_mid_frame(&session->framer) && session->held_count == 0;
}

static struct session *
find_longest_idle(const struct account *account)
{
	struct session *longest = NULL;
	for (struct session *at = account->sessions; at; at = at->next_of_account)
		if (session_is_idle(at) && (!longest || at->active_ns < longest->active_ns))
			longest = at;
	return longest;
}

struct session *
make_connection_room(const struct service *service, size_t own_count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct session *found = NULL;
	size_t most = 0;
	for (const struct account *at = service->accounts; at; at = at->next) {
		bool more = holds_more(at->session_count, own_count) && at->session_count > most;
		struct session *longest = more ? find_longest_idle(at) : NULL;
		if (longest) {
			found = longest;
			most = at->session_count;
		}
	}
	if (!found)
		return NULL;
	problem_over_share(&problem, SESSION_RETRY_CONNECTION_MS,
	                   "the server is full, and this connection was the longest idle one of the address that has most");
	session_fail(found, 0, &problem);
	return found;
}
