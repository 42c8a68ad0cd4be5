/* Happy path: a wall's columns, row by row. If some of its rows could share cells, the wall is listed in all cells. What can go
 * wrong: nothing. */
#include "physics/broadphase/grid_hashed_walls.h"

#include "base/pause.h"

/* Fraction of a cell: more than the rounding of a column or row. */
#define ROUNDING 0x1p-6

struct wall_columns {
	double first, last; /* none, if the last is less than the first */
};

/* The columns in a row in which a centre may touch the wall. Border cells extend to infinity. */
static struct wall_columns
row_columns(const struct grid_level *level, const struct hashed_wall *wall, double row)
{
	double reach = wall->reach + ROUNDING * level->cell, y = level->y0 + row * level->cell, height = wall->y2 - wall->y1;
	double low = (row > 0.0 ? y - reach : -(double)INFINITY) - larger(wall->move_y, 0.0);
	double high = (row < level->last_row ? y + level->cell + reach : (double)INFINITY) - lesser(wall->move_y, 0.0);
	double from = 0.0, to = 1.0;

	/* The part of the wall at these heights. */
	if (lesser(wall->y1, wall->y2) > high || larger(wall->y1, wall->y2) < low)
		return (struct wall_columns){ 0.0, -1.0 };
	if (height != 0.0) {
		double a = (low - wall->y1) / height, b = (high - wall->y1) / height;

		from = larger(from, lesser(a, b));
		to = lesser(to, larger(a, b));
	}

	double x1 = wall->x1 + from * (wall->x2 - wall->x1), x2 = wall->x1 + to * (wall->x2 - wall->x1);

	return (struct wall_columns){
		hashed_index(lesser(x1, x2) + lesser(wall->move_x, 0.0) - reach - level->x0, level->inverse, level->last_column),
		hashed_index(larger(x1, x2) + larger(wall->move_x, 0.0) + reach - level->x0, level->inverse, level->last_column),
	};
}

/* The wall's rows: the first, and how many. */
struct rows {
	double first, count;
};

static struct rows
wall_rows(const struct grid_level *level, const struct hashed_wall *wall)
{
	double reach = wall->reach + ROUNDING * level->cell;
	double low = lesser(wall->y1, wall->y2) + lesser(wall->move_y, 0.0) - reach;
	double high = larger(wall->y1, wall->y2) + larger(wall->move_y, 0.0) + reach;
	double first = hashed_index(low - level->y0, level->inverse, level->last_row);

	return (struct rows){ first, hashed_index(high - level->y0, level->inverse, level->last_row) - first + 1.0 };
}

/* Whether no two of its rows share a cell, which it must be listed in only once. *count is the number of its cells. */
static bool
rows_apart(const struct grid_level *level, const struct hashed_wall *wall, struct rows rows, double *count)
{
	double widest = 0.0;

	*count = 0.0;
	if (rows.count * HASHED_PATCH_PART > level->columns)
		return false;
	for (double r = 0.0; r < rows.count && !pause_after(2); r++) {
		const struct wall_columns columns = row_columns(level, wall, rows.first + r);
		double wide = columns.last - columns.first + 1.0;

		widest = larger(widest, wide);
		*count += larger(wide, 0.0);
	}
	return widest * rows.count * HASHED_PATCH_PART <= level->columns;
}

static void
cells_list(const struct grid_level *level, uint32_t number, uint32_t count, uint32_t index, uint32_t *starts, uint32_t *items)
{
	for (uint32_t k = 0; k < count && !pause_after(1); k++) {
		uint32_t *start = &starts[level->first + number];

		if (items)
			items[*start] = index;
		++*start;
		number = number + 1 < level->columns ? number + 1 : 0;
	}
}

size_t
hashed_wall_list(const struct grid_level *level, const struct hashed_wall *wall, uint32_t index, uint32_t *starts,
                 uint32_t *items)
{
	const struct rows rows = wall_rows(level, wall);
	double count;

	if (!rows_apart(level, wall, rows, &count)) {
		cells_list(level, 0, level->columns, index, starts, items);
		return level->columns;
	}
	for (double r = 0.0; r < rows.count && !pause_after(2); r++) {
		const struct wall_columns columns = row_columns(level, wall, rows.first + r);

		if (columns.first <= columns.last)
			cells_list(level, hashed_number(level, (uint64_t)columns.first, (uint64_t)(rows.first + r)),
			           (uint32_t)(columns.last - columns.first) + 1, index, starts, items);
	}
	return (size_t)count;
}

double
hashed_wall_count(const struct grid_level *level, const struct hashed_wall *wall)
{
	double count;

	return rows_apart(level, wall, wall_rows(level, wall), &count) ? count : level->columns;
}
