/* A player of a world that lives on the server: spawns a ball, pushes it twenty times a second, and sees where it is. */
#include <collide.h>

#include <stdio.h>

struct player {
	uint64_t kicks, decided, updates, tick;
	const char *trouble;
};

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct player *player = context;
	(void)seat;
	player->decided++;
	if (outcome->code != COLLIDE_OK)
		printf("batch %d: %s: %s\n", (int)number, outcome->reason, outcome->text);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	(void)seat;
	((struct player *)context)->trouble = error->text; /* valid as long as the seat */
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	const struct collide_bodies *bodies = update->frame ? &update->frame->bodies : NULL;
	(void)subscription;
	for (size_t i = 0; bodies && i < bodies->count; i++)
		printf("tick %d: circle %u is at %.3f\n", (int)update->tick, (unsigned)bodies->id[i], bodies->x[i]);
	((struct player *)context)->updates += bodies && bodies->count > 0;
}

/* A batch for a tick that is still to come, three ticks after the last. The first spawns the ball, with an id of the seat's
 * own. */
static void
kick(struct player *player, struct collide_seat *seat)
{
	uint32_t id = collide_seat_attached(seat)->id_first;
	const double radius = 0.5, push = 2;
	const struct collide_circles ball = { .id = { &id, 1 }, .radius = { &radius, 1 } };
	struct collide_batch batch = { .tick = collide_seat_aim(seat) };
	if (batch.tick < player->tick + 3)
		return;
	player->tick = batch.tick;
	if (player->kicks++ == 0)
		batch.spawn = &ball;
	else
		batch.pushes = (struct collide_pushes){ .id = { &id, 1 }, .impulse_x = { &push, 1 } };
	if (collide_seat_send(seat, &batch, NULL) == 0)
		player->trouble = "a batch was not taken";
}

int
main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:7878";
	const struct collide_scene empty = { .gravity_y = 0 };
	const struct collide_world_policy policy = { .dt = 1.0 / 60 };
	const struct collide_world_creation creation = { .scene = &empty, .policy = &policy };
	struct player player = { 0 };
	struct collide_error error = { 0 };
	struct collide_world_info world;
	struct collide_client *client = collide_connect(address, NULL, &error);
	struct collide_channel *channel = collide_channel_create(address, NULL, &error);
	bool good = client && channel && collide_create_world(client, &creation, &world, &error);
	if (good) {
		const struct collide_attachment by_secret = {
			.world = world.name, .secret = world.join_secret, .secret_bytes = 16, .ids = 1
		};
		const struct collide_seat_handler handler = { .on_outcome = on_outcome,
			                                          .on_detached = on_detached,
			                                          .context = &player };
		const struct collide_interest all = { .every = 12 };
		const struct collide_reader reader = { .on_update = on_update, .context = &player };
		struct collide_seat *seat = collide_seat_attach(channel, &by_secret, &handler, &error);
		good = seat && collide_subscribe(channel, seat, &all, &reader, &error);
		while (good && !player.trouble && (player.updates < 5 || player.decided < player.kicks)) {
			if (collide_seat_attached(seat) && player.updates < 5)
				kick(&player, seat);
			good = collide_channel_wait(channel, 10, &error);
		}
		const struct collide_world_key key = { .name = world.name, .secret = world.owner_secret, .secret_bytes = 16 };
		good = collide_destroy_world(client, &key, NULL, good ? &error : NULL) && good;
	}
	if (!good || player.trouble)
		fprintf(stderr, "%s\n", player.trouble ? player.trouble : error.text);
	collide_channel_destroy(channel);
	collide_close(client);
	return good && !player.trouble ? 0 : 1;
}
