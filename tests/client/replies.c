#include "client/replies.h"

#include "proto/frame.h"

#include "support/assert_double.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 4096 };

void
replies_finish(struct replies *replies)
{
	free(replies->bytes);
	*replies = (struct replies){ 0 };
}

void
replies_append(struct replies *replies, const Collide__V1__ServerMessage *message)
{
	size_t body_bytes = collide__v1__server_message__get_packed_size(message);
	replies->bytes = realloc(replies->bytes, replies->count + FRAME_HEADER_BYTES_MAX + body_bytes);
	assert_non_null(replies->bytes);
	replies->count += frame_header_write(replies->bytes + replies->count, (uint32_t)body_bytes);
	collide__v1__server_message__pack(message, replies->bytes + replies->count);
	replies->count += body_bytes;
}

static Collide__V1__ServerMessage
message_to(uint64_t request_id, Collide__V1__ServerMessage__ReplyCase reply_case)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = request_id;
	message.reply_case = reply_case;
	return message;
}

void
replies_append_welcome(struct replies *replies, uint64_t request_id, uint32_t message_bytes_max)
{
	char server[] = "collided 9.8.7\x1b[2J";
	Collide__V1__Limits limits = COLLIDE__V1__LIMITS__INIT;
	limits.message_bytes_max = message_bytes_max;
	limits.ticks_max = 1000;
	Collide__V1__Welcome welcome = COLLIDE__V1__WELCOME__INIT;
	welcome.version = 1;
	welcome.server = server;
	welcome.instance_id = 77;
	welcome.ping_interval_ms = 1500000;
	welcome.optional_limits_case = COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS;
	welcome.limits = &limits;
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	message.welcome = &welcome;
	replies_append(replies, &message);
}

void
replies_append_pong(struct replies *replies, uint64_t request_id, const void *payload, size_t count)
{
	uint8_t copy[64];
	assert_true(count <= sizeof copy);
	if (count > 0)
		memcpy(copy, payload, count);
	Collide__V1__Pong pong = COLLIDE__V1__PONG__INIT;
	pong.payload = (ProtobufCBinaryData){ count, copy };
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_PONG);
	message.pong = &pong;
	replies_append(replies, &message);
}

void
replies_append_error(struct replies *replies, uint64_t request_id, Collide__V1__Code code, const char *text)
{
	char reason[] = "SOME_REASON", field[] = "simulate.dt", why[] = "must be greater than 0", text_copy[512];
	assert_true(strlen(text) < sizeof text_copy);
	memcpy(text_copy, text, strlen(text) + 1);
	Collide__V1__FieldViolation violation = COLLIDE__V1__FIELD_VIOLATION__INIT;
	violation.field = field;
	violation.text = why;
	Collide__V1__FieldViolation *violations[12];
	for (size_t i = 0; i < 12; i++)
		violations[i] = &violation;
	Collide__V1__Error error = COLLIDE__V1__ERROR__INIT;
	error.code = code;
	error.text = text_copy;
	error.reason = reason;
	error.retry_after_ms = 250;
	error.violations = violations;
	error.n_violations = 12;
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	message.error = &error;
	replies_append(replies, &message);
}

void
replies_append_detached(struct replies *replies, uint64_t request_id, const char *reason)
{
	char text[32];
	Collide__V1__Detached detached = COLLIDE__V1__DETACHED__INIT;
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED);
	(void)snprintf(text, sizeof text, "%s", reason);
	detached.reason = text;
	message.detached = &detached;
	replies_append(replies, &message);
}

void
replies_append_unsubscribed(struct replies *replies, uint64_t request_id, const char *reason)
{
	char text[32];
	Collide__V1__Unsubscribed end = COLLIDE__V1__UNSUBSCRIBED__INIT;
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED);
	(void)snprintf(text, sizeof text, "%s", reason);
	end.reason = text;
	message.unsubscribed = &end;
	replies_append(replies, &message);
}

void
replies_append_done(struct replies *replies, uint64_t request_id, uint64_t ticks, uint64_t hash)
{
	Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
	done.ticks = ticks;
	done.hash = hash;
	done.engine_seconds = 0.25;
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
	message.simulate_done = &done;
	replies_append(replies, &message);
}

static void
bodies_fill(Collide__V1__BodyColumns *bodies, uint32_t *ids, double *values, uint32_t first, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ids[i] = first + (uint32_t)i;
		values[i] = ids[i] / 4.0;
	}
	bodies->id = ids;
	bodies->x = bodies->y = bodies->vx = bodies->vy = values;
	bodies->n_id = bodies->n_x = bodies->n_y = bodies->n_vx = bodies->n_vy = count;
}

/* Every column of a ContactColumns, through the descriptor: integers are the row's number, doubles a quarter of it. */
static void
contacts_fill(Collide__V1__ContactColumns *contacts, uint32_t *ids, uint64_t *wide, double *values, uint32_t first,
              size_t count)
{
	for (size_t i = 0; i < count; i++) {
		ids[i] = first + (uint32_t)i;
		wide[i] = ids[i];
		values[i] = ids[i] / 4.0;
	}
	const ProtobufCMessageDescriptor *descriptor = &collide__v1__contact_columns__descriptor;
	for (unsigned i = 0; i < descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
		const void *column = field->type == PROTOBUF_C_TYPE_DOUBLE    ? (void *)values
		                     : field->type == PROTOBUF_C_TYPE_FIXED64 ? (void *)wide
		                                                              : (void *)ids;
		memcpy((char *)contacts + field->offset, &column, sizeof column);
		memcpy((char *)contacts + field->quantifier_offset, &count, sizeof count);
	}
}

void
replies_append_part(struct replies *replies, uint64_t request_id, uint64_t tick, bool more, uint32_t first_body, size_t bodies,
                    uint32_t first_contact, size_t contacts)
{
	static uint32_t body_ids[ROWS_MAX], contact_ids[ROWS_MAX];
	static uint64_t contact_wide[ROWS_MAX];
	static double body_values[ROWS_MAX], contact_values[ROWS_MAX];
	assert_true(bodies <= ROWS_MAX && contacts <= ROWS_MAX);

	Collide__V1__BodyColumns body_columns = COLLIDE__V1__BODY_COLUMNS__INIT;
	bodies_fill(&body_columns, body_ids, body_values, first_body, bodies);
	Collide__V1__ContactColumns contact_columns = COLLIDE__V1__CONTACT_COLUMNS__INIT;
	contacts_fill(&contact_columns, contact_ids, contact_wide, contact_values, first_contact, contacts);
	Collide__V1__Energy energy = COLLIDE__V1__ENERGY__INIT;
	energy.kinetic_after = 12.5;
	Collide__V1__Frame frame = COLLIDE__V1__FRAME__INIT;
	frame.tick = tick;
	frame.more = more;
	frame.time = (double)tick / 8;
	frame.hash = more ? 0 : tick * 1000;
	frame.collisions = more ? 0 : tick + 1;
	frame.optional_bodies_case = COLLIDE__V1__FRAME__OPTIONAL_BODIES_BODIES;
	frame.bodies = &body_columns;
	frame.optional_contacts_case = COLLIDE__V1__FRAME__OPTIONAL_CONTACTS_CONTACTS;
	frame.contacts = &contact_columns;
	if (!more) {
		frame.optional_energy_case = COLLIDE__V1__FRAME__OPTIONAL_ENERGY_ENERGY;
		frame.energy = &energy;
	}
	Collide__V1__ServerMessage message = message_to(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME);
	message.frame = &frame;
	replies_append(replies, &message);
}

void
bytes_give(const void *bytes, size_t count, struct collide_core *core)
{
	while (count > 0) {
		size_t room;
		void *to = collide_core_input(core, &room);
		assert_non_null(to);
		size_t piece = count < room ? count : room;
		memcpy(to, bytes, piece);
		collide_core_received(core, piece);
		bytes = (const char *)bytes + piece;
		count -= piece;
	}
}

void
replies_give(const struct replies *replies, struct collide_core *core)
{
	bytes_give(replies->bytes, replies->count, core);
}

void
columns_fill(ProtobufCMessage *table, size_t rows, unsigned full_below, int spoil)
{
	static uint64_t values[16]; /* zeros of any type */
	for (unsigned i = 0; i < table->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &table->descriptor->fields[i];
		size_t count = (field->id < full_below ? rows : 0) + ((int)field->id == spoil);
		void *place = values;
		assert_true(count <= sizeof values / sizeof *values);
		memcpy((char *)table + field->quantifier_offset, &count, sizeof count);
		memcpy((char *)table + field->offset, &place, sizeof place);
	}
}

void
failure_expect(struct collide_core *core, const char *reason)
{
	struct collide_event event;
	struct collide_error error;
	for (int i = 0; i < 2; i++) {
		assert_true(collide_core_next(core, &event));
		assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
		assert_string_equal(event.as.error->reason, reason);
	}
	assert_int_equal(collide_core_ping(core, NULL, 0, &error), 0);
	assert_string_equal(error.reason, "CONVERSATION_OVER");
}

void
replies_fail(struct replies *replies, struct collide_core *core, const char *reason)
{
	replies_give(replies, core);
	failure_expect(core, reason);
	replies_finish(replies);
	collide_core_destroy(core);
}

struct collide_core *
core_new(void)
{
	struct collide_core *core = collide_core_create(NULL);
	assert_non_null(core);
	return core;
}

Collide__V1__ClientMessage *
request_take(struct collide_core *core)
{
	size_t count, header_bytes;
	uint32_t body_bytes;
	const uint8_t *bytes = collide_core_output(core, &count);
	if (count == 0)
		return NULL;
	assert_int_equal(frame_header_read(bytes, count, UINT32_MAX, &header_bytes, &body_bytes), FRAME_OK);
	assert_true(count - header_bytes >= body_bytes);
	Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, body_bytes, bytes + header_bytes);
	assert_non_null(message);
	collide_core_sent(core, header_bytes + body_bytes);
	return message;
}
