/* Replies: each whole message becomes at most one event. Those about worlds are in core_world_events.c. */
#include "client/lib/core.h"
#include "client/lib/core_state.h"
#include "client/lib/done.h"
#include "client/lib/failure.h"

bool
event_failed(struct collide_core *core, struct collide_event *event)
{
	core->failed = true;
	*event = (struct collide_event){ .kind = COLLIDE_EVENT_FAILED, .as.error = &core->error };
	return true;
}

bool
event_malformed(struct collide_core *core, struct collide_event *event, const char *what)
{
	failure_set(&core->error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY",
	            "the other end does not speak collide.v1: %s", what);
	return event_failed(core, event);
}

void
pending_finish(struct collide_core *core, struct pending *pending)
{
	pending_take(&core->pending, pending);
	core->finished = pending;
}

static void
limits_copy(struct collide_limits *to, const Collide__V1__Limits *from)
{
	*to = (struct collide_limits){
		.message_bytes_max = from->message_bytes_max,
		.frame_bytes_max = from->frame_bytes_max,
		.requests_in_flight_max = from->requests_in_flight_max,
		.circles_max = from->circles_max,
		.segments_max = from->segments_max,
		.hand_written_max = from->hand_written_max,
		.ticks_max = from->ticks_max,
		.events_per_body_max = from->events_per_body_max,
		.work_per_tick_max = from->work_per_tick_max,
		.work_per_body_max = from->work_per_body_max,
		.contacts_per_tick_max = from->contacts_per_tick_max,
		.memory_bytes_max = from->memory_bytes_max,
		.deadline_ms_max = from->deadline_ms_max,
	};
	if (from->optional_worlds_case == COLLIDE__V1__LIMITS__OPTIONAL_WORLDS_WORLDS)
		to->worlds = world_limits_of(from->worlds);
}

static bool
event_welcome(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	const Collide__V1__Welcome *welcome = core->message->welcome;
	if (welcome->version != COLLIDE_PROTOCOL_VERSION)
		return event_malformed(core, event, "it chose a version that was not offered");
	core->welcome = (struct collide_welcome){
		.version = welcome->version,
		.instance_id = welcome->instance_id,
		.ping_interval_ms = welcome->ping_interval_ms,
	};
	failure_copy_text(core->welcome.server, sizeof core->welcome.server, welcome->server);
	if (welcome->optional_limits_case == COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS)
		limits_copy(&core->welcome.limits, welcome->limits);
	event->kind = COLLIDE_EVENT_WELCOME;
	event->as.welcome = &core->welcome;
	return true;
}

bool
event_of_part(struct collide_core *core, enum merge_result result, const char *what, struct collide_event *event)
{
	switch (result) {
	case MERGE_WHOLE:
	case MERGE_MORE: return false;
	case MERGE_MALFORMED:
		failure_set(&core->error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY",
		            "the other end does not speak collide.v1: parts of a %s do not fit together", what);
		return event_failed(core, event);
	case MERGE_TOO_LARGE:
		failure_set(&core->error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE",
		            "a %s is over this program's limit of %zu bytes", what, core->frame_bytes_max);
		return event_failed(core, event);
	case MERGE_NO_MEMORY: break;
	}
	failure_memory(&core->error);
	return event_failed(core, event);
}

static bool
event_frame(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	enum merge_result result = merge_add(pending->merge, core->message->frame);
	if (event_of_part(core, result, "frame", event))
		return true;
	event->kind = COLLIDE_EVENT_FRAME;
	event->as.frame = merge_frame(pending->merge);
	return result == MERGE_WHOLE;
}

/* Of a simulation, which goes on; or of a world: the snapshot is the final reply then. */
static bool
event_snapshot(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	enum merge_result result = join_add(&pending->join, core->message->snapshot, core->frame_bytes_max);
	if (event_of_part(core, result, "snapshot", event))
		return true;
	event->kind = COLLIDE_EVENT_SNAPSHOT;
	event->as.snapshot = &pending->join.snapshot;
	if (result == MERGE_WHOLE && pending->kind == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD)
		pending_finish(core, pending);
	return result == MERGE_WHOLE;
}

static bool
event_done(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	if (merge_is_partial(pending->merge) || pending->join.partial)
		return event_malformed(core, event, "a simulation ended within a frame or snapshot");
	core->done = done_of(core->message->simulate_done);
	event->kind = COLLIDE_EVENT_SIMULATE_DONE;
	event->as.done = &core->done;
	return true;
}

static bool
event_data(struct collide_event *event, enum collide_event_kind kind, const ProtobufCBinaryData *data)
{
	event->kind = kind;
	event->as.data.bytes = data->data;
	event->as.data.count = data->len;
	return true;
}

static bool
event_pong(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	return event_data(event, COLLIDE_EVENT_PONG, &core->message->pong->payload);
}

static bool
event_described(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	return event_data(event, COLLIDE_EVENT_DESCRIBED, &core->message->described->file_descriptor_set);
}

static bool
event_cancel_done(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	(void)pending;
	event->kind = COLLIDE_EVENT_CANCEL_DONE;
	event->as.found = core->message->cancel_done->found;
	return true;
}

/* A part as it came; the last one ends its request. */
static bool
event_part(struct collide_core *core, struct pending *pending, struct collide_event *event, bool good, bool more)
{
	if (!good)
		return event_malformed(core, event, "the columns of a part do not fit together");
	if (!more)
		pending_finish(core, pending);
	return true;
}

static bool
event_detected(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	bool good = part_view_detected(&core->part, core->message->detected);
	event->kind = COLLIDE_EVENT_DETECTED;
	event->as.detected = &core->part.detected;
	return event_part(core, pending, event, good, core->part.detected.more);
}

static bool
event_responded(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	bool good = part_view_responded(&core->part, core->message->responded);
	event->kind = COLLIDE_EVENT_RESPONDED;
	event->as.responded = &core->part.responded;
	return event_part(core, pending, event, good, core->part.responded.more);
}

static bool
event_queried(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	bool good = part_view_queried(&core->part, core->message->queried);
	event->kind = COLLIDE_EVENT_QUERIED;
	event->as.queried = &core->part.queried;
	return event_part(core, pending, event, good, core->part.queried.more);
}

/* A row for each member of the oneof in ServerMessage that is not about worlds; but for Error, which any request may get. */
static const struct reply_kind REPLIES[] = {
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME] = { REQUEST_BIT(HELLO), false, event_welcome },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG] = { REQUEST_BIT(PING), false, event_pong },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_CANCEL_DONE] = { REQUEST_BIT(CANCEL), false, event_cancel_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED] = { REQUEST_BIT(DESCRIBE), false, event_described },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME] = { REQUEST_BIT(SIMULATE), true, event_frame },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT] = { REQUEST_BIT(SIMULATE) | REQUEST_BIT(SNAPSHOT_WORLD), true,
	                                                  event_snapshot },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE] = { REQUEST_BIT(SIMULATE), false, event_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED] = { REQUEST_BIT(DETECT), true, event_detected },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED] = { REQUEST_BIT(RESPOND), true, event_responded },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED] = { REQUEST_BIT(QUERY), true, event_queried },
};

/* NULL: this kind answers no request. */
static const struct reply_kind *
reply_kind_find(Collide__V1__ServerMessage__ReplyCase reply)
{
	size_t number = (size_t)reply;
	return number < sizeof REPLIES / sizeof REPLIES[0] && REPLIES[number].event ? &REPLIES[number] : world_reply_find(reply);
}

/* Turns core->message, a reply to `pending`, into an event. false: there is none. */
static bool
event_reply(struct collide_core *core, const struct reply_kind *kind, struct pending *pending, struct collide_event *event)
{
	if (!kind->in_parts)
		pending_finish(core, pending);
	return kind->event(core, pending, event);
}

static bool
event_error(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	failure_from_message(&core->error, core->message->error);
	if (pending)
		pending_finish(core, pending);
	event->kind = COLLIDE_EVENT_ERROR;
	event->as.error = &core->error;
	return true;
}

bool
event_from_message(struct collide_core *core, struct collide_event *event)
{
	const Collide__V1__ServerMessage *message = core->message;
	struct pending *pending = pending_find(&core->pending, message->request_id);
	event->request_id = message->request_id;
	core->event_owner = pending ? pending->owner : NULL;
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET)
		return false; /* a kind of message of a later server, which was not requested */
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING && message->request_id == 0) {
		event->kind = COLLIDE_EVENT_DRAINING;
		event->as.grace_ms = message->draining->grace_ms;
		return true;
	}
	if (!pending && message->request_id != 0)
		return event_malformed(core, event, "a reply to a request that was not made");
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
		return event_error(core, pending, event);
	const struct reply_kind *kind = reply_kind_find(message->reply_case);
	if (!pending || !kind || (kind->answers >> pending->kind & 1) == 0)
		return event_malformed(core, event, "a reply of the wrong kind");
	return event_reply(core, kind, pending, event);
}
