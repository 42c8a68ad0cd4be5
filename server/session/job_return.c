/* A request that comes back from a worker, with a slice of its replies or the last of them. */
#include "session/session_private.h"

#include "base/check.h"
#include "session/limits.h"

/* A Cancel that came while the last slice was being made still decides the final reply: it has not been sent. */
static void
session_apply_late_cancel(struct request *request)
{
	if (request->finished && request->problem.status == STATUS_OK && atomic_load(&request->cancelled)) {
		(void)wire_problem_set(&request->problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled by the client");
		request_set_error(request);
		request->answered = !request->out.failed;
	}
}

/* What a worker has made for the loop to enter. */
static void
session_enter_work(struct session *session, struct request *request)
{
	if (!request->finished || !request->work || !request->kind->enter || request->problem.status != STATUS_OK)
		return;
	if (request->kind->enter(session, request) != STATUS_OK)
		request_set_error(request);
	request->answered = !request->out.failed;
	request_drop_work(request);
}

/* All that a returned request brings. Without memory that may be the session's end, which disowns the request. */
static void
session_take_slice(struct session *session, struct request *request)
{
	size_t count = request->out.count, before = session->slice_bytes;
	session->slice_bytes = count > before ? count : before - (before - count) / 8;
	session_take_last_chunk(session, request);
	if (request->session)
		session_take_replies(session, &request->out);
	if (request->session && request->shared) {
		session_flush_with(session, request->shared);
		request->shared = NULL;
	}
}

/* After the replies of a request have been taken: true if there is something left to do for its session. */
static bool
session_receive(struct session *session, struct request *request)
{
	bool answered = !request->finished || request->answered;
	request_drop_body(request);
	request_charge(request, request_memory_bytes(request));
	if (!request->finished) {
		if (!request->kind->waits || !request->kind->waits(session, request))
			session_push_ready(session, request);
		return true;
	}
	if (request->problem.status != STATUS_OK)
		counters_add(&session->service->counters, "refusal", request->problem.reason, 1);
	session_end_request(session, request);
	return answered;
}

/* Takes a request back from a worker; its session, or NULL if that is gone. *answered: false if there was no memory even
 * for its final reply. */
static struct session *
session_return_request(struct request *request, bool *answered)
{
	struct session *session = request->session;
	CHECK(request->submitted);
	request_leave_queue(request);
	if (session) {
		session->submitted_count--;
		session_apply_late_cancel(request);
		session_enter_work(session, request);
		session_take_slice(session, request); /* away still, so that an end of the session does not release it */
	}
	request->submitted = false;
	if (!request->session) {
		request_release(request);
		return NULL;
	}
	*answered = session_receive(session, request);
	return session;
}

void
session_on_job(struct job *job)
{
	bool answered = true;
	struct session *session = session_return_request(request_of_job(job), &answered);
	if (session && !answered)
		session_close(session, "NO_MEMORY", false);
	else if (session)
		session_add_returned(session);
}
