/* Requests that are made once, and replies that are not unpacked, against what protobuf-c makes and reads. */
#include "client/load/load_reply.h"
#include "client/load/prepared.h"
#include "client/replies.h"

#include "proto/frame.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

static Collide__V1__ClientMessage *
message_of(struct bytes *bytes)
{
	size_t header_bytes;
	uint32_t body_bytes;
	const uint8_t *at = bytes->memory + bytes->start;
	assert_int_equal(frame_header_read(at, bytes_count(bytes), UINT32_MAX, &header_bytes, &body_bytes), FRAME_OK);
	assert_true(header_bytes + body_bytes <= bytes_count(bytes));
	Collide__V1__ClientMessage *message = collide__v1__client_message__unpack(NULL, body_bytes, at + header_bytes);
	assert_non_null(message);
	bytes_consume(bytes, header_bytes + body_bytes);
	return message;
}

static void
only_the_id_differs(void **state)
{
	(void)state;
	static const double x[] = { 1, 2, 3 }, radius[] = { 0.5 };
	const struct collide_scene scene = { .circles = { .x = { x, 3 }, .radius = { radius, 1 } } };
	const struct collide_simulation simulation = { .scene = &scene, .dt = 0.25, .ticks = 7, .every = 2 };
	static const uint64_t ids[] = { 1, 127, 128, 16384, UINT32_MAX, UINT64_MAX };
	struct prepared prepared = { 0 };
	struct bytes bytes = { 0 };
	struct collide_error error;
	assert_true(prepared_make(&simulation, &prepared, &error));
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
		assert_true(prepared_append(&prepared, ids[i], &bytes));
	for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
		Collide__V1__ClientMessage *message = message_of(&bytes);
		assert_true(message->request_id == ids[i]);
		assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE);
		assert_int_equal(message->simulate->ticks, 7);
		assert_double_same_bits(message->simulate->dt, 0.25);
		assert_int_equal(message->simulate->scene->circle_columns->n_x, 3);
		collide__v1__client_message__free_unpacked(message, NULL);
	}
	assert_int_equal(bytes_count(&bytes), 0);
	bytes_finish(&bytes);
	prepared_finish(&prepared);
	const struct collide_simulation nothing = { .dt = 1, .ticks = 1 };
	assert_false(prepared_make(&nothing, &prepared, &error));
	assert_string_equal(error.reason, "NO_SCENE");
}

/* The body of the only message. */
static const uint8_t *
body_of(const struct replies *replies, size_t *count)
{
	size_t header_bytes;
	uint32_t body_bytes;
	assert_int_equal(frame_header_read(replies->bytes, replies->count, UINT32_MAX, &header_bytes, &body_bytes), FRAME_OK);
	*count = body_bytes;
	return replies->bytes + header_bytes;
}

static struct load_reply
reply_of(struct replies *replies, bool expected)
{
	struct load_reply reply;
	size_t count;
	const uint8_t *body = body_of(replies, &count);
	assert_int_equal(load_reply_read(body, count, &reply), expected);
	return reply;
}

static void
frames_and_parts_are_told_apart(void **state)
{
	(void)state;
	struct replies replies = { 0 };
	replies_append_part(&replies, 300, 5, false, 0, 40, 0, 3);
	struct load_reply reply = reply_of(&replies, true);
	assert_int_equal(reply.kind, REPLY_FRAME);
	assert_int_equal(reply.request_id, 300);
	replies_finish(&replies);
	replies_append_part(&replies, 301, 5, true, 0, 40, 0, 3);
	reply = reply_of(&replies, true);
	assert_int_equal(reply.kind, REPLY_PART);
	assert_int_equal(reply.request_id, 301);
	replies_finish(&replies);
}

static void
done_is_read_whole(void **state)
{
	(void)state;
	Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	done.ticks = UINT64_MAX;
	done.events = 1;
	done.collisions = 1234567890123;
	done.hash = 99;
	done.engine_seconds = 0.125;
	done.worker_seconds = 0.5;
	done.waiting_seconds = 1e-9;
	message.request_id = UINT64_MAX;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE;
	message.simulate_done = &done;
	struct replies replies = { 0 };
	replies_append(&replies, &message);
	struct load_reply reply = reply_of(&replies, true);
	assert_int_equal(reply.kind, REPLY_DONE);
	assert_true(reply.request_id == UINT64_MAX && reply.ticks == UINT64_MAX && reply.collisions == done.collisions);
	assert_double_same_bits(reply.engine_seconds, 0.125);
	assert_double_same_bits(reply.worker_seconds, 0.5);
	assert_double_same_bits(reply.waiting_seconds, 1e-9);
	replies_finish(&replies);
}

static void
errors_are_unpacked(void **state)
{
	(void)state;
	struct replies replies = { 0 };
	struct collide_error error;
	replies_append_error(&replies, 9, COLLIDE__V1__CODE__CODE_INVALID_ARGUMENT, "so it is");
	struct load_reply reply = reply_of(&replies, true);
	assert_int_equal(reply.kind, REPLY_ERROR);
	assert_int_equal(reply.request_id, 9);
	assert_true(load_reply_error(&reply, &error));
	assert_int_equal(error.code, COLLIDE_INVALID_ARGUMENT);
	assert_int_equal(error.origin, COLLIDE_FROM_SERVER);
	assert_string_equal(error.text, "so it is");
	replies_finish(&replies);
}

static void
what_answers_no_simulate_is_refused(void **state)
{
	(void)state;
	struct replies replies = { 0 };
	replies_append_pong(&replies, 9, "x", 1);
	reply_of(&replies, false);
	replies_finish(&replies);
	replies_append_welcome(&replies, 1, 5);
	reply_of(&replies, false);
	replies_finish(&replies);
	struct load_reply reply;
	assert_false(load_reply_read((const uint8_t *)"", 0, &reply));
	assert_false(load_reply_read((const uint8_t *)"\x08\x05", 2, &reply)); /* an id and nothing else */
}

/* Cut short anywhere and with any byte changed it reads no further than its bytes (the sanitizer looks), and what protobuf-c
 * refuses for its lengths it refuses as well. */
static void
damaged_replies_are_survived(void **state)
{
	(void)state;
	struct replies replies = { 0 };
	uint64_t random = 1, refused = 0;
	size_t count;
	replies_append_part(&replies, 300, 5, false, 0, 40, 0, 3);
	const uint8_t *body = body_of(&replies, &count);
	for (size_t i = 0; i < 20000; i++) {
		size_t length = i < count ? i : count;
		uint8_t *copy = malloc(length + 1);
		struct load_reply reply;
		assert_non_null(copy);
		memcpy(copy, body, length);
		if (i >= count)
			copy[random_below(&random, 40)] ^= (uint8_t)(1 + random_below(&random, 255));
		uint8_t *exact = realloc(copy, length > 0 ? length : 1);
		assert_non_null(exact);
		refused += load_reply_read(exact, length, &reply) ? 0 : 1;
		if (i > 3 && i < count)
			assert_false(load_reply_read(exact, length, &reply)); /* the frame's own length says that bytes are missing */
		free(exact);
	}
	assert_true(refused > count - 4 && refused < 20000);
	replies_finish(&replies);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_id_differs),
		cmocka_unit_test(frames_and_parts_are_told_apart),
		cmocka_unit_test(done_is_read_whole),
		cmocka_unit_test(errors_are_unpacked),
		cmocka_unit_test(what_answers_no_simulate_is_refused),
		cmocka_unit_test(damaged_replies_are_survived),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
