/* rims_search: the loops of a rims_way around its comparison of boxes. Internal to rims.c and rims_wide.c, which each make
 * theirs of it. */
#ifndef COLLIDED_PHYSICS_RIMS_SEARCH_H
#define COLLIDED_PHYSICS_RIMS_SEARCH_H

#include "physics/rims.h"

/* Appends to found[count ..] and returns the new count. */
typedef size_t rims_range_search(const double *boxes, uint32_t slot, uint32_t first, uint32_t end, struct rim_pair *found,
                                 size_t count);

__attribute__((always_inline)) static inline size_t
rims_row_loop(const struct rims *rims, const struct grid_level *level, uint32_t row, uint32_t *slot, struct rim_pair *found,
              rims_range_search *search)
{
	const uint32_t *starts = rims->starts, columns = level->columns, first = level->first + row * columns;
	const double *boxes = rims->boxes;
	uint32_t k = *slot, end = starts[first + columns];
	bool below = row + 1 < level->rows;
	size_t count = 0;

	for (; k < end && count < RIMS_PAIRS_ENOUGH; k++) {
		uint32_t cell = rims->owners[k].cell, column = cell - first;
		uint32_t west = column > 0, east = column + 1 < columns;

		count = search(boxes, k, k + 1, starts[cell + 1 + east], found, count);
		if (below)
			count = search(boxes, k, starts[cell + columns - west], starts[cell + columns + east + 1], found, count);
	}
	*slot = k;
	return count;
}

#endif
