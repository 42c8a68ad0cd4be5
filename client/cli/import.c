/* `collide import`: a Doom map as a scene. One-sided and impassable lines become walls, each once; circles go to random places
 * that player 1 can reach without crossing a wall (doors and lifts count as open, teleporters as shut; see map_region.h for
 * how, and for why no circle can get out). */
#include "client/cli/commands.h"
#include "client/cli/gen.h"
#include "client/cli/map_region.h"
#include "client/cli/options.h"
#include "client/cli/packing.h"
#include "client/cli/random.h"
#include "client/cli/wad.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Different radii in one map. */
enum { RADII_MAX = 8 };
/* Draws per circle before the map counts as full. */
enum { DRAWS_MAX = 20000 };

struct import_options {
	const char *wad, *map, *output;
	uint64_t circles, seed;
	double radii[RADII_MAX];
	size_t radius_count;
	double speed;          /* length/s; NAN: by radii_per_tick */
	double radii_per_tick; /* NAN: by speed */
	double dt;
	double gap; /* in radii */
	double restitution;
};

static const struct option long_options[] = {
	{"map", required_argument, NULL, 'm'},     {"circles", required_argument, NULL, 'n'},
	{"seed", required_argument, NULL, 's'},    {"speed", required_argument, NULL, 'v'},
	{"radius", required_argument, NULL, 'r'},  {"radii-per-tick", required_argument, NULL, 'k'},
	{"dt", required_argument, NULL, 't'},      {"gap", required_argument, NULL, 'g'},
	{"restitution", required_argument, NULL, 'e'}, {"output", required_argument, NULL, 'o'},
	{"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
};

static void
help_print(FILE *out)
{
	(void)fputs("usage: collide import MAP.wad --map E1M1 [--circles N] [--seed S] [--speed V] [options] [-o FILE]\n"
	            "Writes the walls of a Doom map, and circles inside it, as a scene file (JSON) to FILE or stdout.\n"
	            "Debian's package freedoom has maps in /usr/share/games/doom/freedoom1.wad and freedoom2.wad.\n\n"
	            "  --map NAME          E1M1, MAP01, ...\n"
	            "  --circles N         how many (default 100)\n"
	            "  --seed S            of places and directions (default 1)\n"
	            "  --speed V           in map units per second (default 600; Doom's player runs at about 580)\n"
	            "  --radii-per-tick K  instead of --speed: K radii in each tick of --dt seconds (default 1/60)\n"
	            "  --radius R[,R...]   in map units (default 8; Doom's player has 16); several: drawn at random, with\n"
	            "                      masses in proportion to their areas\n"
	            "  --gap G             kept between all things at the start, in radii (default 0.01)\n"
	            "  --restitution E     of everything, 0 to 1 (default 1)\n"
	            "  -o, --output FILE\n",
	            out);
}

static bool
radii_set(const char *text, struct import_options *options)
{
	char copy[200];
	if (strlen(text) >= sizeof copy) {
		(void)fprintf(stderr, "collide import: --radius is too long\n");
		return false;
	}
	memcpy(copy, text, strlen(text) + 1);
	options->radius_count = 0;
	char *rest = NULL;
	for (char *one = strtok_r(copy, ",", &rest); one != NULL; one = strtok_r(NULL, ",", &rest)) {
		if (options->radius_count == RADII_MAX) {
			(void)fprintf(stderr, "collide import: --radius takes at most %d radii\n", RADII_MAX);
			return false;
		}
		if (!option_number("import", "--radius", one, 0.01, 1000, &options->radii[options->radius_count])) {
			return false;
		}
		options->radius_count++;
	}
	if (options->radius_count == 0) {
		(void)fprintf(stderr, "collide import: --radius must be a number or a list of numbers\n");
		return false;
	}
	return true;
}

static bool
option_set(int letter, const char *text, struct import_options *options)
{
	switch (letter) {
	case 'm': options->map = text; return true;
	case 'o': options->output = text; return true;
	case 'n': return option_integer("import", "--circles", text, 0, GEN_COUNT_MAX, &options->circles);
	case 's': return option_integer("import", "--seed", text, 0, UINT64_MAX, &options->seed);
	case 'v': return option_number("import", "--speed", text, 0, 1e9, &options->speed);
	case 'k': return option_number("import", "--radii-per-tick", text, 0, 1e6, &options->radii_per_tick);
	case 't': return option_number("import", "--dt", text, 1e-9, 1e3, &options->dt);
	case 'g': return option_number("import", "--gap", text, 1e-6, 100, &options->gap);
	case 'e': return option_number("import", "--restitution", text, 0, 1, &options->restitution);
	case 'r': return radii_set(text, options);
	default: return false;
	}
}

/* 0 go on, otherwise end with status - 1. */
static int
options_read(int argc, char **argv, struct import_options *options)
{
	optind = 1;
	for (int letter; (letter = getopt_long(argc, argv, "o:h", long_options, NULL)) != -1;) {
		if (letter == 'h') {
			help_print(stdout);
			return 1;
		}
		if (!option_set(letter, optarg, options)) {
			return 3;
		}
	}
	if (optind != argc - 1 || options->map == NULL) {
		(void)fprintf(stderr, "collide import: needs one WAD file and --map (collide import --help)\n");
		return 3;
	}
	if (!isnan(options->speed) && !isnan(options->radii_per_tick)) {
		(void)fprintf(stderr, "collide import: --speed and --radii-per-tick exclude each other\n");
		return 3;
	}
	options->wad = argv[optind];
	return 0;
}

struct sorted_wall {
	struct build_segment ends; /* the lower end first */
	size_t line;
};

static int
number_compare(double a, double b)
{
	return (a > b) - (a < b);
}

static int
wall_compare_ends(const struct build_segment *a, const struct build_segment *b)
{
	int order = number_compare(a->x1, b->x1);
	order = order != 0 ? order : number_compare(a->y1, b->y1);
	order = order != 0 ? order : number_compare(a->x2, b->x2);
	return order != 0 ? order : number_compare(a->y2, b->y2);
}

static int
wall_compare(const void *left, const void *right)
{
	const struct sorted_wall *a = left, *b = right;
	int order = wall_compare_ends(&a->ends, &b->ends);
	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

/* Adds the solid lines, each once whichever way it points, without those of no length. In the order of the map. */
static bool
walls_add(const struct wad_map *map, double restitution, struct scene_build *build)
{
	struct sorted_wall *walls = calloc(map->line_count, sizeof *walls);
	bool *wanted = calloc(map->line_count, sizeof *wanted);
	if (walls == NULL || wanted == NULL) {
		free(walls);
		free(wanted);
		return false;
	}
	size_t count = 0;
	for (size_t i = 0; i < map->line_count; i++) {
		const struct wad_line *line = &map->lines[i];
		if (!line->solid || (line->x1 == line->x2 && line->y1 == line->y2)) {
			continue;
		}
		bool turned = line->x2 < line->x1 || (line->x2 == line->x1 && line->y2 < line->y1);
		struct build_segment ends = {line->x1, line->y1, line->x2, line->y2, restitution};
		if (turned) {
			ends = (struct build_segment){line->x2, line->y2, line->x1, line->y1, restitution};
		}
		walls[count++] = (struct sorted_wall){.ends = ends, .line = i};
	}
	qsort(walls, count, sizeof *walls, wall_compare);
	for (size_t i = 0; i < count; i++) {
		wanted[walls[i].line] = i == 0 || wall_compare_ends(&walls[i].ends, &walls[i - 1].ends) != 0;
	}
	for (size_t i = 0; i < map->line_count; i++) {
		if (wanted[i]) {
			const struct wad_line *line = &map->lines[i];
			scene_build_segment(build, (struct build_segment){line->x1, line->y1, line->x2, line->y2, restitution});
		}
	}
	free(walls);
	free(wanted);
	return true;
}

static double
radius_least(const struct import_options *options)
{
	double least = options->radii[0];
	for (size_t i = 1; i < options->radius_count; i++) {
		least = fmin(least, options->radii[i]);
	}
	return least;
}

static double
radius_greatest(const struct import_options *options)
{
	double greatest = options->radii[0];
	for (size_t i = 1; i < options->radius_count; i++) {
		greatest = fmax(greatest, options->radii[i]);
	}
	return greatest;
}

/* Puts one circle somewhere free; false if no place is found. */
static bool
circle_place(const struct import_options *options, const struct map_region *region, struct packing *packing,
             struct random *random, struct scene_build *build)
{
	double radius = options->radii[random_below(random, options->radius_count)], gap = options->gap * radius;
	for (int draw = 0; draw < DRAWS_MAX; draw++) {
		double x, y;
		map_region_draw(region, random, &x, &y);
		x = round_position(x);
		y = round_position(y);
		/* Rounding may have moved it to the next cell. */
		if (!map_region_holds(region, x, y) || !packing_is_free(packing, x, y, radius, gap) ||
		    !scene_build_is_clear(build, x, y, radius + gap)) {
			continue;
		}
		packing_add(packing, x, y, radius);
		double speed = isnan(options->radii_per_tick) ? options->speed : options->radii_per_tick * radius / options->dt;
		double least = radius_least(options);
		struct build_circle circle = {
			.x = x, .y = y, .radius = radius, .mass = radius * radius / (least * least),
			.restitution = options->restitution,
		};
		random_direction(random, speed, &circle.vx, &circle.vy);
		circle.vx = round_speed(circle.vx);
		circle.vy = round_speed(circle.vy);
		scene_build_circle(build, circle);
		return true;
	}
	return false;
}

static bool
circles_add(const struct import_options *options, const struct map_region *region, struct scene_build *build)
{
	double x1 = HUGE_VAL, y1 = HUGE_VAL, x2 = -HUGE_VAL, y2 = -HUGE_VAL;
	for (size_t i = 0; i < build->segment_count; i++) {
		const struct build_segment *wall = &build->segments[i];
		x1 = fmin(x1, fmin(wall->x1, wall->x2));
		x2 = fmax(x2, fmax(wall->x1, wall->x2));
		y1 = fmin(y1, fmin(wall->y1, wall->y2));
		y2 = fmax(y2, fmax(wall->y1, wall->y2));
	}
	struct packing *packing = packing_create(x1, y1, x2, y2, radius_greatest(options), options->circles);
	if (packing == NULL) {
		(void)fprintf(stderr, "collide import: no memory\n");
		return false;
	}
	struct random random;
	random_init(&random, options->seed);
	uint64_t placed = 0;
	while (placed < options->circles && circle_place(options, region, packing, &random, build)) {
		placed++;
	}
	packing_destroy(packing);
	if (placed < options->circles) {
		(void)fprintf(stderr, "collide import: only %llu of %llu circles fit; try fewer, or a smaller radius\n",
		              (unsigned long long)placed, (unsigned long long)options->circles);
	}
	return placed == options->circles;
}

static bool
map_import(const struct import_options *options, const struct wad_map *map, struct scene_build *build)
{
	char error[240];
	if (!map->has_start) {
		(void)fprintf(stderr, "collide import: %s: the map has no start for player 1\n", options->map);
		return false;
	}
	if (!walls_add(map, options->restitution, build)) {
		(void)fprintf(stderr, "collide import: no memory\n");
		return false;
	}
	struct map_region *region = map_region_create(build->segments, build->segment_count, map->start_x, map->start_y,
	                                              radius_least(options), error, sizeof error);
	if (region == NULL) {
		(void)fprintf(stderr, "collide import: %s: %s\n", options->map, error);
		return false;
	}
	bool done = circles_add(options, region, build);
	if (done) {
		(void)fprintf(stderr, "%s: %zu walls of %zu lines, closed; %zu circles in %.0f square units\n", options->map,
		              build->segment_count, map->line_count, build->circle_count, map_region_area(region));
	}
	map_region_destroy(region);
	return done;
}

int
cmd_import(int argc, char **argv)
{
	struct import_options options = {
		.circles = 100, .seed = 1, .radii = {8}, .radius_count = 1, .speed = (double)NAN, .radii_per_tick = (double)NAN,
		.dt = 1.0 / 60, .gap = 0.01, .restitution = 1,
	};
	int end = options_read(argc, argv, &options);
	if (end != 0) {
		return end - 1;
	}
	if (isnan(options.speed)) {
		options.speed = 600;
	}
	struct wad_map map;
	char error[400];
	if (!wad_map_load(options.wad, options.map, &map, error, sizeof error)) {
		(void)fprintf(stderr, "collide import: %s\n", error);
		return 1;
	}
	struct scene_build build;
	scene_build_init(&build);
	bool done = map_import(&options, &map, &build) && option_scene_write("import", &build, options.output);
	scene_build_finish(&build);
	wad_map_finish(&map);
	return done ? 0 : 1;
}
