/* A request's bytes as a message, by the schema and the rules of its fields. */
#include "wire/limits.h"
#include "wire/reader.h"
#include "wire/scan.h"
#include "wire/unpack.h"
#include "wire/wire.h"

#include <string.h>

/* A valid envelope: the id, one request, and unknown fields. */
#define ENVELOPE_FIELDS_MAX (2 + WIRE_UNKNOWN_FIELDS_MAX)
#define REQUEST_ID_FIELD 1

bool
wire_request_is_known(uint32_t number)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(&collide__v1__client_message__descriptor,
	                                                                                number);

	return field != NULL && (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0 &&
	       field->quantifier_offset == offsetof(Collide__V1__ClientMessage, request_case);
}

/* An id and one request that is known, as all encoders write it: nothing of that need be scanned. */
static bool
envelope_is_plain(struct reader reader, uint64_t *request_id, uint32_t *request_field)
{
	struct wire_field id = { .number = 0 }, request = { .number = 0 };

	if (reader_tag(&reader, &id.number, &id.type) || id.number != REQUEST_ID_FIELD || id.type != WIRE_VARINT ||
	    reader_value(&reader, &id) || reader_tag(&reader, &request.number, &request.type) || request.type != WIRE_BYTES ||
	    reader_value(&reader, &request) || !reader_at_end(&reader) || !wire_request_is_known(request.number))
		return false;
	*request_id = id.varint;
	*request_field = request.number;
	return true;
}

bool
wire_request_peek(const uint8_t *bytes, size_t count, uint64_t *request_id, uint32_t *request_field)
{
	const struct wire_limits no_limits = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	struct reader reader = reader_of(bytes, count);
	struct wire_problem problem;

	if (envelope_is_plain(reader, request_id, request_field))
		return true;
	*request_id = 0;
	*request_field = 0;
	for (size_t i = 0; i < ENVELOPE_FIELDS_MAX && !reader_at_end(&reader); i++) {
		struct wire_field field;

		if (reader_tag(&reader, &field.number, &field.type) || reader_value(&reader, &field))
			break;
		if (field.number == REQUEST_ID_FIELD && field.type == WIRE_VARINT)
			*request_id = field.varint;
		else if (field.type == WIRE_BYTES && (*request_field == 0 || wire_request_is_known(field.number)))
			*request_field = field.number; /* one that is known goes before one that is not */
	}
	return wire_scan(&collide__v1__client_message__descriptor, &no_limits, SCAN_ENVELOPE, bytes, count, &problem) == STATUS_OK;
}

/* Scans and unpacks. A problem's field begins with the message's own fields. */
static enum status
message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor, const struct wire_limits *limits,
               const uint8_t *bytes, size_t count, const ProtobufCMessage **out, struct wire_problem *problem)
{
	ProtobufCMessage *message;
	enum status status = wire_scan(descriptor, limits, SCAN_WHOLE, bytes, count, problem);

	if (status != STATUS_OK)
		return status;
	status = wire_unpack(arena, descriptor, bytes, count, &message);
	if (status == STATUS_RESOURCE_EXHAUSTED) {
		return wire_problem_set(problem, status, "MEMORY", "", "the request needs more than %zu bytes of memory to unpack",
		                        arena->budget_bytes);
	}
	if (status != STATUS_OK)
		return wire_problem_set(problem, status, "MALFORMED", "", "is not a %s", descriptor->short_name);
	*out = message;
	return STATUS_OK;
}

enum status
wire_request_unpack(struct arena *arena, const struct wire_limits *limits, const uint8_t *bytes, size_t count,
                    const Collide__V1__ClientMessage **out, struct wire_problem *problem)
{
	const ProtobufCMessage *message = NULL;
	enum status status = message_unpack(arena, &collide__v1__client_message__descriptor, limits, bytes, count, &message,
	                                    problem);

	if (status == STATUS_OK)
		*out = (const Collide__V1__ClientMessage *)message;
	return status;
}

/* Puts the path before a field's; what does not fit is cut off at the end. */
static void
path_prepend(const char *path, char *field, size_t size)
{
	size_t count = strnlen(path, size / 2), dot = field[0] == '\0' ? 0 : 1;

	memmove(field + count + dot, field, size - count - dot);
	memcpy(field, path, count);
	if (dot)
		field[count] = '.';
	field[size - 1] = '\0';
}

enum status
wire_message_unpack(struct arena *arena, const ProtobufCMessageDescriptor *descriptor, const struct wire_limits *limits,
                    const char *path, const uint8_t *bytes, size_t count, const ProtobufCMessage **out,
                    struct wire_problem *problem)
{
	enum status status = message_unpack(arena, descriptor, limits, bytes, count, out, problem);

	if (status == STATUS_OK)
		return status;
	path_prepend(path, problem->field, sizeof problem->field);
	return status;
}
