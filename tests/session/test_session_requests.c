/* Requests: answered, refused, cancelled, timed out; each with exactly one final reply. */
#include "session/fixture.h"

#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void
say_raw(const char *bytes, size_t count)
{
	say_bytes(&conversation, (const uint8_t *)bytes, count);
}

static void
ping_is_answered_while_requests_are_away(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 10, 5, 0);
	say_ping(&conversation, 3);
	expect_pong(&conversation, 3);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 5);
	expect_silence(&conversation);
}

static void
describe_gives_the_schema(void **state)
{
	(void)state;
	struct buffer message;
	size_t count = 0;
	const uint8_t *set = wire_descriptor_set(&count);
	buffer_init(&message);
	pack_describe(&message, 2);
	say(&conversation, &message);
	buffer_finish(&message);
	expect_silence(&conversation);
	run_all(&conversation);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED);
	assert_int_equal(reply->described->file_descriptor_set.len, count);
	assert_memory_equal(reply->described->file_descriptor_set.data, set, count);
	release_reply(reply);
}

static void
say_describe(uint64_t id)
{
	struct buffer message;
	buffer_init(&message);
	pack_describe(&message, id);
	say(&conversation, &message);
	buffer_finish(&message);
}

static void
expect_schema(uint64_t id)
{
	size_t count = 0;
	const uint8_t *set = wire_descriptor_set(&count);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_DESCRIBED);
	assert_int_equal(reply->described->file_descriptor_set.len, count);
	assert_memory_equal(reply->described->file_descriptor_set.data, set, count);
	release_reply(reply);
}

/* Its body is the server's own; each reply has an envelope of its own, and the order stays. */
static void
shared_bodies_go_out_between_other_replies(void **state)
{
	(void)state;
	say_describe(2);
	say_simulate(&conversation, 3, 10, 5, 0);
	say_describe(4);
	say_describe(5);
	while (conversation.queue_count > 0) { /* all that are submitted are returned together */
		struct job *jobs[QUEUE_CAPACITY];
		size_t count = take_queue(&conversation, jobs);
		for (size_t i = 0; i < count; i++)
			jobs[i]->run(jobs[i]);
		take_back(&conversation, jobs, count);
	}
	expect_schema(2);
	expect_simulation(&conversation, 3, 5);
	expect_schema(4);
	expect_schema(5);
	expect_silence(&conversation);
	assert_int_equal(atomic_load(&conversation.service.schema.holders), 1);
}

/* The envelope was written, and the body is not sent without it, nor it without the body. */
static void
cancel_of_a_reply_with_a_shared_body(void **state)
{
	(void)state;
	say_describe(2);
	struct job *job = conversation.queue[0];
	conversation.queue_count = 0;
	job->run(job);
	assert_int_equal(atomic_load(&conversation.service.schema.holders), 2);
	say_cancel(&conversation, 3, 2);
	take_back(&conversation, &job, 1);
	assert_int_equal(atomic_load(&conversation.service.schema.holders), 1);
	expect_cancel_done(&conversation, 3, true);
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
	expect_silence(&conversation);
}

static void
shared_body_of_a_client_that_is_gone(void **state)
{
	(void)state;
	say_describe(2);
	struct job *job = conversation.queue[0];
	conversation.queue_count = 0;
	job->run(job);
	session_destroy(conversation.session);
	conversation.session = NULL;
	take_back(&conversation, &job, 1);
	assert_int_equal(atomic_load(&conversation.service.schema.holders), 1);
}

static void
done_has_the_times_of_the_virtual_clock(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 10, 5, 0);
	clock_move_ms(250);
	run_all(&conversation);
	for (unsigned tick = 0; tick < 5; tick++)
		release_reply(next_reply(&conversation));
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
	assert_true(reply->simulate_done->waiting_seconds == 0.25);
	assert_true(reply->simulate_done->worker_seconds == 0);
	assert_true(reply->simulate_done->engine_seconds == 0);
	release_reply(reply);
}

static void
pipelined_requests_each_get_their_replies(void **state)
{
	(void)state;
	struct buffer message;
	buffer_init(&message);
	for (uint64_t id = 2; id <= 7; id++) {
		pack_simulate(&message, id, 3, 10 * id, 0);
		pack_ping(&message, 100 + id, "hello");
	}
	say(&conversation, &message);
	buffer_finish(&message);
	for (uint64_t id = 2; id <= 7; id++)
		expect_pong(&conversation, 100 + id);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX);
	run_all(&conversation);
	for (uint64_t id = 2; id <= 7; id++)
		expect_simulation(&conversation, id, 10 * id);
	expect_silence(&conversation);
}

static void
request_id_zero_and_one_under_way(void **state)
{
	(void)state;
	say_ping(&conversation, 0);
	expect_error(&conversation, 0, STATUS_INVALID_ARGUMENT, "REQUEST_ID");
	say_simulate(&conversation, 2, 3, 4, 0);
	say_ping(&conversation, 2);
	expect_error(&conversation, 2, STATUS_INVALID_ARGUMENT, "REQUEST_ID");
	say_simulate(&conversation, 2, 3, 4, 0);
	expect_error(&conversation, 2, STATUS_INVALID_ARGUMENT, "REQUEST_ID");
	run_all(&conversation);
	expect_simulation(&conversation, 2, 4);
	say_ping(&conversation, 2);
	expect_pong(&conversation, 2);
}

static void
nonsense_in_a_well_formed_frame_keeps_the_connection(void **state)
{
	(void)state;
	static const struct {
		const char *bytes;
		size_t count;
		uint64_t id;
		enum status status;
		const char *reason;
	} cases[] = {
		{ "\x00", 1, 0, STATUS_INVALID_ARGUMENT, "REQUEST_ID" },                        /* nothing at all */
		{ "\x02\x08\x05", 3, 5, STATUS_INVALID_ARGUMENT, "NO_REQUEST" },                /* an envelope and nothing in it */
		{ "\x03\xff\xff\xff", 4, 0, STATUS_INVALID_ARGUMENT, "MALFORMED" },             /* a varint without end */
		{ "\x05\x08\x05\xa2\x06\x00", 6, 5, STATUS_UNIMPLEMENTED, "UNKNOWN_REQUEST" },  /* field 100 */
		{ "\x06\x08\x05\x1a\x02\x0a\x7f", 7, 5, STATUS_INVALID_ARGUMENT, "MALFORMED" }, /* a Ping that ends too early */
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		say_raw(cases[i].bytes, cases[i].count);
		expect_error(&conversation, cases[i].id, cases[i].status, cases[i].reason);
	}
	say_ping(&conversation, 3);
	expect_pong(&conversation, 3);
	assert_null(conversation.closed);
}

static void
longest_control_message_is_read(void **state)
{
	(void)state;
	enum { PAYLOAD = SESSION_CONTROL_BYTES_MAX - 8, FRAMED = SESSION_CONTROL_BYTES_MAX + 2 };
	struct buffer message;
	char payload[PAYLOAD + 1];
	memset(payload, 'x', PAYLOAD);
	payload[PAYLOAD] = '\0';
	buffer_init(&message);
	pack_ping(&message, 4, payload);
	assert_int_equal(message.count, FRAMED);
	say(&conversation, &message);
	buffer_finish(&message);
	expect_error(&conversation, 4, STATUS_RESOURCE_EXHAUSTED, "LIMIT"); /* of its payload */
}

static void
control_message_too_large(void **state)
{
	(void)state;
	struct buffer message;
	char payload[SESSION_CONTROL_BYTES_MAX - 6]; /* one byte too long */
	memset(payload, 'x', sizeof payload - 1);
	payload[sizeof payload - 1] = '\0';
	buffer_init(&message);
	pack_ping(&message, 4, payload);
	say(&conversation, &message);
	buffer_finish(&message);
	expect_error(&conversation, 4, STATUS_INVALID_ARGUMENT, "CONTROL_TOO_LARGE");
	say_ping(&conversation, 5);
	expect_pong(&conversation, 5);
}

static void
scene_that_means_nothing_good(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 0, 0);
	run_all(&conversation);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_int_equal(reply->error->code, STATUS_INVALID_ARGUMENT);
	assert_int_equal(reply->error->n_violations, 1);
	assert_string_equal(reply->error->violations[0]->field, "simulate.ticks");
	assert_int_equal(refusals(&conversation, reply->error->reason), 1);
	release_reply(reply);
	say_simulate(&conversation, 2, 3, 2, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 2);
}

static void
more_in_flight_than_the_connection_may(void **state)
{
	(void)state;
	uint64_t max = conversation.service.limits.requests_in_flight_max;
	for (uint64_t id = 2; id < 2 + max; id++)
		say_simulate(&conversation, id, 3, 2, 0);
	say_simulate(&conversation, 99, 3, 2, 0);
	expect_error(&conversation, 99, STATUS_RESOURCE_EXHAUSTED, "REQUESTS_IN_FLIGHT");
	run_all(&conversation);
	for (uint64_t id = 2; id < 2 + max; id++)
		expect_simulation(&conversation, id, 2);
	say_simulate(&conversation, 99, 3, 2, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 99, 2);
}

static void
more_under_way_than_the_server_may(void **state)
{
	(void)state;
	conversation.service.requests_under_way += 64;
	say_simulate(&conversation, 2, 3, 2, 0);
	expect_error(&conversation, 2, STATUS_RESOURCE_EXHAUSTED, "TOO_MANY_REQUESTS");
	conversation.service.requests_under_way -= 64;
	say_simulate(&conversation, 2, 3, 2, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 2);
}

static void
queue_full(void **state)
{
	(void)state;
	conversation.queue_max = 1;
	say_simulate(&conversation, 2, 3, 2, 0);
	say_simulate(&conversation, 3, 3, 2, 0);
	expect_error(&conversation, 3, STATUS_RESOURCE_EXHAUSTED, "QUEUE_FULL");
	run_all(&conversation);
	expect_simulation(&conversation, 2, 2);
	assert_null(conversation.closed);
}

static void
queue_closed(void **state)
{
	(void)state;
	conversation.submit_status = STATUS_UNAVAILABLE;
	say_simulate(&conversation, 2, 3, 2, 0);
	expect_error(&conversation, 2, STATUS_UNAVAILABLE, "SHUTTING_DOWN");
}

static void
memory_used_up(void **state)
{
	(void)state;
	uint64_t used = conversation.service.limits.memory_total_bytes_max;
	conversation.service.memory_bytes += used;
	say_simulate(&conversation, 2, 3, 2, 0);
	expect_error(&conversation, 2, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY");
	/* One that is too large to be received is named by its first bytes. */
	for (uint64_t id = 16383; id <= 16385; id++) {
		say_simulate(&conversation, id, 1000, 2, 0);
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->request_id, id);
		assert_string_equal(reply->error->reason, "SERVER_MEMORY");
		assert_int_equal(reply->error->retry_after_ms, SESSION_RETRY_BUSY_MS);
		release_reply(reply);
	}
	conversation.service.memory_bytes -= used;
	say_simulate(&conversation, 300, 1000, 2, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 300, 2);
}

static void
cancel_in_the_queue(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000000, 0);
	say_cancel(&conversation, 3, 2);
	expect_cancel_done(&conversation, 3, true);
	expect_silence(&conversation);
	run_all(&conversation);
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
	say_cancel(&conversation, 4, 2);
	expect_cancel_done(&conversation, 4, false);
	expect_silence(&conversation);
}

/* What the loop does while a worker is between two ticks. */
static void
cancel_request_2(void *context)
{
	say_cancel(context, 3, 2);
}

static void
cancel_while_running(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000000, 0);
	clock_hook(150, cancel_request_2, &conversation);
	run_all(&conversation);
	expect_cancel_done(&conversation, 3, true);
	uint64_t frames = skip_frames(&conversation, 2);
	assert_in_range(frames, 40, 50);
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
	expect_silence(&conversation);
}

static bool all_is_cancelled;

static bool
cancels_all(void)
{
	return all_is_cancelled;
}

static void
cancel_all(void *context)
{
	(void)context;
	all_is_cancelled = true;
}

/* As a command that is interrupted does: without a message, before a slice and within a tick. */
static void
host_cancels_all_that_is_under_way(void **state)
{
	(void)state;
	all_is_cancelled = false;
	conversation.service.cancels_all = cancels_all;
	say_simulate(&conversation, 2, 3, 2, 0);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 2);
	say_simulate(&conversation, 3, 3, 1000000, 0);
	clock_hook(150, cancel_all, NULL);
	assert_true(run_one(&conversation));
	assert_true(all_is_cancelled);
	say_simulate(&conversation, 4, 3, 2, 0);
	run_all(&conversation);
	assert_in_range(skip_frames(&conversation, 3), 40, 50);
	expect_error(&conversation, 3, STATUS_CANCELLED, "CANCELLED");
	expect_error(&conversation, 4, STATUS_CANCELLED, "CANCELLED");
	expect_silence(&conversation);
}

static void
cancel_after_the_last_tick_but_before_the_reply_was_sent(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 2, 0);
	struct job *job = conversation.queue[0];
	conversation.queue_count = 0;
	job->run(job);
	say_cancel(&conversation, 3, 2);
	take_back(&conversation, &job, 1);
	expect_cancel_done(&conversation, 3, true);
	assert_int_equal(skip_frames(&conversation, 2), 2);
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
	expect_silence(&conversation);
}

static void
cancel_of_one_that_waits_for_its_turn(void **state)
{
	(void)state;
	for (uint64_t id = 2; id < 2 + SESSION_SLICES_SUBMITTED_MAX + 1; id++)
		say_simulate(&conversation, id, 3, 2, 0);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX);
	say_cancel(&conversation, 100, 2 + SESSION_SLICES_SUBMITTED_MAX);
	expect_cancel_done(&conversation, 100, true);
	expect_error(&conversation, 2 + SESSION_SLICES_SUBMITTED_MAX, STATUS_CANCELLED, "CANCELLED");
	assert_int_equal(conversation.service.requests_under_way, SESSION_SLICES_SUBMITTED_MAX);
	run_all(&conversation);
	for (uint64_t id = 2; id < 2 + SESSION_SLICES_SUBMITTED_MAX; id++)
		expect_simulation(&conversation, id, 2);
	expect_silence(&conversation);
}

static void
deadline_in_the_queue(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000, 50);
	clock_move_ms(50);
	run_all(&conversation);
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
deadline_between_ticks(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 3, 1000000, 50);
	clock_ns_per_reading(MS / 12); /* a quarter of a millisecond for a tick: a slice of 20 ms has about 80 */
	run_all(&conversation);
	clock_ns_per_reading(0);
	assert_in_range(skip_frames(&conversation, 2), 150, 200);
	assert_true(conversation.runs >= 3);
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
deadline_while_waiting_for_the_reader(void **state)
{
	(void)state;
	conversation.room = 0;
	say_simulate(&conversation, 2, 100, 1000000, 5000);
	run_all(&conversation);
	size_t runs = conversation.runs;
	clock_move_ms(4999);
	session_on_time(conversation.session);
	assert_int_equal(conversation.service.requests_under_way, 1);
	clock_move_ms(1);
	session_on_time(conversation.session);
	/* The world is given back at once, though the client has not read a byte. */
	assert_int_equal(conversation.service.requests_under_way, 0);
	client_reads(&conversation, SIZE_MAX);
	run_all(&conversation);
	assert_int_equal(conversation.runs, runs);
	assert_true(skip_frames(&conversation, 2) > 0);
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
longest_deadline_applies_when_none_is_given(void **state)
{
	(void)state;
	conversation_finish(&conversation);
	struct session_limits limits = conversation_limits();
	limits.scene.deadline_ms_max = 100;
	conversation_open(&conversation, &limits);
	say_simulate(&conversation, 2, 3, 1000, 0);
	clock_move_ms(100);
	run_all(&conversation);
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
slices_of_several_requests_take_turns(void **state)
{
	(void)state;
	clock_ns_per_reading(MS / 3); /* 20 ticks a slice */
	say_simulate(&conversation, 2, 3, 100, 0);
	say_simulate(&conversation, 3, 3, 100, 0);
	run_all(&conversation);
	clock_ns_per_reading(0);
	unsigned changes = 0;
	uint64_t last = 0;
	unsigned done = 0;
	for (Collide__V1__ServerMessage *reply = next_reply(&conversation); reply; reply = next_reply(&conversation)) {
		changes += reply->request_id != last ? 1 : 0;
		last = reply->request_id;
		done += reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE ? 1 : 0;
		release_reply(reply);
	}
	assert_int_equal(done, 2);
	assert_in_range(changes, 8, 20);
}

static void
started_requests_use_their_own_lane(void **state)
{
	(void)state;
	clock_ns_per_reading(MS);
	say_simulate(&conversation, 2, 3, 100, 0);
	assert_int_equal(conversation.queue_count, 1);
	assert_false(conversation.started_lane[0]);
	conversation.queue_max = 0; /* nothing fresh is taken any more */
	run_one(&conversation);
	assert_int_equal(conversation.queue_count, 1);
	assert_true(conversation.started_lane[0]);
	run_all(&conversation);
	expect_simulation(&conversation, 2, 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ping_is_answered_while_requests_are_away),
		TEST(describe_gives_the_schema),
		TEST(shared_bodies_go_out_between_other_replies),
		TEST(cancel_of_a_reply_with_a_shared_body),
		TEST(shared_body_of_a_client_that_is_gone),
		TEST(done_has_the_times_of_the_virtual_clock),
		TEST(pipelined_requests_each_get_their_replies),
		TEST(request_id_zero_and_one_under_way),
		TEST(nonsense_in_a_well_formed_frame_keeps_the_connection),
		TEST(longest_control_message_is_read),
		TEST(control_message_too_large),
		TEST(scene_that_means_nothing_good),
		TEST(more_in_flight_than_the_connection_may),
		TEST(more_under_way_than_the_server_may),
		TEST(queue_full),
		TEST(queue_closed),
		TEST(memory_used_up),
		TEST(cancel_in_the_queue),
		TEST(cancel_while_running),
		TEST(host_cancels_all_that_is_under_way),
		TEST(cancel_after_the_last_tick_but_before_the_reply_was_sent),
		TEST(cancel_of_one_that_waits_for_its_turn),
		TEST(deadline_in_the_queue),
		TEST(deadline_between_ticks),
		TEST(deadline_while_waiting_for_the_reader),
		TEST(longest_deadline_applies_when_none_is_given),
		TEST(slices_of_several_requests_take_turns),
		TEST(started_requests_use_their_own_lane),
	};
	return cmocka_run_group_tests_name("session/requests", tests, NULL, NULL);
}
