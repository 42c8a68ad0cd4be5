/* A mirror that was told something else than what happened: the next hash differs, and the key that follows says where. */
#include "client/mirror/mirror.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"

#include <string.h>

#define CIRCLE 11
#define HASH_EVERY 7

static struct {
	struct stage stage;
	struct stage_scene scene;
	struct collide_mirror *mirror;
	uint8_t rows[65536], key[65536];
	size_t rows_bytes, key_bytes;
} run;

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t states = update->row_count + update->state_count;

	(void)stage;
	assert_int_equal(states, 1);
	memcpy(run.rows, update->blocks[0]->bytes, run.rows_bytes = update->blocks[0]->count);
	if (update->key_count == 0)
		return;
	assert_int_equal(update->key_count, 1);
	assert_in_range(update->blocks[1]->count, 1, sizeof run.key);
	memcpy(run.key, update->blocks[1]->bytes, run.key_bytes = update->blocks[1]->count);
}

static void
tick_with_key(void)
{
	struct post *post = post_create(POST_KEY, 0);

	post->key_of = 1;
	live_world_post(run.stage.world, post);
	stage_step(&run.stage, 1);
}

static void
taken(const uint8_t *bytes, size_t count)
{
	struct collide_error error;

	if (!collide_mirror_update(run.mirror, bytes, count, &error))
		fail_msg("%s: %s", error.reason, error.text);
}

static void
run_open(void)
{
	struct post *post = post_create(POST_ENCODER, 0);

	scene_gas(&run.scene, 24);
	stage_init(&run.stage);
	run.stage.policy.hash_every = HASH_EVERY;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &run.scene);
	run.mirror = collide_mirror_create();
	assert_non_null(run.mirror);
	post->encoder.encoder = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = 1, .commands = true };
	live_world_post(run.stage.world, post);
	tick_with_key();
	taken(run.key, run.key_bytes);
	assert_int_equal(collide_mirror_state(run.mirror).tick, 1);
}

static void
run_close(void)
{
	collide_mirror_destroy(run.mirror);
	stage_finish(&run.stage);
}

/* The last update, with another velocity in its batch. */
static void
damage(void)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, run.rows_bytes, run.rows);

	assert_non_null(update);
	assert_int_equal(update->n_applied, 1);

	ProtobufCBinaryData *bytes = &update->applied[0]->commands;
	Collide__V1__Commands *commands = collide__v1__commands__unpack(NULL, bytes->len, bytes->data);

	assert_non_null(commands);
	commands->velocities->vx[0] += 0.5;
	assert_int_equal(collide__v1__commands__get_packed_size(commands), bytes->len);
	(void)collide__v1__commands__pack(commands, bytes->data);
	run.rows_bytes = collide__v1__world_update__pack(update, run.rows);
	collide__v1__commands__free_unpacked(commands, NULL);
	collide__v1__world_update__free_unpacked(update, NULL);
}

/* Up to a hash that differs. `ahead`: it is displayed so many ticks before it is told. */
static void
doubt_begin(uint64_t ahead)
{
	struct collide_error error;

	run_open();
	one_begin(CIRCLE);
	one_velocities();
	one.x[0] = 0.25, one.y[0] = -0.5;
	stage_send(&run.stage, 1, 1, HASH_EVERY - 1, &one.message);
	for (uint64_t tick = 2; tick < HASH_EVERY; tick++) {
		stage_step(&run.stage, 1);
		if (tick == HASH_EVERY - 1)
			damage();
		(void)collide_mirror_advance(run.mirror, tick + ahead);
		taken(run.rows, run.rows_bytes);
	}
	stage_step(&run.stage, 1);
	assert_false(collide_mirror_update(run.mirror, run.rows, run.rows_bytes, &error));
	assert_string_equal(error.reason, "HASH");
	assert_true(collide_mirror_state(run.mirror).in_doubt);
	tick_with_key();
}

static double
x_of(const struct world *world)
{
	size_t index = 0;

	while (world_body(world, index).id != CIRCLE)
		index++;
	return world_body(world, index).x;
}

/* It is the server's again, and says where it was not. */
static void
doubt_ends(uint64_t ahead, double mirror_x)
{
	struct collide_mirror_difference difference;
	uint64_t hash;

	assert_true(collide_mirror_difference(run.mirror, &difference));
	assert_true(difference.compared && difference.in_circle);
	assert_int_equal(difference.hash_tick, HASH_EVERY);
	assert_int_equal(difference.tick, HASH_EVERY + 1);
	assert_int_equal(difference.circle, CIRCLE);
	assert_string_equal(difference.field, "x");
	assert_true(difference.mirror == mirror_x && difference.server == x_of(run.stage.world->world));
	assert_non_null(strstr(difference.text, "circle 11: x is "));

	struct collide_mirrored told = collide_mirror_state(run.mirror);

	assert_false(told.in_doubt);
	assert_int_equal(told.told_tick, HASH_EVERY + 1);
	assert_int_equal(told.tick, ahead > 0 ? HASH_EVERY - 1 + ahead : HASH_EVERY + 1);
	assert_true(live_mirrored_hash(run.mirror->live, told.told_tick, &hash));
	assert_int_equal(hash, world_hash(run.stage.world->world));

	struct collide_mirror_corrections corrections = collide_mirror_corrections(run.mirror);

	assert_true(corrections.key && corrections.count == 1);
	assert_int_equal(corrections.circles[0].id, CIRCLE);
}

/* The tick of the key comes first from the subscription that there was. */
static void
test_the_key_says_what_differs(void **state)
{
	(void)state;
	doubt_begin(0);
	taken(run.rows, run.rows_bytes);
	double x = x_of(mirror_world(run.mirror));
	taken(run.key, run.key_bytes);
	doubt_ends(0, x);
	run_close();
}

static void
test_a_key_waits_for_the_update_of_its_tick(void **state)
{
	(void)state;
	doubt_begin(0);
	/* As it will go on. */
	size_t index;
	assert_true(collide_mirror_find(run.mirror, CIRCLE, &index));
	const struct collide_followed_circle circle = collide_mirror_circle(run.mirror, index);
	taken(run.key, run.key_bytes);
	assert_true(collide_mirror_state(run.mirror).in_doubt);
	taken(run.rows, run.rows_bytes);
	doubt_ends(0, circle.x + run.stage.policy.dt * circle.vx);
	run_close();
}

static void
test_a_mirror_that_is_ahead_compares_what_it_had(void **state)
{
	(void)state;
	doubt_begin(3);
	assert_int_equal(collide_mirror_state(run.mirror).tick, HASH_EVERY + 2);
	taken(run.rows, run.rows_bytes);
	struct world_moment moment;
	assert_true(live_mirrored_at(run.mirror->live, HASH_EVERY + 1, &moment));
	double x = x_of(moment.world);
	world_moment_finish(&moment);
	taken(run.key, run.key_bytes);
	doubt_ends(3, x);
	run_close();
}

/* Updates between were lost. */
static void
test_a_key_without_its_tick_is_taken_all_the_same(void **state)
{
	struct collide_mirror_difference difference;

	(void)state;
	doubt_begin(0);
	taken(run.key, run.key_bytes);
	stage_step(&run.stage, 1);
	taken(run.rows, run.rows_bytes);
	assert_true(collide_mirror_difference(run.mirror, &difference));
	assert_false(difference.compared);
	assert_false(collide_mirror_state(run.mirror).in_doubt);
	assert_int_equal(world_hash(mirror_world(run.mirror)), world_hash(run.stage.world->world));
	run_close();
}

/* The world was given another past: what was on its way to the one before is not predicted any more. */
static void
test_a_restored_world_has_no_predictions(void **state)
{
	struct collide_error error;

	(void)state;
	run_open();
	one_begin(CIRCLE);
	one_velocities();
	one.x[0] = 2;
	uint8_t bytes[256];
	const struct collide_batch batch = { .tick = 4,
		                                 .message = bytes,
		                                 .message_bytes = collide__v1__commands__pack(&one.message, bytes) };
	assert_true(collide_mirror_predict(run.mirror, 1, 1, &batch, &error));
	assert_int_equal(collide_mirror_advance(run.mirror, 6), 6);
	tick_with_key();
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, run.key_bytes, run.key);
	assert_non_null(update);
	update->key->epoch++;
	run.key_bytes = collide__v1__world_update__pack(update, run.key);
	taken(run.key, run.key_bytes);

	struct collide_mirrored told = collide_mirror_state(run.mirror);

	assert_int_equal(told.epoch, update->key->epoch);
	assert_int_equal(told.dropped, 1);
	assert_int_equal(told.tick, 2);
	assert_int_equal(world_hash(mirror_world(run.mirror)), world_hash(run.stage.world->world));
	/* But in the same one it is. */
	assert_true(collide_mirror_predict(run.mirror, 1, 2, &batch, &error));
	assert_int_equal(collide_mirror_advance(run.mirror, 6), 6);
	uint64_t hash = world_hash(mirror_world(run.mirror));
	taken(run.key, run.key_bytes);
	assert_int_equal(collide_mirror_state(run.mirror).dropped, 1);
	assert_int_equal(collide_mirror_state(run.mirror).tick, 6);
	assert_int_equal(world_hash(mirror_world(run.mirror)), hash);
	assert_int_equal(collide_mirror_corrections(run.mirror).count, 0);
	collide__v1__world_update__free_unpacked(update, NULL);
	run_close();
}

static uint64_t ticks_seen[32];
static size_t seen_count;

static void
on_tick(void *context, struct collide_mirror *mirror)
{
	(void)context;
	assert_in_range(seen_count, 0, 31);
	ticks_seen[seen_count++] = collide_mirror_state(mirror).tick;
}

/* A key makes the ticks again that were displayed: they are not new. Those of another past are. */
static void
test_ticks_that_a_key_makes_again_are_not_new(void **state)
{
	(void)state;
	run_open();
	seen_count = 0;
	collide_mirror_on_tick(run.mirror, on_tick, NULL);
	assert_int_equal(collide_mirror_advance(run.mirror, 6), 6);
	assert_int_equal(seen_count, 5);
	tick_with_key();
	taken(run.key, run.key_bytes);
	assert_int_equal(collide_mirror_state(run.mirror).tick, 6);
	assert_int_equal(seen_count, 5);
	assert_int_equal(collide_mirror_advance(run.mirror, 7), 7);
	assert_int_equal(seen_count, 6);
	assert_int_equal(ticks_seen[5], 7);

	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, run.key_bytes, run.key);

	assert_non_null(update);
	update->key->epoch++;
	run.key_bytes = collide__v1__world_update__pack(update, run.key);
	collide__v1__world_update__free_unpacked(update, NULL);
	taken(run.key, run.key_bytes);
	assert_int_equal(collide_mirror_advance(run.mirror, 3), 3);
	assert_int_equal(ticks_seen[seen_count - 1], 3);
	run_close();
}

/* A batch that is refused while there is no world is not predicted in the next one. */
static void
test_what_is_refused_without_a_world_is_gone(void **state)
{
	const struct collide_outcome refused = { .sequence = 1, .code = COLLIDE_FAILED_PRECONDITION };
	struct collide_error error;
	uint8_t bytes[256];

	(void)state;
	run_open();
	one_begin(CIRCLE);
	one_velocities();
	one.x[0] = 2;

	const struct collide_batch batch = { .tick = 4,
		                                 .message = bytes,
		                                 .message_bytes = collide__v1__commands__pack(&one.message, bytes) };

	assert_true(collide_mirror_predict(run.mirror, 1, 1, &batch, &error));
	assert_false(collide_mirror_update(run.mirror, "\xff", 1, &error));
	assert_false(collide_mirror_state(run.mirror).ready);
	collide_mirror_outcome(run.mirror, 1, &refused);
	assert_int_equal(collide_mirror_state(run.mirror).dropped, 1);
	tick_with_key();
	taken(run.key, run.key_bytes);
	assert_int_equal(collide_mirror_advance(run.mirror, 6), 6);
	stage_step(&run.stage, 4);
	assert_int_equal(run.stage.world->tick, 6);
	assert_int_equal(world_hash(mirror_world(run.mirror)), world_hash(run.stage.world->world));
	run_close();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_key_says_what_differs),
		cmocka_unit_test(test_a_key_waits_for_the_update_of_its_tick),
		cmocka_unit_test(test_a_mirror_that_is_ahead_compares_what_it_had),
		cmocka_unit_test(test_a_key_without_its_tick_is_taken_all_the_same),
		cmocka_unit_test(test_a_restored_world_has_no_predictions),
		cmocka_unit_test(test_ticks_that_a_key_makes_again_are_not_new),
		cmocka_unit_test(test_what_is_refused_without_a_world_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
