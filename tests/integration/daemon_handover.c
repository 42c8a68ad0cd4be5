/* A daemon that is told to end while twenty worlds, or with `all` a hundred, go by its clock. The players of each act in it by
 * seats of libcollide. Another daemon takes them, and the players go on there. What comes of each world is what comes of the
 * same batches at the same ticks without a handover: so none is lost, none takes effect twice. */
#include "integration/daemon_process.h"

#include "client/lib/collide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { ROOMS_QUICK = 20, ROOMS = 100 };
enum { CHANNELS = 10, PLAYERS = 2, CIRCLES = 6, BATCHES = 60, EVERY_TICKS = 3, REPLAY_TICKS = 100, AHEAD_TICKS = 500 };

struct player {
	struct collide_seat *seat;
	uint64_t sent, told; /* batches */
	/* Of each: the tick that it names, and then that at which it took effect. */
	uint64_t ticks[BATCHES];
};

struct room {
	struct collide_world_info info;
	bool moved;
	uint64_t moved_tick; /* at which it was handed over */
	struct player players[PLAYERS];
};

static struct room rooms[ROOMS];
static size_t room_count = ROOMS_QUICK;

static void
address_of(const struct daemon_process *daemon, char to[static 32])
{
	(void)snprintf(to, 32, "127.0.0.1:%u", daemon->port);
}

static struct collide_client *
owner_connect(const struct daemon_process *daemon)
{
	char address[32];
	address_of(daemon, address);
	struct collide_client *client = collide_connect(address, NULL, NULL);
	assert_non_null(client);
	return client;
}

static struct collide_world_key
owner_key(const struct collide_world_info *info)
{
	return (struct collide_world_key){ .name = info->name,
		                               .secret = info->owner_secret,
		                               .secret_bytes = sizeof info->owner_secret };
}

/* Rough balls that fall into a box, in each room others. */
static void
room_create(struct collide_client *client, size_t room, enum collide_clock clock, struct collide_world_info *info)
{
	static const double x1[] = { -4, -4, 4 }, y1[] = { 0, 0, 200 }, x2[] = { 4, -4, 4 }, y2[] = { 0, 200, 0 };
	static const double radius = 0.45, friction = 0.5, restitution = 0.5;
	double x[CIRCLES], y[CIRCLES];
	for (size_t i = 0; i < CIRCLES; i++) {
		x[i] = (double)((room + i) * 37 % 50) / 10 - 2.5;
		y[i] = 1 + 1.2 * (double)i;
	}
	const struct collide_scene scene = {
		.gravity_y = -9.81,
		.circles = { .x = { x, CIRCLES },
		             .y = { y, CIRCLES },
		             .radius = { &radius, 1 },
		             .friction = { &friction, 1 },
		             .restitution = { &restitution, 1 } },
		.segments = { .x1 = { x1, 3 }, .y1 = { y1, 3 }, .x2 = { x2, 3 }, .y2 = { y2, 3 }, .friction = { &friction, 1 } }
	};
	const struct collide_world_policy policy = {
		.dt = 1.0 / 60, .clock = clock, .hash_every = 1, .seat_ttl_ms = 3600000, .idle_ttl_ms = 3600000
	};
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	struct collide_error error;
	if (!collide_create_world(client, &creation, info, &error))
		fail_msg("%s: %s", error.reason, error.text);
}

/* ---- Batches */

/* How one of them kicks the player's circle. */
static double
kick_of(size_t room, size_t player, uint64_t number)
{
	return (double)((room * 7 + player * 13 + number * 29) % 41) / 4 - 5;
}

static uint64_t
batch_send(struct collide_seat *seat, size_t room, size_t player, uint64_t number, uint64_t tick)
{
	const uint32_t id = (uint32_t)player;
	const double vx = kick_of(room, player, number), vy = 3;
	const struct collide_batch batch = { .tick = tick,
		                                 .add_velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
	return collide_seat_send(seat, &batch, NULL);
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct player *player = context;
	(void)seat;
	if (outcome->code != COLLIDE_OK)
		fail_msg("batch %llu: %s", (unsigned long long)number, outcome->reason);
	assert_int_equal(number, player->told + 1);
	assert_true(outcome->tick >= player->ticks[player->told]);
	player->ticks[player->told++] = outcome->tick;
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	(void)context;
	(void)seat;
	fail_msg("a seat ended: %s", error->reason);
}

/* Not too early for a world of a daemon that has stood still: the aim learns of it by the next outcome. */
static uint64_t
seat_aim(const struct collide_seat *seat)
{
	uint64_t aim = collide_seat_aim(seat), known = collide_seat_timing(seat).tick;
	return aim > known + AHEAD_TICKS ? known + AHEAD_TICKS : aim;
}

/* Each player's next batch, if it is time for one. Half of them are for after the handover. */
static void
players_send(size_t index)
{
	struct room *room = &rooms[index];
	for (size_t i = 0; i < PLAYERS; i++) {
		struct player *player = &room->players[i];
		uint64_t tick = seat_aim(player->seat), most = room->moved ? BATCHES : BATCHES / 2;
		uint64_t last = player->sent == 0 ? 0 : player->ticks[player->sent - 1];
		if (tick < last + EVERY_TICKS || player->sent >= most || !collide_seat_attached(player->seat))
			continue;
		/* Kept until it is decided, so that there may be too many. */
		player->ticks[player->sent] = tick;
		if (batch_send(player->seat, index, i, player->sent + 1, tick) != 0)
			player->sent++;
	}
}

/* All rooms act, and hear what came of it. Batches that are decided. */
static uint64_t
play(struct collide_channel *channels[static CHANNELS])
{
	uint64_t told = 0;
	for (size_t i = 0; i < CHANNELS; i++)
		assert_true(collide_channel_wait(channels[i], 1, NULL));
	for (size_t i = 0; i < room_count; i++) {
		players_send(i);
		for (size_t j = 0; j < PLAYERS; j++)
			told += rooms[i].players[j].told;
	}
	return told;
}

/* ---- The handover */

static void
room_hand_over(struct room *room, struct collide_client *from, struct collide_client *to)
{
	const struct collide_world_key key = owner_key(&room->info);
	const struct collide_world_moment handover = { .handover = true };
	struct collide_world_info info;
	struct collide_snapshot snapshot;
	struct collide_error error;
	if (!collide_snapshot_world(from, &key, &handover, &snapshot, &error))
		fail_msg("%s: %s", error.reason, error.text);
	const struct collide_world_creation creation = { .snapshot = snapshot.bytes, .snapshot_bytes = snapshot.count };
	if (!collide_create_world(to, &creation, &info, &error))
		fail_msg("%s: %s", error.reason, error.text);
	assert_string_equal(info.name, room->info.name);
	assert_int_equal(info.epoch, room->info.epoch);
	assert_int_equal(info.seats, PLAYERS);
	room->moved_tick = info.tick;
}

/* One channel's rooms after the other, while all go on playing. */
static void
all_hand_over(struct collide_channel *channels[static CHANNELS], struct collide_client *from, struct collide_client *to,
              const char *address)
{
	for (size_t i = 0; i < CHANNELS; i++) {
		for (size_t j = 0; j < room_count / CHANNELS; j++) {
			room_hand_over(&rooms[i * (room_count / CHANNELS) + j], from, to);
			(void)play(channels);
		}
		assert_true(collide_channel_move(channels[i], address, NULL));
		for (size_t j = 0; j < room_count / CHANNELS; j++) {
			struct room *room = &rooms[i * (room_count / CHANNELS) + j];
			const struct collide_world_key key = owner_key(&room->info);
			room->moved = true;
			assert_true(collide_destroy_world(from, &key, NULL, NULL));
		}
	}
}

/* ---- The same without one */

struct steps {
	uint64_t answered, tick, hash;
};

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct steps *steps = context;
	(void)seat;
	if (!stepped) {
		fail_msg("a step failed: %s", error->reason);
		return;
	}
	*steps = (struct steps){ .answered = steps->answered + 1, .tick = stepped->tick, .hash = stepped->hash };
}

/* The hash of the room after so many ticks, its players' batches taking effect where they did. */
static uint64_t
room_replay(struct collide_client *client, struct collide_channel *channel, size_t index, uint64_t ticks)
{
	struct collide_world_info info;
	struct steps steps = { 0 };
	uint64_t given[PLAYERS] = { 0 };
	room_create(client, index, COLLIDE_CLOCK_CLIENT, &info);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	struct collide_seat *seat = collide_seat_attach(channel, &attachment, NULL, NULL);
	assert_non_null(seat);
	for (uint64_t asked = 0; steps.tick < ticks;) {
		struct collide_step step = { .ticks = ticks - steps.tick < REPLAY_TICKS ? ticks - steps.tick : REPLAY_TICKS };
		for (uint64_t tick = steps.tick + 1; tick <= steps.tick + step.ticks; tick++)
			for (size_t i = 0; i < PLAYERS; i++)
				for (; given[i] < BATCHES && rooms[index].players[i].ticks[given[i]] == tick; given[i]++)
					assert_true(batch_send(seat, index, i, given[i] + 1, tick) != 0);
		assert_true(collide_seat_step(seat, &step, on_stepped, &steps, NULL));
		for (asked++; steps.answered < asked;)
			assert_true(collide_channel_wait(channel, 10, NULL));
	}
	for (size_t i = 0; i < PLAYERS; i++)
		assert_int_equal(given[i], BATCHES);
	collide_seat_release(seat);
	const struct collide_world_key key = owner_key(&info);
	assert_true(collide_destroy_world(client, &key, NULL, NULL));
	return steps.hash;
}

/* Paused, so that its hash is that of its last tick. */
static void
room_check(struct collide_client *client, struct collide_channel *channel, size_t index)
{
	const struct collide_world_key key = owner_key(&rooms[index].info);
	const struct collide_world_setting paused = { .clock = COLLIDE_CLOCK_PAUSED };
	const struct collide_world_filter by_name = { .prefix = rooms[index].info.name, .limit = 1 };
	struct collide_worlds worlds;
	uint64_t tick = UINT64_MAX;
	assert_true(collide_set_world(client, &key, &paused, NULL, NULL));
	do {
		tick = tick == UINT64_MAX ? 0 : worlds.infos[0].tick;
		assert_true(collide_list_worlds(client, &by_name, &worlds, NULL));
		assert_int_equal(worlds.count, 1);
		assert_string_equal(worlds.infos[0].name, rooms[index].info.name);
	} while (worlds.infos[0].tick != tick);
	uint64_t hash = worlds.infos[0].hash;
	assert_int_equal(worlds.infos[0].hash_tick, tick);
	assert_true(tick > rooms[index].moved_tick);
	assert_true(room_replay(client, channel, index, tick) == hash);
}

static void
worlds_are_taken_with_their_players(void **state)
{
	static struct daemon_process first, second;
	/* Under sanitizers a tick takes ten times as long. With eight workers more may be reserved than one core has. */
	static const char *const patient[] = { "--shutdown-grace-ms",
		                                   "3600000",
		                                   "--workers",
		                                   "8",
		                                   "--worlds-cpu-percent",
		                                   "95",
		                                   "--worlds-per-address-cpu-percent",
		                                   "95",
		                                   NULL };
	struct collide_channel *channels[CHANNELS];
	char address[32];
	(void)state;
	daemon_start(&first, patient);
	daemon_start(&second, patient);
	struct collide_client *from = owner_connect(&first), *to = owner_connect(&second);
	address_of(&first, address);
	for (size_t i = 0; i < CHANNELS; i++) {
		channels[i] = collide_channel_create(address, NULL, NULL);
		assert_non_null(channels[i]);
	}
	for (size_t i = 0; i < room_count; i++) {
		room_create(from, i, COLLIDE_CLOCK_SERVER, &rooms[i].info);
		const struct collide_attachment attachment = { .world = rooms[i].info.name,
			                                           .secret = rooms[i].info.owner_secret,
			                                           .secret_bytes = sizeof rooms[i].info.owner_secret,
			                                           .right = COLLIDE_RIGHT_ALL };
		for (size_t j = 0; j < PLAYERS; j++) {
			struct player *player = &rooms[i].players[j];
			const struct collide_seat_handler handler = { .on_outcome = on_outcome,
				                                          .on_detached = on_detached,
				                                          .context = player };
			player->seat = collide_seat_attach(channels[i / (room_count / CHANNELS)], &attachment, &handler, NULL);
			assert_non_null(player->seat);
		}
	}
	const uint64_t all = room_count * PLAYERS * BATCHES;
	while (play(channels) < all / 4) {
	}
	daemon_terminate(&first);
	address_of(&second, address);
	all_hand_over(channels, from, to, address);
	while (play(channels) < all) {
	}
	collide_close(from);
	assert_int_equal(daemon_wait(&first), 0);
	struct collide_channel *replays = collide_channel_create(address, NULL, NULL);
	assert_non_null(replays);
	for (size_t i = 0; i < room_count; i++)
		room_check(to, replays, i);
	collide_channel_destroy(replays);
	for (size_t i = 0; i < CHANNELS; i++)
		collide_channel_destroy(channels[i]);
	collide_close(to);
	daemon_stop(&second);
}

int
main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "all") == 0)
		room_count = ROOMS;
	const struct CMUnitTest tests[] = { cmocka_unit_test(worlds_are_taken_with_their_players) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
