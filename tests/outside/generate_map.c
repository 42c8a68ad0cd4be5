/* Pieces of Doom's maps of Freedoom: the lines around a point of a map, with balls between them. Read here, from the WAD's
 * lumps LINEDEFS and VERTEXES, as documented in the Unofficial Doom Specs; 32 map units are a length unit. Where the files are
 * not installed the family is one of chains. */
#include "outside/generate.h"

#include "support/freedoom.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS 32.0
#define TURN 6.283185307179586
#define WAD_MAPS_MAX 128
#define LUMPS_MAX 65536u

struct map {
	const unsigned char *lines, *vertexes;
	size_t line_count, vertex_count;
};

struct wad {
	unsigned char *bytes;
	size_t size;
	struct map maps[WAD_MAPS_MAX];
	size_t map_count;
};

static uint32_t
number(const unsigned char *at, unsigned bytes)
{
	uint32_t value = 0;

	for (unsigned i = bytes; i-- > 0;)
		value = value << 8 | at[i];
	return value;
}

static double
coordinate(const unsigned char *at)
{
	return (int16_t)number(at, 2) / UNITS;
}

/* The lumps of a map follow its name: THINGS, LINEDEFS, SIDEDEFS, VERTEXES. */
static void
maps_find(struct wad *wad)
{
	const size_t lumps = number(wad->bytes + 4, 4), directory = number(wad->bytes + 8, 4);

	if (lumps > LUMPS_MAX || directory > wad->size || lumps * 16 > wad->size - directory)
		return;
	for (size_t i = 0; i + 4 < lumps && wad->map_count < WAD_MAPS_MAX; i++) {
		const unsigned char *lines = wad->bytes + directory + 16 * (i + 2), *vertexes = lines + 32;
		if (memcmp(lines + 8, "LINEDEFS", 8) != 0 || memcmp(vertexes + 8, "VERTEXES", 8) != 0)
			continue;
		const size_t line_at = number(lines, 4), line_size = number(lines + 4, 4);
		const size_t vertex_at = number(vertexes, 4), vertex_size = number(vertexes + 4, 4);
		if (line_at > wad->size || line_size > wad->size - line_at || vertex_at > wad->size ||
		    vertex_size > wad->size - vertex_at || line_size < 14 || vertex_size < 4)
			continue;
		wad->maps[wad->map_count++] = (struct map){ wad->bytes + line_at, wad->bytes + vertex_at, line_size / 14,
			                                        vertex_size / 4 };
	}
}

static void
wad_read(struct wad *wad, const char *path)
{
	FILE *file = fopen(path, "rb");

	if (!file)
		return;
	if (fseek(file, 0, SEEK_END) == 0) {
		const long size = ftell(file);
		rewind(file);
		wad->bytes = size > 12 ? malloc((size_t)size) : NULL;
		wad->size = (size_t)size;
		if (wad->bytes && fread(wad->bytes, 1, wad->size, file) == wad->size)
			maps_find(wad);
	}
	(void)fclose(file);
}

/* Read once and kept for the process. */
static const struct wad *
wad_of(unsigned index)
{
	static struct wad wads[2];
	static bool read[2];

	if (!read[index]) {
		read[index] = true;
		wad_read(&wads[index], freedoom_path(index + 1));
	}
	return &wads[index];
}

/* Whether something of the line is in the window around the point. */
static bool
in_window(double x1, double y1, double x2, double y2, double half)
{
	return fmin(x1, x2) < half && fmax(x1, x2) > -half && fmin(y1, y2) < half && fmax(y1, y2) > -half;
}

static void
lines_add(struct draft *draft, const struct map *map, double x, double y, double half, bool solid_only)
{
	for (size_t i = 0; i < map->line_count && draft->wall_count < 150; i++) {
		const unsigned char *line = map->lines + 14 * i;
		const size_t from = number(line, 2), to = number(line + 2, 2);
		if (from >= map->vertex_count || to >= map->vertex_count || (solid_only && number(line + 12, 2) != 0xffff))
			continue;
		const double x1 = coordinate(map->vertexes + 4 * from) - x, y1 = coordinate(map->vertexes + 4 * from + 2) - y;
		const double x2 = coordinate(map->vertexes + 4 * to) - x, y2 = coordinate(map->vertexes + 4 * to + 2) - y;
		if (in_window(x1, y1, x2, y2, half))
			draft_wall(draft, x1, y1, x2, y2);
	}
}

void
generate_map(struct draft *draft)
{
	const struct wad *wad = wad_of(draft_below(draft, 2));
	const double half = draft_between(draft, 4, 10);
	/* As the map has it, turned into thirds or to where it is. */
	const bool at_home = draft_chance(draft, 0.3), solid_only = draft_chance(draft, 0.5);

	if (wad->map_count == 0) {
		generate_chain(draft);
		return;
	}
	const struct map *map = &wad->maps[draft_below(draft, (unsigned)wad->map_count)];
	const unsigned char *vertex = map->vertexes + 4 * (size_t)draft_below(draft, (unsigned)map->vertex_count);
	lines_add(draft, map, coordinate(vertex), coordinate(vertex + 2), half, solid_only);
	draft->ticks = 40;
	for (unsigned i = 0; i < 40 && draft->circle_count < 8; i++) {
		const double radius = DRAFT_PICK(draft, 0.5, 0.25, 0.1), angle = draft_between(draft, 0, TURN);
		const double x = draft_between(draft, -half, half), y = draft_between(draft, -half, half);
		const double speed = radius * draft_scale(draft, 0.1, 100) / draft->dt;
		if (draft_clear(draft, x, y, radius, 0))
			draft_circle(draft, x, y, speed * cos(angle), speed * sin(angle), radius);
	}
	draft_materials(draft, DRAFT_PICK(draft, 1, 1, 0.5, 0), DRAFT_PICK(draft, 0, 0, 0.5));
	if (draft_chance(draft, 0.3))
		draft->def.gravity_y = -10;
	if (at_home)
		generate_place(draft, 1, coordinate(vertex), coordinate(vertex + 2));
}
