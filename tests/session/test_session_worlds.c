/* Worlds by way of sessions, asked for what no good client asks for. */
#include "base/pause.h"
#include "physics/state/snapshot.h"
#include "session/conversation_worlds.h"
#include "session/link.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
	CREATE = 1,
	SNAPSHOT = 3,
	AGAIN = 4,
	SUBSCRIBE = 5,
	STEP = 6,
	RESTORE = 7,
	LIST = 8,
	DETACH = 9,
	ATTACHED = 100,
	BATCHES = 200
};

enum { SEATS_MAX = 40 };

static struct service service;
static struct conversation_worlds worlds;
static struct memory_link owner;

static uint64_t
clock_stands(void)
{
	return UINT64_C(1000000000);
}

static int
begin(void **state)
{
	(void)state;
	struct session_limits limits = session_limits_default();
	limits.worlds.seats_per_world_max = SEATS_MAX;
	service_init(&service, &limits, 42, clock_stands);
	conversation_worlds_start(&worlds, &service);
	link_open(&owner, &service);
	return 0;
}

static int
finish(void **state)
{
	(void)state;
	link_cut(&owner);
	conversation_worlds_finish(&worlds);
	service_finish(&service);
	return 0;
}

/* Leaves out replies to others. */
static Collide__V1__ServerMessage *
reply_to(uint64_t request_id)
{
	conversation_worlds_run(&worlds);
	Collide__V1__ServerMessage *reply = link_next(&owner);
	while (reply && reply->request_id != request_id) {
		collide__v1__server_message__free_unpacked(reply, NULL);
		reply = link_next(&owner);
	}
	assert_non_null(reply);
	if (!reply)
		abort(); /* as assert_non_null does not tell the compiler */
	return reply;
}

static Collide__V1__ServerMessage *
reply_of(uint64_t request_id, Collide__V1__ServerMessage__ReplyCase expected)
{
	Collide__V1__ServerMessage *reply = reply_to(request_id);
	if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR && expected != reply->reply_case)
		fail_msg("%s: %s", reply->error->reason, reply->error->text);
	assert_int_equal(reply->reply_case, expected);
	return reply;
}

/* A world of one circle, or of a snapshot, that goes by a client's clock. */
static void
create_ask(uint64_t request_id, const ProtobufCBinaryData *snapshot)
{
	Collide__V1__Circle circle = COLLIDE__V1__CIRCLE__INIT, *circles = &circle;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	circle.radius = 1;
	circle.vx = 1;
	scene.circles = &circles;
	scene.n_circles = 1;
	policy.dt = 1.0 / 64;
	policy.clock = COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	create.optional_begin_case = snapshot ? COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SNAPSHOT
	                                      : COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	if (snapshot)
		create.snapshot = *snapshot;
	else
		create.scene = &scene;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	link_say(&owner, &message);
}

static Collide__V1__ServerMessage *
server_world(uint64_t request_id, const ProtobufCBinaryData *snapshot)
{
	create_ask(request_id, snapshot);
	return reply_of(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
}

static void
attach_ask(uint64_t request_id, const Collide__V1__WorldInfo *info)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	attach.world = info->name;
	attach.secret = info->owner_secret;
	attach.right = COLLIDE__V1__RIGHT__RIGHT_STEP;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	link_say(&owner, &message);
}

static uint32_t
seat_attach(uint64_t request_id, const Collide__V1__WorldInfo *info)
{
	attach_ask(request_id, info);
	Collide__V1__ServerMessage *reply = reply_of(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED);
	uint32_t handle = reply->attached->handle;
	collide__v1__server_message__free_unpacked(reply, NULL);
	return handle;
}

static Collide__V1__ServerMessage *
world_snapshot_take(const Collide__V1__WorldInfo *info, bool handover)
{
	Collide__V1__SnapshotWorld snapshot = COLLIDE__V1__SNAPSHOT_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	snapshot.name = info->name;
	snapshot.secret = info->owner_secret;
	snapshot.handover = handover;
	message.request_id = SNAPSHOT;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD;
	message.snapshot_world = &snapshot;
	link_say(&owner, &message);
	return reply_of(SNAPSHOT, COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT);
}

static void
subscribe_to(uint64_t request_id, const Collide__V1__WorldInfo *info)
{
	Collide__V1__Subscribe request = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	spectator.world = info->name;
	spectator.secret = info->join_secret;
	request.stream = COLLIDE__V1__STREAM__STREAM_PATHS;
	request.every = 1;
	request.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	request.spectator = &spectator;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	message.subscribe = &request;
	link_say(&owner, &message);
}

static void
step(uint32_t handle)
{
	Collide__V1__StepWorld request = COLLIDE__V1__STEP_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.handle = handle;
	request.ticks = 1;
	message.request_id = STEP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD;
	message.step_world = &request;
	link_say(&owner, &message);
}

/* ---- the last ticks that there are */

/* Of the engine's bytes: with another tick, and all sums right. */
static void
tick_forge(ProtobufCBinaryData *engine, uint64_t tick)
{
	uint8_t *counts = engine->data + SNAPSHOT_HEADER_BYTES;
	snapshot_number_put(counts + snapshot_row_bytes(&snapshot_counts_table), 8, tick);
	snapshot_forge(engine->data, engine->len);
}

static void
test_a_reader_of_the_last_ticks(void **state)
{
	(void)state;
	Collide__V1__ServerMessage *first = server_world(CREATE, NULL), *part = world_snapshot_take(first->world_info, false);
	const ProtobufCBinaryData *data = &part->snapshot->data;
	Collide__V1__WorldState *bytes = collide__v1__world_state__unpack(NULL, data->len, data->data);
	if (!bytes)
		abort();
	tick_forge(&bytes->engine, UINT64_MAX - 3);
	size_t count = collide__v1__world_state__get_packed_size(bytes);
	uint8_t *packed = malloc(count);
	if (!packed)
		abort();
	collide__v1__world_state__pack(bytes, packed);
	Collide__V1__ServerMessage *last = server_world(AGAIN, &(ProtobufCBinaryData){ count, packed });
	assert_int_equal(last->world_info->tick, UINT64_MAX - 3);
	uint32_t handle = seat_attach(ATTACHED, last->world_info);
	subscribe_to(SUBSCRIBE, last->world_info);
	for (uint64_t tick = UINT64_MAX - 3;; tick++) {
		Collide__V1__ServerMessage *update = reply_of(SUBSCRIBE, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
		assert_int_equal(update->world_update->tick, tick);
		collide__v1__server_message__free_unpacked(update, NULL);
		if (tick == UINT64_MAX)
			break;
		step(handle);
	}
	free(packed);
	collide__v1__world_state__free_unpacked(bytes, NULL);
	collide__v1__server_message__free_unpacked(first, NULL);
	collide__v1__server_message__free_unpacked(part, NULL);
	collide__v1__server_message__free_unpacked(last, NULL);
}

/* ---- another past */

static void
restore(const Collide__V1__WorldInfo *info, ProtobufCBinaryData snapshot)
{
	Collide__V1__RestoreWorld request = COLLIDE__V1__RESTORE_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.name = info->name;
	request.secret = info->owner_secret;
	request.snapshot = snapshot;
	message.request_id = RESTORE;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESTORE_WORLD;
	message.restore_world = &request;
	link_say(&owner, &message);
}

/* The key that was made of the past goes to no one. A reader that comes then gets one of its own. */
static void
test_a_key_of_the_past(void **state)
{
	(void)state;
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL), *part = world_snapshot_take(world->world_info, false);
	subscribe_to(SUBSCRIBE, world->world_info);
	struct news *news = conversation_worlds_turns(&worlds);
	restore(world->world_info, part->snapshot->data);
	conversation_worlds_hear(&worlds, news);
	Collide__V1__ServerMessage *end = reply_of(SUBSCRIBE, COLLIDE__V1__SERVER_MESSAGE__REPLY_UNSUBSCRIBED);
	assert_string_equal(end->unsubscribed->reason, "RESTORED");
	subscribe_to(SUBSCRIBE, world->world_info);
	Collide__V1__ServerMessage *update = reply_of(SUBSCRIBE, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
	assert_int_equal(update->world_update->optional_key_case, COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY);
	collide__v1__server_message__free_unpacked(world, NULL);
	collide__v1__server_message__free_unpacked(part, NULL);
	collide__v1__server_message__free_unpacked(end, NULL);
	collide__v1__server_message__free_unpacked(update, NULL);
}

/* ---- what the loop looks through */

static void
refused(Collide__V1__ServerMessage *reply, const char *reason, const char *field)
{
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, reason);
	assert_string_equal(reply->error->n_violations > 0 ? reply->error->violations[0]->field : "", field);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

static void
test_more_labels_than_a_world_can_have(void **state)
{
	(void)state;
	enum { LABELS = WORLDS_LABELS_MAX + 1 };
	Collide__V1__ListWorlds list = COLLIDE__V1__LIST_WORLDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	Collide__V1__Label label = COLLIDE__V1__LABEL__INIT, *labels[LABELS];
	char key[] = "mode";
	label.key = key;
	for (size_t i = 0; i < LABELS; i++)
		labels[i] = &label;
	list.labels = labels;
	message.request_id = LIST;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_LIST_WORLDS;
	message.list_worlds = &list;
	list.n_labels = LABELS;
	link_say(&owner, &message);
	refused(reply_to(LIST), "LIMIT", "list_worlds.labels");
	list.n_labels = LABELS - 1;
	link_say(&owner, &message);
	collide__v1__server_message__free_unpacked(reply_of(LIST, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLDS), NULL);
}

static void
batch_send(uint64_t request_id, uint32_t handle, uint64_t sequence)
{
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	commands.handle = handle;
	commands.sequence = sequence;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS;
	message.commands = &commands;
	link_say(&owner, &message);
}

static size_t questions;

static bool
question_count(void *context)
{
	(void)context;
	questions++;
	return false;
}

/* How often others may come first meanwhile, if they may after each 64 units. */
static size_t
questions_in_step(uint32_t handle)
{
	struct pause before;
	questions = 0;
	pause_units_set(64);
	pause_begin(&before, question_count, NULL);
	step(handle);
	conversation_worlds_run(&worlds);
	pause_end(&before);
	pause_units_set(PAUSE_UNITS);
	return questions;
}

/* Of many seats of one connection: each message of it looks through those that wait for a CommandsDone. */
static void
test_batches_that_wait_to_be_answered(void **state)
{
	(void)state;
	enum { SEATS = WORLDS_DONES_MAX / WORLDS_BATCHES_WAITING_MAX };
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	uint64_t request_id = BATCHES;
	uint32_t handle = 0;
	for (size_t i = 0; i < SEATS; i++) {
		handle = seat_attach(ATTACHED + i, world->world_info);
		for (uint64_t sequence = 1; sequence <= WORLDS_BATCHES_WAITING_MAX; sequence++)
			batch_send(request_id++, handle, sequence);
	}
	uint32_t other = seat_attach(ATTACHED + SEATS, world->world_info);
	batch_send(request_id, other, 1);
	refused(reply_to(request_id), "REQUESTS_IN_FLIGHT", "");
	/* It has used no sequence. */
	assert_in_range(questions_in_step(handle), WORLDS_DONES_MAX, SIZE_MAX);
	collide__v1__server_message__free_unpacked(reply_of(STEP, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED), NULL);
	batch_send(request_id, other, 1);
	step(handle);
	Collide__V1__ServerMessage *done = reply_of(request_id, COLLIDE__V1__SERVER_MESSAGE__REPLY_COMMANDS_DONE);
	assert_int_equal(done->commands_done->outcome->tick, 2);
	collide__v1__server_message__free_unpacked(done, NULL);
	collide__v1__server_message__free_unpacked(world, NULL);
}

/* Of many in a message, the one of no seat is named. */
static void
test_a_batch_of_no_seat(void **state)
{
	(void)state;
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	Collide__V1__Commands good = COLLIDE__V1__COMMANDS__INIT, bad = COLLIDE__V1__COMMANDS__INIT, *batches[] = { &good, &bad };
	Collide__V1__ManyCommands many = COLLIDE__V1__MANY_COMMANDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	good.handle = seat_attach(ATTACHED, world->world_info);
	bad.handle = good.handle + 1;
	good.sequence = bad.sequence = 1;
	many.batches = batches;
	many.n_batches = 2;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_MANY_COMMANDS;
	message.many_commands = &many;
	link_say(&owner, &message);
	refused(reply_to(0), "HANDLE", "many_commands.batches[1].handle");
	collide__v1__server_message__free_unpacked(world, NULL);
}

/* ---- batches of seats that have ended */

static void
seat_detach(uint32_t handle)
{
	Collide__V1__Detach detach = COLLIDE__V1__DETACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	detach.handle = handle;
	message.request_id = DETACH;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH;
	message.detach = &detach;
	link_say(&owner, &message);
	collide__v1__server_message__free_unpacked(reply_of(DETACH, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETACH_DONE), NULL);
}

/* Seats come and go, and leave as many batches as they may. */
static void
test_seats_that_leave_batches(void **state)
{
	(void)state;
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	uint32_t stays = seat_attach(ATTACHED, world->world_info);
	for (size_t i = 0; i < SEATS_MAX + WORLDS_OWNER_MORE; i++) {
		uint32_t handle = seat_attach(ATTACHED + 1 + i, world->world_info);
		for (uint64_t sequence = 1; sequence <= WORLDS_BATCHES_WAITING_MAX; sequence++)
			batch_send(0, handle, sequence);
		seat_detach(handle);
	}
	attach_ask(ATTACHED + 1 + SEATS_MAX + WORLDS_OWNER_MORE, world->world_info);
	refused(reply_to(ATTACHED + 1 + SEATS_MAX + WORLDS_OWNER_MORE), "SEATS", "attach.world");
	step(stays);
	collide__v1__server_message__free_unpacked(reply_of(STEP, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED), NULL);
	(void)seat_attach(ATTACHED + 1 + SEATS_MAX + WORLDS_OWNER_MORE, world->world_info);
	collide__v1__server_message__free_unpacked(world, NULL);
}

/* A world's handover with so many batches of a seat that has ended; or, 0, with an outcome of a seat, and what it says. */
static Collide__V1__ServerMessage *
handed_over(const Collide__V1__WorldInfo *info, size_t waiting, char *text)
{
	static const char name[] = "elsewhere";
	Collide__V1__ServerMessage *part = world_snapshot_take(info, true);
	Collide__V1__WorldState *bytes = collide__v1__world_state__unpack(NULL, part->snapshot->data.len,
	                                                                  part->snapshot->data.data);
	Collide__V1__WaitingBatch batch = COLLIDE__V1__WAITING_BATCH__INIT;
	Collide__V1__WaitingBatch **batches = malloc((waiting + 1) * sizeof(Collide__V1__WaitingBatch *));
	Collide__V1__Outcome outcome = COLLIDE__V1__OUTCOME__INIT, *outcomes = &outcome;
	if (!bytes || !bytes->handover || !batches)
		abort();
	Collide__V1__Handover *handover = bytes->handover;
	memcpy(handover->name, name, strnlen(handover->name, sizeof name - 1));
	for (size_t i = 0; i < waiting; i++)
		batches[i] = &batch;
	batch.seat = 1;
	batch.sequence = 1;
	batch.right = COLLIDE__V1__RIGHT__RIGHT_ALL;
	outcome.sequence = 1;
	outcome.text = text;
	handover->seat_next = 2;
	handover->waiting = batches;
	handover->n_waiting = waiting;
	if (waiting == 0) {
		handover->seats[0]->sequence = handover->seats[0]->through = 1;
		handover->seats[0]->outcomes = &outcomes;
		handover->seats[0]->n_outcomes = 1;
	}
	ProtobufCBinaryData packed = { .len = collide__v1__world_state__get_packed_size(bytes) };
	packed.data = malloc(packed.len);
	if (!packed.data)
		abort();
	collide__v1__world_state__pack(bytes, packed.data);
	create_ask(AGAIN, &packed);
	free(packed.data);
	free(batches);
	handover->waiting = NULL;
	handover->n_waiting = 0;
	if (waiting == 0) {
		handover->seats[0]->outcomes = NULL;
		handover->seats[0]->n_outcomes = 0;
	}
	collide__v1__world_state__free_unpacked(bytes, NULL);
	collide__v1__server_message__free_unpacked(part, NULL);
	return reply_to(AGAIN);
}

static void
test_a_handover_with_very_many_batches(void **state)
{
	(void)state;
	char text[] = "";
	size_t most = (size_t)3 * (SEATS_MAX + WORLDS_OWNER_MORE) * WORLDS_BATCHES_WAITING_MAX;
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	refused(handed_over(world->world_info, most + 1, text), "BAD_FIELD", "create_world.snapshot.handover.waiting");
	Collide__V1__ServerMessage *reply = handed_over(world->world_info, most, text);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
	collide__v1__server_message__free_unpacked(reply, NULL);
	collide__v1__server_message__free_unpacked(world, NULL);
}

/* It would be told again to each that attaches by the token. */
static void
test_a_handover_with_a_long_outcome(void **state)
{
	(void)state;
	static char text[2000];
	memset(text, 'a', sizeof text - 1);
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	(void)seat_attach(ATTACHED, world->world_info);
	refused(handed_over(world->world_info, 0, text), "BAD_FIELD", "create_world.snapshot.handover.seats");
	text[100] = '\0';
	Collide__V1__ServerMessage *reply = handed_over(world->world_info, 0, text);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
	collide__v1__server_message__free_unpacked(reply, NULL);
	collide__v1__server_message__free_unpacked(world, NULL);
}

/* ---- readers that steer */

static void
steer(uint64_t request_id, uint64_t subscription, double x)
{
	Collide__V1__Bounds box = COLLIDE__V1__BOUNDS__INIT;
	Collide__V1__Region region = COLLIDE__V1__REGION__INIT;
	Collide__V1__Steer request = COLLIDE__V1__STEER__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	box.x_min = x;
	box.x_max = x + 2;
	box.y_max = 2;
	region.what_case = COLLIDE__V1__REGION__WHAT_BOX;
	region.box = &box;
	request.subscription = subscription;
	request.optional_region_case = COLLIDE__V1__STEER__OPTIONAL_REGION_REGION;
	request.region = &region;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEER;
	message.steer = &request;
	link_say(&owner, &message);
}

/* Of the replies that have come: updates that say that a reader is steered. */
static size_t
steered_count(void)
{
	size_t count = 0;
	for (Collide__V1__ServerMessage *reply = link_next(&owner); reply; reply = link_next(&owner)) {
		count += reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE && reply->world_update->steered != 0;
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	return count;
}

/* A turn brings over as many as its time allows, and the rest come later. */
static void
test_very_many_readers_that_steer(void **state)
{
	(void)state;
	enum { READERS = 9, SUBSCRIBED = 1000, STEERED = 2000 };
	Collide__V1__ServerMessage *world = server_world(CREATE, NULL);
	for (uint64_t i = 0; i < READERS; i++)
		subscribe_to(SUBSCRIBED + i, world->world_info);
	conversation_worlds_run(&worlds);
	assert_int_equal(steered_count(), 0);
	conversation_worlds_cpu_step_ns = LIVE_WORLD_TURN_NS / 2;
	for (uint64_t i = 0; i < READERS; i++)
		steer(STEERED + i, SUBSCRIBED + i, 0);
	conversation_worlds_run_together(&worlds);
	size_t first = steered_count(), all = first;
	assert_in_range(first, 1, READERS / 2);
	for (size_t turns = 0; turns < READERS && all < READERS; turns++) {
		conversation_worlds_run_together(&worlds);
		all += steered_count();
	}
	assert_int_equal(all, READERS);
	collide__v1__server_message__free_unpacked(world, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_reader_of_the_last_ticks, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_key_of_the_past, begin, finish),
		cmocka_unit_test_setup_teardown(test_more_labels_than_a_world_can_have, begin, finish),
		cmocka_unit_test_setup_teardown(test_batches_that_wait_to_be_answered, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_batch_of_no_seat, begin, finish),
		cmocka_unit_test_setup_teardown(test_seats_that_leave_batches, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_handover_with_very_many_batches, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_handover_with_a_long_outcome, begin, finish),
		cmocka_unit_test_setup_teardown(test_very_many_readers_that_steer, begin, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
