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

/* Its first message goes with conversation_open in the target. */
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

/* All that was answered, but for the schema, which is long. */
static void
seed_of_answers(const struct buffer *stream)
{
	struct buffer seed;
	buffer_init(&seed);
	for (size_t at = 0, next; at < stream->count; at = next) {
		next = message_end(stream, at);
		if (next - at < 8192)
			buffer_append(&seed, stream->bytes + at, next - at);
	}
	seed_write("client", "answers", seed.bytes, seed.count);
	buffer_finish(&seed);
}

/* The parts of a run's recording: its request, and the replies to it. */
static void
seed_of_recording(const char *name, const struct exchange *exchange, uint64_t id)
{
	struct buffer seed;
	const struct buffer *const streams[] = { &exchange->asked, &exchange->answered };
	buffer_init(&seed);
	for (size_t i = 0; i < 2; i++) {
		for (size_t at = 0, next; at < streams[i]->count; at = next) {
			next = message_end(streams[i], at);
			const uint8_t *body = streams[i]->bytes + at;
			while ((*body++ & 0x80) != 0) {
			}
			/* Its id is the first field. */
			if (body[0] == 0x08 && body[1] == id)
				buffer_append(&seed, streams[i]->bytes + at, next - at);
		}
	}
	seed_write("recording", name, seed.bytes, seed.count);
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
	for (size_t step = 0; client_script_ask(&exchange.script, step, exchange.core); step++)
		exchange_run(&exchange, &talk);
	buffer_append(&exchange.answered, talk.arrived.bytes, talk.arrived.count);
	size_t hello = message_end(&exchange.asked, 0);
	const uint8_t *stream = exchange.asked.bytes + hello;
	size_t count = exchange.asked.count - hello;
	seed_with_schedule("whole", pieces, 0, stream, count);
	seed_with_schedule("pieces", pieces, sizeof pieces, stream, count);
	seed_of_answers(&exchange.answered);
	seeds_of_messages(&exchange.asked, 0);
	seeds_of_messages(&exchange.answered, 1);
	seed_of_recording("frames", &exchange, 4);
	seed_of_recording("paths", &exchange, 5);
	conversation_finish(&talk);
	collide_core_destroy(exchange.core);
	buffer_finish(&exchange.asked);
	buffer_finish(&exchange.answered);
}
