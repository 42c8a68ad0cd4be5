/* All bodies at once. Happy path: each against those behind it in reading order of its level's cells, so that each pair of
 * neighbours is seen once; against the walls of its cell; against larger levels. What can go wrong: memory (world->failed). */
#include "physics/predict_parts.h"
#include "physics/rims.h"
#include "physics/settle.h"

#include <math.h>

/* How many bodies pass between two questions whether to go on. */
#define BODIES_PER_QUESTION 256

/* A body against those of the slots `first` .. `end`. */
static inline void
predict_slots(struct world *world, rims_search *meet, uint32_t slot, uint32_t first, uint32_t end)
{
	struct rims *rims = &world->rims;
	uint32_t body = rims->bodies[slot];

	if (first >= end)
		return;

	size_t count = meet(rims, slot, first, end, rims->found);

	for (size_t n = 0; n < count; n++) {
		uint32_t k = rims->found[n], other = rims->bodies[k];

		if (!(rims->flags[slot] & rims->flags[k] & RIM_CLEAR))
			predict_circles(world, body < other ? body : other, body < other ? other : body);
	}
}

/* A body that stays in its cell against those of larger levels. */
static void
predict_larger(struct world *world, rims_search *meet, uint32_t slot)
{
	const struct grid *grid = &world->grid;
	const uint32_t *starts = world->rims.starts, body = world->rims.bodies[slot];
	const struct body *path = &world->bodies[body];
	const struct grid_box centre = path_sweep(path, path_end(world, body) - path->t0);
	struct grid_look look = grid_look_begin(grid, grid->level_of[body] + 1u, NONE, &centre, look_radius(path));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		predict_slots(world, meet, slot, starts[cell], starts[cell + 1]);
}

/* A body's leaving of its cell from `time` on, and its events with those of larger levels; strays look everywhere. */
static inline void
predict_beyond(struct world *world, rims_search *meet, uint32_t slot, uint32_t larger_level, double time)
{
	const struct rims *rims = &world->rims;
	uint32_t body = rims->bodies[slot];
	double leave = rims->flags[slot] & RIM_STAYS ? (double)INFINITY : predict_leave(world, body, time);

	if (rims->flags[slot] & RIM_STRAY || (larger_level < world->grid.level_count && leave < (double)INFINITY))
		predict_levels(world, body, larger_level, time, leave);
	else if (larger_level < world->grid.level_count)
		predict_larger(world, meet, slot);
}

static inline bool
cell_has_walls(const struct grid_walls *walls, uint32_t cell)
{
	return walls->segment_starts[cell] != walls->segment_starts[cell + 1] ||
	       walls->vertex_starts[cell] != walls->vertex_starts[cell + 1];
}

static void
predict_cell_walls(struct world *world, uint32_t cell)
{
	const struct grid *grid = &world->grid;
	const struct rims *rims = &world->rims;

	if (!cell_has_walls(&grid->still, cell) && !(grid->moving.listed && cell_has_walls(&grid->moving, cell)))
		return;
	for (uint32_t slot = rims->starts[cell]; slot < rims->starts[cell + 1]; slot++)
		predict_walls(world, rims->bodies[slot], cell);
}

/* The bodies of a cell: each against the rest of it and the next one, which follow each other, and the three of the next row;
 * against walls, and larger levels. */
static void
predict_cell_all(struct world *world, rims_search *meet, uint32_t l, uint32_t row, uint32_t column, double time)
{
	const struct grid_level *level = &world->grid.levels[l];
	const uint32_t *starts = world->rims.starts, cell = level->first + row * level->columns + column;
	uint32_t end = starts[cell + 1], east = column + 1 < level->columns ? starts[cell + 2] : end, below = 0, below_end = 0;

	if (starts[cell] == end)
		return;
	if (row + 1 < level->rows) {
		below = starts[cell + level->columns - (column > 0)];
		below_end = starts[cell + level->columns + (column + 1 < level->columns) + 1];
	}
	for (uint32_t slot = starts[cell]; slot < end && !world->failed; slot++) {
		predict_slots(world, meet, slot, slot + 1, east);
		predict_slots(world, meet, slot, below, below_end);
		predict_beyond(world, meet, slot, l + 1, time);
		if (slot % BODIES_PER_QUESTION == BODIES_PER_QUESTION - 1 && world_asked_to_stop(world))
			return;
	}
	predict_cell_walls(world, cell);
}

void
predict_all(struct world *world, double time)
{
	grid_follow(&world->grid, world, time);
	if (!rims_fill(&world->rims, world)) {
		world->failed = true;
		return;
	}

	rims_search *meet = rims_meet_best();

	for (uint32_t l = 0; l < world->grid.level_count; l++) {
		const struct grid_level *level = &world->grid.levels[l];

		for (uint32_t row = 0; row < level->rows; row++)
			for (uint32_t column = 0; column < level->columns && !world->failed; column++)
				predict_cell_all(world, meet, l, row, column, time);
	}
}
