#include "session/request_kind.h"

#include "session/request.h"
#include "session/request_work.h"
#include "session/session_private.h"
#include "session/world_answers.h"

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
	                                                 .waits = work_query_waits,
	                                                 .release = work_query_release,
	                                                 .memory_bytes = work_query_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS] = { .name = "COMMANDS",
	                                                    .receive = session_receive_commands,
	                                                    .may_lack_id = true },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS] = { .name = "MANY_COMMANDS",
	                                                         .receive = session_receive_many_commands,
	                                                         .may_lack_id = true },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREDIT] = { .name = "CREDIT", .answer = session_answer_credit, .may_lack_id = true },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEER] = { .name = "STEER", .answer = session_answer_steer },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD] = { .name = "STEP_WORLD", .answer = session_answer_step_world },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH] = { .name = "ATTACH", .answer = session_answer_attach },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH] = { .name = "DETACH", .answer = session_answer_detach },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE] = { .name = "SUBSCRIBE", .answer = session_answer_subscribe },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD] = { .name = "CREATE_WORLD",
	                                                        .create = work_create_world_create,
	                                                        .run = work_world_run,
	                                                        .enter = work_create_world_enter,
	                                                        .release = work_create_world_release,
	                                                        .memory_bytes = work_create_world_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_FORK_WORLD] = { .name = "FORK_WORLD",
	                                                      .create = work_fork_world_create,
	                                                      .run = work_fork_world_run,
	                                                      .enter = work_create_world_enter,
	                                                      .waits = work_fork_world_waits,
	                                                      .release = work_create_world_release,
	                                                      .memory_bytes = work_create_world_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESTROY_WORLD] = { .name = "DESTROY_WORLD", .answer = session_answer_destroy_world },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SET_WORLD] = { .name = "SET_WORLD", .answer = session_answer_set_world },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_LIST_WORLDS] = { .name = "LIST_WORLDS", .answer = session_answer_list_worlds },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD] = { .name = "SNAPSHOT_WORLD",
	                                                          .answer = session_answer_snapshot_world },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESTORE_WORLD] = { .name = "RESTORE_WORLD",
	                                                         .create = work_restore_world_create,
	                                                         .run = work_world_run,
	                                                         .enter = work_restore_world_enter,
	                                                         .release = work_restore_world_release,
	                                                         .memory_bytes = work_restore_world_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_MAP] = { .name = "CREATE_MAP",
	                                                      .create = work_create_map_create,
	                                                      .run = work_world_run,
	                                                      .enter = work_create_map_enter,
	                                                      .release = work_create_map_release,
	                                                      .memory_bytes = work_create_map_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_GET_MAP] = { .name = "GET_MAP",
	                                                   .create = work_get_map_create,
	                                                   .run = work_get_map_run,
	                                                   .waits = work_get_map_waits,
	                                                   .release = work_get_map_release,
	                                                   .memory_bytes = work_get_map_memory_bytes },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RECORD] = { .name = "RECORD", .answer = session_answer_record },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_END_RECORD] = { .name = "END_RECORD", .answer = session_answer_end_record },
	[COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DROP_MAP] = { .name = "DROP_MAP", .answer = session_answer_drop_map },
};

const struct request_kind *
request_kind_find(uint32_t field)
{
	return field < sizeof KINDS / sizeof KINDS[0] && KINDS[field].name ? &KINDS[field] : NULL;
}
