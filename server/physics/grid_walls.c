#include "physics/grid_parts.h"
#include "physics/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a segment's line comes within reach of a cell. A border cell goes on for ever, so it is not excluded. */
static bool
segment_near_cell(const struct grid_level *level, const struct segment *segment, double reach, uint32_t column, uint32_t row)
{
	if (column == 0 || row == 0 || column == level->columns - 1 || row == level->rows - 1)
		return true;

	double x = level->x0 + ((double)column + 0.5) * level->cell, y = level->y0 + ((double)row + 0.5) * level->cell;
	double height = segment->ux * (y - segment->y1) - segment->uy * (x - segment->x1);

	return fabs(height) <= segment->length * (level->cell * 0.75 + reach); /* 0.75 > half the diagonal */
}

/* Calls for every cell in which the wall must be listed: counts if items is NULL, else fills. */
static size_t
segment_list(const struct grid_level *level, const struct segment *segment, uint32_t index, uint32_t *starts, uint32_t *items)
{
	struct grid_box box = { fmin(segment->x1, segment->x2), fmin(segment->y1, segment->y2), fmax(segment->x1, segment->x2),
		                    fmax(segment->y1, segment->y2) };
	double reach = level->reach + segment->radius + segment->rounding;
	struct grid_range range = range_of_box(level, &box, reach);
	size_t count = 0;

	for (uint32_t row = range.r0; row <= range.r1; row++) {
		for (uint32_t column = range.c0; column <= range.c1; column++) {
			if (!segment_near_cell(level, segment, reach, column, row))
				continue;
			count++;
			if (items)
				items[starts[level->first + row * level->columns + column]++] = index;
			else
				starts[level->first + row * level->columns + column]++;
		}
	}
	return count;
}

static size_t
vertex_list(const struct grid_level *level, const struct vertex *vertex, uint32_t index, uint32_t *starts, uint32_t *items)
{
	struct grid_box box = { vertex->x, vertex->y, vertex->x, vertex->y };
	struct grid_range range = range_of_box(level, &box, level->reach + vertex->radius + vertex->rounding);
	size_t count = 0;

	if (vertex->dead)
		return 0;
	for (uint32_t row = range.r0; row <= range.r1; row++) {
		for (uint32_t column = range.c0; column <= range.c1; column++, count++) {
			if (items)
				items[starts[level->first + row * level->columns + column]++] = index;
			else
				starts[level->first + row * level->columns + column]++;
		}
	}
	return count;
}

static size_t
walls_list(const struct grid *grid, const struct world *world, bool vertices, uint32_t *starts, uint32_t *items)
{
	size_t total = 0;
	uint32_t count = vertices ? world->vertex_count : world->segment_count;

	for (uint32_t l = 0; l < grid->level_count; l++)
		for (uint32_t i = 0; i < count; i++)
			total += vertices ? vertex_list(&grid->levels[l], &world->vertices[i], i, starts, items)
			                  : segment_list(&grid->levels[l], &world->segments[i], i, starts, items);
	return total;
}

/* The lists of one kind of wall, in the grid. */
struct lists {
	uint32_t **starts, **items;
	size_t *start_capacity, *item_capacity;
};

/* Lists segments or vertices per cell: counted, summed, filled. */
static bool
walls_build(struct grid *grid, const struct world *world, bool vertices, const struct lists *lists)
{
	size_t cells = grid->cell_count;

	if (!array_reserve(lists->starts, lists->start_capacity, cells + 1, sizeof(uint32_t)))
		return false;

	uint32_t *starts = *lists->starts, *items, sum = 0;

	memset(starts, 0, (cells + 1) * sizeof *starts);

	size_t total = walls_list(grid, world, vertices, starts, NULL);

	if (!array_reserve(lists->items, lists->item_capacity, total + 1, sizeof(uint32_t)))
		return false;
	items = *lists->items;

	for (size_t c = 0; c <= cells; c++) {
		uint32_t count = c < cells ? starts[c] : 0;

		starts[c] = sum;
		sum += count;
	}
	(void)walls_list(grid, world, vertices, starts, items);
	/* Filling moved each start to the next one's place. */
	memmove(starts + 1, starts, cells * sizeof *starts);
	starts[0] = 0;
	grid->memory_bytes += (*lists->start_capacity + *lists->item_capacity) * sizeof *starts;
	return true;
}

bool
grid_list_walls(struct grid *grid, const struct world *world)
{
	const struct lists segments = {
		.starts = &grid->segment_starts,
		.items = &grid->segment_items,
		.start_capacity = &grid->segment_start_capacity,
		.item_capacity = &grid->segment_item_capacity,
	};
	const struct lists vertices = {
		.starts = &grid->vertex_starts,
		.items = &grid->vertex_items,
		.start_capacity = &grid->vertex_start_capacity,
		.item_capacity = &grid->vertex_item_capacity,
	};

	return walls_build(grid, world, false, &segments) && walls_build(grid, world, true, &vertices);
}
