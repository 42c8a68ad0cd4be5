/* A player with a mirror in an arena of the real daemon, 100 to 130 ms away. Each hash is the server's. Circles are elsewhere
 * only after updates that bring another player's batch, or tell of an own one otherwise than was predicted.
 *
 * test_daemon_mirror [SECONDS [keys]]: the arena is played for so long, 3 by default; alone a minute at most. Players choose
 * any direction, or hold keys. */
#include "integration/daemon_process.h"
#include "integration/relay.h"

#include "client/lib/collide.h"

#include "client/load/streams/streams_scene.h"
#include "client/mirror/collide_mirror.h"

#include "collide/v1/collide.pb-c.h"
#include "support/assert_double.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIDE = 8, CIRCLES = SIDE * SIDE, WALLS = 50, PLAYERS = 16, INPUTS_PER_S = 6, EVERY = 6, SPEED = 3, AHEAD_TICKS = 500 };
/* What a mirror is sent in a second, at most, once its coder has learned: of players with keys that takes no time. */
enum { BYTES_PER_S_MAX = 1000, LEARNED_S = 8 };

static struct daemon_process server;
static double seconds = 3; /* of play */
static enum streams_inputs inputs = STREAMS_DOUBLE;

static struct {
	struct relay relay;
	struct collide_world_info info;
	struct collide_channel *own, *others;
	struct collide_seat *seats[PLAYERS];
	struct collide_mirror *mirror;
	uint64_t seed, shown, inputs, refused;
	double next_s[PLAYERS];  /* input */
	unsigned keys[PLAYERS];  /* that are held */
	uint64_t aimed[PLAYERS]; /* the last tick that it named: none before it */
	uint64_t damage;         /* updates with a batch until one is damaged; 0: none is */
	bool damaged;
	/* Of updates. */
	uint64_t bytes; /* as they came, with envelopes and lengths; without keys */
	uint64_t coded; /* of these with batches in few bytes */
	uint64_t updates, of_others, corrections, ticks_ahead, largest_ahead;
	double moved_sum, moved_max;
} run;

static double
now_s(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- the arena */

static void
walls_make(double *x1, double *y1, double *x2, double *y2)
{
	static const double low = -2.5, high = 5 * SIDE - 2.5;
	const double around[4][4] = {
		{ low, low, high, low }, { high, low, high, high }, { high, high, low, high }, { low, high, low, low }
	};
	uint64_t seed = 1;
	for (size_t i = 0; i < WALLS; i++) {
		size_t at = i - 4;
		double turn = random_between(&seed, 0, 6.28), x = 5 * (double)(at % SIDE) + 2.5, y = 5 * (double)(at / SIDE) + 2.5;
		x1[i] = i < 4 ? around[i][0] : x - cos(turn);
		y1[i] = i < 4 ? around[i][1] : y - sin(turn);
		x2[i] = i < 4 ? around[i][2] : x + cos(turn);
		y2[i] = i < 4 ? around[i][3] : y + sin(turn);
	}
}

static void
arena_create(void)
{
	static double x[CIRCLES], y[CIRCLES], vx[CIRCLES], vy[CIRCLES], x1[WALLS], y1[WALLS], x2[WALLS], y2[WALLS];
	static const double radius = 0.4;
	char address[32];
	struct collide_error error;
	uint64_t seed = 77;
	for (size_t i = 0; i < CIRCLES; i++) {
		x[i] = 5 * (double)(i % SIDE);
		y[i] = 5 * (double)(i / SIDE);
		vx[i] = random_between(&seed, -3, 3);
		vy[i] = random_between(&seed, -3, 3);
	}
	walls_make(x1, y1, x2, y2);
	const struct collide_scene scene = {
		.circles = { .x = { x, CIRCLES },
		             .y = { y, CIRCLES },
		             .vx = { vx, CIRCLES },
		             .vy = { vy, CIRCLES },
		             .radius = { &radius, 1 } },
		.segments = { .x1 = { x1, WALLS }, .y1 = { y1, WALLS }, .x2 = { x2, WALLS }, .y2 = { y2, WALLS } }
	};
	const struct collide_world_policy policy = { .dt = 1.0 / 60, .hash_every = 30, .seat_ttl_ms = 600000 };
	const struct collide_world_creation creation = { .scene = &scene, .policy = &policy };
	(void)snprintf(address, sizeof address, "127.0.0.1:%u", server.port);
	struct collide_client *client = collide_connect(address, NULL, NULL);
	assert_non_null(client);
	if (!collide_create_world(client, &creation, &run.info, &error))
		fail_msg("%s: %s", error.reason, error.text);
	collide_close(client);
}

/* ---- what comes */

/* It is told with another velocity. */
static void
batch_damage(Collide__V1__AppliedBatch *batch)
{
	ProtobufCBinaryData *bytes = &batch->commands;
	Collide__V1__Commands *commands = collide__v1__commands__unpack(NULL, bytes->len, bytes->data);
	assert_non_null(commands);
	assert_int_equal(commands->velocities->n_vx, 1);
	commands->velocities->vx[0] += 1;
	assert_int_equal(collide__v1__commands__get_packed_size(commands), bytes->len);
	(void)collide__v1__commands__pack(commands, bytes->data);
	collide__v1__commands__free_unpacked(commands, NULL);
	run.damaged = true;
}

static bool
update_give(Collide__V1__WorldUpdate *update, struct collide_error *error)
{
	uint8_t *bytes = malloc(collide__v1__world_update__get_packed_size(update) + 1);
	assert_non_null(bytes);
	size_t count = collide__v1__world_update__pack(update, bytes);
	bool taken = collide_mirror_update(run.mirror, bytes, count, error);
	free(bytes);
	return taken;
}

static void
corrections_check(bool others, const struct collide_mirrored *before)
{
	struct collide_mirror_corrections corrections = collide_mirror_corrections(run.mirror);
	struct collide_mirrored after = collide_mirror_state(run.mirror);
	bool own = after.moved + after.dropped > before->moved + before->dropped;
	if (corrections.count > 0 && !others && !own && !corrections.key)
		fail_msg("%zu circles are elsewhere for no reason", corrections.count);
	run.of_others += others;
	run.corrections += corrections.count > 0;
	for (size_t i = 0; i < corrections.count; i++) {
		double moved = hypot(corrections.circles[i].x, corrections.circles[i].y);
		run.moved_sum += moved;
		run.moved_max = moved > run.moved_max ? moved : run.moved_max;
	}
}

static bool
take(void *context, const void *bytes, size_t count, struct collide_error *error)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, count, bytes);
	const struct collide_mirrored before = collide_mirror_state(run.mirror);
	const uint32_t own = collide_seat_attached(run.seats[0])->seat;
	bool others = update && update->optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	(void)context;
	assert_non_null(update);
	for (size_t i = 0; i < update->n_applied; i++)
		others = others || (update->applied[i]->seat != own && update->applied[i]->tick <= before.tick);
	/* The last one, as no other of the same tick covers that. */
	if (run.damage > 0 && update->n_applied > 0 && update->applied[update->n_applied - 1]->seat != own && --run.damage == 0)
		batch_damage(update->applied[update->n_applied - 1]);
	bool taken = update_give(update, error);
	if (!taken && !(run.damaged && strcmp(error->reason, "HASH") == 0))
		fail_msg("%s: %s", error->reason, error->text);
	/* One that is not taken, or comes while the mirror is in doubt, may set right what the damage was. */
	corrections_check(others || !taken || before.in_doubt, &before);
	run.updates++;
	collide__v1__world_update__free_unpacked(update, NULL);
	return taken;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	(void)number;
	run.refused += outcome->code != COLLIDE_OK;
	if (context)
		collide_mirror_outcome(run.mirror, collide_seat_attached(seat)->seat, outcome);
}

/* Counts updates that are no keys. */
static void
on_message(void *context, bool sent, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;
	size_t prefix = 1;
	(void)context;
	if (sent)
		return;
	while (prefix < count && (at[prefix - 1] & 0x80) != 0)
		prefix++;
	Collide__V1__ServerMessage *message = collide__v1__server_message__unpack(NULL, count - prefix, at + prefix);
	assert_non_null(message);
	if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_WORLD_UPDATE && !message->world_update->key) {
		run.bytes += count;
		run.coded += message->world_update->coded.len > 0;
	}
	collide__v1__server_message__free_unpacked(message, NULL);
}

static void
on_connected(void *context, const struct collide_welcome *welcome)
{
	(void)context;
	(void)welcome;
	collide_core_record(collide_channel_core(run.own), on_message, NULL);
}

/* ---- what is done */

/* Its circle turns. */
static void
act(size_t player, double now)
{
	struct collide_seat *seat = run.seats[player];
	struct collide_error error;
	uint32_t id = (uint32_t)player * 4;
	/* Not too early for a world of a daemon that has stood still: the aim learns of it by the next outcome. */
	uint64_t aim = collide_seat_aim(seat), known = collide_seat_timing(seat).tick;
	aim = aim > known + AHEAD_TICKS ? known + AHEAD_TICKS : aim;
	double vx, vy;
	const struct collide_batch batch = { .tick = run.aimed[player] > aim ? run.aimed[player] : aim,
		                                 .velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
	if (now < run.next_s[player])
		return;
	streams_input(inputs, &run.seed, SPEED, &run.keys[player], &vx, &vy);
	run.aimed[player] = batch.tick;
	run.next_s[player] = now + random_between(&run.seed, 0, 2.0 / INPUTS_PER_S);
	uint64_t number = collide_seat_send(seat, &batch, &error);
	if (number == 0)
		fail_msg("%s: %s", error.reason, error.text);
	run.inputs++;
	if (player == 0 && !collide_mirror_predict(run.mirror, collide_seat_attached(seat)->seat,
	                                           collide_seat_sequence(seat, number), &batch, &error))
		fail_msg("%s: %s", error.reason, error.text);
}

static void
turn(size_t players)
{
	struct collide_error error;
	double now = now_s();
	relay_pump(&run.relay);
	if (!collide_channel_wait(run.own, 1, &error) || !collide_channel_wait(run.others, 0, &error))
		fail_msg("%s: %s", error.reason, error.text);
	if (!collide_mirror_state(run.mirror).ready)
		return;
	for (size_t i = 0; i < players; i++)
		if (collide_seat_attached(run.seats[i]))
			act(i, now);
	run.shown = collide_mirror_advance(run.mirror, collide_seat_aim(run.seats[0]) - 1);
	uint64_t ahead = run.shown - collide_mirror_state(run.mirror).told_tick;
	run.largest_ahead = ahead > run.largest_ahead ? ahead : run.largest_ahead;
}

static struct collide_channel *
channel_open(const struct collide_channel_options *options)
{
	char address[32];
	(void)snprintf(address, sizeof address, "127.0.0.1:%u", run.relay.port);
	struct collide_channel *channel = collide_channel_create(address, options, NULL);
	assert_non_null(channel);
	return channel;
}

static void
run_open(size_t players, uint64_t seed)
{
	struct collide_error error;
	memset(&run, 0, sizeof run);
	run.seed = seed;
	arena_create();
	relay_start(&run.relay, server.port, seed, 0);
	relay_delay(&run.relay, 50, 15);
	static const struct collide_channel_options options = { .on_connected = on_connected };
	run.own = channel_open(&options);
	run.others = channel_open(NULL);
	run.mirror = collide_mirror_create();
	assert_non_null(run.mirror);
	for (size_t i = 0; i < players; i++) {
		const struct collide_attachment attachment = { .world = run.info.name,
			                                           .secret = run.info.owner_secret,
			                                           .secret_bytes = sizeof run.info.owner_secret,
			                                           .right = COLLIDE_RIGHT_ALL };
		const struct collide_seat_handler handler = { .on_outcome = on_outcome, .context = i == 0 ? run.mirror : NULL };
		run.seats[i] = collide_seat_attach(i == 0 ? run.own : run.others, &attachment, &handler, &error);
		assert_non_null(run.seats[i]);
		collide_seat_set_margin(run.seats[i], 40000000); /* for what arrives at different times */
	}
	const struct collide_interest interest = { .stream = COLLIDE_STREAM_COMMANDS, .every = EVERY };
	const struct collide_reader reader = { .take = take };
	assert_non_null(collide_subscribe(run.own, run.seats[0], &interest, &reader, &error));
}

static void
run_close(void)
{
	collide_channel_destroy(run.own);
	collide_channel_destroy(run.others);
	collide_mirror_destroy(run.mirror);
	relay_stop(&run.relay);
}

static void
figures_print(const char *what, double played_s)
{
	struct collide_mirrored told = collide_mirror_state(run.mirror);
	print_message("%s: %.0f s, %llu ticks, %llu inputs, %llu updates, %.0f bytes/s, at most %llu ticks ahead\n", what, played_s,
	              (unsigned long long)told.told_tick, (unsigned long long)run.inputs, (unsigned long long)run.updates,
	              (double)run.bytes / played_s, (unsigned long long)run.largest_ahead);
	print_message("  %llu hashes, %llu left; own batches: %llu predicted, %llu confirmed, %llu moved, %llu dropped; %llu ticks "
	              "made again\n",
	              (unsigned long long)told.hashes, (unsigned long long)told.hashes_left, (unsigned long long)told.predicted,
	              (unsigned long long)told.confirmed, (unsigned long long)told.moved, (unsigned long long)told.dropped,
	              (unsigned long long)told.remade);
	print_message(
		"  %llu corrections, of %llu updates with batches of others in displayed ticks; %.1f circles each, by %.4f, at "
		"most %.2f\n",
		(unsigned long long)run.corrections, (unsigned long long)run.of_others,
		run.corrections ? (double)told.corrected / (double)run.corrections : 0,
		told.corrected ? run.moved_sum / (double)told.corrected : 0, run.moved_max);
}

/* Until then the play goes on: a machine that stands still has had little of it when its time is over. */
static bool
happened_to_one(void)
{
	struct collide_mirrored told = collide_mirror_state(run.mirror);
	return told.hashes > 1 && told.confirmed > 1;
}

static bool
happened_to_many(void)
{
	return happened_to_one() && run.corrections > 1 && run.of_others > 1 && run.coded > 1;
}

/* How long it took, in seconds. */
static double
played(const char *what, size_t players, double for_s, bool (*enough)(void))
{
	double begin = now_s(), minute = begin + 60;
	while (now_s() < begin + for_s || !enough()) {
		turn(players);
		if (now_s() > minute) {
			figures_print(what, now_s() - begin);
			minute += 60;
		}
	}
	double end = now_s();
	figures_print(what, end - begin);
	return end - begin;
}

/* ---- tests */

static void
an_arena_is_predicted(void **state)
{
	(void)state;
	run_open(PLAYERS, 5);
	double played_s = played("16 players", PLAYERS, seconds, happened_to_many);
	struct collide_mirrored told = collide_mirror_state(run.mirror);
	assert_false(told.in_doubt);
	bool learned = inputs == STREAMS_KEYS || seconds >= LEARNED_S;
	/* As the inputs of so much time have: there may have been a pause. */
	if (learned && (double)run.bytes > BYTES_PER_S_MAX * fmax(played_s, (double)run.inputs / (PLAYERS * INPUTS_PER_S)))
		fail_msg("%llu bytes in %.0f s", (unsigned long long)run.bytes, played_s);
	run_close();
}

/* What is predicted for the tick in which it takes effect costs nothing. */
static void
own_batches_cost_nothing(void **state)
{
	(void)state;
	run_open(1, 6);
	(void)played("alone", 1, seconds < 60 ? seconds : 60, happened_to_one);
	struct collide_mirrored told = collide_mirror_state(run.mirror);
	assert_true(run.corrections <= told.moved + told.dropped + 1); /* and a key */
	assert_int_equal(run.refused, 0);
	run_close();
}

static void
a_hash_that_differs_gets_a_key(void **state)
{
	struct collide_mirror_difference difference;
	(void)state;
	run_open(4, 7);
	run.damage = 3;
	while (!collide_mirror_difference(run.mirror, &difference))
		turn(4);
	print_message("%s\n", difference.text);
	assert_true(run.damaged && difference.compared && difference.in_circle);
	assert_true(difference.tick > difference.hash_tick);
	/* And goes on as the server does. */
	uint64_t hashes = collide_mirror_state(run.mirror).hashes;
	while (collide_mirror_state(run.mirror).hashes < hashes + 2)
		turn(4);
	run_close();
}

/* After each of them the subscription goes on from what the mirror has, or a key comes. */
static void
it_goes_on_over_lost_connections(void **state)
{
	(void)state;
	run_open(4, 8);
	while (collide_mirror_state(run.mirror).hashes < 1)
		turn(4);
	relay_cut_after(&run.relay, 1500);
	while (run.relay.cuts < 6)
		turn(4);
	relay_cut_after(&run.relay, 0);
	uint64_t hashes = collide_mirror_state(run.mirror).hashes;
	while (collide_mirror_state(run.mirror).hashes < hashes + 3)
		turn(4);
	struct collide_mirrored told = collide_mirror_state(run.mirror);
	print_message("%llu cuts; own batches: %llu predicted, %llu confirmed, %llu moved, %llu dropped\n",
	              (unsigned long long)run.relay.cuts, (unsigned long long)told.predicted, (unsigned long long)told.confirmed,
	              (unsigned long long)told.moved, (unsigned long long)told.dropped);
	assert_false(told.in_doubt);
	run_close();
}

static int
daemon_begin(void **state)
{
	const char *const flags[] = { NULL };
	(void)state;
	daemon_start(&server, flags);
	return 0;
}

static int
daemon_end(void **state)
{
	(void)state;
	daemon_stop(&server);
	return 0;
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_arena_is_predicted),
		cmocka_unit_test(own_batches_cost_nothing),
		cmocka_unit_test(a_hash_that_differs_gets_a_key),
		cmocka_unit_test(it_goes_on_over_lost_connections),
	};
	seconds = argc > 1 ? strtod(argv[1], NULL) : seconds;
	inputs = argc > 2 && strcmp(argv[2], "keys") == 0 ? STREAMS_KEYS : inputs;
	return cmocka_run_group_tests(tests, daemon_begin, daemon_end);
}
