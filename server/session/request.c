#include "session/request.h"

#include "base/check.h"
#include "scene/query.h"
#include "session/limits.h"
#include "session/parcel.h"

#include <stdlib.h>

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S 1e9

struct request *
request_create(struct service *service, uint64_t id, enum wire_request_kind kind, uint8_t *body, size_t body_count,
               uint64_t arrived_ns)
{
	struct request *request = calloc(1, sizeof *request);
	if (request == NULL) {
		return NULL;
	}
	request->id = id;
	request->kind = kind;
	request->service = service;
	request->arrived_ns = arrived_ns;
	request->body = body;
	request->body_count = body_count;
	atomic_init(&request->cancelled, false);
	atomic_init(&request->come_home, false);
	atomic_init(&request->parcel_full, false);
	buffer_init(&request->parcel);
	buffer_init(&request->out);
	service->requests_under_way++;
	request_charge(request, request_memory_bytes(request));
	return request;
}

void
request_release(struct request *request)
{
	CHECK(!request->away && !request->listed && request->service->requests_under_way > 0);
	request->service->requests_under_way--;
	request->service->memory_bytes -= request->charged_bytes;
	simulation_destroy(request->simulation);
	query_destroy(request->query);
	buffer_finish(&request->out);
	buffer_finish(&request->parcel);
	free(request->body);
	free(request);
}

uint64_t
request_memory_bytes(const struct request *request)
{
	uint64_t bytes = sizeof *request + request->out.capacity;
	bytes += request->body != NULL ? request->body_count : 0;
	bytes += request->simulation != NULL ? simulation_memory_bytes(request->simulation) : 0;
	return bytes + (request->query != NULL ? query_memory_bytes(request->query) : 0);
}

void
request_charge(struct request *request, uint64_t bytes)
{
	request->service->memory_bytes = request->service->memory_bytes - request->charged_bytes + bytes;
	request->charged_bytes = bytes;
}

static bool
request_deadline_passed(const struct request *request, uint64_t now_ns)
{
	return request->deadline_ns != 0 && now_ns >= request->deadline_ns;
}

const char *
request_kind_name(enum wire_request_kind kind)
{
	switch (kind) {
	case WIRE_REQUEST_DESCRIBE: return "DESCRIBE";
	case WIRE_REQUEST_SIMULATE: return "SIMULATE";
	case WIRE_REQUEST_DETECT: return "DETECT";
	case WIRE_REQUEST_RESPOND: return "RESPOND";
	case WIRE_REQUEST_QUERY: return "QUERY";
	default: return "UNKNOWN";
	}
}

/* The field that a deadline came in. */
static const char *
request_deadline_field(const struct request *request)
{
	switch (request->kind) {
	case WIRE_REQUEST_DETECT: return "detect.deadline_ms";
	case WIRE_REQUEST_RESPOND: return "respond.deadline_ms";
	case WIRE_REQUEST_QUERY: return "query.deadline_ms";
	default: return "simulate.deadline_ms";
	}
}

bool
request_check_deadline(struct request *request, uint64_t now_ns)
{
	if (!request_deadline_passed(request, now_ns)) {
		return false;
	}
	(void)wire_problem_set(&request->problem, STATUS_DEADLINE_EXCEEDED, "DEADLINE", request_deadline_field(request),
	                       "the deadline passed %llu ms after the request arrived",
	                       (unsigned long long)((request->deadline_ns - request->arrived_ns) / NS_PER_MS));
	return true;
}

/* What ends a request whatever it was about to do: asked before each slice and after it. */
static bool
request_is_ended(struct request *request, uint64_t now_ns)
{
	if (atomic_load(&request->cancelled)) {
		(void)wire_problem_set(&request->problem, STATUS_CANCELLED, "CANCELLED", "", "cancelled by the client");
		return true;
	}
	return request_check_deadline(request, now_ns);
}

struct slice {
	struct request *request;
	uint64_t end_ns;
};

/* Between ticks or rows. The engine is asked to stop and never learns what time it is. */
static bool
slice_should_stop(void *context)
{
	const struct slice *slice = context;
	const struct service *service = slice->request->service;
	uint64_t now_ns = service->now_ns();
	if (service->offer != NULL) {
		service->offer(now_ns);
	}
	return atomic_load(&slice->request->cancelled) || now_ns >= slice->end_ns ||
	       request_deadline_passed(slice->request, now_ns);
}

/* Within a tick: what makes its result useless. */
static bool
tick_is_useless(void *context)
{
	const struct request *request = context;
	return atomic_load(&request->cancelled) || request_deadline_passed(request, request->service->now_ns());
}

static void
request_set_deadline(struct request *request, uint32_t asked_ms)
{
	uint32_t max_ms = request->service->limits.scene.deadline_ms_max;
	uint32_t ms = asked_ms == 0 || (max_ms != 0 && asked_ms > max_ms) ? max_ms : asked_ms;
	request->deadline_ns = ms == 0 ? 0 : request->arrived_ns + ms * NS_PER_MS;
}

static enum wire_request_kind
request_kind_of(const Collide__V1__ClientMessage *message)
{
	switch (message->request_case) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE: return WIRE_REQUEST_DESCRIBE;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: return WIRE_REQUEST_SIMULATE;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT: return WIRE_REQUEST_DETECT;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND: return WIRE_REQUEST_RESPOND;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY: return WIRE_REQUEST_QUERY;
	default: return WIRE_REQUEST_NONE;
	}
}

static uint32_t
deadline_asked(const Collide__V1__ClientMessage *message)
{
	switch (message->request_case) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: return message->simulate->deadline_ms;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT: return message->detect->deadline_ms;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND: return message->respond->deadline_ms;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY: return message->query->deadline_ms;
	default: return 0;
	}
}

/* The message's bytes and the unpacked message are gone when the simulation or query exists. */
static enum status
request_decode(struct request *request, struct arena *arena, uint64_t begin_ns)
{
	const struct scene_limits *limits = &request->service->limits.scene;
	const struct wire_limits wire_limits = scene_limits_wire(limits);
	const Collide__V1__ClientMessage *message = NULL;
	enum status status = wire_request_unpack(arena, &wire_limits, request->body, request->body_count, &message,
	                                         &request->problem);
	if (status != STATUS_OK) {
		return status;
	}
	/* What the envelope was taken for at first sight must be what is in it. */
	if (request->kind != request_kind_of(message)) {
		return wire_problem_set(&request->problem, STATUS_INVALID_ARGUMENT, "MALFORMED", "",
		                        "more than one request in a message");
	}
	if (request->kind == WIRE_REQUEST_DESCRIBE) {
		return STATUS_OK;
	}
	request_set_deadline(request, deadline_asked(message));
	uint64_t now_ns = request->service->now_ns();
	request->read_ns = now_ns - begin_ns;
	if (request_is_ended(request, now_ns)) {
		return request->problem.status;
	}
	switch (request->kind) {
	case WIRE_REQUEST_DETECT:
		return query_create_detect(message->detect, limits, request->id, arena, &request->query, &request->problem);
	case WIRE_REQUEST_RESPOND:
		return query_create_respond(message->respond, limits, request->id, arena, &request->query, &request->problem);
	case WIRE_REQUEST_QUERY:
		return query_create_questions(message->query, limits, request->id, arena, &request->query, &request->problem);
	default: break;
	}
	status = simulation_create(message->simulate, limits, request->id, arena, &request->simulation, &request->problem);
	request->world_ns = request->service->now_ns() - now_ns;
	return status;
}

static enum status
request_start(struct request *request, uint64_t begin_ns)
{
	struct arena arena;
	arena_init(&arena, scene_arena_bytes(&request->service->limits.scene, request->body_count));
	enum status status = request_decode(request, &arena, begin_ns);
	arena_finish(&arena);
	free(request->body);
	request->body = NULL;
	return status;
}

static double
seconds(uint64_t ns)
{
	return (double)ns / NS_PER_S;
}

/* One slice of a simulation that exists, or up to its next parcel; the begin of this turn is needed for the times of
 * SimulateDone. */
static void
request_slice(struct request *request, uint64_t begin_ns)
{
	uint64_t step_ns = request->service->now_ns();
	struct slice slice = { .request = request, .end_ns = step_ns + SESSION_SLICE_MS * NS_PER_MS };
	enum simulation_progress progress = simulation_run(request->simulation, parcel_room(request), slice_should_stop, &slice,
	                                                   &request->out, &request->problem);
	uint64_t now_ns = request->service->now_ns();
	request->final_offset = request->out.count;
	/* A tick given up fails as the cancel or the deadline that it was given up for. */
	if (request_is_ended(request, now_ns) || progress == SIMULATION_FAILED || request->out.failed) {
		request->finished = true;
		return;
	}
	if (progress == SIMULATION_DONE) {
		uint64_t worker_ns = request->worker_ns + (now_ns - begin_ns);
		const struct simulation_times times = {
			.read = seconds(request->read_ns),
			.world = seconds(request->world_ns),
			.worker = seconds(worker_ns),
			.waiting = seconds(now_ns - request->arrived_ns - worker_ns),
		};
		simulation_done_append(request->simulation, &times, &request->out);
		request->finished = true;
	}
}

/* The same in a workspace, which is warm from another request's slice. */
static void
request_step(struct request *request, uint64_t begin_ns)
{
	const struct workspaces *workspaces = &request->service->workspaces;
	struct workspace *workspace = workspaces->take != NULL ? workspaces->take(workspaces->context) : NULL;
	simulation_workspace_set(request->simulation, workspace);
	simulation_give_up_set(request->simulation, tick_is_useless, request);
	simulation_crew_set(request->simulation, &request->service->crew);
	simulation_clock_set(request->simulation, request->service->now_ns);
	do {
		request_slice(request, begin_ns);
	} while (!request->finished && parcel_go_on(request));
	if (request->finished) {
		simulation_destroy(request->simulation);
		request->simulation = NULL;
	} else {
		simulation_workspace_set(request->simulation, NULL);
	}
	if (workspace != NULL) {
		workspaces->give(workspaces->context, workspace);
	}
}

/* The same of a query. */
static void
request_query(struct request *request)
{
	uint64_t end_ns = request->service->now_ns() + SESSION_SLICE_MS * NS_PER_MS;
	struct slice slice = { .request = request, .end_ns = end_ns };
	enum query_progress progress = query_run(request->query, SESSION_SLICE_BYTES, slice_should_stop, &slice, &request->out,
	                                         &request->problem);
	request->final_offset = request->out.count;
	if (request_is_ended(request, request->service->now_ns()) || progress == QUERY_FAILED || request->out.failed) {
		request->finished = true;
		return;
	}
	if (progress == QUERY_DONE) {
		query_done_append(request->query, &request->out);
		request->finished = true;
	}
}

/* An Error as final reply if there is a problem; without memory for a reply, the lack of it is the problem. */
static void
request_finish(struct request *request)
{
	if (request->out.failed) {
		request->out.failed = false;
		(void)wire_problem_set(&request->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "", "no memory for the reply");
		request->problem.retry_after_ms = SESSION_RETRY_BUSY_MS;
	}
	if (request->problem.status != STATUS_OK) {
		request->out.count = request->final_offset;
		wire_error_append(&request->out, request->id, &request->problem);
	}
	request->answered = !request->out.failed;
	/* What a world or query held is given back before the reply waits for its reader. */
	simulation_destroy(request->simulation);
	query_destroy(request->query);
	request->simulation = NULL;
	request->query = NULL;
}

void
request_run(struct request *request)
{
	uint64_t begin_ns = request->service->now_ns();
	CHECK(!request->finished && request->out.count == 0);
	/* That of the slice before lies beyond what is here now. */
	request->final_offset = 0;
	if (request_is_ended(request, begin_ns)) {
		request->finished = true;
	} else if (request->kind == WIRE_REQUEST_DESCRIBE) {
		request->finished = true;
		if (request_start(request, begin_ns) == STATUS_OK) {
			wire_described_append(&request->out, request->id);
		}
	} else if (request->simulation == NULL && request->query == NULL && request_start(request, begin_ns) != STATUS_OK) {
		request->finished = true;
	} else if (request->query != NULL) {
		request_query(request);
	} else {
		request_step(request, begin_ns);
	}
	if (request->finished) {
		request_finish(request);
		return;
	}
	request->worker_ns += request->service->now_ns() - begin_ns; /* for the end's report */
}
