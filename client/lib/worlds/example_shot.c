/* Lag compensation: a player sees a world a tenth of a second late, and shoots at what it sees. Asked of the world as it is,
 * the shots miss what moves; asked of the moment that the player saw, all of them hit. */
#include <collide.h>

#include <stdio.h>
#include <string.h>

enum { TARGETS = 24, SHOTS = 60 };
static const double DT = 1.0 / 60, DELAY = 0.1, HALF = 20;

struct game {
	struct collide_world_info world;
	struct collide_follower *follower; /* what the player sees: the world by its paths */
	struct collide_client *server;     /* the game's back end: it decides what was hit */
	uint64_t updates, shots, now, then;
	struct collide_error error;
};

static bool
world_make(struct game *game)
{
	double x[TARGETS], y[TARGETS], vx[TARGETS], vy[TARGETS];
	const double radius = 0.3, x1[] = { -HALF, HALF, HALF, -HALF }, y1[] = { -HALF, -HALF, HALF, HALF };
	const double x2[] = { HALF, HALF, -HALF, -HALF }, y2[] = { -HALF, HALF, HALF, -HALF };
	for (int i = 0; i < TARGETS; i++) {
		x[i] = 6.0 * (i % 6) - 15, y[i] = 6.0 * (i / 6) - 9;
		vx[i] = i * 7 % 19 - 9, vy[i] = i * 5 % 17 - 8;
	}
	const struct collide_scene scene = {
		.circles = { .x = { x, TARGETS },
		             .y = { y, TARGETS },
		             .vx = { vx, TARGETS },
		             .vy = { vy, TARGETS },
		             .radius = { &radius, 1 } },
		.segments = { .x1 = { x1, 4 }, .y1 = { y1, 4 }, .x2 = { x2, 4 }, .y2 = { y2, 4 } },
	};
	const struct collide_world_policy policy = { .dt = DT, .history_ticks = 600 };
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	return collide_create_world(game->server, &creation, &game->world, &game->error);
}

/* The first of the answers. */
static bool
on_hits(void *context, const struct collide_queried *part)
{
	int64_t *hit = context;
	if (*hit < 0 && part->hits.count > 0)
		*hit = part->hits.id[0];
	return true;
}

/* What is at a point: at a moment of the world, or as it is. Negative: nothing. */
static int64_t
hit_at(struct game *game, double x, double y, bool has_tick, uint64_t tick, double time)
{
	const struct collide_moment moment = { .world = game->world.name,
		                                   .secret = game->world.owner_secret,
		                                   .secret_bytes = COLLIDE_SECRET_BYTES,
		                                   .has_tick = has_tick,
		                                   .tick = tick,
		                                   .time = time };
	const struct collide_in_circles point = { .x = { &x, 1 }, .y = { &y, 1 } };
	const struct collide_questions questions = { .moment = &moment, .in_circles = &point };
	int64_t hit = -1;
	if (!collide_query(game->server, &questions, on_hits, &hit, &game->error))
		return -2;
	return hit;
}

/* At each update, once there is a second of the past: a shot at where the screen shows some target. */
static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct game *game = context;
	struct collide_followed world = collide_follower_world(game->follower);
	double seen = (double)world.tick * DT - DELAY;
	uint64_t tick = seen > 0 ? (uint64_t)(seen / DT) : 0;
	double time = seen - (double)tick * DT;
	uint32_t target = (uint32_t)(game->shots * 7 % TARGETS);
	struct collide_place place;
	(void)subscription;
	(void)update;
	if (++game->updates < 20 || game->shots == SHOTS || !collide_follower_place(game->follower, target, seen, &place))
		return;
	int64_t then = hit_at(game, place.x, place.y, true, tick, time < 0 ? 0 : time > DT ? DT : time);
	if (then == -2 && strcmp(game->error.reason, "TICK_GONE") == 0)
		return; /* the player is farther behind than the game looks back: no shot */
	game->shots++;
	game->then += then == target;
	game->now += hit_at(game, place.x, place.y, false, 0, 0) == target;
}

int
main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:7878";
	struct game game = { .follower = collide_follower_create(64) };
	struct collide_channel *screen = collide_channel_create(address, NULL, &game.error);
	const struct collide_reader reader = { .on_update = on_update, .context = &game, .follower = game.follower };
	game.server = collide_connect(address, NULL, &game.error);
	bool good = game.server && screen && game.follower && world_make(&game);
	const struct collide_interest paths = { .world = game.world.name,
		                                    .secret = game.world.join_secret,
		                                    .secret_bytes = COLLIDE_SECRET_BYTES,
		                                    .stream = COLLIDE_STREAM_PATHS };
	good = good && collide_subscribe(screen, NULL, &paths, &reader, &game.error);
	while (good && game.shots < SHOTS)
		good = collide_channel_wait(screen, 1000, &game.error);
	if (good)
		printf("%d shots at what was seen %g s ago: %d hit it as the world is, %d as it was seen\n", SHOTS, DELAY,
		       (int)game.now, (int)game.then);
	else
		fprintf(stderr, "%s\n", game.error.text);
	collide_channel_destroy(screen);
	collide_follower_destroy(game.follower);
	collide_close(game.server);
	return good && game.then == SHOTS ? 0 : 1;
}
