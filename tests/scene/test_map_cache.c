/* Maps of earlier scenes: which is found for which walls, what stays, what goes; and that a scene comes to the same with a
 * cache and without.
 */
#include "scene/map_cache.h"

#include "jobs/lock.h"
#include "scene/gas.h"
#include "scene/scene.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WALLS 40
#define SIDE 6

/* What the linker calls instead of wall_map_is_of: as if the hash of other walls were the same. */
static bool walls_differ;
bool __wrap_wall_map_is_of(const struct wall_map *map, const struct segment_def *segments, size_t count);
bool __real_wall_map_is_of(const struct wall_map *map, const struct segment_def *segments, size_t count);

bool
__wrap_wall_map_is_of(const struct wall_map *map, const struct segment_def *segments, size_t count)
{
	return !walls_differ && __real_wall_map_is_of(map, segments, count);
}

static struct map_cache *
cache_of(uint64_t bytes_max)
{
	struct map_cache *cache = map_cache_create(&(struct map_cache_options){ .bytes_max = bytes_max, .key = 99 });
	assert_non_null(cache);
	return cache;
}

/* Walls that differ from one number to the next. */
static void
walls_fill(struct segment_def walls[WALLS], double number)
{
	for (uint32_t i = 0; i < WALLS; i++) {
		walls[i] = segment_def_default();
		walls[i].id = 3 * i;
		walls[i].x1 = i;
		walls[i].x2 = i + 0.5;
		walls[i].y2 = number;
	}
}

static void
test_equal_walls_share_a_map(void **state)
{
	(void)state;
	struct segment_def walls[WALLS], same[WALLS];
	struct map_cache *cache = cache_of(1 << 20);
	walls_fill(walls, 1);
	walls_fill(same, 1);
	struct wall_map *first = map_cache_map(cache, walls, WALLS), *second = map_cache_map(cache, same, WALLS);
	assert_non_null(first);
	assert_true(first == second);
	/* Some of them are another map. */
	struct wall_map *fewer = map_cache_map(cache, walls, WALLS - 1);
	assert_true(fewer && fewer != first);
	const struct map_cache_stats stats = map_cache_stats(cache);
	assert_int_equal(stats.hits, 1);
	assert_int_equal(stats.misses, 2);
	assert_int_equal(stats.maps, 2);
	assert_int_equal(stats.evictions, 0);
	assert_true(stats.bytes >= wall_map_memory_bytes(first) + wall_map_memory_bytes(fewer));
	map_cache_destroy(cache);
	/* Each is held by its finder. */
	assert_int_equal(wall_map_segment_count(first), WALLS);
	wall_map_release(first);
	wall_map_release(second);
	wall_map_release(fewer);
	map_cache_destroy(NULL);
}

/* Each field of a wall counts, and every bit of it. */
static void
test_other_walls_are_others(void **state)
{
	(void)state;
	struct segment_def walls[WALLS];
	struct map_cache *cache = cache_of(64 << 20);
	walls_fill(walls, 1);
	struct wall_map *map = map_cache_map(cache, walls, WALLS);
	for (int field = 0; field < 17; field++) {
		walls_fill(walls, 1);
		struct segment_def *w = &walls[field];
		switch (field) {
		case 0: w->id++; break;
		case 1: w->x1 += 0x1p-40; break;
		case 2: w->y1 = 0x1p-1000; break;
		case 3: w->x2 += 0x1p-40; break;
		case 4: w->y2 += 0x1p-50; break;
		case 5: w->restitution = 0.5; break;
		case 6: w->friction = 0.5; break;
		case 7: w->rolling_resistance = 0.5; break;
		case 8: w->category = 2; break;
		case 9: w->mask = 2; break;
		case 10: w->surface_speed = 0.5; break;
		case 11: w->sensor = true; break;
		case 12: w->radius = 0.5; break;
		case 13: w->one_sided = true; break;
		case 14: w->filter_group = -1; break;
		case 15: w->y1 = -0.0; break;
		default: w->group = 1; break;
		}
		assert_false(wall_map_is_of(map, walls, WALLS));
		struct wall_map *other = map_cache_map(cache, walls, WALLS);
		if (!other || other == map || !wall_map_is_of(other, walls, WALLS))
			fail_msg("field %d", field);
		wall_map_release(other);
	}
	const struct map_cache_stats stats = map_cache_stats(cache);
	assert_int_equal(stats.hits, 0);
	assert_int_equal(stats.maps, 18);
	wall_map_release(map);
	map_cache_destroy(cache);
}

static void
test_what_is_no_map(void **state)
{
	(void)state;
	struct segment_def walls[WALLS];
	struct map_cache *cache = cache_of(1 << 20), *small = cache_of(20000);
	walls_fill(walls, 1);
	assert_null(map_cache_map(small, walls, WALLS));
	assert_null(map_cache_map(cache, walls, 0));
	walls[5].vx = 1;
	assert_null(map_cache_map(cache, walls, WALLS));
	walls_fill(walls, 1);
	walls[WALLS - 1].vy = -1;
	assert_null(map_cache_map(cache, walls, WALLS));
	walls_fill(walls, 1);
	walls[7].id = walls[6].id;
	assert_null(map_cache_map(cache, walls, WALLS));
	walls_fill(walls, 1);
	walls[7].friction = -1;
	assert_null(map_cache_map(cache, walls, WALLS));
	const struct map_cache_stats stats = map_cache_stats(cache);
	assert_int_equal(stats.maps, 0);
	assert_int_equal(stats.bytes, 0);
	map_cache_destroy(cache);
	map_cache_destroy(small);
}

/* Of 40 maps in turn those used last stay, and never more bytes than allowed. */
static void
test_the_oldest_goes_first(void **state)
{
	(void)state;
	enum { MAPS = 40 };
	struct segment_def walls[WALLS];
	const uint64_t bytes_max = 300000;
	struct map_cache *cache = cache_of(bytes_max);
	struct map_cache_stats stats;
	for (int i = 0; i < MAPS; i++) {
		walls_fill(walls, i);
		wall_map_release(map_cache_map(cache, walls, WALLS));
		/* The first is used all the time. */
		walls_fill(walls, 0);
		wall_map_release(map_cache_map(cache, walls, WALLS));
		stats = map_cache_stats(cache);
		assert_true(stats.bytes <= bytes_max);
	}
	assert_true(stats.evictions > 10 && stats.maps > 4 && stats.maps + stats.evictions == MAPS);
	assert_int_equal(stats.hits, MAPS);
	assert_int_equal(stats.misses, MAPS);
	/* The first and the last ones are still there. */
	for (uint64_t k = 0; k < stats.maps; k++) {
		walls_fill(walls, k == 0 ? 0 : (double)(MAPS - k));
		wall_map_release(map_cache_map(cache, walls, WALLS));
	}
	assert_int_equal(map_cache_stats(cache).hits, MAPS + stats.maps);
	map_cache_destroy(cache);
}

/* Worlds add sets of cells to a map; the cache sees that, and keeps to its bytes. */
static void
test_maps_that_grow(void **state)
{
	(void)state;
	struct segment_def walls[WALLS];
	const uint64_t bytes_max = 200000;
	struct map_cache *cache = cache_of(bytes_max);
	for (int i = 0; i < 7; i++) {
		walls_fill(walls, i);
		struct wall_map *map = map_cache_map(cache, walls, WALLS);
		for (int k = 0; k < 6; k++) {
			struct def_problem problem;
			struct world *world = NULL;
			struct circle_def circle = circle_def_default();
			circle.radius = 0.01 * (double)(1 << k);
			struct world_def def = world_def_default();
			def.map = map;
			def.circles = &circle;
			def.circle_count = 1;
			assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
			world_destroy(world);
		}
		wall_map_release(map);
		wall_map_release(map_cache_map(cache, walls, WALLS));
		assert_true(map_cache_stats(cache).bytes <= bytes_max);
	}
	assert_true(map_cache_stats(cache).evictions > 0);
	map_cache_destroy(cache);
}

/* Walls with the hash of others are a map of their own, and take the place of those. */
static void
test_equal_hashes(void **state)
{
	(void)state;
	struct segment_def walls[WALLS];
	struct map_cache *cache = cache_of(1 << 20);
	walls_fill(walls, 1);
	struct wall_map *first = map_cache_map(cache, walls, WALLS);
	walls_differ = true;
	struct wall_map *second = map_cache_map(cache, walls, WALLS);
	walls_differ = false;
	assert_true(first && second && first != second);
	struct wall_map *third = map_cache_map(cache, walls, WALLS);
	assert_true(third == second);
	assert_int_equal(map_cache_stats(cache).maps, 1);
	assert_int_equal(map_cache_stats(cache).misses, 2);
	wall_map_release(first);
	wall_map_release(second);
	wall_map_release(third);
	map_cache_destroy(cache);
}

/* A gas between 24 walls: its box, and pieces within. */
struct hall {
	struct gas gas;
	double x1[24], y1[24], x2[24], y2[24];
};

static void
hall_init(struct hall *hall)
{
	gas_init(&hall->gas, SIDE, 3);
	for (size_t i = 0; i < 24; i++) {
		const size_t k = i - 4;
		hall->x1[i] = i < 4 ? hall->gas.x1[i] : 2.5 * (double)(k % 5) + 2.3;
		hall->y1[i] = i < 4 ? hall->gas.y1[i] : 2.5 * (double)(k / 5) + 2.4;
		hall->x2[i] = i < 4 ? hall->gas.x2[i] : hall->x1[i] + 0.2;
		hall->y2[i] = i < 4 ? hall->gas.y2[i] : hall->y1[i] + 0.1;
	}
	hall->gas.segments.n_x1 = hall->gas.segments.n_y1 = hall->gas.segments.n_x2 = hall->gas.segments.n_y2 = 24;
	hall->gas.segments.x1 = hall->x1;
	hall->gas.segments.y1 = hall->y1;
	hall->gas.segments.x2 = hall->x2;
	hall->gas.segments.y2 = hall->y2;
}

static enum status
hall_world(struct hall *hall, const struct scene_limits *limits, struct map_cache *maps, struct world **out,
           struct wire_problem *problem)
{
	struct arena arena;
	arena_init(&arena, 1 << 20);
	const enum status status = scene_world_create_in(&arena, &hall->gas.scene, limits, maps, "scene", out, problem);
	arena_finish(&arena);
	return status;
}

static void
test_scenes_come_to_the_same(void **state)
{
	(void)state;
	const struct scene_limits limits = scene_limits_default();
	struct hall hall;
	struct wire_problem problem;
	struct world *alone = NULL, *shared[2] = { NULL };
	struct map_cache *cache = cache_of(1 << 20);
	hall_init(&hall);
	assert_int_equal(hall_world(&hall, &limits, NULL, &alone, &problem), STATUS_OK);
	assert_null(world_map(alone));
	for (int i = 0; i < 2; i++)
		assert_int_equal(hall_world(&hall, &limits, cache, &shared[i], &problem), STATUS_OK);
	assert_true(world_map(shared[0]) && world_map(shared[0]) == world_map(shared[1]));
	assert_int_equal(map_cache_stats(cache).hits, 1);
	/* What it is charged for is about what it is charged for alone. */
	const size_t charged = scene_world_bytes(shared[1]), own = scene_world_bytes(alone);
	assert_true(charged < own + own / 8 && own < charged + charged / 8);
	map_cache_destroy(cache);
	for (int tick = 0; tick < 50; tick++) {
		struct tick_report report;
		assert_int_equal(world_step(alone, 0.02, &report), STATUS_OK);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(world_step(shared[i], 0.02, &report), STATUS_OK);
			assert_true(world_hash(shared[i]) == world_hash(alone));
		}
	}
	world_destroy(alone);
	world_destroy(shared[0]);
	world_destroy(shared[1]);
	gas_finish(&hall.gas);
}

/* What is wrong with a scene is told in the same words, and a limit of memory counts the map. */
static void
test_problems_are_the_same(void **state)
{
	(void)state;
	struct hall hall;
	struct map_cache *cache = cache_of(1 << 20);
	hall_init(&hall);
	for (int wrong = 0; wrong < 5; wrong++) {
		struct wire_problem with = { 0 }, without = { 0 };
		struct world *world = NULL;
		struct scene_limits limits = scene_limits_default();
		double radius = 1, x2 = hall.x2[7], y2 = hall.y2[7];
		switch (wrong) {
		case 0: hall.gas.radius = -1; break;
		case 1: hall.x2[7] = hall.x1[7], hall.y2[7] = hall.y1[7]; break;
		case 2: hall.x2[7] = 1e13; break;
		case 3: hall.gas.radius = -1, hall.x2[7] = 1e13; break;
		default: limits.memory_bytes_max = 20000; break;
		}
		const enum status status = hall_world(&hall, &limits, NULL, &world, &without);
		assert_true(status != STATUS_OK);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(hall_world(&hall, &limits, cache, &world, &with), status);
			assert_string_equal(with.field, without.field);
			assert_string_equal(with.reason, without.reason);
			if (wrong < 4)
				assert_string_equal(with.text, without.text);
		}
		hall.gas.radius = radius;
		hall.x2[7] = x2, hall.y2[7] = y2;
	}
	map_cache_destroy(cache);
	gas_finish(&hall.gas);
}

struct hand {
	pthread_t thread;
	struct map_cache *cache;
	uint64_t random;
	bool good;
};

static void *
hand_run(void *argument)
{
	struct hand *hand = argument;
	struct segment_def walls[WALLS];
	hand->good = true;
	for (int i = 0; i < 400; i++) {
		walls_fill(walls, (double)random_below(&hand->random, 12));
		struct wall_map *map = map_cache_map(hand->cache, walls, WALLS);
		struct circle_def circle = circle_def_default();
		struct def_problem problem;
		struct tick_report report;
		struct world *world = NULL;
		circle.radius = 0.1;
		circle.x = 3;
		struct world_def def = world_def_default();
		def.map = map;
		def.circles = &circle;
		def.circle_count = 1;
		hand->good = hand->good && map && wall_map_is_of(map, walls, WALLS) &&
		             world_create(&def, &problem, &world) == STATUS_OK;
		wall_map_release(map);
		hand->good = hand->good && world_step(world, 0.1, &report) == STATUS_OK;
		world_destroy(world);
	}
	return NULL;
}

static void
test_threads(void **state)
{
	(void)state;
	struct hand hands[4];
	struct lock *lock = lock_create();
	assert_non_null(lock);
	struct map_cache *cache = map_cache_create(
		&(struct map_cache_options){ .bytes_max = 250000, .key = 5, .lock = lock_take, .unlock = lock_give, .context = lock });
	assert_non_null(cache);
	for (size_t i = 0; i < 4; i++) {
		hands[i] = (struct hand){ .cache = cache, .random = i };
		assert_int_equal(pthread_create(&hands[i].thread, NULL, hand_run, &hands[i]), 0);
	}
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(pthread_join(hands[i].thread, NULL), 0);
		assert_true(hands[i].good);
	}
	const struct map_cache_stats stats = map_cache_stats(cache);
	assert_int_equal(stats.hits + stats.misses, 1600);
	assert_true(stats.hits > 100 && stats.evictions > 10 && stats.bytes <= 250000);
	map_cache_destroy(cache);
	lock_destroy(lock);
	lock_destroy(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_walls_share_a_map),
		cmocka_unit_test(test_other_walls_are_others),
		cmocka_unit_test(test_what_is_no_map),
		cmocka_unit_test(test_the_oldest_goes_first),
		cmocka_unit_test(test_maps_that_grow),
		cmocka_unit_test(test_equal_hashes),
		cmocka_unit_test(test_scenes_come_to_the_same),
		cmocka_unit_test(test_problems_are_the_same),
		cmocka_unit_test(test_threads),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
