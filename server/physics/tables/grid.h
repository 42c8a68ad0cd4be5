/* grid: which bodies and walls may be near a point. A filter only: it passes supersets and never writes a body.
 *
 * Levels of square cells, each for bodies of like radii (grid_levels.c chooses them; equal radii make one), each over a box of
 * its own; what lies outside belongs to the border cells (bodies and walls by the same rule). A body is in the cell of its
 * centre, in its own level, and stays there while its centre is inside the cell widened by the level's margin. Walls are listed
 * in every cell of every level from which a circle of that level could touch them.
 *
 * Who must be looked for, and when, so that no pair is missed:
 * - Two bodies of one level that touch are at most one cell apart. So it is enough that a body whose path changes looks at the
 *   cells around its own, and one that changes cells at those of them that were not around its last one.
 * - Of two bodies of different levels, it is enough that each looks (grid_look) along its path when the path begins and each
 *   time that it changes cells, up to where it will change cells next or the path ends. Proof: let i be the one that looked
 *   last. Since then j has neither changed its path nor its cell, for either is a look of j. If the look of i passed j's cell,
 *   the pair was held together on its present paths. If not, no point of the cell widened by the margin is within touching
 *   distance of the stretch that i looked along: they cannot touch before one of them looks again. When all look at once, at
 *   the tick's start, the smaller of two counts as the last, and only it need look.
 * - Strays, bodies so far outside the box that their skins are larger than was thought of when the cells were made, always look
 *   through their own level too, as by the second rule.
 * One thread; owns its memory. */
#ifndef COLLIDED_TABLES_GRID_H
#define COLLIDED_TABLES_GRID_H

#include "base/line.h"
#include "physics/math/double2.h"
#include "physics/math/larger.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A box that holds a stretch of a centre's path. */
struct grid_box {
	double x0, y0, x1, y1;
};

/* Each costs every smaller body a look; with radii up to four times apart in one this is 1 : 65,536. */
#define GRID_LEVELS_MAX 8

struct grid_level {
	double x0, y0;        /* corner */
	double cell, inverse; /* edge length, and 1 / it */
	double margin;        /* how far a centre may be outside its cell, in x and in y */
	double reach;         /* largest distance from a centre to a wall that it touches, seen from its cell */
	double span;          /* largest distance of a body's rim from its cell, with room for skins and for rounding */
	double radius;        /* the largest */
	uint32_t columns, rows;
	double columns_inverse; /* 1 / columns */
	uint32_t first;         /* its cells are first + row * columns + column */
	uint32_t count;         /* bodies */
};

/* Walls in the cells: of cell c items[starts[c] .. starts[c+1]), ascending. */
struct grid_walls {
	uint32_t *segment_starts, *segment_items;
	uint32_t *vertex_starts, *vertex_items;
	uint64_t *walled; /* a bit for each cell: whether any is listed there */
	size_t segment_start_capacity, segment_item_capacity, vertex_start_capacity, vertex_item_capacity, walled_capacity;
	double *boxes; /* of those that do not move, by segment, then by vertex: grid_wall_boxes */
	size_t box_capacity;
	bool listed; /* any are */
};

/* Where a body is, in one line: a change of cells wants all of it. */
struct grid_row {
	_Alignas(16) uint32_t cell;
	uint32_t next;     /* place in the cell's list */
	uint32_t previous; /* body before it, or NONE */
	uint32_t level;
};

struct grid {
	struct grid_level levels[GRID_LEVELS_MAX]; /* ascending by radius */
	uint32_t level_count, cell_count;
	double rounding;                     /* bodies whose coordinates are rounded by more are strays: see below */
	uint32_t *heads;                     /* first place of each cell's list, or NONE: grid_onward */
	uint64_t *occupied;                  /* a bit for each cell: whether it has a first body */
	struct grid_row *rows;               /* per body */
	struct grid_walls still;             /* those that do not move */
	struct grid_walls moving;            /* the same of those that move, in this tick */
	size_t cell_capacity, word_capacity; /* of heads and occupied: a grid laid anew takes their memory */
	uint32_t laid;                       /* bodies when the cells were laid out */
	size_t memory_bytes;                 /* without the walls' */
	bool stale;                          /* bodies have moved and nobody followed: see grid_follow */
};

/* Four doubles for each segment, then for each vertex: the box about it from whose inside a path of no radius could touch it,
 * its left and lower side, then the right and the upper one with their signs changed. NULL if there are none that do not move.
 */
static inline const double *
grid_wall_boxes(const struct grid *grid)
{
	return grid->still.boxes;
}
/* Forgets the lists of walls without ending them: they are another grid's. */
void grid_drop_walls(struct grid *grid);
void grid_finish(struct grid *grid);
size_t grid_memory_bytes(const struct grid *grid);

/* The cell of a body whose centre is there. */
uint32_t grid_cell(const struct grid *grid, uint32_t body, double x, double y);
/* Puts a body that is in no cell into one, and takes one from its cell to another. */
void grid_enter(struct grid *grid, uint32_t body, uint32_t cell);
void grid_move(struct grid *grid, uint32_t body, uint32_t cell);
/* A place in the list of who is in a cell: a body, and whether another follows. So nothing of a body that is alone in its cell
 * need be read to know that; most are. */
#define GRID_MORE 0x80000000u

static inline uint32_t
grid_body(uint32_t place)
{
	return place & ~GRID_MORE;
}

/* The next place of the list, UINT32_MAX behind the last one. */
static inline uint32_t
grid_onward(const struct grid *grid, uint32_t place)
{
	return place & GRID_MORE ? grid->rows[grid_body(place)].next : UINT32_MAX;
}

static inline bool
walls_have(const struct grid_walls *walls, uint32_t cell)
{
	return (walls->walled[cell / 64] >> (cell % 64) & 1) != 0;
}

/* Whether any wall is listed in a cell. */
static inline bool
grid_has_walls(const struct grid *grid, uint32_t cell)
{
	return walls_have(&grid->still, cell) || (grid->moving.listed && walls_have(&grid->moving, cell));
}

/* Row and column of a cell of the level, given by how many of its cells come before it. */
struct grid_spot {
	uint32_t row, column;
};

/* Without a division: of whole numbers this large the halves are far from where rounding could decide. */
static inline struct grid_spot
grid_spot(const struct grid_level *level, uint32_t number)
{
	uint32_t row = (uint32_t)(((double)number + 0.5) * level->columns_inverse);

	return (struct grid_spot){ row, number - row * level->columns };
}

/* The time at which a centre that moves evenly leaves the cell, widened by `margin`, in one of the directions, or INFINITY;
 * border cells are open on their outer side. What rounding does to the time is little beside the level's margin. Which way it
 * goes nobody can guess, so without a branch. */
static inline double
grid_leave_evenly(const struct grid_level *level, uint32_t cell, two position, two velocity, double margin)
{
	struct grid_spot spot = grid_spot(level, cell - level->first);
	const two index = { (double)spot.column, (double)spot.row }, none = { 0.0, 0.0 };
	const two last = { (double)(level->columns - 1), (double)(level->rows - 1) };
	two low = two_load(&level->x0) + index * level->cell - margin, width = none + (level->cell + 2.0 * margin);
	two_mask up = velocity > none, down = velocity < none;
	two time = (low + two_where(up, width) - position) / velocity;
	two_mask leaves = (up & (index < last)) | (down & (index > none));

	time = two_choose(leaves, two_where(time > none, time), none + (double)INFINITY);
	return lesser(time[0], time[1]);
}

/* The same within `duration`. */
static inline double
grid_leave_straight(const struct grid_level *level, uint32_t cell, two position, two velocity, double duration)
{
	double time = grid_leave_evenly(level, cell, position, velocity, level->margin);

	return time <= duration ? time : (double)INFINITY;
}

double grid_leave_curved(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration);

/* The time within `duration` at which a centre on the path x + v t + a t^2/2 leaves the body's cell in one of the directions,
 * or INFINITY. */
static inline double
grid_leave(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	if (acceleration[0] != 0.0 || acceleration[1] != 0.0)
		return grid_leave_curved(grid, body, position, velocity, acceleration, duration);
	return grid_leave_straight(&grid->levels[grid->rows[body].level], grid->rows[body].cell, position, velocity, duration);
}

/* Less than the margin, so that what rounding does to a path does not matter. */
#define GRID_STAYS_MARGIN 0.9

double grid_stays_falling(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration,
                          double duration);

/* A time, or INFINITY, before which a centre on such a path surely stays in the body's cell, for as long as `duration`. */
static inline double
grid_stays(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (acceleration[0] != 0.0 || acceleration[1] != 0.0)
		return grid_stays_falling(grid, body, position, velocity, acceleration, duration);
	return grid_leave_evenly(level, grid->rows[body].cell, position, velocity, GRID_STAYS_MARGIN * level->margin);
}

/* Where a body's centre may be while it is in its cell, with room for rounding; border cells go on for ever. */
static inline struct grid_box
grid_cell_box(const struct grid *grid, uint32_t body)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	struct grid_spot spot = grid_spot(level, grid->rows[body].cell - level->first);
	double x = level->x0 + (double)spot.column * level->cell, y = level->y0 + (double)spot.row * level->cell;
	double low = 2.0 * level->margin, high = level->cell + low;

	return (struct grid_box){
		.x0 = spot.column > 0 ? x - low : -(double)INFINITY,
		.y0 = spot.row > 0 ? y - low : -(double)INFINITY,
		.x1 = spot.column + 1 < level->columns ? x + high : (double)INFINITY,
		.y1 = spot.row + 1 < level->rows ? y + high : (double)INFINITY,
	};
}

/* Columns and rows, the last ones included. */
struct grid_range {
	uint32_t c0, r0, c1, r1;
};

/* The cells of the body's level that the box touches. */
struct grid_range grid_cells(const struct grid *grid, uint32_t body, const struct grid_box *box);

/* The cell and those around it. */
static inline struct grid_range
grid_around(const struct grid_level *level, uint32_t cell)
{
	struct grid_spot spot = grid_spot(level, cell - level->first);

	return (struct grid_range){
		.c0 = spot.column - (spot.column > 0),
		.r0 = spot.row - (spot.row > 0),
		.c1 = spot.column + (spot.column + 1 < level->columns),
		.r1 = spot.row + (spot.row + 1 < level->rows),
	};
}

/* The cells of one level around a body's own, that one included, which are not empty. */
struct grid_ring {
	uint32_t first[3]; /* leftmost cell of each row */
	unsigned cells;    /* four bits a row, the lowest for the leftmost cell */
};

/* Whether cells from `cell` on have a body, a bit each, the lowest for the first: right for the next eight at least. */
static inline unsigned
grid_bits(const struct grid *grid, uint32_t cell)
{
	/* There is a word more than cells need. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint32_t bits;

	memcpy(&bits, (const char *)grid->occupied + cell / 8, sizeof bits);
	return bits >> cell % 8;
#else
	const uint64_t *words = &grid->occupied[cell / 64];
	uint32_t shift = cell % 64;

	return (unsigned)(words[0] >> shift | words[1] << 1 << (63 - shift));
#endif
}

/* The same of three cells. */
static inline unsigned
grid_three(const struct grid *grid, uint32_t cell)
{
	return grid_bits(grid, cell) & 7u;
}

static inline struct grid_ring
grid_ring(const struct grid *grid, uint32_t body)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	struct grid_spot spot = grid_spot(level, grid->rows[body].cell - level->first);
	uint32_t west = spot.column > 0, first = grid->rows[body].cell - west;
	/* Its own and those beside it. */
	unsigned wide = west + 1 + (spot.column + 1 < level->columns), kept = (1u << wide) - 1;
	struct grid_ring ring = { { first, first, first }, (grid_three(grid, first) & kept) << 4 };

	if (spot.row > 0) {
		ring.first[0] = first - level->columns;
		ring.cells |= grid_three(grid, ring.first[0]) & kept;
	}
	if (spot.row + 1 < level->rows) {
		ring.first[2] = first + level->columns;
		ring.cells |= (grid_three(grid, ring.first[2]) & kept) << 8;
	}
	return ring;
}

/* Has what says whether a cell has walls come to the cache. */
static inline void
grid_fetch_walls(const struct grid *grid, uint32_t cell)
{
	line_fetch(&grid->still.walled[cell / 64]);
}

/* Has the heads of a cell and of those beside it come to the cache. */
static inline void
grid_fetch_three(const struct grid *grid, uint32_t cell)
{
	/* They may lie in two lines. */
	line_fetch(&grid->heads[cell - (cell > 0)]);
	line_fetch(&grid->heads[cell] + 1);
}

/* The same of those around it. */
static inline void
grid_fetch_rows(const struct grid *grid, const struct grid_level *level, uint32_t cell)
{
	grid_fetch_three(grid, cell >= level->columns ? cell - level->columns : cell);
	grid_fetch_three(grid, cell);
	grid_fetch_three(grid, cell + level->columns < grid->cell_count ? cell + level->columns : cell);
}

static inline void
grid_fetch_around(const struct grid *grid, uint32_t body)
{
	const struct grid_row *row = &grid->rows[body];

	grid_fetch_rows(grid, &grid->levels[row->level], row->cell);
}

/* Takes the next cell; the ring must have one. */
static inline uint32_t
grid_ring_next(struct grid_ring *ring)
{
	unsigned at = (unsigned)__builtin_ctz(ring->cells);

	ring->cells &= ring->cells - 1;
	return ring->first[at / 4] + at % 4;
}

/* The cells of one level around two of its cells, those included, which are not empty. The two are at most one cell apart, in
 * rows and in columns. */
struct grid_rings {
	uint32_t origin, columns; /* the first of up to four times four cells, and how many make a row; it may be off the level */
	unsigned cells;           /* four bits a row, the lowest for the leftmost cell */
	unsigned around[2];       /* as bits: the three times three cells around each of the two */
};

/* Around two cells of one level; false, and nothing, if they are farther apart. */
static inline bool
grid_rings(const struct grid *grid, const struct grid_level *level, uint32_t cell_a, uint32_t cell_b, struct grid_rings *rings)
{
	struct grid_spot a = grid_spot(level, cell_a - level->first), b = grid_spot(level, cell_b - level->first);
	/* The row and column of the first but one. */
	uint32_t row = a.row < b.row ? a.row : b.row, column = a.column < b.column ? a.column : b.column;
	uint32_t down_a = a.row - row, down_b = b.row - row, right_a = a.column - column, right_b = b.column - column;
	/* What is left of the first column is none of the level; nor is what is right of the last. */
	uint32_t left = column == 0, kept = level->columns - column + 1;
	unsigned inside = (kept < 4 ? (1u << kept) - 1 : 15u) & ~left;

	if ((down_a | down_b | right_a | right_b) > 1)
		return false;
	*rings = (struct grid_rings){
		.origin = level->first + (row - 1) * level->columns + column - 1,
		.columns = level->columns,
		.around = { 0x777u << (4 * down_a + right_a), 0x777u << (4 * down_b + right_b) },
	};
	if (row > 0 && row + 2 < level->rows) {
		for (uint32_t r = 0; r < 4; r++)
			rings->cells |= (grid_bits(grid, rings->origin + r * level->columns + left) << left & inside) << (4 * r);
	} else {
		/* A row that is none of the level counts as empty. */
		for (uint32_t r = 0; r < 4; r++)
			if (row - 1 + r < level->rows)
				rings->cells |= (grid_bits(grid, rings->origin + r * level->columns + left) << left & inside) << (4 * r);
	}
	rings->cells &= rings->around[0] | rings->around[1];
	return true;
}

/* Takes the next cell, *bit of the rings; there must be one. */
static inline uint32_t
grid_rings_next(struct grid_rings *rings, unsigned *bit)
{
	unsigned at = (unsigned)__builtin_ctz(rings->cells);

	*bit = rings->cells & -rings->cells;
	rings->cells &= rings->cells - 1;
	return rings->origin + at / 4 * rings->columns + at % 4;
}

/* A walk over the cells that are not empty and may hold a body that touches a circle whose centre is somewhere in a box. */
struct grid_look {
	const struct grid *grid;
	struct grid_box box;
	double radius;
	uint32_t level, skipped;       /* the next level; one to leave out, or NONE */
	uint32_t cell, cell_end;       /* of the row at hand */
	uint32_t rows, row, row_width; /* how many are left; where the next begins */
	uint32_t columns;              /* of the level at hand */
	bool cut;                      /* its rows have widths of their own */
};

/* Looks through the levels from `level` on, but for `skipped` (NONE: none). */
static inline struct grid_look
grid_look_begin(const struct grid *grid, uint32_t level, uint32_t skipped, const struct grid_box *box, double radius)
{
	return (struct grid_look){ .grid = grid, .box = *box, .radius = radius, .level = level, .skipped = skipped };
}

/* The same for a box about the body's own cell, in whose level the cells around its own are enough. */
static inline struct grid_look
grid_look_around(const struct grid *grid, uint32_t body, const struct grid_box *box, double radius)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	struct grid_range range = grid_around(level, grid->rows[body].cell);
	struct grid_look look = grid_look_begin(grid, 0, grid->rows[body].level, box, radius);

	look.columns = level->columns;
	look.row = level->first + range.r0 * level->columns + range.c0;
	look.row_width = range.c1 - range.c0 + 1;
	look.rows = range.r1 - range.r0 + 1;
	return look;
}

/* Goes on to a row of cells; false when there is none. */
bool grid_look_row(struct grid_look *look);

/* The next cell, or UINT32_MAX when there are no more. */
static inline uint32_t
grid_look_next(struct grid_look *look)
{
	const uint64_t *occupied = look->grid->occupied;

	for (;;) {
		while (look->cell < look->cell_end) {
			uint64_t bits = occupied[look->cell / 64] >> (look->cell % 64);

			if (bits == 0) {
				look->cell = (look->cell / 64 + 1) * 64;
				continue;
			}
			look->cell += (uint32_t)__builtin_ctzll(bits);
			if (look->cell < look->cell_end)
				return look->cell++;
		}
		if (look->rows > 0 && !look->cut) {
			look->cell = look->row;
			look->cell_end = look->row + look->row_width;
			look->row += look->columns;
			look->rows--;
		} else if (!grid_look_row(look)) {
			return UINT32_MAX;
		}
	}
}

#endif
