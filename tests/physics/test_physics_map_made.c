/* Maps: what is refused, the hash, snapshots in a map, and which worlds cannot be in one. */
#include "physics/followers.h"
#include "physics/scenario.h"
#include "physics/wall_map.h"

#include <stdlib.h>

static struct world *
world_of(const struct world_def *def)
{
	struct def_problem problem;
	struct world *world = NULL;
	assert_int_equal(world_create(def, &problem, &world), STATUS_OK);
	return world;
}

static struct wall_map *
map_of(const struct segment_def *segments, size_t count)
{
	struct def_problem problem;
	struct wall_map *map = NULL;
	assert_int_equal(wall_map_create(segments, count, &problem, &map), STATUS_OK);
	return map;
}

static uint64_t
hash_of(const struct segment_def *segments, size_t count)
{
	struct wall_map *map = map_of(segments, count);
	const uint64_t hash = wall_map_hash(map);
	assert_int_equal(wall_map_segment_count(map), count);
	wall_map_release(map);
	return hash;
}

static void
three_walls(struct segment_def walls[3])
{
	for (uint32_t i = 0; i < 3; i++) {
		walls[i] = segment_def_default();
		walls[i].id = 7 * i;
		walls[i].x2 = 1 + i;
		walls[i].y1 = i;
		walls[i].y2 = 2 * i;
	}
}

/* The hash does not depend on the order, and does on every field. Its value is that of every machine. */
static void
test_hash(void **state)
{
	(void)state;
	struct segment_def walls[3];
	three_walls(walls);
	const struct segment_def turned[3] = { walls[2], walls[0], walls[1] };
	const uint64_t hash = hash_of(walls, 3);
	assert_true(hash_of(turned, 3) == hash);
	assert_true(hash == UINT64_C(0xe7edeca4e6ecb16e));
	assert_true(hash_of(walls, 2) != hash);
	assert_true(hash_of(walls, 0) != hash_of(walls, 1));
	for (int field = 0; field < 17; field++) {
		three_walls(walls);
		struct segment_def *w = &walls[1];
		switch (field) {
		case 0: w->id++; break;
		case 1: w->x1 = 0.5; break;
		case 2: w->y1 = 0.5; break;
		case 3: w->x2 = 0.5; break;
		case 4: w->y2 = 0.5; break;
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
		case 15: w->disabled = true; break;
		default: w->group = 1; break;
		}
		if (hash_of(walls, 3) == hash)
			fail_msg("field %d is not in the hash", field);
	}
}

static void
map_is_refused(const struct segment_def *walls, size_t count, enum def_field field, size_t index)
{
	struct def_problem problem = { 0 };
	struct wall_map *map = NULL;
	assert_int_equal(wall_map_create(walls, count, &problem, &map), STATUS_INVALID_ARGUMENT);
	assert_null(map);
	assert_int_equal(problem.field, field);
	assert_int_equal(problem.index, index);
	assert_true(problem.text[0] != '\0');
}

static void
test_what_is_refused(void **state)
{
	(void)state;
	struct segment_def walls[3];
	struct def_problem problem;
	struct world *world = NULL;
	three_walls(walls);
	walls[2].vx = 1;
	map_is_refused(walls, 3, DEF_SEGMENT_VX, 2);
	walls[2].vx = 0;
	walls[1].vy = -1;
	map_is_refused(walls, 3, DEF_SEGMENT_VY, 1);
	three_walls(walls);
	walls[2].id = 0;
	map_is_refused(walls, 3, DEF_SEGMENT_ID, 2);
	walls[1].friction = -1;
	map_is_refused(walls, 3, DEF_SEGMENT_FRICTION, 1);
	three_walls(walls);
	struct wall_map *map = map_of(walls, 2);
	/* Own walls that have an id of the map's, or of each other. */
	struct segment_def own[3] = { walls[2], walls[2], walls[1] };
	own[1].id = 1;
	struct world_def def = world_def_default();
	def.map = map;
	def.segments = own;
	def.segment_count = 3;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_SEGMENT_ID);
	assert_int_equal(problem.index, 2);
	own[2].id = 1;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.index, 2);
	own[2].id = 2;
	own[1].restitution = 2;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_INVALID_ARGUMENT);
	assert_int_equal(problem.field, DEF_SEGMENT_RESTITUTION);
	assert_int_equal(problem.index, 1);
	own[1].restitution = 1;
	assert_int_equal(world_create(&def, &problem, &world), STATUS_OK);
	assert_int_equal(world_segment_count(world), 5);
	assert_null(world_map(world));
	world_destroy(world);
	wall_map_release(map);
	wall_map_release(NULL);
}

static void
restore_is_refused(struct wall_map *map, const uint8_t *bytes, size_t size, const char *field)
{
	struct snapshot_problem problem = { 0 };
	struct world *world = NULL;
	const enum status status = map ? world_restore_in_map(map, bytes, size, 0, &problem, &world)
	                               : world_restore(bytes, size, 0, &problem, &world);
	assert_int_equal(status, STATUS_INVALID_ARGUMENT);
	assert_null(world);
	assert_string_equal(problem.field, field);
}

static void
test_snapshots_in_a_map(void **state)
{
	(void)state;
	struct segment_def walls[3];
	struct snapshot_problem problem;
	struct def_problem edit_problem;
	three_walls(walls);
	struct wall_map *map = map_of(walls, 3), *same = map_of(walls, 3), *other = map_of(walls, 2);
	struct circle_def circle = circle_def_default();
	circle.radius = 0.1;
	circle.y = 9;
	struct world_def def = world_def_default();
	def.map = map;
	def.circles = &circle;
	def.circle_count = 1;
	struct world *world = world_of(&def), *again = NULL;
	const size_t size = world_snapshot_in_map_bytes(world), whole = world_snapshot_bytes(world);
	uint8_t *bytes = malloc(size), *full = malloc(whole);
	assert_true(size < whole);
	assert_int_equal(world_snapshot_in_map(world, bytes, size - 1), STATUS_INVALID_ARGUMENT);
	assert_int_equal(world_snapshot_in_map(world, bytes, size), STATUS_OK);
	assert_int_equal(world_snapshot(world, full, whole), STATUS_OK);
	/* A map with the same walls is as good. */
	assert_int_equal(world_restore_in_map(same, bytes, size, 0, &problem, &again), STATUS_OK);
	assert_true(world_map(again) == same && world_segment_count(again) == 3);
	world_destroy(again);
	restore_is_refused(other, bytes, size, "header.map");
	restore_is_refused(NULL, bytes, size, "header.magic");
	restore_is_refused(map, full, whole, "header.magic");
	restore_is_refused(map, bytes, size - 1, "header.size");
	restore_is_refused(map, bytes, 30, "header.size");
	restore_is_refused(map, bytes, 3, "header.magic");
	for (size_t at = 0; at < size; at++) {
		bytes[at] ^= 0x10;
		struct world *damaged = NULL;
		assert_int_equal(world_restore_in_map(map, bytes, size, 0, &problem, &damaged), STATUS_INVALID_ARGUMENT);
		bytes[at] ^= 0x10;
	}
	const struct edit edit = edit_segment_remove(7);
	assert_int_equal(world_edit(world, &edit, 1, &edit_problem), STATUS_OK);
	assert_null(world_map(world));
	assert_int_equal(world_snapshot_in_map(world, bytes, size), STATUS_FAILED_PRECONDITION);
	free(bytes);
	free(full);
	world_destroy(world);
	wall_map_release(map);
	wall_map_release(same);
	wall_map_release(other);
}

/* Joints depend on which walls are one-sided, so relations that make them so need walls of the world's own. */
static void
test_relations(void **state)
{
	(void)state;
	struct segment_def walls[3];
	three_walls(walls);
	walls[0].group = 3;
	struct wall_map *map = map_of(walls, 3);
	struct relation_def relation = relation_def_default();
	struct world_def def = world_def_default();
	def.map = map;
	def.relations = &relation;
	def.relation_count = 1;
	for (int i = 0; i < 3; i++) {
		relation.kind = i == 0 ? RELATION_KIND_NONE : RELATION_KIND_ONE_SIDED;
		relation.group_a = 5;
		relation.group_b = i == 1 ? 4 : 3;
		struct world *world = world_of(&def);
		assert_true(world_map(world) == (i < 2 ? map : NULL));
		assert_int_equal(world_segment_count(world), 3);
		world_destroy(world);
	}
	wall_map_release(map);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash),
		cmocka_unit_test(test_what_is_refused),
		cmocka_unit_test(test_snapshots_in_a_map),
		cmocka_unit_test(test_relations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
