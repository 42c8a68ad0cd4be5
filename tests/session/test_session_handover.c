/* A handover between its request and its answer: what seats do meanwhile is told of none of the others, and of none twice. */
#include "session/conversation_worlds.h"
#include "session/link.h"
#include "session/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ATTACH = 2, DETACH = 3, CREATE = 4, HAND_OVER = 5, SET = 6, STEP = 7, DESTROY = 8, SEATS = 3 };

struct handed_seat {
	struct memory_link link;
	Collide__V1__Right right;
	uint32_t handle, number;
	uint8_t token[16];
	uint64_t sequence;
};

static struct service service;
static struct conversation_worlds worlds;
static struct memory_link owner;
static struct handed_seat seats[SEATS];
static char name[80];
static uint8_t secret[16];

static uint64_t
clock_stands(void)
{
	return UINT64_C(1000000000);
}

static Collide__V1__ServerMessage *
reply_to(struct memory_link *link, uint64_t request_id)
{
	Collide__V1__ServerMessage *reply = link_next(link);
	while (reply && reply->request_id != request_id) {
		collide__v1__server_message__free_unpacked(reply, NULL);
		reply = link_next(link);
	}
	assert_non_null(reply);
	if (!reply)
		abort(); /* as assert_non_null does not tell the compiler */
	return reply;
}

/* By a new connection; by its token, if it was there. */
static void
seat_attach(struct handed_seat *seat)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	if (seat->link.session)
		link_cut(&seat->link);
	link_open(&seat->link, &service);
	attach.world = name;
	attach.right = seat->right;
	attach.secret = (ProtobufCBinaryData){ sizeof secret, secret };
	if (seat->number != 0)
		attach.token = (ProtobufCBinaryData){ sizeof seat->token, seat->token };
	message.request_id = ATTACH;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	link_say(&seat->link, &message);
	Collide__V1__ServerMessage *reply = reply_to(&seat->link, ATTACH);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED);
	seat->handle = reply->attached->handle;
	seat->number = reply->attached->seat;
	assert_int_equal(reply->attached->sequence, seat->sequence);
	memcpy(seat->token, reply->attached->token.data, sizeof seat->token);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

static void
seat_send(struct handed_seat *seat)
{
	const struct scheduled_batch batch = { .kind = SCHEDULED_SET, .rows = 1, .id = { 1 } };
	struct buffer bytes;
	buffer_init(&bytes);
	schedule_pack(&bytes, &batch, seat->handle, 0, ++seat->sequence, 0);
	link_say_bytes(&seat->link, bytes.bytes, bytes.count);
	buffer_finish(&bytes);
}

static void
seat_end(struct handed_seat *seat)
{
	Collide__V1__Detach detach = COLLIDE__V1__DETACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	detach.handle = seat->handle;
	message.request_id = DETACH;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH;
	message.detach = &detach;
	link_say(&seat->link, &message);
}

static void
begin(void)
{
	static struct seat_schedule schedule = { .late = COLLIDE__V1__LATE__LATE_NEXT_TICK, .seed = 3 };
	struct session_limits limits = session_limits_default();
	struct buffer create;
	memset(seats, 0, sizeof seats);
	service_init(&service, &limits, 42, clock_stands);
	conversation_worlds_start(&worlds, &service);
	link_open(&owner, &service);
	buffer_init(&create);
	schedule_pack_world(&create, &schedule, CREATE);
	link_say_bytes(&owner, create.bytes, create.count);
	buffer_finish(&create);
	Collide__V1__ServerMessage *reply = reply_to(&owner, CREATE);
	(void)snprintf(name, sizeof name, "%s", reply->world_info->name);
	memcpy(secret, reply->world_info->owner_secret.data, sizeof secret);
	collide__v1__server_message__free_unpacked(reply, NULL);
	conversation_worlds_run(&worlds);
	for (size_t i = 0; i < SEATS; i++) {
		seats[i].right = i == SEATS - 1 ? COLLIDE__V1__RIGHT__RIGHT_LOOK : COLLIDE__V1__RIGHT__RIGHT_ALL;
		seat_attach(&seats[i]);
	}
}

static void
finish(void)
{
	for (size_t i = 0; i < SEATS; i++)
		link_cut(&seats[i].link);
	link_cut(&owner);
	conversation_worlds_finish(&worlds);
	service_finish(&service);
}

static void
hand_over_ask(struct memory_link *link)
{
	Collide__V1__SnapshotWorld snapshot = COLLIDE__V1__SNAPSHOT_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	snapshot.name = name;
	snapshot.secret = (ProtobufCBinaryData){ sizeof secret, secret };
	snapshot.handover = true;
	message.request_id = HAND_OVER;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD;
	message.snapshot_world = &snapshot;
	link_say(link, &message);
}

static Collide__V1__Snapshot *
hand_over_bytes(struct memory_link *link)
{
	conversation_worlds_run(&worlds);
	Collide__V1__ServerMessage *reply = reply_to(link, HAND_OVER);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT);
	Collide__V1__Snapshot *snapshot = reply->snapshot;
	reply->snapshot = NULL;
	reply->reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY__NOT_SET;
	collide__v1__server_message__free_unpacked(reply, NULL);
	return snapshot;
}

static Collide__V1__WorldState *
hand_over_take(struct memory_link *link)
{
	Collide__V1__Snapshot *snapshot = hand_over_bytes(link);
	Collide__V1__WorldState *state = collide__v1__world_state__unpack(NULL, snapshot->data.len, snapshot->data.data);
	collide__v1__snapshot__free_unpacked(snapshot, NULL);
	if (!state || !state->handover)
		abort();
	return state;
}

static const Collide__V1__SeatState *
seat_of(const Collide__V1__WorldState *state, const struct handed_seat *seat)
{
	for (size_t i = 0; i < state->handover->n_seats; i++)
		if (state->handover->seats[i]->seat == seat->number)
			return state->handover->seats[i];
	fail_msg("seat %u is not there", seat->number);
	abort();
}

static void
test_a_seat_that_ends_meanwhile(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 3; i++)
		seat_send(&seats[0]);
	seat_send(&seats[1]);
	hand_over_ask(&owner);
	seat_attach(&seats[1]);
	seat_end(&seats[1]);
	Collide__V1__WorldState *bytes = hand_over_take(&owner);
	assert_int_equal(bytes->handover->n_seats, 2);
	assert_int_equal(seat_of(bytes, &seats[0])->sequence, 3);
	assert_int_equal(seat_of(bytes, &seats[2])->sequence, 0);
	collide__v1__world_state__free_unpacked(bytes, NULL);
	finish();
}

/* What it is told here, the other process does not know of. */
static void
test_a_seat_that_is_refused_meanwhile(void **state)
{
	(void)state;
	begin();
	seat_send(&seats[2]);
	hand_over_ask(&owner);
	seat_attach(&seats[2]);
	seat_send(&seats[2]);
	Collide__V1__WorldState *bytes = hand_over_take(&owner);
	const Collide__V1__SeatState *seat = seat_of(bytes, &seats[2]);
	assert_int_equal(seat->sequence, 1);
	assert_int_equal(seat->through, 1);
	assert_int_equal(seat->n_outcomes, 1);
	assert_int_equal(seat->outcomes[0]->sequence, 1);
	collide__v1__world_state__free_unpacked(bytes, NULL);
	finish();
}

/* Each tells of what had come when it was asked for. */
static void
test_two_at_once(void **state)
{
	static struct memory_link other;
	(void)state;
	begin();
	seat_send(&seats[0]);
	hand_over_ask(&owner);
	seat_attach(&seats[0]);
	seat_send(&seats[0]);
	link_open(&other, &service);
	hand_over_ask(&other);
	Collide__V1__WorldState *first = hand_over_take(&owner), *second = hand_over_take(&other);
	assert_int_equal(seat_of(first, &seats[0])->sequence, 1);
	assert_int_equal(first->handover->n_waiting, 1);
	assert_int_equal(seat_of(second, &seats[0])->sequence, 2);
	assert_int_equal(second->handover->n_waiting, 2);
	collide__v1__world_state__free_unpacked(first, NULL);
	collide__v1__world_state__free_unpacked(second, NULL);
	link_cut(&other);
	finish();
}

/* The hash after one more tick, by a client's clock. */
static uint64_t
step_hash(void)
{
	static struct handed_seat stepper;
	Collide__V1__SetWorld set = COLLIDE__V1__SET_WORLD__INIT;
	Collide__V1__StepWorld step = COLLIDE__V1__STEP_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	stepper = (struct handed_seat){ .right = COLLIDE__V1__RIGHT__RIGHT_STEP };
	set.name = name;
	set.secret = (ProtobufCBinaryData){ sizeof secret, secret };
	set.clock = COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	message.request_id = SET;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SET_WORLD;
	message.set_world = &set;
	link_say(&owner, &message);
	seat_attach(&stepper);
	step.handle = stepper.handle;
	step.ticks = 1;
	message.request_id = STEP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD;
	message.step_world = &step;
	link_say(&stepper.link, &message);
	conversation_worlds_run(&worlds);
	Collide__V1__ServerMessage *reply = reply_to(&stepper.link, STEP);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_STEPPED);
	uint64_t hash = reply->stepped->hash;
	collide__v1__server_message__free_unpacked(reply, NULL);
	link_cut(&stepper.link);
	return hash;
}

static void
world_end(void)
{
	Collide__V1__DestroyWorld destroy = COLLIDE__V1__DESTROY_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	destroy.name = name;
	destroy.secret = (ProtobufCBinaryData){ sizeof secret, secret };
	message.request_id = DESTROY;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DESTROY_WORLD;
	message.destroy_world = &destroy;
	link_say(&owner, &message);
	conversation_worlds_run(&worlds);
}

/* What a seat has sent takes effect though it has ended: also in the world that goes on elsewhere. */
static void
test_a_seat_that_has_ended(void **state)
{
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	(void)state;
	begin();
	seat_send(&seats[1]);
	seat_end(&seats[1]);
	hand_over_ask(&owner);
	Collide__V1__Snapshot *bytes = hand_over_bytes(&owner);
	uint64_t hash = step_hash();
	world_end();
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SNAPSHOT;
	create.snapshot = bytes->data;
	message.request_id = CREATE;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	link_say(&owner, &message);
	Collide__V1__ServerMessage *reply = reply_to(&owner, CREATE);
	if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
		fail_msg("%s: %s", reply->error->reason, reply->error->text);
	collide__v1__server_message__free_unpacked(reply, NULL);
	conversation_worlds_run(&worlds);
	assert_int_equal(step_hash(), hash);
	collide__v1__snapshot__free_unpacked(bytes, NULL);
	finish();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_seat_that_ends_meanwhile),
		cmocka_unit_test(test_a_seat_that_is_refused_meanwhile),
		cmocka_unit_test(test_two_at_once),
		cmocka_unit_test(test_a_seat_that_has_ended),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
