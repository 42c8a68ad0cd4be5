/* Connections of one account that all say much, beside another account: how long they keep the loop, and that all are heard. */
#include "session/messages.h"
#include "session/session.h"

#include "base/job.h"
#include "base/shared_bytes.h"
#include "proto/frame.h"
#include "session/limits.h"
#include "session/service.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { CLIENTS = 6, PINGS = 40, ROUNDS_MAX = 1000 };
/* Each look at the clock is so much later: a message takes as long at least. */
#define STEP_NS (SESSION_TURN_NS / 10)

struct client {
	struct session *session;
	struct buffer arrived;
	size_t read, pongs;
	bool later, deaf, closed;
};

static struct service service;
static struct account greedy, other;
static struct client clients[CLIENTS + 1];
static struct job *job; /* of a worker; NULL: none */
static uint64_t job_round, now_ns;

static uint64_t
clock_now(void)
{
	return now_ns += STEP_NS;
}

static size_t
on_send(void *context, struct shared_bytes *const *blocks, size_t count)
{
	struct client *client = context;
	size_t bytes = 0;
	for (size_t i = 0; i < count; i++) {
		buffer_append(&client->arrived, blocks[i]->bytes, blocks[i]->count);
		bytes += blocks[i]->count;
		shared_bytes_release(blocks[i]);
	}
	return client->deaf ? bytes : 0;
}

static void
on_set_reading(void *context, bool reading)
{
	(void)context;
	(void)reading;
}

static enum status
on_submit(void *context, struct job *new_job, bool started)
{
	(void)context;
	(void)started;
	assert_null(job);
	job = new_job;
	job_round = service.round + 2; /* by then it waits in line */
	return STATUS_OK;
}

static void
on_call_later(void *context)
{
	((struct client *)context)->later = true;
}

static void
on_close(void *context, const char *reason, bool flush)
{
	(void)reason;
	(void)flush;
	((struct client *)context)->closed = true;
}

static const struct session_host host = { .send = on_send,
	                                      .set_reading = on_set_reading,
	                                      .submit = on_submit,
	                                      .call_later = on_call_later,
	                                      .close = on_close };

/* Pongs since it was asked last. */
static size_t
pongs_take(struct client *client)
{
	size_t count = 0;
	while (client->read < client->arrived.count) {
		size_t header = 0;
		uint32_t body = 0;
		assert_int_equal(frame_header_read(client->arrived.bytes + client->read, client->arrived.count - client->read,
		                                   UINT32_MAX, &header, &body),
		                 FRAME_OK);
		client->read += header + body;
		count++;
	}
	client->pongs += count;
	return count;
}

static void
client_open(struct client *client, struct account *account)
{
	struct buffer hello;
	*client = (struct client){ .later = false };
	buffer_init(&client->arrived);
	client->session = session_create(&service, account, &host, client);
	assert_non_null(client->session);
	buffer_init(&hello);
	pack_hello(&hello, 1, 1, 1);
	session_on_bytes(client->session, hello.bytes, hello.count);
	buffer_finish(&hello);
	assert_int_equal(pongs_take(client), 1); /* the Welcome */
	client->pongs = 0;
}

static void
client_ping(struct client *client)
{
	struct buffer pings;
	Collide__V1__Ping ping = COLLIDE__V1__PING__INIT;
	Collide__V1__Describe describe = COLLIDE__V1__DESCRIBE__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	buffer_init(&pings);
	if (client->deaf) { /* its answer is long */
		message.request_id = 1000;
		message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESCRIBE;
		message.describe = &describe;
		pack_message(&pings, &message);
	}
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING;
	message.ping = &ping;
	for (size_t i = 0; i < PINGS; i++) {
		message.request_id = 1 + i;
		pack_message(&pings, &message);
	}
	session_on_bytes(client->session, pings.bytes, pings.count);
	buffer_finish(&pings);
}

/* All that are to be called later, once; returns how many pings of the greedy account were answered in it. */
static size_t
round_go(void)
{
	size_t pongs = 0;
	for (size_t i = 0; i <= CLIENTS; i++) {
		if (!clients[i].session || !clients[i].later)
			continue;
		clients[i].later = false;
		session_on_later(clients[i].session);
		size_t more = pongs_take(&clients[i]);
		pongs += i < CLIENTS ? more : 0;
	}
	if (job && service.round >= job_round) {
		struct job *done = job;
		job = NULL;
		done->run(done);
		done->done(done);
		session_settle_returned(&service);
	}
	service.round++;
	return pongs;
}

static void
begin(bool has_other)
{
	struct session_limits limits = session_limits_default();
	service_init(&service, &limits, 42, clock_now);
	account_init(&greedy, &service, NULL);
	account_init(&other, &service, NULL);
	service.round = 1;
	for (size_t i = 0; i < CLIENTS; i++) {
		service.round++;
		client_open(&clients[i], &greedy);
	}
	clients[CLIENTS] = (struct client){ .later = false };
	if (has_other)
		client_open(&clients[CLIENTS], &other);
	service.round++;
}

static void
client_end(struct client *client)
{
	if (!client->session)
		return;
	session_destroy(client->session);
	client->session = NULL;
	buffer_finish(&client->arrived);
}

static void
end(void)
{
	for (size_t i = 0; i <= CLIENTS; i++)
		client_end(&clients[i]);
	account_release(&greedy);
	account_release(&other);
	service_finish(&service);
}

/* As many as a turn has time for; the last one may begin just before its end. */
#define TURN_PINGS_MAX ((size_t)(SESSION_TURN_NS / STEP_NS) + 1)

static size_t
greedy_ping(void)
{
	size_t pongs = 0;
	for (size_t i = 0; i < CLIENTS; i++) {
		client_ping(&clients[i]);
		pongs += pongs_take(&clients[i]);
	}
	return pongs;
}

static void
test_one_turn_for_an_account(void **state)
{
	(void)state;
	begin(true);
	size_t pongs = greedy_ping();
	assert_in_range(pongs, 1, TURN_PINGS_MAX);
	/* The other one has a turn of its own in the same round. */
	client_ping(&clients[CLIENTS]);
	assert_true(pongs_take(&clients[CLIENTS]) > 0);
	for (size_t rounds = 0; pongs < (size_t)CLIENTS * PINGS; rounds++) {
		assert_true(rounds < ROUNDS_MAX);
		size_t more = round_go();
		assert_in_range(more, rounds == 0 ? 0 : 1, TURN_PINGS_MAX);
		pongs += more;
	}
	assert_int_equal(pongs, CLIENTS * PINGS);
	end();
}

/* Each has been heard after as many rounds as there are connections, and none twice before that. */
static void
test_they_take_turns(void **state)
{
	(void)state;
	begin(true);
	(void)greedy_ping();
	service.round++;
	for (size_t rounds = 1; rounds < CLIENTS; rounds++)
		assert_true(round_go() > 0);
	for (size_t i = 0; i < CLIENTS; i++)
		assert_in_range(clients[i].pongs, 1, TURN_PINGS_MAX);
	end();
}

static void
test_alone_it_has_all_time(void **state)
{
	(void)state;
	begin(false);
	(void)greedy_ping();
	for (size_t i = 0; i < CLIENTS; i++)
		assert_true(clients[i].pongs > 0);
	end();
}

/* The first in line reads nothing, is gone, or its conversation has ended: the others are heard nevertheless. */
static void
test_one_that_does_not_come(void **state)
{
	(void)state;
	for (int way = 0; way < 3; way++) {
		begin(true);
		clients[1].deaf = way == 0;
		(void)greedy_ping();
		service.round++;
		if (way == 1)
			client_end(&clients[1]);
		else if (way == 2)
			session_abort(clients[1].session);
		for (size_t rounds = 0; rounds < ROUNDS_MAX; rounds++)
			(void)round_go();
		for (size_t i = 0; i < CLIENTS; i++)
			if (i != 1)
				assert_int_equal(clients[i].pongs, PINGS);
		assert_true(way != 0 || session_queued_bytes(clients[1].session) > 0);
		end();
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_turn_for_an_account),
		cmocka_unit_test(test_they_take_turns),
		cmocka_unit_test(test_alone_it_has_all_time),
		cmocka_unit_test(test_one_that_does_not_come),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
