/* Memory of the engine, block by block: nothing is written beyond a block, all is freed with the world, and what a world says
 * it holds is what it holds. support/blocks.h is this program's malloc. */
#include "physics/scenario.h"

#include "physics/all_pairs.h"
#include "physics/keep.h"
#include "physics/mover.h"
#include "physics/partition/partition.h"
#include "physics/scenes.h"
#include "physics/space.h"
#include "physics/state/snapshot.h"

#include "support/blocks.h"
#include "support/effort.h"
#include "support/long_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double dt = 1.0 / 60;

static void
steps(struct world *world, int ticks)
{
	for (int i = 0; i < ticks; i++) {
		struct tick_report report;
		assert_int_equal(world_step(world, dt, &report), STATUS_OK);
	}
}

/* The world's state goes on in another world. */
static struct world *
restored(const struct world *world)
{
	const size_t size = world_snapshot_bytes(world);
	void *snapshot = malloc(size);
	struct snapshot_problem problem;
	struct world *other = NULL;
	assert_non_null(snapshot);
	assert_int_equal(world_snapshot(world, snapshot, size), STATUS_OK);
	assert_int_equal(world_restore(snapshot, size, 0, &problem, &other), STATUS_OK);
	free(snapshot);
	return other;
}

/* What a world says it holds is never more than that, and at least two thirds: not all small tables are in it. */
static void
says_what_it_holds(const struct world *world, size_t held)
{
	const size_t said = world_memory_bytes(world);
	if (said > held || 3 * said < 2 * held)
		fail_msg("said %zu, held %zu", said, held);
}

static void
is_all_freed(struct scenario *scenario, const struct workers *workers, unsigned events, int ticks)
{
	struct def_problem problem;
	struct world *world = NULL;
	const struct world_def *def = scenario_def(scenario);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	assert_int_equal(world_create(def, &problem, &world), STATUS_OK);
	world_workers_set(world, workers);
	assert_int_equal(world_events_set(world, events), STATUS_OK);
	steps(world, ticks);
	says_what_it_holds(world, blocks_bytes - bytes_before);
	struct world *other = restored(world);
	world_workers_set(other, workers);
	/* Once more changes nothing. */
	assert_int_equal(world_events_set(other, events), STATUS_OK);
	assert_int_equal(world_events_set(other, events), STATUS_OK);
	steps(world, ticks / 4);
	steps(other, ticks / 4);
	assert_true(world_hash(other) == world_hash(world));
	world_destroy(other);
	struct circle_def added = circle_def_default(), changed = world_circle(world, 0);
	added.id = 1000000;
	added.x = added.y = 500000;
	added.radius = 0.5;
	added.mass = 1;
	const struct edit edits[] = { edit_circle_spawn(&added), edit_circle_remove(world_body(world, 1).id),
		                          edit_circle_change(&changed, edit_field(DEF_CIRCLE_MASS)) };
	assert_int_equal(world_edit(world, edits, 3, &problem), STATUS_OK);
	steps(world, ticks / 4);
	world_destroy(world);
	assert_int_equal(blocks_count, blocks_before);
	assert_int_equal(blocks_bytes, bytes_before);
	scenario_finish(scenario);
}

static void
test_a_gas_in_domains(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas_mixed(&scenario, 600, 8, 20, 3);
	is_all_freed(&scenario, &workers_in_turn, WORLD_EVENTS_TOUCH, 20);
}

static void
test_a_few(void **state)
{
	(void)state;
	for (size_t count = 2; count <= 9; count++) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_mixed(&scenario, count, 8, 5);
		scenario.def.gravity_y = -10;
		is_all_freed(&scenario, NULL, WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS, 60);
	}
}

static void
test_a_pile_that_sleeps(void **state)
{
	(void)state;
	for (size_t count = 20; count <= 45; count += effort(25, 5)) {
		struct scenario scenario;
		scenario_init(&scenario);
		scene_pile(&scenario, count, 6, 0.5, 0.5, 3);
		scenario.def.sleep_after = 0.2;
		for (size_t i = 0; i < scenario.circle_count; i++)
			scenario.circles[i].rolling_resistance = 0.1;
		is_all_freed(&scenario, NULL, count % 2 ? WORLD_EVENTS_PERSIST : 0, 200);
	}
}

/* All of them detect: circles of each kind and segments. */
static void
test_sensors(void **state)
{
	(void)state;
	for (size_t kept = 0; kept <= 2; kept++) {
		struct scenario scenario;
		scenario_init(&scenario);
		for (int i = 0; i < 24; i++) {
			struct circle_def *circle = scenario_circle(&scenario, i % 6, (int)(i / 6), 1 + i % 3, i % 5 - 2, 0.3);
			circle->sensor = (size_t)i >= 2 * kept;
		}
		for (int i = 0; i < 5; i++)
			scenario_segment(&scenario, i, -3, i + 1, 5)->sensor = true;
		is_all_freed(&scenario, NULL, WORLD_EVENTS_TOUCH, 40);
	}
}

static void
asks(const struct space *space)
{
	const struct space_filter filter = space_filter_default();
	const struct space_cast cast = { .x = -1, .y = 3, .move_x = 60, .move_y = 1, .radius = 0.1 };
	const struct space_box box = { .x0 = 1, .y0 = 1, .x1 = 9, .y1 = 9 };
	const struct tolerance tolerance = { 0 };
	struct space_hits hits = { 0 };
	struct mover_path path = { 0 };
	const struct mover mover = { .x = 3, .y = 3, .radius = 0.4, .move_x = 9, .move_y = 5, .legs_max = 16 };
	assert_int_equal(space_cast(space, &cast, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(space_overlap_box(space, &box, &tolerance, &filter, SIZE_MAX, &hits), STATUS_OK);
	assert_int_equal(space_move(space, &mover, &filter, &path), STATUS_OK);
	assert_true(hits.count > 0 && path.leg_count > 0);
	space_hits_finish(&hits);
	mover_path_finish(&path);
}

static void
test_questions(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 90, 6, 3);
	const struct world_def *def = scenario_def(&scenario);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	const struct all_pairs_settings settings = { .duration = 1 };
	struct def_problem problem;
	struct space *space;
	struct all_pairs *all_pairs;
	assert_int_equal(space_create(def, &problem, &space), STATUS_OK);
	const size_t said = space_memory_bytes(space), held = blocks_bytes - bytes_before;
	if (said > held + held / 50 || held > said + said / 50)
		fail_msg("a space said %zu, held %zu", said, held);
	asks(space);
	space_destroy(space);
	assert_int_equal(blocks_count, blocks_before);
	assert_int_equal(all_pairs_create(def, &settings, &problem, &all_pairs), STATUS_OK);
	enum all_pairs_progress progress;
	do {
		struct all_pairs_row pair;
		progress = all_pairs_next(all_pairs, &pair);
	} while (progress == SURVEY_PAIR || progress == SURVEY_IDLE);
	assert_int_equal(progress, SURVEY_DONE);
	all_pairs_destroy(all_pairs);
	assert_int_equal(blocks_count, blocks_before);
	assert_int_equal(blocks_bytes, bytes_before);
	scenario_finish(&scenario);
}

/* Whether it is good, or says that there is no memory, and then only because there was none. */
static bool
good_or_no_memory(enum status status)
{
	const size_t left = blocks_room;
	blocks_room = SIZE_MAX;
	if (status != STATUS_OK) {
		assert_int_equal(status, STATUS_RESOURCE_EXHAUSTED);
		assert_true(blocks_refused);
	}
	blocks_room = left;
	return status == STATUS_OK;
}

/* Back over an edit and on again: to the state that was kept, or not at all. */
static void
returns_with(struct world *world, const struct world_kept *kept)
{
	const uint64_t hash = world_hash(world), tick = world_tick(world);
	struct tick_report report;
	if (good_or_no_memory(world_return(world, kept))) {
		assert_int_equal(world_tick(world), world_kept_tick(kept));
		(void)good_or_no_memory(world_step(world, dt, &report));
		return;
	}
	assert_int_equal(world_tick(world), tick);
	assert_true(world_hash(world) == hash);
}

/* What a tick says, by number: a report that lacks something is not whole. */
static uint64_t
said(const struct tick_report *report)
{
	const size_t counts[] = { report->contact_count, report->path_change_count, report->pair_event_count, report->path_count,
		                      report->shortfall_count };
	uint64_t sum = 0;
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
		sum = 1000003 * sum + counts[i];
	return sum;
}

/* A world's life with memory for so many blocks. What is refused is said, and does no harm. */
static void
lives_with(const struct world_def *def, const struct workers *workers, int ticks, uint64_t *hash)
{
	struct def_problem problem;
	struct world *world = NULL;
	if (!good_or_no_memory(world_create(def, &problem, &world)))
		return;
	world_workers_set(world, workers);
	bool good = good_or_no_memory(world_events_set(world, WORLD_EVENTS_PERSIST | WORLD_EVENTS_PATHS));
	struct world_kept *kept = NULL;
	uint64_t all = 0;
	good = good && good_or_no_memory(world_kept_create(&kept));
	for (int i = 0; good && i < ticks; i++) {
		struct tick_report report;
		if (i == 1)
			good = good_or_no_memory(world_keep(world, kept));
		good = good && good_or_no_memory(world_step(world, dt, &report));
		all = good ? 31 * all + said(&report) : 0;
		if (good && i == ticks / 2) {
			struct circle_def added = circle_def_default();
			added.id = 1000000;
			added.x = added.y = 50;
			added.radius = 0.5;
			added.mass = 1;
			const struct edit edits[] = { edit_circle_spawn(&added), edit_circle_remove(world_body(world, 1).id) };
			good = good_or_no_memory(world_edit(world, edits, 2, &problem));
		}
	}
	/* A world that was given all that it needs has the same future, and says the same. */
	if (good && *hash == 0)
		*hash = world_hash(world) + all;
	if (good) {
		assert_true(world_hash(world) + all == *hash);
		returns_with(world, kept);
	}
	world_kept_destroy(kept);
	world_destroy(world);
}

/* With no block, with one, with two and so on: `step` more each time, until there is enough. After the last either all that is
 * asked for is refused, or one block and then no more: what is short of it must say so by itself. In turns, or both. */
static void
does_without(struct scenario *scenario, const struct workers *workers, int ticks, size_t step)
{
	const size_t ways = effort(1, 2);
	const struct world_def *def = scenario_def(scenario);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	uint64_t hash = 0;
	lives_with(def, workers, ticks, &hash);
	assert_true(hash != 0);
	for (size_t turn = 0, most = 0; most < 100000; turn++, most = turn / ways * step) {
		blocks_room = most;
		blocks_refuse_once = turn % 2;
		blocks_refused = false;
		lives_with(def, workers, ticks, &hash);
		blocks_room = SIZE_MAX;
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
		if (!blocks_refused) {
			assert_true(most > 30);
			break;
		}
	}
	scenario_finish(scenario);
}

/* Sets of bodies are bits in words, and words are bits in words: sizes where a word more is needed. */
static void
test_many_bodies(void **state)
{
	(void)state;
	static const size_t sizes[] = { 63, 64, 65, 127, 128, 129, 4031, 4032, 4033, 4096, 4097, 8192, 8193, 8257, 8400 };
	for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
		const size_t blocks_before = blocks_count;
		struct scenario scenario;
		struct def_problem problem;
		struct world *world = NULL;
		scenario_init(&scenario);
		for (size_t i = 0; i < sizes[k]; i++)
			scenario_circle(&scenario, 3 * (double)(i % 100), 3 * (double)(i / 100), i % 2 ? 1 : -1, 0, 0.5);
		assert_int_equal(world_create(scenario_def(&scenario), &problem, &world), STATUS_OK);
		steps(world, 2);
		assert_true(world_body(world, sizes[k] - 1).x != scenario.circles[sizes[k] - 1].x);
		world_destroy(world);
		scenario_finish(&scenario);
		assert_int_equal(blocks_count, blocks_before);
	}
}

static void
test_no_memory_for_a_few(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_mixed(&scenario, 9, 8, 5);
	scenario.def.gravity_y = -10;
	scenario.circles[3].sensor = true;
	/* An end on a face. */
	scenario_segment(&scenario, -3, 20, 3, 20);
	scenario_segment(&scenario, 0, 20, 0, 22);
	scenario_segment(&scenario, 30, 20, 30, 22)->vx = 1;
	does_without(&scenario, NULL, 8, 1);
}

static void
test_no_memory_for_a_pile(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, 24, 6, 0.5, 0.5, 3);
	scenario.def.sleep_after = 0.2;
	does_without(&scenario, NULL, 60, effort(7, 1));
}

/* Fifteen that touch, and one that strikes them: many in one cluster. */
static void
test_no_memory_for_a_rack(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	for (int row = 0; row < 5; row++)
		for (int k = 0; k <= row; k++)
			scenario_circle(&scenario, row * 0.8660254037844387, k - 0.5 * row, 0, 0, 0.5)->friction = 0.25;
	scenario_circle(&scenario, -3, 0.125, 40, 0, 0.5)->friction = 0.25;
	scenario_box(&scenario, -5, -5, 8, 5);
	does_without(&scenario, NULL, 12, effort(5, 1));
}

static void
test_no_memory_for_domains(void **state)
{
	(void)state;
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas(&scenario, 300, 40, 3);
	does_without(&scenario, &workers_in_turn, 6, effort(11, 1));
}

/* A snapshot that is refused, or for which there is no memory, leaves nothing. */
static void
test_snapshots_that_are_refused(void **state)
{
	(void)state;
	struct scenario scenario;
	struct run run;
	scenario_init(&scenario);
	scene_pile(&scenario, 12, 3, 0.4, 0.5, 3);
	scenario.circles[3].rolling_resistance = 0.1;
	run_start(&run, &scenario);
	run_ticks_unlogged(&run, dt, 100);
	const size_t size = world_snapshot_bytes(run.world);
	uint8_t *snapshot = malloc(size), *changed = malloc(size);
	assert_true(snapshot && changed);
	assert_int_equal(world_snapshot(run.world, snapshot, size), STATUS_OK);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	size_t wrong = 0, most = 0;
	for (size_t at = 24; at < size - 8; at += effort(13, 2)) {
		struct snapshot_problem problem;
		struct world *world = NULL;
		memcpy(changed, snapshot, size);
		changed[at] ^= 0x5a;
		snapshot_number_put(changed + size - 8, 8, snapshot_checksum(changed, size - 8));
		const enum status status = world_restore(changed, size, 0, &problem, &world);
		wrong += status == STATUS_INVALID_ARGUMENT;
		if (status == STATUS_OK)
			world_destroy(world);
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
	}
	assert_true(wrong > 50);
	do {
		struct snapshot_problem problem;
		struct world *world = NULL;
		blocks_refused = false;
		blocks_refuse_once = most % 2;
		blocks_room = most++ / 2;
		if (good_or_no_memory(world_restore(snapshot, size, 0, &problem, &world)))
			world_destroy(world);
		blocks_room = SIZE_MAX;
		assert_int_equal(blocks_count, blocks_before);
	} while (blocks_refused);
	assert_true(most > 20);
	free(snapshot);
	free(changed);
	run_finish(&run);
	scenario_finish(&scenario);
}

/* Adds so many circles in rows beside the others. */
static void
crowd_add(struct world *world, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct circle_def added = circle_def_default();
		struct def_problem problem;
		added.id = 1000000 + i;
		added.x = 60 + 2 * (i % 20);
		added.y = 2 * (i / 20);
		added.radius = 0.5;
		added.mass = 1;
		const struct edit edit = edit_circle_spawn(&added);
		assert_int_equal(world_edit(world, &edit, 1, &problem), STATUS_OK);
	}
}

/* A tick in domains, then an edit for which the columns of the bodies move, then a tick that has memory for so many blocks.
 * Whatever is short of it, the tick before is over: nothing of it may be undone where the columns were. */
static void
edited_domains_with(const struct world_def *def, size_t most)
{
	struct def_problem problem;
	struct world *world = NULL, *plain = NULL;
	struct tick_report report;
	uint8_t *others[128];
	assert_int_equal(world_create(def, &problem, &world), STATUS_OK);
	assert_int_equal(world_create(def, &problem, &plain), STATUS_OK);
	world_workers_set(world, &workers_in_turn);
	steps(world, 3);
	steps(plain, 3);
	assert_true(partition_counts(world).ticks > 0);
	crowd_add(world, 4);
	crowd_add(plain, 4);
	for (size_t i = 0; i < 128; i++) {
		others[i] = malloc(4096);
		assert_non_null(others[i]);
		memset(others[i], 0xa5, 4096);
	}
	blocks_refused = false;
	blocks_refuse_once = true;
	blocks_room = most;
	const enum status status = world_step(world, dt, &report);
	blocks_room = SIZE_MAX;
	steps(plain, 1);
	if (status == STATUS_OK)
		assert_true(world_hash(world) == world_hash(plain));
	else
		assert_int_equal(status, STATUS_RESOURCE_EXHAUSTED);
	for (size_t i = 0; i < 128; i++) {
		for (size_t k = 0; k < 4096; k++)
			assert_int_equal(others[i][k], 0xa5);
		free(others[i]);
	}
	world_destroy(world);
	world_destroy(plain);
}

static void
test_no_memory_for_domains_after_an_edit(void **state)
{
	(void)state;
	struct scenario scenario;
	const size_t blocks_before = blocks_count;
	scenario_init(&scenario);
	scene_gas(&scenario, 300, 8, 3);
	const struct world_def *def = scenario_def(&scenario);
	for (size_t most = 0; most < 12; most++)
		edited_domains_with(def, most);
	scenario_finish(&scenario);
	assert_int_equal(blocks_count, blocks_before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_gas_in_domains),
		cmocka_unit_test(test_a_few),
		long_case(test_a_pile_that_sleeps),
		cmocka_unit_test(test_sensors),
		cmocka_unit_test(test_questions),
		cmocka_unit_test(test_many_bodies),
		cmocka_unit_test(test_no_memory_for_a_few),
		cmocka_unit_test(test_no_memory_for_a_pile),
		cmocka_unit_test(test_no_memory_for_a_rack),
		cmocka_unit_test(test_no_memory_for_domains),
		cmocka_unit_test(test_no_memory_for_domains_after_an_edit),
		cmocka_unit_test(test_snapshots_that_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
