/* grid_hashed: a level of cells for bodies that crowd in few parts of a wide world. Its rows and columns are as many as the
 * world needs, its cells as many as the bodies. Each cell of the number
 *
 *     (column + row * stride) mod columns
 *
 * stands for all places with this number; `stride` is the Fibonacci number before that of the cells. So a cell may hold bodies
 * that are far apart. That costs time and changes nothing, because queries find supersets in any case.
 *
 * - The cells of a row are consecutive, the last one followed by the first. The three cells around one in the next row are at
 *   the same distances from it everywhere. Most code only needs that.
 * - Because of these two numbers, the beginnings of up to n consecutive rows are at least columns / (3 n) cells apart. So a
 * crowd of any shape is spread evenly. HASHED_PATCH_PART is this bound.
 * - A cell's own column and row follow from its number and a place of the body. The place is in the cell, widened by its
 * margin, so the cell is one of nine. If it is none of them, the body has left it.
 * - A wall is listed in each of its cells once; a long one in all.
 *
 * Pure; any thread. Internal to grid.c and to what lays and walks cells. */
#ifndef COLLIDED_TABLES_GRID_HASHED_H
#define COLLIDED_TABLES_GRID_HASHED_H

#include "physics/tables/grid.h"

/* No level has more columns or rows: their numbers are rounded by far less than the margin then. */
#define HASHED_INDEX_MAX 0x1p40
/* Rows of up to this part of the cells in all never share a cell. */
#define HASHED_PATCH_PART 3u

/* A level has at least so many cells: then the four rows of grid_rings share none. */
#define HASHED_LEAST 144u

/* The Fibonacci number before that of the cells. */
static inline uint32_t
hashed_stride(const struct grid_level *level)
{
	return (uint32_t)(0.61803398874989485 * level->columns + 0.5);
}

/* The number within the level of the cell in this column and row. */
static inline uint32_t
hashed_number(const struct grid_level *level, uint64_t column, uint64_t row)
{
	return (uint32_t)((row % level->columns * hashed_stride(level) + column) % level->columns);
}

/* The column or row of a coordinate's offset. */
static inline double
hashed_index(double offset, double inverse, double last)
{
	double index = offset * inverse;

	if (!(index > 0.0))
		return 0.0;
	return index >= last ? last : (double)(int64_t)index;
}

/* A cell's column and row. */
struct grid_place {
	two index;
	bool found; /* false: the position is not in the cell */
};

struct grid_place hashed_place(const struct grid_level *level, uint32_t cell, two position);

static inline struct grid_place
place_of_cell(const struct grid_level *level, uint32_t cell, two position)
{
	if (grid_hashed(level))
		return hashed_place(level, cell, position);

	struct grid_spot spot = grid_spot(level, cell - level->first);

	return (struct grid_place){ { (double)spot.column, (double)spot.row }, true };
}

/* Sets the number of cells to the largest possible up to `most`, or to HASHED_LEAST. */
void hashed_size(struct grid_level *level, double most);
/* The cell of a place. */
uint32_t hashed_cell(const struct grid_level *level, double x, double y);
/* The cells that the box touches when it is widened by `reach`; all cells if they are too many. */
struct grid_patch hashed_patch(const struct grid_level *level, const struct grid_box *box, double reach);
/* Whether a whole stretch of a centre's path, from (middle - half) to (middle + half), is in the cell, widened by `margin`. */
bool hashed_stays(const struct grid_level *level, uint32_t cell, two position, two middle, two half, double margin);
/* grid_look_row in a hashed level; false after the last row. */
bool hashed_look_row(struct grid_look *look);
/* Begins a walk over a level's cells; false if there are none. */
bool hashed_look_level(struct grid_look *look, const struct grid_level *level);

#endif
