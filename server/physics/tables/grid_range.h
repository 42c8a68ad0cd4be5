/* grid_range: which cells of a level a box touches. Pure. */
#ifndef COLLIDED_TABLES_GRID_RANGE_H
#define COLLIDED_TABLES_GRID_RANGE_H

#include "physics/tables/grid.h"

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

/* The cells that the box touches when it is widened by `reach`. */
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

#endif
