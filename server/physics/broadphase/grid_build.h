/* grid_build: lays out the cells of the grid (tables/grid.h) for a world and lists its walls there.
 *
 * The room broadphase/: lays the cells over a world, lists walls in them, fills swept boxes. It uses world, tables. It is
 * called by prediction, phases, partition, tick, state. */
#ifndef COLLIDED_BROADPHASE_GRID_BUILD_H
#define COLLIDED_BROADPHASE_GRID_BUILD_H

#include "physics/tables/grid.h"

struct world;

/* Lays out the grid for the world's present bodies and walls and fills it. False without memory. */
bool grid_build(struct grid *grid, const struct world *world);
/* As grid_build, for a world with the walls of `old`, and with its cells. The lists of walls are then shared memory, which one
 * of the two grids must drop before it is freed. False if the cells no longer suit, or without memory; then there is nothing to
 * free. */
bool grid_build_like(struct grid *grid, const struct world *world, const struct grid *old);
/* Lists the moving walls in all cells that they come to in the tick of world->step.dt. False without memory. */
bool grid_list_moving(struct grid *grid, const struct world *world);
/* Whether the grid still suits the places of the awake bodies. If not, it is still correct, only slow. */
bool grid_fits(const struct grid *grid, const struct world *world);
/* If the grid is stale, moves every awake body to the cell of its place at `time`; sleeping bodies are in theirs. No event may
 * be predicted yet. */
void grid_follow(struct grid *grid, const struct world *world, double time);

/* grid_levels.c: chooses the levels and their frames, and gives each body its level (grid->rows[].level). */
void grid_lay(struct grid *grid, const struct world *world);
/* The same in two steps, for cells that worlds share. First the levels: radii and numbers of bodies are rounded up. Then their
 * cells, over all walls, wherever bodies are. */
void grid_levels_round(struct grid *grid, const struct world *world);
void grid_lay_walls(struct grid *grid, const struct world *world);

/* grid_walls.c: lists the walls in the cells. False without memory. */
bool grid_list_walls(struct grid *grid, const struct world *world);

#endif
