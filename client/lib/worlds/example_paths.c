/* An authoritative server, and a client without physics: a player steers a ball between others, and draws all of them at its
 * own frame rate from STREAM_PATHS. What it draws is where the balls were, also within a tick: no interpolation is tuned. To
 * show that, states are read too, and compared to the bit; a game does without these. */
#include <collide.h>

#include <stdio.h>
#include <string.h>

enum { BALLS = 24, PLAYER = 0, UPDATES = 40 };
static const double DT = 1.0 / 60, HALF = 12, SPEED = 8;

struct screen {
	struct collide_world_info world;
	struct collide_follower *follower;
	struct collide_seat *seat;
	uint64_t updates, frames, compared, differing, turns, aimed;
	double told[BALLS][4];
	uint64_t told_tick;
	double drawn; /* time of the last picture, seconds of the world */
	const char *trouble;
	struct collide_error error;
};

static bool
world_make(struct screen *screen, struct collide_client *client)
{
	double x[BALLS], y[BALLS], vx[BALLS], vy[BALLS];
	const double radius = 0.5, x1[] = { -HALF, HALF, HALF, -HALF }, y1[] = { -HALF, -HALF, HALF, HALF };
	const double x2[] = { HALF, HALF, -HALF, -HALF }, y2[] = { -HALF, HALF, HALF, -HALF };
	for (int i = 0; i < BALLS; i++) {
		x[i] = 4.0 * (i % 6) - 10, y[i] = 4.0 * (i / 6) - 6;
		vx[i] = i * 7 % 13 - 6, vy[i] = i * 5 % 11 - 5;
	}
	const struct collide_scene scene = {
		.circles = { .x = { x, BALLS }, .y = { y, BALLS }, .vx = { vx, BALLS }, .vy = { vy, BALLS }, .radius = { &radius, 1 } },
		.segments = { .x1 = { x1, 4 }, .y1 = { y1, 4 }, .x2 = { x2, 4 }, .y2 = { y2, 4 } },
	};
	const struct collide_world_policy policy = { .dt = DT };
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	return collide_create_world(client, &creation, &screen->world, &screen->error);
}

/* The keys: another direction every third of a second. The server decides what comes of it. */
static void
steer(struct screen *screen)
{
	static const double directions[][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 } };
	const uint32_t id = PLAYER;
	uint64_t aim = collide_seat_aim(screen->seat);
	double vx = SPEED * directions[screen->turns % 4][0], vy = SPEED * directions[screen->turns % 4][1];
	const struct collide_batch batch = { .tick = aim, .velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
	if (aim < screen->aimed + 20)
		return;
	screen->aimed = aim;
	screen->turns++;
	if (collide_seat_send(screen->seat, &batch, NULL) == 0)
		screen->trouble = "a batch was not taken";
}

/* 144 pictures a second, up to the newest tick that is known. */
static void
draw(struct screen *screen)
{
	struct collide_followed world = collide_follower_world(screen->follower);
	struct collide_place place;
	for (double now = (double)world.tick * DT; world.ready && screen->drawn <= now; screen->drawn += 1.0 / 144)
		for (uint32_t id = 0; id < BALLS; id++)
			screen->frames += collide_follower_place(screen->follower, id, screen->drawn, &place) && id == PLAYER;
}

/* The server's states after a tick beside what the paths made of it, once both are there. */
static void
compare(struct screen *screen)
{
	struct collide_followed world = collide_follower_world(screen->follower);
	for (size_t i = 0; world.tick == screen->told_tick && i < world.circle_count; i++) {
		struct collide_followed_circle ball = collide_follower_circle(screen->follower, i);
		const double *told = screen->told[ball.id];
		screen->compared++;
		screen->differing += ball.x != told[0] || ball.y != told[1] || ball.vx != told[2] || ball.vy != told[3];
	}
}

static void
on_paths(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct screen *screen = context;
	(void)subscription;
	(void)update;
	screen->updates++;
	compare(screen);
	draw(screen);
}

static void
on_states(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct screen *screen = context;
	const struct collide_bodies *bodies = update->frame ? &update->frame->bodies : NULL;
	(void)subscription;
	for (size_t i = 0; bodies && i < bodies->count; i++) {
		const double state[] = { bodies->x[i], bodies->y[i], bodies->vx[i], bodies->vy[i] };
		memcpy(screen->told[bodies->id[i]], state, sizeof state);
	}
	screen->told_tick = update->tick;
	compare(screen);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	(void)seat;
	((struct screen *)context)->trouble = error->text; /* valid as long as the seat */
}

int
main(int argc, char **argv)
{
	const char *address = argc > 1 ? argv[1] : "127.0.0.1:7878";
	struct screen screen = { .follower = collide_follower_create(64) };
	struct collide_client *client = collide_connect(address, NULL, &screen.error);
	struct collide_channel *channel = collide_channel_create(address, NULL, &screen.error);
	bool good = client && channel && screen.follower && world_make(&screen, client);
	const struct collide_attachment all = {
		.world = screen.world.name, .secret = screen.world.owner_secret, .secret_bytes = 16, .right = COLLIDE_RIGHT_ALL
	};
	const struct collide_seat_handler handler = { .on_detached = on_detached, .context = &screen };
	const struct collide_reader drawer = { .on_update = on_paths, .context = &screen, .follower = screen.follower };
	const struct collide_reader check = { .on_update = on_states, .context = &screen };
	const struct collide_interest paths = { .stream = COLLIDE_STREAM_PATHS, .every = 3 }, states = { .every = 1 };
	good = good && (screen.seat = collide_seat_attach(channel, &all, &handler, &screen.error)) &&
	       collide_subscribe(channel, screen.seat, &paths, &drawer, &screen.error) &&
	       collide_subscribe(channel, screen.seat, &states, &check, &screen.error);
	while (good && !screen.trouble && screen.updates < UPDATES) {
		if (collide_seat_attached(screen.seat))
			steer(&screen);
		good = collide_channel_wait(channel, 10, &screen.error);
	}
	if (good && !screen.trouble)
		printf("%d updates, %d turns, %d pictures; %d states compared with the server's, %d differ\n", (int)screen.updates,
		       (int)screen.turns, (int)screen.frames, (int)screen.compared, (int)screen.differing);
	else
		fprintf(stderr, "%s\n", screen.trouble ? screen.trouble : screen.error.text);
	collide_channel_destroy(channel);
	collide_follower_destroy(screen.follower);
	collide_close(client);
	return good && !screen.trouble && screen.compared > 100 && screen.differing == 0 ? 0 : 1;
}
