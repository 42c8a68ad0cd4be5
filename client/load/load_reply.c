#include "client/load/load_reply.h"

#include "client/lib/failure.h"
#include "client/load/reply_field.h"
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
