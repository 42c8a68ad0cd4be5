/* Many requests at once: how many are submitted together, and how those that are returned together are answered. */
#include "session/fixture.h"

#include "session/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 24 };

static bool memory_is_out;

void *__real_realloc(void *memory, size_t bytes);
void *__wrap_realloc(void *memory, size_t bytes);

/* Of what is longer: none once, if asked so. */
void *
__wrap_realloc(void *memory, size_t bytes)
{
	bool fails = memory_is_out;
	memory_is_out = false;
	return fails ? NULL : __real_realloc(memory, bytes);
}

static int
setup(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	limits.requests_in_flight_max = MANY;
	conversation_open(&conversation, &limits);
	return 0;
}

/* Runs all that is in the queue as workers would, and hands it back at once. */
static size_t
run_together(void)
{
	struct job *jobs[QUEUE_CAPACITY];
	size_t count = take_queue(&conversation, jobs);
	for (size_t i = 0; i < count; i++)
		jobs[i]->run(jobs[i]);
	take_back(&conversation, jobs, count);
	return count;
}

/* One after the other, until the session knows that slices are short. */
static void
have_short_slices(void)
{
	for (uint64_t id = 1000; id < 1030; id++) {
		say_simulate(&conversation, id, 3, 1, 0);
		run_all(&conversation);
		expect_simulation(&conversation, id, 1);
	}
}

static void
say_many(uint64_t first)
{
	struct buffer message;
	buffer_init(&message);
	for (uint64_t id = first; id < first + MANY; id++)
		pack_simulate(&message, id, 3, 1, 0);
	say(&conversation, &message);
	buffer_finish(&message);
}

static void
short_slices_let_more_requests_go(void **state)
{
	(void)state;
	say_many(2);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX); /* nothing is known yet */
	run_all(&conversation);
	for (uint64_t id = 2; id < 2 + MANY; id++)
		expect_simulation(&conversation, id, 1);
	have_short_slices();
	say_many(100);
	assert_int_equal(conversation.queue_count, SESSION_SHORT_SUBMITTED_MAX);
	run_all(&conversation);
	for (uint64_t id = 100; id < 100 + MANY; id++)
		expect_simulation(&conversation, id, 1);
	expect_silence(&conversation);
}

static void
one_long_slice_lets_fewer_go_again(void **state)
{
	(void)state;
	have_short_slices();
	say_simulate(&conversation, 2, 500, 100, 0);
	run_one(&conversation);
	conversation.queue_count = 0; /* it is not returned until the end of the test */
	struct job *kept = conversation.queue[0];
	say_many(100);
	assert_int_equal(conversation.queue_count, SESSION_SLICES_SUBMITTED_MAX - 1);
	conversation.queue[conversation.queue_count++] = kept;
	run_all(&conversation);
}

static void
short_replies_that_come_back_together_are_one_send(void **state)
{
	(void)state;
	have_short_slices();
	say_many(2);
	size_t sends = conversation.sends;
	assert_int_equal(run_together(), SESSION_SHORT_SUBMITTED_MAX);
	assert_int_equal(conversation.sends, sends + 1);
	assert_int_equal(conversation.queue_count, MANY - SESSION_SHORT_SUBMITTED_MAX); /* and the rest is asked for */
	assert_int_equal(run_together(), MANY - SESSION_SHORT_SUBMITTED_MAX);
	assert_int_equal(conversation.sends, sends + 2);
	for (uint64_t id = 2; id < 2 + MANY; id++)
		expect_simulation(&conversation, id, 1);
	expect_silence(&conversation);
}

/* None is copied behind another. */
static void
long_slices_are_sent_one_by_one(void **state)
{
	(void)state;
	say_simulate(&conversation, 2, 300, 1, 0); /* more than SESSION_TOGETHER_BYTES of bodies */
	say_simulate(&conversation, 3, 300, 1, 0);
	say_simulate(&conversation, 4, 300, 1, 0);
	size_t sends = conversation.sends;
	assert_int_equal(run_together(), 3);
	assert_int_equal(conversation.sends, sends + 3);
	for (uint64_t id = 2; id <= 4; id++)
		expect_simulation(&conversation, id, 1);
	expect_silence(&conversation);
}

/* A session that closes, and one that is gone, in the middle of a batch. */
static void
batch_of_a_session_that_goes(void **state)
{
	(void)state;
	struct session_limits limits = conversation_limits();
	static struct conversation other;
	struct job *jobs[3];
	conversation_open(&other, &limits);
	say_simulate(&other, 2, 3, 1, 0);
	say_simulate(&conversation, 2, 3, 1, 0);
	say_simulate(&conversation, 3, 3, 1, 0);
	jobs[0] = conversation.queue[0];
	jobs[1] = other.queue[0];
	jobs[2] = conversation.queue[1];
	conversation.queue_count = other.queue_count = 0;
	for (size_t i = 0; i < 3; i++)
		jobs[i]->run(jobs[i]);
	session_abort(other.session);
	assert_string_equal(other.closed, "SHUTDOWN");
	size_t sends = conversation.sends;
	take_back(&conversation, jobs, 3);
	assert_int_equal(conversation.sends, sends + 1);
	expect_simulation(&conversation, 2, 1);
	expect_simulation(&conversation, 3, 1);
	expect_silence(&conversation);
	expect_error(&other, 2, STATUS_UNAVAILABLE, "SHUTTING_DOWN");
	expect_silence(&other);
	conversation_finish(&other);
}

/* A world of one circle that ticks by the server's clock, and a reader of it on this connection. False: it cannot be made. */
static bool
have_world_read(uint64_t id, char *name)
{
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__Circle circle = COLLIDE__V1__CIRCLE__INIT, *circles[] = { &circle };
	circle.vx = 1.0;
	circle.radius = 1.0;
	scene.n_circles = 1;
	scene.circles = circles;
	policy.clock = COLLIDE__V1__CLOCK__CLOCK_SERVER;
	policy.dt = 1.0 / 60.0;
	create.name = name;
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	create.scene = &scene;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	message.request_id = id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	say_message(&conversation, &message);
	run_all(&conversation);
	Collide__V1__ServerMessage *made = next_reply(&conversation);
	assert_non_null(made);
	if (made->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO) {
		release_reply(made);
		return false;
	}

	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	spectator.world = name;
	spectator.secret = made->world_info->join_secret;
	subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	subscribe.spectator = &spectator;
	subscribe.stream = COLLIDE__V1__STREAM__STREAM_PATHS;
	subscribe.every = 1;
	message.request_id = id + 1;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	message.subscribe = &subscribe;
	say_message(&conversation, &message);
	release_reply(made);
	return true;
}

static void
updates_of_many_worlds_leave_together(void **state)
{
	(void)state;
	char names[][2] = { "a", "b", "c", "d" };
	enum { WORLDS = sizeof names / sizeof *names };
	for (size_t i = 0; i < WORLDS; i++)
		assert_true(have_world_read(2 + 2 * i, names[i]));
	for (unsigned tick = 0; tick < 3; tick++) { /* the first has their keys */
		clock_move_ms(17);
		size_t sends = conversation.sends;
		conversation_worlds_run_together(&conversation.worlds);
		assert_int_equal(conversation.sends, sends + 1);
		bool told[WORLDS] = { false };
		for (size_t i = 0; i < WORLDS; i++) {
			Collide__V1__ServerMessage *reply = next_reply(&conversation);
			assert_non_null(reply);
			assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
			assert_false(told[(reply->request_id - 3) / 2]);
			told[(reply->request_id - 3) / 2] = true;
			release_reply(reply);
		}
		expect_silence(&conversation);
	}
}

/* Whether the reader was refused, by a world that makes its ticks. */
static bool
reader_is_refused(void)
{
	struct world_stats stats;
	for (unsigned tick = 0; tick < 8; tick++) {
		clock_move_ms(17);
		conversation_worlds_run_together(&conversation.worlds);
	}
	live_world_stats(conversation.worlds.worlds[0].live, &stats);
	Collide__V1__ServerMessage *reply = next_reply(&conversation);
	bool refused = reply && reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR && !stats.failed;
	if (refused) {
		assert_int_equal(reply->request_id, 3);
		assert_int_equal(reply->error->code, STATUS_RESOURCE_EXHAUSTED);
		assert_string_equal(reply->error->reason, "MEMORY");
		assert_string_equal(reply->error->violations[0]->field, "subscribe");
		assert_non_null(strstr(reply->error->text, "world_bytes_max"));
		assert_in_range(stats.tick, 7, 8);
		expect_silence(&conversation);
	}
	release_reply(reply);
	return refused;
}

/* Whatever a world may have: there is a size at which it has room for itself, and none for a reader. */
static void
a_reader_that_its_world_has_no_room_for_is_refused(void **state)
{
	bool refused = false;
	(void)state;
	for (uint64_t most = 4096; !refused; most += 512) {
		char name[] = "a";
		struct session_limits limits = conversation_limits();
		assert_true(most < 1 << 20);
		limits.worlds.world_bytes_max = most;
		conversation_finish(&conversation);
		conversation_open(&conversation, &limits);
		refused = have_world_read(2, name) && reader_is_refused();
	}
}

static void
all_that_a_turn_costs_is_reserved(void **state)
{
	char name[] = "a";
	(void)state;
	assert_true(have_world_read(2, name));
	struct conversation_world *world = &conversation.worlds.worlds[0];
	world->turn_ns = 40000;
	for (unsigned tick = 0; tick < 3; tick++) {
		clock_move_ms(17);
		conversation_worlds_run_together(&conversation.worlds);
	}
	assert_int_equal(world->reserved_ns, 60 * (40000 + 40000 / 8));
}

/* Of three that come back together the second cannot be copied behind the first. The third is long, so that what has been said
 * until then is sent before it: this finds out, and ends the session in the midst of taking the third. */
static void
no_memory_for_a_reply_ends_the_session(void **state)
{
	(void)state;
	struct job *jobs[QUEUE_CAPACITY];
	say_simulate(&conversation, 2, 3, 1, 0);
	say_simulate(&conversation, 3, 3, 1, 0);
	say_simulate(&conversation, 4, 100, 50, 0);
	assert_int_equal(take_queue(&conversation, jobs), 3);
	for (size_t i = 0; i < 3; i++)
		jobs[i]->run(jobs[i]);
	memory_is_out = true;
	take_back(&conversation, jobs, 3);
	assert_false(memory_is_out);
	assert_non_null(conversation.closed);
	assert_string_equal(conversation.closed, "NO_MEMORY");
	assert_int_equal(conversation.service.requests_under_way, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_AFTER(short_slices_let_more_requests_go, setup),
		TEST_AFTER(one_long_slice_lets_fewer_go_again, setup),
		TEST_AFTER(short_replies_that_come_back_together_are_one_send, setup),
		TEST_AFTER(long_slices_are_sent_one_by_one, setup),
		TEST_AFTER(batch_of_a_session_that_goes, setup),
		TEST_AFTER(updates_of_many_worlds_leave_together, setup),
		TEST_AFTER(a_reader_that_its_world_has_no_room_for_is_refused, setup),
		TEST_AFTER(all_that_a_turn_costs_is_reserved, setup),
		TEST_AFTER(no_memory_for_a_reply_ends_the_session, setup),
	};
	return cmocka_run_group_tests_name("session/batch", tests, NULL, NULL);
}
