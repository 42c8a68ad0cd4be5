#include "client/load/load_reply.h"

#include "client/lib/failure.h"
#include "collide/v1/collide.pb-c.h"

#include <string.h>

/* Fields of the messages in collide.proto that are read. */
enum {
	MESSAGE_REQUEST_ID = 1,
	FRAME_MORE = 4,
	DONE_TICKS = 1,
	DONE_COLLISIONS = 3,
	DONE_ENGINE = 7,
	DONE_WORKER = 8,
	DONE_WAITING = 9
};
enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct field {
	uint64_t number;
	unsigned wire;
	uint64_t value; /* of a varint; the length of bytes; the bits of a fixed field */
	const uint8_t *bytes;
};

/* Varints are least significant group first. false: cut short or over 64 bits. */
static bool
varint_read(const uint8_t **at, const uint8_t *end, uint64_t *value)
{
	*value = 0;
	for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

static bool
fixed_read(const uint8_t **at, const uint8_t *end, size_t count, uint64_t *value)
{
	*value = 0;
	if ((size_t)(end - *at) < count)
		return false;
	for (size_t i = 0; i < count; i++)
		*value |= (uint64_t)(*at)[i] << 8 * i;
	*at += count;
	return true;
}

/* Reads the field at *at, and moves *at behind it. */
static bool
field_read(const uint8_t **at, const uint8_t *end, struct field *field)
{
	uint64_t tag;
	if (!varint_read(at, end, &tag) || tag >> 3 == 0)
		return false;
	field->number = tag >> 3;
	field->wire = (unsigned)(tag & 7);
	switch (field->wire) {
	case WIRE_VARINT: return varint_read(at, end, &field->value);
	case WIRE_FIXED64: return fixed_read(at, end, 8, &field->value);
	case WIRE_FIXED32: return fixed_read(at, end, 4, &field->value);
	case WIRE_BYTES:
		if (!varint_read(at, end, &field->value) || (uint64_t)(end - *at) < field->value)
			return false;
		field->bytes = *at;
		*at += field->value;
		return true;
	default: return false;
	}
}

static double
double_of(uint64_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static bool
frame_read(const uint8_t *at, const uint8_t *end, struct load_reply *out)
{
	struct field field;
	out->kind = REPLY_FRAME;
	while (at < end) {
		if (!field_read(&at, end, &field))
			return false;
		if (field.number == FRAME_MORE && field.wire == WIRE_VARINT && field.value != 0)
			out->kind = REPLY_PART;
	}
	return true;
}

static bool
done_read(const uint8_t *at, const uint8_t *end, struct load_reply *out)
{
	struct field field;
	out->kind = REPLY_DONE;
	while (at < end) {
		if (!field_read(&at, end, &field))
			return false;
		switch (field.number) {
		case DONE_TICKS: out->ticks = field.value; break;
		case DONE_COLLISIONS: out->collisions = field.value; break;
		case DONE_ENGINE: out->engine_seconds = double_of(field.value); break;
		case DONE_WORKER: out->worker_seconds = double_of(field.value); break;
		case DONE_WAITING: out->waiting_seconds = double_of(field.value); break;
		default: break;
		}
	}
	return true;
}

static bool
body_read(const struct field *field, struct load_reply *out)
{
	if (field->wire != WIRE_BYTES)
		return false;
	const uint8_t *end = field->bytes + field->value;
	switch (field->number) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME: return frame_read(field->bytes, end, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE: return done_read(field->bytes, end, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT: out->kind = REPLY_PART; return true;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR:
		out->kind = REPLY_ERROR;
		out->error = field->bytes;
		out->error_bytes = (size_t)field->value;
		return true;
	default: return false;
	}
}

bool
load_reply_read(const uint8_t *body, size_t count, struct load_reply *out)
{
	const uint8_t *at = body, *end = body + count;
	struct field field;
	bool has_body = false;
	*out = (struct load_reply){ 0 };
	while (at < end) {
		if (!field_read(&at, end, &field))
			return false;
		if (field.number == MESSAGE_REQUEST_ID && field.wire == WIRE_VARINT)
			out->request_id = field.value;
		else if (has_body || !body_read(&field, out))
			return false;
		else
			has_body = true;
	}
	return has_body;
}

bool
load_reply_error(const struct load_reply *reply, struct collide_error *error)
{
	Collide__V1__Error *message = collide__v1__error__unpack(NULL, reply->error_bytes, reply->error);
	if (!message)
		return false;
	failure_from_message(error, message);
	collide__v1__error__free_unpacked(message, NULL);
	return true;
}
