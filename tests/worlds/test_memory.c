/* Memory of a live world. What it allocates is charged to it and bounded. Wherever an allocation fails, a batch is refused or
 * the world fails. Every batch is decided once, nothing leaks, and what took effect is what was told. */
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include "base/memory.h"
#include "support/effort.h"
#include "support/failing.h"

#include <stdlib.h>
#include <string.h>

#define TICKS 12
#define BATCHES 24

static struct stage stage;
static struct stage_scene scene;
static struct spec specs[BATCHES];
static size_t updates;

static void
on_update(struct stage *the, const struct update *update)
{
	(void)the;
	updates += update->state_count;
}

/* Posts two batches for the next tick. */
static void
batches_post(struct batch_maker *maker, size_t first)
{
	static struct columns columns;

	for (size_t i = first; i < first + 2; i++) {
		memset(&columns, 0, sizeof columns);
		memset(&specs[i], 0, sizeof specs[i]);
		batch_make_random(maker, &specs[i], &columns);
		columns.message.skip_missing = true;
		stage_send(&stage, 1, i + 1, 0, &columns.message);
	}
}

static void
ask(enum post_kind kind, uint64_t at_tick)
{
	struct post *post = post_create(kind, 0);

	if (kind == POST_ENCODER) {
		post->encoder.wanted = true;
		post->encoder.options = (struct encoder_options){
			.every = 2, .contacts = true, .pair_events = true, .paths = updates % 2 == 0, .driven_legs = updates % 6 == 2
		};
		if (updates % 4 == 1) {
			post->encoder.options.tolerance = post->encoder.options.driven_tolerance = 0.01;
			post->encoder.options.bytes_per_second = updates % 8 == 1 ? 256 : 0;
		}
		if (updates % 4 == 3)
			post->encoder.options = (struct encoder_options){ .every = 2, .commands = true, .coded = true };
		if (updates % 4 == 0)
			post->encoder.options.region = (struct region){ REGION_BOX, .x0 = -2, .y0 = -2, .x1 = 3, .y1 = 3 };
	} else if (kind == POST_SNAPSHOT) {
		post->snapshot.has_tick = at_tick != 0;
		post->snapshot.at_tick = at_tick;
		post->snapshot.waiting = true;
	}
	live_world_post(stage.world, post);
}

/* Turns with failing allocations, then some more in which all waits that could not be told. */
static void
turns(size_t from, size_t count)
{
	allocations = 0;
	fail_from = from, fail_count = count;
	for (int i = 0; i < 5; i++)
		stage_turn(&stage);
	fail_from = 0;
	do
		stage_turn(&stage);
	while (stage.turn.next == TURN_SOON);
}

/* The plain world with what took effect, up to the tick that was made. */
static uint64_t
plain_hash(void)
{
	struct world *plain = scene_world(&scene, &stage);
	struct tick_report report;

	for (uint64_t tick = 1; tick <= stage.stats.tick; tick++) {
		for (size_t i = 0; i < BATCHES; i++) {
			const struct told *told = stage_told(&stage, 1, i + 1);
			struct edit edits[64];
			struct def_problem problem;
			size_t count = 0, index;

			if (!told || told->tick != tick)
				continue;
			for (size_t k = 0; k < specs[i].edit_count; k++) {
				const struct edit *edit = &specs[i].edits[k];
				uint32_t id = edit->kind == EDIT_CIRCLE_ADD_VELOCITY || edit->kind == EDIT_CIRCLE_IMPULSE ? edit->push.id
				                                                                                          : edit->circle.id;
				bool segment = edit->kind >= EDIT_SEGMENT_SPAWN && edit->kind <= EDIT_SEGMENT_REMOVE;
				bool there = segment ? world_segment_find(plain, edit->segment.id, &index) : world_body_find(plain, id, &index);

				if (there || edit->kind == EDIT_CIRCLE_SPAWN || edit->kind == EDIT_SEGMENT_SPAWN ||
				    edit->kind == EDIT_EXPLOSION || edit->kind == EDIT_GRAVITY)
					edits[count++] = *edit;
			}
			assert_int_equal(world_edit(plain, edits, count, &problem), STATUS_OK);
		}
		assert_int_equal(world_step(plain, stage.policy.dt, &report), STATUS_OK);
	}
	uint64_t hash = world_hash(plain);

	world_destroy(plain);
	return hash;
}

/* Once through with a failure; false: there are not so many allocations. */
static bool
scenario(size_t from, size_t count, size_t at)
{
	struct batch_maker maker = { .seed = 77, .next_id = 1000 };
	size_t seen = 0;

	stage_init(&stage);
	stage.policy.history_ticks = 8;
	stage.policy.events = WORLD_EVENTS_TOUCH;
	stage.on_update = on_update;
	scene_gas(&scene, 16);
	maker.world = scene_world(&scene, &stage);
	const uint64_t used = memory_used();

	stage_open(&stage, &scene);
	ask(POST_ENCODER, 0);
	ask(POST_KEY, 0);
	for (size_t t = 0; t < TICKS && !stage.stats.failed; t++) {
		struct post *post = post_create(POST_STEP, 0);

		batches_post(&maker, 2 * t);
		post->step.ticks = 1;
		live_world_post(stage.world, post);
		ask(POST_SNAPSHOT, t > 4 ? t - 2 : 0);
		if (t == at) {
			turns(from, count);
			seen = allocations;
		} else {
			turns(0, 0);
		}
		/* A step that was refused has made no tick: it is asked for again. */
		while (stage.stats.tick <= t && !stage.stats.failed) {
			post = post_create(POST_STEP, 0);
			post->step.ticks = 1;
			live_world_post(stage.world, post);
			turns(0, 0);
		}
		assert_int_equal(stage.through[1], 2 * t + 2);
	}
	if (stage.stats.failed)
		assert_string_equal(stage.stats.failed, "LIMIT");
	else
		assert_int_equal(stage.stats.tick, TICKS);
	assert_true(stage.stats.bytes > 1000);
	stage_finish(&stage);
	assert_int_equal(memory_used(), used);
	world_destroy(maker.world);
	return seen >= from;
}

/* One allocation fails, each in turn, and then some in a row. */
static void
test_failing_allocations(void **state)
{
	(void)state;
	for (size_t at = 0; at < TICKS; at += effort(10, 1)) {
		size_t from = 1;

		while (scenario(from, 1, at))
			from += effort(3, 1);
		assert_true(from > 12);
		for (from = 1; scenario(from, 6, at);)
			from += effort(17, 2);
		(void)scenario(1, 100000, at);
	}
}

/* After a failure that the world has stood, its state is what was told. */
static void
test_told_is_true(void **state)
{
	(void)state;
	for (size_t from = 1; from < 200; from += effort(4, 1)) {
		struct batch_maker maker = { .seed = 1234, .next_id = 1000 };

		stage_init(&stage);
		scene_gas(&scene, 16);
		maker.world = scene_world(&scene, &stage);
		stage_open(&stage, &scene);
		for (size_t t = 0; t < TICKS && !stage.stats.failed; t++) {
			struct post *post = post_create(POST_STEP, 0);
			static struct columns columns;

			for (size_t i = 2 * t; i < 2 * t + 2; i++) {
				do { /* forces are test_worlds_commands' */
					memset(&columns, 0, sizeof columns);
					memset(&specs[i], 0, sizeof specs[i]);
					batch_make_random(&maker, &specs[i], &columns);
				} while (specs[i].force_count > 0);
				columns.message.skip_missing = true;
				stage_send(&stage, 1, i + 1, 0, &columns.message);
			}
			post->step.ticks = 1;
			live_world_post(stage.world, post);
			turns(t == 6 ? from : 0, 1);
			while (stage.stats.tick <= t && !stage.stats.failed)
				stage_step(&stage, 1);
		}
		if (!stage.stats.failed)
			assert_int_equal(stage.answer.hash, plain_hash());
		stage_finish(&stage);
		world_destroy(maker.world);
	}
}

/* Fails from an allocation on, while the world gets another past. False: there are not so many allocations. */
static bool
restore_scenario(unsigned events, size_t from, size_t count)
{
	struct post *post = post_create(POST_RESTORE, 0);
	struct wire_problem problem;
	struct arena arena;

	stage_init(&stage);
	scene_gas(&scene, 16);
	stage.policy.events = events;
	stage_open(&stage, &scene);
	stage_step(&stage, 5);

	const struct shared_bytes *saved = stage_snapshot(&stage);

	arena_init(&arena, 1 << 20);
	assert_int_equal(world_start_bytes(&arena, saved->bytes, saved->count, &stage.scene_limits, NULL, "snapshot",
	                                   &post->restore.start, &problem),
	                 STATUS_OK);
	arena_finish(&arena);
	stage_step(&stage, 4);
	one_begin(10);
	one_velocities();
	stage_send(&stage, 1, 1, 30, &one.message);
	stage_send(&stage, 2, 1, 30, &one.message);
	stage_turn(&stage);
	post->ask = ++stage.asks;
	post->restore.epoch = 8;
	live_world_post(stage.world, post);
	turns(from, count);

	bool more = allocations >= from, restored = stage.answer.problem.status == STATUS_OK;

	assert_int_equal(stage.stats.tick, restored ? 5 : 9);
	assert_int_equal(stage.stats.epoch, 8);
	for (uint32_t seat = 1; seat <= 2; seat++)
		assert_int_equal(stage.decided[seat], restored ? 1 : 0);
	assert_true(restored || events != 0);
	stage_finish(&stage);
	return more;
}

/* What is told to have another past has one. */
static void
test_restore(void **state)
{
	(void)state;
	for (size_t count = 1; count <= 6; count += 5)
		for (int k = 0; k < 2; k++)
			for (size_t from = 1; restore_scenario(k == 0 ? 0 : WORLD_EVENTS_TOUCH, from, count);)
				from++;
}

/* Over its bound a world refuses batches, or fails; others do not notice. */
static void
test_bound(void **state)
{
	uint64_t sequence = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 64);
	stage_open(&stage, &scene);
	stage_step(&stage, 10);
	uint64_t bytes = stage.stats.bytes;

	stage_finish(&stage);
	stage_init(&stage);
	stage.limits.world_bytes_max = bytes + 400000;
	stage_open(&stage, &scene);
	stage_step(&stage, 10);
	/* Circles that stand still, until there is no room. */
	for (uint32_t id = 1000; id < 3000; id++) {
		one_begin(id);
		one_spawn();
		one.x[0] = 1.0 + 0.5 * (id % 50), one.y[0] = 1.0 + 0.5 * (id / 50 % 50), one.z[0] = 0.1;
		stage_send(&stage, 1, ++sequence, 0, &one.message);
		if (sequence % 10 == 0)
			stage_step(&stage, 1);
		if (stage.stats.failed)
			break;
		assert_true(stage.stats.bytes <= stage.limits.world_bytes_max);
		stage.told_count = stage.told_count > 1000 ? 0 : stage.told_count;
	}
	assert_true(stage.stats.failed || stage.effective[1] < 2000);
	assert_true(stage.effective[1] > 20);
	stage_finish(&stage);
}

/* A seat that fills its world's memory with batches that wait: those for which there is none are refused after them, in order,
 * and until then the world rests. */
static void
test_batches_that_wait(void **state)
{
	static uint32_t ids[2000];
	static double vx[2000];
	uint64_t sequence = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 16);
	stage.limits.world_bytes_max = 300000;
	stage_open(&stage, &scene);
	for (uint32_t i = 0; i < 2000; i++)
		ids[i] = 5000 + i;
	one_begin(0);
	one_velocities();
	one.velocities.n_id = one.velocities.n_vx = one.velocities.n_vy = 2000;
	one.velocities.id = ids, one.velocities.vx = one.velocities.vy = vx;
	one.message.skip_missing = true;
	for (int i = 0; i < 20; i++)
		stage_send(&stage, 1, ++sequence, 30, &one.message);
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_REST);
	assert_int_equal(stage.decided[1], 0);
	one_begin(10);
	one_velocities();
	stage_send(&stage, 1, ++sequence, 0, &one.message); /* behind the lost ones */
	stage_send(&stage, 2, 1, 0, &one.message);          /* another's is not */

	struct post *post = post_create(POST_SEAT_ENDED, 0);

	post->seat_ended = 1;
	live_world_post(stage.world, post);
	stage_step(&stage, 1);
	assert_int_equal(stage.decided[2], 1);
	stage_step(&stage, 40);
	assert_int_equal(stage.through[1], sequence);
	for (uint64_t i = sequence - 5; i <= sequence; i++)
		assert_string_equal(stage_told(&stage, 1, i)->reason, "MEMORY");
	stage_finish(&stage);
}

/* The same where some sequences never come, as the loop has refused them: what is told is of those that came, and all their
 * bytes are given back. */
static void
test_lost_batches_with_gaps(void **state)
{
	static uint32_t ids[2000];
	static double vx[2000];
	uint64_t sequence = 0, sent = 0, bytes = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 16);
	stage.limits.world_bytes_max = 300000;
	stage.has_gaps = true;
	stage_open(&stage, &scene);
	for (uint32_t i = 0; i < 2000; i++)
		ids[i] = 5000 + i;
	one_begin(0);
	one_velocities();
	one.velocities.n_id = one.velocities.n_vx = one.velocities.n_vy = 2000;
	one.velocities.id = ids, one.velocities.vx = one.velocities.vy = vx;
	one.message.skip_missing = true;
	for (; sent < 20; sent++) {
		sequence += 1 + sent % 3;
		stage_send(&stage, 1, sequence, 0, &one.message);
		bytes += collide__v1__commands__get_packed_size(&one.message);
	}
	stage_step(&stage, 1);
	assert_int_equal(stage.decided[1], sent);
	assert_int_equal(stage.decided_bytes[1], bytes);
	assert_int_equal(stage.through[1], sequence);
	assert_int_equal(stage.told_count, sent);
	sequence = 0;
	for (uint64_t i = 0; i < sent; i++) {
		sequence += 1 + i % 3;
		assert_non_null(stage_told(&stage, 1, sequence));
	}
	assert_string_equal(stage_told(&stage, 1, sequence)->reason, "MEMORY");
	stage_finish(&stage);
}

static size_t lost;

static void
on_lost(struct stage *the, const struct update *update)
{
	(void)the;
	lost += update->failed;
	assert_true(!update->failed || update->row_count + update->state_count + update->key_count == 0);
}

/* The least bound with which a world without readers makes so many ticks. */
static uint64_t
bytes_alone(uint64_t ticks)
{
	for (uint64_t most = 16384;; most += 1024) {
		stage_init(&stage);
		scene_gas(&scene, 64);
		stage.limits.world_bytes_max = most;
		stage_open(&stage, &scene);
		stage_step(&stage, ticks);
		bool fits = stage.stats.tick == ticks;

		stage_finish(&stage);
		if (fits)
			return most;
	}
}

/* A world that has no room for what a reader of any kind needs: the reader ends, and the world goes on. */
static void
test_no_room_for_a_reader(void **state)
{
	const struct encoder_options kinds[] = {
		{ .every = 2 },
		{ .every = 2, .contacts = true, .paths = true },
		{ .every = 2, .paths = true, .region = { REGION_BOX, .x0 = -2, .y0 = -2, .x1 = 3, .y1 = 3 } },
		{ .every = 2, .tolerance = 0.01, .driven_tolerance = 0.01 },
		{ .every = 2, .commands = true, .coded = true },
	};
	uint64_t alone = bytes_alone(8);

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		stage_init(&stage);
		stage.on_update = on_lost;
		/* What readers leave to it is what its ticks have to spare. */
		stage.limits.world_bytes_max = alone * 8 / 7;
		lost = 0;
		stage_open(&stage, &scene);
		struct post *post = post_create(POST_ENCODER, 0);

		post->encoder.wanted = true;
		post->encoder.options = kinds[i];
		live_world_post(stage.world, post);
		live_world_post(stage.world, post_create(POST_KEY, 0));
		stage_step(&stage, 8);
		assert_int_equal(lost, 1);
		assert_null(stage.stats.failed);
		assert_int_equal(stage.stats.tick, 8);
		/* What is asked for after that: the loop knows of the end only later. */
		live_world_post(stage.world, post_create(POST_KEY, 0));
		live_world_post(stage.world, post_create(POST_ENCODER, 0));
		ask(POST_END, 0);
		for (int k = 0; k < 3 && stage.turn.next != TURN_ENDED; k++)
			stage_turn(&stage);
		assert_int_equal(stage.turn.next, TURN_ENDED);
		assert_int_equal(lost, 1);
		stage_finish(&stage);
	}
}

/* A world that grows where its readers have had room: the newest of these end, and no tick is lost for them. */
static void
test_readers_give_way(void **state)
{
	uint64_t sequence = 0, alone = bytes_alone(8);

	(void)state;
	stage_init(&stage);
	stage.on_update = on_lost;
	stage.limits.world_bytes_max = 8 * alone;
	lost = 0;
	stage_open(&stage, &scene);
	for (uint32_t i = 0; i < 6; i++) {
		struct post *post = post_create(POST_ENCODER, 0);

		post->encoder.encoder = i;
		post->encoder.wanted = true;
		post->encoder.options = (struct encoder_options){ .every = 3600, .contacts = true, .paths = i % 2 == 0 };
		live_world_post(stage.world, post);
	}
	stage_step(&stage, 1);
	assert_int_equal(lost, 0);
	for (uint32_t id = 1000; id < 8000 && lost < 6; id++) {
		one_begin(id);
		one_spawn();
		one.x[0] = 1.0 + 0.5 * (id % 50), one.y[0] = 1.0 + 0.5 * (id / 50 % 50), one.z[0] = 0.1;
		stage_send(&stage, 1, ++sequence, 0, &one.message);
		if (sequence % 10 == 0)
			stage_step(&stage, 1);
		assert_null(stage.stats.failed);
		stage.told_count = stage.told_count > 1000 ? 0 : stage.told_count;
	}
	assert_int_equal(lost, 6);
	stage_finish(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failing_allocations),
		cmocka_unit_test(test_told_is_true),
		cmocka_unit_test(test_restore),
		cmocka_unit_test(test_bound),
		cmocka_unit_test(test_batches_that_wait),
		cmocka_unit_test(test_lost_batches_with_gaps),
		cmocka_unit_test(test_no_room_for_a_reader),
		cmocka_unit_test(test_readers_give_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
