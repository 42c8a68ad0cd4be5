/* The conversation: requests to bytes, bytes to events.
 *
 * Happy path: a request is appended to `output` and entered into the table of pending ones. Bytes received go to `input`. Each
 * whole message there becomes at most one event, and a final reply takes its request out of the table.
 *
 * What can go wrong: the server may send anything. Lengths are limited before the body is buffered, and buffers grow with bytes
 * received. A reply must fit a pending request. The first fault ends the conversation for ever (EVENT_FAILED). */
#include "client/lib/core.h"

#include "client/lib/core_state.h"
#include "client/lib/failure.h"
#include "client/lib/request_append.h"
#include "proto/frame.h"

#include <stdlib.h>
#include <string.h>

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
	pending_table_finish(&core->pending);
	world_view_finish(&core->world);
	bytes_finish(&core->input);
	bytes_finish(&core->output);
	free(core->token);
	free(core);
}

/* Tells of the message that has joined the output, which had `queued` bytes before. */
static void
core_record_sent(const struct collide_core *core, size_t queued)
{
	if (core->record)
		core->record(core->record_context, true, core->output.memory + core->output.start + queued,
		             bytes_count(&core->output) - queued);
}

uint64_t
core_begin(struct collide_core *core, Collide__V1__ClientMessage *message, const struct request_body *body,
           struct collide_error *error)
{
	uint32_t body_bytes_max = core->welcome.limits.message_bytes_max;
	if (core->failed) {
		failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONVERSATION_OVER", "the conversation is over");
		return 0;
	}
	struct pending *pending = pending_create(core->last_request_id + 1, message->request_case, core->frame_bytes_max);
	if (!pending || !pending_enter(&core->pending, pending)) {
		pending_destroy(pending);
		failure_memory(error);
		return 0;
	}
	message->request_id = pending->request_id;
	size_t queued = bytes_count(&core->output);
	bool appended = body ? request_append_body(&core->output, pending->request_id, body, body_bytes_max, error)
	                     : request_append(&core->output, message, body_bytes_max, error);
	if (!appended) {
		pending_take(&core->pending, pending);
		pending_destroy(pending);
		return 0;
	}
	core_record_sent(core, queued);
	return core->last_request_id = pending->request_id;
}

bool
core_tell(struct collide_core *core, const Collide__V1__ClientMessage *message, struct collide_error *error)
{
	size_t queued = bytes_count(&core->output);
	if (core->failed)
		return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONVERSATION_OVER",
		                   "the conversation is over");
	if (!request_append(&core->output, message, core->welcome.limits.message_bytes_max, error))
		return false;
	core_record_sent(core, queued);
	return true;
}

void
core_request_own(struct collide_core *core, uint64_t request_id, void *owner)
{
	struct pending *pending = pending_find(&core->pending, request_id);
	if (pending)
		pending->owner = owner;
}

void
core_request_follow(struct collide_core *core, uint64_t request_id, struct core_follow follow)
{
	struct pending *pending = pending_find(&core->pending, request_id);
	if (pending)
		pending->follow = follow;
}

void *
core_event_owner(const struct collide_core *core)
{
	return core->event_owner;
}

uint64_t
core_batches(struct collide_core *core, const struct batch_place *places, size_t count, bool ask, struct collide_error *error)
{
	struct pending *pending = NULL;
	uint64_t request_id = 0;
	size_t queued = bytes_count(&core->output);
	if (core->failed)
		return failure_set(error, COLLIDE_FROM_CONNECTION, COLLIDE_UNAVAILABLE, "CONVERSATION_OVER",
		                   "the conversation is over");
	if (ask) {
		request_id = core->last_request_id + 1;
		pending = pending_create(request_id, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS, 0);
		if (!pending || !pending_enter(&core->pending, pending)) {
			pending_destroy(pending);
			return failure_memory(error);
		}
	}
	if (!batches_append(&core->output, request_id, places, count, core->welcome.limits.message_bytes_max, error)) {
		if (pending)
			pending_take(&core->pending, pending);
		pending_destroy(pending);
		return 0;
	}
	core_record_sent(core, queued);
	if (ask)
		core->last_request_id = request_id;
	return ask ? request_id : 1;
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
	return core_begin(core, &message, NULL, error);
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
	return core_begin(core, &message, NULL, error);
}

uint64_t
core_begin_body(struct collide_core *core, const struct request_body *body, struct collide_error *error)
{
	Collide__V1__ClientMessage message;
	collide__v1__client_message__init(&message);
	message.request_case = (Collide__V1__ClientMessage__RequestCase)body->field;
	return core_begin(core, &message, body, error);
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
	return core_begin(core, &message, NULL, error);
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
	return core_begin(core, &message, NULL, error);
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
