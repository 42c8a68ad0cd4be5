/* A daemon stands still for longer than a batch may be ahead of its world. A seat of libcollide that went on counting ticks
 * aims too early then, is told so, and finds the world again. */
#include "integration/daemon_process.h"

#include "client/lib/collide.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

/* A batch may be 600 ticks ahead. */
enum { TICK_HZ = 1000, STALL_MS = 1000, BATCHES_AFTER = 10 };

struct told {
	uint64_t effective, early;
};

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct told *told = context;
	(void)seat;
	if (outcome->code == COLLIDE_OK)
		told->effective++;
	else if (strcmp(outcome->reason, "TOO_EARLY") == 0)
		told->early++;
	else
		fail_msg("batch %llu: %s", (unsigned long long)number, outcome->reason);
}

static void
on_detached(void *context, struct collide_seat *seat, const struct collide_error *error)
{
	(void)context;
	(void)seat;
	fail_msg("a seat ended: %s", error->reason);
}

/* Sends one batch for a tick of about now, and waits for what becomes of it. */
static void
act(struct collide_channel *channel, struct collide_seat *seat, const struct told *told)
{
	static const uint32_t id = 0;
	static const double v = 0.5;
	const uint64_t before = told->effective + told->early;
	const struct collide_batch batch = { .tick = collide_seat_aim(seat),
		                                 .add_velocities = { .id = { &id, 1 }, .vx = { &v, 1 }, .vy = { &v, 1 } } };
	assert_true(collide_seat_send(seat, &batch, NULL) != 0);
	while (told->effective + told->early == before)
		assert_true(collide_channel_wait(channel, 10, NULL));
}

/* Stops the daemon for so long, and this client too. */
static void
stall(const struct daemon_process *daemon, unsigned ms)
{
	const struct timespec pause = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	assert_int_equal(kill(daemon->pid, SIGSTOP), 0);
	(void)nanosleep(&pause, NULL);
	assert_int_equal(kill(daemon->pid, SIGCONT), 0);
}

static void
a_seat_finds_a_world_that_stood_still(void **state)
{
	static const double x = 0, radius = 1;
	const struct collide_scene scene = { .circles = { .x = { &x, 1 }, .radius = { &radius, 1 } } };
	const struct collide_world_policy policy = { .dt = 1.0 / TICK_HZ, .seat_ttl_ms = 3600000, .idle_ttl_ms = 3600000 };
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	struct daemon_process daemon;
	struct collide_world_info info;
	struct collide_error error;
	struct told told = { 0 };
	char address[32];
	(void)state;
	daemon_start(&daemon, (const char *const[]){ NULL });
	(void)snprintf(address, sizeof address, "127.0.0.1:%u", daemon.port);
	struct collide_client *owner = collide_connect(address, NULL, NULL);
	struct collide_channel *channel = collide_channel_create(address, NULL, NULL);
	assert_non_null(owner);
	assert_non_null(channel);
	if (!collide_create_world(owner, &creation, &info, &error))
		fail_msg("%s: %s", error.reason, error.text);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_ALL
	};
	const struct collide_seat_handler handler = { .on_outcome = on_outcome, .on_detached = on_detached, .context = &told };
	struct collide_seat *seat = collide_seat_attach(channel, &attachment, &handler, NULL);
	assert_non_null(seat);
	while (!collide_seat_attached(seat))
		assert_true(collide_channel_wait(channel, 10, NULL));
	/* Some of the ticks that were missed are made at once, and not on every machine as many. */
	for (unsigned ms = STALL_MS; told.early == 0; ms *= 2) {
		stall(&daemon, ms);
		act(channel, seat, &told);
	}
	for (const uint64_t before = told.effective; told.effective < before + BATCHES_AFTER;)
		act(channel, seat, &told);
	collide_seat_release(seat);
	collide_channel_destroy(channel);
	collide_close(owner);
	daemon_stop(&daemon);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_seat_finds_a_world_that_stood_still) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
