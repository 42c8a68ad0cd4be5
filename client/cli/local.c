#include "client/cli/local.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "client/cli/progress.h"
#include "proto/frame.h"
#include "scene/scene.h"
#include "wire/wire.h"

#include <stdio.h>
#include <string.h>

/* Bytes of frames made before they are read: keeps memory small whatever the length of the run. */
static const size_t SLICE_BYTES = (size_t)1 << 20;

/* Both ends of a conversation. */
struct local {
	struct collide_core *core; /* the client's */
	struct scene_limits limits;
	struct arena arena;   /* the request's; nothing in it until that is read */
	struct buffer output; /* from the server's side */
	struct simulation *simulation;
	double engine_seconds;
	collide_frame_fn on_frame;
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

static bool
never_stop(void *context)
{
	(void)context;
	return false;
}

/* Makes the server's next bytes. After an error or the last frame there are none, and the client's side knows it. */
static void
simulation_advance(struct local *local, uint64_t request_id)
{
	struct wire_problem problem;
	double start = clock_now_seconds();
	enum simulation_progress progress = simulation_run(local->simulation, SLICE_BYTES, never_stop, NULL, &local->output,
	                                                   &problem);
	local->engine_seconds += clock_now_seconds() - start;
	if (progress == SIMULATION_FAILED)
		wire_error_append(&local->output, request_id, &problem);
	else if (progress == SIMULATION_DONE)
		simulation_done_append(local->simulation, local->engine_seconds, local->engine_seconds, 0, &local->output);
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
	bool good = wire_request_unpack(&local->arena, &limits, bytes + header_bytes, body_bytes, &message, &problem) ==
	                STATUS_OK &&
	            simulation_create(message->simulate, &local->limits, request_id, &local->arena, &local->simulation, &problem) ==
	                STATUS_OK;
	if (!good)
		wire_error_append(&local->output, request_id, &problem);
	arena_reset(&local->arena); /* the world has what it needs of the request */
	collide_core_sent(local->core, count);
	return true;
}

/* Takes events until the request's final reply is in *event. */
static bool
events_take(struct local *local, uint64_t request_id, struct collide_event *event, struct collide_error *error)
{
	for (;;) {
		while (collide_core_next(local->core, event)) {
			if (event->kind != COLLIDE_EVENT_FRAME)
				return true;
			if (local->on_frame != NULL && !local->on_frame(local->context, event->as.frame))
				return local_fail(error, COLLIDE_CANCELLED, "the frame callback ended it");
		}
		if (local->output.count == 0)
			simulation_advance(local, request_id);
		if (!output_give(local, error))
			return false;
	}
}

static bool
local_run(struct local *local, const struct collide_simulation *simulation, struct collide_done *done,
          struct collide_error *error)
{
	struct collide_event event;
	uint64_t request_id = collide_core_simulate(local->core, simulation, error);
	if (request_id == 0 || !request_serve(local, request_id, error) || !events_take(local, request_id, &event, error))
		return false;
	if (event.kind != COLLIDE_EVENT_SIMULATE_DONE) {
		if (error != NULL)
			*error = *event.as.error;
		return false;
	}
	if (done != NULL)
		*done = *event.as.done;
	return true;
}

bool
local_simulate(const struct collide_simulation *simulation, collide_frame_fn on_frame, void *context, struct collide_done *done,
               struct collide_error *error)
{
	return local_simulate_recorded(simulation, on_frame, context, NULL, NULL, done, error);
}

bool
local_simulate_recorded(const struct collide_simulation *simulation, collide_frame_fn on_frame, void *context,
                        collide_record_fn record, void *record_context, struct collide_done *done, struct collide_error *error)
{
	struct local local = {
		.core = collide_core_create(NULL), .limits = scene_limits_default(), .on_frame = on_frame, .context = context
	};
	if (local.core == NULL)
		return local_fail(error, COLLIDE_RESOURCE_EXHAUSTED, "no memory");
	collide_core_record(local.core, record, record_context);
	buffer_init(&local.output);
	bool good = local_run(&local, simulation, done, error);
	simulation_destroy(local.simulation);
	buffer_finish(&local.output);
	arena_finish(&local.arena);
	collide_core_destroy(local.core);
	return good;
}
