/* Lockstep: a tick is made when the moves of all players for it are there. Each player decides by its own mirror. All mirrors
 * are the same, so nothing but moves is sent, and each tick's hash says that it is so. */
#include <collide.h>

#include <collide_mirror.h>

#include <stdio.h>

enum { PLAYERS = 2, TICKS = 120 };

/* In a game each is a program of its own. */
struct lockstep_player {
	struct collide_channel *channel;
	struct collide_mirror *mirror;
};

/* It counts the moves, which come to it by the game's own way. */
struct referee {
	struct collide_channel *channel;
	struct collide_seat *seat;
	uint64_t tick; /* made last, as far as it was told */
	struct collide_error error;
	bool failed;
};

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct referee *referee = context;
	(void)seat;
	if (stepped)
		referee->tick = stepped->tick;
	else
		referee->error = *error;
	referee->failed = !stepped;
}

/* Towards the other one, by what this player's mirror has. */
static double
move_of(const struct lockstep_player *mover, uint32_t own)
{
	size_t here, there;
	if (!collide_mirror_find(mover->mirror, own, &here) || !collide_mirror_find(mover->mirror, 1 - own, &there))
		return 0;
	return collide_mirror_circle(mover->mirror, there).x > collide_mirror_circle(mover->mirror, here).x ? 1 : -1;
}

/* All moves as one batch, and then the tick: once, whatever happens to the connection. */
static bool
tick_make(struct referee *referee, const struct lockstep_player *movers)
{
	static const uint32_t id[PLAYERS] = { 0, 1 };
	double vx[PLAYERS];
	for (uint32_t i = 0; i < PLAYERS; i++)
		vx[i] = move_of(&movers[i], i);
	const struct collide_batch moves = { .tick = referee->tick + 1,
		                                 .velocities = { .id = { id, PLAYERS }, .vx = { vx, PLAYERS } } };
	const struct collide_step step = { .ticks = 1, .has_expect = true, .expect_tick = referee->tick };
	return collide_seat_send(referee->seat, &moves, &referee->error) != 0 &&
	       collide_seat_step(referee->seat, &step, on_stepped, referee, &referee->error);
}

/* Until all are at this tick. */
static bool
ticks_wait(struct referee *referee, struct lockstep_player *movers, uint64_t tick)
{
	for (;;) {
		bool all = referee->tick == tick && collide_seat_attached(referee->seat);
		for (size_t i = 0; i < PLAYERS; i++) {
			struct collide_mirrored told = collide_mirror_state(movers[i].mirror);
			all = all && told.ready && told.told_tick == tick;
			if (!collide_channel_wait(movers[i].channel, 0, &referee->error))
				return false;
		}
		if (all || referee->failed)
			return all;
		if (!collide_channel_wait(referee->channel, 1, &referee->error))
			return false;
	}
}

static bool
movers_open(struct lockstep_player *movers, const char *address, const struct collide_world_info *world,
            struct collide_error *error)
{
	const struct collide_interest commands = {
		.world = world->name, .secret = world->join_secret, .secret_bytes = 16, .stream = COLLIDE_STREAM_COMMANDS, .every = 1
	};
	for (size_t i = 0; i < PLAYERS; i++) {
		movers[i] = (struct lockstep_player){ collide_channel_create(address, NULL, error), collide_mirror_create() };
		const struct collide_reader reader = { .take = collide_mirror_take, .take_context = movers[i].mirror };
		if (!movers[i].channel || !movers[i].mirror || !collide_subscribe(movers[i].channel, NULL, &commands, &reader, error))
			return false;
	}
	return true;
}

int
main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:7878";
	const double x[] = { -3, 3 }, radius = 0.5;
	const struct collide_scene scene = { .circles = { .x = { x, 2 }, .radius = { &radius, 1 } } };
	const struct collide_world_policy policy = {
		.dt = 1.0 / 30, .clock = COLLIDE_CLOCK_CLIENT, .late = COLLIDE_LATE_REFUSE, .hash_every = 1
	};
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	struct referee referee = { .channel = collide_channel_create(address, NULL, &referee.error) };
	struct lockstep_player movers[PLAYERS] = { { 0 } };
	struct collide_world_info world;
	struct collide_client *client = collide_connect(address, NULL, &referee.error);
	bool good = client && referee.channel && collide_create_world(client, &creation, &world, &referee.error);
	if (good) {
		const struct collide_attachment steps = {
			.world = world.name, .secret = world.owner_secret, .secret_bytes = 16, .right = COLLIDE_RIGHT_STEP
		};
		referee.seat = collide_seat_attach(referee.channel, &steps, NULL, &referee.error);
		good = referee.seat && movers_open(movers, address, &world, &referee.error);
		for (uint64_t tick = 0; good && tick < TICKS; tick++)
			good = ticks_wait(&referee, movers, tick) && tick_make(&referee, movers);
		good = good && ticks_wait(&referee, movers, TICKS);
		const struct collide_world_key key = { .name = world.name, .secret = world.owner_secret, .secret_bytes = 16 };
		good = collide_destroy_world(client, &key, NULL, good ? &referee.error : NULL) && good;
	}
	for (size_t i = 0; i < PLAYERS; i++) {
		if (good)
			printf("player %d: tick %d, the other is at %.3f, %d hashes as the server's\n", (int)i, TICKS,
			       collide_mirror_circle(movers[i].mirror, 1 - i).x, (int)collide_mirror_state(movers[i].mirror).hashes);
		collide_channel_destroy(movers[i].channel);
		collide_mirror_destroy(movers[i].mirror);
	}
	if (!good)
		fprintf(stderr, "%s\n", referee.error.text);
	collide_channel_destroy(referee.channel);
	collide_close(client);
	return good ? 0 : 1;
}
