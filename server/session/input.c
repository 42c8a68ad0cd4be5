/* From received bytes to messages, and each message to the one that handles it. */
#include "base/check.h"
#include "base/memory.h"
#include "session/limits.h"
#include "session/session_private.h"
#include "session/turns.h"

#include <string.h>

/* Before Hello whatever is wrong is the end. */
static void
session_reject(struct session *session, uint64_t request_id, const struct wire_problem *problem)
{
	if (session->phase == SESSION_HELLO)
		session_fail(session, request_id, problem);
	else
		session_refuse(session, request_id, problem);
}

static enum status
unpack(struct session *session, const uint8_t *bytes, size_t count, const Collide__V1__ClientMessage **message,
       struct wire_problem *problem)
{
	const struct wire_limits limits = { 0 };
	if (count > SESSION_CONTROL_BYTES_MAX) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "CONTROL_TOO_LARGE", "",
		                        "a request of this kind has at most %d bytes", SESSION_CONTROL_BYTES_MAX);
	}
	return wire_request_unpack(&session->service->control_arena, &limits, bytes, count, message, problem);
}

/* A request with an `answer`, unpacked and answered. */
static void
session_handle_control(struct session *session, const struct request_envelope *envelope, const uint8_t *bytes, size_t count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	const Collide__V1__ClientMessage *message = NULL;
	enum status status = unpack(session, bytes, count, &message, &problem);
	CHECK(status != STATUS_OK || message);
	/* What was unpacked must be what the envelope was taken for at first sight. */
	if (status == STATUS_OK && message->request_case != envelope->field)
		status = wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "MALFORMED", "", "more than one request in a message");
	if (status != STATUS_OK)
		session_reject(session, envelope->id, &problem);
	else
		envelope->kind->answer(session, envelope->id, message);
	arena_reset(&session->service->control_arena);
}

static void
session_handle_message(struct session *session, const uint8_t *bytes, size_t count)
{
	struct wire_problem problem = { .status = STATUS_OK };
	struct request_envelope envelope = { 0 };
	bool good = wire_request_peek(bytes, count, &envelope.id, &envelope.field);
	envelope.kind = request_kind_find(envelope.field);
	if (!good) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "MALFORMED", "", "not a ClientMessage");
	} else if (envelope.id == 0 && !(envelope.kind && envelope.kind->may_lack_id)) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "REQUEST_ID", "request_id", "must not be 0");
	} else if (session->phase == SESSION_HELLO && envelope.field != COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO) {
		(void)wire_problem_set(&problem, STATUS_FAILED_PRECONDITION, "HELLO_FIRST", "hello", "the first message must be Hello");
	} else if (envelope.id != 0 &&
	           (session_find_request(session, envelope.id) || worlds_client_has_request(&session->worlds, envelope.id))) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "REQUEST_ID", "request_id",
		                       "a request with this id is under way");
	} else if (envelope.field == 0) {
		(void)wire_problem_set(&problem, STATUS_INVALID_ARGUMENT, "NO_REQUEST", "", "the message holds no request");
	} else if (!envelope.kind) {
		(void)wire_problem_set(&problem, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST", "", "this server knows no such request");
	}
	bool looks = envelope.field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO ||
	             envelope.field == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING;
	session->was_used = session->was_used || !looks;
	if (problem.status != STATUS_OK || !envelope.kind) /* without a row there is a problem */
		session_reject(session, envelope.id, &problem);
	else if (envelope.kind->receive)
		envelope.kind->receive(session, envelope.id, bytes, count);
	else if (envelope.kind->answer)
		session_handle_control(session, &envelope, bytes, count);
	else
		session_admit(session, &envelope);
}

/* The request_id at the front of a message of which the rest is lost; 0 if it is not there. */
static uint64_t
read_request_id(const uint8_t *bytes, size_t count)
{
	uint64_t id = 0;
	for (size_t i = 1; i < count && i <= 10 && bytes[0] == 0x08; i++) {
		id |= (uint64_t)(bytes[i] & 0x7f) << (7 * (i - 1));
		if ((bytes[i] & 0x80) == 0)
			return id;
	}
	return 0;
}

static void
session_handle_skipped(struct session *session)
{
	struct wire_problem problem = { .status = STATUS_OK };
	const struct framer *framer = &session->framer;
	size_t kept = framer->received < framer->capacity ? framer->received : framer->capacity;
	bool is_share = account_memory_left(session->account) + session->input_charged_bytes < framer->body_bytes &&
	                service_memory_left(session->service) > framer->body_bytes;
	(void)wire_problem_set(&problem, STATUS_RESOURCE_EXHAUSTED, is_share ? "OVER_SHARE" : "SERVER_MEMORY", "",
	                       is_share ? "this address has its share of the memory: no more for a message of %u bytes"
	                                : "no memory for a message of %u bytes",
	                       framer->body_bytes);
	problem.retry_after_ms = SESSION_RETRY_BUSY_MS;
	uint64_t id = read_request_id(framer->body, kept);
	/* Without an id nothing says what it was: a batch of commands, say. Its seat resumes, learns that, and sends it again. */
	if (id == 0)
		session_fail(session, 0, &problem);
	else
		session_refuse(session, id, &problem);
}

/* Every encoding of a Hello begins with one of two tags; nothing that another protocol says first does. Without memory for the
 * message there may be no byte of it to look at. */
static bool
session_is_spoken_to_wrongly(const struct session *session)
{
	const struct framer *framer = &session->framer;
	bool kept = framer->received > 0 && framer->capacity > 0;
	return session->phase == SESSION_HELLO && kept && framer->body[0] != 0x08 && framer->body[0] != 0x12;
}

/* Reads up to the end of one message and handles it; returns the bytes used. */
static size_t
session_read_message(struct session *session, const uint8_t *bytes, size_t count, uint64_t now_ns)
{
	enum framer_result result = FRAMER_MORE;
	struct framer *framer = &session->framer;
	uint32_t bytes_max = session->phase == SESSION_HELLO ? SESSION_CONTROL_BYTES_MAX
	                                                     : session->service->limits.message_bytes_max;
	if (!framer_is_mid_frame(framer))
		session->frame_begin_ns = now_ns;
	uint64_t capacity_max = account_memory_left(session->account) + session->input_charged_bytes;
	size_t used = framer_feed(framer, bytes, count, bytes_max, capacity_max, &result);
	if (result == FRAMER_MALFORMED) {
		session_fail_framing(session, STATUS_INVALID_ARGUMENT, "FRAME_MALFORMED", "not the length of a message");
	} else if (result == FRAMER_TOO_LARGE) {
		bool first = session->phase == SESSION_HELLO;
		session_fail_framing(session, STATUS_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE",
		                     first ? "longer than any Hello" : "longer than Limits.message_bytes_max");
	} else if (session_is_spoken_to_wrongly(session)) {
		session_fail_framing(session, STATUS_INVALID_ARGUMENT, "NOT_COLLIDE", "this port speaks collide.v1");
	} else if (result == FRAMER_MESSAGE) {
		session_handle_message(session, framer->body, framer->body_bytes);
		framer_next(framer);
	} else if (result == FRAMER_SKIPPED) {
		session_handle_skipped(session);
		framer_next(framer);
	}
	session_charge_input(session);
	return used;
}

/* Handles messages until the bytes, the turn or the room for replies are used up; returns the bytes used. */
static size_t
session_consume(struct session *session, const uint8_t *bytes, size_t count)
{
	size_t used = 0;
	if (session_is_blocked(session))
		session_flush(session);
	/* One that reads nothing does not keep others in line. */
	uint64_t turn_ns = session->phase == SESSION_CLOSED || session_is_blocked(session) ? 0 : turn_begin(session);
	if (turn_ns == 0)
		return 0;
	const uint64_t begin_ns = session->service->now_ns(), end_ns = begin_ns + turn_ns;
	uint64_t now_ns = begin_ns;
	for (unsigned i = 0; i < SESSION_MESSAGES_AT_ONCE && used < count && now_ns < end_ns; i++) {
		if (session_is_blocked(session))
			session_flush(session);
		if (session->phase == SESSION_CLOSED || session_is_blocked(session))
			break;
		used += session_read_message(session, bytes + used, count - used, now_ns);
		now_ns = session->service->now_ns();
	}
	turn_end(session, now_ns - begin_ns);
	return used;
}

/* Keeps what was received and not looked at. Without memory that is the end. */
static void
session_hold(struct session *session, const uint8_t *bytes, size_t count)
{
	session->held = memory_alloc(count);
	if (!session->held) {
		session_close(session, "NO_MEMORY", false);
		return;
	}
	memcpy(session->held, bytes, count);
	session->held_count = count;
	session->held_offset = 0;
}

void
session_on_bytes(struct session *session, const uint8_t *bytes, size_t count)
{
	if (session->phase == SESSION_CLOSED)
		return;
	CHECK(session->reading && session->held_count == 0);
	session->active_ns = session->service->now_ns();
	size_t used = session_consume(session, bytes, count);
	if (used < count && session->phase != SESSION_CLOSED)
		session_hold(session, bytes + used, count - used);
	if (session->phase != SESSION_CLOSED)
		session_settle(session);
	/* What it did may be news to others: a seat that was taken, a world that ended. */
	session_settle_returned(session->service);
}

void
session_on_later(struct session *session)
{
	session->later_asked = false;
	if (session->phase == SESSION_CLOSED)
		return;
	if (session->held_count > 0) {
		size_t used = session_consume(session, session->held + session->held_offset, session->held_count);
		session->held_offset += used;
		session->held_count -= used;
	}
	if (session->held_count == 0) {
		memory_free(session->held);
		session->held = NULL;
	}
	session_settle(session);
	session_settle_returned(session->service);
}
