/* Which segments and vertices may reach each cell, as a list for each cell. Those that move are listed apart, for a while. */
#include "physics/broadphase/grid_build.h"
#include "physics/broadphase/grid_crowds.h"
#include "physics/broadphase/grid_hashed_walls.h"
#include "physics/tables/grid_range.h"
#include "physics/world/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Starts of cells that are moved at once, between two questions (base/pause.h). */
#define MOVED_CELLS ((size_t)65536)

/* A wall's box during the time for which it is listed, and the band about its line that holds it in that time: from `low` to
 * `high` over the line. */
struct swept_segment {
	struct grid_box box;
	double low, high;
};

/* For a segment that moves for `duration`; 0 for a static one. */
static struct swept_segment
segment_sweep(const struct segment *s, double duration)
{
	struct swept_segment sweep = {
		.box = { lesser(s->x1, s->x2), lesser(s->y1, s->y2), larger(s->x1, s->x2), larger(s->y1, s->y2) },
	};
	double x = s->vx * duration, y = s->vy * duration, over = s->ux * y - s->uy * x;

	if (!s->moving)
		return sweep;
	sweep.box.x0 += lesser(x, 0.0);
	sweep.box.y0 += lesser(y, 0.0);
	sweep.box.x1 += larger(x, 0.0);
	sweep.box.y1 += larger(y, 0.0);
	sweep.low = lesser(over, 0.0);
	sweep.high = larger(over, 0.0);
	return sweep;
}

/* Whether an index is that of the first or last row or column. A border cell extends to infinity, so no segment is too far from
 * it. */
static bool
at_border(uint32_t index, uint32_t count)
{
	return index == 0 || index == count - 1;
}

/* Whether a segment's band comes within reach of an inner cell. */
static bool
segment_near_cell(const struct grid_level *level, const struct segment *segment, const struct swept_segment *sweep,
                  double reach, uint32_t column, uint32_t row)
{
	double x = level->x0 + ((double)column + 0.5) * level->cell, y = level->y0 + ((double)row + 0.5) * level->cell;
	double height = segment->ux * (y - segment->y1) - segment->uy * (x - segment->x1);
	double wide = segment->length * (level->cell * 0.75 + reach); /* 0.75 > half the diagonal */

	return height - sweep->high <= wide && height - sweep->low >= -wide;
}

/* Visits every cell in which the wall must be listed: counts if items is NULL, else fills. */
static size_t
segment_list(const struct grid_level *level, const struct segment *segment, uint32_t index, double duration, uint32_t *starts,
             uint32_t *items)
{
	const struct swept_segment sweep = segment_sweep(segment, duration);
	double reach = level_reach(level) + segment->radius + segment->rounding;

	if (grid_hashed(level)) {
		const struct hashed_wall wall = {
			segment->x1, segment->y1, segment->x2, segment->y2, segment->vx * duration, segment->vy * duration, reach
		};

		return hashed_wall_list(level, &wall, index, starts, items);
	}

	struct grid_range range = range_of_box(level, &sweep.box, reach);
	size_t count = 0;

	for (uint32_t row = range.r0; row <= range.r1; row++) {
		uint32_t first = level->first + row * level->columns;
		bool border = at_border(row, level->rows);

		for (uint32_t column = range.c0; column <= range.c1 && !pause_after(1); column++) {
			if (!border && !at_border(column, level->columns) && !segment_near_cell(level, segment, &sweep, reach, column, row))
				continue;
			count++;
			if (items)
				items[starts[first + column]++] = index;
			else
				starts[first + column]++;
		}
	}
	return count;
}

static size_t
vertex_list(const struct grid_level *level, const struct vertex *vertex, uint32_t index, double duration, uint32_t *starts,
            uint32_t *items)
{
	if (vertex->dead)
		return 0;

	double x = vertex->x + vertex->vx * duration, y = vertex->y + vertex->vy * duration;

	if (grid_hashed(level)) {
		const struct hashed_wall wall = { vertex->x,
			                              vertex->y,
			                              vertex->x,
			                              vertex->y,
			                              x - vertex->x,
			                              y - vertex->y,
			                              level_reach(level) + vertex->radius + vertex->rounding };

		return hashed_wall_list(level, &wall, index, starts, items);
	}

	struct grid_box box = { lesser(vertex->x, x), lesser(vertex->y, y), larger(vertex->x, x), larger(vertex->y, y) };
	struct grid_range range = range_of_box(level, &box, level_reach(level) + vertex->radius + vertex->rounding);
	size_t count = 0;

	for (uint32_t row = range.r0; row <= range.r1; row++) {
		for (uint32_t column = range.c0; column <= range.c1 && !pause_after(1); column++, count++)
			if (items)
				items[starts[level->first + row * level->columns + column]++] = index;
			else
				starts[level->first + row * level->columns + column]++;
	}
	return count;
}

/* Which walls are to be listed. */
struct wall_choice {
	bool vertices, moving;
	double duration;
};

static bool
vertex_moves(const struct vertex *vertex)
{
	return vertex->vx != 0.0 || vertex->vy != 0.0;
}

static size_t
walls_list(const struct grid *grid, const struct world *world, const struct wall_choice *choice, uint32_t *starts,
           uint32_t *items)
{
	size_t total = 0;
	uint32_t count = choice->vertices ? world->walls.vertex_count : world->walls.segment_count;
	const uint32_t *moving = NULL; /* an empty kind has no list */

	if (choice->moving) {
		count = choice->vertices ? world->walls.moving_vertex_count : world->walls.moving_count;
		moving = choice->vertices ? world->walls.moving + world->walls.moving_count : world->walls.moving;
	}
	for (uint32_t l = 0; l < grid->levels_laid; l++) {
		for (uint32_t k = 0; k < count && !pause_after(4); k++) {
			uint32_t i = choice->moving ? moving[k] : k;
			bool moves = choice->vertices ? vertex_moves(&world->walls.vertices[i]) : world->walls.segments[i].moving;

			if (moves != choice->moving)
				continue;
			total += choice->vertices
			             ? vertex_list(&grid->levels[l], &world->walls.vertices[i], i, choice->duration, starts, items)
			             : segment_list(&grid->levels[l], &world->walls.segments[i], i, choice->duration, starts, items);
		}
	}
	return total;
}

/* The lists of one kind of wall, in the grid. */
struct lists {
	uint32_t **starts, **items;
	size_t *start_capacity, *item_capacity;
};

/* Lists segments or vertices by cell: counts, prefix sums, fills. */
static bool
walls_build(struct grid *grid, const struct world *world, const struct wall_choice *choice, const struct lists *lists)
{
	size_t cells = grid->cell_count;

	if (!array_reserve(lists->starts, lists->start_capacity, cells + 1, sizeof(uint32_t)))
		return false;

	uint32_t *starts = *lists->starts, *items, sum = 0;

	(void)pause_fill(starts, 0, (cells + 1) * sizeof *starts);

	size_t total = walls_list(grid, world, choice, starts, NULL);

	if (!array_reserve(lists->items, lists->item_capacity, total + 1, sizeof(uint32_t)))
		return false;
	if (total == 0) /* all lists begin and end at 0 */
		return true;
	items = *lists->items;

	if (pause_stopped())
		return false;
	for (size_t c = 0; c <= cells && !pause_after(1); c++) {
		uint32_t count = c < cells ? starts[c] : 0;

		starts[c] = sum;
		sum += count;
	}
	if (!pause_stopped())
		(void)walls_list(grid, world, choice, starts, items);
	/* Filling has moved each start to the next one. */
	for (size_t end = cells, first; end > 0 && !pause_after(PAUSE_PIECE); end = first) {
		first = end > MOVED_CELLS ? end - MOVED_CELLS : 0;
		memmove(starts + first + 1, starts + first, (end - first) * sizeof *starts);
	}
	starts[0] = 0;
	return true;
}

/* Sets the bits of the cells with walls. False without memory. */
static bool
walled_build(const struct grid *grid, struct grid_walls *walls)
{
	uint32_t cells = grid->cell_count, fast = grid->levels[grid->levels_laid - 1].first;
	size_t words = cells / 64 + 1;

	if (!array_reserve(&walls->walled, &walls->walled_capacity, words, sizeof *walls->walled))
		return false;
	(void)pause_fill(walls->walled, 0, words * sizeof *walls->walled);
	walls->many = false;
	for (uint32_t c = 0; c < cells && !pause_after(1); c++) {
		uint32_t segments = walls->segment_starts[c + 1] - walls->segment_starts[c];
		uint32_t vertices = walls->vertex_starts[c + 1] - walls->vertex_starts[c];

		if (segments + vertices == 0)
			continue;
		walls->walled[c / 64] |= UINT64_C(1) << c % 64;
		walls->many = walls->many || (c != fast && (segments > PAUSE_PIECE || vertices > PAUSE_PIECE));
	}
	return true;
}

static bool
both_build(struct grid *grid, const struct world *world, bool moving, double duration, struct grid_walls *walls)
{
	const struct lists segments = {
		.starts = &walls->segment_starts,
		.items = &walls->segment_items,
		.start_capacity = &walls->segment_start_capacity,
		.item_capacity = &walls->segment_item_capacity,
	};
	const struct lists vertices = {
		.starts = &walls->vertex_starts,
		.items = &walls->vertex_items,
		.start_capacity = &walls->vertex_start_capacity,
		.item_capacity = &walls->vertex_item_capacity,
	};

	walls->listed = true;
	return walls_build(grid, world, &(struct wall_choice){ false, moving, duration }, &segments) &&
	       walls_build(grid, world, &(struct wall_choice){ true, moving, duration }, &vertices) && walled_build(grid, walls);
}

static bool
boxes_build(const struct world *world, struct grid_walls *walls)
{
	size_t count = (size_t)world->walls.segment_count + world->walls.vertex_count;

	if (!array_reserve(&walls->boxes, &walls->box_capacity, 4 * count, sizeof *walls->boxes))
		return false;

	double *box = walls->boxes;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(2); i++, box += 4) {
		const struct segment *s = &world->walls.segments[i];

		wall_box_set(box, s->x1, s->y1, s->x2, s->y2, s->radius, s->rounding);
	}
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(2); i++, box += 4) {
		const struct vertex *v = &world->walls.vertices[i];

		wall_box_set(box, v->x, v->y, v->x, v->y, v->radius, v->rounding);
	}
	return true;
}

bool
grid_list_walls(struct grid *grid, const struct world *world)
{
	return both_build(grid, world, false, 0.0, &grid->still) && boxes_build(world, &grid->still);
}

bool
grid_list_moving(struct grid *grid, const struct world *world)
{
	grid->moving.listed = false;
	return world->walls.moving_count == 0 || both_build(grid, world, true, world->step.dt, &grid->moving);
}
