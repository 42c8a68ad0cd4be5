/* A world with a tick that cannot be made: it stands, says why, refuses what is asked of it, and goes on from another state.
 * The end of a world: what waits is answered. Keys of large worlds come in parts. */
#include "support/long_case.h"
#include "worlds/one_command.h"

#include <stdlib.h>
#include <string.h>

static struct stage stage;
static struct stage_scene scene;

static struct answer
ask(enum post_kind kind)
{
	struct post *post = post_create(kind, 0);

	post->ask = ++stage.asks;
	post->step.ticks = kind == POST_STEP ? 1 : 0;
	live_world_post(stage.world, post);
	do
		stage_turn(&stage);
	while (stage.turn.next == TURN_SOON);
	assert_int_equal(stage.answer.ask, stage.asks);
	return stage.answer;
}

static void
test_failed_tick(void **state)
{
	struct wire_problem problem;
	struct arena arena;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 32);
	stage.policy.history_ticks = 10;
	stage_open(&stage, &scene);
	stage_step(&stage, 2);
	size_t count = stage_snapshot(&stage)->count;
	uint8_t *saved = malloc(count);
	memcpy(saved, stage.answer.snapshot->bytes, count);
	stage_finish(&stage);

	/* The engine may make fewer contacts than the scene needs. */
	stage_init(&stage);
	stage.scene_limits.contacts_per_tick_max = 1;
	stage.policy.history_ticks = 10;
	stage_open(&stage, &scene);
	one_begin(10);
	one_velocities();
	stage_send(&stage, 1, 1, 100000, &one.message); /* waits */
	uint64_t good_tick = 0, good_hash = 0;
	while (ask(POST_STEP).problem.status == STATUS_OK)
		good_tick = stage.answer.tick, good_hash = stage.answer.hash;
	assert_true(good_tick > 0);
	assert_string_equal(stage.stats.failed, "LIMIT");
	assert_string_equal(stage.answer.problem.reason, "WORLD_FAILED");
	assert_string_equal(stage_told(&stage, 1, 1)->reason, "WORLD_FAILED");
	stage_send(&stage, 1, 2, 0, &one.message);
	assert_string_equal(ask(POST_STEP).problem.reason, "WORLD_FAILED");
	assert_string_equal(stage_told(&stage, 1, 2)->reason, "WORLD_FAILED");
	/* Its last state is in its history. */
	assert_int_equal(ask(POST_SNAPSHOT).problem.status, STATUS_OK);
	assert_int_equal(stage.answer.tick, good_tick);
	assert_true(stage.answer.hash == good_hash);
	assert_string_equal(stage.stats.failed, "LIMIT");
	assert_int_equal(stage.turn.next, TURN_REST);

	/* Another state, and room for its contacts. */
	stage.scene_limits.contacts_per_tick_max = 1000;
	struct post *post = post_create(POST_RESTORE, 0);
	arena_init(&arena, 1 << 20);
	assert_int_equal(
		world_start_bytes(&arena, saved, count, &stage.scene_limits, NULL, "snapshot", &post->restore.start, &problem),
		STATUS_OK);
	arena_finish(&arena);
	post->ask = ++stage.asks;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.answer.problem.status, STATUS_OK);
	assert_null(stage.stats.failed);
	stage_send(&stage, 1, 3, 0, &one.message);
	stage_step(&stage, 40);
	assert_int_equal(stage.answer.tick, 42);
	assert_int_equal(stage_told(&stage, 1, 3)->tick, 3);
	free(saved);
	stage_finish(&stage);
}

/* Without a history nothing is left of it but its tick. */
static void
test_failed_without_history(void **state)
{
	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 32);
	stage.scene_limits.contacts_per_tick_max = 1;
	stage_open(&stage, &scene);
	while (ask(POST_STEP).problem.status == STATUS_OK)
		continue;
	assert_string_equal(stage.stats.failed, "LIMIT");
	assert_string_equal(ask(POST_SNAPSHOT).problem.reason, "WORLD_FAILED");
	stage_finish(&stage);
}

/* With no answer due: that the world has failed is told nevertheless, at once and one time. */
static void
test_failed_tick_is_told(void **state)
{
	size_t told = 0;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 32);
	stage.scene_limits.contacts_per_tick_max = 1;
	stage.policy.clock = WORLD_CLOCK_SERVER;
	stage_open(&stage, &scene);
	stage_turn(&stage);
	for (int i = 0; i < 500 && stage.turn.next == TURN_AT; i++) {
		stage.now_ns = stage.turn.due_ns;
		stage_turn(&stage);
	}
	assert_int_equal(stage.turn.next, TURN_REST);
	assert_true(stage.has_news);
	assert_string_equal(stage.stats.failed, "LIMIT");
	for (int i = 0; i < 3; i++) {
		stage_turn(&stage);
		told += stage.has_news;
	}
	assert_int_equal(told, 0);
	stage_finish(&stage);
}

static void
test_end(void **state)
{
	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 8);
	stage_open(&stage, &scene);
	one_begin(10);
	one_velocities();
	stage_send(&stage, 1, 1, 50, &one.message);
	stage_send(&stage, 2, 1, 0, &one.message);
	struct post *post = post_create(POST_STEP, 0);
	post->step.ticks = 1000000;
	post->ask = 5;
	live_world_post(stage.world, post);
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_SOON);
	live_world_post(stage.world, post_create(POST_END, 0));
	stage_turn(&stage);
	assert_int_equal(stage.turn.next, TURN_ENDED);
	assert_string_equal(stage.answer.problem.reason, "WORLD_GONE");
	assert_int_equal(stage.answer.ask, 5);
	assert_int_equal(stage_told(&stage, 2, 1)->tick, 1);
	assert_true(stage_told(&stage, 1, 1)->tick == 50 || strcmp(stage_told(&stage, 1, 1)->reason, "WORLD_GONE") == 0);
	stage_finish(&stage);
}

#define CROWD 40000

static size_t key_circles, key_bodies, key_parts, change_circles, removed_circles;

static void
on_update(struct stage *the, const struct update *update)
{
	(void)the;
	for (uint32_t i = update->row_count; i < update->row_count + update->state_count + update->key_count; i++) {
		Collide__V1__WorldUpdate *message = collide__v1__world_update__unpack(NULL, update->blocks[i]->count,
		                                                                      update->blocks[i]->bytes);
		bool last = i + 1 == update->row_count + update->state_count ||
		            i + 1 == update->row_count + update->state_count + update->key_count;

		assert_int_equal(message->frame->more, !last);
		if (message->key) {
			key_parts++;
			key_circles += message->key->scene->circle_columns->n_id;
			key_bodies += message->frame->bodies->n_id;
			/* The same circles in both. */
			assert_int_equal(message->key->scene->circle_columns->n_id, message->frame->bodies->n_id);
			assert_memory_equal(message->key->scene->circle_columns->id, message->frame->bodies->id,
			                    message->frame->bodies->n_id * sizeof(uint32_t));
			assert_int_equal(message->key->dt == 0, key_parts > 1); /* settings: in the first */
		} else if (message->changes) {
			change_circles += message->changes->circles ? message->changes->circles->n_id : 0;
			removed_circles += message->changes->n_removed_circles;
		}
		collide__v1__world_update__free_unpacked(message, NULL);
	}
}

static void
test_large_key(void **state)
{
	Collide__V1__Commands commands = COLLIDE__V1__COMMANDS__INIT;
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	uint32_t *ids = calloc(CROWD, sizeof *ids);
	double *x = calloc(CROWD, sizeof *x), *y = calloc(CROWD, sizeof *y), radius = 0.25;
	Collide__V1__BodyKind kind = COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC;

	(void)state;
	stage_init(&stage);
	scene_gas(&scene, 2);
	stage.on_update = on_update;
	stage_open(&stage, &scene);
	for (uint32_t i = 0; i < CROWD; i++)
		ids[i] = 100 + i, x[i] = 50 + i % 200, y[i] = 50.0 + i / 200;
	columns.n_id = columns.n_x = columns.n_y = CROWD, columns.id = ids, columns.x = x, columns.y = y;
	columns.n_radius = 1, columns.radius = &radius;
	columns.n_kind = 1, columns.kind = &kind;
	commands.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
	commands.spawn = &columns;
	struct post *post = post_create(POST_ENCODER, 0);
	post->encoder.wanted = true;
	post->encoder.options.every = 1;
	live_world_post(stage.world, post);
	live_world_post(stage.world, post_create(POST_KEY, 0));
	stage_send(&stage, 1, 1, 0, &commands);
	stage_step(&stage, 1);
	assert_int_equal(stage.effective[1], 1);
	assert_int_equal(key_parts, 3);
	assert_int_equal(key_circles, CROWD + 2);
	assert_int_equal(key_bodies, CROWD + 2);
	assert_int_equal(change_circles, CROWD);

	/* A reader of every millionth tick is told before, when so much has changed. */
	size_t told = change_circles;

	post = post_create(POST_ENCODER, 0);
	post->encoder.encoder = 1;
	post->encoder.wanted = true;
	post->encoder.options.every = 1000000;
	live_world_post(stage.world, post);
	post = post_create(POST_ENCODER, 0);
	live_world_post(stage.world, post); /* the other one is wanted no more */
	stage_step(&stage, 1);
	collide__v1__commands__init(&commands);
	commands.n_remove = CROWD, commands.remove = ids;
	stage_send(&stage, 1, 2, 0, &commands);
	stage_step(&stage, 1);
	assert_int_equal(removed_circles, 0);
	commands.n_remove = 0;
	columns.n_x = columns.n_y = CROWD;
	commands.optional_spawn_case = COLLIDE__V1__COMMANDS__OPTIONAL_SPAWN_SPAWN;
	commands.spawn = &columns;
	stage_send(&stage, 1, 3, 0, &commands);
	stage_step(&stage, 1);
	assert_int_equal(stage.effective[1], 3);
	assert_int_equal(change_circles, told + CROWD);
	free(ids);
	free(x);
	free(y);
	stage_finish(&stage);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_failed_tick),
		cmocka_unit_test(test_failed_without_history),
		cmocka_unit_test(test_failed_tick_is_told),
		cmocka_unit_test(test_end),
		long_case(test_large_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
