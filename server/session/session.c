#include "session/session.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/patience.h"
#include "session/limits.h"
#include "session/session_private.h"
#include "session/turns.h"

#define NS_PER_MS UINT64_C(1000000)

static void
session_enter_account(struct session *session)
{
	struct account *account = session->account;
	account_hold(account);
	session->service->accounts_connected += account->session_count == 0;
	account->session_count++;
	session->next_of_account = account->sessions;
	if (session->next_of_account)
		session->next_of_account->previous_of_account = session;
	account->sessions = session;
}

static void
session_leave_account(struct session *session)
{
	struct account *account = session->account;
	*(session->previous_of_account ? &session->previous_of_account->next_of_account
	                               : &account->sessions) = session->next_of_account;
	if (session->next_of_account)
		session->next_of_account->previous_of_account = session->previous_of_account;
	account->session_count--;
	session->service->accounts_connected -= account->session_count == 0;
	account_release(account);
}

struct session *
session_create(struct service *service, struct account *account, const struct session_host *host, void *host_context)
{
	struct session *session = memory_zeroed(1, sizeof *session);
	if (!session)
		return NULL;
	session->service = service;
	session->account = account ? account : &service->common;
	session->host = host;
	session->host_context = host_context;
	session->reading = true;
	session->slice_bytes = SESSION_SLICE_BYTES;
	session->opened_ns = session->active_ns = service->now_ns();
	framer_init(&session->framer);
	buffer_init(&session->out);
	session_enter_account(session);
	worlds_client_init(&session->worlds, service->worlds, session, session->account);
	return session;
}

void
session_charge_input(struct session *session)
{
	account_charge(session->account, session->input_charged_bytes, session->framer.capacity);
	session->input_charged_bytes = session->framer.capacity;
}

void
session_destroy(struct session *session)
{
	if (!session)
		return;
	CHECK(!session->returned);
	turn_leave(session);
	session_drop_requests(session);
	worlds_client_gone(&session->worlds);
	framer_finish(&session->framer);
	session_charge_input(session);
	buffer_finish(&session->out);
	session_leave_account(session);
	memory_free(session->held);
	memory_free(session);
}

/* A client that has too much to read stops the clock of the message it is sending. */
static void
session_update_blocked(struct session *session)
{
	bool blocked = session_is_blocked(session);
	if (blocked == (session->blocked_ns != 0))
		return;
	uint64_t now_ns = session->service->now_ns();
	if (!blocked)
		session->frame_begin_ns += now_ns - session->blocked_ns;
	session->blocked_ns = blocked ? now_ns : 0;
}

static void
session_update_reading(struct session *session)
{
	bool reading = !session->input_ended && session->held_count == 0 && session->blocked_ns == 0;
	if (reading != session->reading) {
		session->reading = reading;
		session->host->set_reading(session->host_context, reading);
	}
	if (session->held_count > 0 && session->blocked_ns == 0)
		session_ask_later(session);
	else
		turn_leave(session);
}

/* Nothing more will be said. Either the client says nothing more, and has its replies. Or the server is going away, and the
 * client has nothing that lasts, and no worlds to take elsewhere. */
static bool
session_is_over(const struct session *session)
{
	bool answered = session->request_count == 0 && session->held_count == 0 && worlds_client_asks(&session->worlds) == 0;
	return answered && (session->input_ended || (session->draining && !worlds_client_lasts(&session->worlds)));
}

/* Parts of snapshots, as the client reads them. */
static void
session_deliver(struct session *session)
{
	session->settling = true;
	if (worlds_client_deliver(&session->worlds))
		session_ask_later(session);
	session->settling = false;
}

void
session_settle(struct session *session)
{
	session_flush(session);
	if (session->phase == SESSION_CLOSED)
		return;
	session_fetch_deferred(session);
	session_update_blocked(session);
	session_ask_for_slices(session);
	session_deliver(session);
	session_flush(session);
	if (session->phase == SESSION_CLOSED)
		return;
	session_update_blocked(session);
	if (session_is_over(session)) {
		session_close(session, session->draining ? "SHUTDOWN" : "END", true);
		return;
	}
	session_update_reading(session);
}

void
session_on_end(struct session *session)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (session->phase == SESSION_CLOSED)
		return;
	session->input_ended = true;
	if (framer_is_mid_frame(&session->framer)) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "FRAME_TRUNCATED", "", "the stream ended inside a message");
		session_refuse(session, 0, &problem);
		framer_next(&session->framer);
	}
	session_settle(session);
	session_settle_returned(session->service);
}

void
session_on_sent(struct session *session, size_t count)
{
	CHECK(count <= session->queued_bytes);
	session->queued_bytes -= count;
	session->taken_bytes += count;
	session->active_ns = session->service->now_ns();
	if (session->phase != SESSION_CLOSED)
		session_settle(session);
	session_settle_returned(session->service);
}

static bool
has_passed(uint64_t now_ns, uint64_t since_ns, uint64_t timeout_ms)
{
	return timeout_ms != 0 && now_ns >= since_ns && now_ns - since_ns >= timeout_ms * NS_PER_MS;
}

/* The message that is being received comes more slowly than it may. */
static bool
session_message_is_late(const struct session *session, uint64_t now_ns)
{
	uint64_t timeout_ms = session->service->limits.frame_timeout_ms;
	uint64_t allowed_ms = timeout_ms + 1000 * (uint64_t)(session->framer.received / SESSION_MESSAGE_BYTES_PER_S_MIN);
	return framer_is_mid_frame(&session->framer) && session->blocked_ns == 0 && timeout_ms != 0 &&
	       has_passed(now_ns, session->frame_begin_ns, allowed_ms);
}

void
session_forgive(struct session *session, uint64_t stood_ns)
{
	uint64_t now_ns = session->service->now_ns();
	session->opened_ns = patience_shift(session->opened_ns, stood_ns, now_ns);
	session->active_ns = patience_shift(session->active_ns, stood_ns, now_ns);
	if (session->blocked_ns == 0) /* else that time does not count anyway */
		session->frame_begin_ns = patience_shift(session->frame_begin_ns, stood_ns, now_ns);
}

void
session_on_time(struct session *session)
{
	const struct session_limits *limits = &session->service->limits;
	uint64_t now_ns = session->service->now_ns();
	if (session->phase == SESSION_CLOSED)
		return;
	session_check_deadlines(session);
	if (session_message_is_late(session, now_ns))
		session_fail_framing(session, STATUS_DEADLINE_EXCEEDED, "FRAME_TIMEOUT", "a message took too long to arrive");
	else if (session->phase == SESSION_HELLO && has_passed(now_ns, session->opened_ns, limits->hello_timeout_ms))
		session_fail_framing(session, STATUS_DEADLINE_EXCEEDED, "HELLO_TIMEOUT", "no Hello came");
	else if (session->request_count == 0 && session->queued_bytes == 0 && worlds_client_in_flight(&session->worlds) == 0 &&
	         has_passed(now_ns, session->active_ns, (uint64_t)limits->ping_interval_ms * SESSION_IDLE_INTERVALS))
		session_close(session, "IDLE", true);
	else
		session_settle(session);
}

/* First those of clients that have read what they got before: what a slow one costs delays none of them. */
void
session_settle_returned(struct service *service)
{
	struct session *next = NULL, *first = service->returned_first, *behind = NULL, **behind_last = &behind;
	service->returned_first = service->returned_last = NULL;
	for (struct session *session = first; session; session = next) {
		next = session->next_returned;
		if (session->queued_bytes > 0) {
			*behind_last = session;
			behind_last = &session->next_returned;
			continue;
		}
		session->returned = false;
		if (session->phase != SESSION_CLOSED)
			session_settle(session);
	}
	*behind_last = NULL;
	for (struct session *session = behind; session; session = next) {
		next = session->next_returned;
		session->returned = false;
		if (session->phase != SESSION_CLOSED)
			session_settle(session);
	}
}

/* Oldest first. */
static struct request *
chunks_take(struct service *service)
{
	struct request *newest = atomic_exchange(&service->chunks, NULL), *list = NULL;
	while (newest) {
		struct request *next = newest->next_chunk;
		newest->next_chunk = list;
		list = newest;
		newest = next;
	}
	return list;
}

void
session_on_chunks(struct service *service)
{
	struct request *next = NULL;
	for (struct request *request = chunks_take(service); request; request = next) {
		next = request->next_chunk;
		request->listed = false;
		if (request->session) {
			session_add_returned(request->session);
			session_receive_chunk(request->session, request);
		}
	}
	session_settle_returned(service);
}

void
session_drain(struct session *session, uint32_t grace_ms)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (session->phase == SESSION_HELLO) {
		(void)session_problem_shutdown(&problem);
		session_fail(session, 0, &problem);
	} else if (session->phase == SESSION_OPEN) {
		session->draining = true;
		if (worlds_client_lasts(&session->worlds))
			session_tell_draining(session, grace_ms);
		session_settle(session);
	}
}

void
session_abort(struct session *session)
{
	struct wire_problem problem = { .status = STATUS_OK };
	if (session->phase == SESSION_CLOSED)
		return;
	(void)session_problem_shutdown(&problem);
	for (const struct request *request = session->requests; request; request = request->next)
		session_refuse(session, request->id, &problem);
	worlds_client_gone(&session->worlds);
	session_close(session, "SHUTDOWN", true);
}

const uint8_t *
session_client_name(const struct session *session, size_t *count)
{
	*count = session->client_name_count;
	return session->client_name;
}

void *
session_host_context(const struct session *session)
{
	return session->host_context;
}

bool
session_was_used(const struct session *session)
{
	return session->was_used;
}

size_t
session_queued_bytes(const struct session *session)
{
	return session->queued_bytes + session->out.count;
}
