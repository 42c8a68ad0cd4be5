/* GetMap: the loop looks the map up, a worker tells its segments part by part. */
#include "base/memory.h"
#include "session/request.h"
#include "session/session_private.h"
#include "session/world_answers.h"
#include "worlds/registry/map_question.h"

struct map_answer {
	struct map_question question;
	struct named_map *map; /* held; NULL: not looked up so far */
	size_t next;           /* the first segment that was not told */
};

enum status
work_get_map_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	(void)arena;
	if (!request->service->worlds)
		return wire_problem_set(&request->problem, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST", "", "this server has no worlds");
	struct map_answer *answer = memory_zeroed(1, sizeof *answer);
	if (!answer)
		return wire_problem_set(&request->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for the map");
	enum status status = map_question_read(message->get_map, &answer->question, &request->problem);
	if (status != STATUS_OK) {
		memory_free(answer);
		return status;
	}
	request->work = answer;
	return STATUS_OK;
}

bool
work_get_map_waits(struct session *session, struct request *request)
{
	struct map_answer *answer = request->work;
	if (answer->map)
		return false;
	if (map_question_find(&session->worlds, &answer->question, &answer->map, &request->problem) == STATUS_OK)
		return false;
	request->parked = true;
	session_finish_ready(session, request);
	return true;
}

void
work_get_map_run(struct request *request)
{
	struct map_answer *answer = request->work;
	request_slice_begin(request);
	while (answer->map && !named_map_part_is_last(answer->map, answer->next) && !request->out.failed &&
	       request->out.count < atomic_load(&request->slice_room) && !request_slice_should_stop(request))
		answer->next = named_map_tell(answer->map, answer->next, request->id, &request->out);
	request_slice_end(request, false, request->service->now_ns());
	if (request->finished || !answer->map || !named_map_part_is_last(answer->map, answer->next))
		return;
	answer->next = named_map_tell(answer->map, answer->next, request->id, &request->out);
	request->finished = true;
}

void
work_get_map_release(void *work)
{
	struct map_answer *answer = work;
	named_map_release(answer->map);
	memory_free(answer);
}

size_t
work_get_map_memory_bytes(const void *work)
{
	(void)work;
	return sizeof(struct map_answer);
}
