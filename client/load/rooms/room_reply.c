#include "client/load/rooms/room_reply.h"

#include "client/lib/failure.h"
#include "client/load/reply_field.h"
#include "collide/v1/collide.pb-c.h"

#include <stdio.h>

/* Fields of the messages in collide.proto that are read. */
enum {
	MESSAGE_REQUEST_ID = 1,
	UPDATE_TICK = 1,
	UPDATE_MISSED = 3,
	UPDATE_LOST = 6,
	UPDATE_LATE = 7,
	UPDATE_KEY = 8,
	UPDATE_FRAME = 10,
	ACKS_THROUGH = 1,
	ACKS_MARGIN = 3,
	ACKS_OUTCOMES = 4,
	ATTACHED_HANDLE = 1,
	ATTACHED_TICK = 5,
	ATTACHED_NEXT_DUE = 6,
	END_REASON = 2,
};

static void
update_field(const struct field *field, struct room_reply *out)
{
	switch (field->number) {
	case UPDATE_TICK: out->tick = field->value; break;
	case UPDATE_MISSED: out->missed_ticks = field->value; break;
	case UPDATE_LOST: out->lost_ticks = field->value; break;
	case UPDATE_LATE: out->late_ns = field->value; break;
	case UPDATE_KEY: out->has_key = true; break;
	case UPDATE_FRAME: out->has_frame = true; break;
	default: break;
	}
}

/* A sint64. */
static int64_t
zigzag(uint64_t value)
{
	return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

static void
acks_field(const struct field *field, struct room_reply *out)
{
	switch (field->number) {
	case ACKS_THROUGH: out->through = field->value; break;
	case ACKS_MARGIN: out->margin_ns = zigzag(field->value); break;
	case ACKS_OUTCOMES: out->outcomes++; break;
	default: break;
	}
}

static void
attached_field(const struct field *field, struct room_reply *out)
{
	switch (field->number) {
	case ATTACHED_HANDLE: out->handle = (uint32_t)field->value; break;
	case ATTACHED_TICK: out->tick = field->value; break;
	case ATTACHED_NEXT_DUE: out->next_due_ns = field->value; break;
	default: break;
	}
}

/* Detached and Unsubscribed have their reason in the same place. */
static void
end_field(const struct field *field, struct room_reply *out)
{
	if (field->number == END_REASON && field->wire == WIRE_BYTES)
		(void)snprintf(out->reason, sizeof out->reason, "%.*s",
		               (int)(field->value < sizeof out->reason ? field->value : sizeof out->reason),
		               (const char *)field->bytes);
}

static bool
inner_read(const struct field *message, void (*take)(const struct field *field, struct room_reply *out), struct room_reply *out)
{
	const uint8_t *at = message->bytes, *end = at + message->value;
	struct field field;
	while (at < end) {
		if (!field_read(&at, end, &field))
			return false;
		take(&field, out);
	}
	return true;
}

/* The member of the oneof. */
static bool
reply_read(const struct field *member, struct room_reply *out)
{
	out->bytes = member->bytes;
	out->count = member->value;
	switch (member->number) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE: out->kind = ROOM_UPDATE; return inner_read(member, update_field, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS: out->kind = ROOM_ACKS; return inner_read(member, acks_field, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED: out->kind = ROOM_ATTACHED; return inner_read(member, attached_field, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS: out->kind = ROOM_WORLDS; return true;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR: out->kind = ROOM_ERROR; return true;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED:
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED: out->kind = ROOM_END; return inner_read(member, end_field, out);
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING:
		out->kind = ROOM_END;
		(void)snprintf(out->reason, sizeof out->reason, "DRAINING");
		return true;
	default: out->kind = ROOM_OTHER; return true;
	}
}

bool
room_reply_read(const uint8_t *body, size_t count, struct room_reply *out)
{
	const uint8_t *at = body, *end = body + count;
	struct field field;
	*out = (struct room_reply){ .kind = ROOM_OTHER };
	while (at < end) {
		if (!field_read(&at, end, &field))
			return false;
		if (field.number == MESSAGE_REQUEST_ID)
			out->request_id = field.value;
		else if (field.wire == WIRE_BYTES && !reply_read(&field, out))
			return false;
	}
	return true;
}

bool
room_reply_error(const struct room_reply *reply, struct collide_error *error)
{
	Collide__V1__Error *message = collide__v1__error__unpack(NULL, reply->count, reply->bytes);
	if (!message)
		return false;
	failure_from_message(error, message);
	collide__v1__error__free_unpacked(message, NULL);
	return true;
}
