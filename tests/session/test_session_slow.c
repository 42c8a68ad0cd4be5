/* Slow clients: those that read slowly or not at all, and messages that come slowly. */
#include "session/fixture.h"

#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void
slow_reader_costs_one_slice(void **state)
{
	(void)state;
	enum { TICKS = 1000 }; /* of 100 circles: 3.7 MB */
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	size_t runs = conversation.runs;
	assert_in_range(conversation.waiting.count, SESSION_SLICE_BYTES, SESSION_SLICE_BYTES + 5000);
	for (unsigned i = 0; i < 100; i++) {
		session_on_time(conversation.session);
		run_all(&conversation);
	}
	assert_int_equal(conversation.runs, runs);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 1000);
		run_all(&conversation);
	}
	assert_in_range(conversation.waiting_peak, SESSION_SLICE_BYTES, SESSION_SLICE_BYTES + SESSION_QUEUE_PAUSE_BYTES + 5000);
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

static void
slow_reader_of_many_requests_costs_a_slice_each(void **state)
{
	(void)state;
	conversation.room = 0;
	for (uint64_t id = 2; id < 10; id++)
		say_simulate(&conversation, id, 100, 1000, 0);
	run_all(&conversation);
	assert_in_range(conversation.waiting_peak, SESSION_SLICE_BYTES,
	                SESSION_SLICES_SUBMITTED_MAX * (SESSION_SLICE_BYTES + 5000));
	assert_int_equal(conversation.runs, SESSION_SLICES_SUBMITTED_MAX);
}

/* Also once the kernels of both ends have taken what they take. */
static void
client_that_never_reads_costs_128_KiB(void **state)
{
	(void)state;
	enum { FRAME_BYTES = 5000, BYTES = 128 * 1024 + SESSION_SLICES_SUBMITTED_MAX * FRAME_BYTES };
	for (size_t room = 0; room <= SESSION_UNREAD_BYTES; room += SESSION_UNREAD_BYTES / 4) {
		struct session_limits limits = conversation_limits();
		struct conversation other;
		conversation_open(&other, &limits);
		conversation_forget_reading(&other);
		other.room = room;
		for (uint64_t id = 2; id < 10; id++)
			say_simulate(&other, id, 100, 1000, 0);
		run_all(&other);
		assert_in_range(other.waiting_peak, SESSION_QUEUE_PAUSE_BYTES, BYTES);
		conversation_finish(&other);
	}
}

static void
client_that_reads_comes_to_full_slices(void **state)
{
	(void)state;
	enum { TICKS = 1000 }; /* of 100 circles: 3.7 MB */
	conversation_forget_reading(&conversation);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	/* 32 short ones, 16 that grow by a quarter each, and the rest are full. */
	assert_in_range(conversation.runs, 40, 70);
	conversation.runs = 0;
	say_simulate(&conversation, 3, 100, TICKS, 0);
	run_all(&conversation);
	assert_in_range(conversation.runs, 12, 16);
}

static void
byte_per_second_does_not_keep_a_message_alive(void **state)
{
	(void)state;
	uint32_t timeout_ms = conversation.service.limits.frame_timeout_ms;
	say_bytes(&conversation, (const uint8_t *)"\x20", 1);
	for (uint32_t ms = 1000; ms < timeout_ms; ms += 1000) {
		clock_move_ms(1000);
		say_bytes(&conversation, (const uint8_t *)"\x01", 1);
		session_on_time(conversation.session);
		assert_null(conversation.closed);
	}
	clock_move_ms(1000);
	session_on_time(conversation.session);
	expect_error(&conversation, 0, STATUS_DEADLINE_EXCEEDED, "FRAME_TIMEOUT");
	expect_closed(&conversation, "FRAME_TIMEOUT", true);
	/* Time means nothing any more. */
	clock_move_ms(timeout_ms);
	session_on_time(conversation.session);
	assert_int_equal(refusals(&conversation, "FRAME_TIMEOUT"), 1);
	expect_silence(&conversation);
}

/* A large message may take longer, at a rate that a slow line has: as long as it keeps that up. */
static void
message_of_a_slow_line_arrives(void **state)
{
	(void)state;
	enum { STEP = SESSION_MESSAGE_BYTES_PER_S_MIN, STEPS = 60 }; /* a second each */
	uint32_t timeout_ms = conversation.service.limits.frame_timeout_ms;
	static const uint8_t length[] = { 0x80, 0x80, 0x20 }; /* STEPS * STEP and more: 512 KiB */
	static const uint8_t bytes[STEP];
	assert_true(STEPS * 1000u > 2 * timeout_ms);
	say_bytes(&conversation, length, sizeof length);
	for (unsigned i = 0; i < STEPS; i++) {
		say_bytes(&conversation, bytes, STEP);
		clock_move_ms(1000);
		session_on_time(conversation.session);
		assert_null(conversation.closed);
	}
	clock_move_ms(timeout_ms - 1);
	session_on_time(conversation.session);
	assert_null(conversation.closed);
	clock_move_ms(1);
	session_on_time(conversation.session);
	expect_error(&conversation, 0, STATUS_DEADLINE_EXCEEDED, "FRAME_TIMEOUT");
	expect_closed(&conversation, "FRAME_TIMEOUT", true);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slow_reader_costs_one_slice),
		TEST(slow_reader_of_many_requests_costs_a_slice_each),
		TEST(client_that_never_reads_costs_128_KiB),
		TEST(client_that_reads_comes_to_full_slices),
		TEST(byte_per_second_does_not_keep_a_message_alive),
		TEST(message_of_a_slow_line_arrives),
	};
	return cmocka_run_group_tests_name("session/slow", tests, NULL, NULL);
}
