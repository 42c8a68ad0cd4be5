#include "session/request_kind.h"

#include "session/request.h"
#include "session/request_work.h"
#include "session/session_private.h"

static uint32_t
simulate_deadline_ms(const Collide__V1__ClientMessage *message)
{
	return message->simulate->deadline_ms;
}

static uint32_t
detect_deadline_ms(const Collide__V1__ClientMessage *message)
{
	return message->detect->deadline_ms;
}

static uint32_t
respond_deadline_ms(const Collide__V1__ClientMessage *message)
{
	return message->respond->deadline_ms;
}

static uint32_t
query_deadline_ms(const Collide__V1__ClientMessage *message)
{
	return message->query->deadline_ms;
}

static enum status
describe_reply(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	(void)message;
	(void)arena;
	wire_described_begin(&request->out, request->id);
	request->shared = shared_bytes_hold(&request->service->schema);
	return STATUS_OK;
}

static const struct request_kind KINDS[] = {
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO] = { .name = "HELLO", .answer = session_answer_hello },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING] = { .name = "PING", .answer = session_answer_ping },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL] = { .name = "CANCEL", .answer = session_answer_cancel },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE] = { .name = "DESCRIBE", .reply = describe_reply },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE] = { .name = "SIMULATE",
	                                                    .deadline_field = "simulate.deadline_ms",
	                                                    .deadline_ms = simulate_deadline_ms,
	                                                    .create = work_simulate_create,
	                                                    .run = work_simulate_run,
	                                                    .release = work_simulate_release,
	                                                    .memory_bytes = work_simulate_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT] = { .name = "DETECT",
	                                                  .deadline_field = "detect.deadline_ms",
	                                                  .deadline_ms = detect_deadline_ms,
	                                                  .create = work_detect_create,
	                                                  .run = work_query_run,
	                                                  .release = work_query_release,
	                                                  .memory_bytes = work_query_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND] = { .name = "RESPOND",
	                                                   .deadline_field = "respond.deadline_ms",
	                                                   .deadline_ms = respond_deadline_ms,
	                                                   .create = work_respond_create,
	                                                   .run = work_query_run,
	                                                   .release = work_query_release,
	                                                   .memory_bytes = work_query_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY] = { .name = "QUERY",
	                                                 .deadline_field = "query.deadline_ms",
	                                                 .deadline_ms = query_deadline_ms,
	                                                 .create = work_query_create,
	                                                 .run = work_query_run,
	                                                 .release = work_query_release,
	                                                 .memory_bytes = work_query_memory_bytes },
};

const struct request_kind *
request_kind_find(uint32_t field)
{
	return field < sizeof KINDS / sizeof KINDS[0] && KINDS[field].name ? &KINDS[field] : NULL;
}
