/* A world's owner and a guest that means no good, of another address: what the one has does not stand or fall with the other.
 */
#include "session/conversation_worlds.h"
#include "session/limits.h"
#include "session/link.h"
#include "session/messages.h"
#include "support/failing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CREATE = 1, STEP = 2, RESTORE = 3, DETACH = 4, ATTACHED = 100, ASKED = 10000 };

enum { SEATS_MAX = 16, MEMORY_BYTES = 4 << 20, CIRCLES = 96, BATCH_BYTES = 1 << 20 };

static struct service service;
static struct account owner_account, guest_account;
static struct conversation_worlds worlds;
static struct memory_link owner, guest;
static Collide__V1__ServerMessage *made; /* a WorldInfo */
static uint64_t now_ns;

static uint64_t
clock_now(void)
{
	return now_ns;
}

/* Leaves out replies to others. */
static Collide__V1__ServerMessage *
reply_now(struct memory_link *link, uint64_t request_id)
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

/* Once the world has had its turns. */
static Collide__V1__ServerMessage *
reply_to(struct memory_link *link, uint64_t request_id)
{
	conversation_worlds_run(&worlds);
	return reply_now(link, request_id);
}

static void
replies_forget(struct memory_link *link)
{
	for (Collide__V1__ServerMessage *reply; (reply = link_next(link));)
		collide__v1__server_message__free_unpacked(reply, NULL);
}

/* By a client's clock. */
static void
room_create(void)
{
	static double x[CIRCLES], radius = 1;
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	for (int i = 0; i < CIRCLES; i++)
		x[i] = 4.0 * i;
	circles.x = x;
	circles.n_x = CIRCLES;
	circles.radius = &radius;
	circles.n_radius = 1;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &circles;
	policy.dt = 1.0 / 64;
	policy.clock = COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	create.scene = &scene;
	message.request_id = CREATE;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	link_say(&owner, &message);
	made = reply_to(&owner, CREATE);
	assert_int_equal(made->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
}

/* On a server with so much memory for requests and worlds. */
static int
begin_with(uint64_t memory_bytes)
{
	struct session_limits limits = session_limits_default();
	limits.worlds.seats_per_world_max = SEATS_MAX;
	limits.memory_total_bytes_max = memory_bytes;
	now_ns = UINT64_C(1000000000);
	service_init(&service, &limits, 42, clock_now);
	account_init(&owner_account, &service, NULL);
	account_init(&guest_account, &service, NULL);
	conversation_worlds_start(&worlds, &service);
	link_open_for(&owner, &service, &owner_account);
	link_open_for(&guest, &service, &guest_account);
	room_create();
	return 0;
}

static int
begin(void **state)
{
	(void)state;
	return begin_with(MEMORY_BYTES);
}

static int
begin_large(void **state)
{
	(void)state;
	return begin_with(1 << 30);
}

static int
finish(void **state)
{
	(void)state;
	collide__v1__server_message__free_unpacked(made, NULL);
	link_cut(&guest);
	link_cut(&owner);
	conversation_worlds_finish(&worlds);
	account_release(&guest_account);
	account_release(&owner_account);
	service_finish(&service);
	return 0;
}

/* By one of the world's secrets, which gives this right. */
static void
attach_ask(struct memory_link *link, uint64_t request_id, ProtobufCBinaryData secret, Collide__V1__Right right)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	attach.world = made->world_info->name;
	attach.secret = secret;
	attach.right = right;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	link_say(link, &message);
}

/* Whether the world's owner may; *handle: of the seat, *tick: that is told. */
static bool
owner_attach(uint64_t request_id, uint32_t *handle, uint64_t *tick)
{
	attach_ask(&owner, request_id, made->world_info->owner_secret, COLLIDE__V1__RIGHT__RIGHT_STEP);
	Collide__V1__ServerMessage *reply = reply_now(&owner, request_id);
	bool attached = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED;
	*handle = attached ? reply->attached->handle : 0;
	*tick = attached ? reply->attached->tick : 0;
	collide__v1__server_message__free_unpacked(reply, NULL);
	return attached;
}

static void
step_ask(uint32_t handle, uint64_t ticks)
{
	Collide__V1__StepWorld request = COLLIDE__V1__STEP_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.handle = handle;
	request.ticks = ticks;
	message.request_id = STEP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD;
	message.step_world = &request;
	link_say(&owner, &message);
}

/* ---- what is cancelled */

static void
snapshot_ask(uint64_t request_id)
{
	Collide__V1__SnapshotWorld snapshot = COLLIDE__V1__SNAPSHOT_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	snapshot.name = made->world_info->name;
	snapshot.secret = made->world_info->owner_secret;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SNAPSHOT_WORLD;
	message.snapshot_world = &snapshot;
	link_say(&owner, &message);
}

static void
clock_ask(uint64_t request_id, uint32_t tick_hz)
{
	Collide__V1__SetWorld set = COLLIDE__V1__SET_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	set.name = made->world_info->name;
	set.secret = made->world_info->owner_secret;
	set.tick_hz = tick_hz;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SET_WORLD;
	message.set_world = &set;
	link_say(&owner, &message);
}

static void
cancel(uint64_t request_id, uint64_t target)
{
	Collide__V1__Cancel request = COLLIDE__V1__CANCEL__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.target_request_id = target;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CANCEL;
	message.cancel = &request;
	link_say(&owner, &message);
}

/* Of what was asked for, how much was refused, and why. */
static size_t
refused_count(struct memory_link *link, const char *reason)
{
	size_t count = 0;
	for (Collide__V1__ServerMessage *reply; (reply = link_next(link));) {
		bool refused = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR;
		count += refused && strcmp(reply->error->reason, reason) == 0;
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	return count;
}

/* Its world makes each of them nevertheless: they take memory until then, or it could be asked for more than there is. */
static void
test_snapshots_that_are_cancelled(void **state)
{
	(void)state;
	enum { SNAPSHOTS = WORLDS_ASKS_MAX };
	snapshot_ask(ASKED);
	conversation_worlds_run(&worlds);
	replies_forget(&owner);
	const uint64_t before = owner_account.memory_bytes, of_one = made->world_info->bytes;
	assert_true(SNAPSHOTS * of_one > MEMORY_BYTES);
	for (uint64_t i = 0; i < SNAPSHOTS; i++) {
		snapshot_ask(ASKED + 2 * i);
		cancel(ASKED + 2 * i + 1, ASKED + 2 * i);
	}
	assert_in_range(refused_count(&owner, "OVER_SHARE"), 1, SNAPSHOTS - 1);
	assert_true(owner_account.memory_bytes >= before + of_one);
	conversation_worlds_run(&worlds);
	replies_forget(&owner);
	assert_int_equal(owner_account.memory_bytes, before);
	snapshot_ask(ASKED);
	Collide__V1__ServerMessage *part = reply_to(&owner, ASKED);
	assert_int_equal(part->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT);
	collide__v1__server_message__free_unpacked(part, NULL);
}

/* They are few, however little they take: each waits in the world's inbox. */
static void
test_clocks_that_are_cancelled(void **state)
{
	(void)state;
	enum { CLOCKS = WORLDS_ASKS_MAX + 10 };
	for (uint64_t i = 0; i < CLOCKS; i++) {
		clock_ask(ASKED + 2 * i, 100 + (uint32_t)i);
		cancel(ASKED + 2 * i + 1, ASKED + 2 * i);
	}
	assert_int_equal(refused_count(&owner, "OVER_SHARE"), 10);
	conversation_worlds_run(&worlds);
	clock_ask(ASKED, 30);
	Collide__V1__ServerMessage *info = reply_to(&owner, ASKED);
	assert_int_equal(info->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
	assert_int_equal(info->world_info->policy->tick_hz, 30);
	collide__v1__server_message__free_unpacked(info, NULL);
}

/* ---- what waits */

/* What is at a point now. */
static void
query_ask(uint64_t request_id, uint32_t deadline_ms)
{
	Collide__V1__WorldMoment moment = COLLIDE__V1__WORLD_MOMENT__INIT;
	Collide__V1__InCircles points = COLLIDE__V1__IN_CIRCLES__INIT;
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	moment.world = made->world_info->name;
	moment.secret = made->world_info->join_secret;
	points.count = 1;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD;
	query.world = &moment;
	query.optional_in_circles_case = COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES;
	query.in_circles = &points;
	query.deadline_ms = deadline_ms;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY;
	message.query = &query;
	link_say(&guest, &message);
}

/* The world is in a long tick, or has to wait for its turn. */
static void
test_a_deadline_while_the_world_is_busy(void **state)
{
	(void)state;
	query_ask(ASKED, 50);
	query_ask(ASKED + 1, 500);
	now_ns += 60 * UINT64_C(1000000);
	session_on_time(guest.session);
	Collide__V1__ServerMessage *reply = link_next(&guest);
	assert_non_null(reply);
	if (!reply)
		abort();
	assert_int_equal(reply->request_id, ASKED);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR);
	assert_string_equal(reply->error->reason, "DEADLINE");
	assert_string_equal(reply->error->violations[0]->field, "query.deadline_ms");
	collide__v1__server_message__free_unpacked(reply, NULL);
	assert_null(link_next(&guest));
	conversation_worlds_run(&worlds);
	link_say_bytes(&guest, (const uint8_t *)"", 0); /* a worker goes on with it */
	reply = reply_to(&guest, ASKED + 1);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED);
	collide__v1__server_message__free_unpacked(reply, NULL);
	assert_null(link_next(&guest));
}

/* ---- batches of seats that have ended */

/* One of about so many bytes. */
static void
batch_send(struct memory_link *link, uint32_t handle, uint64_t sequence, size_t bytes)
{
	static uint32_t ids[BATCH_BYTES / 4];
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	commands.handle = handle;
	commands.sequence = sequence;
	commands.remove = ids;
	commands.n_remove = bytes / sizeof ids[0];
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS;
	message.commands = &commands;
	link_say(link, &message);
}

static void
detach(struct memory_link *link, uint32_t handle)
{
	Collide__V1__Detach request = COLLIDE__V1__DETACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.handle = handle;
	message.request_id = DETACH;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETACH;
	message.detach = &request;
	link_say(link, &message);
}

/* How many batches are told to have found no room. */
static size_t
waits_refused(struct memory_link *link)
{
	size_t count = 0;
	for (Collide__V1__ServerMessage *reply; (reply = link_next(link));) {
		bool told = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ACKS;
		for (size_t i = 0; told && i < reply->acks->n_outcomes; i++)
			count += strcmp(reply->acks->outcomes[i]->reason, "BATCHES_WAIT") == 0;
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	return count;
}

/* A seat comes, sends so many batches, and ends. Returns how many found room; -1: it may not come. */
static int
guest_visits(struct memory_link *link, uint64_t request_id, int count, size_t bytes)
{
	attach_ask(link, request_id, made->world_info->join_secret, COLLIDE__V1__RIGHT__RIGHT_OWN);
	Collide__V1__ServerMessage *reply = reply_now(link, request_id);
	bool attached = reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED;
	for (int i = 0; attached && i < count; i++)
		batch_send(link, reply->attached->handle, 1 + (uint64_t)i, bytes);
	if (attached)
		detach(link, reply->attached->handle);
	else
		assert_string_equal(reply->error->reason, "SEATS");
	collide__v1__server_message__free_unpacked(reply, NULL);
	return attached ? count - (int)waits_refused(link) : -1;
}

/* A world that stands decides none. Its owner comes nevertheless, and so do guests of other addresses: they send as they like.
 */
static void
guest_fills_up(int count, size_t bytes)
{
	enum { VISITS = 2 * (SEATS_MAX + WORLDS_OWNER_MORE) };
	struct memory_link other;
	uint32_t handle;
	uint64_t tick;
	int left = 0;
	for (uint64_t i = 0; i < VISITS; i++) {
		int visit = guest_visits(&guest, ATTACHED + i, count, bytes);
		left += visit > 0 ? visit : 0;
	}
	assert_in_range(left, VISITS / 4 * count, VISITS * count - 1);
	assert_true(owner_attach(ATTACHED, &handle, &tick));
	batch_send(&owner, handle, 1, bytes);
	link_open_for(&other, &service, NULL);
	assert_int_equal(guest_visits(&other, ATTACHED, 2, bytes), 2);
	assert_true(guest_visits(&guest, ATTACHED, 1, bytes) <= 0);
	step_ask(handle, 1);
	collide__v1__server_message__free_unpacked(reply_to(&owner, STEP), NULL);
	assert_int_equal(guest_visits(&guest, ATTACHED, count, bytes), count);
	link_cut(&other);
}

static void
test_batches_that_a_guest_leaves(void **state)
{
	(void)state;
	guest_fills_up(WORLDS_BATCHES_WAITING_MAX, 0);
}

static void
test_bytes_that_a_guest_leaves(void **state)
{
	(void)state;
	guest_fills_up(WORLDS_WAITING_BYTES_MAX / BATCH_BYTES - 1, BATCH_BYTES - 64);
}

/* ---- another past */

static void
restore_ask(ProtobufCBinaryData snapshot)
{
	Collide__V1__RestoreWorld request = COLLIDE__V1__RESTORE_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	request.name = made->world_info->name;
	request.secret = made->world_info->owner_secret;
	request.snapshot = snapshot;
	message.request_id = RESTORE;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESTORE_WORLD;
	message.restore_world = &request;
	link_say(&owner, &message);
}

/* Seats that come before the world has the other past aim by that. Batches for a tick of the past before, which is far ahead
 * now, would wait for minutes. */
static void
test_a_tick_of_the_past(void **state)
{
	(void)state;
	uint32_t handle;
	uint64_t tick;
	snapshot_ask(ASKED);
	Collide__V1__ServerMessage *part = reply_to(&owner, ASKED);
	assert_false(part->snapshot->more);
	assert_true(owner_attach(ATTACHED, &handle, &tick));
	step_ask(handle, 5);
	collide__v1__server_message__free_unpacked(reply_to(&owner, STEP), NULL);
	assert_true(owner_attach(ATTACHED + 1, &handle, &tick));
	assert_int_equal(tick, 5);
	step_ask(handle, 1);
	struct news *news = conversation_worlds_turns(&worlds);
	restore_ask(part->snapshot->data);
	assert_true(owner_attach(ATTACHED + 2, &handle, &tick));
	assert_int_equal(tick, 0);
	conversation_worlds_hear(&worlds, news);
	assert_true(owner_attach(ATTACHED + 3, &handle, &tick));
	assert_int_equal(tick, 0);
	Collide__V1__ServerMessage *info = reply_to(&owner, RESTORE);
	assert_int_equal(info->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_INFO);
	assert_int_equal(info->world_info->tick, 0);
	assert_int_not_equal(info->world_info->hash, 0);
	collide__v1__server_message__free_unpacked(info, NULL);
	collide__v1__server_message__free_unpacked(part, NULL);
}

/* ---- readers */

/* All states, at each tick, by the join secret. */
static void
subscribe_ask(struct memory_link *link, uint64_t request_id, Collide__V1__Stream stream, uint32_t credit)
{
	Collide__V1__Subscribe request = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	spectator.world = made->world_info->name;
	spectator.secret = made->world_info->join_secret;
	request.stream = stream;
	request.every = 1;
	request.credit = credit;
	request.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	request.spectator = &spectator;
	message.request_id = request_id;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	message.subscribe = &request;
	link_say(link, &message);
}

/* The next of its updates is of that tick, a key or not. */
static void
expect_update(struct memory_link *link, uint64_t request_id, uint64_t tick, bool key)
{
	Collide__V1__ServerMessage *reply = reply_to(link, request_id);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE);
	assert_int_equal(reply->world_update->tick, tick);
	assert_int_equal(reply->world_update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY, key);
	collide__v1__server_message__free_unpacked(reply, NULL);
}

/* Others that begin cost one that reads neither bytes nor credit while the world stands. */
static void
test_readers_of_a_world_that_stands(void **state)
{
	(void)state;
	static const Collide__V1__Stream streams[] = { COLLIDE__V1__STREAM__STREAM_STATES, COLLIDE__V1__STREAM__STREAM_PATHS,
		                                           COLLIDE__V1__STREAM__STREAM_COMMANDS };
	enum { STREAMS = sizeof streams / sizeof streams[0] };
	uint32_t handle;
	uint64_t tick;
	assert_true(owner_attach(ATTACHED, &handle, &tick));
	for (uint64_t i = 0; i < STREAMS; i++) {
		subscribe_ask(&owner, ASKED + i, streams[i], 2);
		expect_update(&owner, ASKED + i, 0, true);
		subscribe_ask(&guest, ASKED + i, streams[i], 0);
		expect_update(&guest, ASKED + i, 0, true);
		assert_null(link_next(&owner));
	}
	step_ask(handle, 1);
	conversation_worlds_run(&worlds);
	size_t told = 0;
	for (Collide__V1__ServerMessage *reply; (reply = link_next(&owner));) {
		told += reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE && reply->world_update->tick == 1;
		collide__v1__server_message__free_unpacked(reply, NULL);
	}
	assert_int_equal(told, STREAMS);
}

/* ---- no memory */

/* A seat is taken up by another connection, in front of more than is read at once. Whatever there is no memory for, the one
 * that lost it may end then. */
static void
test_no_memory_beside_another(void **state)
{
	(void)state;
	enum { PINGS = SESSION_MESSAGES_AT_ONCE + 10 };
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	attach_ask(&owner, ATTACHED, made->world_info->owner_secret, COLLIDE__V1__RIGHT__RIGHT_STEP);
	Collide__V1__ServerMessage *reply = reply_now(&owner, ATTACHED);
	assert_int_equal(reply->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_ATTACHED);
	attach.world = made->world_info->name;
	attach.token = reply->attached->token;
	message.request_id = ATTACHED;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	for (size_t n = 1, count = 1; n <= count; n++) {
		struct buffer bytes;
		buffer_init(&bytes);
		pack_message(&bytes, &message);
		for (uint64_t i = 0; i < PINGS; i++)
			pack_ping(&bytes, ASKED + i, "");
		allocations = 0;
		fail_from = n;
		fail_count = 1;
		link_say_bytes(&guest, bytes.bytes, bytes.count);
		fail_from = 0;
		count = allocations;
		link_cut(&owner);
		link_cut(&guest);
		buffer_finish(&bytes);
		link_open_for(&owner, &service, &owner_account);
		link_open_for(&guest, &service, &guest_account);
		link_say(&owner, &message);
	}
	collide__v1__server_message__free_unpacked(reply, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_snapshots_that_are_cancelled, begin, finish),
		cmocka_unit_test_setup_teardown(test_clocks_that_are_cancelled, begin, finish),
		cmocka_unit_test_setup_teardown(test_a_deadline_while_the_world_is_busy, begin, finish),
		cmocka_unit_test_setup_teardown(test_batches_that_a_guest_leaves, begin, finish),
		cmocka_unit_test_setup_teardown(test_bytes_that_a_guest_leaves, begin_large, finish),
		cmocka_unit_test_setup_teardown(test_a_tick_of_the_past, begin, finish),
		cmocka_unit_test_setup_teardown(test_readers_of_a_world_that_stands, begin, finish),
		cmocka_unit_test_setup_teardown(test_no_memory_beside_another, begin, finish),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
