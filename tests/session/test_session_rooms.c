/* The memory of a room: 64 circles between the 390 walls of a map that all share, 16 seats that send inputs, and a reader of
 * paths. So has `collide bench rooms` them. What each room more allocates is counted after it was played for a while: on both
 * sides of the world, with what malloc takes for each block. */
#include "base/memory.h"
#include "physics/physics.h"
#include "session/conversation_worlds.h"
#include "session/link.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { CIRCLES = 64, WALLS = 390, AROUND = 4, SEATS = 16, SIDE = 20, TICKS = 400, FEW = 2, MANY = 6 };
enum { MAP = 1, CREATE, SUBSCRIBE = 10, STEP = 20, ATTACHED = 100, BATCH = 1000 };

static const double CELL = 5;
static char map_name[] = "walls";

/* What a room may take; 1,000 of them in a map take as many MB, and a tenth of that for what malloc has free. */
#define ROOM_BYTES_MAX 48500u
#define HISTORY_BYTES_MAX 69500u

struct room {
	Collide__V1__ServerMessage *made; /* a WorldInfo */
	uint32_t seats[SEATS];
	uint64_t sequences[SEATS];
};

static struct service service;
static struct conversation_worlds worlds;
static struct memory_link owner;
static uint64_t seed;

static uint64_t
clock_stands(void)
{
	return UINT64_C(1000000000);
}

/* The reply to it; all others are left out. */
static Collide__V1__ServerMessage *
reply_to(uint64_t request_id)
{
	Collide__V1__ServerMessage *reply, *found = NULL;

	conversation_worlds_run(&worlds);
	while ((reply = link_next(&owner))) {
		if (reply->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_ERROR)
			fail_msg("%s: %s", reply->error->reason, reply->error->text);
		if (reply->request_id == request_id && !found)
			found = reply;
		else
			collide__v1__server_message__free_unpacked(reply, NULL);
	}
	assert_non_null(found);
	return found;
}

static void
map_make(void)
{
	const double low = -CELL / 2, high = SIDE * CELL + CELL / 2;
	const double around[AROUND][4] = {
		{ low, low, high, low }, { high, low, high, high }, { high, high, low, high }, { low, high, low, low }
	};
	static double x1[WALLS], y1[WALLS], x2[WALLS], y2[WALLS];
	Collide__V1__SegmentColumns segments = COLLIDE__V1__SEGMENT_COLUMNS__INIT;
	Collide__V1__CreateMap create = COLLIDE__V1__CREATE_MAP__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;

	for (int i = 0; i < WALLS; i++) {
		int at = i - AROUND;
		double turn = 0.7 * i, x = (at % SIDE + 0.5) * CELL, y = ((double)(at / SIDE) + 0.5) * CELL;

		if (i < AROUND) {
			x1[i] = around[i][0], y1[i] = around[i][1];
			x2[i] = around[i][2], y2[i] = around[i][3];
			continue;
		}
		x1[i] = x - cos(turn), y1[i] = y - sin(turn);
		x2[i] = x + cos(turn), y2[i] = y + sin(turn);
	}
	segments.n_x1 = segments.n_y1 = segments.n_x2 = segments.n_y2 = WALLS;
	segments.x1 = x1, segments.y1 = y1, segments.x2 = x2, segments.y2 = y2;
	create.name = map_name;
	create.optional_segments_case = COLLIDE__V1__CREATE_MAP__OPTIONAL_SEGMENTS_SEGMENTS;
	create.segments = &segments;
	message.request_id = MAP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_MAP;
	message.create_map = &create;
	link_say(&owner, &message);
	collide__v1__server_message__free_unpacked(reply_to(MAP), NULL);
}

static void
room_create(struct room *room, uint32_t history_ticks)
{
	static double x[CIRCLES], y[CIRCLES], vx[CIRCLES], vy[CIRCLES], radius = 0.4;
	Collide__V1__CircleColumns circles = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CreateWorld create = COLLIDE__V1__CREATE_WORLD__INIT;
	Collide__V1__WorldPolicy policy = COLLIDE__V1__WORLD_POLICY__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;

	for (int i = 0; i < CIRCLES; i++) {
		x[i] = i % SIDE * CELL, y[i] = (double)(i / SIDE) * CELL;
		vx[i] = random_between(&seed, -3, 3), vy[i] = random_between(&seed, -3, 3);
	}
	circles.n_x = circles.n_y = circles.n_vx = circles.n_vy = CIRCLES;
	circles.x = x, circles.y = y, circles.vx = vx, circles.vy = vy;
	circles.n_radius = 1, circles.radius = &radius;
	scene.circle_columns = &circles;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	policy.dt = 1.0 / 60;
	policy.tick_hz = 60;
	policy.clock = COLLIDE__V1__CLOCK__CLOCK_CLIENT;
	policy.history_ticks = history_ticks;
	create.map = map_name;
	create.optional_policy_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_POLICY_POLICY;
	create.policy = &policy;
	create.optional_begin_case = COLLIDE__V1__CREATE_WORLD__OPTIONAL_BEGIN_SCENE;
	create.scene = &scene;
	message.request_id = CREATE;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_CREATE_WORLD;
	message.create_world = &create;
	link_say(&owner, &message);
	room->made = reply_to(CREATE);
}

static uint32_t
seat_attach(const Collide__V1__WorldInfo *info)
{
	Collide__V1__Attach attach = COLLIDE__V1__ATTACH__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;
	static uint64_t request = ATTACHED;

	attach.world = info->name;
	attach.secret = info->owner_secret;
	attach.right = COLLIDE__V1__RIGHT__RIGHT_STEP;
	message.request_id = request;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_ATTACH;
	message.attach = &attach;
	link_say(&owner, &message);

	Collide__V1__ServerMessage *reply = reply_to(request++);
	uint32_t handle = reply->attached->handle;

	collide__v1__server_message__free_unpacked(reply, NULL);
	return handle;
}

static void
paths_read(const Collide__V1__WorldInfo *info, uint64_t request)
{
	Collide__V1__Subscribe subscribe = COLLIDE__V1__SUBSCRIBE__INIT;
	Collide__V1__SpectatorOf spectator = COLLIDE__V1__SPECTATOR_OF__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;

	spectator.world = info->name;
	spectator.secret = info->join_secret;
	subscribe.stream = COLLIDE__V1__STREAM__STREAM_PATHS;
	subscribe.every = 3;
	subscribe.of_case = COLLIDE__V1__SUBSCRIBE__OF_SPECTATOR;
	subscribe.spectator = &spectator;
	message.request_id = request;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SUBSCRIBE;
	message.subscribe = &subscribe;
	link_say(&owner, &message);
}

/* A velocity for a circle. */
static void
input_send(struct room *room, size_t seat)
{
	uint32_t id = (uint32_t)random_below(&seed, CIRCLES);
	double vx = random_between(&seed, -3, 3), vy = random_between(&seed, -3, 3);
	Collide__V1__VelocityColumns velocities = COLLIDE__V1__VELOCITY_COLUMNS__INIT;
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;

	velocities.n_id = velocities.n_vx = velocities.n_vy = 1;
	velocities.id = &id, velocities.vx = &vx, velocities.vy = &vy;
	commands.handle = room->seats[seat];
	commands.sequence = ++room->sequences[seat];
	commands.acked = room->sequences[seat] - 1;
	commands.optional_velocities_case = COLLIDE__V1__COMMANDS__OPTIONAL_VELOCITIES_VELOCITIES;
	commands.velocities = &velocities;
	message.request_id = 0;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_COMMANDS;
	message.commands = &commands;
	link_say(&owner, &message);
}

static void
tick_make(const struct room *room)
{
	Collide__V1__StepWorld step = COLLIDE__V1__STEP_WORLD__INIT;
	Collide__V1__ClientMessage message = COLLIDE__V1__CLIENT_MESSAGE__INIT;

	step.handle = room->seats[0];
	step.ticks = 1;
	message.request_id = STEP;
	message.request_case = COLLIDE__V1__CLIENT_MESSAGE__REQUEST_STEP_WORLD;
	message.step_world = &step;
	link_say(&owner, &message);
	collide__v1__server_message__free_unpacked(reply_to(STEP), NULL);
}

static void
room_open(struct room *room, uint64_t number, uint32_t history_ticks)
{
	room_create(room, history_ticks);
	for (size_t i = 0; i < SEATS; i++)
		room->seats[i] = seat_attach(room->made->world_info);
	paths_read(room->made->world_info, SUBSCRIBE + number);
	for (size_t tick = 0; tick < TICKS; tick++) {
		input_send(room, tick % SEATS);
		tick_make(room);
	}
}

/* Bytes that a room takes, in the middle of some. */
static uint64_t
room_bytes(uint32_t history_ticks)
{
	static struct room rooms[MANY];
	struct session_limits limits = session_limits_default();
	uint64_t used = 0;

	seed = 5;
	limits.worlds.joins_per_second_max = UINT32_MAX;
	service_init(&service, &limits, 42, clock_stands);
	conversation_worlds_start(&worlds, &service);
	assert_int_equal(workspace_create(&worlds.workspace), STATUS_OK);
	link_open(&owner, &service);
	map_make();
	for (size_t i = 0; i < MANY; i++) {
		rooms[i] = (struct room){ .made = NULL };
		room_open(&rooms[i], i, history_ticks);
		if (i == FEW - 1)
			used = memory_used();
	}
	used = (memory_used() - used) / (MANY - FEW);
	for (size_t i = 0; i < MANY; i++)
		collide__v1__server_message__free_unpacked(rooms[i].made, NULL);
	link_cut(&owner);
	conversation_worlds_finish(&worlds);
	workspace_destroy(worlds.workspace);
	service_finish(&service);
	return used;
}

static void
test_a_room_takes_little(void **state)
{
	(void)state;
	uint64_t bytes = room_bytes(0);
	printf("%llu bytes a room\n", (unsigned long long)bytes);
	assert_in_range(bytes, 1, ROOM_BYTES_MAX);
}

static void
test_a_second_of_history_takes_little(void **state)
{
	(void)state;
	uint64_t bytes = room_bytes(64);
	printf("%llu bytes a room with 64 ticks of history\n", (unsigned long long)bytes);
	assert_in_range(bytes, 1, HISTORY_BYTES_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_room_takes_little),
		cmocka_unit_test(test_a_second_of_history_takes_little),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
