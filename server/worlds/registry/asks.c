/* Requests that a live world answers: steps, snapshots, another past. */
#include "base/check.h"
#include "base/memory.h"
#include "worlds/registry/wish.h"

#include <string.h>

/* After which the world has answered some, about. */
#define RETRY_ASK_MS 100

/* A request waits for it, which is counted by its session. */
static bool
kind_is_waited_for(enum ask_kind kind)
{
	return kind == ASK_MOMENT || kind == ASK_FORK;
}

/* What waits for a world's end costs nothing, and is over soon. */
static bool
kind_is_of_the_end(enum ask_kind kind)
{
	return kind == ASK_PARTING || kind == ASK_END;
}

/* As a request in flight. */
static bool
kind_is_counted(enum ask_kind kind)
{
	return !kind_is_waited_for(kind) && !kind_is_of_the_end(kind);
}

struct ask *
ask_create(struct hosted *world, struct worlds_client *client, enum ask_kind kind, uint64_t request_id)
{
	struct ask *ask = memory_zeroed(1, sizeof *ask);
	if (!ask)
		return NULL;
	*ask = (struct ask){
		.next = world->asks,
		.next_of_client = client->asks,
		.number = world->worlds->ask_next++,
		.kind = kind,
		.client = client,
		.account = client->account,
		.request_id = request_id,
	};
	world->worlds->options.upward->account_hold(ask->account);
	world->asks = client->asks = ask;
	client->ask_count += kind_is_counted(kind);
	return ask;
}

/* What its answer will take, about, is charged to the asker until it comes: also of what was cancelled, which the world makes
 * nevertheless. */
static void
ask_charge(const struct hosted *world, struct ask *ask, uint64_t bytes)
{
	world->worlds->options.upward->account_charge(ask->account, ask->charged_bytes, bytes);
	ask->charged_bytes = bytes;
}

void
ask_forget(struct ask *ask)
{
	if (!ask->client)
		return;
	struct ask **link = &ask->client->asks;
	while (*link != ask)
		link = &(*link)->next_of_client;
	*link = ask->next_of_client;
	ask->client->ask_count -= kind_is_counted(ask->kind);
	ask->client = NULL;
}

void
ask_free(struct hosted *world, struct ask *ask)
{
	ask_forget(ask);
	struct ask **link = &world->asks;
	while (*link != ask)
		link = &(*link)->next;
	*link = ask->next;
	if (ask->kind == ASK_STEP)
		world->stepping = false;
	ask_charge(world, ask, 0);
	world->worlds->options.upward->account_release(ask->account);
	memory_free(ask->received);
	post_free(ask->pause);
	memory_free(ask);
}

enum status
asks_check_share(const struct hosted *world, const struct worlds_client *client, enum ask_kind kind,
                 struct wire_problem *problem)
{
	size_t count = 0;
	for (const struct ask *ask = world->asks; ask; ask = ask->next)
		count += ask->account == client->account && !kind_is_of_the_end(ask->kind) &&
		         (ask->kind == ASK_MOMENT) == (kind == ASK_MOMENT);
	if (count < WORLDS_ASKS_MAX)
		return STATUS_OK;
	(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "OVER_SHARE", "",
	                       "%zu requests of this address wait for the world, those that were cancelled among them", count);
	problem->retry_after_ms = RETRY_ASK_MS;
	return problem->status;
}

static enum status
no_memory(struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "SERVER_MEMORY", "", "no memory for the request");
}

/* ---- StepWorld */

enum status
worlds_step(struct worlds_client *client, uint64_t request_id, const Collide__V1__StepWorld *message,
            struct wire_problem *problem)
{
	const struct seat *seat = seat_of_handle(client, message->handle);
	if (!seat)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "step_world.handle", "this connection has no such handle");
	struct hosted *world = seat->world;
	uint64_t ticks_max = world->worlds->options.scene_limits->ticks_max;
	if (seat->right < SEAT_STEP)
		return wire_problem_set(problem, STATUS_PERMISSION_DENIED, "RIGHT", "step_world.handle",
		                        "the seat may not step the world");
	if (world->policy.clock != WORLD_CLOCK_CLIENT || world->stepping) {
		return wire_problem_set(problem, STATUS_FAILED_PRECONDITION, "CLOCK", "step_world.handle", "the world %s",
		                        world->stepping ? "is being stepped" : "does not go by a client's clock");
	}
	if (message->ticks == 0)
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "step_world.ticks", "must not be 0");
	if (message->ticks > ticks_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "step_world.ticks", "is over %llu",
		                        (unsigned long long)ticks_max);
	}
	struct post *post = hosted_post(world, POST_STEP, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_STEP, request_id) : NULL;
	if (!ask) {
		post_free(post);
		return no_memory(problem);
	}
	post->ask = ask->number;
	post->step.ticks = message->ticks;
	post->step.has_expect = message->optional_expect_tick_case == COLLIDE__V1__STEP_WORLD__OPTIONAL_EXPECT_TICK_EXPECT_TICK;
	post->step.expect_tick = message->expect_tick;
	post->step.seat = seat->number;
	world->stepping = true;
	post_send(world, post, true);
	return STATUS_OK;
}

static void
answer_step(const struct ask *ask, const struct answer *answer, const struct worlds_upward *upward)
{
	Collide__V1__Stepped stepped = COLLIDE__V1__STEPPED__INIT;
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	stepped.tick = answer->tick;
	stepped.hash = answer->hash;
	message.request_id = ask->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED;
	message.stepped = &stepped;
	upward->reply(ask->client->context, &message, true);
}

/* ---- SnapshotWorld */

/* What each seat has sent, so that the handover says of no batch that it was received which the world's part does not have. */
static bool
ask_note_received(struct ask *ask, const struct hosted *world)
{
	ask->received = memory_alloc((world->seat_count + 1) * sizeof *ask->received);
	if (!ask->received)
		return false;
	for (const struct seat *seat = world->seats; seat; seat = seat->next)
		ask->received[ask->received_count++] = (struct received){ seat->number, seat->received };
	return true;
}

/* All that may want for memory comes before anything happens. False: it does. */
static bool
handover_prepare(struct ask *ask, const struct hosted *world)
{
	ask->pause = hosted_post(world, POST_CLOCK, 0);
	return ask->pause && ask_note_received(ask, world);
}

/* What the snapshot does not have must not be taken for received: the world stands still, and is left by all. */
static void
hand_over(struct hosted *world, struct ask *ask)
{
	struct world_policy paused = world->policy;
	paused.clock = WORLD_CLOCK_PAUSED;
	if (world->policy.clock != WORLD_CLOCK_PAUSED) {
		post_clock_send(world, ask->pause, &paused);
		ask->pause = NULL;
		world->clock_handed = world->policy.clock;
		world->policy.clock = WORLD_CLOCK_PAUSED;
	}
	while (world->subscriptions)
		subscription_end(world->subscriptions, "HANDOVER");
	for (struct seat *seat = world->seats; seat; seat = seat->next)
		seat_handed_over(seat, ask->number);
	entry_use_changed(world);
}

enum status
worlds_snapshot(struct worlds_client *client, uint64_t request_id, const Collide__V1__SnapshotWorld *message,
                struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	enum status status = entry_open(client->worlds, message->name, message->epoch, &message->secret, SECRET_OWNER,
	                                "snapshot_world", &world, &kind, problem);
	if (status != STATUS_OK)
		return status;
	bool at = message->optional_at_case == COLLIDE__V1__SNAPSHOT_WORLD__OPTIONAL_AT_AT_TICK;
	if (message->handover && (at || message->as_scene)) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "snapshot_world.handover",
		                        "goes with neither at_tick nor as_scene");
	}
	status = asks_check_share(world, client, ASK_SNAPSHOT, problem);
	if (status == STATUS_OK)
		status = client->worlds->options.upward->account_check(client->account, world->stats.bytes, problem);
	if (status != STATUS_OK)
		return status;
	struct post *post = hosted_post(world, POST_SNAPSHOT, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_SNAPSHOT, request_id) : NULL;
	if (ask && message->handover && !handover_prepare(ask, world)) {
		ask_free(world, ask);
		ask = NULL;
	}
	if (!ask) {
		post_free(post);
		return no_memory(problem);
	}
	ask_charge(world, ask, world->stats.bytes);
	ask->handover = message->handover;
	post->ask = ask->number;
	post->snapshot.has_tick = at;
	post->snapshot.at_tick = message->at_tick;
	post->snapshot.as_scene = message->as_scene;
	post->snapshot.waiting = message->handover;
	/* It stands still before it is written. */
	if (message->handover)
		hand_over(world, ask);
	post_send(world, post, true);
	return STATUS_OK;
}

static void
answer_snapshot(const struct hosted *world, const struct ask *ask, const struct answer *answer)
{
	const struct worlds_upward *upward = world->worlds->options.upward;
	struct wire_problem problem = { .status = STATUS_OK };
	struct shared_bytes *whole = ask->handover ? handover_create(world, ask, answer) : shared_bytes_hold(answer->snapshot);
	if (!whole) {
		(void)no_memory(&problem);
		upward->refuse(ask->client->context, ask->request_id, &problem);
		return;
	}
	if (!delivery_begin(ask->client, ask->request_id, answer->tick, whole)) {
		(void)no_memory(&problem);
		upward->refuse(ask->client->context, ask->request_id, &problem);
	}
	shared_bytes_release(whole);
}

/* ---- the moment of a world, for a Query */

static enum status
moment_world(struct worlds_client *client, const Collide__V1__WorldMoment *message, struct hosted **world,
             struct wire_problem *problem)
{
	enum secret_kind kind = SECRET_NONE;
	if (message->handle == 0)
		return entry_open(client->worlds, message->world, message->epoch, &message->secret, SECRET_JOIN, "query.world", world,
		                  &kind, problem);
	const struct seat *seat = seat_of_handle(client, message->handle);
	if (!seat)
		return wire_problem_set(problem, STATUS_NOT_FOUND, "HANDLE", "query.world.handle",
		                        "this connection has no such handle");
	*world = seat->world;
	return STATUS_OK;
}

enum status
worlds_moment(struct worlds_client *client, uint64_t request_id, const Collide__V1__WorldMoment *message,
              struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum status status = moment_world(client, message, &world, problem);
	if (status == STATUS_OK)
		status = asks_check_share(world, client, ASK_MOMENT, problem);
	if (status != STATUS_OK)
		return status;
	struct post *post = hosted_post(world, POST_MOMENT, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_MOMENT, request_id) : NULL;
	if (!ask) {
		post_free(post);
		return no_memory(problem);
	}
	post->ask = ask->number;
	post->moment.has_tick = message->optional_tick_case == COLLIDE__V1__WORLD_MOMENT__OPTIONAL_TICK_TICK;
	post->moment.tick = message->tick;
	post->moment.time = message->time;
	post->moment.asker = (uintptr_t)ask->account;
	post_send(world, post, true);
	return STATUS_OK;
}

void
worlds_forget(struct worlds_client *client, uint64_t request_id)
{
	struct ask *ask = client->asks;
	while (ask && (!kind_is_waited_for(ask->kind) || ask->request_id != request_id))
		ask = ask->next_of_client;
	if (ask)
		ask_forget(ask);
}

static void
answer_moment(const struct ask *ask, struct answer *answer, const struct worlds_upward *upward)
{
	upward->moment(ask->client->context, ask->request_id, answer->space, &answer->problem);
	answer->space = NULL;
}

/* ---- ForkWorld */

/* Map and policy are those that the world has now; the map is held, whatever becomes of its name. */
static void
fork_begin(struct world_wish *wish, const struct hosted *world)
{
	wish->policy = world->policy;
	if (wish->fork.clock != COLLIDE__V1__CLOCK__CLOCK_UNSPECIFIED)
		wish->policy.clock = (enum world_clock)wish->fork.clock;
	if (world->map)
		wish->map = named_map_hold(world->map);
}

enum status
worlds_fork(struct worlds_client *client, uint64_t request_id, struct world_wish *wish, struct wire_problem *problem)
{
	struct hosted *world = NULL;
	enum secret_kind kind = SECRET_NONE;
	const ProtobufCBinaryData secret = { wish->fork.secret_count, wish->fork.secret };
	enum status status = entry_open(client->worlds, wish->fork.world, wish->fork.epoch, &secret, SECRET_OWNER, "fork_world",
	                                &world, &kind, problem);
	if (status == STATUS_OK)
		status = asks_check_share(world, client, ASK_FORK, problem);
	if (status == STATUS_OK)
		status = client->worlds->options.upward->account_check(client->account, world->stats.bytes, problem);
	if (status != STATUS_OK)
		return status;
	struct post *post = hosted_post(world, POST_SNAPSHOT, 0);
	struct ask *ask = post ? ask_create(world, client, ASK_FORK, request_id) : NULL;
	if (!ask) {
		post_free(post);
		return no_memory(problem);
	}
	ask_charge(world, ask, world->stats.bytes);
	post->ask = ask->number;
	post->snapshot.has_tick = wish->fork.has_tick;
	post->snapshot.at_tick = wish->fork.at_tick;
	post->snapshot.fork = true;
	fork_begin(wish, world);
	post_send(world, post, true);
	return STATUS_OK;
}

/* ---- answers */

/* To a request that waits for it in its session. */
static void
answer_waiting(const struct ask *ask, struct answer *answer, const struct worlds_upward *upward)
{
	if (ask->kind == ASK_MOMENT)
		answer_moment(ask, answer, upward);
	else
		upward->state(ask->client->context, ask->request_id, answer->snapshot, &answer->problem);
}

void
asks_answer(struct hosted *world, struct answer *answer)
{
	const struct worlds_upward *upward = world->worlds->options.upward;
	struct ask *ask = world->asks;
	while (ask && ask->number != answer->ask)
		ask = ask->next;
	if (!ask)
		return;
	struct worlds_client *client = ask->client;
	if (ask->handover)
		partings_hand_over(world, answer);
	if (client) {
		if (kind_is_waited_for(ask->kind))
			answer_waiting(ask, answer, upward);
		else if (answer->problem.status != STATUS_OK)
			upward->refuse(ask->client->context, ask->request_id, &answer->problem);
		else if (ask->kind == ASK_STEP)
			answer_step(ask, answer, upward);
		else if (ask->kind == ASK_SNAPSHOT)
			answer_snapshot(world, ask, answer);
		else
			reply_info(ask->client, ask->request_id, world);
	}
	ask_free(world, ask);
	if (client)
		(void)worlds_client_deliver(client);
}

void
asks_end(struct hosted *world, const char *reason)
{
	struct wire_problem problem = { .status = STATUS_OK };
	(void)wire_problem_set(&problem, STATUS_CANCELLED, reason, "", "the world has ended");
	const struct worlds_upward *upward = world->worlds->options.upward;
	for (struct ask *next = NULL, *ask = world->asks; ask; ask = next) {
		next = ask->next;
		if (ask->kind == ASK_PARTING)
			ask->parting_from = 0; /* also of a handover that is not answered any more */
		if (ask->kind == ASK_PARTING || ask->kind == ASK_END)
			continue;
		if (ask->client && ask->kind == ASK_FORK)
			upward->state(ask->client->context, ask->request_id, NULL, &problem);
		else if (ask->client && ask->kind == ASK_MOMENT)
			upward->moment(ask->client->context, ask->request_id, NULL, &problem);
		else if (ask->client)
			upward->refuse(ask->client->context, ask->request_id, &problem);
		ask_free(world, ask);
	}
}
