/* Random scenes in which the schedule and domains are to find everything. A world with both is beside its twin on one thread
 * that is predicted as a whole in every tick. They have what others leave out. Places and speeds are such that hits and changes
 * of cells come exactly at ends of ticks, and coordinates are far from the origin. There are edits of every kind, and worlds
 * that are restored, that lose their threads and get them, and that have a workspace. */
#include "physics/followers.h"
#include "physics/scenario.h"
#include "physics/world/world.h"
#include "support/effort.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static uint64_t scenes_asked;

struct scene {
	struct scenario scenario;
	uint64_t random;
	double side, x, y; /* of a square, and its lower left corner */
	double radius, speed, dt;
	bool exact; /* places and speeds are whole numbers of radii, and of halves, quarters... of a radius in a tick */
	bool falls;
	bool uneven;             /* the first ones are much larger than the rest */
	double times;            /* the next one is as large as others */
	uint32_t circles, walls; /* ids so far */
};

static double
pick(struct scene *scene, double low, double high)
{
	return random_between(&scene->random, low, high);
}

static bool
chance(struct scene *scene, double part)
{
	return pick(scene, 0, 1) < part;
}

/* Evenly in the logarithm. */
static double
pick_scale(struct scene *scene, double low, double high)
{
	return low * pow(high / low, pick(scene, 0, 1));
}

static double
place(struct scene *scene, double corner)
{
	const double radii = pick(scene, 1, scene->side / scene->radius - 1);
	return corner + scene->radius * (scene->exact ? 2 * floor(radii / 2) + 1 : radii);
}

static double
velocity(struct scene *scene)
{
	const double part = (double)random_below(&scene->random, 5) - 2;
	if (scene->exact)
		return part * scene->radius / scene->dt / (double)(1u << random_below(&scene->random, 6));
	return pick(scene, -scene->speed, scene->speed);
}

static double
pick_radius(struct scene *scene)
{
	const double radius = scene->times * scene->radius * (scene->exact ? 1 : pick(scene, 0.6, 1));
	return scene->uneven && chance(scene, 0.1) ? radius / 4 : radius;
}

static struct circle_def
circle_make(struct scene *scene)
{
	struct circle_def circle = circle_def_default();
	circle.x = place(scene, scene->x);
	circle.y = place(scene, scene->y);
	circle.vx = velocity(scene);
	circle.vy = velocity(scene);
	circle.radius = pick_radius(scene);
	circle.restitution = chance(scene, 0.8) ? 1 : 0.5;
	circle.gravity_scale = chance(scene, 0.95) ? 1 : 0.5;
	circle.mask = chance(scene, 0.9) ? 1 : 2;
	return circle;
}

static struct segment_def
wall_make(struct scene *scene)
{
	struct segment_def wall = segment_def_default();
	wall.x1 = place(scene, scene->x);
	wall.y1 = place(scene, scene->y);
	wall.x2 = wall.x1 + scene->radius * (1 + floor(pick(scene, 0, 6)));
	wall.y2 = wall.y1 + (chance(scene, 0.5) ? 0 : scene->radius * pick(scene, -3, 3));
	wall.radius = chance(scene, 0.2) ? scene->radius / 4 : 0;
	wall.one_sided = chance(scene, 0.2);
	wall.restitution = 1;
	return wall;
}

static bool
is_clear(const struct scenario *scenario, const struct circle_def *circle)
{
	for (size_t i = 0; i < scenario->circle_count; i++) {
		const struct circle_def *other = &scenario->circles[i];
		if (hypot(other->x - circle->x, other->y - circle->y) < other->radius + circle->radius)
			return false;
	}
	for (size_t i = 0; i < scenario->segment_count; i++)
		if (segment_distance(&scenario->segments[i], circle->x, circle->y) < circle->radius)
			return false;
	return true;
}

static void
scene_make(struct scene *scene, uint64_t seed, size_t most, bool uneven)
{
	*scene = (struct scene){ .random = seed, .radius = 0.5, .dt = 1.0 / 64, .uneven = uneven, .times = 1 };
	struct scenario *scenario = &scene->scenario;
	const size_t count = 20 + random_below(&scene->random, most);
	scenario_init(scenario);
	scene->exact = chance(scene, 0.4);
	scene->falls = chance(scene, 0.3);
	const size_t large = uneven ? 1 + count / 40 : 0;
	scene->side = 2 * ceil(sqrt((double)count / pick_scale(scene, uneven ? 0.1 : 0.005, uneven ? 0.5 : 0.3)) / 2);
	scene->speed = scene->radius / scene->dt / pick_scale(scene, 0.3, 40);
	if (chance(scene, 0.4)) {
		scene->x = floor(pick_scale(scene, 1, 1e8));
		scene->y = -floor(pick_scale(scene, 1, 1e8));
	}
	if (chance(scene, 0.8))
		scenario_box(scenario, scene->x, scene->y, scene->x + scene->side, scene->y + scene->side);
	for (uint64_t k = random_below(&scene->random, 8); k > 0; k--) {
		const struct segment_def wall = wall_make(scene);
		struct segment_def *own = scenario_segment(scenario, wall.x1, wall.y1, wall.x2, wall.y2);
		own->radius = wall.radius;
		own->one_sided = wall.one_sided;
	}
	for (size_t k = 0; k < count; k++) {
		scene->times = k < large ? 6 : 1;
		const struct circle_def circle = circle_make(scene);
		if (!is_clear(scenario, &circle))
			continue;
		struct circle_def *own = scenario_circle(scenario, 0, 0, 0, 0, 1);
		const uint32_t id = own->id;
		*own = circle;
		own->id = id;
	}
	for (size_t k = 0; k < scenario->segment_count; k++)
		scenario->segments[k].restitution = 1;
	scenario->def.gravity_y = scene->falls ? -scene->speed / scene->dt / 100 : 0;
	scene->circles = (uint32_t)scenario->circle_count;
	scene->walls = (uint32_t)scenario->segment_count;
}

/* Mostly other velocities, which leave the schedule as it is. */
static struct edit
edit_make(struct scene *scene)
{
	struct circle_def circle = circle_make(scene);
	struct segment_def wall = wall_make(scene);
	circle.id = (uint32_t)random_below(&scene->random, scene->circles);
	switch (random_below(&scene->random, 40)) {
	case 0: return edit_circle_change(&circle, edit_field(DEF_CIRCLE_X) | edit_field(DEF_CIRCLE_Y));
	case 1: return edit_circle_change(&circle, edit_field(DEF_CIRCLE_RADIUS) | edit_field(DEF_CIRCLE_MASK));
	case 2: return edit_circle_remove(circle.id);
	case 3: circle.id = scene->circles++; return edit_circle_spawn(&circle);
	case 4: wall.id = scene->walls++; return edit_segment_spawn(&wall);
	case 5: return edit_segment_remove((uint32_t)random_below(&scene->random, scene->walls + 1));
	case 6: return edit_circle_change(&circle, edit_field(DEF_CIRCLE_GRAVITY_SCALE));
	default: return edit_circle_change(&circle, edit_field(DEF_CIRCLE_VX) | edit_field(DEF_CIRCLE_VY));
	}
}

static struct world *
world_made(struct scene *scene)
{
	struct world *world;
	struct def_problem problem;
	assert_int_equal(world_create(scenario_def(&scene->scenario), &problem, &world), STATUS_OK);
	return world;
}

/* In place of a world, the one that its snapshot makes. */
static void
world_again(struct world **world)
{
	const struct snapshot snapshot = snapshot_take(*world);
	world_destroy(*world);
	*world = snapshot_restored(&snapshot);
	free(snapshot.bytes);
}

/* How many ticks of a scene were the schedule's. *levelled: adds those with levels of cells then. */
static uint64_t
scene_check(uint64_t seed, bool uneven, const struct workers *workers, uint64_t *levelled)
{
	struct scene scene;
	struct workspace *workspace;
	uint64_t ticks = 0;
	scene_make(&scene, seed, workers || uneven ? 400 : 100, uneven);
	struct world *world = world_made(&scene), *plain = world_made(&scene);
	const double edits = chance(&scene, 0.5) ? 0 : 0.3;
	const bool lent = chance(&scene, 0.3);
	assert_int_equal(workspace_create(&workspace), STATUS_OK);
	for (int tick = 0; tick < 100; tick++) {
		struct tick_report report, expected;
		struct def_problem problem;
		double duration = scene.dt;
		while (chance(&scene, edits)) {
			const struct edit edit = edit_make(&scene);
			const enum status status = world_edit(world, &edit, 1, &problem);
			assert_int_equal(world_edit(plain, &edit, 1, &problem), status);
		}
		if (chance(&scene, 0.01)) {
			ticks += world->schedule.ticks;
			world_again(&world);
		}
		if (chance(&scene, 0.02))
			duration *= pick(&scene, 0.1, 3);
		world_workspace_set(world, lent && tick > 5 ? workspace : NULL);
		world_workers_set(world, chance(&scene, 0.9) ? workers : NULL);
		plain->schedule.rest = 1;
		assert_int_equal(world_step(world, duration, &report), STATUS_OK);
		*levelled += schedule_is_for(&world->schedule, world->tick) && world->grid.level_count > 1;
		assert_int_equal(world_step(plain, duration, &expected), STATUS_OK);
		reports_same(&report, &expected);
		assert_true(world_hash(world) == world_hash(plain));
	}
	ticks += world->schedule.ticks;
	world_destroy(world);
	world_destroy(plain);
	workspace_destroy(workspace);
	scenario_finish(&scene.scenario);
	return ticks;
}

static void
test_random_scenes(void **state)
{
	(void)state;
	uint64_t ticks = 0, levelled = 0;
	for (uint64_t seed = 0; seed < scenes_asked; seed++)
		ticks += scene_check(seed, false, NULL, &levelled);
	assert_true(ticks > 30 * scenes_asked);
}

/* A few large ones among many: most of the scenes' cells have levels. */
static void
test_random_scenes_of_levels(void **state)
{
	(void)state;
	uint64_t ticks = 0, levelled = 0;
	for (uint64_t seed = 0; seed < scenes_asked; seed++)
		ticks += scene_check(2000000 + seed, true, NULL, &levelled);
	print_message("%llu ticks of the agenda, %llu with levels\n", (unsigned long long)ticks, (unsigned long long)levelled);
	assert_true(levelled > 30 * scenes_asked);
}

/* Of three hands in turn, domains of a few rows. */
static void
test_random_scenes_in_domains(void **state)
{
	(void)state;
	struct workers workers = workers_in_turn;
	uint64_t ticks = 0, levelled = 0;
	workers.bodies_min = 1;
	workers.rows_min = 8;
	for (uint64_t seed = 0; seed < scenes_asked / 3; seed++)
		ticks += scene_check(1000000 + seed, false, &workers, &levelled);
	assert_true(ticks > 10 * scenes_asked);
}

int
main(int argc, char **argv)
{
	scenes_asked = argc > 1 ? strtoull(argv[1], NULL, 10) : effort(8, 150);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_scenes),
		cmocka_unit_test(test_random_scenes_of_levels),
		cmocka_unit_test(test_random_scenes_in_domains),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
