/* The conversation: requests to bytes, bytes to events.
 *
 * Happy path: a request is appended to `output` and entered into the table of pending ones. Bytes received go to `input`. Each
 * whole message there becomes at most one event, and a final reply takes its request out of the table.
 *
 * What can go wrong: the server may send anything. Lengths are limited before the body is buffered, and buffers grow with bytes
 * received. A reply must fit a pending request. The first fault ends the conversation for ever (EVENT_FAILED). */
#include "client/lib/core.h"

#include "client/lib/bytes.h"
#include "client/lib/done.h"
#include "client/lib/failure.h"
#include "client/lib/join.h"
#include "client/lib/merge.h"
#include "client/lib/part.h"
#include "client/lib/request_append.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

struct pending {
	uint64_t request_id;
	Collide__V1__ClientMessage__RequestCase kind;
	struct merge *merge; /* of a Simulate, as the next one */
	struct join join;
	struct pending *next;
};

struct core_texts {
	char client_name[128], client_version[128]; /* of the greatest length that the protocol allows */
};

struct collide_core {
	struct core_texts texts;
	uint8_t *token;
	size_t token_bytes;
	size_t frame_bytes_max;
	struct bytes input, output;
	uint64_t bytes_sent, bytes_received;
	uint64_t last_request_id;
	struct pending *pending; /* newest first; few */
	bool failed;
	collide_record_fn record; /* may be NULL */
	void *record_context;

	/* What the latest event points to. */
	Collide__V1__ServerMessage *message;
	struct pending *finished;
	struct collide_welcome welcome;
	struct collide_done done;
	struct part_view part;
	struct collide_error error;
};

static void
pending_destroy(struct pending *pending)
{
	if (!pending)
		return;
	merge_destroy(pending->merge);
	join_finish(&pending->join);
	free(pending);
}

struct collide_core *
collide_core_create(const struct collide_options *options)
{
	static const struct collide_options defaults = { 0 };
	if (!options)
		options = &defaults;
	struct collide_core *core = calloc(1, sizeof *core);
	if (!core)
		return NULL;
	failure_copy_text(core->texts.client_name, sizeof core->texts.client_name,
	                  options->client_name ? options->client_name : "libcollide");
	failure_copy_text(core->texts.client_version, sizeof core->texts.client_version,
	                  options->client_version ? options->client_version : COLLIDED_VERSION);
	core->frame_bytes_max = options->frame_bytes_max != 0 ? options->frame_bytes_max : CORE_FRAME_BYTES_MAX;
	if (options->token_bytes > 0) {
		core->token = malloc(options->token_bytes);
		if (!core->token) {
			free(core);
			return NULL;
		}
		memcpy(core->token, options->token, options->token_bytes);
		core->token_bytes = options->token_bytes;
	}
	return core;
}

/* Releases the memory of the last event. */
static void
event_release(struct collide_core *core)
{
	if (core->message)
		collide__v1__server_message__free_unpacked(core->message, NULL);
	core->message = NULL;
	pending_destroy(core->finished);
	core->finished = NULL;
}

void
collide_core_destroy(struct collide_core *core)
{
	if (!core)
		return;
	event_release(core);
	while (core->pending) {
		struct pending *next = core->pending->next;
		pending_destroy(core->pending);
		core->pending = next;
	}
	bytes_finish(&core->input);
	bytes_finish(&core->output);
	free(core->token);
	free(core);
}

static struct pending *
pending_create(const struct collide_core *core, Collide__V1__ClientMessage__RequestCase kind)
{
	struct pending *pending = calloc(1, sizeof *pending);
	if (!pending)
		return NULL;
	pending->request_id = core->last_request_id + 1;
	pending->kind = kind;
	if (kind == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE) {
		pending->merge = merge_create(core->frame_bytes_max);
		if (!pending->merge) {
			free(pending);
			return NULL;
		}
	}
	return pending;
}

static uint64_t
pending_enter(struct collide_core *core, struct pending *pending)
{
	core->last_request_id = pending->request_id;
	pending->next = core->pending;
	core->pending = pending;
	return pending->request_id;
}

/* Appends `message`, which is complete but for its id, or `body` if there is one. */
static uint64_t
request_begin(struct collide_core *core, Collide__V1__ClientMessage *message, const struct request_body *body,
              struct collide_error *error)
{
	uint32_t body_bytes_max = core->welcome.limits.message_bytes_max;
	if (core->failed) {
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONVERSATION_OVER", "the conversation is over");
		return 0;
	}
	struct pending *pending = pending_create(core, message->request_case);
	if (!pending) {
		failure_memory(error);
		return 0;
	}
	message->request_id = pending->request_id;
	size_t queued = bytes_count(&core->output);
	bool appended = body ? request_append_body(&core->output, pending->request_id, body, body_bytes_max, error)
	                     : request_append(&core->output, message, body_bytes_max, error);
	if (!appended) {
		pending_destroy(pending);
		return 0;
	}
	if (core->record)
		core->record(core->record_context, true, core->output.memory + core->output.start + queued,
		             bytes_count(&core->output) - queued);
	return pending_enter(core, pending);
}

uint64_t
collide_core_hello(struct collide_core *core, struct collide_error *error)
{
	Collide__V1__Hello hello;
	collide__v1__hello__init(&hello);
	hello.version_min = hello.version_max = COLLIDE_PROTOCOL_VERSION;
	hello.client_name = (ProtobufCBinaryData){ strlen(core->texts.client_name), (uint8_t *)core->texts.client_name };
	hello.client_version = (ProtobufCBinaryData){ strlen(core->texts.client_version), (uint8_t *)core->texts.client_version };
	hello.token = (ProtobufCBinaryData){ core->token_bytes, core->token };
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO;
	message.hello = &hello;
	return request_begin(core, &message, NULL, error);
}

uint64_t
collide_core_ping(struct collide_core *core, const void *payload, size_t count, struct collide_error *error)
{
	uint8_t copy[COLLIDE_PING_BYTES_MAX];
	if (count > sizeof copy) {
		failure_set(error, COLLIDE_FROM_LIBRARY, COLLIDE_INVALID_ARGUMENT, "BAD_ARGUMENT",
		            "a ping's payload is at most %d bytes", COLLIDE_PING_BYTES_MAX);
		return 0;
	}
	if (count > 0)
		memcpy(copy, payload, count);
	Collide__V1__Ping ping;
	collide__v1__ping__init(&ping);
	ping.payload = (ProtobufCBinaryData){ count, copy };
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING;
	message.ping = &ping;
	return request_begin(core, &message, NULL, error);
}

uint64_t
core_begin_body(struct collide_core *core, const struct request_body *body, struct collide_error *error)
{
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = (Collide__V1__ClientMessage__RequestCase)body->field;
	return request_begin(core, &message, body, error);
}

uint64_t
collide_core_cancel(struct collide_core *core, uint64_t target_request_id, struct collide_error *error)
{
	Collide__V1__Cancel cancel;
	collide__v1__cancel__init(&cancel);
	cancel.target_request_id = target_request_id;
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL;
	message.cancel = &cancel;
	return request_begin(core, &message, NULL, error);
}

uint64_t
collide_core_describe(struct collide_core *core, struct collide_error *error)
{
	Collide__V1__Describe describe;
	collide__v1__describe__init(&describe);
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE;
	message.describe = &describe;
	return request_begin(core, &message, NULL, error);
}

const void *
collide_core_output(const struct collide_core *core, size_t *count)
{
	*count = bytes_count(&core->output);
	return *count == 0 ? NULL : core->output.memory + core->output.start;
}

void
collide_core_sent(struct collide_core *core, size_t count)
{
	bytes_consume(&core->output, count);
	core->bytes_sent += count;
}

void *
collide_core_input(struct collide_core *core, size_t *room)
{
	uint8_t *to = bytes_reserve(&core->input, CORE_RECEIVE_BYTES);
	*room = !to ? 0 : core->input.capacity - core->input.end;
	return to;
}

void
collide_core_received(struct collide_core *core, size_t count)
{
	bytes_commit(&core->input, count);
	core->bytes_received += count;
}

void
collide_core_record(struct collide_core *core, collide_record_fn record, void *context)
{
	core->record = record;
	core->record_context = context;
}

void
collide_core_traffic(const struct collide_core *core, uint64_t *sent, uint64_t *received)
{
	*sent = core->bytes_sent;
	*received = core->bytes_received;
}

/* Ends the conversation with core->error, which the caller has set. */
static bool
event_failed(struct collide_core *core, struct collide_event *event)
{
	core->failed = true;
	*event = (struct collide_event){ .kind = COLLIDE_EVENT_FAILED, .as.error = &core->error };
	return true;
}

static bool
event_malformed(struct collide_core *core, struct collide_event *event, const char *what)
{
	failure_set(&core->error, COLLIDE_FROM_CONNECTION, COLLIDE_INTERNAL, "MALFORMED_REPLY",
	            "the other end does not speak collide.v1: %s", what);
	return event_failed(core, event);
}

static struct pending *
pending_find(const struct collide_core *core, uint64_t request_id)
{
	struct pending *pending = core->pending;
	while (pending && pending->request_id != request_id)
		pending = pending->next;
	return pending;
}

/* Keeps its memory until the next event: this one may point into it. */
static void
pending_finish(struct collide_core *core, struct pending *pending)
{
	struct pending **link = &core->pending;
	while (*link != pending)
		link = &(*link)->next;
	*link = pending->next;
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

/* A part of a frame or snapshot. */
static bool
event_merge(struct collide_core *core, struct pending *pending, struct collide_event *event)
{
	bool is_frame = core->message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
	event->kind = is_frame ? COLLIDE_EVENT_FRAME : COLLIDE_EVENT_SNAPSHOT;
	switch (is_frame ? merge_add(pending->merge, core->message->frame)
	                 : join_add(&pending->join, core->message->snapshot, core->frame_bytes_max)) {
	case MERGE_WHOLE:
		if (is_frame)
			event->as.frame = merge_frame(pending->merge);
		else
			event->as.snapshot = &pending->join.snapshot;
		return true;
	case MERGE_MORE: return false;
	case MERGE_MALFORMED:
		return event_malformed(core, event,
		                       is_frame ? "a frame's columns do not fit together" : "a snapshot's parts do not fit together");
	case MERGE_TOO_LARGE:
		failure_set(&core->error, COLLIDE_FROM_LIBRARY, COLLIDE_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE",
		            "a %s is over this program's limit of %zu bytes", is_frame ? "frame" : "snapshot", core->frame_bytes_max);
		return event_failed(core, event);
	case MERGE_NO_MEMORY: break;
	}
	failure_memory(&core->error);
	return event_failed(core, event);
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

/* How each kind of reply is handled: a row for each member of the oneof in ServerMessage but Error, which any request may
 * get. */
static const struct reply_kind {
	Collide__V1__ClientMessage__RequestCase answers;
	bool in_parts; /* more may follow; otherwise it ends its request */
	/* Turns core->message into an event. false: there is none. */
	bool (*event)(struct collide_core *core, struct pending *pending, struct collide_event *event);
} REPLIES[] = {
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO, false, event_welcome },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING, false, event_pong },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_CANCEL_DONE] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL, false,
	                                                     event_cancel_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE, false, event_described },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE, true, event_merge },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE, true, event_merge },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE, false, event_done },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT, true, event_detected },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND, true, event_responded },
	[COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED] = { COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY, true, event_queried },
};

/* NULL: this kind answers no request. */
static const struct reply_kind *
reply_kind_find(Collide__V1__ServerMessage__ReplyCase reply)
{
	size_t number = (size_t)reply;
	return number < sizeof REPLIES / sizeof REPLIES[0] && REPLIES[number].event ? &REPLIES[number] : NULL;
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

static bool
event_from_message(struct collide_core *core, struct collide_event *event)
{
	const Collide__V1__ServerMessage *message = core->message;
	struct pending *pending = pending_find(core, message->request_id);
	event->request_id = message->request_id;
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET)
		return false; /* a kind of message of a later server, which was not requested */
	if (!pending && message->request_id != 0)
		return event_malformed(core, event, "a reply to a request that was not made");
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
		return event_error(core, pending, event);
	const struct reply_kind *kind = reply_kind_find(message->reply_case);
	if (!pending || !kind || kind->answers != pending->kind)
		return event_malformed(core, event, "a reply of the wrong kind");
	return event_reply(core, kind, pending, event);
}

/* Takes the next whole message from the input into core->message. false: there is none, or *event says what is wrong. */
static bool
message_take(struct collide_core *core, struct collide_event *event)
{
	size_t header_bytes;
	uint32_t body_bytes;
	size_t count = bytes_count(&core->input);
	if (count == 0)
		return false;
	const uint8_t *bytes = core->input.memory + core->input.start;
	switch (frame_header_read(bytes, count, CORE_MESSAGE_BYTES_MAX, &header_bytes, &body_bytes)) {
	case FRAME_SHORT: return false;
	case FRAME_MALFORMED: event_malformed(core, event, "a message's length is not a varint"); return false;
	case FRAME_TOO_LARGE: event_malformed(core, event, "a message is longer than any may be"); return false;
	case FRAME_OK: break;
	}
	if (count - header_bytes < body_bytes)
		return false;
	if (core->record)
		core->record(core->record_context, false, bytes, header_bytes + body_bytes);
	core->message = collide__v1__server_message__unpack(NULL, body_bytes, bytes + header_bytes);
	if (!core->message) {
		event_malformed(core, event, "a message cannot be read");
		return false;
	}
	bytes_consume(&core->input, header_bytes + body_bytes);
	return true;
}

bool
collide_core_next(struct collide_core *core, struct collide_event *event)
{
	*event = (struct collide_event){ 0 };
	if (core->failed)
		return event_failed(core, event);
	event_release(core);
	while (message_take(core, event)) {
		if (event_from_message(core, event))
			return true;
		event_release(core);
		*event = (struct collide_event){ 0 };
	}
	return event->kind != COLLIDE_EVENT_NONE;
}
