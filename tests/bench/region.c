#include "bench/region.h"

#include <math.h>
#include <stdlib.h>

enum cell { CELL_OPEN = 0, CELL_SHUT = 1, CELL_THEIRS = 2 };
enum { CELLS_MAX = 1 << 26, PARTS = 4, BORDER = 8 };

struct region {
	double x, y, cell, radius;
	size_t columns, rows;
	uint8_t *cells;
	bool open; /* a cell of the border is theirs */
};

static bool
cell_at(const struct region *region, double x, double y, size_t *out)
{
	const double column = floor((x - region->x) / region->cell), row = floor((y - region->y) / region->cell);
	/* In this form for NaN. */
	if (!(column >= 0 && row >= 0 && column < (double)region->columns && row < (double)region->rows))
		return false;
	*out = (size_t)row * region->columns + (size_t)column;
	return true;
}

/* Shuts the cells with their middle within a radius of the wall, or with the wall in their own reach. */
static void
wall_shut(struct region *region, const struct scene_segment *s)
{
	const double reach = fmax(0.98 * region->radius, region->cell);
	const double ux = s->x2 - s->x1, uy = s->y2 - s->y1, square = ux * ux + uy * uy;
	const long column1 = (long)floor((fmin(s->x1, s->x2) - reach - region->x) / region->cell);
	const long column2 = (long)floor((fmax(s->x1, s->x2) + reach - region->x) / region->cell);
	const long row1 = (long)floor((fmin(s->y1, s->y2) - reach - region->y) / region->cell);
	const long row2 = (long)floor((fmax(s->y1, s->y2) + reach - region->y) / region->cell);
	for (long row = row1; row <= row2; row++) {
		for (long column = column1; column <= column2; column++) {
			const double x = region->x + ((double)column + 0.5) * region->cell;
			const double y = region->y + ((double)row + 0.5) * region->cell;
			const double t = fmin(1, fmax(0, ((x - s->x1) * ux + (y - s->y1) * uy) / square));
			if (hypot(x - s->x1 - t * ux, y - s->y1 - t * uy) <= reach)
				region->cells[(size_t)row * region->columns + (size_t)column] = CELL_SHUT;
		}
	}
}

static void
flood(struct region *region, size_t start, size_t *stack)
{
	size_t count = 0;
	region->cells[start] = CELL_THEIRS;
	stack[count++] = start;
	while (count > 0) {
		const size_t at = stack[--count], column = at % region->columns, row = at / region->columns;
		if (column == 0 || row == 0 || column + 1 == region->columns || row + 1 == region->rows) {
			region->open = true;
			continue;
		}
		const size_t next[4] = { at - 1, at + 1, at - region->columns, at + region->columns };
		for (int i = 0; i < 4; i++) {
			if (region->cells[next[i]] == CELL_OPEN) {
				region->cells[next[i]] = CELL_THEIRS;
				stack[count++] = next[i];
			}
		}
	}
}

/* From every open cell within half a radius of the centre, which is on its side of every wall. */
static void
centre_flood(struct region *region, const struct scene_circle *circle, size_t *stack)
{
	for (int dy = -2; dy <= 2; dy++) {
		for (int dx = -2; dx <= 2; dx++) {
			size_t cell;
			if (cell_at(region, circle->x + dx * region->cell, circle->y + dy * region->cell, &cell) &&
			    region->cells[cell] == CELL_OPEN)
				flood(region, cell, stack);
		}
	}
}

static bool
grid_make(struct region *region, const struct scene_world *world)
{
	double x2 = -HUGE_VAL, y2 = -HUGE_VAL;
	region->x = region->y = region->radius = HUGE_VAL;
	for (uint64_t i = 0; i < world->circle_count; i++)
		region->radius = fmin(region->radius, world->circles[i].radius);
	for (uint64_t i = 0; i < world->segment_count; i++) {
		const struct scene_segment *s = &world->segments[i];
		region->x = fmin(region->x, fmin(s->x1, s->x2));
		region->y = fmin(region->y, fmin(s->y1, s->y2));
		x2 = fmax(x2, fmax(s->x1, s->x2));
		y2 = fmax(y2, fmax(s->y1, s->y2));
	}
	if (!(x2 >= region->x) || !(region->radius < HUGE_VAL))
		return false;
	region->cell = region->radius / PARTS;
	region->x -= BORDER * region->cell;
	region->y -= BORDER * region->cell;
	const double columns = ceil((x2 - region->x) / region->cell) + BORDER,
				 rows = ceil((y2 - region->y) / region->cell) + BORDER;
	if (columns * rows > CELLS_MAX)
		return false;
	region->columns = (size_t)columns;
	region->rows = (size_t)rows;
	region->cells = calloc(region->columns * region->rows, 1);
	return region->cells != NULL;
}

struct region *
region_create(const struct scene_world *world)
{
	struct region *region = calloc(1, sizeof *region);
	if (!region)
		return NULL;
	size_t *stack = NULL;
	if (grid_make(region, world))
		stack = malloc(region->columns * region->rows * sizeof *stack);
	if (!stack) {
		region_destroy(region);
		return NULL;
	}
	for (uint64_t i = 0; i < world->segment_count; i++)
		wall_shut(region, &world->segments[i]);
	for (uint64_t i = 0; i < world->circle_count; i++)
		centre_flood(region, &world->circles[i], stack);
	free(stack);
	return region;
}

void
region_destroy(struct region *region)
{
	if (!region)
		return;
	free(region->cells);
	free(region);
}

bool
region_is_outside(const struct region *region, double x, double y)
{
	size_t cell;
	return !cell_at(region, x, y, &cell) || region->cells[cell] == CELL_OPEN;
}

bool
region_is_open(const struct region *region)
{
	return region->open;
}
