/* The outside of the registry in a play: the host of its worlds, and what becomes of replies. */
#include "worlds/play.h"

#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct play *play_here;

/* ---- the outside of the registry */

static void *
host_start(void *context, struct live_world *live, void *account)
{
	struct play *play = context;
	(void)account;
	for (size_t i = 0; i < WORLDS; i++) {
		struct play_world *world = &play->world[i];
		if (!world->task.live && !world->task.ended) {
			world->task = (struct play_task){ .live = live, .wanted = true, .world = world };
			return &world->task;
		}
	}
	return NULL;
}

static void
host_want(void *task)
{
	((struct play_task *)task)->wanted = true;
}

static void
host_reserve(void *task, uint64_t ns_per_s)
{
	(void)task;
	assert_true(ns_per_s <= UINT64_C(1000000000));
}

static uint64_t
host_turn_ns(void *task)
{
	(void)task;
	return 0;
}

static uint64_t
host_first_due_ns(void *task, uint32_t tick_hz, uint64_t now_ns)
{
	(void)task;
	return now_ns + 1 + random_below(&play_here->random, UINT64_C(1000000000) / tick_hz);
}

static uint64_t
host_now_ns(void)
{
	return play_here->now_ns;
}

static uint64_t
host_cpu_ns(void)
{
	return play_here->now_ns;
}

static void
host_random(uint8_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (uint8_t)random_bits(&play_here->random);
}

/* ---- replies */

static struct player *
player_of_attach(const struct play_connection *connection, uint64_t request_id)
{
	for (size_t i = 0; i < PLAYERS; i++)
		if (play_here->player[i].connection == connection && play_here->player[i].attach_id == request_id)
			return &play_here->player[i];
	return NULL;
}

static void
on_attached(struct player *player, const Collide__V1__Attached *attached)
{
	assert_non_null(player);
	if (!player)
		return;
	player->attaching = false;
	player->handle = attached->handle;
	player->seat = attached->seat;
	player->id_first = attached->id_first;
	player->id_count = attached->id_count;
	player->seated = true;
	memcpy(player->token, attached->token.data, sizeof player->token);
	/* What it had sent and the server does not know of is sent again. */
	assert_true(attached->sequence <= player->delivered);
	player->delivered = (size_t)attached->sequence;
}

/* In one part, as it is short. */
static void
on_snapshot(uint64_t request_id, const Collide__V1__Snapshot *snapshot)
{
	assert_false(snapshot->more);
	for (size_t i = 0; i < WORLDS; i++) {
		struct play_world *world = &play_here->world[i];
		if (world->snapshot_asked != request_id)
			continue;
		assert_true(world->snapshot_taken);
		assert_int_equal(snapshot->tick, world->kept.tick);
		free(world->bytes);
		world->byte_count = snapshot->data.len;
		world->bytes = malloc(world->byte_count);
		assert_non_null(world->bytes);
		memcpy(world->bytes, snapshot->data.data, world->byte_count);
		world->snapshot_asked = 0;
	}
}

static void
reply_take(struct play_connection *connection, const Collide__V1__ServerMessage *message, bool final)
{
	struct player *player = player_of_attach(connection, message->request_id);
	switch (message->reply_case) {
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED: on_attached(player, message->attached); break;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACHED:
		assert_true(final);
		if (player) {
			player->connection = NULL;
			player->attaching = false;
		}
		break;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED:
		for (size_t i = 0; i < WORLDS; i++) {
			struct play_world *world = &play_here->world[i];
			if (world->steps_asked == message->request_id) {
				assert_int_equal(message->stepped->tick, world->steps_answer);
				world->steps_asked = 0;
			}
		}
		break;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED:
		reader_unsubscribed(connection, message->request_id, message->unsubscribed->reason);
		break;
	case COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT: on_snapshot(message->request_id, message->snapshot); break;
	default: break;
	}
}

static void
on_reply(void *client, const Collide__V1__ServerMessage *message, bool final)
{
	struct play_connection *connection = client;
	bool paused = test_enter();
	assert_true(connection->open);
	if (!connection->failed)
		reply_take(connection, message, final);
	test_leave(paused);
}

static void
on_outcome(struct player *player, const Collide__V1__Outcome *outcome)
{
	size_t at = (size_t)outcome->sequence - 1;
	assert_true(at < player->made && !outcome->not_received);
	size_t count = collide__v1__outcome__get_packed_size(outcome);
	uint8_t *bytes = malloc(count + 1);
	assert_non_null(bytes);
	(void)collide__v1__outcome__pack(outcome, bytes);
	Collide__V1__Outcome *copy = collide__v1__outcome__unpack(NULL, count, bytes);
	free(bytes);
	assert_non_null(copy);
	if (!copy)
		return;
	if (player->told[at]) {
		/* Told again: the same, unless it is undone since. */
		if (strcmp(copy->reason, "UNDONE") != 0) {
			assert_int_equal(player->told[at]->tick, copy->tick);
			assert_string_equal(player->told[at]->reason, copy->reason);
		}
		collide__v1__outcome__free_unpacked(player->told[at], NULL);
	}
	player->told[at] = copy;
}

static void
on_acks(struct player *player, const Collide__V1__Acks *acks)
{
	assert_non_null(player);
	assert_non_null(acks);
	if (!player || !acks)
		return;
	assert_true(acks->through >= player->through && acks->through <= player->delivered);
	player->through = acks->through;
	for (size_t i = 0; i < acks->n_outcomes; i++)
		on_outcome(player, acks->outcomes[i]);
}

static void
on_reply_shared(void *client, uint64_t request_id, uint32_t field, const uint8_t *front, size_t front_count,
                struct shared_bytes *block)
{
	struct play_connection *connection = client;
	uint8_t *bytes = malloc(front_count + block->count + 1);
	bool paused = test_enter();
	assert_true(connection->open && bytes);
	if (front_count > 0)
		memcpy(bytes, front, front_count);
	memcpy(bytes + front_count, block->bytes, block->count);
	if (!connection->failed && field == COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS) {
		Collide__V1__Acks *acks = collide__v1__acks__unpack(NULL, front_count + block->count, bytes);
		struct player *player = player_of_attach(connection, request_id);
		on_acks(player, acks);
		collide__v1__acks__free_unpacked(acks, NULL);
	}
	if (!connection->failed && field == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE)
		reader_update(connection, request_id, bytes, front_count + block->count);
	free(bytes);
	test_leave(paused);
}

static void
on_refuse(void *client, uint64_t request_id, const struct wire_problem *problem)
{
	const struct play_connection *connection = client;
	if (connection->failed)
		return;
	for (size_t i = 0; i < WORLDS; i++) {
		if (play_here->world[i].steps_asked == request_id)
			play_here->world[i].steps_asked = 0;
		if (play_here->world[i].snapshot_asked == request_id)
			play_here->world[i].snapshot_asked = 0;
	}
	if (strcmp(problem->field, "subscribe") == 0) {
		assert_string_equal(problem->reason, "MEMORY");
		reader_unsubscribed(connection, request_id, problem->reason);
		return;
	}
	if (play_memory_reason(problem->reason))
		return;
	if (strcmp(problem->reason, "RESTORED") != 0 && strcmp(problem->reason, "DISK") != 0 &&
	    strcmp(problem->reason, "RECORD_BYTES") != 0 && strcmp(problem->reason, "CANCELLED") != 0)
		assert_string_equal(problem->reason, "WORLD_GONE");
}

static void
on_moment(void *client, uint64_t request_id, struct shared_space *space, const struct wire_problem *problem)
{
	const struct play_connection *connection = client;
	bool paused = test_enter();
	assert_true(connection->open);
	if (!connection->failed)
		moment_tell(connection, request_id, space, problem);
	else
		shared_space_release(space);
	test_leave(paused);
}

static void
on_state(void *client, uint64_t request_id, struct shared_bytes *state, const struct wire_problem *problem)
{
	const struct play_connection *connection = client;
	bool paused = test_enter();
	assert_true(connection->open);
	if (!connection->failed)
		fork_tell(connection, request_id, state, problem);
	test_leave(paused);
}

static void
on_fail(void *client)
{
	struct play_connection *connection = client;
	assert_true(play_here->short_of_memory && connection->open);
	play_here->failed_connections += !connection->failed;
	connection->failed = true;
}

static size_t
on_waiting(void *client)
{
	(void)client;
	/* Sometimes so much that a reader is behind. */
	return random_below(&play_here->random, 8) == 0 ? WORLDS_BEHIND_BYTES + 1 : 0;
}

static bool
on_has_room(void *client)
{
	(void)client;
	return true;
}

static void
on_account_hold(void *account)
{
	(void)account;
	play_here->accounts_held++;
}

static void
on_account_release(void *account)
{
	(void)account;
	play_here->accounts_held--;
}

static void
on_account_charge(void *account, uint64_t before_bytes, uint64_t bytes)
{
	(void)account;
	play_here->charged += (int64_t)bytes - (int64_t)before_bytes;
}

static enum status
on_account_check(const void *account, uint64_t bytes, struct wire_problem *problem)
{
	(void)account;
	(void)bytes;
	(void)problem;
	return STATUS_OK;
}

const struct worlds_upward play_upward = {
	.reply = on_reply,
	.reply_shared = on_reply_shared,
	.moment = on_moment,
	.state = on_state,
	.refuse = on_refuse,
	.fail = on_fail,
	.waiting = on_waiting,
	.has_room = on_has_room,
	.account_hold = on_account_hold,
	.account_release = on_account_release,
	.account_charge = on_account_charge,
	.account_check = on_account_check,
};

struct worlds_host
play_host(struct play *play)
{
	return (struct worlds_host){ host_start,        host_want,   host_reserve, host_turn_ns,
		                         host_first_due_ns, host_now_ns, host_cpu_ns,  NULL,
		                         host_random,       2,           play };
}
