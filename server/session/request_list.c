/* The requests of a session: all of them, and those that are ready for a worker. */
#include "session/session_private.h"

void
session_add_request(struct session *session, struct request *request)
{
	request->session = session;
	request->next = session->requests;
	session->requests = request;
	session->request_count++;
}

void
session_remove_request(struct session *session, struct request *request)
{
	struct request **link = &session->requests;
	while (*link != request)
		link = &(*link)->next;
	*link = request->next;
	session->request_count--;
	request->session = NULL;
}

void
session_push_ready(struct session *session, struct request *request)
{
	request->next_ready = NULL;
	if (session->ready_last)
		session->ready_last->next_ready = request;
	else
		session->ready_first = request;
	session->ready_last = request;
}

void
session_remove_ready(struct session *session, struct request *request)
{
	struct request *before = NULL;
	for (struct request *at = session->ready_first; at != request; at = at->next_ready)
		before = at;
	if (before)
		before->next_ready = request->next_ready;
	else
		session->ready_first = request->next_ready;
	if (session->ready_last == request)
		session->ready_last = before;
}

struct request *
session_find_request(const struct session *session, uint64_t request_id)
{
	for (struct request *request = session->requests; request; request = request->next)
		if (request->id == request_id)
			return request;
	return NULL;
}

void
session_end_request(struct session *session, struct request *request)
{
	session_remove_request(session, request);
	request_release(request);
}

void
session_drop_requests(struct session *session)
{
	struct request *next = NULL;
	for (struct request *request = session->requests; request; request = next) {
		next = request->next;
		request->session = NULL;
		atomic_store(&request->cancelled, true);
		if (!request->submitted)
			request_release(request);
	}
	session->requests = session->ready_first = session->ready_last = NULL;
	session->request_count = session->submitted_count = session->stream_count = session->deferred_count = 0;
}
