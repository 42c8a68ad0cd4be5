#include "client/cli/maps/map_region.h"

#include "client/cli/scene/packing.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum cell { CELL_OPEN = 0, CELL_SHUT = 1, CELL_FLOODED = 2 };
/* Cells per radius: from the first, where the limit of cells allows, down to the second. More cells find narrower gaps shut;
 * fewer than two prove nothing. */
enum { FINE_PARTS = 4, COARSE_PARTS = 2 };
/* Cells of free border around the walls, so that the outside is one open ring. */
enum { BORDER_CELLS = 4 };
/* How far from the start, in cells, an open cell is searched for if the start itself is too near to a wall. */
enum { START_REACH_CELLS = 16 };

struct map_region {
	const struct build_segment *walls;
	size_t wall_count;
	double x1, y1, cell, radius;
	size_t columns, rows;
	uint8_t *cells;    /* enum cell */
	uint32_t *flooded; /* indices of flooded cells, in the order of the flood */
	size_t flooded_count, flooded_capacity;
};

static bool
grid_make(struct map_region *region, char *error, size_t error_size)
{
	const struct build_segment *walls = region->walls;
	double x1 = HUGE_VAL, y1 = HUGE_VAL, x2 = -HUGE_VAL, y2 = -HUGE_VAL;
	for (size_t i = 0; i < region->wall_count; i++) {
		x1 = fmin(x1, fmin(walls[i].x1, walls[i].x2));
		x2 = fmax(x2, fmax(walls[i].x1, walls[i].x2));
		y1 = fmin(y1, fmin(walls[i].y1, walls[i].y2));
		y2 = fmax(y2, fmax(walls[i].y1, walls[i].y2));
	}
	if (!(x1 <= x2)) {
		snprintf(error, error_size, "the map has no walls");
		return false;
	}
	double border = 0, columns = 0, rows = 0;
	for (int parts = FINE_PARTS; parts >= COARSE_PARTS; parts--) {
		region->cell = region->radius / parts;
		border = region->radius + BORDER_CELLS * region->cell;
		columns = ceil((x2 - x1 + 2 * border) / region->cell);
		rows = ceil((y2 - y1 + 2 * border) / region->cell);
		if (columns * rows <= (double)REGION_CELLS_MAX)
			break;
	}
	if (columns * rows > (double)REGION_CELLS_MAX) {
		double least = region->radius * sqrt(columns * rows / (double)REGION_CELLS_MAX);
		snprintf(error, error_size, "radius %g is too small for a map of %g by %g; at least %.2g", region->radius, x2 - x1,
		         y2 - y1, least * 1.05);
		return false;
	}
	region->x1 = x1 - border;
	region->y1 = y1 - border;
	region->columns = (size_t)columns;
	region->rows = (size_t)rows;
	region->cells = calloc(region->columns * region->rows, sizeof *region->cells);
	if (!region->cells) {
		snprintf(error, error_size, "no memory");
		return false;
	}
	return true;
}

/* Whether a whole cell is within `reach` of the wall. Points within reach form a convex set, so the cell's corners decide. */
static bool
cell_is_within(const struct map_region *region, size_t column, size_t row, const struct build_segment *wall, double reach)
{
	for (size_t corner = 0; corner < 4; corner++) {
		double x = region->x1 + region->cell * (double)(column + (corner & 1));
		double y = region->y1 + region->cell * (double)(row + (corner >> 1));
		if (segment_distance_squared(x, y, wall->x1, wall->y1, wall->x2, wall->y2) >= reach * reach)
			return false;
	}
	return true;
}

static size_t
index_of(double offset, double cell, size_t count)
{
	double index = floor(offset / cell);
	return index <= 0 ? 0 : index >= (double)count ? count - 1 : (size_t)index;
}

/* The range of x of the wall between two heights. The wall reaches at least one point between them. */
static void
wall_clip(const struct build_segment *wall, double low, double high, double *left, double *right)
{
	double dx = wall->x2 - wall->x1, dy = wall->y2 - wall->y1, from = 0, to = 1;
	if (dy != 0) {
		double a = (low - wall->y1) / dy, b = (high - wall->y1) / dy;
		from = fmin(fmax(fmin(a, b), 0), 1);
		to = fmin(fmax(fmax(a, b), 0), 1);
	}
	double x_from = wall->x1 + from * dx, x_to = wall->x1 + to * dx;
	*left = fmin(x_from, x_to);
	*right = fmax(x_from, x_to);
}

/* Row by row, so that a long slanting wall costs its length rather than the area of its box. */
static void
wall_shut(struct map_region *region, const struct build_segment *wall)
{
	/* Slightly less than the radius, so that rounding shuts too little rather than too much. */
	double reach = region->radius * (1 - 1e-9), cell = region->cell;
	size_t low = index_of(fmin(wall->y1, wall->y2) - reach - region->y1, cell, region->rows);
	size_t high = index_of(fmax(wall->y1, wall->y2) + reach - region->y1, cell, region->rows);
	for (size_t row = low; row <= high; row++) {
		double y = region->y1 + cell * (double)row, left, right;
		wall_clip(wall, y - reach, y + cell + reach, &left, &right);
		size_t first = index_of(left - reach - region->x1, cell, region->columns);
		size_t last = index_of(right + reach - region->x1, cell, region->columns);
		for (size_t column = first; column <= last; column++) {
			uint8_t *state = &region->cells[row * region->columns + column];
			if (*state == CELL_OPEN && cell_is_within(region, column, row, wall, reach))
				*state = CELL_SHUT;
		}
	}
}

/* > 0 if c is to the left of the line from a to b. */
static double
side_of(double ax, double ay, double bx, double by, double cx, double cy)
{
	return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
}

/* Whether the line from a to b meets the wall; touching counts. */
static bool
way_is_barred(double ax, double ay, double bx, double by, const struct build_segment *wall)
{
	double one = side_of(wall->x1, wall->y1, wall->x2, wall->y2, ax, ay);
	double two = side_of(wall->x1, wall->y1, wall->x2, wall->y2, bx, by);
	double three = side_of(ax, ay, bx, by, wall->x1, wall->y1), four = side_of(ax, ay, bx, by, wall->x2, wall->y2);
	return one * two <= 0 && three * four <= 0;
}

static bool
way_is_free(double ax, double ay, double bx, double by, const struct build_segment *walls, size_t wall_count)
{
	for (size_t i = 0; i < wall_count; i++)
		if (way_is_barred(ax, ay, bx, by, &walls[i]))
			return false;
	return true;
}

/* The open cell nearest to the start with a free line of sight to it; false if there is none. */
static bool
start_find(const struct map_region *region, double start_x, double start_y, size_t *start)
{
	double column = floor((start_x - region->x1) / region->cell), row = floor((start_y - region->y1) / region->cell);
	double best = HUGE_VAL;
	for (int dy = -START_REACH_CELLS; dy <= START_REACH_CELLS; dy++) {
		for (int dx = -START_REACH_CELLS; dx <= START_REACH_CELLS; dx++) {
			double c = column + dx, r = row + dy, distance = (double)(dx * dx + dy * dy);
			if (distance >= best || c < 0 || r < 0 || c >= (double)region->columns || r >= (double)region->rows)
				continue;
			size_t index = (size_t)r * region->columns + (size_t)c;
			double x = region->x1 + (c + 0.5) * region->cell, y = region->y1 + (r + 0.5) * region->cell;
			if (region->cells[index] != CELL_SHUT && way_is_free(start_x, start_y, x, y, region->walls, region->wall_count)) {
				best = distance;
				*start = index;
			}
		}
	}
	return best < HUGE_VAL;
}

static bool
cell_flood(struct map_region *region, size_t index)
{
	if (region->cells[index] != CELL_OPEN)
		return true;
	if (region->flooded_count == region->flooded_capacity) {
		size_t wanted = region->flooded_capacity == 0 ? 4096 : 2 * region->flooded_capacity;
		uint32_t *grown = realloc(region->flooded, wanted * sizeof *grown);
		if (!grown)
			return false;
		region->flooded = grown;
		region->flooded_capacity = wanted;
	}
	region->cells[index] = CELL_FLOODED;
	region->flooded[region->flooded_count++] = (uint32_t)index;
	return true;
}

/* Floods from one cell. The list of flooded cells is also the queue. */
static bool
region_flood(struct map_region *region, size_t start, char *error, size_t error_size)
{
	size_t next = region->flooded_count;
	bool memory = cell_flood(region, start);
	for (; next < region->flooded_count && memory; next++) {
		size_t index = region->flooded[next], column = index % region->columns, row = index / region->columns;
		if (column == 0 || row == 0 || column == region->columns - 1 || row == region->rows - 1) {
			snprintf(error, error_size, "the map is not closed: a circle of radius %g gets outside of it", region->radius);
			return false;
		}
		for (size_t neighbour = 0; neighbour < 9 && memory; neighbour++)
			memory = cell_flood(region, (row + neighbour / 3 - 1) * region->columns + column + neighbour % 3 - 1);
	}
	if (!memory)
		snprintf(error, error_size, "no memory");
	return memory;
}

struct map_region *
map_region_create(const struct build_segment *walls, size_t wall_count, double start_x, double start_y, double radius,
                  char *error, size_t error_size)
{
	struct map_region *region = calloc(1, sizeof *region);
	if (!region) {
		snprintf(error, error_size, "no memory");
		return NULL;
	}
	region->walls = walls;
	region->wall_count = wall_count;
	region->radius = radius;
	bool good = grid_make(region, error, error_size);
	for (size_t i = 0; i < wall_count && good; i++)
		wall_shut(region, &walls[i]);
	size_t start = 0;
	if (good && !start_find(region, start_x, start_y, &start)) {
		snprintf(error, error_size, "there is no room for a circle of radius %g at player 1's start", radius);
		good = false;
	}
	if (!good || !region_flood(region, start, error, error_size)) {
		map_region_destroy(region);
		return NULL;
	}
	return region;
}

bool
map_region_add(struct map_region *region, double x, double y, char *error, size_t error_size)
{
	size_t start = 0;
	return !start_find(region, x, y, &start) || region_flood(region, start, error, error_size);
}

void
map_region_destroy(struct map_region *region)
{
	if (region) {
		free(region->cells);
		free(region->flooded);
		free(region);
	}
}

void
map_region_draw(const struct map_region *region, struct random *random, double *x, double *y)
{
	size_t index = region->flooded[random_below(random, region->flooded_count)];
	size_t column = index % region->columns, row = index / region->columns;
	*x = region->x1 + region->cell * ((double)column + random_between(random, 0, 1));
	*y = region->y1 + region->cell * ((double)row + random_between(random, 0, 1));
}

bool
map_region_holds(const struct map_region *region, double x, double y)
{
	double column = floor((x - region->x1) / region->cell), row = floor((y - region->y1) / region->cell);
	if (!(column >= 0 && row >= 0 && column < (double)region->columns && row < (double)region->rows))
		return false;
	return region->cells[(size_t)row * region->columns + (size_t)column] == CELL_FLOODED;
}

double
map_region_area(const struct map_region *region)
{
	return (double)region->flooded_count * region->cell * region->cell;
}
