/* States of a world as bytes and in its history. A world that goes on from them has the same bits, with pending forces, owners
 * and waiting batches. A look at the past leaves the present as it is. Bytes that are damaged are refused with their place. */
#include "worlds/one_command.h"
#include "worlds/random_batch.h"

#include "physics/wall_map.h"
#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define SEATS 3

/* A world with random batches; a twin gets the same ones. */
struct twins {
	struct stage stages[2];
	struct stage_scene scene;
	struct batch_maker maker;
	uint64_t sequence[SEATS + 1];
	struct columns columns;
};

static struct twins twins;

/* Copies of bytes. */
struct copy {
	uint8_t *bytes;
	size_t count;
};

static struct copy
copy_of(const struct shared_bytes *bytes)
{
	struct copy copy = { malloc(bytes->count + 1), bytes->count };

	memcpy(copy.bytes, bytes->bytes, bytes->count);
	return copy;
}

static void
twins_init(uint64_t seed, uint32_t history_ticks)
{
	memset(&twins, 0, sizeof twins);
	scene_gas(&twins.scene, 24);
	for (size_t i = 0; i < 2; i++) {
		stage_init(&twins.stages[i]);
		twins.stages[i].policy.history_ticks = history_ticks;
	}
	twins.maker.seed = seed;
	twins.maker.next_id = 1000;
	twins.maker.world = scene_world(&twins.scene, &twins.stages[0]); /* only for its ids */
}

static void
twins_finish(void)
{
	world_destroy(twins.maker.world);
	for (size_t i = 0; i < 2; i++)
		if (twins.stages[i].world)
			stage_finish(&twins.stages[i]);
}

/* The same random batch for the first `count` of both. */
static void
batch_send(size_t count, uint64_t ahead)
{
	struct spec spec = { .seat = 1 + (uint32_t)random_below(&twins.maker.seed, SEATS) };
	uint64_t sequence = ++twins.sequence[spec.seat];
	uint32_t seat = spec.seat;

	memset(&twins.columns, 0, sizeof twins.columns);
	batch_make_random(&twins.maker, &spec, &twins.columns);
	twins.columns.message.skip_missing = true;
	for (size_t i = 0; i < count; i++) {
		uint64_t tick = ahead == 0 ? 0 : twins.stages[i].stats.tick + ahead;

		stage_send(&twins.stages[i], seat, sequence, tick, &twins.columns.message);
	}
}

static void
run(size_t count, size_t ticks)
{
	for (size_t t = 0; t < ticks; t++) {
		for (size_t k = random_below(&twins.maker.seed, 3); k > 0; k--)
			batch_send(count, random_below(&twins.maker.seed, 3));
		for (size_t i = 0; i < count; i++)
			stage_step(&twins.stages[i], 1);
		if (count == 2)
			assert_int_equal(twins.stages[0].answer.hash, twins.stages[1].answer.hash);
	}
}

/* A world that is opened from the other's bytes, after the waiting batches are sent again, goes on as the other does. */
static void
handover_check(uint64_t seed)
{
	struct stage *first = &twins.stages[0], *second = &twins.stages[1];

	twins_init(seed, 0);
	stage_open(first, &twins.scene);
	run(1, 40);
	for (int i = 0; i < 4; i++)
		batch_send(1, random_below(&twins.maker.seed, 4));

	struct post *post = post_create(POST_SNAPSHOT, 0);

	post->snapshot.waiting = true;
	live_world_post(first->world, post);
	stage_turn(first);
	assert_int_equal(first->answer.problem.status, STATUS_OK);
	stage_open_bytes(second, first->answer.snapshot->bytes, first->answer.snapshot->count);
	memcpy(second->through, first->through, sizeof second->through);

	Collide__V1__Handover *handover = collide__v1__handover__unpack(NULL, first->answer.waiting->count,
	                                                                first->answer.waiting->bytes);

	assert_in_range(handover->n_waiting, 4, 4 + 9);
	for (size_t i = 0; i < handover->n_waiting; i++) {
		const Collide__V1__WaitingBatch *waiting = handover->waiting[i];

		post = post_create(POST_BATCH, waiting->commands.len);
		memcpy(post->bytes, waiting->commands.data, waiting->commands.len);
		post->batch.seat = waiting->seat;
		post->batch.right = SEAT_ALL;
		post->batch.sequence = waiting->sequence;
		post->batch.tick = waiting->tick;
		post->batch.wants_outcome = true;
		live_world_post(second->world, post);
	}
	collide__v1__handover__free_unpacked(handover, NULL);
	second->stats.tick = first->stats.tick;
	run(2, 60);

	struct copy a = copy_of(stage_snapshot(first)), b = copy_of(stage_snapshot(second));

	assert_int_equal(a.count, b.count);
	assert_memory_equal(a.bytes, b.bytes, a.count);
	free(a.bytes);
	free(b.bytes);
	twins_finish();
}

static void
test_handover(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort_most(6, 80, 200); seed++)
		handover_check(seed);
}

/* Every tick of the history is what the world was then; and the present goes on as that of a twin that was never asked. */
static void
history_check(uint64_t seed)
{
	static struct copy past[200];
	struct stage *first = &twins.stages[0];
	const uint64_t end = 90;

	twins_init(seed, 30);
	for (size_t i = 0; i < 2; i++)
		stage_open(&twins.stages[i], &twins.scene);
	for (uint64_t tick = 1; tick <= end; tick++) {
		run(2, 1);
		past[tick] = copy_of(stage_snapshot(first));
		if (tick % 13 != 0 && tick != end)
			continue;
		for (uint64_t at = tick > 33 ? tick - 33 : 0; at <= tick + 1; at++) {
			struct post *post = post_create(POST_SNAPSHOT, 0);

			post->snapshot.has_tick = true;
			post->snapshot.at_tick = at;
			live_world_post(first->world, post);
			stage_turn(first);
			if (at > tick || tick - at > 30) {
				assert_int_equal(first->answer.problem.status, STATUS_OUT_OF_RANGE);
				assert_string_equal(first->answer.problem.reason, "TICK_GONE");
				continue;
			}
			assert_int_equal(first->answer.problem.status, STATUS_OK);
			assert_int_equal(first->answer.tick, at);
			if (at == 0)
				continue;
			assert_int_equal(first->answer.snapshot->count, past[at].count);
			assert_memory_equal(first->answer.snapshot->bytes, past[at].bytes, past[at].count);
		}
	}
	run(2, 30);
	for (uint64_t tick = 1; tick <= end; tick++)
		free(past[tick].bytes);
	twins_finish();
}

static void
test_history(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= effort_most(2, 40, 100); seed++)
		history_check(seed);
}

static enum status
past_ask(struct stage *stage, uint64_t tick)
{
	struct post *post = post_create(POST_SNAPSHOT, 0);

	post->snapshot.has_tick = true;
	post->snapshot.at_tick = tick;
	live_world_post(stage->world, post);
	stage_turn(stage);
	return stage->answer.problem.status;
}

/* A journal that is too large cuts the history; edits of segments do not. */
static void
test_history_is_cut(void **state)
{
	struct stage *stage = &twins.stages[0];
	uint64_t sequence = 0;

	(void)state;
	twins_init(1, 60);
	stage->limits.journal_bytes_max = 4000;
	stage_open(stage, &twins.scene);
	stage_step(stage, 20);
	one_begin(0);
	one_spawn_segments();
	stage_send(stage, 1, ++sequence, 0, &one.message);
	stage_step(stage, 20);
	assert_int_equal(past_ask(stage, 3), STATUS_OK);
	assert_int_equal(past_ask(stage, 30), STATUS_OK);
	/* 4,000 bytes are some 20 of these batches. */
	for (int i = 0; i < 100; i++) {
		one_begin(10);
		one_velocities();
		stage_send(stage, 1, ++sequence, 0, &one.message);
		stage_step(stage, 1);
	}
	assert_int_equal(past_ask(stage, stage->stats.tick - 50), STATUS_OUT_OF_RANGE);
	assert_int_equal(past_ask(stage, stage->stats.tick), STATUS_OK);
	stage_step(stage, 61);
	assert_int_equal(past_ask(stage, stage->stats.tick - 60), STATUS_OK);
	twins_finish();
}

/* RestoreWorld: the state, none of the past, and what waited is refused. */
static void
test_restore(void **state)
{
	struct stage *first = &twins.stages[0];
	struct wire_problem problem;
	struct arena arena;

	(void)state;
	twins_init(3, 40);
	for (size_t i = 0; i < 2; i++)
		stage_open(&twins.stages[i], &twins.scene);
	run(2, 16);
	for (size_t i = 0; i < 2; i++)
		stage_step(&twins.stages[i], 4); /* nothing waits */
	struct copy saved = copy_of(stage_snapshot(first));
	run(1, 15);
	one_begin(10);
	one_velocities();
	stage_send(first, 9, 1, first->stats.tick + 5, &one.message);

	struct post *post = post_create(POST_RESTORE, 0);

	arena_init(&arena, 1 << 20);
	assert_int_equal(world_start_bytes(&arena, saved.bytes, saved.count, &first->scene_limits, NULL, "snapshot",
	                                   &post->restore.start, &problem),
	                 STATUS_OK);
	arena_finish(&arena);
	post->restore.epoch = 8;
	live_world_post(first->world, post);
	stage_turn(first);
	assert_int_equal(first->answer.problem.status, STATUS_OK);
	assert_int_equal(first->answer.tick, 20);
	assert_string_equal(stage_told(first, 9, 1)->reason, "RESTORED");
	assert_int_equal(past_ask(first, 19), STATUS_OUT_OF_RANGE);
	assert_int_equal(past_ask(first, 20), STATUS_OK);
	/* It goes on as its twin does, which was never elsewhere. */
	memcpy(twins.stages[1].through, first->through, sizeof first->through);
	first->stats.tick = 20;
	run(2, 40);
	free(saved.bytes);
	twins_finish();
}

/* Damaged bytes: refused with a field that begins with the path, or a world that can be stepped. */
static void
test_damaged_bytes(void **state)
{
	struct stage *stage = &twins.stages[0];
	uint64_t seed = 11;
	size_t refused = 0, tries = effort_most(1500, 20000, 60000);

	(void)state;
	twins_init(5, 0);
	stage_open(stage, &twins.scene);
	one_begin(10);
	one_pushes();
	one.ticks[0] = 50, one.z[0] = 2;
	one.pushes.n_force_x = one.pushes.n_ticks = 1, one.pushes.force_x = one.z, one.pushes.ticks = one.ticks;
	one_give();
	stage_send(stage, 1, 1, 0, &one.message);
	stage_step(stage, 5);
	struct copy good = copy_of(stage_snapshot(stage));
	uint8_t *bytes = malloc(good.count);

	for (size_t t = 0; t < tries; t++) {
		struct world_start *start = NULL;
		struct wire_problem problem;
		struct start_bytes head;
		struct arena arena;
		size_t count = random_below(&seed, 8) == 0 ? random_below(&seed, good.count) : good.count;

		memcpy(bytes, good.bytes, good.count);
		/* The last bytes are those outside of the engine's, which has a checksum. */
		for (uint64_t k = 1 + random_below(&seed, 3); k > 0; k--) {
			size_t at = random_below(&seed, 2) == 0 ? random_below(&seed, good.count)
			                                        : good.count - 1 - random_below(&seed, 90);

			bytes[at] = (uint8_t)random_bits(&seed);
		}
		arena_init(&arena, 1 << 20);
		if (start_bytes_read(&arena, bytes, count, "snapshot", &head, &problem) != STATUS_OK) {
			assert_int_equal(strncmp(problem.field, "snapshot", 8), 0);
			refused++;
		} else if (world_start_bytes(&arena, bytes, count, &stage->scene_limits, NULL, "snapshot", &start, &problem) !=
		           STATUS_OK) {
			assert_int_equal(strncmp(problem.field, "snapshot", 8), 0);
			assert_true(problem.text[0] != '\0' && problem.reason[0] != '\0');
			refused++;
		}
		world_start_destroy(start);
		arena_finish(&arena);
	}
	assert_true(refused > tries / 2);
	free(bytes);
	free(good.bytes);
	twins_finish();
}

/* Commands that are damaged are decided, and leave the world able to go on. */
static void
test_damaged_commands(void **state)
{
	struct stage *stage = &twins.stages[0];
	uint64_t seed = 12;
	size_t tries = effort_most(600, 7000, 20000);

	(void)state;
	twins_init(6, 8);
	stage_open(stage, &twins.scene);
	for (size_t t = 1; t <= tries; t++) {
		struct spec spec = { .seat = 0 };

		memset(&twins.columns, 0, sizeof twins.columns);
		batch_make_random(&twins.maker, &spec, &twins.columns);
		twins.columns.message.skip_missing = true;
		struct post *post = stage_batch(stage, 1, SEAT_ALL, t, 0, &twins.columns.message);

		for (uint64_t k = random_below(&seed, 4); k > 0 && post->count > 0; k--)
			post->bytes[random_below(&seed, post->count)] = (uint8_t)random_bits(&seed);
		post->batch.wants_outcome = false;
		live_world_post(stage->world, post);
		stage->told_count = 0;
		stage_step(stage, 1);
		assert_int_equal(stage->through[1], t);
		assert_null(stage->stats.failed);
	}
	assert_true(stage->effective[1] > tries / 4 && stage->effective[1] < tries);
	twins_finish();
}

/* What is wrong with a WorldState is named. */
static void
test_state_fields(void **state)
{
	struct stage *stage = &twins.stages[0];
	static const char *const fields[] = { "snapshot",
		                                  "snapshot.dt",
		                                  "snapshot.map",
		                                  "snapshot.forces.id[1]",
		                                  "snapshot.forces",
		                                  "snapshot.forces.ticks[0]",
		                                  "snapshot.forces.force_x[1]",
		                                  "snapshot.owners.id[1]",
		                                  "snapshot.owners.seat[0]",
		                                  "snapshot.owners.id[0]" };

	(void)state;
	twins_init(5, 0);
	stage_open(stage, &twins.scene);
	stage_step(stage, 1);
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const struct shared_bytes *good = stage_snapshot(stage);
		Collide__V1__WorldState *message = collide__v1__world_state__unpack(NULL, good->count, good->bytes);
		Collide__V1__WorldState changed = *message;
		Collide__V1__PushColumns forces = COLLIDE__V1__PUSH_COLUMNS__INIT;
		Collide__V1__OwnerColumns owners = COLLIDE__V1__OWNER_COLUMNS__INIT;
		uint32_t ids[] = { 10, 11 }, ticks[] = { 1, 2 }, seats[] = { 1, 2 };
		double x[] = { 1, 2 };
		char map[] = "elsewhere";

		forces.n_id = forces.n_force_x = forces.n_force_y = forces.n_ticks = 2;
		forces.id = ids, forces.force_x = forces.force_y = x, forces.ticks = ticks;
		owners.n_id = owners.n_seat = 2, owners.id = ids, owners.seat = seats;
		changed.optional_forces_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_FORCES_FORCES;
		changed.forces = &forces;
		changed.optional_owners_case = COLLIDE__V1__WORLD_STATE__OPTIONAL_OWNERS_OWNERS;
		changed.owners = &owners;
		switch (i) {
		case 0: changed.magic++; break;
		case 1: changed.dt = 0; break;
		case 2: changed.map = map; break;
		case 3: ids[1] = 9; break;
		case 4: forces.n_ticks = 1; break;
		case 5: ticks[0] = 0; break;
		case 6: x[1] = __builtin_inf(); break;
		case 7: changed.optional_forces_case = 0, changed.forces = NULL, ids[1] = 10; break;
		case 8: seats[0] = 0; break;
		default: changed.optional_forces_case = 0, changed.forces = NULL, ids[0] = 5;
		}

		size_t count = collide__v1__world_state__get_packed_size(&changed);
		uint8_t *bytes = malloc(count);
		struct wire_problem problem = { .status = STATUS_OK };
		struct world_start *start = NULL;
		struct arena arena;

		(void)collide__v1__world_state__pack(&changed, bytes);
		arena_init(&arena, 1 << 20);
		assert_int_equal(world_start_bytes(&arena, bytes, count, &stage->scene_limits, NULL, "snapshot", &start, &problem),
		                 STATUS_INVALID_ARGUMENT);
		assert_string_equal(problem.field, fields[i]);
		assert_string_equal(problem.reason, "BAD_FIELD");
		arena_finish(&arena);
		free(bytes);
		collide__v1__world_state__free_unpacked(message, NULL);
	}
	twins_finish();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_handover),     cmocka_unit_test(test_history),       cmocka_unit_test(test_history_is_cut),
		cmocka_unit_test(test_restore),      cmocka_unit_test(test_damaged_bytes), cmocka_unit_test(test_damaged_commands),
		cmocka_unit_test(test_state_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
