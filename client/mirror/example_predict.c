/* A player with a mirror: sees what it does at once, ahead of the server, and what others do as soon as that is told. */
#include <collide.h>

#include <collide_mirror.h>

#include <stdio.h>

struct predictor {
	struct collide_mirror *mirror;
	struct collide_seat *seat;
	uint64_t aimed, next, ahead; /* ticks: the last one that was named; that of the next input; ahead of the server at most */
	struct collide_error error;
	bool failed;
};

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct predictor *player = context;
	(void)number;
	collide_mirror_outcome(player->mirror, collide_seat_attached(seat)->seat, outcome);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	struct predictor *player = context;
	(void)seat;
	player->error = *error;
	player->failed = true;
}

/* A renderer would not jump: it would add the difference to where it draws the circle, and let it fade away. */
static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct predictor *player = context;
	struct collide_mirror_corrections corrections = collide_mirror_corrections(player->mirror);
	(void)subscription;
	for (size_t i = 0; i < corrections.count; i++)
		printf("tick %d, told at %d: circle %u is off by (%.3f, %.3f)\n", (int)corrections.tick, (int)update->tick,
		       (unsigned)corrections.circles[i].id, corrections.circles[i].x, corrections.circles[i].y);
}

/* The same batch to the server and to the mirror. */
static void
push(struct predictor *player, double vx)
{
	const uint32_t id = 0;
	uint64_t aim = collide_seat_aim(player->seat);
	const struct collide_batch batch = { .tick = aim > player->aimed ? aim : player->aimed,
		                                 .add_velocities = { .id = { &id, 1 }, .vx = { &vx, 1 } } };
	uint64_t number = collide_seat_send(player->seat, &batch, &player->error);
	player->aimed = batch.tick;
	player->failed = number == 0 ||
	                 !collide_mirror_predict(player->mirror, collide_seat_attached(player->seat)->seat,
	                                         collide_seat_sequence(player->seat, number), &batch, &player->error);
}

/* A picture: the tick before the one that an input of now would name. */
static void
display(struct predictor *player)
{
	uint64_t shown = collide_mirror_advance(player->mirror, collide_seat_aim(player->seat) - 1);
	uint64_t ahead = shown - collide_mirror_state(player->mirror).told_tick;
	size_t index;
	player->ahead = ahead > player->ahead ? ahead : player->ahead;
	if (shown < player->next || !collide_mirror_find(player->mirror, 0, &index))
		return;
	const struct collide_followed_circle ball = collide_mirror_circle(player->mirror, index);
	printf("tick %d: the ball is at %.3f\n", (int)shown, ball.x);
	push(player, ball.x > 0 ? -1 : 1);
	player->next = shown + 20;
}

static bool
play(struct predictor *player, struct collide_channel *channel, const struct collide_world_info *world)
{
	const struct collide_attachment attachment = {
		.world = world->name, .secret = world->owner_secret, .secret_bytes = 16, .right = COLLIDE_RIGHT_ALL
	};
	const struct collide_seat_handler handler = { .on_outcome = on_outcome, .on_detached = on_detached, .context = player };
	const struct collide_interest commands = { .stream = COLLIDE_STREAM_COMMANDS, .every = 6 };
	const struct collide_reader reader = {
		.on_update = on_update, .context = player, .take = collide_mirror_take, .take_context = player->mirror
	};
	player->seat = collide_seat_attach(channel, &attachment, &handler, &player->error);
	if (!player->seat || !collide_subscribe(channel, player->seat, &commands, &reader, &player->error))
		return false;
	while (!player->failed && collide_mirror_state(player->mirror).told_tick < 150) {
		if (!collide_channel_wait(channel, 5, &player->error))
			return false;
		if (collide_mirror_state(player->mirror).ready)
			display(player);
	}
	return !player->failed;
}

int
main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:7878";
	const double x[] = { -3, 3 }, wall_x[] = { -5, 5 }, low = -5, high = 5, radius = 0.5;
	const struct collide_scene scene = {
		.circles = { .x = { x, 2 }, .radius = { &radius, 1 } },
		.segments = { .x1 = { wall_x, 2 }, .y1 = { &low, 1 }, .x2 = { wall_x, 2 }, .y2 = { &high, 1 } }
	};
	const struct collide_world_policy policy = { .dt = 1.0 / 60, .hash_every = 30 };
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	struct predictor player = { .mirror = collide_mirror_create() };
	struct collide_world_info world;
	struct collide_client *client = collide_connect(address, NULL, &player.error);
	struct collide_channel *channel = collide_channel_create(address, NULL, &player.error);
	bool good = player.mirror && client && channel && collide_create_world(client, &creation, &world, &player.error);
	if (good) {
		const struct collide_world_key key = { .name = world.name, .secret = world.owner_secret, .secret_bytes = 16 };
		good = play(&player, channel, &world);
		good = collide_destroy_world(client, &key, NULL, good ? &player.error : NULL) && good;
	}
	if (good) {
		struct collide_mirrored told = collide_mirror_state(player.mirror);
		printf("%d of %d inputs as predicted, %d hashes as the server's, %d ticks ahead at most\n", (int)told.confirmed,
		       (int)told.predicted, (int)told.hashes, (int)player.ahead);
	} else
		fprintf(stderr, "%s\n", player.error.text);
	collide_channel_destroy(channel);
	collide_close(client);
	collide_mirror_destroy(player.mirror);
	return good ? 0 : 1;
}
