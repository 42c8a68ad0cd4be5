/* The beginning of a conversation: Hello first, or one Error and the end. */
#include "session/fixture.h"

#include "proto/frame.h"
#include "scene/limits.h"
#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void
say_hello(uint64_t id, uint32_t version_min, uint32_t version_max)
{
	struct buffer message;
	buffer_init(&message);
	pack_hello(&message, id, version_min, version_max);
	say(&conversation, &message);
	buffer_finish(&message);
}

static int
setup(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	conversation_start(&conversation, &limits);
	return 0;
}

static void
welcome_announces_every_limit_as_it_is(void **state)
{
	(void)state;
	const struct session_limits *limits = &conversation.service.limits;
	say_hello(9, 1, 3);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->request_id, 9);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	const Collide__V1__Welcome *welcome = reply->welcome;
	assert_int_equal(welcome->version, 1);
	assert_string_equal(welcome->server, "collided " COLLIDED_VERSION);
	assert_int_equal(welcome->instance_id, 42);
	assert_int_equal(welcome->ping_interval_ms, limits->ping_interval_ms);
	assert_int_equal(welcome->n_features, 0);
	assert_int_equal(welcome->optional_limits_case, COLLIDE__V1__WELCOME__OPTIONAL_LIMITS_LIMITS);
	const Collide__V1__Limits *announced = welcome->limits;
	assert_int_equal(announced->message_bytes_max, limits->message_bytes_max);
	assert_int_equal(announced->frame_bytes_max, SCENE_PART_BYTES_MAX);
	assert_int_equal(announced->requests_in_flight_max, limits->requests_in_flight_max);
	assert_int_equal(announced->circles_max, limits->scene.circles_max);
	assert_int_equal(announced->segments_max, limits->scene.segments_max);
	assert_int_equal(announced->hand_written_max, limits->scene.hand_written_max);
	assert_int_equal(announced->ticks_max, limits->scene.ticks_max);
	assert_int_equal(announced->events_per_body_max, limits->scene.events_per_body_max);
	assert_int_equal(announced->work_per_tick_max, limits->scene.work_per_tick_max);
	assert_int_equal(announced->work_per_body_max, limits->scene.work_per_body_max);
	assert_int_equal(announced->contacts_per_tick_max, limits->scene.contacts_per_tick_max);
	assert_int_equal(announced->memory_bytes_max, limits->scene.memory_bytes_max);
	assert_int_equal(announced->deadline_ms_max, limits->scene.deadline_ms_max);
	release_reply(reply);
	size_t count = 0;
	assert_memory_equal(session_client_name(conversation.session, &count), "test", 4);
	assert_int_equal(count, 4);
	assert_null(conversation.closed);
}

/* Each at a number of its own, so that none is taken for another. */
static void
welcome_announces_every_limit_of_worlds(void **state)
{
	(void)state;
	struct session_limits all = conversation_limits();
	const struct worlds_limits *limits = &all.worlds;
	all.worlds = (struct worlds_limits){
		.worlds_max = 101,
		.worlds_per_account_max = 102,
		.maps_max = 103,
		.seats_per_world_max = 104,
		.subscriptions_per_world_max = 105,
		.tick_hz_max = 106,
		.batches_waiting_max = 107,
		.batch_rows_max = 108,
		.batch_bytes_max = 109,
		.ahead_ticks_max = 110,
		.history_ticks_max = 111,
		.world_bytes_max = 112,
		.journal_bytes_max = 113,
		.owed_bytes_max = 114,
		.kept_bytes_max = 115,
		.batches_per_second_max = 116,
		.bytes_per_second_max = 117,
		.outcomes_max = 118,
		.resimulated_ticks_max = 119,
	};
	conversation_finish(&conversation);
	conversation_start(&conversation, &all);
	say_hello(9, 1, 1);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WELCOME);
	assert_int_equal(reply->welcome->limits->optional_worlds_case, COLLIDE__V1__LIMITS__OPTIONAL_WORLDS_WORLDS);
	const Collide__V1__WorldLimits *announced = reply->welcome->limits->worlds;
	assert_int_equal(announced->worlds_max, limits->worlds_max);
	assert_int_equal(announced->worlds_per_account_max, limits->worlds_per_account_max);
	assert_int_equal(announced->maps_max, limits->maps_max);
	assert_int_equal(announced->seats_per_world_max, limits->seats_per_world_max);
	assert_int_equal(announced->subscriptions_per_world_max, limits->subscriptions_per_world_max);
	assert_int_equal(announced->tick_hz_max, limits->tick_hz_max);
	assert_int_equal(announced->batches_waiting_max, limits->batches_waiting_max);
	assert_int_equal(announced->batch_rows_max, limits->batch_rows_max);
	assert_int_equal(announced->batch_bytes_max, limits->batch_bytes_max);
	assert_int_equal(announced->ahead_ticks_max, limits->ahead_ticks_max);
	assert_int_equal(announced->history_ticks_max, limits->history_ticks_max);
	assert_int_equal(announced->world_bytes_max, limits->world_bytes_max);
	assert_int_equal(announced->journal_bytes_max, limits->journal_bytes_max);
	assert_int_equal(announced->owed_bytes_max, limits->owed_bytes_max);
	assert_int_equal(announced->kept_bytes_max, limits->kept_bytes_max);
	assert_int_equal(announced->batches_per_second_max, limits->batches_per_second_max);
	assert_int_equal(announced->bytes_per_second_max, limits->bytes_per_second_max);
	assert_int_equal(announced->outcomes_max, limits->outcomes_max);
	assert_int_equal(announced->resimulated_ticks_max, limits->resimulated_ticks_max);
	release_reply(reply);
}

static void
version_not_spoken(void **state)
{
	(void)state;
	say_hello(1, 2, 5);
	expect_error(&conversation, 1, STATUS_FAILED_PRECONDITION, "VERSION");
	expect_closed(&conversation, "VERSION", true);
}

static void
request_before_hello(void **state)
{
	(void)state;
	say_ping(&conversation, 5);
	expect_error(&conversation, 5, STATUS_FAILED_PRECONDITION, "HELLO_FIRST");
	expect_closed(&conversation, "HELLO_FIRST", true);
}

static void
hello_with_request_id_zero(void **state)
{
	(void)state;
	say_hello(0, 1, 1);
	expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "REQUEST_ID");
	expect_closed(&conversation, "REQUEST_ID", true);
}

static void
hello_twice_keeps_the_connection(void **state)
{
	(void)state;
	say_hello(1, 1, 1);
	release_reply(next_reply(&conversation));
	say_hello(2, 1, 1);
	expect_error(&conversation, 2, STATUS_FAILED_PRECONDITION, "HELLO_TWICE");
	say_ping(&conversation, 3);
	expect_pong(&conversation, 3);
	assert_null(conversation.closed);
}

static void
other_protocols_on_the_port(void **state)
{
	(void)state;
	static const char *const openings[] = {
		"GET / HTTP/1.1\r\n\r\n",
		"\x16\x03\x01\x02",
		"SSH-2.0-OpenSSH_9.2\r\n",
	};
	for (size_t i = 0; i < sizeof openings / sizeof openings[0]; i++) {
		struct session_limits limits = conversation_limits();
		conversation_finish(&conversation);
		conversation_start(&conversation, &limits);
		say_bytes(&conversation, (const uint8_t *)openings[i], strlen(openings[i]));
		expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "NOT_COLLIDE");
		expect_closed(&conversation, "NOT_COLLIDE", true);
	}
}

static void
first_message_longer_than_any_hello(void **state)
{
	(void)state;
	uint8_t header[FRAME_HEADER_BYTES_MAX];
	size_t count = frame_header_write(header, SESSION_CONTROL_BYTES_MAX + 1);
	say_bytes(&conversation, header, count);
	expect_error(&conversation, 0, STATUS_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE");
	expect_closed(&conversation, "FRAME_TOO_LARGE", true);
}

static void
no_hello_in_time(void **state)
{
	(void)state;
	clock_move_ms(conversation.service.limits.hello_timeout_ms - 1);
	clock_move_ns(999999);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	clock_move_ns(1);
	session_on_time(conversation.session);
	expect_error(&conversation, 0, STATUS_DEADLINE_EXCEEDED, "HELLO_TIMEOUT");
	expect_closed(&conversation, "HELLO_TIMEOUT", true);
}

static void
end_before_hello(void **state)
{
	(void)state;
	session_on_end(conversation.session);
	expect_silence(&conversation);
	expect_closed(&conversation, "END", true);
}

static void
server_going_away_before_hello(void **state)
{
	(void)state;
	session_drain(conversation.session, 0);
	expect_error(&conversation, 0, STATUS_UNAVAILABLE, "SHUTTING_DOWN");
	expect_closed(&conversation, "SHUTTING_DOWN", true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_AFTER(welcome_announces_every_limit_as_it_is, setup),
		TEST_AFTER(welcome_announces_every_limit_of_worlds, setup),
		TEST_AFTER(version_not_spoken, setup),
		TEST_AFTER(request_before_hello, setup),
		TEST_AFTER(hello_with_request_id_zero, setup),
		TEST_AFTER(hello_twice_keeps_the_connection, setup),
		TEST_AFTER(other_protocols_on_the_port, setup),
		TEST_AFTER(first_message_longer_than_any_hello, setup),
		TEST_AFTER(no_hello_in_time, setup),
		TEST_AFTER(end_before_hello, setup),
		TEST_AFTER(server_going_away_before_hello, setup),
	};
	return cmocka_run_group_tests_name("session/hello", tests, NULL, NULL);
}
