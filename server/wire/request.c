#include "wire/limits.h"
#include "wire/reader.h"
#include "wire/scan.h"
#include "wire/unpack.h"
#include "wire/wire.h"

/* A valid envelope: the id, one request, and unknown fields. */
#define ENVELOPE_FIELDS_MAX (2 + WIRE_UNKNOWN_FIELDS_MAX)
#define REQUEST_ID_FIELD 1
#define REQUEST_FIELD_FIRST 2

static enum wire_request_kind
request_kind(uint32_t field_number)
{
	switch ((Collide__V1__ClientMessage__RequestCase)field_number) {
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_HELLO: return WIRE_REQUEST_HELLO;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING: return WIRE_REQUEST_PING;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL: return WIRE_REQUEST_CANCEL;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE: return WIRE_REQUEST_DESCRIBE;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE: return WIRE_REQUEST_SIMULATE;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT: return WIRE_REQUEST_DETECT;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND: return WIRE_REQUEST_RESPOND;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY: return WIRE_REQUEST_QUERY;
	case COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET:
	default: return WIRE_REQUEST_UNKNOWN;
	}
}

bool
wire_request_peek(const uint8_t *bytes, size_t count, uint64_t *request_id, enum wire_request_kind *kind)
{
	const struct wire_limits no_limits = { UINT32_MAX, UINT32_MAX, UINT32_MAX };
	struct reader reader = reader_of(bytes, count);
	struct wire_problem problem;

	*request_id = 0;
	*kind = WIRE_REQUEST_NONE;
	for (size_t i = 0; i < ENVELOPE_FIELDS_MAX && !reader_at_end(&reader); i++) {
		struct wire_field field;

		if (reader_tag(&reader, &field.number, &field.type) != NULL || reader_value(&reader, &field) != NULL) {
			break;
		}
		if (field.number == REQUEST_ID_FIELD && field.type == WIRE_VARINT) {
			*request_id = field.varint;
		} else if (field.type == WIRE_BYTES && request_kind(field.number) != WIRE_REQUEST_UNKNOWN) {
			*kind = request_kind(field.number);
		} else if (field.type == WIRE_BYTES && *kind == WIRE_REQUEST_NONE) {
			*kind = WIRE_REQUEST_UNKNOWN; /* a request of a later version, as far as one can tell */
		}
	}
	return wire_scan(&collide__v1__client_message__descriptor, &no_limits, SCAN_ENVELOPE, bytes, count, &problem) == STATUS_OK;
}

enum status
wire_request_unpack(struct arena *arena, const struct wire_limits *limits, const uint8_t *bytes, size_t count,
                    const Collide__V1__ClientMessage **out, struct wire_problem *problem)
{
	ProtobufCMessage *message;
	enum status status = wire_scan(&collide__v1__client_message__descriptor, limits, SCAN_WHOLE, bytes, count, problem);

	if (status != STATUS_OK) {
		return status;
	}
	status = wire_unpack(arena, &collide__v1__client_message__descriptor, bytes, count, &message);
	if (status == STATUS_RESOURCE_EXHAUSTED) {
		return wire_problem_set(problem, status, "MEMORY", "", "the request needs more than %zu bytes of memory to unpack",
		                        arena->budget_bytes);
	}
	if (status != STATUS_OK) {
		return wire_problem_set(problem, status, "MALFORMED", "", "is not a ClientMessage");
	}
	*out = (const Collide__V1__ClientMessage *)message;
	return STATUS_OK;
}
