/* Seats and readers of libcollide in worlds of the real daemon, through a relay that cuts connections in the midst of messages.
 * What comes of it is what comes of a run without cuts. */
#include "integration/daemon_process.h"
#include "integration/relay.h"

#include "client/lib/collide.h"

#include "support/assert_double.h"

#include <stdio.h>
#include <string.h>

enum { HEAP = 60, TICKS = 240, SEATS = 6, BATCHES = 40 };

static struct daemon_process server;

static void
address_of(unsigned port, char to[static 32])
{
	(void)snprintf(to, 32, "127.0.0.1:%u", port);
}

static struct collide_client *
owner_connect(void)
{
	char address[32];
	address_of(server.port, address);
	struct collide_client *client = collide_connect(address, NULL, NULL);
	assert_non_null(client);
	return client;
}

static struct collide_channel *
channel_through(const struct relay *relay)
{
	char address[32];
	const struct collide_channel_options options = { .retry_first_ms = 1, .retry_max_ms = 10 };
	address_of(relay->port, address);
	struct collide_channel *channel = collide_channel_create(address, &options, NULL);
	assert_non_null(channel);
	return channel;
}

static void
world_create(struct collide_client *client, const struct collide_scene *scene, struct collide_world_info *info)
{
	const struct collide_world_policy policy = { .dt = 1.0 / 64, .clock = COLLIDE_CLOCK_CLIENT, .seat_ttl_ms = 600000 };
	const struct collide_world_creation creation = { .scene = scene, .policy = &policy };
	struct collide_error error;
	if (!collide_create_world(client, &creation, info, &error))
		fail_msg("%s: %s", error.reason, error.text);
}

/* ---- A heap */

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
	steps->answered++;
	steps->tick = stepped->tick;
	steps->hash = stepped->hash;
}

/* Balls that fall into a box. */
static struct collide_scene
heap_scene(void)
{
	static double x[HEAP], y[HEAP], x1[] = { -4, -4, 4 }, y1[] = { 0, 0, 200 }, x2[] = { 4, -4, 4 }, y2[] = { 0, 200, 0 };
	static const double radius = 0.45, friction = 0.5, restitution = 0.2;
	for (size_t i = 0; i < HEAP; i++) {
		x[i] = (double)(i * 37 % 50) / 10 - 2.5;
		y[i] = 1 + 1.2 * (double)i;
	}
	return (struct collide_scene){
		.gravity_y = -9.81,
		.circles = { .x = { x, HEAP },
		             .y = { y, HEAP },
		             .radius = { &radius, 1 },
		             .friction = { &friction, 1 },
		             .restitution = { &restitution, 1 } },
		.segments = { .x1 = { x1, 3 }, .y1 = { y1, 3 }, .x2 = { x2, 3 }, .y2 = { y2, 3 }, .friction = { &friction, 1 } }
	};
}

/* What is told of each tick, by its number. */
struct ticks_told {
	uint64_t last; /* the last one that has states */
	struct {
		uint64_t hash, events, collisions, clusters, clips, contacts;
	} of[TICKS + 1];
};

static bool
frame_note(void *context, const struct collide_frame *frame)
{
	struct ticks_told *ticks = context;
	assert_in_range(frame->tick, 0, TICKS);
	ticks->of[frame->tick].hash = frame->hash;
	ticks->of[frame->tick].events += frame->events;
	ticks->of[frame->tick].collisions += frame->collisions;
	ticks->of[frame->tick].clusters += frame->clusters;
	ticks->of[frame->tick].clips += frame->clips;
	ticks->of[frame->tick].contacts += frame->contacts.count;
	if (frame->bodies.count > 0)
		ticks->last = frame->tick;
	return true;
}

static void
on_frame_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	(void)subscription;
	assert_int_equal(update->missed_ticks, 0);
	if (update->frame)
		(void)frame_note(context, update->frame);
}

/* One step at a time, through cuts. A reader beside them, without cuts, is told as much of each tick as one run has in it. */
static void
a_heap_is_stepped_through_cuts(void **state)
{
	static struct relay relay;
	static struct ticks_told expected, told;
	(void)state;
	const struct collide_scene scene = heap_scene();
	const struct collide_simulation simulation = { .scene = &scene, .dt = 1.0 / 64, .ticks = TICKS, .every = 1 };
	const struct collide_reader reader = { .on_update = on_frame_update, .context = &told };
	struct collide_client *client = owner_connect();
	struct collide_world_info info;
	struct collide_done done;
	struct steps steps = { 0 };
	char address[32];
	assert_true(collide_simulate(client, &simulation, frame_note, &expected, &done, NULL));
	world_create(client, &scene, &info);
	relay_start(&relay, server.port, 11, 4000);
	address_of(server.port, address);
	struct collide_channel *channel = channel_through(&relay), *beside = collide_channel_create(address, NULL, NULL);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	const struct collide_interest interest = {
		.world = info.name, .secret = info.join_secret, .secret_bytes = sizeof info.join_secret, .every = 1, .contacts = true
	};
	struct collide_seat *seat = collide_seat_attach(channel, &attachment, NULL, NULL);
	assert_true(seat && collide_subscribe(beside, NULL, &interest, &reader, NULL));
	const struct collide_step one = { .ticks = 1 };
	for (uint64_t tick = 1; tick <= TICKS; tick++) {
		assert_true(collide_seat_step(seat, &one, on_stepped, &steps, NULL));
		while (steps.answered < tick || told.last < tick) {
			relay_pump(&relay);
			assert_true(collide_channel_wait(channel, 1, NULL) && collide_channel_wait(beside, 1, NULL));
		}
		assert_int_equal(steps.tick, tick);
		told.of[tick].hash = steps.hash;
	}
	assert_int_equal(steps.hash, done.hash);
	assert_memory_equal(told.of + 1, expected.of + 1, sizeof told.of - sizeof told.of[0]);
	uint64_t collisions = 0;
	for (uint64_t tick = 1; tick <= TICKS; tick++)
		collisions += told.of[tick].collisions;
	assert_true(collisions == done.collisions && collisions > 1000);
	assert_true(relay.cuts > 2);
	collide_channel_destroy(beside);
	collide_channel_destroy(channel);
	relay_stop(&relay);
	collide_close(client);
}

/* ---- Readers of paths */

/* What a run without a world says. */
struct reference {
	uint64_t contacts;
	double x[HEAP], y[HEAP], vx[HEAP], vy[HEAP]; /* of the last tick */
};

static bool
on_frame(void *context, const struct collide_frame *frame)
{
	struct reference *reference = context;
	reference->contacts += frame->contacts.count;
	for (size_t i = 0; i < frame->bodies.count; i++) {
		size_t id = frame->bodies.id[i];
		reference->x[id] = frame->bodies.x[i], reference->y[id] = frame->bodies.y[i];
		reference->vx[id] = frame->bodies.vx[i], reference->vy[id] = frame->bodies.vy[i];
	}
	return true;
}

struct path_reader {
	struct collide_subscription *subscription;
	struct collide_follower *follower;
	uint64_t keys, contacts, steered, in_force;
};

static void
on_path_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct path_reader *reader = context;
	(void)subscription;
	reader->keys += update->key != NULL;
	reader->contacts += update->frame ? update->frame->contacts.count : 0;
	reader->in_force += update->steered != 0;
}

static void
on_steered(void *context, struct collide_subscription *subscription, const struct collide_steered *steered,
           const struct collide_error *error)
{
	struct path_reader *reader = context;
	(void)subscription;
	if (!steered) {
		fail_msg("refused: %s", error->text);
		return;
	}
	/* It holds what was asked for: a box that is three wide. */
	assert_true(steered->region.kind == COLLIDE_REGION_ALL || steered->region.x_max - steered->region.x_min >= 3);
	reader->steered++;
}

static void
reader_begin(struct path_reader *reader, struct collide_channel *channel, const struct collide_world_info *info)
{
	const struct collide_interest interest = { .world = info->name,
		                                       .secret = info->join_secret,
		                                       .secret_bytes = sizeof info->join_secret,
		                                       .stream = COLLIDE_STREAM_PATHS,
		                                       .contacts = true };
	*reader = (struct path_reader){ .follower = collide_follower_create(0) };
	assert_non_null(reader->follower);
	const struct collide_reader calls = {
		.on_update = on_path_update, .on_steered = on_steered, .context = reader, .follower = reader->follower
	};
	reader->subscription = collide_subscribe(channel, NULL, &interest, &calls, NULL);
	assert_non_null(reader->subscription);
}

/* Circles that it has, to the bit, and how many. */
static size_t
reader_compare(const struct path_reader *reader, const struct reference *reference)
{
	struct collide_followed world = collide_follower_world(reader->follower);
	for (size_t i = 0; i < world.circle_count; i++) {
		struct collide_followed_circle circle = collide_follower_circle(reader->follower, i);
		assert_double_same_bits(circle.x, reference->x[circle.id]);
		assert_double_same_bits(circle.y, reference->y[circle.id]);
		assert_double_same_bits(circle.vx, reference->vx[circle.id]);
		assert_double_same_bits(circle.vy, reference->vy[circle.id]);
	}
	return world.circle_count;
}

/* One reads all, the other one a part that is elsewhere every few ticks. Neither misses anything, and few keys are sent. */
static void
readers_go_on_through_cuts(void **state)
{
	static struct relay relay;
	static struct reference reference;
	const struct collide_scene scene = heap_scene();
	const struct collide_simulation simulation = { .scene = &scene, .dt = 1.0 / 64, .ticks = TICKS, .every = 1 };
	const struct collide_step three = { .ticks = 3 };
	struct collide_client *client = owner_connect();
	struct collide_world_info info;
	struct collide_done done;
	struct steps steps = { 0 };
	struct path_reader all, part;
	char address[32];
	(void)state;
	assert_true(collide_simulate(client, &simulation, on_frame, &reference, &done, NULL));
	world_create(client, &scene, &info);
	relay_start(&relay, server.port, 5, 0);
	address_of(server.port, address);
	struct collide_channel *owner = collide_channel_create(address, NULL, NULL), *channel = channel_through(&relay);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	struct collide_seat *seat = collide_seat_attach(owner, &attachment, NULL, NULL);
	reader_begin(&all, channel, &info);
	reader_begin(&part, channel, &info);
	while (all.keys == 0 || part.keys == 0) {
		relay_pump(&relay);
		assert_true(collide_channel_wait(channel, 1, NULL));
	}
	relay_cut_after(&relay, 150000); /* an update with contacts has up to some 60000 */
	for (uint64_t asked = 0; asked < TICKS / 3; asked++) {
		struct collide_region box = { .kind = COLLIDE_REGION_BOX, .x_min = -4 + (double)(asked % 6), .y_min = 0, .y_max = 2 };
		box.x_max = box.x_min + 3;
		assert_true(asked % 5 != 0 || collide_steer(part.subscription, &box, 0, NULL));
		assert_true(collide_seat_step(seat, &three, on_stepped, &steps, NULL));
		while (steps.answered <= asked || collide_follower_world(all.follower).tick < 3 * asked) {
			relay_pump(&relay);
			assert_true(collide_channel_wait(owner, 1, NULL) && collide_channel_wait(channel, 1, NULL));
		}
	}
	while (collide_follower_world(all.follower).tick < TICKS || collide_follower_world(part.follower).tick < TICKS) {
		relay_pump(&relay);
		assert_true(collide_channel_wait(channel, 1, NULL));
	}
	assert_int_equal(reader_compare(&all, &reference), HEAP);
	assert_in_range(reader_compare(&part, &reference), 1, HEAP - 1);
	assert_int_equal(all.contacts, reference.contacts);
	assert_int_equal(all.keys, 1);
	assert_true(relay.cuts > 3 && part.keys < relay.cuts && part.steered > 3 && part.in_force > 3);
	collide_channel_destroy(channel);
	collide_channel_destroy(owner);
	collide_follower_destroy(all.follower);
	collide_follower_destroy(part.follower);
	relay_stop(&relay);
	collide_close(client);
}

/* ---- Batches */

struct player {
	struct collide_seat *seat;
	uint64_t told;
	uint64_t refused;
};

/* Every fifth batch of a seat is for a circle that is not there. */
static bool
is_bad(uint64_t number)
{
	return number % 5 == 0;
}

static void
on_outcome(void *context, struct collide_seat *seat, uint64_t number, const struct collide_outcome *outcome)
{
	struct player *player = context;
	(void)seat;
	assert_int_equal(number, player->told + 1);
	player->told = number;
	if (is_bad(number)) {
		assert_int_equal(outcome->code, COLLIDE_NOT_FOUND);
		assert_string_equal(outcome->reason, "NO_SUCH_ID");
		player->refused++;
	} else {
		assert_int_equal(outcome->code, COLLIDE_OK);
	}
}

static void
batch_send(struct player *player, uint32_t circle, uint64_t number)
{
	uint32_t id = is_bad(number) ? 999 : circle;
	double vx = (double)number, vy = 1; /* sums are exact */
	const struct collide_batch batch = { .add_velocities = { .id = { &id, 1 }, .vx = { &vx, 1 }, .vy = { &vy, 1 } } };
	assert_int_equal(collide_seat_send(player->seat, &batch, NULL), number);
}

/* A reader that takes the velocities of the first key. */
struct look {
	bool seen;
	double vx[SEATS], vy[SEATS];
};

static double
column_at(const struct collide_doubles *column, size_t row)
{
	return column->count == 0 ? 0 : column->values[column->count == 1 ? 0 : row];
}

static void
on_update(void *context, struct collide_subscription *subscription, const struct collide_world_update *update)
{
	struct look *look = context;
	(void)subscription;
	if (look->seen)
		return;
	assert_non_null(update->key);
	const struct collide_circles *circles = &update->key->scene.circles;
	assert_int_equal(circles->count, SEATS);
	for (size_t i = 0; i < SEATS; i++) {
		look->vx[i] = column_at(&circles->vx, i);
		look->vy[i] = column_at(&circles->vy, i);
	}
	look->seen = true;
}

/* Every circle has what its seat's good batches add up to. */
static void
velocities_check(struct collide_channel *channel, struct relay *relay, const struct collide_world_info *info)
{
	const struct collide_interest interest = { .world = info->name,
		                                       .secret = info->join_secret,
		                                       .secret_bytes = sizeof info->join_secret };
	struct look look = { 0 };
	const struct collide_reader reader = { .on_update = on_update, .context = &look };
	double vx = 0, vy = 0;
	for (uint64_t number = 1; number <= BATCHES; number++) {
		vx += is_bad(number) ? 0 : (double)number;
		vy += is_bad(number) ? 0 : 1;
	}
	assert_non_null(collide_subscribe(channel, NULL, &interest, &reader, NULL));
	while (!look.seen) {
		relay_pump(relay);
		assert_true(collide_channel_wait(channel, 1, NULL));
	}
	for (size_t i = 0; i < SEATS; i++) {
		assert_double_same_bits(look.vx[i], vx);
		assert_double_same_bits(look.vy[i], vy);
	}
}

/* All batches of all seats are decided by steps of the owner, whatever is cut. How often it was. */
static uint64_t
batches_play(uint64_t seed, uint64_t cut_bytes_max)
{
	static struct relay relay;
	static double x[SEATS];
	static const double radius = 0.5;
	static struct player players[SEATS + 1]; /* and the one that steps */
	struct collide_client *client = owner_connect();
	struct collide_channel *channels[2];
	struct collide_world_info info;
	struct steps steps = { 0 };
	const struct collide_seat_handler none = { 0 };
	const struct collide_step one = { .ticks = 1 };
	for (size_t i = 0; i < SEATS; i++)
		x[i] = 1e6 * (double)i; /* they never meet */
	const struct collide_scene scene = { .circles = { .x = { x, SEATS }, .radius = { &radius, 1 } } };
	world_create(client, &scene, &info);
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	relay_start(&relay, server.port, seed, cut_bytes_max);
	memset(players, 0, sizeof players);
	for (size_t i = 0; i < 2; i++)
		channels[i] = channel_through(&relay);
	for (size_t i = 0; i <= SEATS; i++) {
		const struct collide_seat_handler handler = { .on_outcome = on_outcome, .context = &players[i] };
		players[i].seat = collide_seat_attach(channels[i % 2], &attachment, i == SEATS ? &none : &handler, NULL);
		assert_non_null(players[i].seat);
	}
	uint64_t sent = 0, asked = 0, told = 0;
	while (told < SEATS * BATCHES) {
		/* Some more batches now and then, and a step for every one that is answered. */
		for (size_t i = 0; i < SEATS && sent < BATCHES; i++)
			batch_send(&players[i], (uint32_t)i, sent + 1);
		sent += sent < BATCHES;
		if (asked == steps.answered) {
			assert_true(collide_seat_step(players[SEATS].seat, &one, on_stepped, &steps, NULL));
			asked++;
		}
		relay_pump(&relay);
		for (size_t i = 0; i < 2; i++)
			assert_true(collide_channel_wait(channels[i], 1, NULL));
		told = 0;
		for (size_t i = 0; i < SEATS; i++)
			told += players[i].told;
	}
	for (size_t i = 0; i < SEATS; i++)
		assert_int_equal(players[i].refused, BATCHES / 5);
	assert_int_equal(steps.tick, steps.answered);
	relay.cut_bytes_max = 0; /* a key is longer than what a connection lives for */
	velocities_check(channels[1], &relay, &info);
	for (size_t i = 0; i < 2; i++)
		collide_channel_destroy(channels[i]);
	relay_stop(&relay);
	collide_close(client);
	return relay.cuts;
}

static void
batches_are_decided_once_through_cuts(void **state)
{
	(void)state;
	uint64_t cuts = 0, seeds = 6;
	assert_int_equal(batches_play(1, 0), 0);
	for (uint64_t seed = 2; seed < 2 + seeds; seed++)
		cuts += batches_play(seed, 4000);
	assert_true(cuts > seeds);
}

/* Moves bytes until the seat has its outcomes, and the steps their answers. */
static void
play_until(struct collide_channel *channel, const struct player *player, uint64_t told, const struct steps *steps,
           uint64_t answered)
{
	while (player->told < told || steps->answered < answered)
		assert_true(collide_channel_wait(channel, 10, NULL));
}

/* Batches that wait when a world is handed over take effect in the daemon that takes it, and the seat goes on there. */
static void
a_seat_goes_on_in_another_daemon(void **state)
{
	static const double x = 0, radius = 0.5;
	static struct daemon_process other;
	const char *const flags[] = { NULL };
	char address[32];
	struct collide_client *client = owner_connect();
	struct collide_world_info info;
	struct player player = { 0 };
	struct steps steps = { 0 };
	const struct collide_scene scene = { .circles = { .x = { &x, 1 }, .radius = { &radius, 1 } } };
	const struct collide_world_moment handover = { .handover = true };
	const struct collide_step three = { .ticks = 3 };
	struct collide_snapshot snapshot;
	(void)state;
	daemon_start(&other, flags);
	world_create(client, &scene, &info);
	address_of(server.port, address);
	struct collide_channel *channel = collide_channel_create(address, NULL, NULL);
	assert_non_null(channel);
	const struct collide_seat_handler handler = { .on_outcome = on_outcome, .context = &player };
	const struct collide_attachment attachment = {
		.world = info.name, .secret = info.owner_secret, .secret_bytes = sizeof info.owner_secret, .right = COLLIDE_RIGHT_STEP
	};
	player.seat = collide_seat_attach(channel, &attachment, &handler, NULL);
	assert_non_null(player.seat);
	uint32_t id = 0;
	const double one = 1;
	struct collide_batch batch = { .add_velocities = { .id = { &id, 1 }, .vx = { &one, 1 }, .vy = { &one, 1 } } };
	for (uint64_t number = 1; number <= 3; number++) {
		batch.tick = 2 * number;
		assert_int_equal(collide_seat_send(player.seat, &batch, NULL), number);
	}
	assert_true(collide_seat_step(player.seat, &three, on_stepped, &steps, NULL));
	play_until(channel, &player, 1, &steps, 1);
	const struct collide_world_key key = { .name = info.name,
		                                   .secret = info.owner_secret,
		                                   .secret_bytes = sizeof info.owner_secret };
	assert_true(collide_snapshot_world(client, &key, &handover, &snapshot, NULL));
	const struct collide_world_creation creation = { .snapshot = snapshot.bytes, .snapshot_bytes = snapshot.count };
	address_of(other.port, address);
	struct collide_client *there = collide_connect(address, NULL, NULL);
	assert_non_null(there);
	assert_true(collide_create_world(there, &creation, NULL, NULL));
	assert_true(collide_channel_move(channel, address, NULL));
	batch.tick = 7;
	assert_int_equal(collide_seat_send(player.seat, &batch, NULL), 4);
	for (int i = 0; i < 2; i++)
		assert_true(collide_seat_step(player.seat, &three, on_stepped, &steps, NULL));
	play_until(channel, &player, 4, &steps, 3);
	assert_int_equal(steps.tick, 9);
	struct collide_worlds worlds;
	assert_true(collide_list_worlds(there, &(struct collide_world_filter){ 0 }, &worlds, NULL));
	assert_int_equal(worlds.count, 1);
	assert_int_equal(worlds.infos[0].batches, 3); /* the first one took effect before */
	collide_channel_destroy(channel);
	collide_close(there);
	collide_close(client);
	daemon_stop(&other);
}

static int
group_start(void **state)
{
	const char *const flags[] = { NULL };
	(void)state;
	daemon_start(&server, flags);
	return 0;
}

static int
group_stop(void **state)
{
	(void)state;
	daemon_stop(&server);
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heap_is_stepped_through_cuts),
		cmocka_unit_test(readers_go_on_through_cuts),
		cmocka_unit_test(batches_are_decided_once_through_cuts),
		cmocka_unit_test(a_seat_goes_on_in_another_daemon),
	};
	return cmocka_run_group_tests(tests, group_start, group_stop);
}
