/* Worlds in a map against worlds with the same walls of their own. Random schedules of ticks, edits, returns and restores: both
 * must say the same and have the same snapshots, byte for byte. argv[1]: schedules, argv[2]: the first one's seed.
 */
#include "physics/broadphase/grid_build.h"
#include "physics/followers.h"
#include "physics/keep.h"
#include "physics/scenes.h"
#include "physics/soup.h"
#include "physics/velocities.h"
#include "physics/wall_map.h"
#include "physics/world/world.h"

#include "support/effort.h"
#include "support/random.h"

#include <stdlib.h>
#include <string.h>

#define OPS 40
#define SLOTS 2

static uint64_t schedule_first = 1, schedule_count;
static uint64_t switched, left, shared, returned, restored, slept, led, told;

/* One world in a map, and its twin with the same walls of its own. */
struct pair {
	struct soup soup;
	struct world *own, *mapped;
	struct wall_map *map;
	struct world_kept *own_kept[SLOTS], *mapped_kept[SLOTS];
	bool kept[SLOTS];
	struct workspace *workspace;
	uint64_t random;
	bool over;
};

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

static bool
one_sided_relations(const struct world_def *def)
{
	for (size_t i = 0; i < def->relation_count; i++)
		if (def->relations[i].kind == RELATION_KIND_ONE_SIDED)
			return true;
	return false;
}

/* The same in the map, which has the first `common` walls. */
static struct world_def
mapped_def(const struct world_def *def, struct wall_map *map, size_t common)
{
	struct world_def mapped = *def;
	mapped.map = map;
	mapped.segments = def->segments + common;
	mapped.segment_count = def->segment_count - common;
	return mapped;
}

static void
states_same(const struct pair *p)
{
	const struct snapshot own = snapshot_take(p->own), mapped = snapshot_take(p->mapped);
	assert_int_equal(own.size, mapped.size);
	assert_memory_equal(own.bytes, mapped.bytes, own.size);
	free(own.bytes);
	free(mapped.bytes);
}

static bool
pair_begin(struct pair *p, uint64_t seed)
{
	struct def_problem problem;
	*p = (struct pair){ .random = seed * 131 + 7 };
	if (seed % 7 == 3) {
		p->soup = (struct soup){ .dt = 1.0 / 60 };
		scenario_init(&p->soup.scenario);
		scene_pile(&p->soup.scenario, 12 + seed % 20, 6, 0.5, 0.5, seed);
	} else {
		soup_make(&p->soup, seed, seed % 4 == 0);
	}
	struct scenario *scenario = &p->soup.scenario;
	for (size_t i = 0; i < scenario->segment_count; i++) {
		scenario->segments[i].vx = scenario->segments[i].vy = 0;
		scenario->segments[i].disabled = seed % 3 == 1 && i % 4 == 0;
	}
	if (seed % 3 == 0)
		scenario->def.events = WORLD_EVENTS_TOUCH | WORLD_EVENTS_PATHS;
	if (seed % 7 == 3 || seed % 5 == 0)
		scenario->def.sleep_after = 0.05;
	const struct world_def *def = scenario_def(scenario);
	if (world_create(def, &problem, &p->own) != STATUS_OK)
		return false;
	/* Now and then some walls are beside the map. */
	const size_t common = seed % 6 == 5 && def->segment_count > 0 ? def->segment_count - 1 : def->segment_count;
	p->map = map_of(def->segments, common);
	const struct world_def mapped = mapped_def(def, p->map, common);
	p->mapped = world_of(&mapped);
	assert_null(world_map(p->own));
	if (common == def->segment_count && !one_sided_relations(def))
		assert_true(world_map(p->mapped) == p->map);
	assert_int_equal(workspace_create(&p->workspace), STATUS_OK);
	for (size_t k = 0; k < SLOTS; k++) {
		assert_int_equal(world_kept_create(&p->own_kept[k]), STATUS_OK);
		assert_int_equal(world_kept_create(&p->mapped_kept[k]), STATUS_OK);
	}
	return true;
}

static void
pair_end(struct pair *p)
{
	world_destroy(p->own);
	world_destroy(p->mapped);
	wall_map_release(p->map);
	for (size_t k = 0; k < SLOTS; k++) {
		world_kept_destroy(p->own_kept[k]);
		world_kept_destroy(p->mapped_kept[k]);
	}
	workspace_destroy(p->workspace);
	soup_finish(&p->soup);
}

static void
op_step(struct pair *p)
{
	struct tick_report own, mapped;
	const enum status status = world_step(p->own, p->soup.dt, &own);
	assert_int_equal(world_step(p->mapped, p->soup.dt, &mapped), status);
	p->over = status != STATUS_OK;
	if (p->over)
		return;
	reports_same(&own, &mapped);
	slept += own.asleep > 0;
	told += own.pair_event_count;
	for (size_t i = 0; i < own.path_change_count; i++)
		led += own.path_changes[i].kind == PATH_LED;
}

static struct edit
circle_edit(struct pair *p)
{
	const size_t count = world_body_count(p->own);
	struct circle_def circle = circle_def_default();
	if (count > 0 && random_below(&p->random, 3)) {
		circle = world_circle(p->own, (size_t)random_below(&p->random, count));
		if (random_below(&p->random, 4) == 0)
			return edit_circle_remove(circle.id);
		circle.x = random_between(&p->random, -8, 8);
		circle.radius *= random_between(&p->random, 0.3, 3);
		return edit_circle_change(&circle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_RADIUS));
	}
	circle.id = 1000 + (uint32_t)random_below(&p->random, 100);
	circle.x = random_between(&p->random, -8, 8);
	circle.y = random_between(&p->random, -8, 8);
	circle.radius = random_between(&p->random, 0.05, 1);
	return edit_circle_spawn(&circle);
}

static struct edit
segment_edit(struct pair *p)
{
	const size_t count = world_segment_count(p->own);
	struct segment_def segment = segment_def_default();
	if (count > 0 && random_below(&p->random, 2)) {
		segment = world_segment(p->own, (size_t)random_below(&p->random, count));
		segment.friction = random_between(&p->random, 0, 1);
		return random_below(&p->random, 2) ? edit_segment_remove(segment.id)
		                                   : edit_segment_change(&segment, edit_field(DEF_SEGMENT_FRICTION));
	}
	segment.id = 500 + (uint32_t)random_below(&p->random, 100);
	segment.x1 = random_between(&p->random, -6, 6);
	segment.y1 = random_between(&p->random, -6, 6);
	segment.x2 = segment.x1 + random_between(&p->random, 1, 4);
	segment.y2 = segment.y1;
	segment.vy = random_below(&p->random, 2) ? 1 : 0;
	return edit_segment_spawn(&segment);
}

static void
op_edit(struct pair *p, bool walls)
{
	struct def_problem own_problem, mapped_problem;
	struct edit batch[3];
	const size_t count = 1 + (size_t)random_below(&p->random, 3);
	const bool was = world_map(p->mapped) != NULL;
	for (size_t i = 0; i < count; i++)
		batch[i] = walls && i == 0 ? segment_edit(p) : circle_edit(p);
	const enum status status = world_edit(p->own, batch, count, &own_problem);
	assert_int_equal(world_edit(p->mapped, batch, count, &mapped_problem), status);
	assert_int_equal(own_problem.field, mapped_problem.field);
	if (status == STATUS_OK && walls) {
		assert_null(world_map(p->mapped));
		left += was;
	} else {
		assert_true((world_map(p->mapped) != NULL) == was);
	}
}

static void
op_keep(struct pair *p)
{
	const size_t k = (size_t)random_below(&p->random, SLOTS);
	if (!p->kept[k] || random_below(&p->random, 3) == 0) {
		assert_int_equal(world_keep(p->own, p->own_kept[k]), STATUS_OK);
		assert_int_equal(world_keep(p->mapped, p->mapped_kept[k]), STATUS_OK);
		p->kept[k] = true;
		return;
	}
	const enum status status = world_return(p->own, p->own_kept[k]);
	assert_int_equal(world_return(p->mapped, p->mapped_kept[k]), status);
	returned += status == STATUS_OK;
}

/* The world in the map goes on in one that is restored: in the map or, now and then, without it. */
static void
op_restore(struct pair *p)
{
	const size_t size = world_snapshot_in_map_bytes(p->mapped);
	uint8_t *bytes = malloc(size + 1);
	struct snapshot_problem problem;
	struct world *next = NULL;
	const enum status status = world_snapshot_in_map(p->mapped, bytes, size);
	if (!world_map(p->mapped)) {
		assert_int_equal(status, STATUS_FAILED_PRECONDITION);
	} else {
		assert_int_equal(status, STATUS_OK);
		assert_int_equal(world_restore_in_map(p->map, bytes, size, 0, &problem, &next), STATUS_OK);
		assert_true(world_map(next) == p->map);
	}
	if (!next || random_below(&p->random, 5) == 0) {
		const struct snapshot whole = snapshot_take(p->mapped);
		world_destroy(next);
		next = snapshot_restored(&whole);
		assert_null(world_map(next));
		free(whole.bytes);
	}
	free(bytes);
	world_destroy(p->mapped);
	p->mapped = next;
	for (size_t k = 0; k < SLOTS; k++)
		p->kept[k] = false;
	restored++;
}

static void
process_vary(struct pair *p)
{
	switch (random_below(&p->random, 8)) {
	case 0: world_workers_set(p->mapped, &workers_in_turn); break;
	case 1: world_workers_set(p->mapped, NULL); break;
	case 2: world_workspace_set(p->mapped, p->workspace); break;
	case 3: world_workspace_set(p->mapped, NULL); break;
	default: break;
	}
}

static void
op_velocities(struct pair *p)
{
	struct def_problem problem;
	const double vx = random_between(&p->random, -5, 5), vy = random_between(&p->random, -5, 5);
	const size_t count = world_body_count(p->own);
	for (size_t i = 0; i < count; i += 3) {
		const struct body_state body = world_body(p->own, i);
		if (body.kind == BODY_STATIC)
			continue;
		assert_int_equal(world_velocities_set(p->own, &body.id, &vx, &vy, 1, &problem), STATUS_OK);
		assert_int_equal(world_velocities_set(p->mapped, &body.id, &vx, &vy, 1, &problem), STATUS_OK);
	}
}

/* A wall is switched. The world in the map has bits of its own, unless no circle could touch an end there. */
static void
op_switch(struct pair *p)
{
	const size_t count = world_segment_count(p->own);
	if (count == 0)
		return;
	const bool was = world_map(p->mapped) != NULL;
	const struct segment_def segment = world_segment(p->own, (size_t)random_below(&p->random, count));
	const enum status status = world_segment_enable(p->own, segment.id, segment.disabled);
	assert_int_equal(world_segment_enable(p->mapped, segment.id, segment.disabled), status);
	switched += was && world_map(p->mapped);
	left += was && !world_map(p->mapped);
}

static void
pair_go(struct pair *p)
{
	process_vary(p);
	if (random_below(&p->random, 12) == 0)
		op_switch(p);
	switch (random_below(&p->random, 16)) {
	case 0:
	case 1: op_edit(p, false); break;
	case 2: op_edit(p, random_below(&p->random, 3) == 0); break;
	case 3:
	case 4: op_keep(p); break;
	case 5: op_restore(p); break;
	case 6: op_velocities(p); break;
	default: op_step(p);
	}
	shared += world_map(p->mapped) != NULL;
}

static void
test_random_schedules(void **state)
{
	(void)state;
	for (uint64_t seed = schedule_first; seed < schedule_first + schedule_count; seed++) {
		struct pair pair;
		if (!pair_begin(&pair, seed)) {
			soup_finish(&pair.soup);
			continue;
		}
		states_same(&pair);
		for (int i = 0; i < OPS && !pair.over; i++) {
			pair_go(&pair);
			if (!pair.over)
				states_same(&pair);
		}
		pair_end(&pair);
	}
	print_message("%llu operations in a map, %llu worlds left it, %llu returns, %llu restores, ticks with sleepers %llu, pair "
	              "events %llu, substeps led %llu\n",
	              (unsigned long long)shared, (unsigned long long)left, (unsigned long long)returned,
	              (unsigned long long)restored, (unsigned long long)slept, (unsigned long long)told, (unsigned long long)led);
	assert_true(schedule_count < 100 || (left && switched && returned && restored && slept && told && led));
}

/* A square with a wall inside, circles of a radius each of its own: more kinds of worlds than a map has sets of cells. */
static void
room_fill(struct scenario *scenario, size_t count, double radius, uint64_t seed)
{
	scenario_box(scenario, 0, 0, 40, 40);
	scenario_segment(scenario, 10, 20, 30, 20);
	for (size_t i = 0; i < count; i++) {
		const double x = 2 + 4 * (double)(i % 8), y = 2 + 4 * (double)(i / 8);
		if (y < 19 || y > 21)
			scenario_circle(scenario, x, y, random_between(&seed, -90, 90), random_between(&seed, -90, 90), radius);
	}
}

static void
test_worlds_of_all_sizes_in_one_map(void **state)
{
	(void)state;
	enum { WORLDS = 24 };
	struct scenario rooms[WORLDS];
	struct world *own[WORLDS], *mapped[WORLDS];
	struct wall_map *map = NULL;
	for (size_t i = 0; i < WORLDS; i++) {
		scenario_init(&rooms[i]);
		room_fill(&rooms[i], 4 + 2 * i, i % 3 == 2 ? 1.5 : 0.01 * (double)(i * i / 4 + 1), i);
		if (i % 3 == 2)
			rooms[i].circles[0].radius = 0.02;
		const struct world_def *def = scenario_def(&rooms[i]);
		if (!map)
			map = map_of(def->segments, def->segment_count);
		const struct world_def in_map = mapped_def(def, map, def->segment_count);
		own[i] = world_of(def);
		mapped[i] = world_of(&in_map);
		assert_true(world_memory_bytes(mapped[i]) < world_memory_bytes(own[i]));
	}
	for (int tick = 0; tick < 12; tick++)
		for (size_t i = 0; i < WORLDS; i++) {
			struct tick_report a, b;
			assert_int_equal(world_step(own[i], 0.1, &a), STATUS_OK);
			assert_int_equal(world_step(mapped[i], 0.1, &b), STATUS_OK);
			reports_same(&a, &b);
			assert_true(world_hash(own[i]) == world_hash(mapped[i]));
		}
	/* The worlds hold it. */
	wall_map_release(map);
	for (size_t i = 0; i < WORLDS; i++) {
		struct tick_report report;
		world_destroy(own[i]);
		assert_int_equal(world_step(mapped[i], 0.1, &report), STATUS_OK);
		world_destroy(mapped[i]);
		scenario_finish(&rooms[i]);
	}
}

/* Circles that are, or come, where no walls are. */
static void
test_outside_of_the_map(void **state)
{
	(void)state;
	struct scenario scenario;
	struct tick_report a, b;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, 10, 10);
	for (int i = 0; i < 60; i++)
		scenario_circle(&scenario, 100 + 2 * (i % 10), 50 + 2 * (int)(i / 10), i % 7 - 3, 3 - i % 5, 0.4);
	for (int i = 0; i < 9; i++)
		scenario_circle(&scenario, 1 + 3 * (i % 3), 1 + 3 * (int)(i / 3), 500 * (i - 4), 300, 0.4);
	const struct world_def *def = scenario_def(&scenario);
	struct wall_map *map = map_of(def->segments, def->segment_count);
	const struct world_def in_map = mapped_def(def, map, def->segment_count);
	struct world *own = world_of(def), *mapped = world_of(&in_map);
	assert_true(world_map(mapped) == map);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(world_step(own, 0.02, &a), STATUS_OK);
		assert_int_equal(world_step(mapped, 0.02, &b), STATUS_OK);
		reports_same(&a, &b);
	}
	assert_true(world_hash(own) == world_hash(mapped));
	world_destroy(own);
	world_destroy(mapped);
	wall_map_release(map);
	scenario_finish(&scenario);
}

/* A world that can no longer have the map's cells lists its walls in memory of its own: others read the map's. */
static void
test_lists_of_its_own_after_borrowed_ones(void **state)
{
	(void)state;
	struct scenario rooms[2];
	struct world *worlds[2];
	for (size_t i = 0; i < 2; i++) {
		scenario_init(&rooms[i]);
		room_fill(&rooms[i], 40, i == 0 ? 0.3 : 0.9, i);
		worlds[i] = world_of(scenario_def(&rooms[i]));
	}
	const struct grid_walls lent = worlds[0]->grid.still;
	const size_t size = (worlds[0]->grid.cell_count + 1) * sizeof *lent.segment_starts;
	uint32_t *starts = malloc(size);
	assert_non_null(starts);
	memcpy(starts, lent.segment_starts, size);
	grid_borrow_walls(&worlds[1]->grid, &worlds[0]->grid.still);
	assert_true(grid_build(&worlds[1]->grid, worlds[1]));
	assert_false(worlds[1]->grid.still.borrowed);
	assert_true(worlds[1]->grid.still.segment_starts != lent.segment_starts);
	assert_true(worlds[1]->grid.still.segment_items != lent.segment_items && worlds[1]->grid.still.boxes != lent.boxes);
	assert_memory_equal(starts, lent.segment_starts, size);
	free(starts);
	for (size_t i = 0; i < 2; i++) {
		world_destroy(worlds[i]);
		scenario_finish(&rooms[i]);
	}
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_worlds_of_all_sizes_in_one_map),
		cmocka_unit_test(test_outside_of_the_map),
		cmocka_unit_test(test_lists_of_its_own_after_borrowed_ones),
		cmocka_unit_test(test_random_schedules),
	};
	schedule_count = argc > 1 ? strtoull(argv[1], NULL, 10) : effort_most(12, 400, 1000);
	if (argc > 2)
		schedule_first = strtoull(argv[2], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
