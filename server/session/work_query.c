/* Detect, Respond and Query as work of a request: created, run slice by slice, released. */
#include "session/request_work.h"

#include "scene/query/query.h"
#include "session/limits.h"
#include "session/request.h"

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
	request->work = query;
	return status;
}

void
work_query_run(struct request *request)
{
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
