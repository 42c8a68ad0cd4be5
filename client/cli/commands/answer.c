#include "client/cli/commands/answer.h"

#include "client/cli/scene/message_json.h"
#include "client/lib/collide.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include <stdio.h>

const char *const answer_formats[] = { "table", "json", NULL };

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
	if (!message)
		printer->failed = true;
	else if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED)
		printer->failed |= !message_json_write(stdout, &message->detected->base, MESSAGE_JSON_LINE);
	else if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED)
		printer->failed |= !message_json_write(stdout, &message->responded->base, MESSAGE_JSON_LINE);
	else if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED)
		printer->failed |= !message_json_write(stdout, &message->queried->base, MESSAGE_JSON_LINE);
	if (message)
		collide__v1__server_message__free_unpacked(message, NULL);
}
