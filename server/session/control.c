/* The messages that the loop answers itself, so that they are answered while every worker is busy. */
#include "session/session_private.h"

#include "base/check.h"
#include "scene/limits.h"
#include "session/limits.h"

#include <string.h>

#define SESSION_PROTOCOL_VERSION 1

static void
fill_limits(const struct session_limits *from, Collide__V1__Limits *to)
{
	to->message_bytes_max = from->message_bytes_max;
	to->frame_bytes_max = SCENE_PART_BYTES_MAX;
	to->requests_in_flight_max = from->requests_in_flight_max;
	to->circles_max = from->scene.circles_max;
	to->segments_max = from->scene.segments_max;
	to->hand_written_max = from->scene.hand_written_max;
	to->ticks_max = from->scene.ticks_max;
	to->events_per_body_max = from->scene.events_per_body_max;
	to->work_per_tick_max = from->scene.work_per_tick_max;
	to->work_per_body_max = from->scene.work_per_body_max;
	to->contacts_per_tick_max = from->scene.contacts_per_tick_max;
	to->memory_bytes_max = from->scene.memory_bytes_max;
	to->deadline_ms_max = from->scene.deadline_ms_max;
}

static void
fill_worlds(const struct worlds_limits *from, Collide__V1__WorldLimits *to)
{
	to->worlds_max = from->worlds_max;
	to->worlds_per_account_max = from->worlds_per_account_max;
	to->maps_max = from->maps_max;
	to->seats_per_world_max = from->seats_per_world_max;
	to->subscriptions_per_world_max = from->subscriptions_per_world_max;
	to->tick_hz_max = from->tick_hz_max;
	to->batches_waiting_max = from->batches_waiting_max;
	to->batch_rows_max = from->batch_rows_max;
	to->batch_bytes_max = from->batch_bytes_max;
	to->ahead_ticks_max = from->ahead_ticks_max;
	to->history_ticks_max = from->history_ticks_max;
	to->world_bytes_max = from->world_bytes_max;
	to->journal_bytes_max = from->journal_bytes_max;
	to->owed_bytes_max = from->owed_bytes_max;
	to->kept_bytes_max = from->kept_bytes_max;
	to->batches_per_second_max = from->batches_per_second_max;
	to->bytes_per_second_max = from->bytes_per_second_max;
	to->outcomes_max = from->outcomes_max;
	to->resimulated_ticks_max = from->resimulated_ticks_max;
}

static void
reply(struct session *session, Collide__V1__ServerMessage *message, uint64_t request_id)
{
	message->request_id = request_id;
	wire_reply_append(&session->out, message);
}

static void
reply_welcome(struct session *session, uint64_t request_id)
{
	char server[] = "collided " COLLIDED_VERSION;
	Collide__V1__Limits limits = COLLIDE__V1__LIMITS__INIT;
	Collide__V1__WorldLimits worlds = COLLIDE__V1__WORLD_LIMITS__INIT;
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	fill_limits(&session->service->limits, &limits);
	if (session->service->worlds) {
		fill_worlds(&session->service->limits.worlds, &worlds);
		limits.optional_worlds_case = COLLIDE__V1__LIMITS__OPTIONAL_WORLDS_WORLDS;
		limits.worlds = &worlds;
	}
	welcome.version = SESSION_PROTOCOL_VERSION;
	welcome.server = server;
	welcome.instance_id = session->service->instance_id;
	welcome.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
	welcome.limits = &limits;
	welcome.ping_interval_ms = session->service->limits.ping_interval_ms;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME;
	message.welcome = &welcome;
	reply(session, &message, request_id);
}

void
session_answer_hello(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request)
{
	const Collide__V1__Hello *hello = request->hello;
	struct wire_problem problem = { .status = STATUS_OK };
	if (session->phase != SESSION_HELLO) {
		(void)wire_problem_set(&problem, STATUS_FAILED_PRECONDITION, "HELLO_TWICE", "hello", "Hello was said already");
		session_refuse(session, request_id, &problem);
		return;
	}
	if (hello->version_min > SESSION_PROTOCOL_VERSION || hello->version_max < SESSION_PROTOCOL_VERSION) {
		(void)wire_problem_set(&problem, STATUS_FAILED_PRECONDITION, "VERSION", "hello.version_max",
		                       "this server speaks version %d only; the client asked for %u to %u", SESSION_PROTOCOL_VERSION,
		                       hello->version_min, hello->version_max);
		session_fail(session, request_id, &problem);
		return;
	}
	size_t count = hello->client_name.len;
	session->client_name_count = count < sizeof session->client_name ? count : sizeof session->client_name;
	if (session->client_name_count > 0)
		memcpy(session->client_name, hello->client_name.data, session->client_name_count);
	session->phase = SESSION_OPEN;
	reply_welcome(session, request_id);
}

void
session_tell_draining(struct session *session, uint32_t grace_ms)
{
	Collide__V1__Draining draining = COLLIDE__V1__DRAINING__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	draining.grace_ms = grace_ms;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING;
	message.draining = &draining;
	reply(session, &message, 0);
}

void
session_answer_ping(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request)
{
	Collide__V1__Pong pong = COLLIDE__V1__PONG__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	pong.payload = request->ping->payload;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG;
	message.pong = &pong;
	reply(session, &message, request_id);
}

void
session_answer_cancel(struct session *session, uint64_t request_id, const Collide__V1__ClientMessage *request)
{
	Collide__V1__CancelDone done = COLLIDE__V1__CANCEL_DONE__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	struct request *target = session_find_request(session, request->cancel->target_request_id);
	bool of_world = !target && worlds_client_has_request(&session->worlds, request->cancel->target_request_id);
	done.found = target != NULL || of_world;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_CANCEL_DONE;
	message.cancel_done = &done;
	reply(session, &message, request_id);
	if (of_world) {
		(void)worlds_client_cancel(&session->worlds, request->cancel->target_request_id);
	} else if (target && target->submitted) {
		atomic_store(&target->cancelled, true);
	} else if (target) {
		(void)wire_problem_set(&target->problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled by the client");
		session_finish_ready(session, target);
	}
}
