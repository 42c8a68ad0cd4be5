#include "session/make_room.h"

#include "session/limits.h"
#include "session/session_private.h"

static void
problem_over_share(struct wire_problem *problem, uint32_t retry_after_ms, const char *text)
{
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "OVER_SHARE", "", "%s", text);
	problem->retry_after_ms = retry_after_ms;
}

/* ---- requests */

static size_t
requests_of(const struct account *account)
{
	return account->requests;
}

static size_t
queued_of(const struct account *account)
{
	return account->queued;
}

static size_t
sessions_of(const struct account *account)
{
	return account->session_count;
}

/* The account that holds most, if that is more than one that holds `own_count` would hold afterwards. */
static struct account *
find_largest(const struct service *service, size_t (*held)(const struct account *account), size_t own_count)
{
	struct account *largest = NULL;
	for (struct account *at = service->accounts; at; at = at->next)
		if (held(at) > own_count + 1 && (!largest || held(at) > held(largest)))
			largest = at;
	return largest;
}

/* The newest that has not begun, as far as is known here. */
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

/* Refuses the newest request of the account that no worker has begun; false: there is none. */
static bool
displace_newest(const struct account *account, bool queued)
{
	for (struct request *newest = find_newest(account, queued); newest; newest = find_newest(account, queued)) {
		struct session *session = newest->session;
		if (newest->submitted && !request_withdraw(session, newest))
			continue;
		problem_over_share(&newest->problem, SESSION_RETRY_BUSY_MS,
		                   "the server is full, and this address has more requests under way than the one that came");
		session_finish_ready(session, newest);
		session_ask_later(session);
		return true;
	}
	return false;
}

bool
make_request_room(const struct account *account)
{
	if (account->requests >= account->service->quotas.requests_max)
		return false; /* no place would be its own */
	const struct account *largest = find_largest(account->service, requests_of, account->requests);
	return largest && displace_newest(largest, false);
}

bool
make_queue_room(const struct account *account)
{
	const struct account *largest = find_largest(account->service, queued_of, account->queued);
	return largest && displace_newest(largest, true);
}

/* ---- connections */

static bool
session_is_idle(const struct session *session)
{
	return session->phase != SESSION_CLOSED && session->request_count == 0 && session_has_sent_all(session) &&
	       !framer_is_mid_frame(&session->framer) && session->held_count == 0;
}

struct session *
make_connection_room(const struct service *service, size_t own_count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct session *longest = NULL;
	const struct account *largest = find_largest(service, sessions_of, own_count);
	for (struct session *at = largest ? largest->sessions : NULL; at; at = at->next_of_account)
		if (session_is_idle(at) && (!longest || at->active_ns < longest->active_ns))
			longest = at;
	if (!longest)
		return NULL;
	problem_over_share(&problem, SESSION_RETRY_CONNECTION_MS,
	                   "the server is full, and this connection was the longest idle one of the address that has most");
	session_fail(longest, 0, &problem);
	return longest;
}
