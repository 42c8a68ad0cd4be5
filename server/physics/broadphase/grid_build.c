#include "physics/broadphase/grid_build.h"

#include "base/pages.h"
#include "physics/broadphase/grid_crowds.h"
#include "physics/broadphase/grid_fast.h"
#include "physics/broadphase/map_cells.h"
#include "physics/world/world.h"

#include <string.h>

/* So many bodies may always be outside, if there are no walls. */
#define OUTSIDE_FEW 16

static bool
bodies_reserve(struct grid *grid, const struct world *world)
{
	if (!grid->rows)
		grid->rows = pages_alloc(((size_t)world->bodies.count + 1) * sizeof *grid->rows);
	return grid->rows != NULL;
}

/* Puts all bodies into the cells that are laid out. */
static bool
cells_fill(struct grid *grid, const struct world *world)
{
	size_t bodies = (size_t)world->bodies.count + 1, cells = grid->cell_count, words = cells / 64 + 2;

	if (!array_reserve(&grid->heads, &grid->cell_capacity, cells, sizeof *grid->heads) ||
	    !array_reserve(&grid->occupied, &grid->word_capacity, words, sizeof *grid->occupied))
		return false;
	grid->memory_bytes = grid->cell_capacity * sizeof *grid->heads + bodies * sizeof *grid->rows +
	                     grid->word_capacity * sizeof *grid->occupied;
	(void)pause_fill(grid->heads, 0xff, cells * sizeof *grid->heads);
	(void)pause_fill(grid->occupied, 0, words * sizeof *grid->occupied);
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(4); i++)
		grid_enter(grid, i, grid_cell(grid, i, world->bodies.paths[i].x, world->bodies.paths[i].y));
	return true;
}

/* Notes what grid_fits compares with later. */
static void
occupancy_note(struct grid *grid, const struct world *world)
{
	grid->crowding = grid_crowding(grid, world);
	grid->crossings = crossings_now(grid, world);
	grid->fresh = true;
}

/* Whether few bodies are outside of the cells. A few outliers share the border cells, with all walls that are outside. When an
 * eighth has left, the box is out of date. */
static bool
few_are_outside(const struct grid *grid, const struct world *world)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count, outside[GRID_LEVELS_MAX + 1] = { 0 };
	struct grid_box boxes[GRID_LEVELS_MAX + 1];

	for (uint32_t l = 0; l < grid->level_count; l++) {
		const struct grid_level *level = &grid->levels[l];

		boxes[l] = (struct grid_box){
			.x0 = level->x0 - level->cell,
			.y0 = level->y0 - level->cell,
			.x1 = level->x0 + level->cell * (level->last_column + 2.0),
			.y1 = level->y0 + level->cell * (level->last_row + 2.0),
		};
	}
	for (uint32_t i = awake_from(awake, 0, count); i < count && !pause_after(2); i = awake_from(awake, i + 1, count)) {
		const struct body *body = &world->bodies.paths[i];
		const struct grid_box *box = &boxes[grid->rows[i].level];

		outside[grid->rows[i].level] += body->x < box->x0 || body->x > box->x1 || body->y < box->y0 || body->y > box->y1;
	}

	uint32_t few = OUTSIDE_FEW * OUTSIDE_FEW / (OUTSIDE_FEW + world->walls.segment_count);

	for (uint32_t l = 0; l < grid_levels_own(grid); l++)
		if (outside[l] > few && outside[l] > grid->levels[l].count / 8)
			return false;
	return true;
}

/* Puts all bodies into the cells of the world's map. False: it is in none, or bodies crowd in few of them, or are far from all
 * walls. Then cells of its own are better. */
static bool
cells_share(struct grid *grid, const struct world *world)
{
	if (!map_cells_take(grid, world))
		return false;
	grid->laid = world->bodies.count;
	if (!cells_fill(grid, world) || !few_are_outside(grid, world))
		return false;
	occupancy_note(grid, world);
	return !grid_crowded_from_start(grid);
}

bool
grid_build(struct grid *grid, const struct world *world)
{
	if (!bodies_reserve(grid, world))
		return false;
	if (cells_share(grid, world))
		return grid_list_moving(grid, world);
	/* Its lists may still be the map's, from now or from before: others read those. */
	grid_return_walls(grid);
	grid_lay(grid, world);
	if (pause_stopped())
		return false;
	grid->laid = world->bodies.count;
	if (!cells_fill(grid, world))
		return false;
	occupancy_note(grid, world);
	return grid_list_walls(grid, world) && grid_list_moving(grid, world);
}

/* Gives each body the level that suits it: the first with circles at least as large. False: there is none. */
static bool
levels_take(struct grid *grid, const struct world *world)
{
	grid->level_count = grid_levels_own(grid);
	for (uint32_t l = 0; l < grid->level_count; l++)
		grid->levels[l].count = 0;
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++) {
		uint8_t l = 0;

		while (l < grid->level_count && grid->levels[l].radius < world->bodies.paths[i].radius)
			l++;
		if (l == grid->level_count)
			return false;
		grid->rows[i].level = l;
		grid->levels[l].count++;
	}
	return true;
}

bool
grid_build_like(struct grid *grid, const struct world *world, const struct grid *old)
{
	/* Cells that were made for few bodies would be crowded with many. */
	if (world->bodies.count / 2 > old->laid + 8)
		return false;
	*grid = *old;
	grid->heads = NULL;
	grid->rows = NULL;
	grid->occupied = NULL;
	grid->cell_capacity = grid->word_capacity = 0;
	grid->stale = grid->fresh = false;
	if (bodies_reserve(grid, world) && levels_take(grid, world) && cells_fill(grid, world) && grid_fits(grid, world))
		return true;
	grid_drop_walls(grid);
	grid_finish(grid);
	return false;
}

bool
grid_fits(const struct grid *grid, const struct world *world)
{
	/* How far bodies go in a tick may not have been known then. */
	if (grid->fresh)
		return !grid_rushed(grid, world);
	return few_are_outside(grid, world) && !grid_crowded(grid, world);
}

void
grid_follow(struct grid *grid, const struct world *world, double time)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;

	for (uint32_t i = awake_from(awake, 0, count); i < count && grid->stale && !pause_after(4);
	     i = awake_from(awake, i + 1, count)) {
		double position[2], velocity[2];

		body_at(&world->bodies.paths[i], time, position, velocity);

		uint32_t cell = grid_cell(grid, i, position[0], position[1]);

		if (cell != grid->rows[i].cell)
			grid_move(grid, i, cell);
	}
	grid->stale = false;
}
