#include "session/world_replies.h"

#include "scene/query/query.h"
#include "session/limits.h"
#include "session/service.h"
#include "session/session_private.h"

static void
on_reply(void *client, const Collide__V1__ServerMessage *message, bool final)
{
	struct session *session = client;
	(void) final;
	if (session->phase == SESSION_CLOSED)
		return;
	wire_reply_append(&session->out, message);
	session_add_returned(session);
}

/* A short body is copied behind what waits for the same write. */
static void
on_reply_shared(void *client, uint64_t request_id, uint32_t field, const uint8_t *front, size_t front_count,
                struct shared_bytes *block)
{
	struct session *session = client;
	if (session->phase == SESSION_CLOSED)
		return;
	wire_envelope_append(&session->out, request_id, field, front_count + block->count);
	if (front_count > 0)
		buffer_append(&session->out, front, front_count);
	if (block->count <= SESSION_TOGETHER_BYTES)
		buffer_append(&session->out, block->bytes, block->count);
	else
		session_flush_with(session, shared_bytes_hold(block));
	session_add_returned(session);
}

static void
on_refuse(void *client, uint64_t request_id, const struct wire_problem *problem)
{
	struct session *session = client;
	if (session->phase == SESSION_CLOSED)
		return;
	session_refuse(session, request_id, problem);
	session_add_returned(session);
}

static void
on_fail(void *client)
{
	struct session *session = client;
	if (session->phase == SESSION_CLOSED)
		return;
	session->out.failed = true;
	session_add_returned(session);
}

/* The request that waits for an answer of a world; NULL: it has ended. */
static struct request *
parked_find(const struct session *session, uint64_t request_id)
{
	struct request *request = session->phase == SESSION_CLOSED ? NULL : session_find_request(session, request_id);
	return request && request->parked ? request : NULL;
}

/* It goes on, or ends with the problem (NULL: there is none). */
static void
parked_end(struct session *session, struct request *request, const struct wire_problem *problem)
{
	if (!problem) {
		request_charge(request, request_memory_bytes(request));
		request->parked = false;
		session_push_ready(session, request);
	} else {
		request->problem = *problem;
		session_finish_ready(session, request);
	}
	session_add_returned(session);
}

static void
on_moment(void *client, uint64_t request_id, struct shared_space *space, const struct wire_problem *problem)
{
	struct request *request = parked_find(client, request_id);
	if (!request) {
		shared_space_release(space);
		return;
	}
	if (space)
		query_space_give(request->work, space);
	parked_end(client, request, space ? NULL : problem);
}

static void
on_state(void *client, uint64_t request_id, struct shared_bytes *state, const struct wire_problem *problem)
{
	struct request *request = parked_find(client, request_id);
	if (!request)
		return;
	if (state)
		fork_wish_give(request->work, state);
	parked_end(client, request, state ? NULL : problem);
}

static size_t
on_waiting(void *client)
{
	return ((const struct session *)client)->queued_bytes;
}

static bool
on_has_room(void *client)
{
	struct session *session = client;
	if (session->phase != SESSION_CLOSED)
		session_flush(session);
	return session->phase != SESSION_CLOSED && session->queued_bytes <= SESSION_QUEUE_PAUSE_BYTES / 2;
}

static void
on_account_hold(void *account)
{
	account_hold(account);
}

static void
on_account_release(void *account)
{
	account_release(account);
}

static void
on_account_charge(void *account, uint64_t before_bytes, uint64_t bytes)
{
	account_charge(account, before_bytes, bytes);
}

static enum status
on_account_check(const void *context, uint64_t bytes, struct wire_problem *problem)
{
	const struct account *account = context;
	if (account_memory_left(account) >= bytes)
		return STATUS_OK;
	if (service_memory_left(account->service) < bytes)
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "the server's memory is used up");
	else
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "OVER_SHARE", "",
		                       "this address has its share of the memory");
	problem->retry_after_ms = SESSION_RETRY_BUSY_MS;
	return problem->status;
}

const struct worlds_upward session_worlds_upward = {
	.reply = on_reply,
	.reply_shared = on_reply_shared,
	.moment = on_moment,
	.state = on_state,
	.refuse = on_refuse,
	.fail = on_fail,
	.waiting = on_waiting,
	.has_room = on_has_room,
	.account_hold = on_account_hold,
	.account_release = on_account_release,
	.account_charge = on_account_charge,
	.account_check = on_account_check,
};
