/* What a session says to its client: replies, refusals and the end. */
#include "base/check.h"
#include "base/memory.h"
#include "session/limits.h"
#include "session/session_private.h"
#include "session/turns.h"

bool
session_is_blocked(const struct session *session)
{
	size_t max = session->blocked_ns != 0 ? SESSION_QUEUE_PAUSE_BYTES / 2 : SESSION_QUEUE_PAUSE_BYTES;
	/* What it is owed of worlds does not stop its commands: that has a bound of its own. */
	if (worlds_client_reads(&session->worlds))
		max += WORLDS_BEHIND_BYTES + session->service->limits.worlds.owed_bytes_max;
	return session->queued_bytes + session->out.count > max;
}

size_t
session_slice_room(const struct session *session)
{
	uint64_t read = session->taken_bytes > SESSION_UNREAD_BYTES ? session->taken_bytes - SESSION_UNREAD_BYTES : 0;
	uint64_t room = SESSION_SLICE_BYTES_LEAST + read / 4;
	return room < SESSION_SLICE_BYTES ? (size_t)room : SESSION_SLICE_BYTES;
}

/* The replies so far as shared bytes; NULL without memory. */
static struct shared_bytes *
session_take_out(struct session *session)
{
	uint8_t *bytes = NULL;
	size_t count = 0;
	buffer_take(&session->out, &bytes, &count);
	struct shared_bytes *block = shared_bytes_create(bytes, count);
	if (!block)
		memory_free(bytes);
	return block;
}

void
session_flush_with(struct session *session, struct shared_bytes *shared)
{
	struct shared_bytes *blocks[2];
	size_t count = 0;
	bool failed = session->out.failed && session->phase != SESSION_CLOSED;
	if (!failed && session->out.count > 0) {
		blocks[count] = session_take_out(session);
		failed = !blocks[count++];
	}
	if (failed) {
		shared_bytes_release(shared);
		/* Something that was promised cannot be said: better no conversation than one with a hole. */
		session_close(session, "NO_MEMORY", false);
		return;
	}
	if (shared)
		blocks[count++] = shared;
	if (count > 0) {
		size_t bytes = 0;
		for (size_t i = 0; i < count; i++)
			bytes += blocks[i]->count;
		size_t waiting = session->host->send(session->host_context, blocks, count);
		session->queued_bytes += waiting;
		session->taken_bytes += bytes - waiting;
		session->active_ns = session->service->now_ns();
	}
}

void
session_flush(struct session *session)
{
	session_flush_with(session, NULL);
}

void
session_close(struct session *session, const char *reason, bool flush)
{
	if (session->phase == SESSION_CLOSED)
		return;
	session->phase = SESSION_CLOSED;
	turn_leave(session);
	session_drop_requests(session);
	if (flush)
		session_flush(session);
	session->host->close(session->host_context, reason, flush);
}

void
session_refuse(struct session *session, uint64_t request_id, const struct wire_problem *problem)
{
	session->was_used = true;
	counters_add(&session->service->counters, "refusal", problem->reason, 1);
	wire_error_append(&session->out, request_id, problem);
}

void
session_fail(struct session *session, uint64_t request_id, const struct wire_problem *problem)
{
	session_refuse(session, request_id, problem);
	session_close(session, problem->reason, true);
}

void
session_fail_framing(struct session *session, enum status status, const char *reason, const char *text)
{
	struct wire_problem problem = { .status = STATUS_OK };
	(void)wire_problem_set(&problem, status, reason, "", "%s", text);
	session_fail(session, 0, &problem);
}

bool
session_has_sent_all(const struct session *session)
{
	return session->queued_bytes + session->out.count == 0;
}

void
session_take_replies(struct session *session, struct buffer *replies)
{
	if (replies->count > SESSION_TOGETHER_BYTES)
		session_flush(session); /* what has been said until now, so that this is not copied behind it */
	bool failed = session->out.failed;
	if (session->out.count == 0 && replies->count > SESSION_TOGETHER_BYTES) {
		buffer_finish(&session->out);
		buffer_take(replies, &session->out.bytes, &session->out.count);
		session->out.capacity = session->out.count;
	} else {
		buffer_append(&session->out, replies->bytes, replies->count);
		buffer_finish(replies);
	}
	session->out.failed = session->out.failed || failed;
}

enum status
session_problem_shutdown(struct wire_problem *problem)
{
	(void)wire_problem_set(problem, STATUS_UNAVAILABLE, "SHUTTING_DOWN", "", "the server is going away");
	problem->retry_after_ms = SESSION_RETRY_SHUTDOWN_MS;
	return problem->status;
}

void
session_add_returned(struct session *session)
{
	struct service *service = session->service;
	if (!session->returned && !session->settling) {
		session->returned = true;
		session->next_returned = NULL;
		*(service->returned_last ? &service->returned_last->next_returned : &service->returned_first) = session;
		service->returned_last = session;
	}
}

void
session_finish_ready(struct session *session, struct request *request)
{
	CHECK(!request->submitted);
	session_refuse(session, request->id, &request->problem);
	if (request->parked)
		worlds_forget(&session->worlds, request->id);
	else
		session_remove_ready(session, request);
	session_end_request(session, request);
}

void
session_ask_later(struct session *session)
{
	if (!session->later_asked) {
		session->later_asked = true;
		session->host->call_later(session->host_context);
	}
}
