/* bench_scenes KIND NUMBER... FILE: writes a scene of the benchmark (scene_file.h). Kinds and their numbers: below. */
#include "bench/scenes_make.h"
#include "support/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MAX = 4 };

/* Circles to a room, radii per tick, rooms. Faster than a radius per tick they are bullets. */
static void
make_gas(struct scene *scene, const double *numbers)
{
	for (uint64_t seed = 1; seed <= (uint64_t)numbers[2]; seed++) {
		struct scenario scenario;
		scenario_init(&scenario);
		const double side = scene_gas(&scenario, (size_t)numbers[0], numbers[1] * 0.5 / dt, seed);
		world_take(scene, &scenario);
		scenario_finish(&scenario);
		bounds_set(scene, 0, 0, side, side);
	}
	scene->head.flags |= SCENE_ELASTIC | (numbers[1] > 1 ? SCENE_BULLETS : 0u);
}

/* A gas of several radii in a box from the origin. */
static void
gas_take(struct scene *scene, struct scenario *scenario, double radii_per_tick)
{
	world_take(scene, scenario);
	bounds_set(scene, 0, 0, scenario->segments[1].x2, scenario->segments[1].y2);
	scenario_finish(scenario);
	scene->head.flags |= SCENE_ELASTIC | (radii_per_tick > 1 ? SCENE_BULLETS : 0u);
}

/* Circles, radii per tick, largest radius by smallest. */
static void
make_mixed(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas_mixed(&scenario, (size_t)numbers[0], numbers[2], numbers[1] * 0.5 / dt, 1);
	gas_take(scene, &scenario, numbers[1]);
}

/* Circles, radii per tick, radius of the large ones by that of the others, how many are large. */
static void
make_sizes(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_gas_sizes(&scenario, (size_t)numbers[0], numbers[2], (size_t)numbers[3], numbers[1] * 0.5 / dt, 1);
	gas_take(scene, &scenario, numbers[1]);
}

/* Circles; 1: they may sleep. */
static void
make_pile(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, (size_t)numbers[0], 60, 0.5, 1, 1);
	world_take(scene, &scenario);
	bounds_set(scene, 0, 0, 60, scenario.segments[1].y1);
	scenario_finish(&scenario);
	scene->head.flags |= numbers[1] != 0 ? SCENE_SLEEP : 0u;
}

/* Circles, in a box eight of them wide. */
static void
make_heap(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_pile(&scenario, (size_t)numbers[0], 8, 0.5, 1, 1);
	world_take(scene, &scenario);
	bounds_set(scene, 0, 0, 8, scenario.segments[1].y1);
	scenario_finish(&scenario);
}

/* Circles that may sleep, and some that bounce for ever. */
static void
make_shelves(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_shelves(&scenario, (size_t)numbers[0], (size_t)numbers[1]);
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	scene->head.flags |= SCENE_SLEEP;
}

/* Units per second. */
static void
make_bullets(struct scene *scene, const double *numbers)
{
	struct scenario scenario;
	scenario_init(&scenario);
	scene_bullets(&scenario, numbers[0], 1);
	world_take(scene, &scenario);
	bounds_set(scene, 0, 0, 20, 20);
	scenario_finish(&scenario);
	scene->head.flags |= SCENE_ELASTIC | SCENE_BULLETS;
}

/* Pairs, units per second. They fly in lanes of their own, along x, and meet in the second or third tick. */
static void
make_pairs(struct scene *scene, const double *numbers)
{
	const double speed = numbers[1], radius = 0.05, lane = 0.5;
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	for (size_t i = 0; i < (size_t)numbers[0]; i++) {
		const double y = lane * ((double)i - numbers[0] / 2);
		const double middle = random_between(&seed, -1, 1), apart = random_between(&seed, 1.5, 2.5) * speed * dt + radius;
		scenario_circle(&scenario, middle - apart, y, speed, 0, radius);
		scenario_circle(&scenario, middle + apart, y, -speed, 0, radius);
	}
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	scene->head.flags |= SCENE_ELASTIC | SCENE_BULLETS | SCENE_PAIRS;
}

/* Circles. They are pulled towards a door of four widths in the wall between two rooms. */
static void
make_crowd(struct scene *scene, const double *numbers)
{
	const size_t count = (size_t)numbers[0], rows = (size_t)ceil(sqrt((double)count));
	const double pitch = 1.3, side = pitch * ((double)rows + 1), door = 4;
	uint64_t seed = 1;
	struct scenario scenario;
	scenario_init(&scenario);
	scenario_box(&scenario, 0, 0, 2 * side, side);
	scenario_segment(&scenario, side, 0, side, side / 2 - door / 2);
	scenario_segment(&scenario, side, side / 2 + door / 2, side, side);
	for (size_t i = 0; i < count; i++) {
		const double x = pitch * ((double)(i / rows) + 1) + random_between(&seed, -0.14, 0.14);
		const double y = pitch * ((double)(i % rows) + 1) + random_between(&seed, -0.14, 0.14);
		scenario_circle(&scenario, x, y, 0, 0, 0.5);
	}
	scenario.def.gravity_x = 5;
	for (size_t i = 0; i < scenario.circle_count; i++) {
		scenario.circles[i].restitution = 0.2;
		scenario.circles[i].friction = 0.2;
	}
	for (size_t i = 0; i < scenario.segment_count; i++) {
		scenario.segments[i].restitution = 0.2;
		scenario.segments[i].friction = 0.2;
	}
	world_take(scene, &scenario);
	scenario_finish(&scenario);
	bounds_set(scene, 0, 0, 2 * side, side);
}

static const struct kind {
	const char *name;
	int numbers;
	double most[NUMBERS_MAX]; /* of each number; the first is a count or a speed, 1 at least */
	void (*make)(struct scene *scene, const double *numbers);
	const char *usage;
} kinds[] = {
	{ "gas", 3, { 4e6, 100, 1e5 }, make_gas, "CIRCLES RADII_PER_TICK ROOMS" },
	{ "mixed", 3, { 1e6, 100, 1000 }, make_mixed, "CIRCLES RADII_PER_TICK RATIO" },
	{ "sizes", 4, { 1e6, 100, 1000, 1e6 }, make_sizes, "CIRCLES RADII_PER_TICK RATIO LARGE" },
	{ "pile", 2, { 1e6, 1 }, make_pile, "CIRCLES MAY_SLEEP" },
	{ "heap", 1, { 1e6 }, make_heap, "CIRCLES" },
	{ "shelves", 2, { 1e6, 1000 }, make_shelves, "CIRCLES BOUNCING" },
	{ "bullets", 1, { 1e6 }, make_bullets, "UNITS_PER_SECOND" },
	{ "pairs", 2, { 1e6, 1e6 }, make_pairs, "PAIRS UNITS_PER_SECOND" },
	{ "crowd", 1, { 1e6 }, make_crowd, "CIRCLES" },
	{ "uneven", 3, { 1e6, 1e6, 1e4 }, make_uneven, "DENSE SPREAD WIDTH" },
	{ "clusters", 3, { 1e6, 1e4, 1e4 }, make_clusters, "CIRCLES CLUSTERS WIDTH" },
	{ "forming", 3, { 1e6, 1e6, 1e4 }, make_forming, "CROWD SPREAD WIDTH" },
	{ "rooms", 3, { 1e4, 1e4, 1e5 }, make_rooms, "CIRCLES WALLS ROOMS" },
	{ "alike", 3, { 1e4, 1e4, 1e5 }, make_alike, "CIRCLES WALLS ROOMS" },
	{ "fight", 1, { 1e4 }, make_fight, "WIDTH" },
	{ "game", 3, { 1e4, 1e4, 1e4 }, make_game, "PLAYERS BULLETS WALLS" },
	{ "pegs", 2, { 1e6, 1e6 }, make_pegs, "BALLS PEGS" },
};

enum { KIND_COUNT = sizeof kinds / sizeof kinds[0] };

static int
usage(void)
{
	for (int i = 0; i < KIND_COUNT; i++)
		fprintf(stderr, "%s bench_scenes %s %s FILE\n", i == 0 ? "usage:" : "      ", kinds[i].name, kinds[i].usage);
	return 2;
}

static const struct kind *
kind_find(int argc, char **argv, double *numbers)
{
	for (int i = 0; argc > 2 && i < KIND_COUNT; i++) {
		const struct kind *kind = &kinds[i];
		if (strcmp(argv[1], kind->name) != 0 || argc != kind->numbers + 3)
			continue;
		for (int k = 0; k < kind->numbers; k++) {
			char *end;
			numbers[k] = strtod(argv[2 + k], &end);
			if (end == argv[2 + k] || *end || !(numbers[k] >= (k == 0 ? 1 : 0)) || numbers[k] > kind->most[k])
				return NULL;
		}
		return kind;
	}
	return NULL;
}

int
main(int argc, char **argv)
{
	double numbers[NUMBERS_MAX] = { 0 };
	const struct kind *kind = kind_find(argc, argv, numbers);
	if (!kind)
		return usage();
	struct scene scene = { .head = { .magic = SCENE_MAGIC, .version = SCENE_VERSION, .dt = dt } };
	const bool many = strcmp(kind->usage + strlen(kind->usage) - strlen("ROOMS"), "ROOMS") == 0;
	scene.worlds = calloc(many ? (size_t)numbers[2] + 1 : 1, sizeof *scene.worlds);
	assert_non_null(scene.worlds);
	kind->make(&scene, numbers);
	const char *problem;
	const bool good = scene_write(argv[argc - 1], &scene, &problem);
	if (!good)
		fprintf(stderr, "bench_scenes: %s %s\n", argv[argc - 1], problem);
	scene_finish(&scene);
	return !good;
}
