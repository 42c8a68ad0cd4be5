/* CreateWorld, RestoreWorld and CreateMap: what is large is made by a worker, and entered by the loop. */
#include "session/request.h"
#include "session/session_private.h"
#include "session/world_answers.h"

static enum status
no_worlds(struct request *request)
{
	return wire_problem_set(&request->problem, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST", "", "this server has no worlds");
}

void
work_world_run(struct request *request)
{
	request->finished = true;
}

enum status
work_create_world_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct world_wish *wish = NULL;
	const struct worlds *worlds = request->service->worlds;
	if (!worlds)
		return no_worlds(request);
	enum status status = world_wish_create(worlds, message->create_world, arena, &wish, &request->problem);
	request->work = wish;
	return status;
}

enum status
work_create_world_enter(struct session *session, struct request *request)
{
	return worlds_add(session->service->worlds, session->account, request->work, request->id, &request->out, &request->problem);
}

void
work_create_world_release(void *work)
{
	world_wish_destroy(work);
}

size_t
work_create_world_memory_bytes(const void *work)
{
	return world_wish_memory_bytes(work);
}

enum status
work_fork_world_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct world_wish *wish = NULL;
	(void)arena;
	if (!request->service->worlds)
		return no_worlds(request);
	enum status status = fork_wish_create(message->fork_world, &wish, &request->problem);
	request->work = wish;
	return status;
}

void
work_fork_world_run(struct request *request)
{
	struct world_wish *wish = request->work;
	request_slice_end(request, false, request->service->now_ns());
	if (request->finished || !fork_wish_has_state(wish))
		return;
	request->problem.status = fork_wish_make(request->service->worlds, wish, &request->problem);
	request->finished = true;
}

bool
work_fork_world_waits(struct session *session, struct request *request)
{
	request->parked = true;
	if (worlds_fork(&session->worlds, request->id, request->work, &request->problem) != STATUS_OK)
		session_finish_ready(session, request);
	return true;
}

enum status
work_restore_world_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct restore_wish *wish = NULL;
	const struct worlds *worlds = request->service->worlds;
	if (!worlds)
		return no_worlds(request);
	enum status status = restore_wish_create(worlds, message->restore_world, arena, &wish, &request->problem);
	request->work = wish;
	return status;
}

enum status
work_restore_world_enter(struct session *session, struct request *request)
{
	return worlds_restore(&session->worlds, request->work, request->id, &request->problem);
}

void
work_restore_world_release(void *work)
{
	restore_wish_destroy(work);
}

size_t
work_restore_world_memory_bytes(const void *work)
{
	return restore_wish_memory_bytes(work);
}

enum status
work_create_map_create(struct request *request, const Collide__V1__ClientMessage *message, struct arena *arena)
{
	struct named_map *map = NULL;
	const struct service *service = request->service;
	if (!service->worlds)
		return no_worlds(request);
	enum status status = map_store_make(worlds_maps(service->worlds), message->create_map, &service->limits.scene, arena, &map,
	                                    &request->problem);
	request->work = map;
	return status;
}

enum status
work_create_map_enter(struct session *session, struct request *request)
{
	Collide__V1__MapInfo info = COLLIDE__V1__MAP_INFO__INIT;
	Collide__V1__ServerMessage reply = COLLIDE__V1__SERVER_MESSAGE__INIT;
	enum status status = map_store_enter(request->work, session->account, &info, &request->problem);
	if (status != STATUS_OK)
		return status;
	reply.request_id = request->id;
	reply.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_MAP_INFO;
	reply.map_info = &info;
	wire_reply_append(&request->out, &reply);
	return STATUS_OK;
}

void
work_create_map_release(void *work)
{
	named_map_release(work);
}

size_t
work_create_map_memory_bytes(const void *work)
{
	return named_map_memory_bytes(work);
}
