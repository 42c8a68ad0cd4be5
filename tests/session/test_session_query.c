/* Detect, Respond and Query in a conversation: answered by workers, in parts that wait for the reader, cancelled, timed out. */
#include "session/fixture.h"

#include "scene/limits.h"
#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* All pairs of `count` circles in one place. */
static void
say_detect(uint64_t id, uint32_t count, uint32_t deadline_ms)
{
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Detect detect = COLLIDE__V1__DETECT__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double radius = 1;
	columns.count = count;
	columns.n_radius = 1;
	columns.radius = &radius;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	detect.what_case = COLLIDE__V1__DETECT__WHAT_SCENE;
	detect.scene = &scene;
	detect.deadline_ms = deadline_ms;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT;
	message.detect = &detect;
	say_message(&conversation, &message);
}

/* A circle that bounces off another. `rows` times the same, from `count` alone. */
static void
say_respond(uint64_t id, uint32_t rows, double elasticity)
{
	Collide__V1__CircleColumns a = COLLIDE__V1__CIRCLE_COLUMNS__INIT, b = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Pairs pairs = COLLIDE__V1__PAIRS__INIT;
	Collide__V1__Bounce bounce = COLLIDE__V1__BOUNCE__INIT;
	Collide__V1__Respond respond = COLLIDE__V1__RESPOND__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double one = 1, two = 2;
	a.count = rows;
	a.n_radius = a.n_vx = b.n_radius = b.n_x = 1;
	a.radius = a.vx = b.radius = &one;
	b.x = &two;
	pairs.optional_a_case = COLLIDE__V1__PAIRS__OPTIONAL_A_A;
	pairs.a = &a;
	pairs.b_case = COLLIDE__V1__PAIRS__B_CIRCLES;
	pairs.circles = &b;
	bounce.n_elasticity = 1;
	bounce.elasticity = &elasticity;
	respond.optional_pairs_case = COLLIDE__V1__RESPOND__OPTIONAL_PAIRS_PAIRS;
	respond.pairs = &pairs;
	respond.optional_bounce_case = COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE_BOUNCE;
	respond.bounce = &bounce;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND;
	message.respond = &respond;
	say_message(&conversation, &message);
}

/* `rows` rays through `count` circles in one place, all of which each hits. */
static void
say_query(uint64_t id, uint32_t count, uint32_t rows, uint32_t deadline_ms)
{
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Casts casts = COLLIDE__V1__CASTS__INIT;
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	double radius = 1, x = -3, way = 6;
	uint32_t all = 0;
	columns.count = count;
	columns.n_radius = casts.n_x = casts.n_move_x = casts.n_limit = 1;
	columns.radius = &radius;
	casts.count = rows;
	casts.x = &x;
	casts.move_x = &way;
	casts.limit = &all;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE;
	query.scene = &scene;
	query.optional_casts_case = COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS;
	query.casts = &casts;
	query.deadline_ms = deadline_ms;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY;
	message.query = &query;
	say_message(&conversation, &message);
}

/* The parts of a Detected or Queried, to the last; returns how many rows there were. */
static uint64_t
expect_rows(uint64_t id, Collide__V1__ServerMessage__ReplyCase reply_case)
{
	uint64_t rows = 0;
	for (bool more = true; more;) {
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		assert_non_null(reply);
		assert_int_equal(reply->request_id, id);
		assert_int_equal(reply->reply_case, reply_case);
		if (reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED) {
			more = reply->detected->more;
			rows += reply->detected->pairs ? reply->detected->pairs->n_a : 0;
			assert_true(more || reply->detected->counts->tested == rows);
		} else {
			more = reply->queried->more;
			rows += reply->queried->hits ? reply->queried->hits->n_row : 0;
			assert_true(more || reply->queried->counts->hits == rows);
		}
		release_reply(reply);
	}
	return rows;
}

static uint64_t
expect_queried(uint64_t id)
{
	return expect_rows(id, COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED);
}

static uint64_t
expect_detected(uint64_t id)
{
	return expect_rows(id, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED);
}

/* Parts of a Detected or Queried as far as there are any. */
static void
skip_parts(void)
{
	for (;;) {
		size_t before = conversation.arrived_read;
		Collide__V1__ServerMessage *reply = next_reply(&conversation);
		bool detected = reply != NULL && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED;
		bool queried = reply != NULL && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED;
		bool part = detected || queried;
		assert_false(detected && !reply->detected->more);
		assert_false(queried && !reply->queried->more);
		release_reply(reply);
		if (!part) {
			conversation.arrived_read = before;
			return;
		}
	}
}

/* Request 2, which has just been said, waits for a worker while a ping is answered. */
static void
expect_a_worker(const char *name, uint64_t (*expect)(uint64_t id), uint64_t rows)
{
	say_ping(&conversation, 3);
	expect_pong(&conversation, 3);
	expect_silence(&conversation);
	run_all(&conversation);
	assert_int_equal(expect(2), rows);
	expect_silence(&conversation);
	assert_int_equal(counters_value(&conversation.service.counters, "request", name), 1);
}

/* Request 2 is under way, and ends with a cancel. */
static void
expect_cancelled(void)
{
	assert_true(run_one(&conversation));
	say_cancel(&conversation, 3, 2);
	run_all(&conversation);
	skip_parts();
	expect_cancel_done(&conversation, 3, true);
	skip_parts();
	expect_error(&conversation, 2, STATUS_CANCELLED, "CANCELLED");
}

/* What was said runs out of time within its parts, which names this field. */
static void
expect_deadline(const char *field)
{
	run_all(&conversation);
	skip_parts();
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, "DEADLINE");
	assert_string_equal(reply->error->violations[0]->field, field);
	release_reply(reply);
	expect_silence(&conversation);
}

static void
detect_is_answered_by_a_worker(void **state)
{
	(void)state;
	say_detect(2, 10, 0);
	expect_a_worker("DETECT", expect_detected, 45);
}

static void
respond_is_answered_by_a_worker(void **state)
{
	(void)state;
	say_respond(2, 3, 1);
	run_all(&conversation);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED);
	assert_false(reply->responded->more);
	assert_int_equal(reply->responded->rows->n_row, 3);
	assert_true(reply->responded->rows->b_vx[2] == 1);
	assert_int_equal(reply->responded->counts->bounced, 3);
	release_reply(reply);
	assert_int_equal(counters_value(&conversation.service.counters, "request", "RESPOND"), 1);
}

static void
questions_are_answered_by_a_worker(void **state)
{
	(void)state;
	say_query(2, 10, 3, 0);
	expect_a_worker("QUERY", expect_queried, 30);
}

static void
questions_end_with_a_cancel_or_a_deadline(void **state)
{
	(void)state;
	say_query(2, 1000, 1000000, 0); /* a billion hits */
	expect_cancelled();
	clock_ns_per_reading(100000);
	say_query(4, 1000, 1000000, 50);
	expect_deadline("query.deadline_ms");
}

static void
queries_and_simulations_interleave(void **state)
{
	(void)state;
	for (uint64_t id = 2; id < 8; id += 2) {
		say_detect(id, 50, 0);
		say_simulate(&conversation, id + 1, 3, 4, 0);
	}
	run_all(&conversation);
	for (uint64_t id = 2; id < 8; id += 2) {
		assert_int_equal(expect_detected(id), 50 * 49 / 2);
		expect_simulation(&conversation, id + 1, 4);
	}
	expect_silence(&conversation);
}

static void
bad_field_is_refused_with_its_path(void **state)
{
	(void)state;
	say_respond(2, 3, 7);
	run_all(&conversation);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, "BAD_FIELD");
	assert_string_equal(reply->error->violations[0]->field, "respond.bounce.elasticity[0]");
	release_reply(reply);
	say_detect(3, 1, 0); /* alone: no pairs, but an answer */
	run_all(&conversation);
	assert_int_equal(expect_detected(3), 0);
}

static void
slow_reader_of_pairs_costs_one_slice(void **state)
{
	(void)state;
	enum { CIRCLES = 600 }; /* 179,700 pairs: 14 MB */
	conversation.room = 0;
	say_detect(2, CIRCLES, 0);
	run_all(&conversation);
	size_t runs = conversation.runs;
	for (unsigned i = 0; i < 100; i++) {
		session_on_time(conversation.session);
		run_all(&conversation);
	}
	assert_int_equal(conversation.runs, runs);
	while (conversation.waiting.count > 0) {
		client_reads(&conversation, 100000);
		run_all(&conversation);
	}
	assert_true(conversation.waiting_peak <=
	            2 * (SESSION_SLICE_BYTES + SCENE_QUERY_ROWS_MAX * 200 + SESSION_QUEUE_PAUSE_BYTES));
	assert_int_equal(expect_detected(2), (uint64_t)CIRCLES * (CIRCLES - 1) / 2);
}

static void
cancel_takes_effect_within_the_pairs(void **state)
{
	(void)state;
	say_detect(2, 50000, 0); /* over a billion pairs */
	expect_cancelled();
	expect_silence(&conversation);
}

static void
deadline_takes_effect_within_the_pairs(void **state)
{
	(void)state;
	clock_ns_per_reading(100000);
	say_detect(2, 50000, 50);
	expect_deadline("detect.deadline_ms");
}

static void
client_that_is_gone_leaves_nothing(void **state)
{
	(void)state;
	say_detect(2, 50000, 0);
	say_respond(3, 100000, 1);
	assert_true(run_one(&conversation));
	/* conversation_finish destroys the session and checks that nothing is left. */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(detect_is_answered_by_a_worker),         TEST(respond_is_answered_by_a_worker),
		TEST(questions_are_answered_by_a_worker),     TEST(questions_end_with_a_cancel_or_a_deadline),
		TEST(queries_and_simulations_interleave),     TEST(bad_field_is_refused_with_its_path),
		TEST(slow_reader_of_pairs_costs_one_slice),   TEST(cancel_takes_effect_within_the_pairs),
		TEST(deadline_takes_effect_within_the_pairs), TEST(client_that_is_gone_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
