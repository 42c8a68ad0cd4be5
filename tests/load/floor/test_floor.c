/* Floors are the same rooms: what players do in them comes to the daemon's bits. They serve a load of rooms, say what could not
 * be made, and leave nothing behind. */
#include "client/load/floor/floor.h"

#include "integration/daemon_process.h"
#include "support/assert_double.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CIRCLES = 40, WALLS = 3, TICKS = 90, ROOMS = 3 };

static const char *const MAP = "hall";

static void
check(bool good, const struct collide_error *error)
{
	if (!good)
		fail_msg("%s: %s", error->reason, error->text);
}

/* ---- One room, played by steps */

/* FNV-1a over all that a reader and a player were told. */
struct told {
	uint64_t digest;
	uint64_t stepped, outcomes, updates, keys;
};

static void
digest(struct told *told, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		told->digest = (told->digest ^ ((const uint8_t *)bytes)[i]) * UINT64_C(1099511628211);
}

static void
on_stepped(void *context, struct collide_seat *seat, const struct collide_stepped *stepped, const struct collide_error *error)
{
	struct told *told = context;
	(void)seat;
	if (!stepped)
		fail_msg("a step failed: %s", error->reason);
	else
		digest(told, &stepped->hash, sizeof stepped->hash);
	told->stepped++;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct told *told = context;
	const uint64_t what[] = { number, (uint64_t)outcome->code, outcome->tick };
	(void)seat;
	digest(told, what, sizeof what);
	told->outcomes++;
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct told *told = context;
	(void)subscription;
	if (update->key || !update->frame) {
		told->keys += update->key != NULL;
		return;
	}
	const struct collide_bodies *bodies = &update->frame->bodies;
	digest(told, &update->tick, sizeof update->tick);
	for (size_t i = 0; i < bodies->count; i++) {
		const double row[] = { bodies->x[i], bodies->y[i], bodies->vx[i], bodies->vy[i] };
		digest(told, row, sizeof row);
	}
	told->updates++;
}

static void
map_create(const char *address)
{
	static const double x1[WALLS] = { -4, -4, 4 }, y1[WALLS] = { 0, 0, 200 }, x2[WALLS] = { 4, -4, 4 },
						y2[WALLS] = { 0, 200, 0 };
	const struct collide_segments walls = {
		.x1 = { x1, WALLS }, .y1 = { y1, WALLS }, .x2 = { x2, WALLS }, .y2 = { y2, WALLS }
	};
	const struct collide_map_creation creation = { .name = MAP, .segments = &walls };
	struct collide_error error = { 0 };
	struct collide_client *client = collide_connect(address, NULL, &error);
	check(client && collide_create_map(client, &creation, NULL, &error), &error);
	collide_close(client);
}

/* Balls that fall into the hall's box. */
static void
world_create(struct collide_client *client, struct collide_world_info *info)
{
	static const double radius = 0.45, friction = 0.5, restitution = 0.2;
	double x[CIRCLES], y[CIRCLES];
	struct collide_error error = { 0 };
	for (size_t i = 0; i < CIRCLES; i++) {
		x[i] = (double)(i * 37 % 50) / 10 - 2.5;
		y[i] = 1 + 1.2 * (double)i;
	}
	const struct collide_scene scene = { .gravity_y = -9.81,
		                                 .circles = { .x = { x, CIRCLES },
		                                              .y = { y, CIRCLES },
		                                              .radius = { &radius, 1 },
		                                              .friction = { &friction, 1 },
		                                              .restitution = { &restitution, 1 } } };
	const struct collide_world_policy policy = { .dt = 1.0 / 64, .clock = COLLIDE_CLOCK_CLIENT };
	const struct collide_world_creation creation = { .scene = &scene, .map = MAP, .policy = &policy };
	check(collide_create_world(client, &creation, info, &error), &error);
}

/* Pushes balls about for TICKS ticks, now and then one that is not there. */
static void
play(struct collide_channel *channel, struct collide_seat *seat, struct told *told)
{
	const struct collide_step one = { .ticks = 1 };
	uint64_t sent = 0;
	for (uint64_t tick = 0; tick < TICKS; tick++) {
		for (uint64_t i = 0; i < tick % 3; i++) {
			uint32_t id = (uint32_t)(tick * 7 + i * 11) % (CIRCLES + 1);
			double x = (double)(tick % 5) - 2, y = 1 + (double)i;
			const struct collide_batch batch = { .pushes = {
													 .id = { &id, 1 }, .impulse_x = { &x, 1 }, .impulse_y = { &y, 1 } } };
			assert_int_equal(collide_seat_send(seat, &batch, NULL), ++sent);
		}
		assert_true(collide_seat_step(seat, &one, on_stepped, told, NULL));
	}
	while (told->stepped < TICKS || told->outcomes < sent || told->updates < TICKS)
		assert_true(collide_channel_wait(channel, 10, NULL));
}

/* What comes of all that in a world of this server. */
static struct told
room_play(const char *address)
{
	struct told told = { .digest = UINT64_C(14695981039346656037) };
	struct collide_error error = { 0 };
	struct collide_world_info info;
	struct collide_snapshot snapshot;
	struct collide_client *client = collide_connect(address, NULL, &error);
	check(client != NULL, &error);
	world_create(client, &info);
	struct collide_channel *channel = collide_channel_create(address, NULL, &error);
	check(channel != NULL, &error);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	const struct collide_seat_handler handler = { .on_outcome = on_outcome, .context = &told };
	const struct collide_interest interest = {
		.world = info.name, .secret = info.join_secret, .secret_bytes = sizeof info.join_secret, .every = 1
	};
	const struct collide_reader reader = { .on_update = on_update, .context = &told };
	struct collide_seat *seat = collide_seat_attach(channel, &attachment, &handler, &error);
	check(seat && collide_subscribe(channel, NULL, &interest, &reader, &error), &error);
	while (told.keys == 0)
		assert_true(collide_channel_wait(channel, 10, NULL));
	play(channel, seat, &told);
	const struct collide_world_key key = { .name = info.name,
		                                   .secret = info.owner_secret,
		                                   .secret_bytes = sizeof info.owner_secret };
	check(collide_snapshot_world(client, &key, NULL, &snapshot, &error), &error);
	digest(&told, snapshot.bytes, snapshot.count);
	check(collide_destroy_world(client, &key, NULL, &error), &error);
	collide_channel_destroy(channel);
	collide_close(client);
	return told;
}

static void
rooms_come_to_the_daemons_bits(void **state)
{
	static struct daemon_process server;
	char address[32];
	(void)state;
	daemon_start(&server, (const char *const[]){ NULL });
	(void)snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
	map_create(address);
	struct told daemon = room_play(address);
	assert_int_equal(daemon.stepped, TICKS);
	assert_true(daemon.outcomes > TICKS / 2);
	daemon_stop(&server);
	for (enum floor_kind kind = FLOOR_THREADS; kind <= FLOOR_PROCESSES; kind++) {
		struct collide_error error = { 0 };
		struct floor *floor = floor_start(kind, false, &error);
		check(floor != NULL, &error);
		map_create(floor_address(floor));
		struct rooms_site site = floor_site(floor);
		check(site.open(site.context, ROOMS, &error), &error);
		for (uint64_t room = 0; room < ROOMS; room++)
			assert_int_equal(room_play(site.address(site.context, room)).digest, daemon.digest);
		assert_true(floor_stop(floor));
	}
}

/* ---- A load */

static struct rooms_plan
plan_of(const struct rooms_site *site, const char *address, double seconds)
{
	return (struct rooms_plan){ .address = address,
		                        .rooms = ROOMS,
		                        .circles = 16,
		                        .walls = 20,
		                        .tick_hz = 30,
		                        .players = 2,
		                        .inputs_hz = 10,
		                        .every = 2,
		                        .connections = 1,
		                        .warm_up_seconds = 0.1,
		                        .seconds = seconds,
		                        .site = site };
}

static void
a_load_is_served(void **state)
{
	double seconds = 0.5;
	(void)state;
	for (enum floor_kind kind = FLOOR_THREADS; kind <= FLOOR_PROCESSES;) {
		struct rooms_result *result = calloc(1, sizeof *result);
		struct collide_error error = { 0 };
		struct floor *floor = floor_start(kind, kind == FLOOR_THREADS, &error);
		assert_non_null(result);
		check(floor != NULL, &error);
		const struct rooms_site site = floor_site(floor);
		const struct rooms_plan plan = plan_of(&site, floor_address(floor), seconds);
		check(rooms_run(&plan, result, &error), &error);
		assert_int_equal(result->rooms, ROOMS);
		assert_int_equal(result->inputs_refused + result->failed_worlds, 0);
		assert_int_equal(result->late.count, result->updates);
#ifdef __linux__
		assert_true(result->server_bytes > 0);
#endif
		assert_true(floor_stop(floor));
		/* Again and longer, if the machine stood still and there was nothing to measure. */
		bool measured = result->updates > 0 && result->inputs > 0 && result->inputs_decided > 0 && result->given.count > 0 &&
		                result->server_cpu > 0;
		kind += measured;
		seconds = measured ? 0.5 : 2 * seconds;
		free(result);
	}
}

/* ---- What goes wrong */

/* In a process of its own, which may not have many descriptors. Exits with 0 if it was told so. */
static _Noreturn void
poor_main(enum floor_kind kind)
{
	const struct rlimit few = { 24, 24 };
	struct collide_error error = { 0 };
	struct floor *floor = setrlimit(RLIMIT_NOFILE, &few) == 0 ? floor_start(kind, false, &error) : NULL;
	struct rooms_site site = floor_site(floor);
	bool refused = floor && !site.open(site.context, 200, &error) && strcmp(error.reason, "FLOOR") == 0 &&
	               strstr(error.text, strerror(EMFILE)) != NULL;
	_exit(floor_stop(floor) && refused ? 0 : 1);
}

static void
what_cannot_be_made_is_an_error(void **state)
{
	int status;
	(void)state;
	pid_t pid = fork();
	if (pid == 0)
		poor_main(FLOOR_THREADS);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* Opens rooms, says so, and waits to be killed. */
static _Noreturn void
doomed_main(enum floor_kind kind, int ready)
{
	struct collide_error error;
	struct floor *floor = floor_start(kind, false, &error);
	struct rooms_site site = floor_site(floor);
	if (!floor || !site.open(site.context, ROOMS, &error) || write(ready, "", 1) != 1)
		_exit(1);
	for (;;)
		(void)pause();
}

/* Orphans become children of this process, which then waits for each: it would wait for ever for one that goes on. A room may
 * end before the process that serves it, which then has waited for it. */
static void
nothing_is_left_behind(void **state)
{
	(void)state;
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (enum floor_kind kind = FLOOR_THREADS; kind <= FLOOR_PROCESSES; kind++) {
		int ready[2];
		char byte;
		size_t ended = 0;
		assert_int_equal(pipe(ready), 0);
		pid_t pid = fork();
		if (pid == 0)
			doomed_main(kind, ready[1]);
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		close(ready[0]);
		assert_int_equal(kill(pid, SIGKILL), 0);
		while (waitpid(-1, NULL, 0) > 0)
			ended++;
		assert_int_equal(errno, ECHILD);
		assert_in_range(ended, 2, kind == FLOOR_PROCESSES ? 2 + ROOMS : 2);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rooms_come_to_the_daemons_bits),
		cmocka_unit_test(a_load_is_served),
		cmocka_unit_test(what_cannot_be_made_is_an_error),
		cmocka_unit_test(nothing_is_left_behind),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
