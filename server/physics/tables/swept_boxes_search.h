/* swept_boxes_search: the search loops around a kernel's comparison of boxes. Internal to swept_boxes.c and swept_boxes_avx2.c,
 * each of which instantiates them with its own. */
#ifndef COLLIDED_TABLES_SWEPT_BOXES_SEARCH_H
#define COLLIDED_TABLES_SWEPT_BOXES_SEARCH_H

#include "physics/tables/swept_boxes.h"

/* Appends to found[count ..] and returns the new count. */
typedef size_t swept_boxes_range_search(const double *boxes, uint32_t slot, uint32_t first, uint32_t end,
                                        struct swept_box_pair *found, size_t count);

__attribute__((always_inline)) static inline size_t
swept_boxes_row_loop(const struct swept_boxes *swept_boxes, const struct grid_level *level, uint32_t row, uint32_t *slot,
                     struct swept_box_pair *found, swept_boxes_range_search *search)
{
	const uint32_t *starts = swept_boxes->starts, columns = level->columns, first = level->first + row * columns;
	const double *boxes = swept_boxes->boxes;
	uint32_t k = *slot, end = starts[first + columns];
	bool below = row + 1 < level->rows;
	size_t count = 0;

	for (; k < end && count < SWEPT_BOXES_PAIRS_ENOUGH; k++) {
		uint32_t cell = swept_boxes->owners[k].cell, column = cell - first;
		uint32_t west = column > 0, east = column + 1 < columns;

		count = search(boxes, k, k + 1, starts[cell + 1 + east], found, count);
		if (below)
			count = search(boxes, k, starts[cell + columns - west], starts[cell + columns + east + 1], found, count);
	}
	*slot = k;
	return count;
}

#endif
