/* Worlds of one map on several threads: made, stepped, edited and destroyed at once, each with the bits that it has alone. For
 * ThreadSanitizer too. */
#include "physics/scenario.h"
#include "physics/scenes.h"
#include "physics/wall_map.h"

#include <pthread.h>

#define THREADS 4
#define WORLDS 12
#define TICKS 20

static void
room_make(struct scenario *scenario, size_t seed)
{
	uint64_t random = seed;
	scenario_init(scenario);
	for (uint32_t i = 0; i < 40; i++) {
		const double x = random_between(&random, 0, 4), y = random_between(&random, 0, 4);
		scenario_circle(scenario, 0.3 + (i % 8), 0.3 + (double)(i / 8), x, y, 0.02 * (double)(1 + seed % 12))->restitution =
			0.5;
	}
	scenario->def.gravity_y = seed % 2 ? -10 : 0;
}

/* The last part of its life is beside the map. */
static uint64_t
room_play(const struct world_def *def)
{
	struct def_problem problem;
	struct tick_report report;
	struct world *world = NULL;
	uint64_t sum = 0;
	const struct edit edit = edit_segment_remove(4);
	if (world_create(def, &problem, &world) != STATUS_OK)
		return 0;
	for (int i = 0; i < TICKS; i++) {
		if (i == TICKS - 5 && world_edit(world, &edit, 1, &problem) != STATUS_OK)
			break;
		if (world_step(world, 1.0 / 60, &report) != STATUS_OK)
			break;
		sum = sum * 31 + world_hash(world);
	}
	world_destroy(world);
	return sum;
}

static void
walls_make(struct scenario *walls)
{
	scenario_init(walls);
	scenario_box(walls, 0, 0, 9, 6);
	for (int i = 0; i < 30; i++)
		scenario_segment(walls, i % 6 + 0.6, i / 6 + 0.6, i % 6 + 0.9, i / 6 + 0.8);
	for (size_t i = 0; i < walls->segment_count; i++)
		walls->segments[i].friction = 0.3;
}

struct hand {
	pthread_t thread;
	struct wall_map *map;
	size_t index;
	uint64_t sums[WORLDS];
};

static void *
hand_run(void *argument)
{
	struct hand *hand = argument;
	struct scenario room;
	/* Each begins with another world. */
	for (size_t i = 0; i < WORLDS; i++) {
		const size_t seed = (i + hand->index) % WORLDS;
		room_make(&room, seed);
		struct world_def def = *scenario_def(&room);
		def.map = hand->map;
		hand->sums[seed] = room_play(&def);
		scenario_finish(&room);
	}
	wall_map_release(hand->map);
	return NULL;
}

static void
test_many_threads_in_one_map(void **state)
{
	(void)state;
	struct scenario walls, room;
	struct hand hands[THREADS];
	uint64_t alone[WORLDS];
	walls_make(&walls);
	for (size_t i = 0; i < WORLDS; i++) {
		room_make(&room, i);
		struct world_def def = *scenario_def(&room);
		def.segments = walls.segments;
		def.segment_count = walls.segment_count;
		alone[i] = room_play(&def);
		assert_true(alone[i] != 0);
		scenario_finish(&room);
	}
	for (int round = 0; round < 5; round++) {
		struct def_problem problem;
		struct wall_map *map = NULL;
		assert_int_equal(wall_map_create(walls.segments, walls.segment_count, &problem, &map), STATUS_OK);
		for (size_t i = 0; i < THREADS; i++) {
			hands[i].map = wall_map_hold(map);
			hands[i].index = round % 2 ? 0 : i;
			assert_int_equal(pthread_create(&hands[i].thread, NULL, hand_run, &hands[i]), 0);
		}
		wall_map_release(map);
		for (size_t i = 0; i < THREADS; i++)
			assert_int_equal(pthread_join(hands[i].thread, NULL), 0);
		for (size_t i = 0; i < THREADS; i++)
			for (size_t k = 0; k < WORLDS; k++)
				assert_true(hands[i].sums[k] == alone[k]);
	}
	scenario_finish(&walls);
}

int
main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_many_threads_in_one_map) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
