/* grid_build: lays the cells of the grid (tables/grid.h) over a world and lists its walls there. */
#ifndef COLLIDED_BROADPHASE_GRID_BUILD_H
#define COLLIDED_BROADPHASE_GRID_BUILD_H

#include "physics/tables/grid.h"

struct world;

/* Lays the grid over the world's bodies and walls as they are now and fills it. False without memory. */
bool grid_build(struct grid *grid, const struct world *world);
/* As grid_build, for a world whose walls are those of `old`, with its cells; the lists of walls are then the same memory, which
 * one of both must drop before it ends. False if the cells no longer suit, or without memory; then there is nothing to end. */
bool grid_build_like(struct grid *grid, const struct world *world, const struct grid *old);
/* Lists the walls that move, where they come in the tick of world->step.dt. False without memory. */
bool grid_list_moving(struct grid *grid, const struct world *world);
/* Whether the grid still suits where those who are awake are. It stays right when it does not, only slow. */
bool grid_fits(const struct grid *grid, const struct world *world);
/* If the grid is stale, moves everybody who is awake to the cell that he is in at `time`: sleepers are in theirs. Nothing may
 * be predicted yet. */
void grid_follow(struct grid *grid, const struct world *world, double time);

/* grid_levels.c: chooses the levels and their frames, and gives each body its level (grid->rows[].level). */
void grid_lay(struct grid *grid, const struct world *world);

/* grid_walls.c: lists the walls in the cells. False without memory. */
bool grid_list_walls(struct grid *grid, const struct world *world);

#endif
