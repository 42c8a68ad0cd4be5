/* Snapshots in a conversation: what a slow reader costs, a cancel and a deadline amid one, what it is charged. */
#include "session/fixture.h"

#include "scene/limits.h"
#include "session/limits.h"
#include "support/long_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CIRCLES = 40000 }; /* of 110 bytes each and more: five parts at least */

/* Circles at rest in a row, frames at the end only. */
static void
say_snapshots(uint64_t id, uint64_t ticks, uint64_t snapshot_every, uint32_t deadline_ms)
{
	static double x[CIRCLES], radius = 0.25;
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Simulate simulate = COLLIDE__V1__SIMULATE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	struct buffer bytes;
	for (int i = 0; i < CIRCLES; i++)
		x[i] = i;
	columns.n_x = CIRCLES;
	columns.x = x;
	columns.n_radius = 1;
	columns.radius = &radius;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	simulate.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SCENE;
	simulate.scene = &scene;
	simulate.dt = 0.01;
	simulate.ticks = ticks;
	simulate.every = ticks;
	simulate.snapshot_every = snapshot_every;
	simulate.deadline_ms = deadline_ms;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE;
	message.simulate = &simulate;
	buffer_init(&bytes);
	pack_message(&bytes, &message);
	say(&conversation, &bytes);
	buffer_finish(&bytes);
}

/* The next part of the request's; its `more`. */
static bool
expect_part(uint64_t id, uint64_t tick)
{
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->request_id, id);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT);
	assert_int_equal(reply->snapshot->tick, tick);
	assert_in_range(reply->snapshot->data.len, 1, SCENE_SNAPSHOT_PART_BYTES);
	const bool more = reply->snapshot->more;
	release_reply(reply);
	return more;
}

static void
expect_snapshot(uint64_t id, uint64_t tick)
{
	int parts = 1;
	while (expect_part(id, tick))
		parts++;
	assert_in_range(parts, 5, 7);
}

static void
slow_reader_costs_a_part(void **state)
{
	(void)state;
	if (!long_cases_run())
		skip();
	const size_t part = SCENE_SNAPSHOT_PART_BYTES + 100;
	conversation.room = 0;
	say_snapshots(2, 3, 1, 0);
	run_all(&conversation);
	assert_in_range(conversation.waiting.count, SCENE_SNAPSHOT_PART_BYTES, part);
	/* Beside the world there is the copy that the parts are cut from. */
	const uint64_t held = conversation.service.memory_bytes;
	for (unsigned i = 0; i < 20; i++) {
		session_on_time(conversation.session);
		run_all(&conversation);
	}
	assert_in_range(conversation.waiting.count, SCENE_SNAPSHOT_PART_BYTES, part);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 10000);
		run_all(&conversation);
		assert_in_range(conversation.waiting.count, 0, part + SESSION_QUEUE_PAUSE_BYTES + SCENE_PART_BYTES_MAX);
	}
	assert_true(conversation.service.memory_bytes < held);
	expect_snapshot(2, 1);
	expect_snapshot(2, 2);
	assert_int_equal(skip_frames(&conversation, 2), 1);
	expect_snapshot(2, 3);
	Collide__V1__ServerMessage *done = next_reply(&conversation);
	assert_non_null(done);
	assert_int_equal(done->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
	release_reply(done);
	expect_silence(&conversation);
}

static void
cancelled_amid_a_snapshot(void **state)
{
	(void)state;
	conversation.room = 0;
	say_snapshots(2, 100, 1, 0);
	run_all(&conversation);
	/* As soon as it reads on, the next part is asked for; the cancel is there before a worker is. */
	client_reads(&conversation, conversation.waiting.count - SESSION_QUEUE_PAUSE_BYTES / 2);
	assert_int_equal(conversation.queue_count, 1);
	say_cancel(&conversation, 3, 2);
	conversation.room = SIZE_MAX;
	client_reads(&conversation, SIZE_MAX);
	run_all(&conversation);
	assert_true(expect_part(2, 1));
	/* CancelDone and the Error may come either way. */
	for (int i = 0; i < 2; i++) {
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		if (reply->request_id == 3)
			assert_true(reply->cancel_done->found);
		else
			assert_int_equal(reply->error->code, STATUS_CANCELLED);
		release_reply(reply);
	}
	expect_silence(&conversation);
	assert_int_equal(conversation.service.requests_under_way, 0);
}

static void
deadline_amid_a_snapshot(void **state)
{
	(void)state;
	conversation.room = 0;
	say_snapshots(2, 100, 1, 500);
	run_all(&conversation);
	clock_move_ms(600);
	session_on_time(conversation.session);
	conversation.room = SIZE_MAX;
	client_reads(&conversation, SIZE_MAX);
	run_all(&conversation);
	assert_true(expect_part(2, 1));
	expect_error(&conversation, 2, STATUS_DEADLINE_EXCEEDED, "DEADLINE");
	expect_silence(&conversation);
}

static void
client_that_vanishes_amid_a_snapshot(void **state)
{
	(void)state;
	conversation.room = 0;
	say_snapshots(2, 100, 1, 0);
	run_all(&conversation);
	assert_true(conversation.service.memory_bytes > (uint64_t)CIRCLES * 110);
	/* teardown destroys the session and checks that nothing is charged any more. */
}

/* Memory for the world, but not for its snapshot beside it: the frame is good, then the request fails. */
static void
no_room_for_snapshots(void **state)
{
	(void)state;
	if (!long_cases_run())
		skip();
	struct session_limits limits = conversation_limits();
	conversation_finish(&conversation);
	limits.scene.memory_bytes_max = (uint64_t)CIRCLES * 600;
	for (;; limits.scene.memory_bytes_max += (uint64_t)CIRCLES * 50) {
		conversation_open(&conversation, &limits);
		say_snapshots(2, 1, 0, 0);
		run_all(&conversation);
		if (skip_frames(&conversation, 2) == 1)
			break;
		conversation_finish(&conversation);
	}
	Collide__V1__ServerMessage *done = next_reply(&conversation);
	assert_non_null(done);
	release_reply(done);
	say_snapshots(3, 1, 1, 0);
	run_all(&conversation);
	(void)skip_frames(&conversation, 3);
	Collide__V1__ServerMessage *error = next_reply(&conversation);
	assert_non_null(error);
	assert_int_equal(error->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(error->error->reason, "MEMORY");
	assert_int_equal(error->error->retry_after_ms, 0); /* trying again cannot help */
	release_reply(error);
	expect_silence(&conversation);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slow_reader_costs_a_part), TEST(cancelled_amid_a_snapshot),
		TEST(deadline_amid_a_snapshot), TEST(client_that_vanishes_amid_a_snapshot),
		TEST(no_room_for_snapshots),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
