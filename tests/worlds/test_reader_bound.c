/* A world at the very bound of its memory, with readers of every kind. What they are told never costs it a tick, nor a batch
 * its effect. The same batches are given to a world without readers. All bounds are tried with which that one makes its ticks.
 */
#include "worlds/one_command.h"

#include "support/effort.h"

#define TICKS 24

static struct stage stage;
static struct stage_scene scene;
static size_t lost;

struct result {
	bool failed;
	uint64_t tick, effective, hash;
};

static void
on_update(struct stage *the, const struct update *update)
{
	(void)the;
	lost += update->failed;
}

static void
subscribe(uint32_t number, const struct encoder_options *options)
{
	struct post *post = post_create(POST_ENCODER, 0);

	post->encoder.encoder = number;
	post->encoder.wanted = true;
	post->encoder.options = *options;
	live_world_post(stage.world, post);
	post = post_create(POST_KEY, 0);
	post->key_of = number;
	live_world_post(stage.world, post);
}

/* What happens before the next tick: circles that come, and explosions that make all of them meet. */
static void
batch_send(uint64_t sequence)
{
	uint32_t id = 1000 + (uint32_t)sequence;

	one_begin(id);
	one_spawn();
	one.x[0] = 3.5 + 3.0 * (double)(sequence % 7), one.y[0] = 3.5 + 3.0 * (double)(sequence / 7), one.z[0] = 0.3;
	if (sequence % 3 == 0) {
		one_begin(0);
		one_explosions();
		one.explosion.x = 12, one.explosion.y = 12, one.explosion.radius = 40;
		one.explosion.impulse_per_length = sequence % 2 == 0 ? 40 : -40;
	} else if (sequence % 3 == 1) {
		one_begin(10 + (uint32_t)sequence);
		one_pushes();
		one.x[0] = 3;
		one.ticks[0] = 4;
		one.pushes.n_ticks = 1, one.pushes.ticks = one.ticks;
	}
	stage_send(&stage, 1, sequence, 0, &one.message);
}

static struct result
run(uint64_t most, unsigned events, enum world_late late, const struct encoder_options *options)
{
	uint64_t sequence = 0;

	stage_init(&stage);
	stage.on_update = on_update;
	stage.limits.world_bytes_max = most;
	stage.policy.events = events;
	stage.policy.late = late;
	stage.policy.history_ticks = late == WORLD_LATE_RESIMULATE ? 8 : 0;
	lost = 0;
	stage_open(&stage, &scene);
	if (options)
		subscribe(1, options);
	while (sequence < TICKS && !stage.stats.failed) {
		batch_send(++sequence);
		stage_step(&stage, 1);
	}
	const struct result result = { stage.stats.failed != NULL, stage.stats.tick, stage.effective[1], stage.answer.hash };

	stage_finish(&stage);
	return result;
}

/* The least bound with which the world makes all its ticks and takes all its batches without readers. */
static uint64_t
bytes_alone(unsigned events, enum world_late late)
{
	const struct result all = run(WORLDS_WORLD_BYTES_MAX, events, late, NULL);

	assert_true(all.effective > TICKS / 2);
	for (uint64_t most = 16384;; most += 1024)
		if (run(most, events, late, NULL).effective == all.effective)
			return most;
}

static void
never_the_world(unsigned events, enum world_late late)
{
	const struct encoder_options kinds[] = {
		{ .every = 2, .contacts = true, .paths = true },
		{ .every = 3, .paths = true, .driven_legs = true },
		{ .every = 2, .paths = true, .region = { REGION_BOX, .x0 = -2, .y0 = -2, .x1 = 13, .y1 = 13 } },
		{ .every = 2, .contacts = true, .pair_events = events != 0 },
		{ .every = 2, .tolerance = 0.01, .driven_tolerance = 0.01 },
		{ .every = 2, .commands = true, .coded = true },
	};
	const struct result all = run(WORLDS_WORLD_BYTES_MAX, events, late, NULL);
	uint64_t alone = bytes_alone(events, late);

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t ended = 0, stayed = 0;

		for (uint64_t most = alone; most < 3 * alone && stayed < 8; most += effort(most / 36, 2048)) {
			/* At its least bound a batch may want for what was just a reader's; and what the world takes is no even function.
			 */
			const bool near_least = most <= alone + alone / 16;

			if (near_least && run(most, events, late, NULL).effective < all.effective)
				continue;
			const struct result with = run(most, events, late, &kinds[i]);

			assert_false(with.failed);
			assert_int_equal(with.tick, TICKS);
			if (!near_least) {
				assert_int_equal(with.effective, all.effective);
				assert_int_equal(with.hash, all.hash);
			}
			ended += lost;
			stayed = lost ? 0 : stayed + 1;
		}
		assert_true(ended > 0);
		assert_true(stayed > 0);
	}
}

static void
test_paths_of_a_tick(void **state)
{
	(void)state;
	scene_gas(&scene, 64);
	never_the_world(0, WORLD_LATE_NEXT_TICK);
}

static void
test_with_pair_events(void **state)
{
	(void)state;
	scene_gas(&scene, 64);
	never_the_world(WORLD_EVENTS_TOUCH, WORLD_LATE_NEXT_TICK);
}

static void
test_of_a_heap(void **state)
{
	(void)state;
	scene_heap(&scene, 48);
	never_the_world(0, WORLD_LATE_NEXT_TICK);
}

static void
test_with_a_history(void **state)
{
	(void)state;
	scene_rich(&scene, 30);
	never_the_world(0, WORLD_LATE_RESIMULATE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_of_a_tick),
		cmocka_unit_test(test_with_pair_events),
		cmocka_unit_test(test_of_a_heap),
		cmocka_unit_test(test_with_a_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
