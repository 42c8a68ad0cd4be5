/* Workers that go on with a request while the loop sends what they made: the same stream, no more memory, every client's share.
 */
#include "session/fixture.h"

#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

/* Of 100 circles: about 3.7 MB, in frames of this many bytes at most. */
enum { TICKS = 1000, FRAME_BYTES = 5000 };

static size_t countdown;

/* ---- what the loop does meanwhile */

static void
keep_up(struct conversation *talk)
{
	session_on_chunks(&talk->service);
}

static void
do_nothing(struct conversation *talk)
{
	(void)talk;
}

/* Every third time, so that the worker sometimes finds its chunk fetched and sometimes not. */
static void
lag(struct conversation *talk)
{
	if (++countdown % 3 == 0)
		session_on_chunks(&talk->service);
}

static void
cancel_at_ten(struct conversation *talk)
{
	session_on_chunks(&talk->service);
	if (++countdown == 10)
		say_cancel(talk, 100, 2);
}

static void
hang_up_at_ten(struct conversation *talk)
{
	if (++countdown == 10) {
		session_destroy(talk->session);
		talk->session = NULL;
	}
	session_on_chunks(&talk->service);
}

/* At this look; the odd ones are before a slice, the even ones after it. */
static unsigned ask_at;

static void
ask_for_more(struct conversation *talk)
{
	session_on_chunks(&talk->service);
	if (++countdown == ask_at)
		say_simulate(talk, 3, 3, 1, 0);
}

static uint64_t memory_bytes_most;

static void
look_at_memory(struct conversation *talk)
{
	session_on_chunks(&talk->service);
	memory_bytes_most = talk->service.memory_bytes > memory_bytes_most ? talk->service.memory_bytes : memory_bytes_most;
}

static void
let_go_on(void (*meanwhile)(struct conversation *talk))
{
	countdown = 0;
	conversation_let_go_on(&conversation, meanwhile);
}

/* ---- tests */

static void
worker_goes_on_while_the_loop_keeps_up(void **state)
{
	(void)state;
	let_go_on(keep_up);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(run_one(&conversation));
	assert_int_equal(conversation.queue_count, 0); /* that was all of it */
	assert_in_range(conversation.calls, conversation.arrived.count / (SESSION_CHUNK_BYTES + FRAME_BYTES),
	                conversation.arrived.count / SESSION_CHUNK_BYTES);
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

static void
worker_returns_request_when_no_chunk_is_fetched(void **state)
{
	(void)state;
	let_go_on(do_nothing);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(run_one(&conversation));
	assert_int_equal(conversation.calls, 1);
	assert_in_range(conversation.arrived.count, 2 * SESSION_CHUNK_BYTES, 2 * (SESSION_CHUNK_BYTES + FRAME_BYTES));
	run_all(&conversation);
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

static void
chunks_fetched_late_stay_in_order(void **state)
{
	(void)state;
	let_go_on(lag);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

/* The bound is that of test_session_flow.c, where slices are returned. */
static void
slow_reader_costs_no_more(void **state)
{
	(void)state;
	let_go_on(keep_up);
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	size_t runs = conversation.runs;
	for (unsigned i = 0; i < 100; i++) {
		session_on_time(conversation.session);
		run_all(&conversation);
	}
	assert_int_equal(conversation.runs, runs);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 1000);
		run_all(&conversation);
	}
	assert_in_range(conversation.waiting_peak, 2 * SESSION_CHUNK_BYTES,
	                SESSION_SLICE_BYTES + SESSION_QUEUE_PAUSE_BYTES + FRAME_BYTES);
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

/* Nor one that has shown nothing yet: one chunk waits for it, one is not fetched, and one comes with the returned request. */
static void
client_that_never_reads_costs_short_chunks(void **state)
{
	(void)state;
	let_go_on(keep_up);
	conversation_forget_reading(&conversation);
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	assert_in_range(conversation.waiting_peak, SESSION_QUEUE_PAUSE_BYTES,
	                SESSION_QUEUE_PAUSE_BYTES + 3 * (SESSION_SLICE_BYTES_LEAST + FRAME_BYTES));
}

static size_t
calls_of(uint64_t id)
{
	size_t calls = conversation.calls;
	say_simulate(&conversation, id, 100, TICKS, 0);
	run_all(&conversation);
	return conversation.calls - calls;
}

static void
client_that_keeps_up_gets_longer_chunks(void **state)
{
	(void)state;
	let_go_on(keep_up);
	size_t calls = calls_of(2), bytes = conversation.arrived.count;
	assert_in_range(calls, bytes / (SESSION_CHUNK_BYTES + FRAME_BYTES), bytes / SESSION_CHUNK_BYTES);
	for (uint64_t id = 3; id < 5; id++) {
		calls = calls_of(id);
		assert_in_range(calls, bytes / (SESSION_CHUNK_LONG_BYTES + FRAME_BYTES), 1 + bytes / SESSION_CHUNK_LONG_BYTES);
	}
	for (uint64_t id = 2; id < 5; id++)
		expect_simulation(&conversation, id, TICKS);
	expect_silence(&conversation);
}

static void
client_that_stops_reading_gets_short_ones_again(void **state)
{
	(void)state;
	let_go_on(keep_up);
	size_t calls = calls_of(2);
	conversation.room = 2 * SESSION_CHUNK_LONG_BYTES;
	(void)calls_of(3);
	assert_in_range(conversation.waiting_peak, SESSION_CHUNK_LONG_BYTES, 3 * (SESSION_CHUNK_LONG_BYTES + FRAME_BYTES));
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 10000);
		run_all(&conversation);
	}
	conversation.room = SIZE_MAX;
	assert_int_equal(calls_of(4), calls);
	for (uint64_t id = 2; id < 5; id++)
		expect_simulation(&conversation, id, TICKS);
	expect_silence(&conversation);
}

/* Nor does it count that the client has read the rest of that reply as it was made. */
static void
client_that_stopped_reading_once_gets_short_ones_in_the_next_reply(void **state)
{
	(void)state;
	let_go_on(keep_up);
	size_t calls = calls_of(2);
	conversation.room = 2 * SESSION_CHUNK_LONG_BYTES;
	(void)calls_of(3);
	assert_true(conversation.waiting.count > 0);
	conversation.room = SIZE_MAX;
	client_reads(&conversation, SIZE_MAX);
	run_all(&conversation);
	assert_int_equal(calls_of(4), calls);
	/* Of that nothing was deferred. */
	assert_true(calls_of(5) < calls);
	for (uint64_t id = 2; id < 6; id++)
		expect_simulation(&conversation, id, TICKS);
	expect_silence(&conversation);
}

/* A client with two replies under way may be behind with one of them. */
static void
client_that_asks_for_two_at_once_gets_short_ones(void **state)
{
	(void)state;
	let_go_on(keep_up);
	size_t calls = calls_of(2);
	say_simulate(&conversation, 3, 1, 1, 0);
	assert_int_equal(calls_of(4), calls);
	expect_simulation(&conversation, 2, TICKS);
	expect_simulation(&conversation, 3, 1);
	expect_simulation(&conversation, 4, TICKS);
	expect_silence(&conversation);
}

/* What was deferred for a slow reader goes out when it has read, while the worker continues. */
static void
deferred_chunk_is_fetched_once_all_is_read(void **state)
{
	(void)state;
	let_go_on(keep_up);
	conversation.room = SESSION_CHUNK_BYTES / 2;
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(run_one(&conversation));
	while (conversation.waiting.count > 0)
		client_reads(&conversation, 10000);
	run_all(&conversation);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, SIZE_MAX);
		run_all(&conversation);
	}
	expect_simulation(&conversation, 2, TICKS);
	expect_silence(&conversation);
}

static void
long_frames_are_returned(void **state)
{
	(void)state;
	let_go_on(keep_up);
	say_simulate(&conversation, 2, 4000, 5, 0); /* 144 KB and more each */
	run_all(&conversation);
	assert_int_equal(conversation.calls, 0);
	expect_simulation(&conversation, 2, 5);
}

static void
worker_returns_request_when_others_wait(void **state)
{
	(void)state;
	ask_at = 10;
	let_go_on(ask_for_more);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(run_one(&conversation));
	assert_int_equal(conversation.queue_count, 2);
	assert_false(conversation.started_lane[0]);
	assert_true(conversation.started_lane[1]);
	assert_true(skip_frames(&conversation, 2) < TICKS / 2);
	assert_true(run_one(&conversation));
	expect_simulation(&conversation, 3, 1);
}

/* Requests of another client, at one look. */
static bool
others_wait_once(void *context)
{
	session_on_chunks(&((struct conversation *)context)->service);
	return ++countdown == ask_at;
}

/* One chunk waits for the client, one is deferred, and another request comes to wait before the third slice. */
static void
slow_reader_costs_no_more_when_others_wait(void **state)
{
	(void)state;
	let_go_on(do_nothing);
	conversation.service.notifier.others_wait = others_wait_once;
	ask_at = 5;
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	assert_true(countdown >= ask_at);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 1000);
		run_all(&conversation);
	}
	assert_in_range(conversation.waiting_peak, 2 * SESSION_CHUNK_BYTES,
	                2 * SESSION_CHUNK_BYTES_MAX + SESSION_CHUNK_BYTES + FRAME_BYTES);
	expect_simulation(&conversation, 2, TICKS);
}

static void
worker_goes_on_again_when_no_request_waits_any_more(void **state)
{
	(void)state;
	ask_at = 9;
	let_go_on(ask_for_more);
	say_simulate(&conversation, 2, 100, 3 * TICKS, 0);
	assert_true(run_one(&conversation));
	(void)skip_frames(&conversation, 2);
	assert_true(run_one(&conversation));
	expect_simulation(&conversation, 3, 1);
	size_t calls = conversation.calls;
	assert_true(run_one(&conversation));
	assert_true(conversation.calls > calls + 1);
	run_all(&conversation);
}

/* They are not with workers yet, so no worker sees them. */
static void
worker_returns_request_when_its_client_has_others_waiting(void **state)
{
	(void)state;
	struct job *jobs[SESSION_SLICES_SUBMITTED_MAX];
	for (uint64_t id = 2; id < 2 + SESSION_SLICES_SUBMITTED_MAX + 1; id++)
		say_simulate(&conversation, id, 100, TICKS, 0);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX);
	for (unsigned i = 0; i < SESSION_SLICES_SUBMITTED_MAX; i++) /* all of them with workers */
		jobs[i] = conversation.queue[i];
	conversation.queue_count = 0;
	let_go_on(keep_up);
	jobs[0]->run(jobs[0]);
	take_back(&conversation, jobs, 1);
	assert_int_equal(conversation.queue_count, 1); /* the last one is submitted */
	assert_false(conversation.started_lane[0]);
	assert_in_range(skip_frames(&conversation, 2), 1, TICKS / 4);
	session_destroy(conversation.session);
	conversation.session = NULL;
	for (unsigned i = 1; i < SESSION_SLICES_SUBMITTED_MAX; i++) {
		jobs[i]->run(jobs[i]);
		take_back(&conversation, &jobs[i], 1);
	}
}

static void
cancel_while_a_worker_goes_on(void **state)
{
	(void)state;
	let_go_on(cancel_at_ten);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	run_all(&conversation);
	assert_in_range(skip_frames(&conversation, 2), 1, TICKS / 2);
	expect_cancel_done(&conversation, 100, true);
	(void)skip_frames(&conversation, 2);
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
	expect_silence(&conversation);
}

static void
deadline_while_a_worker_goes_on(void **state)
{
	(void)state;
	let_go_on(keep_up);
	clock_ns_per_reading(MS / 100);
	say_simulate(&conversation, 2, 100, TICKS, 10);
	run_all(&conversation);
	assert_in_range(skip_frames(&conversation, 2), 1, TICKS - 1);
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
client_that_hangs_up_stops_the_worker(void **state)
{
	(void)state;
	let_go_on(hang_up_at_ten);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(run_one(&conversation));
	assert_int_equal(conversation.queue_count, 0);
	assert_int_equal(conversation.service.requests_under_way, 0);
	assert_in_range(skip_frames(&conversation, 2), 1, TICKS / 2);
}

/* The world is known to the service's account although the request has not been returned yet. */
static void
memory_is_counted_while_a_worker_goes_on(void **state)
{
	(void)state;
	memory_bytes_most = 0;
	let_go_on(look_at_memory);
	say_simulate(&conversation, 2, 100, TICKS, 0);
	assert_true(conversation.service.memory_bytes < 20000);
	assert_true(run_one(&conversation));
	assert_in_range(memory_bytes_most, 100 * 200 + SESSION_CHUNK_BYTES, 10000000);
	assert_int_equal(conversation.service.requests_under_way, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(worker_goes_on_while_the_loop_keeps_up),
		TEST(worker_returns_request_when_no_chunk_is_fetched),
		TEST(chunks_fetched_late_stay_in_order),
		TEST(slow_reader_costs_no_more),
		TEST(client_that_never_reads_costs_short_chunks),
		TEST(client_that_keeps_up_gets_longer_chunks),
		TEST(client_that_stops_reading_gets_short_ones_again),
		TEST(client_that_stopped_reading_once_gets_short_ones_in_the_next_reply),
		TEST(client_that_asks_for_two_at_once_gets_short_ones),
		TEST(deferred_chunk_is_fetched_once_all_is_read),
		TEST(long_frames_are_returned),
		TEST(worker_returns_request_when_others_wait),
		TEST(slow_reader_costs_no_more_when_others_wait),
		TEST(worker_goes_on_again_when_no_request_waits_any_more),
		TEST(worker_returns_request_when_its_client_has_others_waiting),
		TEST(cancel_while_a_worker_goes_on),
		TEST(deadline_while_a_worker_goes_on),
		TEST(client_that_hangs_up_stops_the_worker),
		TEST(memory_is_counted_while_a_worker_goes_on),
	};
	return cmocka_run_group_tests_name("session/chunks", tests, NULL, NULL);
}
