/* Happy path: another world with such bodies was there before, and its cells are found in the map's list. What can go wrong:
 * memory; then the world has cells of its own. */
#include "physics/broadphase/map_cells.h"

#include "base/memory.h"
#include "base/pause.h"
#include "physics/broadphase/grid_build.h"
#include "physics/world/map_walls.h"

/* Sets of cells in a map. Worlds with other bodies than those have cells of their own. */
#define MAP_CELLS_MAX 8

static bool
levels_equal(const struct grid *a, const struct grid *b)
{
	if (a->level_count != b->level_count)
		return false;
	for (uint32_t l = 0; l < a->level_count; l++)
		if (a->levels[l].radius != b->levels[l].radius || a->levels[l].count != b->levels[l].count)
			return false;
	return true;
}

static const struct wall_cells *
cells_find(const struct wall_cells *newest, const struct grid *wanted)
{
	while (newest && !levels_equal(&newest->grid, wanted))
		newest = newest->next;
	return newest;
}

/* NULL without memory. */
static struct wall_cells *
cells_make(const struct world *world, const struct grid *wanted)
{
	struct wall_cells *cells = memory_zeroed(1, sizeof *cells);

	if (!cells)
		return NULL;
	cells->grid.level_count = wanted->level_count;
	for (uint32_t l = 0; l < wanted->level_count; l++) {
		cells->grid.levels[l].radius = wanted->levels[l].radius;
		cells->grid.levels[l].count = wanted->levels[l].count;
	}
	grid_lay_walls(&cells->grid, world);
	/* What was broken off is not published. */
	if (grid_list_walls(&cells->grid, world) && !pause_stopped())
		return cells;
	grid_finish(&cells->grid);
	memory_free(cells);
	return NULL;
}

/* The map's cells for the levels that are wanted. NULL: none. */
static const struct wall_cells *
cells_of(const struct world *world, const struct grid *wanted)
{
	struct wall_map *map = world->walls.map;
	struct wall_cells *newest = atomic_load_explicit(&map->cells, memory_order_acquire), *made = NULL;
	const struct wall_cells *found = cells_find(newest, wanted);

	while (!found && !(newest && newest->place + 1 >= MAP_CELLS_MAX)) {
		if (!made && !(made = cells_make(world, wanted)))
			return NULL;
		made->next = newest;
		made->place = newest ? newest->place + 1 : 0;
		if (atomic_compare_exchange_strong_explicit(&map->cells, &newest, made, memory_order_acq_rel, memory_order_acquire))
			return made;
		/* Another thread was faster; perhaps with the same. */
		found = cells_find(newest, wanted);
	}
	if (made) {
		grid_finish(&made->grid);
		memory_free(made);
	}
	return found;
}

bool
map_cells_take(struct grid *grid, const struct world *world)
{
	struct grid wanted = { .rows = grid->rows, .heads = grid->heads, .cell_capacity = grid->cell_capacity };

	if (!world->walls.map || world->walls.segment_count == 0)
		return false;
	grid_levels_round(&wanted, world);
	/* Crowds are counted in the memory of the heads. */
	grid->heads = wanted.heads;
	grid->cell_capacity = wanted.cell_capacity;
	if (pause_stopped())
		return false;

	struct ledger *own = memory_enter_common();
	const struct wall_cells *cells = cells_of(world, &wanted);

	(void)memory_enter(own);
	if (!cells)
		return false;
	grid->level_count = cells->grid.level_count;
	grid->levels_laid = cells->grid.levels_laid;
	grid->hashed = grid->rushed = false;
	grid->cell_count = cells->grid.cell_count;
	grid->rounding = cells->grid.rounding;
	for (uint32_t l = 0; l < grid->levels_laid; l++) {
		grid->levels[l] = cells->grid.levels[l];
		grid->levels[l].count = 0;
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		grid->levels[grid->rows[i].level].count++;
	grid_borrow_walls(grid, &cells->grid.still);
	return true;
}
