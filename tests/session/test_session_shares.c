/* What several accounts hold together: quotas, and what gives way when the server is full. */
#include "session/conversation.h"

#include "proto/frame.h"
#include "session/limits.h"
#include "session/make_room.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUESTS_MAX = 8, JOBS_MAX = 256 };

/* A connection: what it has got, and how it ended. */
struct guest {
	struct session *session;
	struct buffer arrived;
	size_t read;
	bool later_asked;
	bool reads_nothing;
	const char *closed;
};

/* A server with a queue that nothing is taken from unless the test does. */
static struct service service;
static struct account accounts[3];
static struct guest guests[GUESTS_MAX];
static size_t guest_count;
static struct job *queue[JOBS_MAX];
static size_t queue_count, queue_max;
static struct guest *sent_to[JOBS_MAX]; /* in that order */
static size_t sent_count;

static uint64_t now_ns;

static uint64_t
clock_now(void)
{
	return ++now_ns;
}

static size_t
host_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	struct guest *guest = context;
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++) {
		buffer_append(&guest->arrived, blocks[i]->bytes, blocks[i]->count);
		bytes += blocks[i]->count;
		shared_bytes_release(blocks[i]);
	}
	assert_true(sent_count < JOBS_MAX);
	sent_to[sent_count++] = guest;
	return guest->reads_nothing ? bytes : 0;
}

static void
host_set_reading(void *context, bool reading)
{
	(void)context;
	(void)reading;
}

static enum status
host_submit(void *context, struct job *job, bool started)
{
	(void)context;
	(void)started;
	if (queue_count == queue_max)
		return STATUS_RESOURCE_EXHAUSTED;
	queue[queue_count++] = job;
	return STATUS_OK;
}

static bool
host_withdraw(void *context, struct job *job)
{
	(void)context;
	for (size_t i = 0; i < queue_count; i++) {
		if (queue[i] == job) {
			queue[i] = queue[--queue_count];
			return true;
		}
	}
	return false;
}

static void
host_call_later(void *context)
{
	((struct guest *)context)->later_asked = true;
}

static void
host_close(void *context, const char *reason, bool flush)
{
	assert_true(flush);
	((struct guest *)context)->closed = reason;
}

static const struct session_host host = {
	.send = host_send,
	.set_reading = host_set_reading,
	.submit = host_submit,
	.withdraw = host_withdraw,
	.call_later = host_call_later,
	.close = host_close,
};

static int
setup(void **state)
{
	(void)state;
	struct session_limits limits = session_limits_default();
	limits.requests_under_way_max = 24;
	limits.requests_in_flight_max = 100;
	queue_count = guest_count = sent_count = 0;
	queue_max = JOBS_MAX;
	service_init(&service, &limits, 42, clock_now);
	for (size_t i = 0; i < 3; i++)
		account_init(&accounts[i], &service, NULL);
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < guest_count; i++) {
		session_destroy(guests[i].session);
		buffer_finish(&guests[i].arrived);
	}
	while (queue_count > 0) {
		struct job *job = queue[--queue_count];
		job->run(job);
		job->done(job);
	}
	session_settle_returned(&service);
	for (size_t i = 0; i < 3; i++)
		account_release(&accounts[i]);
	service_finish(&service);
	return 0;
}

static void
guest_say(struct guest *guest, struct buffer *message)
{
	session_on_bytes(guest->session, message->bytes, message->count);
	buffer_finish(message);
}

static struct guest *
guest_enter(unsigned account)
{
	struct guest *guest = &guests[guest_count++];
	struct buffer hello;
	*guest = (struct guest){ .session = session_create(&service, &accounts[account], &host, guest) };
	assert_non_null(guest->session);
	buffer_init(&guest->arrived);
	buffer_init(&hello);
	pack_hello(&hello, 1, 1, 1);
	guest_say(guest, &hello);
	guest->arrived.count = 0;
	return guest;
}

static void
guest_simulate(struct guest *guest, uint64_t id)
{
	struct buffer message;
	buffer_init(&message);
	pack_simulate(&message, id, 2, 2, 0);
	guest_say(guest, &message);
}

/* Asks for so much, with ids from `first` on. */
static void
guest_simulate_many(struct guest *guest, uint64_t first, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		guest_simulate(guest, first + i);
}

/* The next reply is this Error, with a time to try again. */
static void
guest_expect_error(struct guest *guest, uint64_t id, const char *reason)
{
	size_t header = 0;
	uint32_t body = 0;
	if (guest->later_asked)
		session_on_later(guest->session);
	guest->later_asked = false;
	const uint8_t *bytes = guest->arrived.bytes + guest->read;
	assert_int_equal(frame_header_read(bytes, guest->arrived.count - guest->read, UINT32_MAX, &header, &body), FRAME_OK);
	Collide__V1__ServerMessage *reply = collide__v1__server_message__unpack(NULL, body, bytes + header);
	guest->read += header + body;
	assert_non_null(reply);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_int_equal(reply->request_id, id);
	assert_string_equal(reply->error->reason, reason);
	assert_int_equal(reply->error->code, STATUS_RESOURCE_EXHAUSTED);
	assert_true(reply->error->retry_after_ms > 0);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

static void
expect_nothing(struct guest *guest)
{
	if (guest->later_asked)
		session_on_later(guest->session);
	guest->later_asked = false;
	assert_int_equal(guest->arrived.count, guest->read);
	assert_null(guest->closed);
}

/* A worker takes the oldest of the queue and makes its first slice; it is not done. */
static struct job *
begin_one(void)
{
	struct job *job = queue[0];
	memmove(queue, queue + 1, --queue_count * sizeof queue[0]);
	return job;
}

static void
an_account_alone_has_half(void **state)
{
	(void)state;
	struct guest *greedy = guest_enter(0), *more = guest_enter(0);
	guest_simulate_many(greedy, 2, 6);
	guest_simulate_many(more, 2, 6);
	expect_nothing(greedy);
	expect_nothing(more);
	guest_simulate(more, 8);
	guest_expect_error(more, 8, "OVER_SHARE");
	assert_int_equal(accounts[0].requests, 12);
}

static void
two_have_a_third_each_and_a_third_finds_room(void **state)
{
	(void)state;
	struct guest *a = guest_enter(0), *b = guest_enter(1), *c = guest_enter(2);
	for (uint64_t id = 2; id < 10; id++) {
		guest_simulate(a, id);
		guest_simulate(b, id);
	}
	expect_nothing(a);
	expect_nothing(b);
	/* All of them are with workers: none gives way. */
	queue_max = JOBS_MAX + queue_count;
	struct job *running[JOBS_MAX];
	size_t count = 0;
	while (queue_count > 0)
		running[count++] = begin_one();
	guest_simulate(a, 20);
	guest_expect_error(a, 20, "OVER_SHARE");
	guest_simulate(c, 2);
	expect_nothing(c);
	while (count > 0)
		queue[queue_count++] = running[--count];
}

static void
quota_of_requests(void **state)
{
	(void)state;
	struct guest *guest = guest_enter(0);
	service.quotas.requests_max = 3;
	guest_simulate_many(guest, 2, 4);
	guest_expect_error(guest, 5, "OVER_SHARE");
	service.quotas.requests_max = 4; /* it may change at any time */
	guest_simulate(guest, 5);
	expect_nothing(guest);
}

static void
quota_of_the_queue(void **state)
{
	(void)state;
	struct guest *guest = guest_enter(0), *other = guest_enter(1);
	service.quotas.queued_max = 2;
	guest_simulate_many(guest, 2, 3);
	guest_expect_error(guest, 4, "OVER_SHARE");
	guest_simulate(other, 2);
	expect_nothing(other);
}

static void
quota_of_memory(void **state)
{
	(void)state;
	struct guest *guest = guest_enter(0), *other = guest_enter(1);
	guest_simulate(guest, 2);
	service.quotas.memory_bytes_max = accounts[0].memory_bytes;
	guest_simulate(guest, 3);
	guest_expect_error(guest, 3, "OVER_SHARE");
	guest_simulate(other, 2);
	expect_nothing(other);
}

/* The queue is full of what one account wants: its newest gives way, and after it the next newest. */
static void
newest_in_a_full_queue_gives_way(void **state)
{
	(void)state;
	struct guest *greedy = guest_enter(0), *again = guest_enter(0), *fair = guest_enter(1);
	queue_max = 4;
	guest_simulate_many(greedy, 2, 2);
	guest_simulate_many(again, 2, 2);
	guest_simulate(fair, 2);
	guest_expect_error(again, 3, "OVER_SHARE");
	guest_simulate(fair, 3);
	guest_expect_error(again, 2, "OVER_SHARE");
	guest_simulate(fair, 4);
	guest_expect_error(fair, 4, "QUEUE_FULL"); /* it has as many as the other */
	expect_nothing(greedy);
	expect_nothing(fair);
	assert_int_equal(queue_count, 4);
	assert_int_equal(accounts[0].queued, 2);
}

/* What a worker has begun never gives way, whatever else is full. */
static void
what_has_begun_stays(void **state)
{
	(void)state;
	struct guest *greedy = guest_enter(0), *fair = guest_enter(1);
	queue_max = 3;
	guest_simulate_many(greedy, 2, 3);
	struct job *running = queue[2]; /* the newest */
	queue_count = 2;
	guest_simulate(greedy, 5);
	guest_simulate(fair, 2);
	guest_expect_error(greedy, 5, "OVER_SHARE");
	guest_simulate(fair, 3); /* now it is known that one has begun, so that both have as many */
	guest_expect_error(fair, 3, "QUEUE_FULL");
	expect_nothing(greedy);
	running->run(running);
	running->done(running);
	session_settle_returned(&service);
}

static void
longest_idle_connection_of_the_largest_gives_way(void **state)
{
	(void)state;
	struct guest *busy = guest_enter(0), *old = guest_enter(0), *young = guest_enter(0), *other = guest_enter(1),
				 *next = guest_enter(1);
	guest_simulate(busy, 2);
	assert_null(make_connection_room(&service, 2)); /* it would have as many */
	assert_ptr_equal(make_connection_room(&service, 1), old->session);
	guest_expect_error(old, 0, "OVER_SHARE");
	assert_string_equal(old->closed, "OVER_SHARE");
	assert_null(busy->closed);
	/* It counts until its host has ended it; then the others are no more than one that comes would have. */
	assert_ptr_equal(make_connection_room(&service, 0), young->session);
	/* What is left of the largest is under way: the next largest. */
	assert_ptr_equal(make_connection_room(&service, 0), other->session);
	assert_ptr_equal(make_connection_room(&service, 0), next->session);
	assert_null(make_connection_room(&service, 0));
	expect_nothing(busy);
}

static void
an_account_outlives_its_connections(void **state)
{
	(void)state;
	struct guest *guest = guest_enter(0);
	guest_simulate(guest, 2);
	session_destroy(guest->session);
	guest->session = NULL;
	assert_int_equal(accounts[0].requests, 1);
	assert_int_equal(accounts[0].session_count, 0);
	struct job *job = begin_one();
	job->run(job);
	job->done(job);
	assert_int_equal(accounts[0].requests, 0);
	assert_int_equal(accounts[0].memory_bytes, 0);
}

static void
run_all_queued(void)
{
	struct job *running[JOBS_MAX];
	size_t count = 0;
	while (queue_count > 0) {
		running[count] = begin_one();
		running[count]->run(running[count]);
		count++;
	}
	for (size_t i = 0; i < count; i++)
		running[i]->done(running[i]);
	session_settle_returned(&service);
}

/* What came back first is of the one that has not read what it got before; it has to wait for the others' turn. */
static void
those_that_read_are_sent_to_first(void **state)
{
	(void)state;
	struct guest *slow = guest_enter(0), *fast = guest_enter(1), *other = guest_enter(2);
	slow->reads_nothing = true;
	guest_simulate(slow, 2);
	run_all_queued();
	guest_simulate(slow, 3);
	guest_simulate(fast, 2);
	guest_simulate(other, 2);
	sent_count = 0;
	run_all_queued();
	assert_int_equal(sent_count, 3);
	assert_ptr_equal(sent_to[0], fast);
	assert_ptr_equal(sent_to[1], other);
	assert_ptr_equal(sent_to[2], slow);
}

#define SHARES_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SHARES_TEST(an_account_alone_has_half),
		SHARES_TEST(two_have_a_third_each_and_a_third_finds_room),
		SHARES_TEST(quota_of_requests),
		SHARES_TEST(quota_of_the_queue),
		SHARES_TEST(quota_of_memory),
		SHARES_TEST(newest_in_a_full_queue_gives_way),
		SHARES_TEST(what_has_begun_stays),
		SHARES_TEST(longest_idle_connection_of_the_largest_gives_way),
		SHARES_TEST(an_account_outlives_its_connections),
		SHARES_TEST(those_that_read_are_sent_to_first),
	};
	return cmocka_run_group_tests_name("session/shares", tests, NULL, NULL);
}
