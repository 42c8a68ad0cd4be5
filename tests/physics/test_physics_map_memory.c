/* What worlds in a map hold, and what happens without memory. support/blocks.h is this program's malloc. */
#include "physics/scenario.h"

#include "physics/scenes.h"
#include "physics/wall_map.h"

#include "support/blocks.h"

#include <stdlib.h>

#define WORLDS 8
#define CIRCLES 64
#define WALLS 500

static void
walls_make(struct scenario *scenario, size_t count)
{
	uint64_t random = 5;
	scenario_init(scenario);
	scenario_box(scenario, 0, 0, 100, 100);
	while (scenario->segment_count < count) {
		const double x = random_between(&random, 1, 97), y = random_between(&random, 1, 97);
		scenario_segment(scenario, x, y, x + random_between(&random, 0.5, 2), y + random_between(&random, -1, 2));
	}
}

static void
circles_make(struct scenario *scenario, uint64_t seed)
{
	scenario_init(scenario);
	for (int i = 0; i < CIRCLES; i++) {
		const double vx = random_between(&seed, -10, 10), vy = random_between(&seed, -10, 10);
		scenario_circle(scenario, 6 + 12 * (i % 8), 6 + 12 * (int)(i / 8), vx, vy, 0.5);
	}
}

static struct wall_map *
map_of(const struct scenario *walls)
{
	struct def_problem problem;
	struct wall_map *map = NULL;
	assert_int_equal(wall_map_create(walls->segments, walls->segment_count, &problem, &map), STATUS_OK);
	return map;
}

/* The promise: at most 30 KB a world, of 64 circles in 500 walls. */
static void
test_worlds_in_a_map_are_small(void **state)
{
	(void)state;
	struct scenario walls, rooms[WORLDS];
	struct world *worlds[WORLDS];
	struct workspace *workspace;
	struct def_problem problem;
	struct tick_report report;
	walls_make(&walls, WALLS);
	struct wall_map *map = map_of(&walls);
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	for (size_t i = 0; i < WORLDS; i++)
		circles_make(&rooms[i], i);
	/* The first world makes the cells, and grows the workspace. */
	struct world_def def = *scenario_def(&rooms[0]);
	def.map = map;
	struct world *first = NULL;
	assert_int_equal(world_create(&def, &problem, &first), STATUS_OK);
	world_workspace_set(first, workspace);
	for (int i = 0; i < 120; i++)
		assert_int_equal(world_step(first, 1.0 / 60, &report), STATUS_OK);
	const size_t of_map = wall_map_memory_bytes(map), before = blocks_bytes;
	size_t said = 0;
	for (size_t i = 0; i < WORLDS; i++) {
		def = *scenario_def(&rooms[i]);
		def.map = map;
		assert_int_equal(world_create(&def, &problem, &worlds[i]), STATUS_OK);
		world_workspace_set(worlds[i], workspace);
	}
	for (int tick = 0; tick < 60; tick++)
		for (size_t i = 0; i < WORLDS; i++)
			assert_int_equal(world_step(worlds[i], 1.0 / 60, &report), STATUS_OK);
	for (size_t i = 0; i < WORLDS; i++)
		said += world_memory_bytes(worlds[i]);
	const size_t held = blocks_bytes - before;
	if (held > (size_t)30000 * WORLDS || said > held + held / 20 || 10 * said < 9 * held)
		fail_msg("a world holds %zu, and says %zu", held / WORLDS, said / WORLDS);
	assert_int_equal(wall_map_memory_bytes(map), of_map);
	for (size_t i = 0; i < WORLDS; i++) {
		world_destroy(worlds[i]);
		scenario_finish(&rooms[i]);
	}
	world_destroy(first);
	workspace_destroy(workspace);
	wall_map_release(map);
	scenario_finish(&walls);
}

static void
test_a_map_says_what_it_holds(void **state)
{
	(void)state;
	struct scenario walls, room;
	struct def_problem problem;
	struct world *world = NULL;
	walls_make(&walls, WALLS);
	circles_make(&room, 3);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	struct wall_map *map = map_of(&walls);
	const size_t bare = blocks_bytes - bytes_before;
	assert_true(wall_map_memory_bytes(map) <= bare && 10 * wall_map_memory_bytes(map) >= 9 * bare);
	struct world_def def = *scenario_def(&room);
	def.map = map;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	world_destroy(world);
	/* With one set of cells. */
	const size_t held = blocks_bytes - bytes_before;
	assert_true(held > bare && wall_map_memory_bytes(map) <= held && 10 * wall_map_memory_bytes(map) >= 9 * held);
	wall_map_release(map);
	assert_int_equal(blocks_count, blocks_before);
	assert_int_equal(blocks_bytes, bytes_before);
	scenario_finish(&room);
	scenario_finish(&walls);
}

/* Only for want of memory. */
static bool
good(enum status status)
{
	if (status == STATUS_OK)
		return true;
	assert_int_equal(status, STATUS_RESOURCE_EXHAUSTED);
	assert_true(blocks_refused);
	return false;
}

static void
lives(const struct scenario *walls, const struct world_def *room, uint8_t *bytes, size_t size)
{
	struct def_problem problem;
	struct snapshot_problem damage;
	struct wall_map *map = NULL;
	struct world *world = NULL, *again = NULL;
	struct tick_report report;
	if (!good(wall_map_create(walls->segments, walls->segment_count, &problem, &map)))
		return;
	struct world_def def = *room;
	def.map = map;
	if (good(world_create(&def, &problem, &world))) {
		assert_int_equal(world_snapshot_in_map_bytes(world), size);
		assert_int_equal(world_snapshot_in_map(world, bytes, size), STATUS_OK);
		if (good(world_restore_in_map(map, bytes, size, 0, &damage, &again)))
			(void)good(world_step(again, 0.1, &report));
		const struct edit edit = edit_segment_remove(2);
		if (good(world_edit(world, &edit, 1, &problem)))
			(void)good(world_step(world, 0.1, &report));
	}
	world_destroy(world);
	world_destroy(again);
	/* A wall of its own. */
	struct segment_def own = walls->segments[0];
	own.id = 1000;
	def.segments = &own;
	def.segment_count = 1;
	world = NULL;
	if (good(world_create(&def, &problem, &world)))
		world_destroy(world);
	wall_map_release(map);
}

static void
test_no_memory(void **state)
{
	(void)state;
	static uint8_t bytes[1 << 16];
	struct scenario walls, room;
	struct def_problem problem;
	struct world *world = NULL;
	walls_make(&walls, 12);
	circles_make(&room, 3);
	struct world_def def = *scenario_def(&room);
	struct wall_map *map = map_of(&walls);
	def.map = map;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	const size_t size = world_snapshot_in_map_bytes(world);
	assert_true(size <= sizeof bytes);
	world_destroy(world);
	wall_map_release(map);
	const size_t blocks_before = blocks_count, bytes_before = blocks_bytes;
	size_t most = 0;
	for (blocks_refused = true; blocks_refused && most < 10000; most++) {
		blocks_refused = false;
		blocks_refuse_once = most % 2;
		blocks_room = most / 2;
		lives(&walls, &def, bytes, size);
		blocks_room = SIZE_MAX;
		assert_int_equal(blocks_count, blocks_before);
		assert_int_equal(blocks_bytes, bytes_before);
	}
	assert_true(most > 60 && most < 10000);
	scenario_finish(&room);
	scenario_finish(&walls);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worlds_in_a_map_are_small),
		cmocka_unit_test(test_a_map_says_what_it_holds),
		cmocka_unit_test(test_no_memory),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
