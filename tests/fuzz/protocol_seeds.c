/* Seeds of the protocol: what a client of libcollide asks the session for, and what the session answers. */
#include "fuzz/client_script.h"
#include "fuzz/fuzz_seeds.h"
#include "session/conversation.h"

#include "proto/frame.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct exchange {
	struct collide_core *core;
	struct client_script script;
	struct buffer asked, answered;
};

/* Moves what the core has to say to the session, and back what the session answers. */
static void
exchange_run(struct exchange *exchange, struct conversation *talk)
{
	size_t count, room;
	struct collide_event event;
	const uint8_t *bytes = collide_core_output(exchange->core, &count);
	buffer_append(&exchange->asked, bytes, count);
	assert_int_equal(say_bytes(talk, bytes, count), count);
	collide_core_sent(exchange->core, count);
	run_all(talk);
	client_reads(talk, SIZE_MAX);
	while (talk->arrived_read < talk->arrived.count) {
		uint8_t *to = collide_core_input(exchange->core, &room);
		size_t left = talk->arrived.count - talk->arrived_read, piece = left < room ? left : room;
		assert_non_null(to);
		memcpy(to, talk->arrived.bytes + talk->arrived_read, piece);
		collide_core_received(exchange->core, piece);
		talk->arrived_read += piece;
		while (collide_core_next(exchange->core, &event)) {
			if (event.kind == COLLIDE_EVENT_ERROR || event.kind == COLLIDE_EVENT_FAILED)
				fail_msg("%llu %s: %s", (unsigned long long)event.request_id, event.as.error->reason, event.as.error->text);
			client_script_hear(&exchange->script, &event);
		}
	}
}

/* Where the message that begins at `at` ends. */
static size_t
message_end(const struct buffer *stream, size_t at)
{
	size_t header;
	uint32_t body;
	assert_int_equal(frame_header_read(stream->bytes + at, stream->count - at, UINT32_MAX, &header, &body), FRAME_OK);
	return at + header + body;
}

static void
seed_with_schedule(const char *name, const uint8_t *schedule, uint8_t schedule_count, const uint8_t *stream, size_t count)
{
	struct buffer seed;
	buffer_init(&seed);
	buffer_append(&seed, &schedule_count, 1);
	buffer_append(&seed, schedule, schedule_count);
	buffer_append(&seed, stream, count);
	seed_write("session", name, seed.bytes, seed.count);
	buffer_finish(&seed);
}

/* Each message of the stream for itself, for what reads one. */
static void
seeds_of_messages(const struct buffer *stream, uint8_t type)
{
	unsigned number = 0;
	for (size_t at = 0, next; at < stream->count; at = next, number++) {
		char name[40];
		struct buffer seed;
		next = message_end(stream, at);
		size_t body_at = at + 1;
		while ((stream->bytes[body_at - 1] & 0x80) != 0)
			body_at++;
		buffer_init(&seed);
		buffer_append(&seed, &type, 1);
		buffer_append(&seed, stream->bytes + body_at, next - body_at);
		(void)snprintf(name, sizeof name, "%s%u", type == 0 ? "asked" : "answered", number);
		if (seed.count < 4096)
			seed_write("unpack", name, seed.bytes, seed.count);
		buffer_finish(&seed);
	}
}

/* Of a message that begins with its id, which is below 128. */
static bool
message_has_id(const uint8_t *message, uint8_t id)
{
	while ((*message & 0x80) != 0)
		message++;
	return message[1] == 0x08 && message[2] == id;
}

/* Adds what has the id; of the server's schema, which is long, nothing. */
static void
messages_add(struct buffer *seed, const struct buffer *stream, uint8_t id)
{
	enum { LONG_BYTES = 8192 };
	for (size_t at = 0, next; at < stream->count; at = next) {
		next = message_end(stream, at);
		if (next - at < LONG_BYTES && message_has_id(stream->bytes + at, id))
			buffer_append(seed, stream->bytes + at, next - at);
	}
}

/* The answers to each request for themselves, behind the Welcome, and to all that are about a world. */
static void
seeds_of_answers(const struct buffer *stream, uint8_t requests)
{
	enum { HELLO = 1, FIRST_OF_WORLD = 12 };
	struct buffer world;
	buffer_init(&world);
	messages_add(&world, stream, HELLO);
	for (uint8_t id = HELLO + 1; id <= requests; id++) {
		char name[40];
		struct buffer seed;
		buffer_init(&seed);
		messages_add(&seed, stream, HELLO);
		messages_add(&seed, stream, id);
		if (id >= FIRST_OF_WORLD)
			messages_add(&world, stream, id);
		(void)snprintf(name, sizeof name, "answer%u", id);
		seed_write("client", name, seed.bytes, seed.count);
		buffer_finish(&seed);
	}
	seed_write("client", "world", world.bytes, world.count);
	buffer_finish(&world);
}

/* The answers to each request about a world, behind those to the Attach, for a channel. */
static void
seeds_of_channel_answers(const struct buffer *stream, uint8_t requests)
{
	enum { ATTACH = 12, FIRST_SUBSCRIBE = 14, BYTES_MAX = 3000 };
	for (uint8_t id = FIRST_SUBSCRIBE; id <= requests; id++) {
		char name[40];
		struct buffer seed;
		buffer_init(&seed);
		messages_add(&seed, stream, ATTACH);
		messages_add(&seed, stream, id);
		(void)snprintf(name, sizeof name, "answer%u", id);
		if (seed.count < BYTES_MAX)
			seed_of_channel(name, seed.bytes, seed.count);
		buffer_finish(&seed);
	}
}

/* The answer to what the target asks for behind the script. */
static void
seed_of_recorded(uint64_t id)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Recorded recorded = COLLIDE__V1__RECORDED__INIT;
	char file[] = "w.rec";
	uint8_t bytes[80];
	recorded.file = file;
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_RECORDED;
	message.recorded = &recorded;
	bytes[0] = (uint8_t)collide__v1__server_message__pack(&message, bytes + 1);
	seed_write("client", "recorded", bytes, 1u + bytes[0]);
}

/* A block of a frame of zstd, that holds its bytes as they are. */
static void
block_append(struct buffer *seed, const uint8_t *bytes, size_t count, bool last)
{
	const uint8_t header[3] = { (uint8_t)(count << 3 | last), (uint8_t)(count >> 5), (uint8_t)(count >> 13) };
	buffer_append(seed, header, sizeof header);
	buffer_append(seed, bytes, count);
}

/* The recording in two frames of zstd. Nothing is compressed, and there is no checksum, so that bytes can be changed. */
static void
seeds_of_packed(const struct buffer *plain)
{
	/* Magic number; a window of 16 KiB, as large as the recording. */
	static const uint8_t header[] = { 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x20 };
	/* Magic number, length and bytes of a frame that is skipped. */
	static const uint8_t skipped[] = { 0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7 };
	/* The last block is 300 times a byte of 0: empty messages. */
	static const uint8_t empty_messages[] = { (300 << 3 & 0xff) | 3, 300 >> 5, 0, 0 };
	const size_t half = plain->count / 2, end_of_first = sizeof header + 3 + half;
	struct buffer seed;
	buffer_init(&seed);
	buffer_append(&seed, header, sizeof header);
	block_append(&seed, plain->bytes, half, true);
	buffer_append(&seed, skipped, sizeof skipped);
	buffer_append(&seed, header, sizeof header);
	block_append(&seed, plain->bytes + half, plain->count - half, true);
	seed_write("recording", "packed", seed.bytes, seed.count);
	seed_write("recording", "packed_first_frame", seed.bytes, end_of_first);
	seed_write("recording", "packed_cut", seed.bytes, seed.count - 40);
	seed_write("recording", "packed_empty", seed.bytes, sizeof header);
	seed.bytes[sizeof header] |= 3 << 1; /* a kind of block that there is not */
	seed_write("recording", "packed_damaged", seed.bytes, end_of_first);
	buffer_finish(&seed);
	buffer_init(&seed);
	buffer_append(&seed, header, sizeof header);
	block_append(&seed, plain->bytes, plain->count, false);
	buffer_append(&seed, empty_messages, sizeof empty_messages);
	seed_write("recording", "packed_empty_messages", seed.bytes, seed.count);
	buffer_finish(&seed);
}

/* A run's recording: its request, and the replies to it. */
static void
seeds_of_recording(const char *name, const struct exchange *exchange, uint8_t id, bool packed)
{
	struct buffer seed;
	buffer_init(&seed);
	messages_add(&seed, &exchange->asked, id);
	messages_add(&seed, &exchange->answered, id);
	seed_write("recording", name, seed.bytes, seed.count);
	if (packed)
		seeds_of_packed(&seed);
	buffer_finish(&seed);
}

void
seeds_of_protocol(void)
{
	static const uint8_t pieces[] = {
		0x31, 0x04, 0x52, 0x17, 0x04, 0x0c, 0x33, 0x04, 0xa0, 0x0b, 0x06, 0x99, 0xc0, 0x04, 0x08
	};
	struct conversation talk;
	struct exchange exchange = { .core = collide_core_create(NULL) };
	struct session_limits limits = conversation_limits();
	assert_non_null(exchange.core);
	buffer_init(&exchange.asked);
	buffer_init(&exchange.answered);
	conversation_start(&talk, &limits);
	uint8_t steps = 0;
	for (; client_script_ask(&exchange.script, steps, exchange.core); steps++)
		exchange_run(&exchange, &talk);
	assert_in_range(steps, 25, 127);
	buffer_append(&exchange.answered, talk.arrived.bytes, talk.arrived.count);
	/* The target says Hello itself. */
	size_t hello = message_end(&exchange.asked, 0);
	const uint8_t *stream = exchange.asked.bytes + hello;
	size_t count = exchange.asked.count - hello;
	for (size_t at = hello, next, number = 2; at < exchange.asked.count; at = next, number++) {
		char name[40];
		next = message_end(&exchange.asked, at);
		(void)snprintf(name, sizeof name, "asked%zu", number);
		seed_with_schedule(name, pieces, sizeof pieces, exchange.asked.bytes + at, next - at);
	}
	seed_with_schedule("whole", pieces, 0, stream, count);
	seed_with_schedule("pieces", pieces, sizeof pieces, stream, count);
	seeds_of_answers(&exchange.answered, steps);
	seeds_of_channel_answers(&exchange.answered, steps);
	seed_of_recorded(collide_core_ping(exchange.core, NULL, 0, NULL));
	seeds_of_messages(&exchange.asked, 0);
	seeds_of_messages(&exchange.answered, 1);
	seeds_of_recording("frames", &exchange, 4, true);
	seeds_of_recording("paths", &exchange, 5, false);
	conversation_finish(&talk);
	collide_core_destroy(exchange.core);
	buffer_finish(&exchange.asked);
	buffer_finish(&exchange.answered);
}
