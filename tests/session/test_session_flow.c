/* The flow of bytes: slow readers, half-closed and reset connections, messages that do not arrive, ends. */
#include "session/fixture.h"

#include "scene/limits.h"
#include "session/limits.h"
#include "support/effort.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Of eight requests in one piece four are with workers; a request that returns waits behind the others, slice by slice. */
static void
requests_that_come_together_take_turns(void **state)
{
	(void)state;
	enum { TICKS = 300 }; /* of 100 circles: about a megabyte, more than three slices */
	struct buffer message;
	uint64_t frames[10] = { 0 }, done = 0, last = 0;
	buffer_init(&message);
	for (uint64_t id = 2; id < 10; id++)
		pack_simulate(&message, id, 100, TICKS, 0);
	say(&conversation, &message);
	buffer_finish(&message);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX);
	run_all(&conversation);
	for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
		const uint64_t id = reply->request_id;
		assert_in_range(id, 2, 9);
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME) {
			assert_int_equal(reply->frame->tick, ++frames[id]);
			assert_true(id == last || id == last + 1 || (id == 2 && (last == 9 || last == 0)));
			last = id;
		} else {
			assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
			assert_int_equal(frames[id], TICKS);
			done++;
		}
		release_reply(reply);
	}
	assert_int_equal(done, 8);
}

/* One that waits between others is cancelled: it leaves the list, and no other does. */
static void
request_between_others_that_wait_is_cancelled(void **state)
{
	(void)state;
	for (uint64_t gone = 6; gone < 10; gone++) {
		struct buffer message;
		uint64_t done = 0;
		buffer_init(&message);
		for (uint64_t id = 2; id < 10; id++)
			pack_simulate(&message, id, 100, 3, 0);
		conversation.room = 0;
		say(&conversation, &message);
		buffer_finish(&message);
		conversation.room = SIZE_MAX;
		say_cancel(&conversation, 20, gone);
		run_all(&conversation);
		for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
			const bool ends = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE;
			assert_false(ends && reply->request_id == gone);
			done |= ends ? UINT64_C(1) << reply->request_id : 0;
			release_reply(reply);
		}
		assert_int_equal(done, 0x3fc & ~(UINT64_C(1) << gone));
		assert_int_equal(conversation.service.requests_under_way, 0);
	}
}

static void
reading_stops_while_replies_wait_and_goes_on_at_half(void **state)
{
	(void)state;
	struct buffer message;
	conversation.room = 0;
	buffer_init(&message);
	pack_ping(&message, 7, "hello");
	for (unsigned i = 0; conversation.reading; i++) {
		assert_true(i < 10000);
		say_bytes(&conversation, message.bytes, message.count);
	}
	size_t held = conversation.waiting.count;
	assert_in_range(held, SESSION_QUEUE_PAUSE_BYTES, SESSION_QUEUE_PAUSE_BYTES + 100);
	client_reads(&conversation, held - SESSION_QUEUE_PAUSE_BYTES / 2 - 1);
	assert_false(conversation.reading);
	client_reads(&conversation, 1);
	assert_true(conversation.reading);
	buffer_finish(&message);
}

static void
flood_in_one_piece_is_held_back_and_answered_in_turns(void **state)
{
	(void)state;
	enum { PINGS = 8000 };
	struct buffer message;
	unsigned turns = 0;
	buffer_init(&message);
	for (unsigned i = 0; i < PINGS; i++)
		pack_ping(&message, 1 + i, "hello");
	session_on_bytes(conversation.session, message.bytes, message.count);
	buffer_finish(&message);
	assert_false(conversation.reading);
	while (conversation.later_asked) {
		size_t before = conversation.arrived.count;
		conversation.later_asked = false;
		turns++;
		session_on_later(conversation.session);
		assert_in_range(conversation.arrived.count - before, 0, SESSION_MESSAGES_AT_ONCE * 20);
	}
	assert_int_equal(turns, PINGS / SESSION_MESSAGES_AT_ONCE - 1);
	assert_true(conversation.reading);
	for (unsigned i = 0; i < PINGS; i++)
		expect_pong(&conversation, 1 + i);
}

static void
flood_by_one_who_does_not_read_costs_little(void **state)
{
	(void)state;
	struct buffer message;
	conversation.room = 0;
	buffer_init(&message);
	/* Sixteen bytes of request for a hundred bytes of error each. */
	for (unsigned i = 0; i < 5000; i++)
		pack_hello(&message, 1 + i, 1, 1);
	say(&conversation, &message);
	buffer_finish(&message);
	assert_in_range(conversation.waiting_peak, SESSION_QUEUE_PAUSE_BYTES, SESSION_QUEUE_PAUSE_BYTES * 5 / 4);
	for (unsigned i = 0; i < 5000;) {
		client_reads(&conversation, 1000);
		for (; i < 5000; i++) {
			Collide__V1__ServerMessage *reply = next_reply(&conversation);
			if (!reply)
				break;
			assert_int_equal(reply->request_id, 1 + i);
			release_reply(reply);
		}
	}
	assert_true(conversation.reading);
}

static void
half_closed_client_gets_all_its_replies(void **state)
{
	(void)state;
	conversation.room = 1000;
	say_simulate(&conversation, 2, 100, 200, 0);
	say_simulate(&conversation, 3, 3, 5, 0);
	session_on_end(conversation.session);
	assert_null(conversation.closed);
	while (!conversation.closed) {
		run_all(&conversation);
		client_reads(&conversation, 50000);
	}
	client_reads(&conversation, SIZE_MAX);
	unsigned done = 0;
	for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
		done += reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE ? 1 : 0;
		release_reply(reply);
	}
	assert_int_equal(done, 2);
	expect_closed(&conversation, "END", true);
}

static void
end_inside_a_message(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 5, 0);
	say_bytes(&conversation, (const uint8_t *)"\x20half", 5);
	session_on_end(conversation.session);
	expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "FRAME_TRUNCATED");
	assert_null(conversation.closed);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 5);
	expect_closed(&conversation, "END", true);
}

static void
reset_cancels_queued_work_and_discards_running_work(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000000, 0);
	say_simulate(&conversation, 3, 3, 1000000, 0);
	struct job *running = conversation.queue[0];
	conversation.queue[0] = conversation.queue[1];
	conversation.queue_count = 1;
	session_destroy(conversation.session);
	conversation.session = NULL;
	assert_int_equal(conversation.service.requests_under_way, 2);
	/* Whatever comes to a worker later makes nothing any more. */
	running->run(running);
	assert_true(request_of_job(running)->finished);
	assert_int_equal(request_of_job(running)->problem.status, STATUS_CANCELLED);
	take_back(&conversation, &running, 1);
	assert_int_equal(conversation.service.requests_under_way, 1);
	run_all(&conversation);
	assert_int_equal(conversation.service.requests_under_way, 0);
	assert_int_equal(conversation.service.memory_bytes, 0);
	expect_silence(&conversation);
}

/* The client goes while a worker steps its world. */
static void
destroy_session(void *context)
{
	struct conversation *with = context;
	session_destroy(with->session);
	with->session = NULL;
}

static void
reset_while_running(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000000, 0);
	clock_hook(50, destroy_session, &conversation);
	struct job *running = conversation.queue[0];
	conversation.queue_count = 0;
	running->run(running);
	assert_null(conversation.session);
	assert_true(request_of_job(running)->finished);
	assert_int_equal(request_of_job(running)->problem.status, STATUS_CANCELLED);
	assert_in_range(request_of_job(running)->out.count, 0, SESSION_SLICE_BYTES / 2); /* not a whole slice */
	take_back(&conversation, &running, 1);
	assert_int_equal(conversation.service.requests_under_way, 0);
}

static void
broken_framing_ends_everything(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 5, 0);
	say_bytes(&conversation, (const uint8_t *)"\xff\xff\xff\xff\xff\xff", 6);
	expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "FRAME_MALFORMED");
	expect_closed(&conversation, "FRAME_MALFORMED", true);
	run_all(&conversation);
	expect_silence(&conversation);
}

static void
length_over_the_limit_ends_the_connection(void **state)
{
	(void)state;
	/* 1 MiB + 1, and the limit is 1 MiB. */
	say_bytes(&conversation, (const uint8_t *)"\x81\x80\x40", 3);
	expect_error(&conversation, 0, STATUS_RESOURCE_EXHAUSTED, "FRAME_TOO_LARGE");
	expect_closed(&conversation, "FRAME_TOO_LARGE", true);
}

static void
message_of_the_longest_length_is_read(void **state)
{
	(void)state;
	uint32_t count = conversation.service.limits.message_bytes_max;
	uint8_t *bytes = calloc(1, count);
	assert_non_null(bytes);
	memset(bytes, 0xff, count);
	say_bytes(&conversation, (const uint8_t *)"\x80\x80\x40", 3);
	for (uint32_t at = 0; at < count; at += 65536)
		say_bytes(&conversation, bytes + at, 65536);
	free(bytes);
	expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "MALFORMED");
	say_ping(&conversation, 3);
	expect_pong(&conversation, 3);
}

static void
time_spent_not_read_does_not_count_against_a_message(void **state)
{
	(void)state;
	uint32_t timeout_ms = conversation.service.limits.frame_timeout_ms;
	struct buffer message;
	conversation.room = 0;
	buffer_init(&message);
	pack_ping(&message, 7, "hello");
	say_simulate(&conversation, 2, 100, 1000000, 0);
	say_bytes(&conversation, message.bytes, 3);
	run_all(&conversation);
	assert_false(conversation.reading);
	clock_move_ms(10 * (uint64_t)timeout_ms);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	client_reads(&conversation, SIZE_MAX);
	assert_true(conversation.reading);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	say_bytes(&conversation, message.bytes + 3, message.count - 3);
	buffer_finish(&message);
	(void)skip_frames(&conversation, 2);
	conversation.room = SIZE_MAX;
	client_reads(&conversation, SIZE_MAX);
	(void)skip_frames(&conversation, 2);
	expect_pong(&conversation, 7);
}

/* What it took before reading stopped and what it takes afterwards add up to the timeout, whatever lies in between. */
static void
time_spent_read_counts_before_and_after_a_pause(void **state)
{
	(void)state;
	const uint64_t timeout_ms = conversation.service.limits.frame_timeout_ms, before_ms = timeout_ms / 3;
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, 1000000, 0);
	say_bytes(&conversation, (const uint8_t *)"\x20", 1);
	clock_move_ms(before_ms);
	run_all(&conversation);
	assert_false(conversation.reading);
	clock_move_ms(7 * timeout_ms);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	client_reads(&conversation, SIZE_MAX);
	assert_true(conversation.reading);
	clock_move_ms(timeout_ms - before_ms - 1);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	clock_move_ms(1);
	session_on_time(conversation.session);
	expect_closed(&conversation, "FRAME_TIMEOUT", true);
}

static void
silent_connection_is_closed_after_three_intervals(void **state)
{
	(void)state;
	uint32_t interval_ms = conversation.service.limits.ping_interval_ms;
	clock_move_ms(3 * (uint64_t)interval_ms - 1);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	say_ping(&conversation, 2);
	clock_move_ms(3 * (uint64_t)interval_ms - 1);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	clock_move_ms(1);
	session_on_time(conversation.session);
	expect_closed(&conversation, "IDLE", true);
}

/* It stood still for a day: what its clients said meanwhile is read first. */
static void
time_that_the_process_stood_does_not_count(void **state)
{
	(void)state;
	const struct session_limits *limits = &conversation.service.limits;
	const uint64_t day_ms = 86400000, silent_ms = 3 * (uint64_t)limits->ping_interval_ms;
	clock_move_ms(silent_ms - 1 + day_ms);
	session_forgive(conversation.session, day_ms * 1000000);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	/* A message that is on its way. */
	say_bytes(&conversation, (const uint8_t *)"\x20", 1);
	clock_move_ms(limits->frame_timeout_ms - 1 + day_ms);
	session_forgive(conversation.session, day_ms * 1000000);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	/* Never more than a whole time-out from now on. */
	session_forgive(conversation.session, day_ms * 1000000);
	clock_move_ms(limits->frame_timeout_ms - 1);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	clock_move_ms(1);
	session_on_time(conversation.session);
	expect_closed(&conversation, "FRAME_TIMEOUT", true);
}

/* Without a limit for a message each of its bytes counts as a sign of life. */
static void
byte_of_a_message_is_a_sign_of_life(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	conversation_finish(&conversation);
	limits.frame_timeout_ms = 0;
	conversation_open(&conversation, &limits);
	for (unsigned i = 0; i < 3; i++) {
		clock_move_ms(3 * (uint64_t)limits.ping_interval_ms - 1);
		session_on_time(conversation.session);
		assert_null(conversation.closed);
		say_bytes(&conversation, (const uint8_t *)"\x20", 1);
	}
	clock_move_ms(3 * (uint64_t)limits.ping_interval_ms);
	session_on_time(conversation.session);
	expect_closed(&conversation, "IDLE", true);
}

static void
connection_with_a_request_under_way_is_not_idle(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 5, 0);
	clock_move_ms(UINT64_C(100) * conversation.service.limits.ping_interval_ms);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	run_all(&conversation);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
}

static void
drain_answers_what_is_under_way_and_admits_nothing(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 5, 0);
	session_drain(conversation.session, 0);
	assert_null(conversation.closed);
	say_simulate(&conversation, 3, 3, 5, 0);
	expect_error(&conversation, 3, STATUS_UNAVAILABLE, "SHUTTING_DOWN");
	say_ping(&conversation, 4);
	expect_pong(&conversation, 4);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 5);
	expect_closed(&conversation, "SHUTDOWN", true);
}

static void
drain_of_an_idle_connection_closes_it(void **state)
{
	(void)state;
	session_drain(conversation.session, 0);
	expect_silence(&conversation);
	expect_closed(&conversation, "SHUTDOWN", true);
}

static void
abort_answers_everything_with_unavailable(void **state)
{
	(void)state;
	for (uint64_t id = 2; id < 8; id++)
		say_simulate(&conversation, id, 3, 1000000, 0);
	session_abort(conversation.session);
	unsigned errors = 0;
	for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
		assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
		assert_int_equal(reply->error->code, STATUS_UNAVAILABLE);
		errors++;
		release_reply(reply);
	}
	assert_int_equal(errors, 6);
	expect_closed(&conversation, "SHUTDOWN", true);
	run_all(&conversation);
	assert_int_equal(conversation.service.requests_under_way, 0);
}

static void
large_frame_costs_a_part_at_most(void **state)
{
	(void)state;
	const uint32_t circles = (uint32_t)effort(60000, 200000);
	struct session_limits limits = conversation_limits();
	conversation_finish(&conversation);
	limits.message_bytes_max = 16 << 20;
	conversation_open(&conversation, &limits);
	conversation.room = 0;
	say_simulate(&conversation, 2, circles, 1, 0);
	run_all(&conversation);
	assert_in_range(conversation.waiting_peak, SESSION_SLICE_BYTES, SESSION_SLICE_BYTES + SCENE_PART_BYTES_MAX);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 100000);
		run_all(&conversation);
	}
	assert_in_range(conversation.waiting_peak, SESSION_SLICE_BYTES,
	                SESSION_SLICE_BYTES + SESSION_QUEUE_PAUSE_BYTES + SCENE_PART_BYTES_MAX);
	size_t bodies = 0;
	for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME)
			bodies += reply->frame->bodies->n_id;
		release_reply(reply);
	}
	assert_int_equal(bodies, circles);
}

/* Bytes that the C library has given out; 0 where a sanitizer has taken its place, which looks for leaks itself. */
static size_t
heap_bytes(void)
{
	struct mallinfo2 info = mallinfo2();
	return info.uordblks + info.hblkhd;
}

/* Requests that are answered and connections that end amid a message leave nothing behind. */
static void
memory_is_given_back(void **state)
{
	(void)state;
	const struct session_limits limits = conversation_limits();
	size_t after_some = 0;
	for (unsigned round = 0; round < 40; round++) {
		say_simulate(&conversation, 2, 100, 3, 0);
		run_all(&conversation);
		expect_simulation(&conversation, 2, 3);
		uint8_t begun[1003] = { 0xd0, 0x0f }; /* of 2,000 bytes */
		say_bytes(&conversation, begun, sizeof begun);
		conversation_finish(&conversation);
		conversation_open(&conversation, &limits);
		/* What malloc's lists of free blocks hold counts as given out, and takes some rounds to settle. */
		if (round == 19)
			after_some = heap_bytes();
	}
	assert_in_range(heap_bytes(), 0, after_some + 1024);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_that_come_together_take_turns),
		TEST(request_between_others_that_wait_is_cancelled),
		TEST(reading_stops_while_replies_wait_and_goes_on_at_half),
		TEST(flood_in_one_piece_is_held_back_and_answered_in_turns),
		TEST(flood_by_one_who_does_not_read_costs_little),
		TEST(half_closed_client_gets_all_its_replies),
		TEST(end_inside_a_message),
		TEST(reset_cancels_queued_work_and_discards_running_work),
		TEST(reset_while_running),
		TEST(broken_framing_ends_everything),
		TEST(length_over_the_limit_ends_the_connection),
		TEST(message_of_the_longest_length_is_read),
		TEST(time_spent_not_read_does_not_count_against_a_message),
		TEST(time_spent_read_counts_before_and_after_a_pause),
		TEST(silent_connection_is_closed_after_three_intervals),
		TEST(time_that_the_process_stood_does_not_count),
		TEST(byte_of_a_message_is_a_sign_of_life),
		TEST(connection_with_a_request_under_way_is_not_idle),
		TEST(drain_answers_what_is_under_way_and_admits_nothing),
		TEST(drain_of_an_idle_connection_closes_it),
		TEST(abort_answers_everything_with_unavailable),
		TEST(large_frame_costs_a_part_at_most),
		TEST(memory_is_given_back),
	};
	return cmocka_run_group_tests_name("session/flow", tests, NULL, NULL);
}
