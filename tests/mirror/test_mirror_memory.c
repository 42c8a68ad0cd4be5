/* A mirror without memory: wherever an allocation fails, a call says so or the mirror goes on, nothing leaks, and after the
 * next key its state is the world's. What it has not said is wrong is right. */
#include "client/mirror/mirror.h"
#include "support/effort.h"
#include "support/failing.h"
#include "worlds/live/live_private.h"
#include "worlds/one_command.h"

#include <stdlib.h>
#include <string.h>

enum { TICKS = 16, AHEAD = 5, CIRCLE = 3 };

static struct {
	struct stage stage;
	struct stage_scene scene;
	/* What a mirror was sent: an update for each tick, and the first and last key. */
	struct {
		uint8_t bytes[65536];
		size_t count;
	} updates[TICKS + 1], first, last;
	uint64_t hash[TICKS + 1];
	struct {
		uint8_t bytes[256];
		size_t count;
	} own[TICKS + AHEAD + 2];
} run;

static void
on_update(struct stage *stage, const struct update *update)
{
	uint32_t states = update->row_count + update->state_count;

	assert_int_equal(states, 1);
	memcpy(run.updates[update->tick].bytes, update->blocks[0]->bytes,
	       run.updates[update->tick].count = update->blocks[0]->count);
	run.hash[update->tick] = world_hash(stage->world->world);
	if (update->key_count == 0)
		return;
	assert_int_equal(update->key_count, 1);

	const struct shared_bytes *key = update->blocks[1];

	if (update->tick == 1)
		memcpy(run.first.bytes, key->bytes, run.first.count = key->count);
	else
		memcpy(run.last.bytes, key->bytes, run.last.count = key->count);
}

static void
key_ask(void)
{
	struct post *post = post_create(POST_KEY, 0);

	post->key_of = 1;
	live_world_post(run.stage.world, post);
}

/* Seat 1 acts in each tick, which is predicted; seat 2 in some, which is not. */
static void
record(void)
{
	struct post *post = post_create(POST_ENCODER, 0);

	scene_gas(&run.scene, 12);
	stage_init(&run.stage);
	run.stage.policy.hash_every = 3;
	run.stage.on_update = on_update;
	stage_open(&run.stage, &run.scene);
	post->encoder.encoder = 1;
	post->encoder.wanted = true;
	post->encoder.options = (struct encoder_options){ .every = 1, .commands = true };
	live_world_post(run.stage.world, post);
	key_ask();
	stage_step(&run.stage, 1);
	for (uint64_t tick = 2; tick <= TICKS; tick++) {
		one_begin(CIRCLE);
		one_velocities();
		one.x[0] = (double)tick, one.y[0] = 1;
		run.own[tick].count = collide__v1__commands__pack(&one.message, run.own[tick].bytes);
		stage_send(&run.stage, 1, tick - 1, tick, &one.message);
		if (tick % 3 == 0) {
			one_begin(100 + (uint32_t)tick);
			one_spawn();
			one.x[0] = 200 + 10 * (double)tick;
			stage_send(&run.stage, 2, tick / 3, tick, &one.message);
		}
		if (tick == TICKS)
			key_ask();
		stage_step(&run.stage, 1);
	}
	stage_finish(&run.stage);
}

/* False: some call has said that it cannot. */
static bool
play(struct collide_mirror *mirror)
{
	struct collide_error error;
	bool good = collide_mirror_update(mirror, run.first.bytes, run.first.count, &error);

	for (uint64_t tick = 2; tick <= TICKS; tick++) {
		uint64_t next = tick + AHEAD;

		for (uint64_t own = tick == 2 ? 2 : next; own <= next && own <= TICKS; own++) {
			const struct collide_batch batch = { .tick = own,
				                                 .message = run.own[own].bytes,
				                                 .message_bytes = run.own[own].count };

			good = collide_mirror_predict(mirror, 1, own - 1, &batch, &error) && good;
		}
		good = collide_mirror_advance(mirror, next) >= next && good;
		good = collide_mirror_update(mirror, run.updates[tick].bytes, run.updates[tick].count, &error) && good;
	}
	return good;
}

static size_t said;

static void
played(void)
{
	struct collide_error error;
	struct collide_mirror *mirror = collide_mirror_create();
	bool good = mirror && play(mirror);
	uint64_t hash;

	fail_from = 0;
	said += !good;
	if (good) {
		assert_int_equal(collide_mirror_state(mirror).told_tick, TICKS);
		assert_true(live_mirrored_hash(mirror->live, TICKS, &hash));
		assert_int_equal(hash, run.hash[TICKS]);
	}
	if (mirror) {
		if (!collide_mirror_update(mirror, run.last.bytes, run.last.count, &error))
			fail_msg("%s: %s", error.reason, error.text);
		assert_true(live_mirrored_hash(mirror->live, TICKS, &hash));
		assert_int_equal(hash, run.hash[TICKS]);
	}
	collide_mirror_destroy(mirror);
}

static void
test_wherever_an_allocation_fails(void **state)
{
	(void)state;
	record();
	allocations = 0;
	played();

	const size_t all = allocations;

	assert_true(all > 200);
	for (size_t count = 1; count <= 64; count *= 8)
		for (size_t from = 1; from <= all; from += effort(7, 1)) {
			allocations = 0;
			fail_from = from;
			fail_count = count;
			played();
		}
	print_message("%zu allocations, %zu runs that said so\n", all, said);
	assert_true(said > all / 7);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wherever_an_allocation_fails),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
