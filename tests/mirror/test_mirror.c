/* A mirror beside a live world: after every update its state is the world's, to the bit, whatever commands did, when they came,
 * and however often the world went back. What is damaged is refused, and a state that differs is told. */
#include "client/mirror/mirror.h"
#include "support/effort.h"
#include "support/random.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include <stdlib.h>
#include <string.h>

#define SEATS 3

static struct {
	struct stage stage;
	struct stage_scene scene;
	struct collide_mirror *mirror;
	bool ready;
	uint64_t updates, bytes;
	/* The last update, for what is done with it again. */
	uint8_t last[65536];
	size_t last_bytes;
	uint64_t ticks_seen;
} run;

static void
on_tick(void *context, struct collide_mirror *mirror)
{
	(void)context;
	assert_non_null(mirror_world(mirror));
	run.ticks_seen++;
}

static void
block_feed(const struct shared_bytes *block)
{
	struct collide_error error;

	assert_in_range(block->count, 0, sizeof run.last);
	memcpy(run.last, block->bytes, run.last_bytes = block->count);
	if (!collide_mirror_update(run.mirror, block->bytes, block->count, &error))
		fail_msg("%s: %s", error.reason, error.text);
}

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t states = update->row_count + update->state_count;

	assert_int_equal(update->row_count, 0);
	for (uint32_t i = run.ready ? 0 : states; i < (run.ready ? states : states + update->key_count); i++) {
		run.bytes += update->blocks[i]->count;
		block_feed(update->blocks[i]);
	}
	run.ready = run.ready || update->key_count > 0;
	if (!run.ready)
		return;
	run.updates++;
	assert_int_equal(collide_mirror_state(run.mirror).tick, update->tick);
	/* Of a turn of many ticks the last one. */
	if (stage->world->tick == update->tick && world_hash(mirror_world(run.mirror)) != world_hash(stage->world->world))
		fail_msg("another state after tick %llu", (unsigned long long)update->tick);
}

static void
run_open(uint64_t kind, bool resimulates, uint32_t every)
{
	struct post *post = post_create(POST_ENCODER, 0), *key = post_create(POST_KEY, 0);

	run.ready = false;
	switch (kind) {
	case 0: scene_gas(&run.scene, 24); break;
	case 1: scene_heap(&run.scene, 24); break;
	default: scene_rich(&run.scene, 24);
	}
	stage_init(&run.stage);
	if (resimulates) {
		run.stage.policy.late = WORLD_LATE_RESIMULATE;
		run.stage.policy.history_ticks = 12;
		run.stage.limits.resimulated_ticks_max = UINT32_MAX;
	}
	run.stage.policy.hash_every = 7;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &run.scene);
	run.mirror = collide_mirror_create();
	assert_non_null(run.mirror);
	collide_mirror_on_tick(run.mirror, on_tick, NULL);
	post->encoder.encoder = key->key_of = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = every, .commands = true };
	live_world_post(run.stage.world, post);
	live_world_post(run.stage.world, key);
	stage_turn(&run.stage);
	assert_true(run.ready);
}

static void
run_close(void)
{
	collide_mirror_destroy(run.mirror);
	stage_finish(&run.stage);
}

static uint64_t remade, undone, hashes;

static void
mirror_play(uint64_t seed)
{
	struct batch_maker maker = { .seed = seed, .next_id = 1000 };
	uint64_t sequence[SEATS + 1] = { 0 }, named[SEATS + 1] = { 0 };
	bool resimulates = random_below(&maker.seed, 2) == 0;

	run_open(random_below(&maker.seed, 3), resimulates, 1 + (uint32_t)random_below(&maker.seed, 5));
	maker.world = scene_world(&run.scene, &run.stage); /* only for its ids */
	for (uint64_t tick = 1; tick <= 120; tick++) {
		for (uint64_t k = random_below(&maker.seed, 3); k > 0; k--) {
			static struct columns columns;
			uint32_t seat = 1 + (uint32_t)random_below(&maker.seed, SEATS);
			struct spec spec = { .seat = seat };
			uint64_t wish = tick + random_below(&maker.seed, 4) - (resimulates ? random_below(&maker.seed, 10) : 0);

			memset(&columns, 0, sizeof columns);
			batch_make_random(&maker, &spec, &columns);
			columns.message.skip_missing = random_below(&maker.seed, 2) == 0;
			wish = wish > tick + 3 ? 1 : wish; /* less than none */
			named[seat] = wish < named[seat] ? named[seat] : wish;
			stage_send(&run.stage, seat, ++sequence[seat], named[seat], &columns.message);
		}
		if (random_below(&maker.seed, 50) == 0) {
			struct post *post = post_create(POST_SEAT_ENDED, 0);

			post->seat_ended = SEATS; /* it goes on as another of the same number would */
			live_world_post(run.stage.world, post);
		}
		stage_step(&run.stage, 1);
		run.stage.told_count = 0;
	}
	remade += collide_mirror_state(run.mirror).remade;
	undone += collide_mirror_state(run.mirror).undone;
	hashes += collide_mirror_state(run.mirror).hashes;
	world_destroy(maker.world);
	run_close();
}

static void
test_a_mirror_has_the_worlds_bits(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = 1; seed <= effort_most(30, 400, 1000); seed++)
		mirror_play(seed);
	print_message("%llu updates of %llu bytes, %llu ticks made again, %llu batches undone, %llu hashes\n",
	              (unsigned long long)run.updates, (unsigned long long)run.bytes, (unsigned long long)remade,
	              (unsigned long long)undone, (unsigned long long)hashes);
	assert_true(remade > 20 * seed && hashes > 5 * seed && undone > seed / 50);
}

/* What goes on from its snapshot goes the same way. */
static void
test_a_snapshot_of_a_mirror_goes_on(void **state)
{
	static struct stage fork;
	size_t bytes;

	(void)state;
	run_open(2, false, 1);
	one_begin(11);
	one_pushes();
	one.x[0] = 3;
	stage_send(&run.stage, 1, 1, 5, &one.message);
	stage_step(&run.stage, 30);
	void *snapshot = collide_mirror_snapshot(run.mirror, &bytes);
	assert_non_null(snapshot);
	stage_init(&fork);
	stage_open_bytes(&fork, snapshot, bytes);
	free(snapshot);
	stage_step(&run.stage, 30);
	stage_step(&fork, 30);
	assert_int_equal(fork.answer.hash, run.stage.answer.hash);
	stage_finish(&fork);
	run_close();
}

static void
refused(const void *bytes, size_t count, const char *reason)
{
	struct collide_error error;

	assert_false(collide_mirror_update(run.mirror, bytes, count, &error));
	assert_string_equal(error.reason, reason);
	/* After a hash that differs it goes on until there is a key. */
	assert_true(collide_mirror_state(run.mirror).ready == collide_mirror_state(run.mirror).in_doubt);
	assert_true(collide_mirror_state(run.mirror).in_doubt == (strcmp(reason, "HASH") == 0));
}

static void
test_what_it_cannot_follow(void **state)
{
	(void)state;
	/* The same update twice. */
	run_open(0, false, 1);
	stage_step(&run.stage, 5);
	refused(run.last, run.last_bytes, "NOT_NEXT");
	refused(run.last, run.last_bytes, "NO_KEY");
	run.stage.on_update = NULL;
	run_close();
	/* Bytes that are none. */
	run_open(0, false, 1);
	refused("\xff\xff", 2, "MALFORMED");
	run.stage.on_update = NULL;
	run_close();
	/* Another hash. */
	run_open(0, false, 7);
	stage_step(&run.stage, 6);
	run.stage.on_update = NULL;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	uint8_t bytes[64];
	update.tick = update.hash_tick = 7;
	update.ticks = 7;
	update.hash = 1;
	refused(bytes, collide__v1__world_update__pack(&update, bytes), "HASH");
	run_close();
}

/* Sequence 0 is that of no batch: one that a seat has refused has it. It is not predicted. */
static void
test_what_cannot_be_predicted(void **state)
{
	const double vx = 3;
	const uint32_t id = 0;
	const struct collide_batch batch = { .velocities = { .id = { &id, 1 }, .vx = { &vx, 1 } } };
	struct collide_error error;

	(void)state;
	run_open(0, false, 1);
	stage_step(&run.stage, 5);
	assert_false(collide_mirror_predict(run.mirror, 1, 0, &batch, &error));
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	assert_int_equal(collide_mirror_state(run.mirror).predicted, 0);
	assert_true(collide_mirror_predict(run.mirror, 1, 1, &batch, &error));
	run_close();
}

/* A server that names ticks which no server would name: each is refused at once, and none of them is made. */
static void
told_refused(const Collide__V1__WorldUpdate *update, const char *reason)
{
	uint8_t bytes[64];

	run_open(0, false, 7);
	stage_step(&run.stage, 6);
	run.stage.on_update = NULL;
	uint64_t seen = run.ticks_seen;
	refused(bytes, collide__v1__world_update__pack(update, bytes), reason);
	assert_int_equal(run.ticks_seen, seen);
	run_close();
}

static void
test_ticks_that_no_server_would_name(void **state)
{
	(void)state;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	update.tick = update.ticks = UINT64_C(1) << 20;
	told_refused(&update, "TOO_FAR");
	update.tick = update.ticks = WORLDS_UPDATE_EVERY_MAX + 1;
	told_refused(&update, "TOO_FAR");
	/* A hash, and what is final, of ticks that it has not told. */
	update.tick = update.ticks = 7;
	update.hash_tick = 8;
	told_refused(&update, "MALFORMED");
	update.hash_tick = UINT64_C(1) << 20;
	told_refused(&update, "MALFORMED");
	update.hash_tick = 0;
	update.final_tick = 8;
	told_refused(&update, "MALFORMED");
	update.final_tick = 0;
	update.coded = (ProtobufCBinaryData){ 1, (uint8_t[]){ 0x80 } };
	told_refused(&update, "CODED");
	update.coded.len = 0;
	/* The most that one may have. */
	uint8_t bytes[64];
	struct collide_error error;
	run_open(0, false, 7);
	run.stage.on_update = NULL;
	update.final_tick = 0;
	update.tick = update.ticks = WORLDS_UPDATE_EVERY_MAX;
	assert_true(collide_mirror_update(run.mirror, bytes, collide__v1__world_update__pack(&update, bytes), &error));
	assert_int_equal(collide_mirror_state(run.mirror).tick, WORLDS_UPDATE_EVERY_MAX);
	run_close();
}

/* A key with the state after tick 7, to a mirror that has nothing. It is refused for that reason, without a tick; NULL: it is
 * taken, and the ticks up to its own are made. */
static void
key_told(Collide__V1__WorldUpdate *update, const char *reason)
{
	Collide__V1__Key key = COLLIDE__V1__KEY__INIT;
	struct collide_error error;
	run_open(0, false, 7);
	stage_step(&run.stage, 7);
	run.stage.on_update = NULL;
	uint64_t seen = run.ticks_seen;
	uint8_t *state = collide_mirror_snapshot(run.mirror, &key.snapshot.len);
	assert_non_null(state);
	key.snapshot.data = state;
	key.dt = collide_mirror_state(run.mirror).dt;
	key.epoch = collide_mirror_state(run.mirror).epoch;
	update->optional_key_case = COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY;
	update->key = &key;
	uint8_t *bytes = malloc(collide__v1__world_update__get_packed_size(update));
	assert_non_null(bytes);
	size_t count = collide__v1__world_update__pack(update, bytes);
	collide_mirror_destroy(run.mirror);
	run.mirror = collide_mirror_create();
	assert_non_null(run.mirror);
	collide_mirror_on_tick(run.mirror, on_tick, NULL);
	if (reason)
		refused(bytes, count, reason);
	else
		assert_true(collide_mirror_update(run.mirror, bytes, count, &error));
	assert_int_equal(run.ticks_seen - seen, reason ? 0 : update->tick - 7);
	free(bytes);
	free(state);
	run_close();
}

static void
test_keys_that_no_server_would_send(void **state)
{
	(void)state;
	Collide__V1__WorldUpdate update = COLLIDE__V1__WORLD_UPDATE__INIT;
	update.tick = 7;
	key_told(&update, NULL);
	update.tick = 7 + MIRROR_KEY_TICKS_MAX;
	key_told(&update, NULL);
	update.tick++;
	key_told(&update, "TOO_FAR");
	update.tick = UINT64_C(1) << 60;
	key_told(&update, "TOO_FAR");
	update.tick = 6;
	key_told(&update, "BAD_KEY");
	update.tick = 7;
	update.hash_tick = 8;
	key_told(&update, "MALFORMED");
	update.hash_tick = 0;
	update.final_tick = 8;
	key_told(&update, "MALFORMED");
}

/* Players that turn now and then, as in an arena: what a mirror is sent. */
static void
test_nothing_is_told_while_nobody_acts(void **state)
{
	(void)state;
	run_open(0, false, 6);
	uint64_t before = run.bytes, updates = run.updates;
	stage_step(&run.stage, 600);
	assert_true(run.updates - updates == 100);
	/* Its tick, how many, and now and then a hash. */
	assert_in_range(run.bytes - before, 1, 100 * 24);
	run_close();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_mirror_has_the_worlds_bits),
		cmocka_unit_test(test_a_snapshot_of_a_mirror_goes_on),
		cmocka_unit_test(test_what_it_cannot_follow),
		cmocka_unit_test(test_what_cannot_be_predicted),
		cmocka_unit_test(test_ticks_that_no_server_would_name),
		cmocka_unit_test(test_keys_that_no_server_would_send),
		cmocka_unit_test(test_nothing_is_told_while_nobody_acts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
