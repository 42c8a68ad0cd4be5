/* Requests of every kind, stopped at any of their checkpoints: they end as cancelled, nothing is lost, and the same request has
 * the same bits before and after. The same requests, put aside at all of them: their replies have the same bits. */
#include "session/conversation.h"
#include "session/long_requests.h"

#include "base/pause.h"
#include "jobs/pool.h"
#include "support/effort.h"
#include "support/random.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t questions, stops_after;

static bool
counts_and_stops(void)
{
	return ++questions > stops_after;
}

/* Runs the request, and gives how many questions were asked. Its replies are appended. */
static uint64_t
request_run(const struct long_request *request, uint64_t stop_after, struct buffer *replies)
{
	struct session_limits limits = session_limits_default();
	struct conversation conversation;
	struct buffer message;
	buffer_init(&message);
	conversation_open(&conversation, &limits);
	size_t first = conversation.arrived.count;
	long_request_pack(&message, request, 7, request->small, 0);
	questions = 0;
	stops_after = stop_after;
	conversation.service.cancels_all = counts_and_stops;
	say(&conversation, &message);
	run_all(&conversation);
	uint64_t asked = questions;
	buffer_append(replies, conversation.arrived.bytes + first, conversation.arrived.count - first);
	if (stop_after != UINT64_MAX) {
		Collide__V1__ServerMessage *reply = NULL, *last = NULL;
		while ((reply = next_reply(&conversation))) {
			if (last)
				release_reply(last);
			last = reply;
		}
		assert_non_null(last);
		assert_int_equal(last->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
		assert_int_equal(last->request_id, 7);
		assert_string_equal(last->error->reason, "CANCELLED");
		release_reply(last);
	}
	buffer_finish(&message);
	conversation_finish(&conversation);
	return asked;
}

static void
replies_compare(const struct buffer *a, const struct buffer *b)
{
	assert_int_equal(a->count, b->count);
	assert_memory_equal(a->bytes, b->bytes, a->count);
}

static void
test_stopped_at_any_checkpoint(void **state)
{
	(void)state;
	uint64_t random = 21;
	pause_units_set(1);
	for (const struct long_request *request = long_requests; request->name; request++) {
		struct buffer whole, part, again;
		buffer_init(&whole);
		buffer_init(&part);
		buffer_init(&again);
		const uint64_t all = request_run(request, UINT64_MAX, &whole);
		print_message("%s: %llu questions, %zu bytes\n", request->name, (unsigned long long)all, whole.count);
		assert_true(all > 20);
		for (size_t k = 0; k < effort(8, 250); k++) {
			part.count = 0;
			const uint64_t asked = request_run(request, random_below(&random, all), &part);
			/* It ends soon: what is asked afterwards is for the reply, which is another one. */
			assert_true(asked <= all + 16);
		}
		assert_int_equal(request_run(request, UINT64_MAX, &again), all);
		replies_compare(&whole, &again);
		buffer_finish(&whole);
		buffer_finish(&part);
		buffer_finish(&again);
	}
	pause_units_set(PAUSE_UNITS);
}

/* ---- on a real pool of one worker: a job makes way for the other one at each checkpoint */

static void
on_wake(void *context)
{
	(void)context;
}

static void
pool_run_both(struct pool *pool, struct conversation *conversation)
{
	for (bool more = true; more;) {
		struct job *jobs[QUEUE_CAPACITY], *done[QUEUE_CAPACITY];
		const size_t count = take_queue(conversation, jobs);
		size_t ended = 0;
		for (size_t i = 0; i < count; i++)
			assert_int_equal(pool_submit(pool, NULL, POOL_LANE_FRESH, jobs[i]), STATUS_OK);
		while (ended < count) {
			ended += pool_take_done(pool, done + ended, count - ended);
			(void)sched_yield();
		}
		take_back(conversation, done, count);
		more = count > 0;
	}
}

static void
test_put_aside_at_every_checkpoint(void **state)
{
	(void)state;
	uint64_t put_aside = 0;
	for (const struct long_request *request = long_requests; request->name; request++) {
		const struct pool_options options = {
			.worker_count = 1, .spares_max = 2, .jobs_max = 8, .queue_max = { 8, 8 }, .wake = on_wake
		};
		struct session_limits limits = session_limits_default();
		struct conversation one, other;
		struct buffer message;
		struct pool *pool;
		buffer_init(&message);
		assert_int_equal(pool_create(&options, &pool), STATUS_OK);
		conversation_open(&one, &limits);
		conversation_open(&other, &limits);
		one.service.workspaces = other.service.workspaces = (struct workspaces){ 0 };
		other.service.checkpoint = pool_checkpoint;
		/* Each in its own, then both at once in the second. */
		long_request_pack(&message, request, 7, request->small, 0);
		say(&one, &message);
		run_all(&one);
		pause_units_set(64);
		long_request_pack(&message, request, 7, request->small, 0);
		say(&other, &message);
		struct buffer beside;
		buffer_init(&beside);
		pack_simulate(&beside, 8, 30, 300, 0);
		say(&other, &beside);
		pool_run_both(pool, &other);
		pause_units_set(PAUSE_UNITS);
		put_aside += pool_stats(pool).put_aside;
		/* The replies of the other one are among them; those of this are the same. */
		size_t found = 0;
		for (Collide__V1__ServerMessage *reply; (reply = next_reply(&other)); release_reply(reply)) {
			if (reply->request_id != 7)
				continue;
			Collide__V1__ServerMessage *same = next_reply(&one);
			assert_non_null(same);
			const size_t bytes = collide__v1__server_message__get_packed_size(reply);
			assert_int_equal(collide__v1__server_message__get_packed_size(same), bytes);
			uint8_t *a = calloc(2, bytes + 1), *b = a + bytes + 1;
			assert_non_null(a);
			(void)collide__v1__server_message__pack(reply, a);
			(void)collide__v1__server_message__pack(same, b);
			assert_memory_equal(a, b, bytes);
			free(a);
			release_reply(same);
			found++;
		}
		assert_true(found > 0);
		expect_silence(&one);
		assert_true(pool_stop(pool, 60000));
		pool_destroy(pool, NULL);
		conversation_finish(&one);
		conversation_finish(&other);
		buffer_finish(&message);
		buffer_finish(&beside);
	}
	assert_true(put_aside > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped_at_any_checkpoint),
		cmocka_unit_test(test_put_aside_at_every_checkpoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
