/* Detect, Respond and Query as work of a request: created, run slice by slice, released. */
#include "session/request_work.h"

#include "scene/query/query.h"
#include "session/limits.h"
#include "session/request.h"
#include "session/session_private.h"

enum status
work_detect_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct query *query = NULL;
	enum status status = query_create_detect(message->detect, &request->service->limits.scene, request->id, arena, &query,
	                                         &request->problem);
	request->work = query;
	return status;
}

enum status
work_respond_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct query *query = NULL;
	enum status status = query_create_respond(message->respond, &request->service->limits.scene, request->id, arena, &query,
	                                          &request->problem);
	request->work = query;
	return status;
}

enum status
work_query_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct query *query = NULL;
	enum status status = query_create_questions(message->query, &request->service->limits.scene, request->id, arena, &query,
	                                            &request->problem);
	if (status == STATUS_OK && query_moment(query) && !request->service->worlds) {
		query_destroy(query);
		return wire_problem_set(&request->problem, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST", "query.world",
		                        "this server has no worlds");
	}
	request->work = query;
	return status;
}

bool
work_query_waits(struct session *session, struct request *request)
{
	const Collide__V1__WorldMoment *moment = query_moment(request->work);
	if (!moment)
		return false;
	request->parked = true;
	if (worlds_moment(&session->worlds, request->id, moment, &request->problem) != STATUS_OK)
		session_finish_ready(session, request);
	return true;
}

void
work_query_run(struct request *request)
{
	if (query_moment(request->work)) {
		request_slice_end(request, false, request->service->now_ns());
		return;
	}
	request_slice_begin(request);
	enum query_progress progress = query_run(request->work, atomic_load(&request->slice_room), request_slice_should_stop,
	                                         request, &request->out, &request->problem);
	request_slice_end(request, progress == QUERY_FAILED, request->service->now_ns());
	if (!request->finished && progress == QUERY_DONE) {
		query_done_append(request->work, &request->out);
		request->finished = true;
	}
}

void
work_query_release(void *query)
{
	query_destroy(query);
}

size_t
work_query_memory_bytes(const void *query)
{
	return query_memory_bytes(query);
}
