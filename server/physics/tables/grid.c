#include "physics/tables/grid.h"

#include "base/memory.h"
#include "physics/geometry/toi.h"
#include "physics/tables/grid_hashed.h"
#include "physics/tables/grid_range.h"

#include <math.h>
#include <string.h>

/* A range of more rows than this is clipped to the circle's shape, at the price of one square root per row. */
#define ROWS_UNCUT 4

void
grid_levels_count(struct grid *grid)
{
	const struct grid_level *last = &grid->levels[grid->levels_laid - 1];

	grid->level_count = grid->levels_laid - (grid->heads[last->first] == UINT32_MAX);
}

uint32_t
grid_cell(const struct grid *grid, uint32_t body, double x, double y)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (grid_hashed(level))
		return hashed_cell(level, x, y);
	return level->first + axis_index(y - level->y0, level->inverse, level->rows) * level->columns +
	       axis_index(x - level->x0, level->inverse, level->columns);
}

struct grid_patch
grid_cells(const struct grid *grid, uint32_t body, const struct grid_box *box)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (grid_hashed(level))
		return hashed_patch(level, box, 0.0);

	struct grid_range range = range_of_box(level, box, 0.0);

	return (struct grid_patch){ range.c0, range.r0, range.c1 - range.c0 + 1, range.r1 - range.r0 + 1 };
}

uint32_t
grid_patch_cell(const struct grid_level *level, const struct grid_patch *patch, uint32_t row, uint32_t column)
{
	if (grid_hashed(level))
		return level->first + hashed_number(level, patch->column + column, patch->row + row);
	return level->first + ((uint32_t)patch->row + row) * level->columns + (uint32_t)patch->column + column;
}

struct grid_box
grid_cell_box(const struct grid *grid, uint32_t body, two position)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	const struct grid_place place = place_of_cell(level, grid->rows[body].cell, position);
	double x = level->x0 + place.index[0] * level->cell, y = level->y0 + place.index[1] * level->cell;
	double low = 2.0 * level->margin, high = level->cell + low;

	return (struct grid_box){
		.x0 = place.index[0] > 0.0 ? x - low : -(double)INFINITY,
		.y0 = place.index[1] > 0.0 ? y - low : -(double)INFINITY,
		.x1 = place.index[0] < level->last_column ? x + high : (double)INFINITY,
		.y1 = place.index[1] < level->last_row ? y + high : (double)INFINITY,
	};
}

void
grid_enter(struct grid *grid, uint32_t body, uint32_t cell)
{
	uint32_t head = grid->heads[cell];
	struct grid_row *row = &grid->rows[body];

	row->cell = cell;
	row->previous = UINT32_MAX;
	row->next = head;
	if (head != UINT32_MAX)
		grid->rows[grid_body(head)].previous = body;
	grid->heads[cell] = head != UINT32_MAX ? body | GRID_MORE : body;
	grid->occupied[cell / 64] |= UINT64_C(1) << cell % 64;
}

/* The reference to a body's list entry: the head of its cell, or the row of the body before it. */
static uint32_t *
place_of(struct grid *grid, uint32_t body)
{
	const struct grid_row *row = &grid->rows[body];

	return row->previous != UINT32_MAX ? &grid->rows[row->previous].next : &grid->heads[row->cell];
}

void
grid_move(struct grid *grid, uint32_t body, uint32_t cell)
{
	const struct grid_row row = grid->rows[body];

	*place_of(grid, body) = row.next;
	if (row.next != UINT32_MAX)
		grid->rows[grid_body(row.next)].previous = row.previous;
	else if (row.previous != UINT32_MAX)
		*place_of(grid, row.previous) = row.previous;
	else
		grid->occupied[row.cell / 64] &= ~(UINT64_C(1) << row.cell % 64);
	grid_enter(grid, body, cell);
}

static void
walls_free(struct grid_walls *walls)
{
	if (walls->borrowed)
		return;
	memory_free(walls->segment_starts);
	memory_free(walls->segment_items);
	memory_free(walls->vertex_starts);
	memory_free(walls->vertex_items);
	memory_free(walls->walled);
	memory_free(walls->boxes);
}

void
grid_drop_walls(struct grid *grid)
{
	grid->still = grid->moving = (struct grid_walls){ 0 };
}

void
grid_borrow_walls(struct grid *grid, const struct grid_walls *still)
{
	walls_free(&grid->still);
	grid->still = *still;
	grid->still.borrowed = true;
}

void
grid_return_walls(struct grid *grid)
{
	if (grid->still.borrowed)
		grid->still = (struct grid_walls){ 0 };
}

static size_t
walls_bytes(const struct grid_walls *walls)
{
	return (walls->segment_start_capacity + walls->segment_item_capacity + walls->vertex_start_capacity +
	        walls->vertex_item_capacity) *
	           sizeof(uint32_t) +
	       walls->walled_capacity * sizeof *walls->walled + walls->box_capacity * sizeof *walls->boxes;
}

size_t
grid_memory_bytes(const struct grid *grid)
{
	return grid->memory_bytes + (grid->still.borrowed ? 0 : walls_bytes(&grid->still)) + walls_bytes(&grid->moving);
}

size_t
grid_borrowed_bytes(const struct grid *grid)
{
	return grid->still.borrowed ? walls_bytes(&grid->still) : 0;
}

void
grid_finish(struct grid *grid)
{
	memory_free(grid->heads);
	memory_free(grid->occupied);
	memory_free(grid->rows);
	walls_free(&grid->still);
	walls_free(&grid->moving);
	*grid = (struct grid){ 0 };
}

/* The time at which a coordinate leaves the cell's interval. Border cells are open on their outer side. */
static inline double
axis_leave(double origin, double cell, double margin, double index, double last, const double path[3], double duration)
{
	double low = origin + index * cell - margin, high = origin + (index + 1.0) * cell + margin;
	double first = (double)INFINITY;
	double travel = 1.0001 * duration * (fabs(path[1]) + 0.5 * duration * fabs(path[2]));

	if (path[0] - travel > low && path[0] + travel < high)
		return first;
	if (index > 0.0 && (path[1] < 0.0 || path[2] < 0.0))
		first = toi_height(path[0] - low, path[1], path[2], 0.0, duration);
	if (index < last && (path[1] > 0.0 || path[2] > 0.0))
		return lesser(first, toi_height(high - path[0], -path[1], -path[2], 0.0, duration));
	return first;
}

static inline double
place_leave(const struct grid_level *level, double column, double row, two position, two velocity, two acceleration,
            double duration)
{
	const double x[3] = { position[0], velocity[0], acceleration[0] };
	const double y[3] = { position[1], velocity[1], acceleration[1] };

	return lesser(axis_leave(level->x0, level->cell, level->margin, column, level->last_column, x, duration),
	              axis_leave(level->y0, level->cell, level->margin, row, level->last_row, y, duration));
}

__attribute__((noinline)) static double
hashed_leave_curved(const struct grid_level *level, uint32_t cell, two position, two velocity, two acceleration,
                    double duration)
{
	const struct grid_place place = hashed_place(level, cell, position);

	return place.found ? place_leave(level, place.index[0], place.index[1], position, velocity, acceleration, duration) : 0.0;
}

double
grid_leave_curved(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (grid_hashed(level))
		return hashed_leave_curved(level, grid->rows[body].cell, position, velocity, acceleration, duration);

	struct grid_spot spot = grid_spot(level, grid->rows[body].cell - level->first);

	return place_leave(level, (double)spot.column, (double)spot.row, position, velocity, acceleration, duration);
}

/* A time before which a coordinate with speed v stays in an interval. `more`: the speed that gravity may add. */
static inline double
axis_stays(double low, double high, bool open_low, bool open_high, double x, double v, double more)
{
	double up = v + more, down = more - v;
	double east = up > 0.0 && !open_high ? larger(high - x, 0.0) / up : (double)INFINITY;
	double west = down > 0.0 && !open_low ? larger(x - low, 0.0) / down : (double)INFINITY;

	return lesser(east, west);
}

/* Whether a cell has no border on the left and the right, below and above. */
struct cell_open {
	bool left, right, below, above;
};

static inline double
place_stays(const struct grid_level *level, double column, double row, struct cell_open open, two position, two velocity,
            two acceleration, double duration)
{
	double low = GRID_STAYS_MARGIN * level->margin, high = level->cell + low;
	double x = level->x0 + column * level->cell, y = level->y0 + row * level->cell;

	return lesser(
		axis_stays(x - low, x + high, open.left, open.right, position[0], velocity[0], duration * fabs(acceleration[0])),
		axis_stays(y - low, y + high, open.below, open.above, position[1], velocity[1], duration * fabs(acceleration[1])));
}

__attribute__((noinline)) static double
hashed_stays_falling(const struct grid_level *level, uint32_t cell, two position, two velocity, two acceleration,
                     double duration)
{
	const struct grid_place place = hashed_place(level, cell, position);
	const struct cell_open open = { place.index[0] <= 0.0, place.index[0] >= level->last_column, place.index[1] <= 0.0,
		                            place.index[1] >= level->last_row };

	if (!place.found)
		return 0.0;
	return place_stays(level, place.index[0], place.index[1], open, position, velocity, acceleration, duration);
}

double
grid_stays_falling(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (grid_hashed(level))
		return hashed_stays_falling(level, grid->rows[body].cell, position, velocity, acceleration, duration);

	struct grid_spot spot = grid_spot(level, grid->rows[body].cell - level->first);
	const struct cell_open open = { spot.column == 0, spot.column + 1 == level->columns, spot.row == 0,
		                            spot.row + 1 == level->rows };

	return place_stays(level, (double)spot.column, (double)spot.row, open, position, velocity, acceleration, duration);
}

/* Takes the next row, clipped to within `reach` of the box in both directions. False if nothing of it is within reach. */
static bool
row_cut(struct grid_look *look, const struct grid_level *level, double reach)
{
	const struct grid_box *box = &look->box;
	uint32_t row = grid_spot(level, look->row - level->first).row, first = level->first + row * level->columns;
	double low = level->y0 + (double)row * level->cell, high = low + level->cell;
	/* Border cells extend to infinity. */
	double above = row > 0 ? low - box->y1 : 0.0, below = row + 1 < level->rows ? box->y0 - high : 0.0;
	double off = fmax(fmax(above, below), 0.0);

	look->row += level->columns;
	look->rows--;
	if (off >= reach)
		return false;

	double half = sqrt((reach - off) * (reach + off));

	look->cell = first + axis_index(box->x0 - half - level->x0, level->inverse, level->columns);
	look->cell_end = first + axis_index(box->x1 + half - level->x0, level->inverse, level->columns) + 1;
	return true;
}

bool
grid_look_row(struct grid_look *look)
{
	const struct grid *grid = look->grid;

	if (look->hashed && hashed_look_row(look))
		return true;
	look->hashed = NULL;
	while (look->rows > 0)
		if (row_cut(look, &grid->levels[look->level - 1], look->radius + grid->levels[look->level - 1].span))
			return true;
	look->level += look->level == look->skipped;
	if (look->level >= grid->level_count)
		return false;

	const struct grid_level *level = &grid->levels[look->level++];

	if (grid_hashed(level))
		return hashed_look_level(look, level);

	struct grid_range range = range_of_box(level, &look->box, look->radius + level->span);

	look->columns = level->columns;
	look->row = level->first + range.r0 * level->columns + range.c0;
	look->row_width = range.c1 - range.c0 + 1;
	look->rows = range.r1 - range.r0 + 1;
	look->cut = look->rows > ROWS_UNCUT;
	/* Makes the caller find no cell yet, and take the first row. */
	look->cell = look->cell_end;
	return true;
}
