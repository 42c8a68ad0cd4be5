/* Seeds of frames, as a recording and as answers to libcollide: tables with few columns and all, in parts that fit and do not.
 */
#include "fuzz/fuzz_seeds.h"

#include "base/buffer.h"
#include "collide/v1/collide.pb-c.h"
#include "proto/frame.h"

#include "base/check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first simulation of the client's script. */
enum { REQUEST = 4, PARTS = 3, ALL = 99 };

/* A table of a part: so many rows of its first columns, and one row more of the last one. */
struct part {
	const char *table; /* NULL: none */
	uint8_t rows, columns, longer;
	uint8_t tick; /* 0: 1 */
};

#define PART(table, rows, columns)       \
	{                                    \
		(table), (rows), (columns), 0, 0 \
	}

static const struct {
	const char *name;
	struct part parts[PARTS];
	uint8_t count;
} frames[] = {
	{ "bodies", { PART("bodies", 2, 5) }, 1 },
	{ "bodies_turn", { PART("bodies", 2, 7) }, 1 },
	{ "bodies_tag", { PART("bodies", 2, ALL) }, 1 },
	{ "bodies_uneven", { { "bodies", 2, 5, 1, 0 } }, 1 },
	{ "bodies_few_columns", { PART("bodies", 2, 3) }, 1 },
	{ "bodies_none", { PART("bodies", 0, ALL) }, 1 },
	{ "bodies_turn_late", { PART("bodies", 2, 5), PART("bodies", 2, 7) }, 2 },
	{ "bodies_turn_early", { PART("bodies", 2, 7), PART("bodies", 2, 5) }, 2 },
	{ "bodies_tag_late", { PART("bodies", 2, 7), PART("bodies", 2, ALL) }, 2 },
	{ "bodies_grow", { PART("bodies", 2, 5), PART("bodies", 63, 5) }, 2 },
	{ "contacts", { PART("contacts", 2, 20) }, 1 },
	{ "contacts_turn", { PART("contacts", 2, ALL) }, 1 },
	{ "contacts_turn_late", { PART("contacts", 2, 20), PART("contacts", 2, ALL) }, 2 },
	{ "events", { PART("pair_events", 2, 12) }, 1 },
	{ "events_tag", { PART("pair_events", 2, ALL) }, 1 },
	{ "events_tag_late", { PART("pair_events", 2, 12), PART("pair_events", 2, ALL), PART("pair_events", 1, 12) }, 3 },
	{ "events_tag_early", { PART("pair_events", 2, ALL), PART("pair_events", 2, 12) }, 2 },
	{ "path_changes", { PART("path_changes", 2, ALL), PART("shortfalls", 2, ALL) }, 2 },
	{ "paths", { PART("paths", 2, ALL), PART("moving_segments", 2, ALL), PART("ends", 2, ALL) }, 3 },
	{ "other_tick", { PART("bodies", 2, 5), { "bodies", 2, 5, 0, 2 } }, 2 },
	{ "tick_back", { { NULL, 0, 0, 0, 9 } }, 1 },
	{ "plain", { PART(NULL, 0, 0) }, 1 },
};

static void
message_append(struct buffer *stream, const ProtobufCMessage *message)
{
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	size_t count = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(count + 1);
	CHECK(bytes && protobuf_c_message_pack(message, bytes) == count);
	buffer_append(stream, header, frame_header_write(header, (uint32_t)count));
	buffer_append(stream, bytes, count);
	free(bytes);
}

static void
reply_append(struct buffer *stream, uint64_t request, Collide__V1__ServerMessage__ReplyCase reply, void *body)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	message.request_id = request;
	message.reply_case = reply;
	message.frame = body; /* of a union of pointers */
	message_append(stream, &message.base);
}

/* A table of the frame, with zeros; all is freed with it. */
static void
table_put(Collide__V1__Frame *frame, const struct part *part)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(frame->base.descriptor,
	                                                                                        part->table);
	const ProtobufCMessageDescriptor *type = field->descriptor;
	ProtobufCMessage *table = calloc(1, type->sizeof_message);
	CHECK(table);
	protobuf_c_message_init(type, table);
	for (unsigned i = 0; i < type->n_fields && i < part->columns; i++) {
		size_t count = part->rows + (i + 1u == part->columns ? part->longer : 0u);
		void *values = count == 0 ? NULL : calloc(count, sizeof(double));
		CHECK(values || count == 0);
		memcpy((char *)table + type->fields[i].offset, &values, sizeof values);
		memcpy((char *)table + type->fields[i].quantifier_offset, &count, sizeof count);
	}
	memcpy((char *)frame + field->offset, &table, sizeof table);
	memcpy((char *)frame + field->quantifier_offset, &field->id, sizeof field->id);
}

static void
frame_append(struct buffer *stream, const struct part *part, bool more)
{
	Collide__V1__Frame *frame = malloc(sizeof *frame);
	Collide__V1__Energy energy = COLLIDE__V1__ENERGY__INIT;
	Collide__V1__Momentum momentum = COLLIDE__V1__MOMENTUM__INIT;
	CHECK(frame);
	collide__v1__frame__init(frame);
	frame->tick = part->tick == 0 ? 1 : part->tick;
	frame->more = more;
	if (part->table) {
		table_put(frame, part);
	} else {
		frame->optional_energy_case = COLLIDE__V1__FRAME__OPTIONAL_ENERGY_ENERGY;
		frame->energy = &energy;
		frame->optional_momentum_case = COLLIDE__V1__FRAME__OPTIONAL_MOMENTUM_MOMENTUM;
		frame->momentum = &momentum;
	}
	reply_append(stream, REQUEST, COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME, frame);
	frame->optional_energy_case = 0;
	frame->optional_momentum_case = 0;
	collide__v1__frame__free_unpacked(frame, NULL);
}

/* The request of a run, with a circle or a snapshot of so many bytes, or nothing. */
static void
request_append(struct buffer *stream, bool scene, size_t snapshot_bytes)
{
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__Scene nothing = COLLIDE__V1__SCENE__INIT;
	uint8_t snapshot[100] = { 0 };
	if (scene) {
		simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
		simulate.scene = &nothing;
	} else if (snapshot_bytes > 0) {
		simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT;
		simulate.snapshot = (ProtobufCBinaryData){ snapshot_bytes, snapshot };
	}
	simulate.ticks = 3;
	message.request_id = REQUEST;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	message_append(stream, &message.base);
}

/* What ends a run, and what is none of its replies. */
static void
end_append(struct buffer *stream, size_t kind)
{
	char reason[] = "REASON", text[] = "a\ntext";
	Collide__V1__Error error = COLLIDE__V1__ERROR__INIT;
	Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
	Collide__V1__Draining draining = COLLIDE__V1__DRAINING__INIT;
	error.reason = reason;
	error.text = text;
	if (kind == 1) {
		reply_append(stream, 0, COLLIDE__V1__SERVER_MESSAGE__REPLY_DRAINING, &draining);
		reply_append(stream, REQUEST, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE, &done);
	} else if (kind == 2) {
		reply_append(stream, REQUEST, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR, &error);
	} else if (kind == 3) {
		reply_append(stream, 0, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR, &error);
	} else if (kind == 4) {
		reply_append(stream, 100, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE, &done);
	} else if (kind == 5) {
		reply_append(stream, REQUEST, COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET, NULL);
	}
}

static void
stream_seeds(const char *name, const struct part *parts, size_t count, bool more, size_t end)
{
	struct buffer answers, recording;
	buffer_init(&answers);
	buffer_init(&recording);
	for (size_t i = 0; i < count; i++)
		frame_append(&answers, &parts[i], more || i + 1 < count);
	end_append(&answers, end);
	request_append(&recording, true, 0);
	buffer_append(&recording, answers.bytes, answers.count);
	seed_write("client", name, answers.bytes, answers.count);
	seed_write("recording", name, recording.bytes, recording.count);
	buffer_finish(&recording);
	buffer_finish(&answers);
}

/* Files that are no recording of a run, or not all of one. */
static void
seeds_of_beginnings(void)
{
	static const struct {
		const char *name;
		size_t count;
		uint8_t bytes[24];
	} files[] = { { "empty", 0, { 0 } },
		          { "json", 14, "{\"circles\":[]}" },
		          { "json_blanks", 8, "\n\n{  }\n " },
		          { "snapshot", 16, "collide\x1a" },
		          { "length_cut", 1, { 0x80 } },
		          { "length_not_shortest", 3, { 0x80, 0x00, 0x00 } },
		          { "length_too_large", 5, { 0xff, 0xff, 0xff, 0xff, 0x0f } },
		          { "length_too_long", 6, { 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 } },
		          { "cut", 4, { 0x09, 0x08, 0x01, 0x32 } },
		          { "no_id", 3, { 0x02, 0x32, 0x00 } },
		          { "id_alone", 3, { 0x02, 0x08, 0x01 } },
		          { "other_request", 5, { 0x04, 0x08, 0x01, 0x3a, 0x00 } },
		          { "no_request", 5, { 0x04, 0x08, 0x01, 0x10, 0x00 } },
		          { "unknown", 14, { 0x0d, 0x08, 0x01, 0xf8, 0x7e, 0x01, 0x32, 0x06, 0xfa, 0x7e, 0x00, 0xf8, 0x7e, 0x01 } },
		          { "half_an_element", 10, { 0x09, 0x08, 0x01, 0x32, 0x05, 0x0a, 0x03, 0x0a, 0x01, 0x00 } },
		          { "bad_element", 13, { 0x0c, 8, 1, 0x32, 8, 0x0a, 6, 0x0a, 4, 0x72, 2, 0x80, 0 } },
		          { "bad_text", 9, { 0x08, 0x08, 0x01, 0x12, 0x04, 0x0a, 0x02, 0x41, 0xc3 } },
		          { "bad_id", 4, { 0x03, 0x08, 0x80, 0x00 } },
		          { "bad_tag", 5, { 0x04, 0x08, 0x01, 0x07, 0x00 } },
		          { "bad_simulate", 7, { 0x06, 0x08, 0x01, 0x32, 0x02, 0x11, 0x00 } } };
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		seed_write("recording", files[i].name, files[i].bytes, files[i].count);
	struct buffer stream;
	for (size_t bytes = 0; bytes <= 100; bytes += 50) {
		char name[40];
		buffer_init(&stream);
		request_append(&stream, false, bytes);
		(void)snprintf(name, sizeof name, "request_of_snapshot%zu", bytes);
		seed_write("recording", name, stream.bytes, stream.count);
		buffer_finish(&stream);
	}
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	buffer_init(&stream);
	reply_append(&stream, REQUEST, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE, &update);
	seed_write("recording", "of_a_world", stream.bytes, stream.count);
	buffer_finish(&stream);
}

void
seeds_of_frames(void)
{
	static const struct part two = PART("bodies", 2, 5);
	for (size_t i = 0; i < sizeof frames / sizeof frames[0]; i++)
		stream_seeds(frames[i].name, frames[i].parts, frames[i].count, false, 1);
	for (size_t end = 1; end <= 5; end++) {
		char name[20];
		(void)snprintf(name, sizeof name, "end%zu", end);
		stream_seeds(name, &two, 1, false, end);
	}
	stream_seeds("end_in_a_frame", &two, 1, true, 1);
	seeds_of_beginnings();
}
