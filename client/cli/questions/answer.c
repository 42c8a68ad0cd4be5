#include "client/cli/questions/answer.h"

#include "client/cli/connection/connection.h"
#include "client/cli/scene/message_json.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const answer_formats[] = { "table", "json", NULL };

static enum exit_status
packed_put(const struct question *question, const void *bytes, size_t count)
{
	struct collide_error error;
	enum exit_status status;
	struct collide_client *client = question->local ? connection_open_local(question->command, 1, &status)
	                                                : connection_open(question->command, question->address, &status);
	if (!client)
		return status;
	bool good = question->ask(client, bytes, count, question->context, &error);
	collide_close(client);
	return good ? EXIT_STATUS_DONE : error_report(question->command, &error);
}

enum exit_status
question_put(const struct question *question)
{
	size_t count = protobuf_c_message_get_packed_size(question->message);
	uint8_t *bytes = malloc(count + 1); /* never of size 0, which could be NULL */
	if (!bytes) {
		fprintf(stderr, "collide %s: no memory\n", question->command);
		return EXIT_STATUS_FAILED;
	}
	protobuf_c_message_pack(question->message, bytes);
	enum exit_status status = packed_put(question, bytes, count);
	free(bytes);
	return status;
}

const char *
answer_relation(uint32_t relation)
{
	switch (relation) {
	case COLLIDE_APART: return "none";
	case COLLIDE_TOUCHING: return "touching";
	case COLLIDE_OVERLAPPING: return "overlapping";
	default: return "?";
	}
}

const char *
answer_feature(uint32_t feature)
{
	switch (feature) {
	case COLLIDE_CIRCLE: return "circle";
	case COLLIDE_SEGMENT_FACE: return "segment";
	case COLLIDE_SEGMENT_END_1: return "end 1";
	case COLLIDE_SEGMENT_END_2: return "end 2";
	default: return "?";
	}
}

/* The member of a reply's oneof, if it answers a question: not an Error, which error_report prints, nor what greets. */
static const ProtobufCMessage *
reply_of(const Collide__V1__ServerMessage *message)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(message->base.descriptor,
	                                                                                (unsigned)message->reply_case);
	const ProtobufCMessage *reply = NULL;
	if (field && message->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR &&
	    message->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME)
		memcpy(&reply, (const char *)message + field->offset, sizeof reply);
	return reply;
}

void
answer_print_json(void *context, bool sent, const void *bytes, size_t count)
{
	struct printer *printer = context;
	size_t header_bytes;
	uint32_t body_bytes;
	if (sent || frame_header_read(bytes, count, UINT32_MAX, &header_bytes, &body_bytes) != FRAME_OK)
		return;
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, body_bytes,
	                                                                          (const uint8_t *)bytes + header_bytes);
	const ProtobufCMessage *answer = message ? reply_of(message) : NULL;
	if (!message || (answer && !message_json_write(stdout, answer, MESSAGE_JSON_LINE)))
		printer->failed = true;
	if (message)
		collide__v1__server_message__free_unpacked(message, NULL);
}
