/* From a message to a request under way, and from one slice to the next. */
#include "session/session_private.h"

#include "base/check.h"
#include "session/limits.h"

static void
session_add_request(struct session *session, struct request *request)
{
	request->session = session;
	request->next = session->requests;
	session->requests = request;
	session->request_count++;
}

static void
session_remove_request(struct session *session, struct request *request)
{
	struct request **link = &session->requests;
	while (*link != request) {
		link = &(*link)->next;
	}
	*link = request->next;
	session->request_count--;
	request->session = NULL;
}

static void
session_push_ready(struct session *session, struct request *request)
{
	request->next_ready = NULL;
	if (session->ready_last != NULL) {
		session->ready_last->next_ready = request;
	} else {
		session->ready_first = request;
	}
	session->ready_last = request;
}

static void
session_remove_ready(struct session *session, struct request *request)
{
	struct request *before = NULL;
	for (struct request *at = session->ready_first; at != request; at = at->next_ready) {
		before = at;
	}
	if (before != NULL) {
		before->next_ready = request->next_ready;
	} else {
		session->ready_first = request->next_ready;
	}
	if (session->ready_last == request) {
		session->ready_last = before;
	}
}

struct request *
session_find_request(const struct session *session, uint64_t request_id)
{
	for (struct request *request = session->requests; request != NULL; request = request->next) {
		if (request->id == request_id) {
			return request;
		}
	}
	return NULL;
}

static enum status
refuse_busy(struct wire_problem *problem, const char *reason, const char *text)
{
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, reason, "", "%s", text);
	problem->retry_after_ms = SESSION_RETRY_BUSY_MS;
	return problem->status;
}

enum status
session_problem_shutdown(struct wire_problem *problem)
{
	(void)wire_problem_set(problem, STATUS_UNAVAILABLE, "SHUTTING_DOWN", "", "the server is going away");
	problem->retry_after_ms = SESSION_RETRY_SHUTDOWN_MS;
	return problem->status;
}

/* Whether there is room for one more, before anything is done for it. */
static enum status
session_check_room(const struct session *session, struct wire_problem *problem)
{
	const struct service *service = session->service;
	if (session->draining) {
		return session_problem_shutdown(problem);
	}
	if (session->request_count >= service->limits.requests_in_flight_max) {
		return refuse_busy(problem, "REQUESTS_IN_FLIGHT", "this connection has as many requests under way as it may");
	}
	if (service->requests_under_way >= service->limits.requests_under_way_max) {
		return refuse_busy(problem, "TOO_MANY_REQUESTS", "the server has as many requests under way as it may");
	}
	if (service_memory_left(service) == 0) {
		return refuse_busy(problem, "MEMORY", "the server's memory for requests is used up");
	}
	return STATUS_OK;
}

void
session_admit(struct session *session, uint64_t request_id, const struct request_kind *kind)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct service *service = session->service;
	if (session_check_room(session, &problem) != STATUS_OK) {
		session_refuse(session, request_id, &problem);
		return;
	}
	uint32_t body_bytes = session->framer.body_bytes;
	struct request *request = request_create(service, request_id, kind, session->framer.body, body_bytes, service->now_ns());
	if (request == NULL) {
		(void)refuse_busy(&problem, "MEMORY", "no memory for the request");
		session_refuse(session, request_id, &problem);
		return;
	}
	(void)framer_take_body(&session->framer);
	request->reads_on = session->reads_on && session->request_count == 0 && session_has_sent_all(session);
	session_add_request(session, request);
	session_push_ready(session, request);
	counters_add(&service->counters, "request", kind->name, 1);
}

static void
session_end_request(struct session *session, struct request *request)
{
	session_remove_request(session, request);
	request_release(request);
}

void
session_finish_ready(struct session *session, struct request *request)
{
	CHECK(!request->away);
	session_refuse(session, request->id, &request->problem);
	session_remove_ready(session, request);
	session_end_request(session, request);
}

void
session_check_deadlines(struct session *session)
{
	uint64_t now_ns = session->service->now_ns();
	struct request *next = NULL;
	for (struct request *request = session->ready_first; request != NULL; request = next) {
		next = request->next_ready;
		if (request_check_deadline(request, now_ns)) {
			session_finish_ready(session, request);
		}
	}
}

static void
session_submit(struct session *session, struct request *request)
{
	atomic_store(&request->come_home, false);
	switch (session->host->submit(session->host_context, &request->job, request->started)) {
	case STATUS_OK:
		session_remove_ready(session, request);
		request->away = request->started = true;
		session->away_count++;
		return;
	case STATUS_RESOURCE_EXHAUSTED: (void)refuse_busy(&request->problem, "QUEUE_FULL", "the queue for workers is full"); break;
	default: (void)session_problem_shutdown(&request->problem);
	}
	session_finish_ready(session, request);
}

static bool
session_may_ask(const struct session *session)
{
	size_t all_bytes = (session->away_count + 1) * session->slice_bytes;
	bool short_ones = all_bytes <= (size_t)SESSION_SLICES_AWAY_MAX * SESSION_SLICE_BYTES;
	size_t away_max = short_ones ? SESSION_SHORT_AWAY_MAX : SESSION_SLICES_AWAY_MAX;
	return session->away_count < away_max && !session_is_blocked(session);
}

void
session_ask_for_slices(struct session *session)
{
	session_check_deadlines(session);
	while (session->ready_first != NULL && session_may_ask(session)) {
		session_submit(session, session->ready_first);
	}
	if (session->ready_first != NULL && session->stream_count > 0 && !session_is_blocked(session)) {
		session_call_home(session);
	}
}

void
session_drop_requests(struct session *session)
{
	struct request *next = NULL;
	for (struct request *request = session->requests; request != NULL; request = next) {
		next = request->next;
		request->session = NULL;
		atomic_store(&request->cancelled, true);
		if (!request->away) {
			request_release(request);
		}
	}
	session->requests = session->ready_first = session->ready_last = NULL;
	session->request_count = session->away_count = session->stream_count = session->left_count = 0;
}

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

void
session_take_replies(struct session *session, struct buffer *replies)
{
	if (replies->count > SESSION_TOGETHER_BYTES) {
		session_flush(session); /* what has been said until now, so that this is not copied behind it */
	}
	if (session->out.count == 0) {
		buffer_finish(&session->out);
		buffer_take(replies, &session->out.bytes, &session->out.count);
		session->out.capacity = session->out.count;
	} else {
		buffer_append(&session->out, replies->bytes, replies->count);
		buffer_finish(replies);
	}
}

/* All that a request came home with. Without memory that may be the session's end, which disowns the request. */
static void
session_take_slice(struct session *session, struct request *request)
{
	size_t count = request->out.count, before = session->slice_bytes;
	session->slice_bytes = count > before ? count : before - (before - count) / 8;
	session_take_last_parcel(session, request);
	if (request->session != NULL) {
		session_take_replies(session, &request->out);
	}
	if (request->session != NULL && request->shared != NULL) {
		session_flush_with(session, request->shared);
		request->shared = NULL;
	}
}

/* true if the session has something to do about a request whose replies it has taken. */
static bool
session_receive(struct session *session, struct request *request)
{
	bool answered = !request->finished || request->answered;
	request_charge(request, request_memory_bytes(request));
	if (!request->finished) {
		session_push_ready(session, request);
		return true;
	}
	if (request->problem.status != STATUS_OK) {
		counters_add(&session->service->counters, "refusal", request->problem.reason, 1);
	}
	session_end_request(session, request);
	return answered;
}

struct session *
session_return_request(struct request *request, bool *answered)
{
	struct session *session = request->session;
	CHECK(request->away);
	if (session != NULL) {
		session->away_count--;
		session_apply_late_cancel(request);
		session_take_slice(session, request); /* away still, so that an end of the session does not release it */
	}
	request->away = false;
	if (request->session == NULL) {
		request_release(request);
		return NULL;
	}
	*answered = session_receive(session, request);
	return session;
}
