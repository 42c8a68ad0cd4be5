/* grid_crowds: whether the bodies crowd in few cells, and the hashed level (tables/grid_hashed.h) that helps then. Internal to
 * the broad phase. */
#ifndef COLLIDED_BROADPHASE_GRID_CROWDS_H
#define COLLIDED_BROADPHASE_GRID_CROWDS_H

#include "physics/tables/grid.h"

struct world;

/* How many bodies a body finds in its cell, itself included: the average of a sample. */
double grid_crowding(const struct grid *grid, const struct world *world);
/* Whether the cells are to be laid out anew: the bodies crowd in them much more than when they were laid out, or they were made
 * for crowds long ago. */
bool grid_crowded(const struct grid *grid, const struct world *world);
/* Whether they are so in cells that were laid out for others, by what has just been noted. */
bool grid_crowded_from_start(const struct grid *grid);
/* Whether they change cells much more often than then. */
bool grid_rushed(const struct grid *grid, const struct world *world);
/* The area that the bodies would have if they were everywhere as dense as where most of them are: of the box, unless they crowd
 * in it. Uses grid->heads as scratch. */
double crowds_area(struct grid *grid, const struct world *world, const struct grid_box *box, double cells_most);
/* What a level's cells are to be for. */
struct crowd_bounds {
	struct grid_box box; /* of its bodies, and of all walls */
	double least;        /* edge length of the smallest cells that are allowed */
	double skin;
	double cells_most;
	double items_most; /* entries in the lists of walls */
};
/* For a level that is laid out with cells larger than the least: makes it a hashed one with smaller cells, if its bodies crowd,
 * and if that helps. Uses grid->heads as scratch. */
void crowds_lay(struct grid *grid, const struct world *world, uint32_t level, const struct crowd_bounds *bounds);
/* The number of its cells. */
static inline uint32_t
level_cells(const struct grid_level *level)
{
	return grid_hashed(level) ? level->columns : level->columns * level->rows;
}

/* Fraction of a cell. With such a margin a body that moves to and fro across a border rarely changes cells. */
#define CELL_MARGIN (1.0 / 32.0)
/* More than the margin in x and y together, sqrt(2)/32, plus the rounding of a cell's number. */
#define SPAN_MARGIN (1.0 / 16.0)

/* What follows from a level's edge length. A centre may be outside by the margin, and contacts are searched up to two skins
 * away. */
static inline void
level_size(struct grid_level *level, double cell, double skin)
{
	level->cell = cell;
	level->inverse = 1.0 / cell;
	level->margin = cell * CELL_MARGIN;
	level->span = level->radius + 2.0 * skin + cell * SPAN_MARGIN;
}

/* The largest distance from a cell to a wall that a circle in it touches: the radius, two skins, the margin. */
static inline double
level_reach(const struct grid_level *level)
{
	return level->span - level->cell * (SPAN_MARGIN - CELL_MARGIN);
}

#endif
