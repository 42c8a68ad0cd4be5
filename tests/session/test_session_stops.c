/* Requests of every kind, stopped at any of their checkpoints, and at each place in the code that has one. They end as
 * cancelled, nothing is lost, and the same request has the same bits before and after. The same requests, put aside at all of
 * them: their replies have the same bits. */
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

/* More than any request has. */
#define SITES_MAX 1024
/* Questions of a request that is answered already. */
#define GIVES_BACK_MAX 16

/* A place in the code that asks: where pause_ask returns to. One of its questions, chosen at random. */
struct site {
	const void *at;
	uint64_t count, question;
};

static char **names;
static uint64_t questions, stops_after, random_sites;
static const void *asks_at;
static const void *stopped_at[SITES_MAX]; /* by an earlier request */
static size_t stopped_count;
static struct site sites[SITES_MAX];
static size_t site_count;

static bool
wanted(const struct long_request *request)
{
	bool found = !*names && !(request->slow && effort(0, 1) == 0);
	for (char **name = names; *name && !found; name++)
		found = strstr(request->name, *name) != NULL;
	return found;
}

bool __real_pause_ask(void);
bool __wrap_pause_ask(void);

/* The linker puts this in its place. */
bool
__wrap_pause_ask(void)
{
	asks_at = __builtin_return_address(0);
	return __real_pause_ask();
}

/* The table is open: a place is looked for from where its address leads. */
static void
site_note(void)
{
	size_t k = (uintptr_t)asks_at / 4 * 2654435761u % SITES_MAX;
	while (sites[k].at && sites[k].at != asks_at)
		k = (k + 1) % SITES_MAX;
	site_count += !sites[k].at;
	assert_true(site_count < SITES_MAX);
	sites[k].at = asks_at;
	/* So each of its questions is as likely as another. */
	if (random_below(&random_sites, ++sites[k].count) == 0)
		sites[k].question = questions;
}

static bool
counts_and_stops(void)
{
	if (stops_after == UINT64_MAX)
		site_note();
	return ++questions > stops_after;
}

/* Runs the request, and gives how many questions were asked. Its replies are appended; where it was stopped, those before the
 * one that says so. */
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
	if (stop_after == UINT64_MAX) {
		memset(sites, 0, sizeof sites);
		site_count = 0;
	}
	conversation.service.cancels_all = counts_and_stops;
	say(&conversation, &message);
	run_all(&conversation);
	uint64_t asked = questions;
	size_t end = conversation.arrived.count;
	if (stop_after != UINT64_MAX) {
		Collide__V1__ServerMessage *reply = NULL, *last = NULL;
		for (size_t before = first; (reply = next_reply(&conversation)); before = conversation.arrived_read) {
			end = before;
			if (last)
				release_reply(last);
			last = reply;
		}
		assert_non_null(last);
		assert_int_equal(last->request_id, 7);
		/* Or it was too late: the request was answered, and gave back what it had. */
		if (last->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
			assert_true(asked - stop_after <= GIVES_BACK_MAX);
		else
			assert_string_equal(last->error->reason, "CANCELLED");
		release_reply(last);
	}
	buffer_append(replies, conversation.arrived.bytes + first, end - first);
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

/* Stops the request after so many questions. What it has told by then is what it tells when nothing stops it. */
static void
request_stop(const struct long_request *request, uint64_t stop_after, uint64_t all, const struct buffer *whole)
{
	struct buffer part;
	buffer_init(&part);
	/* It ends soon: what is asked afterwards is for the reply, which is another one. */
	assert_true(request_run(request, stop_after, &part) <= all + GIVES_BACK_MAX);
	assert_true(part.count <= whole->count);
	assert_memory_equal(part.bytes, whole->bytes, part.count);
	buffer_finish(&part);
}

/* Whether to stop at a place. The unit run does at each place once, by whichever request comes to it first. */
static bool
site_wanted(const void *at)
{
	for (size_t k = 0; k < stopped_count; k++)
		if (stopped_at[k] == at)
			return effort(0, 1) > 0;
	assert_true(stopped_count < SITES_MAX);
	stopped_at[stopped_count++] = at;
	return true;
}

static void
test_stopped_at_any_checkpoint(void **state)
{
	(void)state;
	uint64_t random = 21;
	const size_t moments = effort_most(1, 80, 250);
	pause_units_set(1);
	random_sites = 5;
	for (const struct long_request *request = long_requests; request->name; request++) {
		struct buffer whole, again;
		if (!wanted(request))
			continue;
		buffer_init(&whole);
		buffer_init(&again);
		const uint64_t all = request_run(request, UINT64_MAX, &whole);
		print_message("%s: %llu questions at %zu places, %zu bytes\n", request->name, (unsigned long long)all, site_count,
		              whole.count);
		assert_true(all > 20 && site_count > 5);
		for (size_t k = 0; k < moments; k++)
			request_stop(request, random_below(&random, all), all, &whole);
		for (size_t k = 0; k < SITES_MAX; k++)
			if (sites[k].at && site_wanted(sites[k].at))
				request_stop(request, sites[k].question, all, &whole);
		assert_int_equal(request_run(request, UINT64_MAX, &again), all);
		replies_compare(&whole, &again);
		buffer_finish(&whole);
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
		if (!wanted(request) || (size_t)(request - long_requests) % effort(6, 1) > 0)
			continue;
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
	assert_true(put_aside > effort(100, 1000) || *names);
}

/* Names on the command line, or parts of them, are those of the requests to make. */
int
main(int argc, char **argv)
{
	(void)argc;
	names = argv + 1;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stopped_at_any_checkpoint),
		cmocka_unit_test(test_put_aside_at_every_checkpoint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
