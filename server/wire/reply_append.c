/* A reply as bytes, with its length in front. */
#include "wire/wire.h"

#include "base/check.h"
#include "proto/descriptor_set.h"
#include "proto/frame.h"

#include <string.h>

void
wire_reply_append(struct buffer *buffer, const Collide__V1__ServerMessage *message)
{
	size_t body_bytes = collide__v1__server_message__get_packed_size(message);
	uint8_t header[FRAME_HEADER_BYTES_MAX];

	CHECK(body_bytes <= UINT32_MAX);
	size_t header_bytes = frame_header_write(header, (uint32_t)body_bytes);
	uint8_t *room = buffer_extend(buffer, header_bytes + body_bytes);
	if (!room)
		return;
	memcpy(room, header, header_bytes);
	(void)collide__v1__server_message__pack(message, room + header_bytes);
}

void
wire_error_append(struct buffer *buffer, uint64_t request_id, const struct wire_problem *problem)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Error error;
	Collide__V1__FieldViolation violation;
	Collide__V1__FieldViolation *violations[] = { &violation };
	/* protobuf-c writes strings but declares them char *. */
	struct wire_problem copy = *problem;
	char reason[64];
	size_t reason_bytes = !problem->reason ? 0 : strnlen(problem->reason, sizeof reason - 1);

	if (reason_bytes > 0)
		memcpy(reason, problem->reason, reason_bytes);
	reason[reason_bytes] = '\0';
	/* The functions, not the INIT macros, which cast const away where clang sees it. */
	collide__v1__error__init(&error);
	collide__v1__field_violation__init(&violation);
	error.code = (Collide__V1__Code)problem->status;
	error.text = copy.text;
	error.retry_after_ms = problem->retry_after_ms;
	error.reason = reason;
	if (problem->field[0] != '\0') {
		violation.field = copy.field;
		violation.text = copy.text;
		error.violations = violations;
		error.n_violations = 1;
	}
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR;
	message.error = &error;
	wire_reply_append(buffer, &message);
}

const uint8_t *
wire_descriptor_set(size_t *count)
{
	*count = collide_descriptor_set_bytes;
	return collide_descriptor_set;
}
