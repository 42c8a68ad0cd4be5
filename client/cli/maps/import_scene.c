/* From a map to a scene: walls, each once, and circles where there is room. */
#include "client/cli/maps/import.h"

#include "client/cli/maps/map_region.h"
#include "client/cli/scene/packing.h"
#include "client/cli/scene/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Draws per circle before the map counts as full. */
enum { DRAWS_MAX = 20000 };

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

/* Adds the solid lines in the order of the map, each once whatever its direction, without those of no length. */
static bool
walls_add(const struct wad_map *map, double restitution, struct scene_build *build)
{
	struct sorted_wall *walls = calloc(map->line_count, sizeof *walls);
	bool *wanted = calloc(map->line_count, sizeof *wanted);
	if (!walls || !wanted) {
		free(walls);
		free(wanted);
		return false;
	}
	size_t count = 0;
	for (size_t i = 0; i < map->line_count; i++) {
		const struct wad_line *line = &map->lines[i];
		if (!line->solid || (line->x1 == line->x2 && line->y1 == line->y2))
			continue;
		bool turned = line->x2 < line->x1 || (line->x2 == line->x1 && line->y2 < line->y1);
		struct build_segment ends = segment_between(line->x1, line->y1, line->x2, line->y2, restitution);
		if (turned)
			ends = segment_between(line->x2, line->y2, line->x1, line->y1, restitution);
		walls[count++] = (struct sorted_wall){ .ends = ends, .line = i };
	}
	qsort(walls, count, sizeof *walls, wall_compare);
	for (size_t i = 0; i < count; i++)
		wanted[walls[i].line] = i == 0 || wall_compare_ends(&walls[i].ends, &walls[i - 1].ends) != 0;
	for (size_t i = 0; i < map->line_count; i++) {
		if (wanted[i]) {
			const struct wad_line *line = &map->lines[i];
			scene_build_segment(build, segment_between(line->x1, line->y1, line->x2, line->y2, restitution));
		}
	}
	free(walls);
	free(wanted);
	return true;
}

/* Adds the faces of doors as sensors. A face that is a wall as well stays a wall alone. */
static void
doors_add(const struct wad_map *map, struct scene_build *build)
{
	for (size_t i = 0; i < map->line_count; i++) {
		const struct wad_line *line = &map->lines[i];
		if (line->door && !line->solid && (line->x1 != line->x2 || line->y1 != line->y2)) {
			struct build_segment door = segment_between(line->x1, line->y1, line->x2, line->y2, 1);
			door.sensor = true;
			scene_build_segment(build, door);
		}
	}
}

static double
radius_least(const struct import_options *options)
{
	double least = options->radii[0];
	for (size_t i = 1; i < options->radius_count; i++)
		least = fmin(least, options->radii[i]);
	return least;
}

static double
radius_greatest(const struct import_options *options)
{
	double greatest = options->radii[0];
	for (size_t i = 1; i < options->radius_count; i++)
		greatest = fmax(greatest, options->radii[i]);
	return greatest;
}

/* With a range of speeds each circle draws its own. Without one nothing is drawn. */
static double
speed_draw(const struct import_options *options, double radius, struct random *random)
{
	double least = options->radii_per_tick_least, most = options->radii_per_tick_most;
	if (isnan(least))
		return options->speed;
	return (least < most ? random_between(random, least, most) : least) * radius / options->dt;
}

/* Adds one circle at a free position; false if none is found. */
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
		    !scene_build_is_clear(build, x, y, radius + gap))
			continue;
		packing_add(packing, x, y, radius);
		double speed = speed_draw(options, radius, random);
		double least = radius_least(options);
		struct build_circle circle = {
			.x = x,
			.y = y,
			.radius = radius,
			.mass = radius * radius / (least * least),
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
circles_add(const struct import_options *options, const struct map_region *region, struct scene_build *build, char *error,
            size_t error_size)
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
	if (!packing) {
		snprintf(error, error_size, "no memory");
		return false;
	}
	struct random random;
	random_init(&random, options->seed);
	uint64_t placed = 0;
	while (placed < options->circles && circle_place(options, region, packing, &random, build))
		placed++;
	packing_destroy(packing);
	if (placed < options->circles)
		snprintf(error, error_size, "only %llu of %llu circles fit; try fewer, or a smaller radius", (unsigned long long)placed,
		         (unsigned long long)options->circles);
	return placed == options->circles;
}

/* The region that is reached from the start of player 1 and from the targets of teleporters. NULL with a text. */
static struct map_region *
region_make(const struct import_options *options, const struct wad_map *map, const struct scene_build *build, char *error,
            size_t error_size)
{
	struct map_region *region = map_region_create(build->segments, build->segment_count, map->start_x, map->start_y,
	                                              radius_least(options), error, error_size);
	for (size_t i = 0; i < map->destination_count && region; i++) {
		if (!map_region_add(region, map->destinations[i].x, map->destinations[i].y, error, error_size)) {
			map_region_destroy(region);
			region = NULL;
		}
	}
	return region;
}

bool
import_scene(const struct import_options *options, const struct wad_map *map, struct scene_build *build, double *area,
             char *error, size_t error_size)
{
	if (!map->has_start) {
		snprintf(error, error_size, "the map has no start for player 1");
		return false;
	}
	if (!walls_add(map, options->restitution, build)) {
		snprintf(error, error_size, "no memory");
		return false;
	}
	struct map_region *region = region_make(options, map, build, error, error_size);
	if (!region)
		return false;
	*area = map_region_area(region);
	bool done = circles_add(options, region, build, error, error_size);
	map_region_destroy(region);
	scene_build_friction(build, options->friction);
	build->gravity_x = options->gravity_x;
	build->gravity_y = options->gravity_y;
	if (options->doors)
		doors_add(map, build);
	return done;
}
