/* What can go wrong: nothing. Where a body is not in its cell, it is said to leave at once. */
#include "physics/tables/grid_hashed.h"

void
hashed_size(struct grid_level *level, double most)
{
	uint32_t stride = 89, count = HASHED_LEAST;

	while ((double)stride + count <= most && count < UINT32_MAX / 4) {
		uint32_t next = stride + count;

		stride = count;
		count = next;
	}
	level->columns = count;
	level->rows = 0;
	level->columns_inverse = 1.0 / count;
}

uint32_t
hashed_cell(const struct grid_level *level, double x, double y)
{
	double column = hashed_index(x - level->x0, level->inverse, level->last_column);
	double row = hashed_index(y - level->y0, level->inverse, level->last_row);

	return level->first + hashed_number(level, (uint64_t)column, (uint64_t)row);
}

/* How many cells after `from` the cell `to` comes. */
static inline uint32_t
cells_between(const struct grid_level *level, uint32_t from, uint32_t to)
{
	return to >= from ? to - from : to + level->columns - from;
}

/* Which of the cells around another comes `between` cells after it. False: none. */
static bool
beside_find(const struct grid_level *level, uint32_t between, int *across, int *down)
{
	/* Where each of the three rows begins. */
	const uint32_t below = hashed_stride(level) - 1, above = level->columns - hashed_stride(level) - 1;

	*across = *down = 0;
	if (between <= 1)
		*across = (int)between;
	else if (between == level->columns - 1)
		*across = -1;
	else if (between - below <= 2)
		*across = (int)(between - below) - 1, *down = 1;
	else if (between - above <= 2)
		*across = (int)(between - above) - 1, *down = -1;
	else
		return false;
	return true;
}

struct grid_place
hashed_place(const struct grid_level *level, uint32_t cell, two position)
{
	double column = hashed_index(position[0] - level->x0, level->inverse, level->last_column);
	double row = hashed_index(position[1] - level->y0, level->inverse, level->last_row);
	uint32_t here = hashed_number(level, (uint64_t)column, (uint64_t)row);
	struct grid_place place = { { column, row }, true };
	int across, down;

	if (here == cell - level->first)
		return place;
	place.found = beside_find(level, cells_between(level, here, cell - level->first), &across, &down);
	if (!place.found)
		return place;
	place.index += (two){ across, down };
	place.found = place.index[0] >= 0.0 && place.index[1] >= 0.0 && place.index[0] <= level->last_column &&
	              place.index[1] <= level->last_row;
	return place;
}

double
hashed_leave(const struct grid_level *level, uint32_t cell, two position, two velocity, double margin)
{
	const struct grid_place place = hashed_place(level, cell, position);

	return place.found ? grid_leave_place(level, place.index, position, velocity, margin) : 0.0;
}

bool
hashed_stays(const struct grid_level *level, uint32_t cell, two position, two middle, two half, double margin)
{
	const struct grid_place place = hashed_place(level, cell, position);
	two low = two_load(&level->x0) + place.index * level->cell - margin, high = low + (level->cell + 2.0 * margin);
	two_mask stays = (middle - half > low) & (middle + half < high);

	return place.found && stays[0] && stays[1];
}

/* Takes the occupied ones of up to three cells from the number `start` on into a row of the ring. */
static void
ring_take(const struct grid *grid, const struct grid_level *level, struct grid_ring *ring, unsigned row, uint32_t start)
{
	uint32_t before = level->columns - start;

	ring->first[row] = level->first + start;
	if (before >= 3) {
		ring->cells |= grid_three(grid, level->first + start) << (4 * row);
		return;
	}
	/* Only one of the rows goes on at the first cell. */
	ring->cells |= (grid_bits(grid, level->first + start) & ((1u << before) - 1)) << (4 * row);
	ring->first[3] = level->first;
	ring->cells |= (grid_bits(grid, level->first) & ((1u << (3 - before)) - 1)) << 12;
}

struct grid_ring
hashed_ring(const struct grid *grid, const struct grid_level *level, uint32_t cell)
{
	struct grid_ring ring = { { 0 }, 0 };
	uint32_t count = level->columns, west = (cell - level->first + count - 1) % count;

	ring_take(grid, level, &ring, 0, (west + count - hashed_stride(level)) % count);
	ring_take(grid, level, &ring, 1, west);
	ring_take(grid, level, &ring, 2, (west + hashed_stride(level)) % count);
	return ring;
}

bool
hashed_rings(const struct grid *grid, const struct grid_level *level, uint32_t cell_a, uint32_t cell_b,
             struct grid_rings *rings)
{
	uint32_t count = level->columns;
	int across, down;

	if (!beside_find(level, cells_between(level, cell_a - level->first, cell_b - level->first), &across, &down))
		return false;

	unsigned down_a = down<0, right_a = across<0, down_b = down> 0, right_b = across> 0;
	/* The first of four by four. */
	uint64_t start = (uint64_t)(cell_a - level->first) + 3 * (uint64_t)count - (1 + down_a) * (uint64_t)hashed_stride(level) -
	                 1 - right_a;

	*rings = (struct grid_rings){ .around = { 0x777u << (4 * down_a + right_a), 0x777u << (4 * down_b + right_b) } };
	for (unsigned r = 0; r < 4; r++, start += hashed_stride(level)) {
		uint32_t at = (uint32_t)(start % count);

		/* This row goes on at the first cell. */
		if (at + 4 > count)
			return false;
		rings->first[r] = level->first + at;
		rings->cells |= (grid_bits(grid, level->first + at) & 15u) << (4 * r);
	}
	rings->cells &= rings->around[0] | rings->around[1];
	return true;
}

struct grid_patch
hashed_patch(const struct grid_level *level, const struct grid_box *box, double reach)
{
	double c0 = hashed_index(box->x0 - reach - level->x0, level->inverse, level->last_column);
	double c1 = hashed_index(box->x1 + reach - level->x0, level->inverse, level->last_column);
	double r0 = hashed_index(box->y0 - reach - level->y0, level->inverse, level->last_row);
	double r1 = hashed_index(box->y1 + reach - level->y0, level->inverse, level->last_row);

	if ((c1 - c0 + 1.0) * (r1 - r0 + 1.0) * HASHED_PATCH_PART > level->columns)
		return (struct grid_patch){ 0, 0, level->columns, 1 };
	return (struct grid_patch){ (uint64_t)c0, (uint64_t)r0, (uint32_t)(c1 - c0) + 1, (uint32_t)(r1 - r0) + 1 };
}

/* Begins a walk over rows of `width` cells each, the first from this number on. */
static void
look_start(struct grid_look *look, const struct grid_level *level, uint32_t start, uint32_t width, uint32_t rows)
{
	look->hashed = level;
	look->row = start;
	look->row_width = width;
	look->rows = rows;
	look->columns = 0;
	look->cut = true;
}

void
hashed_look_around(struct grid_look *look, const struct grid_level *level, uint32_t cell)
{
	uint64_t count = level->columns;

	look_start(look, level, (uint32_t)((cell - level->first + 2 * count - hashed_stride(level) - 1) % count), 3, 3);
}

bool
hashed_look_level(struct grid_look *look, const struct grid_level *level)
{
	const struct grid_patch patch = hashed_patch(level, &look->box, look->radius + level->span);

	look_start(look, level, hashed_number(level, patch.column, patch.row), patch.wide, patch.high);
	return hashed_look_row(look);
}

/* `columns` is the number of cells of the last row that go on at the level's first cell. */
bool
hashed_look_row(struct grid_look *look)
{
	const struct grid_level *level = look->hashed;
	uint32_t left = level->columns - look->row;

	if (look->columns > 0) {
		look->cell = level->first;
		look->cell_end = level->first + look->columns;
		look->columns = 0;
		return true;
	}
	if (look->rows == 0)
		return false;
	look->cell = level->first + look->row;
	look->cell_end = look->cell + (look->row_width < left ? look->row_width : left);
	look->columns = look->row_width > left ? look->row_width - left : 0;
	look->row = left > hashed_stride(level) ? look->row + hashed_stride(level) : hashed_stride(level) - left;
	look->rows--;
	return true;
}
