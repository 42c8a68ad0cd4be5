/* grid_parts: what the files of the grid share. Internal. */
#ifndef COLLIDED_BROADPHASE_GRID_PRIVATE_H
#define COLLIDED_BROADPHASE_GRID_PRIVATE_H

#include "physics/broadphase/grid.h"

static inline uint32_t
axis_index(double offset, double inverse, uint32_t count)
{
	double index = offset * inverse;

	if (!(index > 0.0))
		return 0;
	if (index >= (double)count)
		return count - 1;
	return (uint32_t)index;
}

/* The cells that the box, widened by `reach`, touches. */
static inline struct grid_range
range_of_box(const struct grid_level *level, const struct grid_box *box, double reach)
{
	return (struct grid_range){
		.c0 = axis_index(box->x0 - reach - level->x0, level->inverse, level->columns),
		.r0 = axis_index(box->y0 - reach - level->y0, level->inverse, level->rows),
		.c1 = axis_index(box->x1 + reach - level->x0, level->inverse, level->columns),
		.r1 = axis_index(box->y1 + reach - level->y0, level->inverse, level->rows),
	};
}

/* grid_levels.c: chooses the levels and their frames, and gives each body its level (grid->rows[].level). */
void grid_lay(struct grid *grid, const struct world *world);

/* grid_walls.c: lists the walls in the cells. False without memory. */
bool grid_list_walls(struct grid *grid, const struct world *world);

#endif
