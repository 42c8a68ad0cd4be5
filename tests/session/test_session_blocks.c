/* Memory of a conversation, block by block: all is given back with it, and a block that is refused is said to the client, or
 * closes the connection. No reply is lost, doubled or wrong for it. */
#include "session/conversation.h"

#include "support/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Requests of ids 1 to 7, in pieces as they arrive. */
enum { REQUESTS = 7 };
enum { RESERVE = 1 << 18 };

static struct buffer messages;

static int
messages_make(void **state)
{
	(void)state;
	buffer_init(&messages);
	pack_hello(&messages, 1, 1, 1);
	pack_ping(&messages, 2, "hello");
	pack_simulate(&messages, 3, 10, 5, 0);
	pack_describe(&messages, 4);
	pack_simulate_every(&messages, 5, 20, 6, 3);
	pack_simulate(&messages, 6, 20, 8, 0);
	pack_cancel(&messages, 7, 6);
	return 0;
}

static int
messages_finish(void **state)
{
	(void)state;
	buffer_finish(&messages);
	return 0;
}

/* The client says all, a third of it at a time; the host has memory enough for what it does. */
static void
converse(struct conversation *conversation, size_t room)
{
	const struct session_limits limits = conversation_limits();
	conversation_start(conversation, &limits);
	conversation->service.workspaces = (struct workspaces){ 0 };
	buffer_reserve(&conversation->arrived, RESERVE);
	buffer_reserve(&conversation->waiting, RESERVE);
	blocks_refused = false;
	blocks_room = room;
	for (size_t at = 0, count; at < messages.count; at += count) {
		count = messages.count - at < messages.count / 3 ? messages.count - at : messages.count / 3;
		say_bytes(conversation, messages.bytes + at, count);
	}
	run_all(conversation);
	blocks_room = SIZE_MAX;
	assert_true(conversation->arrived.count < RESERVE);
}

static bool
is_final(const Collide__V1__ServerMessage *reply)
{
	return reply->reply_case != COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME;
}

/* Counts the final replies of each id, in 0 those of lost messages of which not even the id was kept. An error but that of the
 * cancelled request says that there is no memory. If Hello was lost, the next one says that it is missing. Frames ascend. */
static void
replies_count(struct conversation *conversation, unsigned finals[static REQUESTS + 1], unsigned *errors)
{
	uint64_t ticks[REQUESTS + 1] = { 0 };
	Collide__V1__ServerMessage *reply;
	bool greeted = true;
	for (; (reply = next_reply(conversation)); release_reply(reply)) {
		const uint64_t id = reply->request_id;
		assert_in_range(id, 0, REQUESTS);
		assert_true(finals[id] == 0 || id == 0);
		finals[id] += is_final(reply);
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME) {
			assert_true(reply->frame->tick > ticks[id]);
			ticks[id] = reply->frame->tick;
		} else if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE) {
			assert_int_equal(reply->simulate_done->ticks, id == 3 ? 5 : id == 5 ? 6 : 8);
		} else if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR &&
		           reply->error->code != (int)STATUS_CANCELLED) {
			assert_int_equal(reply->error->code, greeted ? STATUS_RESOURCE_EXHAUSTED : STATUS_FAILED_PRECONDITION);
			greeted = greeted && id > 1;
			++*errors;
		}
	}
}

static void
a_conversation_gives_all_back(void **state)
{
	(void)state;
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	for (int again = 0; again < 2; again++) {
		struct conversation conversation;
		unsigned finals[REQUESTS + 1] = { 0 }, errors = 0;
		converse(&conversation, SIZE_MAX);
		replies_count(&conversation, finals, &errors);
		assert_null(conversation.closed);
		assert_int_equal(finals[0] + errors, 0);
		for (int id = 1; id <= REQUESTS; id++)
			assert_int_equal(finals[id], 1);
		conversation_finish(&conversation);
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
	}
}

/* The client goes away in the midst of it, and what is under way ends later. */
static void
a_client_that_goes_away_leaves_nothing(void **state)
{
	(void)state;
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	for (size_t count = 0; count <= messages.count; count += 1 + messages.count / 100) {
		const struct session_limits limits = conversation_limits();
		struct conversation conversation;
		conversation_start(&conversation, &limits);
		conversation.room = count / 2;
		say_bytes(&conversation, messages.bytes, count);
		(void)run_one(&conversation);
		conversation_finish(&conversation);
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
	}
}

/* Each block in turn is refused, alone or with all after it. */
static void
a_block_that_is_refused_is_said(void **state)
{
	(void)state;
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	size_t said = 0, closed = 0;
	blocks_refused = true;
	for (size_t turn = 0; blocks_refused; turn++) {
		struct conversation conversation;
		unsigned finals[REQUESTS + 1] = { 0 }, errors = 0;
		blocks_refuse_once = turn % 2;
		converse(&conversation, turn / 2);
		const bool refused = blocks_refused;
		replies_count(&conversation, finals, &errors);
		unsigned all = 0;
		for (int id = 0; id <= REQUESTS; id++)
			all += finals[id];
		if (!conversation.closed)
			assert_int_equal(all, REQUESTS);
		assert_true(refused || (errors == 0 && !conversation.closed));
		said += errors > 0;
		closed += conversation.closed != NULL;
		conversation_finish(&conversation);
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
		blocks_refused = refused;
		assert_true(turn < 20000);
	}
	assert_true(said > 20 && closed > 2);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_conversation_gives_all_back),
		cmocka_unit_test(a_client_that_goes_away_leaves_nothing),
		cmocka_unit_test(a_block_that_is_refused_is_said),
	};
	return cmocka_run_group_tests(tests, messages_make, messages_finish);
}
