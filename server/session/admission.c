/* From a message to a request under way, and from one slice to the next. */
#include "session/session_private.h"

#include "base/check.h"
#include "session/limits.h"
#include "session/make_room.h"

static enum status
refuse_busy(struct wire_problem *problem, const char *reason, const char *text)
{
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, reason, "", "%s", text);
	problem->retry_after_ms = SESSION_RETRY_BUSY_MS;
	return problem->status;
}

enum status
session_check_in_flight(const struct session *session, struct wire_problem *problem)
{
	size_t count = session->request_count + worlds_client_in_flight(&session->worlds);
	if (count < session->service->limits.requests_in_flight_max)
		return STATUS_OK;
	return refuse_busy(problem, "REQUESTS_IN_FLIGHT", "this connection has as many requests under way as it may");
}

/* Whether there is room for one more, before anything is done for it; makes some if need be. */
static enum status
session_check_room(struct session *session, struct wire_problem *problem)
{
	const struct service *service = session->service;
	if (session->draining)
		return session_problem_shutdown(problem);
	if (session_check_in_flight(session, problem) != STATUS_OK)
		return problem->status;
	size_t places = service_places_free(service);
	if (!account_may_have_request(session->account, places) && !make_request_room(session->account)) {
		return places == 0 ? refuse_busy(problem, "TOO_MANY_REQUESTS", "the server has as many requests under way as it may")
		                   : refuse_busy(problem, "OVER_SHARE", "this address has its share of the requests under way");
	}
	if (service_memory_left(service) == 0)
		return refuse_busy(problem, "SERVER_MEMORY", "the server's memory for requests is used up");
	if (account_memory_left(session->account) == 0)
		return refuse_busy(problem, "OVER_SHARE", "this address has its share of the memory for requests");
	return STATUS_OK;
}

void
session_admit(struct session *session, const struct request_envelope *envelope)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct service *service = session->service;
	if (session_check_room(session, &problem) != STATUS_OK) {
		session_refuse(session, envelope->id, &problem);
		return;
	}
	uint32_t body_bytes = session->framer.body_bytes;
	struct request *request = request_create(session->account, envelope, session->framer.body, body_bytes, session_on_job);
	if (!request) {
		(void)refuse_busy(&problem, "SERVER_MEMORY", "no memory for the request");
		session_refuse(session, envelope->id, &problem);
		return;
	}
	(void)framer_take_body(&session->framer);
	request->keeps_up = session->keeps_up && session->request_count == 0 && session_has_sent_all(session);
	session_add_request(session, request);
	session_push_ready(session, request);
	counters_add(&service->counters, "request", envelope->kind->name, 1);
}

void
session_check_deadlines(struct session *session)
{
	if (session->request_count == session->submitted_count)
		return;
	uint64_t now_ns = session->service->now_ns();
	for (struct request *request = session->ready_first, *next = NULL; request; request = next) {
		next = request->next_ready;
		if (request_check_deadline(request, now_ns))
			session_finish_ready(session, request);
	}
	for (struct request *request = session->requests, *next = NULL; request; request = next) {
		next = request->next;
		if (request->parked && request_check_deadline(request, now_ns))
			session_finish_ready(session, request);
	}
}

/* To the host; once more if there is room then. Otherwise than STATUS_OK, request->problem says why. */
static enum status
request_try_submit(struct session *session, struct request *request)
{
	const struct session_host *host = session->host;
	struct account *account = session->account;
	if (!request->started && account->queued >= session->service->quotas.queued_max)
		return refuse_busy(&request->problem, "OVER_SHARE", "this address has its share of the queue for workers");
	enum status status = host->submit(session->host_context, &request->job, request->started);
	if (status == STATUS_RESOURCE_EXHAUSTED && make_queue_room(account))
		status = host->submit(session->host_context, &request->job, request->started);
	if (status == STATUS_RESOURCE_EXHAUSTED)
		return refuse_busy(&request->problem, "QUEUE_FULL", "the queue for workers is full");
	return status == STATUS_OK ? STATUS_OK : session_problem_shutdown(&request->problem);
}

/* Room for a short reply, as those before it were. The loop will free it: it should not be of a worker's memory
 * (SESSION_BODY_BYTES_KEPT). Without memory the worker allocates it. */
static void
session_reserve_reply(const struct session *session, struct request *request)
{
	if (request->out.capacity == 0 && session->slice_bytes <= SESSION_TOGETHER_BYTES)
		buffer_reserve(&request->out, session->slice_bytes);
}

static void
session_submit(struct session *session, struct request *request)
{
	atomic_store(&request->must_return, false);
	atomic_store(&request->slice_room, session_slice_room(session));
	session_reserve_reply(session, request);
	if (request_try_submit(session, request) != STATUS_OK) {
		session_finish_ready(session, request);
		return;
	}
	session_remove_ready(session, request);
	session->account->queued += request->started ? 0 : 1;
	request->queued = !request->started;
	request->submitted = request->started = true;
	session->submitted_count++;
}

static bool
session_may_ask(const struct session *session)
{
	size_t all_bytes = (session->submitted_count + 1) * session->slice_bytes;
	bool short_ones = all_bytes <= SESSION_SLICES_SUBMITTED_MAX * session_slice_room(session);
	size_t submitted_max = short_ones ? SESSION_SHORT_SUBMITTED_MAX : SESSION_SLICES_SUBMITTED_MAX;
	return session->submitted_count < submitted_max && !session_is_blocked(session);
}

void
session_ask_for_slices(struct session *session)
{
	session_check_deadlines(session);
	while (session->ready_first && session_may_ask(session))
		session_submit(session, session->ready_first);
	if (session->ready_first && session->stream_count > 0 && !session_is_blocked(session))
		session_ask_to_return(session);
}
