/* Numbers that updates of coded batches leave out. A reader has them as one of plain batches is told them: one that has come
 * with a key, and one that has read since. The clock is late meanwhile, and is set back; or ticks are asked for, and keys come
 * at once. */
#include "client/lib/follow/batch_reader.h"
#include "support/random.h"
#include "worlds/stage.h"

#include <string.h>

enum { PLAIN, CODED, JOINED, READERS, EVERY = 6, TICK_NS = 1000000000 / 60 };

/* What a reader has of its last update. */
struct numbers {
	uint64_t tick, lost_ticks, late_ns, hash, hash_tick;
	uint32_t ticks;
	bool key;
};

/* The first two read on, the third one begins anew with each key. */
static struct {
	struct stage stage;
	struct batch_reader *reader[READERS];
	struct numbers last[READERS];
	size_t updates, keys, left_out, late, lost, none;
} run;

static struct post *
post_of(enum post_kind kind, uint32_t encoder)
{
	struct post *post = post_create(kind, 0);

	assert_non_null(post);
	if (kind == POST_KEY) {
		post->key_of = encoder;
		return post;
	}
	post->encoder.encoder = encoder;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = EVERY, .commands = true, .coded = encoder == CODED };
	return post;
}

static void
keys_ask(void)
{
	for (uint32_t encoder = PLAIN; encoder <= CODED; encoder++)
		live_world_post(run.stage.world, post_of(POST_KEY, encoder));
}

static void
block_take(unsigned by, const struct shared_bytes *block)
{
	Collide__V1__WorldUpdate *update = collide__v1__world_update__unpack(NULL, block->count, block->bytes), whole;
	struct collide_error error;

	assert_non_null(update);
	whole = *update;
	if (run.reader[by] && !batch_reader_take(run.reader[by], update, &whole, &error))
		fail_msg("%s: %s", error.reason, error.text);
	run.left_out += update->ticks == 0 && whole.ticks > 0;
	run.last[by] = (struct numbers){
		.tick = whole.tick,
		.lost_ticks = whole.lost_ticks,
		.late_ns = whole.late_ns,
		.hash = whole.hash,
		.hash_tick = whole.hash_tick,
		.ticks = whole.ticks,
		.key = whole.optional_key_case == COLLIDE__V1__WORLD_UPDATE__OPTIONAL_KEY_KEY,
	};
	collide__v1__world_update__free_unpacked(update, NULL);
}

static void
reader_begin(unsigned by)
{
	batch_reader_destroy(run.reader[by]);
	run.reader[by] = batch_reader_create();
	assert_non_null(run.reader[by]);
}

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t key = update->row_count + update->state_count;

	(void)stage;
	if (update->encoder == PLAIN) {
		/* While the world stands there is only the key, which has the same numbers. */
		assert_true(key == 1 || (key == 0 && update->key_count > 0));
		block_take(PLAIN, update->blocks[0]);
		return;
	}
	assert_int_equal(key, 1);
	run.updates++;
	run.keys += update->key_count;
	block_take(CODED, update->blocks[0]);
	if (update->key_count == 0) {
		block_take(JOINED, update->blocks[0]);
		return;
	}
	reader_begin(JOINED);
	for (uint32_t i = 0; i < update->key_count; i++)
		block_take(JOINED, update->blocks[key + i]);
}

static void
numbers_compare(unsigned by)
{
	struct numbers plain = run.last[PLAIN], coded = run.last[by];
	bool late = plain.late_ns >= TICK_NS || coded.key;

	assert_int_equal(coded.tick, plain.tick);
	assert_int_equal(coded.ticks, plain.ticks);
	assert_int_equal(coded.lost_ticks, plain.lost_ticks);
	assert_int_equal(coded.late_ns, late ? plain.late_ns : 0);
	assert_int_equal(coded.hash, plain.hash);
	assert_int_equal(coded.hash_tick, plain.hash_tick);
}

/* The clock goes on by a tick, mostly with a little more; at times it stands for long. */
static void
turn_make(uint64_t *random)
{
	static const uint64_t stalls_ns[] = { TICK_NS, 3 * TICK_NS, NS_PER_S, 5 * NS_PER_S };
	size_t updates = run.updates;

	run.stage.now_ns = run.stage.turn.due_ns > run.stage.now_ns ? run.stage.turn.due_ns : run.stage.now_ns;
	run.stage.now_ns += random_below(random, TICK_NS / 4);
	if (random_below(random, 40) == 0)
		run.stage.now_ns += stalls_ns[random_below(random, 4)];
	if (random_below(random, 90) == 0)
		keys_ask();
	stage_turn(&run.stage);
	if (run.updates == updates)
		return;
	numbers_compare(CODED);
	numbers_compare(JOINED);
	run.late += run.last[PLAIN].late_ns >= TICK_NS;
	run.lost += run.last[PLAIN].lost_ticks > 0;
}

/* Some ticks, and a key between two updates, or beside one that has just been told. */
static void
steps_make(uint64_t *random)
{
	size_t updates = run.updates;

	if (random_below(random, 10) == 0) {
		keys_ask();
		stage_turn(&run.stage);
	} else {
		stage_step(&run.stage, 1 + random_below(random, 4));
	}
	if (run.updates == updates)
		return;
	numbers_compare(CODED);
	numbers_compare(JOINED);
	run.none += run.last[PLAIN].ticks == 0;
}

static void
run_make(enum world_clock clock, void (*make)(uint64_t *random), int count)
{
	static struct stage_scene scene;
	uint64_t random = 6;

	memset(&run, 0, sizeof run);
	stage_init(&run.stage);
	scene_gas(&scene, 4);
	run.stage.policy.clock = clock;
	run.stage.policy.hash_every = 10;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &scene);
	reader_begin(CODED);
	reader_begin(JOINED);
	for (uint32_t encoder = PLAIN; encoder <= CODED; encoder++)
		live_world_post(run.stage.world, post_of(POST_ENCODER, encoder));
	keys_ask();
	stage_turn(&run.stage);
	for (int i = 0; i < count; i++)
		make(&random);
	print_message("%zu updates, %zu keys, %zu of the others without ticks; %zu late, %zu of a clock that was set back, "
	              "%zu of no ticks\n",
	              run.updates, run.keys, run.left_out, run.late, run.lost, run.none);
	for (size_t i = 0; i < READERS; i++)
		batch_reader_destroy(run.reader[i]);
	stage_finish(&run.stage);
	assert_true(run.keys > 5);
}

static void
test_late_clock(void **state)
{
	(void)state;
	run_make(WORLD_CLOCK_SERVER, turn_make, 3000);
	assert_true(run.left_out > run.updates / 2 && run.late > 5 && run.lost > 100 && run.lost < run.updates);
}

static void
test_steps(void **state)
{
	(void)state;
	run_make(WORLD_CLOCK_CLIENT, steps_make, 3000);
	assert_true(run.left_out > run.updates / 2 && run.none > 5);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_late_clock), cmocka_unit_test(test_steps) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
