/* A Doom map from the file's bytes, and circles in it. What was read is within the bounds of its format; a refusal names the
 * file. Circles that were placed are as many as were asked for, and clear of all solid lines. */
#include "fuzz/fuzz_target.h"

#include "base/check.h"
#include "client/cli/maps/import.h"
#include "client/cli/maps/wad.h"

#include <math.h>
#include <string.h>

/* A map of more lines, or a wider one, only costs time. */
enum { LINES_MAX = 60, CIRCLES = 3, EXTENT_MAX = 4000 };
static const double RADIUS = 100;

static bool
is_coordinate(double value)
{
	return value >= -32768 && value <= 32767 && value == floor(value);
}

static void
map_check(const struct wad_map *map)
{
	CHECK(map->line_count >= 1 && map->line_count <= WAD_LINES_MAX);
	for (size_t i = 0; i < map->line_count; i++) {
		const struct wad_line *line = &map->lines[i];
		CHECK(is_coordinate(line->x1) && is_coordinate(line->y1) && is_coordinate(line->x2) && is_coordinate(line->y2));
	}
	for (size_t i = 0; i < map->destination_count; i++)
		CHECK(is_coordinate(map->destinations[i].x) && is_coordinate(map->destinations[i].y));
	CHECK(!map->has_start || (is_coordinate(map->start_x) && is_coordinate(map->start_y)));
}

static bool
is_small(const struct wad_map *map)
{
	for (size_t i = 0; i < map->line_count; i++) {
		const struct wad_line *line = &map->lines[i];
		if (fmax(fmax(fabs(line->x1), fabs(line->y1)), fmax(fabs(line->x2), fabs(line->y2))) > EXTENT_MAX)
			return false;
	}
	return map->line_count <= LINES_MAX;
}

static double
distance(const struct wad_line *line, double x, double y)
{
	double dx = line->x2 - line->x1, dy = line->y2 - line->y1, length2 = dx * dx + dy * dy;
	double part = length2 > 0 ? ((x - line->x1) * dx + (y - line->y1) * dy) / length2 : 0;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return hypot(line->x1 + part * dx - x, line->y1 + part * dy - y);
}

static void
circles_check(const struct wad_map *map, const struct scene_build *build)
{
	CHECK(build->circle_count == CIRCLES && !build->failed);
	for (size_t i = 0; i < build->circle_count; i++) {
		const struct build_circle *circle = &build->circles[i];
		CHECK(circle->radius == RADIUS);
		/* Lines of no length are left out. */
		for (size_t k = 0; k < map->line_count; k++) {
			const struct wad_line *line = &map->lines[k];
			bool counts = line->solid && (line->x1 != line->x2 || line->y1 != line->y2);
			CHECK(!counts || distance(line, circle->x, circle->y) >= RADIUS);
		}
	}
}

static void
circles_place(const struct wad_map *map, uint64_t seed)
{
	const struct import_options options = { .circles = CIRCLES,
		                                    .seed = seed,
		                                    .radii = { RADIUS },
		                                    .radius_count = 1,
		                                    .speed = 1,
		                                    .radii_per_tick_least = NAN,
		                                    .radii_per_tick_most = NAN,
		                                    .dt = 0.1,
		                                    .restitution = 1,
		                                    .doors = seed % 2 == 0 };
	struct scene_build build;
	char error[400] = "";
	double area = 0;
	scene_build_init(&build);
	if (import_scene(&options, map, &build, &area, error, sizeof error))
		circles_check(map, &build);
	else
		CHECK(error[0] != '\0');
	scene_build_finish(&build);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	char error[600] = "";
	struct wad_map map;
	if (wad_map_parse("input", bytes, count, count % 7 == 0 ? NULL : "E1M1", &map, error, sizeof error)) {
		map_check(&map);
		if (is_small(&map))
			circles_place(&map, count);
		wad_map_finish(&map);
	} else {
		CHECK(strncmp(error, "input: ", 7) == 0 && strlen(error) > 7 && strlen(error) < sizeof error);
	}
	return 0;
}
