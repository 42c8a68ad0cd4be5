#include "client/cli/local.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "client/cli/interrupt.h"
#include "client/cli/progress.h"
#include "jobs/pool.h"
#include "proto/frame.h"
#include "scene/query.h"
#include "scene/scene.h"
#include "wire/wire.h"

#include <stdio.h>
#include <string.h>

/* Bytes of frames or parts made before they are read: keeps memory small whatever the length of the run. */
static const size_t SLICE_BYTES = (size_t)1 << 20;

/* For threads that have nothing to do to end. */
#define HELPERS_PATIENCE_MS 60000

/* Both ends of a conversation. */
struct local {
	struct collide_core *core; /* the client's */
	struct scene_limits limits;
	struct arena arena;            /* the request's; nothing in it until that is read */
	struct buffer output;          /* from the server's side */
	struct simulation *simulation; /* or */
	struct query *query;
	struct simulation_times times;
	struct pool *helpers;            /* NULL: none */
	unsigned threads;                /* they and this one */
	collide_frame_fn on_frame;       /* and */
	collide_snapshot_fn on_snapshot; /* or */
	collide_detected_fn on_detected;
	collide_responded_fn on_responded;
	collide_queried_fn on_queried;
	void *context;
};

static bool
local_fail(struct collide_error *error, enum collide_code code, const char *text)
{
	if (error != NULL) {
		*error = (struct collide_error){ .code = code, .origin = COLLIDE_FROM_LIBRARY, .reason = "LOCAL" };
		snprintf(error->text, sizeof(error->text), "%s", text);
	}
	return false;
}

/* Hands what the server's side wrote to the client's. */
static bool
output_give(struct local *local, struct collide_error *error)
{
	if (local->output.failed)
		return local_fail(error, COLLIDE_RESOURCE_EXHAUSTED, "no memory");
	for (size_t at = 0; at < local->output.count;) {
		size_t room, left = local->output.count - at;
		void *to = collide_core_input(local->core, &room);
		if (to == NULL)
			return local_fail(error, COLLIDE_RESOURCE_EXHAUSTED, "no memory");
		size_t piece = left < room ? left : room;
		memcpy(to, local->output.bytes + at, piece);
		collide_core_received(local->core, piece);
		at += piece;
	}
	local->output.count = 0;
	return true;
}

static double
seconds_since(uint64_t begin_ns)
{
	return (double)(clock_now_ns() - begin_ns) / (double)CLOCK_NS_PER_S;
}

/* Makes the server's next bytes. After an error or the last frame there are none, and the client's side knows it. */
static void
simulation_advance(struct local *local, uint64_t request_id)
{
	struct wire_problem problem;
	uint64_t begin_ns = clock_now_ns();
	enum simulation_progress progress = simulation_run(local->simulation, SLICE_BYTES, interrupt_came, NULL, &local->output,
	                                                   &problem);
	local->times.worker += seconds_since(begin_ns);
	if (progress == SIMULATION_MORE && interrupt_came(NULL)) {
		/* As a daemon answers a cancel between two ticks. */
		(void)wire_problem_set(&problem, STATUS_CANCELLED, "CANCELLED", "", "interrupted");
		progress = SIMULATION_FAILED;
	}
	if (progress == SIMULATION_FAILED)
		wire_error_append(&local->output, request_id, &problem);
	else if (progress == SIMULATION_DONE)
		simulation_done_append(local->simulation, &local->times, &local->output);
}

/* The same of a query. */
static void
query_advance(struct local *local, uint64_t request_id)
{
	struct wire_problem problem;
	enum query_progress progress = query_run(local->query, SLICE_BYTES, interrupt_came, NULL, &local->output, &problem);
	if (progress == QUERY_FAILED)
		wire_error_append(&local->output, request_id, &problem);
	else if (progress == QUERY_DONE)
		query_done_append(local->query, &local->output);
}

/* What the request is for. */
static enum status
work_create(struct local *local, uint64_t request_id, const Collide__V1__ClientMessage *message, struct wire_problem *problem)
{
	switch (message->request_case) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT:
		return query_create_detect(message->detect, &local->limits, request_id, &local->arena, &local->query, problem);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND:
		return query_create_respond(message->respond, &local->limits, request_id, &local->arena, &local->query, problem);
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY:
		return query_create_questions(message->query, &local->limits, request_id, &local->arena, &local->query, problem);
	default:
		return simulation_create(message->simulate, &local->limits, request_id, &local->arena, &local->simulation, problem);
	}
}

static unsigned
crew_hands(void *context)
{
	return ((struct local *)context)->threads;
}

static void
crew_run(void *context, unsigned count, void (*piece)(void *argument, unsigned index), void *argument)
{
	pool_share(((struct local *)context)->helpers, count, piece, argument);
}

/* Reads the client's request as the server would and begins to serve it; an error becomes an Error reply. */
static bool
request_serve(struct local *local, uint64_t request_id, struct collide_error *error)
{
	const Collide__V1__ClientMessage *message;
	struct wire_problem problem;
	size_t count, header_bytes;
	uint32_t body_bytes;
	const uint8_t *bytes = collide_core_output(local->core, &count);
	const struct wire_limits limits = scene_limits_wire(&local->limits);
	if (frame_header_read(bytes, count, UINT32_MAX, &header_bytes, &body_bytes) != FRAME_OK)
		return local_fail(error, COLLIDE_INTERNAL, "the request cannot be read");
	arena_init(&local->arena, scene_arena_bytes(&local->limits, body_bytes));
	uint64_t begin_ns = clock_now_ns();
	bool good = wire_request_unpack(&local->arena, &limits, bytes + header_bytes, body_bytes, &message, &problem) == STATUS_OK;
	local->times.read = seconds_since(begin_ns);
	good = good && work_create(local, request_id, message, &problem) == STATUS_OK;
	local->times.worker = seconds_since(begin_ns);
	local->times.world = local->times.worker - local->times.read;
	if (!good)
		wire_error_append(&local->output, request_id, &problem);
	if (good && local->simulation != NULL) {
		const struct crew crew = { .hands = crew_hands, .run = crew_run, .context = local };
		simulation_give_up_set(local->simulation, interrupt_came, NULL);
		simulation_crew_set(local->simulation, local->helpers != NULL ? &crew : NULL);
		simulation_clock_set(local->simulation, clock_now_ns);
	}
	arena_reset(&local->arena); /* the world has what it needs of the request */
	collide_core_sent(local->core, count);
	return true;
}

/* What the callback says to a frame or part; *final: nothing follows. */
static bool
event_give(const struct local *local, const struct collide_event *event, bool *final)
{
	*final = false;
	switch (event->kind) {
	case COLLIDE_EVENT_FRAME: return local->on_frame == NULL || local->on_frame(local->context, event->as.frame);
	case COLLIDE_EVENT_SNAPSHOT: return local->on_snapshot == NULL || local->on_snapshot(local->context, event->as.snapshot);
	case COLLIDE_EVENT_DETECTED:
		*final = !event->as.detected->more;
		return local->on_detected == NULL || local->on_detected(local->context, event->as.detected);
	case COLLIDE_EVENT_RESPONDED:
		*final = !event->as.responded->more;
		return local->on_responded == NULL || local->on_responded(local->context, event->as.responded);
	case COLLIDE_EVENT_QUERIED:
		*final = !event->as.queried->more;
		return local->on_queried == NULL || local->on_queried(local->context, event->as.queried);
	default: *final = true; return true;
	}
}

/* Takes events until the request's final reply is in *event. */
static bool
events_take(struct local *local, uint64_t request_id, struct collide_event *event, struct collide_error *error)
{
	for (;;) {
		while (collide_core_next(local->core, event)) {
			bool final;
			if (!event_give(local, event, &final))
				return local_fail(error, COLLIDE_CANCELLED, "the callback ended it");
			if (final)
				return true;
		}
		if (local->output.count == 0 && local->query != NULL)
			query_advance(local, request_id);
		else if (local->output.count == 0)
			simulation_advance(local, request_id);
		if (!output_give(local, error))
			return false;
	}
}

/* Serves a request that was begun; its final reply, of the kind, is in *event. */
static bool
local_run(struct local *local, uint64_t request_id, enum collide_event_kind kind, struct collide_event *event,
          struct collide_error *error)
{
	if (request_id == 0 || !request_serve(local, request_id, error) || !events_take(local, request_id, event, error))
		return false;
	if (event->kind != kind) {
		if (error != NULL)
			*error = *event->as.error;
		return false;
	}
	return true;
}

/* Both ends, ready for a request. */
static bool
local_init(struct local *local, collide_record_fn record, void *record_context, struct collide_error *error)
{
	local->core = collide_core_create(NULL);
	local->limits = scene_limits_default();
	if (local->core == NULL)
		return local_fail(error, COLLIDE_RESOURCE_EXHAUSTED, "no memory");
	collide_core_record(local->core, record, record_context);
	buffer_init(&local->output);
	return true;
}

static void
local_finish(struct local *local)
{
	simulation_destroy(local->simulation);
	query_destroy(local->query);
	/* Nobody shares anything with them any more. */
	if (local->helpers != NULL && pool_stop(local->helpers, HELPERS_PATIENCE_MS))
		pool_destroy(local->helpers, NULL);
	buffer_finish(&local->output);
	arena_finish(&local->arena);
	collide_core_destroy(local->core);
}

bool
local_simulate(const struct collide_simulation *simulation, collide_frame_fn on_frame, void *context, struct collide_done *done,
               struct collide_error *error)
{
	return local_simulate_recorded(simulation, 1, on_frame, context, NULL, NULL, done, error);
}

bool
local_simulate_recorded(const struct collide_simulation *simulation, unsigned threads, collide_frame_fn on_frame, void *context,
                        collide_record_fn record, void *record_context, struct collide_done *done, struct collide_error *error)
{
	struct local local = { .on_frame = on_frame, .on_snapshot = simulation->on_snapshot, .context = context };
	struct collide_event event;
	if (!local_init(&local, record, record_context, error))
		return false;
	if (threads > 1 && pool_create_helpers(threads - 1, &local.helpers) != STATUS_OK) {
		local_finish(&local);
		return local_fail(error, COLLIDE_RESOURCE_EXHAUSTED, "no memory or no thread");
	}
	local.threads = threads;
	bool good = local_run(&local, collide_core_simulate(local.core, simulation, error), COLLIDE_EVENT_SIMULATE_DONE, &event,
	                      error);
	if (good && done != NULL)
		*done = *event.as.done;
	local_finish(&local);
	return good;
}

bool
local_detect(const struct collide_detection *detection, collide_detected_fn on_part, void *context, collide_record_fn record,
             void *record_context, struct collide_error *error)
{
	struct local local = { .on_detected = on_part, .context = context };
	struct collide_event event;
	if (!local_init(&local, record, record_context, error))
		return false;
	bool good = local_run(&local, collide_core_detect(local.core, detection, error), COLLIDE_EVENT_DETECTED, &event, error);
	local_finish(&local);
	return good;
}

bool
local_respond(const struct collide_response *response, collide_responded_fn on_part, void *context, collide_record_fn record,
              void *record_context, struct collide_error *error)
{
	struct local local = { .on_responded = on_part, .context = context };
	struct collide_event event;
	if (!local_init(&local, record, record_context, error))
		return false;
	bool good = local_run(&local, collide_core_respond(local.core, response, error), COLLIDE_EVENT_RESPONDED, &event, error);
	local_finish(&local);
	return good;
}

bool
local_query(const struct collide_questions *questions, collide_queried_fn on_part, void *context, collide_record_fn record,
            void *record_context, struct collide_error *error)
{
	struct local local = { .on_queried = on_part, .context = context };
	struct collide_event event;
	if (!local_init(&local, record, record_context, error))
		return false;
	bool good = local_run(&local, collide_core_query(local.core, questions, error), COLLIDE_EVENT_QUERIED, &event, error);
	local_finish(&local);
	return good;
}
