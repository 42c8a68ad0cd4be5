/* grid: which bodies and walls may be near a point. A filter only: it returns supersets and never writes a body.
 *
 * The grid has levels of square cells, each level for bodies of similar radii (grid_levels.c chooses them; equal radii make one
 * level). Each level covers a box of its own. What lies outside belongs to the border cells, for bodies and walls alike. A body
 * is in the cell of its centre, in its own level. It stays there while its centre is inside the cell widened by the level's
 * margin. A wall is listed in every cell of every level from which a circle of that level could touch it. Where bodies crowd in
 * few parts of a wide world, a level's cells are hashed (grid_hashed.h); all below holds for them too. Bodies that are too fast
 * for their cells are in a level of one cell, the last (broadphase/grid_fast.h).
 *
 * Which queries are needed so that no pair is missed:
 * - Two bodies of one level that touch are at most one cell apart. So two rules are enough. A body queries the cells around its
 *   own when its path changes. A body that changes cells queries those of them that were not around its last cell.
 * - Of two bodies of different levels, each queries (grid_look) along its path when the path begins and each time that it
 *   changes cells. The query reaches up to where the body will change cells next or the path ends. Proof that this is enough:
 *   let i be the body that queried last. Since then j has changed neither its path nor its cell, because either would be a
 *   query of j. If the query of i covered j's cell, the pair was tested on its present paths. If not, no point of j's cell,
 *   widened by the margin, is within touching distance of the stretch that i queried along. So the two cannot touch before one
 *   of them queries again. When all query at once, at the tick's start, the smaller of the two counts as the last, and only it
 *   need query.
 * - Outliers ("strays") are bodies so far outside the box that their skins are larger than the cells were made for. They always
 *   query their own level too, by the second rule.
 *
 * One thread; owns its memory.
 *
 * The room tables/: data structures that know nothing of a world: cells, swept boxes, event queue, schedule. It uses math,
 * geometry. It is called by world and what is above it. */
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

/* Each level costs every smaller body a query. If radii in one level differ by up to a factor of four, this many levels span a
 * ratio of 65,536. */
#define GRID_LEVELS_MAX 8

struct grid_level {
	double x0, y0;          /* corner */
	double cell, inverse;   /* edge length, and 1 / it */
	double margin;          /* how far a centre may be outside its cell, in x and in y */
	double span;            /* largest distance of a point of a body from its cell, with room for skins and for rounding */
	double radius;          /* the largest of its bodies */
	uint32_t columns, rows; /* if hashed (grid_hashed.h): the number of cells, and 0 */
	double columns_inverse; /* 1 / columns */
	uint32_t first;         /* its cells are first + row * columns + column */
	uint32_t count;         /* number of bodies */
	double last_column, last_row;
};

/* Whether the level's cells are hashed: columns and rows are as many as the world needs, cells as many as the bodies. */
static inline bool
grid_hashed(const struct grid_level *level)
{
	return __builtin_expect(level->rows == 0, 0);
}

/* Walls by cell: those of cell c are items[starts[c] .. starts[c+1]), ascending. */
struct grid_walls {
	uint32_t *segment_starts, *segment_items;
	uint32_t *vertex_starts, *vertex_items;
	uint64_t *walled; /* a bit per cell: whether any wall is listed there */
	size_t segment_start_capacity, segment_item_capacity, vertex_start_capacity, vertex_item_capacity, walled_capacity;
	double *boxes; /* of static walls, by segment, then by vertex: grid_wall_boxes */
	size_t box_capacity;
	bool listed;   /* any wall is listed */
	bool many;     /* some cell lists so many that a loop over them must ask meanwhile (base/pause.h); but for the fast one */
	bool borrowed; /* the arrays are another's, and are only read */
};

/* A body's place in the grid, in one cache line: a change of cells needs all of it. */
struct grid_row {
	_Alignas(16) uint32_t cell;
	uint32_t next;     /* next entry of the cell's list */
	uint32_t previous; /* body before it in the list, or NONE */
	uint32_t level;
};

struct grid {
	/* Ascending by radius. Behind them is one more: the fast one (broadphase/grid_fast.h). */
	struct grid_level levels[GRID_LEVELS_MAX + 1];
	uint32_t level_count, cell_count;    /* levels that may hold bodies: without the fast one, while it is empty */
	uint32_t levels_laid;                /* all that are laid out */
	double rounding;                     /* a body with a coordinate rounded by more is an outlier: see above */
	uint32_t *heads;                     /* first entry of each cell's list, or NONE: grid_onward */
	uint64_t *occupied;                  /* a bit per cell: whether it holds a body */
	struct grid_row *rows;               /* per body */
	struct grid_walls still;             /* static walls */
	struct grid_walls moving;            /* moving walls, in this tick */
	size_t cell_capacity, word_capacity; /* of heads and occupied; a grid that is laid out anew reuses their memory */
	uint32_t laid;                       /* number of bodies when the cells were laid out */
	double crowding, crossings;          /* grid_crowding and crossings_now then */
	size_t memory_bytes;                 /* without the lists of walls */
	bool hashed;                         /* some level is */
	bool rushed;                         /* its cells might be smaller if the bodies were slower */
	bool fresh;                          /* it was laid out for the bodies where they are */
	bool stale;                          /* bodies have moved, and their cells were not updated: see grid_follow */
};

/* Four doubles for each segment, then for each vertex: a box around it. A path of radius 0 can touch it only inside the box.
 * First the left and lower side, then the right and upper side with their signs changed. NULL if there are no static walls. */
static inline const double *
grid_wall_boxes(const struct grid *grid)
{
	return grid->still.boxes;
}

/* The box of a wall in that form. Wider by far than the rounding of a contact. */
static inline void
wall_box_set(double *box, double x1, double y1, double x2, double y2, double radius, double rounding)
{
	double wide = 1.0001 * radius + 4.0 * rounding;

	box[0] = lesser(x1, x2) - wide;
	box[1] = lesser(y1, y2) - wide;
	box[2] = -(larger(x1, x2) + wide);
	box[3] = -(larger(y1, y2) + wide);
}
/* Forgets the lists of walls without freeing them: they belong to another grid. */
void grid_drop_walls(struct grid *grid);
/* Uses static walls that are listed for another grid with the same cells, which outlives this use; and ends that. */
void grid_borrow_walls(struct grid *grid, const struct grid_walls *still);
void grid_return_walls(struct grid *grid);
void grid_finish(struct grid *grid);
/* Without borrowed walls. */
size_t grid_memory_bytes(const struct grid *grid);
size_t grid_borrowed_bytes(const struct grid *grid);

/* Counts the levels that may hold bodies: grid->level_count. */
void grid_levels_count(struct grid *grid);

/* How many levels there are without the fast one. */
static inline uint32_t
grid_levels_own(const struct grid *grid)
{
	return grid->levels_laid - 1;
}

/* Whether a loop over the walls of a cell must ask meanwhile. All walls are in the fast one. */
static inline bool
grid_walls_many(const struct grid *grid, uint32_t cell)
{
	return grid->still.many || cell == grid->levels[grid->levels_laid - 1].first;
}

/* The cell of a body with its centre at (x, y). */
uint32_t grid_cell(const struct grid *grid, uint32_t body, double x, double y);
/* Inserts a body that is in no cell, or moves it from one cell to another. */
void grid_enter(struct grid *grid, uint32_t body, uint32_t cell);
void grid_move(struct grid *grid, uint32_t body, uint32_t cell);
/* An entry in a cell's list: a body, and a bit that says whether another follows. Most bodies are alone in their cells; then
 * the entry says so, and nothing of the body need be read. */
#define GRID_MORE 0x80000000u

static inline uint32_t
grid_body(uint32_t place)
{
	return place & ~GRID_MORE;
}

/* The next entry of the list; UINT32_MAX after the last. */
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

/* Row and column of a cell of the level, from the number of the level's cells before it. */
struct grid_spot {
	uint32_t row, column;
};

/* Without a division. For integers of this size the quotient plus one half is far from where rounding could matter. */
static inline struct grid_spot
grid_spot(const struct grid_level *level, uint32_t number)
{
	uint32_t row = (uint32_t)(((double)number + 0.5) * level->columns_inverse);

	return (struct grid_spot){ row, number - row * level->columns };
}

/* The time at which a centre in uniform motion leaves the cell of this column and row, widened by `margin`, or INFINITY. Border
 * cells are open on their outer side. The rounding of the time is small compared with the level's margin. The direction is
 * unpredictable, so the code has no branch. */
static inline double
grid_leave_place(const struct grid_level *level, two index, two position, two velocity, double margin)
{
	const two none = { 0.0, 0.0 };
	two low = two_load(&level->x0) + index * level->cell - margin, width = none + (level->cell + 2.0 * margin);
	two_mask up = velocity > none, down = velocity < none;
	two time = (low + two_where(up, width) - position) / velocity;
	two_mask leaves = (up & (index < two_load(&level->last_column))) | (down & (index > none));

	time = two_choose(leaves, two_where(time > none, time), none + (double)INFINITY);
	return lesser(time[0], time[1]);
}

/* grid_hashed.c */
double hashed_leave(const struct grid_level *level, uint32_t cell, two position, two velocity, double margin);

static inline double
grid_leave_evenly(const struct grid_level *level, uint32_t cell, two position, two velocity, double margin)
{
	if (grid_hashed(level))
		return hashed_leave(level, cell, position, velocity, margin);

	struct grid_spot spot = grid_spot(level, cell - level->first);
	const two index = { (double)spot.column, (double)spot.row };

	return grid_leave_place(level, index, position, velocity, margin);
}

/* The same within `duration`. */
static inline double
grid_leave_straight(const struct grid_level *level, uint32_t cell, two position, two velocity, double duration)
{
	double time = grid_leave_evenly(level, cell, position, velocity, level->margin);

	return time <= duration ? time : (double)INFINITY;
}

double grid_leave_curved(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration);

/* The time within `duration` at which a centre on the path x + v t + a t^2/2 leaves the body's cell, or INFINITY. */
static inline double
grid_leave(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	if (acceleration[0] != 0.0 || acceleration[1] != 0.0)
		return grid_leave_curved(grid, body, position, velocity, acceleration, duration);
	return grid_leave_straight(&grid->levels[grid->rows[body].level], grid->rows[body].cell, position, velocity, duration);
}

/* Less than the margin, so that the rounding of a path does not matter. */
#define GRID_STAYS_MARGIN 0.9

double grid_stays_falling(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration,
                          double duration);

/* A time, or INFINITY, before which a centre on such a path certainly stays in the body's cell, within `duration`. */
static inline double
grid_stays(const struct grid *grid, uint32_t body, two position, two velocity, two acceleration, double duration)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (acceleration[0] != 0.0 || acceleration[1] != 0.0)
		return grid_stays_falling(grid, body, position, velocity, acceleration, duration);
	return grid_leave_evenly(level, grid->rows[body].cell, position, velocity, GRID_STAYS_MARGIN * level->margin);
}

/* Where a body's centre may be while the body is in its cell, with room for rounding; `position` is one such place. Border
 * cells extend to infinity. */
struct grid_box grid_cell_box(const struct grid *grid, uint32_t body, two position);

/* Columns and rows, both ends included. */
struct grid_range {
	uint32_t c0, r0, c1, r1;
};

/* Some rows of cells of a level. */
struct grid_patch {
	uint64_t column, row; /* of the first */
	uint32_t wide, high;
};

/* The cells of the body's level that the box touches. */
struct grid_patch grid_cells(const struct grid *grid, uint32_t body, const struct grid_box *box);
uint32_t grid_patch_cell(const struct grid_level *level, const struct grid_patch *patch, uint32_t row, uint32_t column);

/* The cell and its neighbours. */
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

/* The non-empty cells of one level among a body's own cell and its neighbours. */
struct grid_ring {
	/* Leftmost cell of each row. The last: of the rest of a row that goes on at a hashed level's first cell. */
	uint32_t first[4];
	unsigned cells; /* four bits per row, the lowest for the leftmost cell */
};

/* Whether the cells from `cell` on hold a body: a bit each, the lowest for the first. Valid for at least eight cells. */
static inline unsigned
grid_bits(const struct grid *grid, uint32_t cell)
{
	/* There is one word more than the cells need. */
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

/* The same for three cells. */
static inline unsigned
grid_three(const struct grid *grid, uint32_t cell)
{
	return grid_bits(grid, cell) & 7u;
}

/* grid_hashed.c */
struct grid_ring hashed_ring(const struct grid *grid, const struct grid_level *level, uint32_t cell);

static inline struct grid_ring
grid_ring(const struct grid *grid, uint32_t body)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];

	if (grid_hashed(level))
		return hashed_ring(grid, level, grid->rows[body].cell);

	struct grid_spot spot = grid_spot(level, grid->rows[body].cell - level->first);
	uint32_t west = spot.column > 0, first = grid->rows[body].cell - west;
	/* The cell itself and those beside it. */
	unsigned wide = west + 1 + (spot.column + 1 < level->columns), kept = (1u << wide) - 1;
	struct grid_ring ring = { { first, first, first, first }, (grid_three(grid, first) & kept) << 4 };

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

/* Prefetches the bits that say whether a cell has walls. */
static inline void
grid_fetch_walls(const struct grid *grid, uint32_t cell)
{
	line_fetch(&grid->still.walled[cell / 64]);
}

/* Prefetches the heads of a cell and of those beside it. */
static inline void
grid_fetch_three(const struct grid *grid, uint32_t cell)
{
	/* They may lie in two cache lines. */
	line_fetch(&grid->heads[cell - (cell > 0)]);
	line_fetch(&grid->heads[cell] + 1);
}

/* The same for all cells around it. */
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

/* Takes the next cell; the ring must not be empty. */
static inline uint32_t
grid_ring_next(struct grid_ring *ring)
{
	unsigned at = (unsigned)__builtin_ctz(ring->cells);

	ring->cells &= ring->cells - 1;
	return ring->first[at / 4] + at % 4;
}

/* The non-empty cells of one level around either of two of its cells, both included. The two are at most one cell apart, in
 * rows and in columns. */
struct grid_rings {
	uint32_t origin, columns; /* first of up to 4 x 4 cells, perhaps off the level; cells per row, 0 if hashed */
	unsigned cells;           /* four bits per row, the lowest for the leftmost cell */
	unsigned around[2];       /* the three by three cells around each of the two, as bits */
	uint32_t first[4];        /* only if hashed: leftmost cell of each row */
};

/* grid_hashed.c */
bool hashed_rings(const struct grid *grid, const struct grid_level *level, uint32_t cell_a, uint32_t cell_b,
                  struct grid_rings *rings);

/* The cells around two cells of one level. False, and no cells, if the two are farther apart; in a hashed level now and then
 * for others. */
static inline bool
grid_rings(const struct grid *grid, const struct grid_level *level, uint32_t cell_a, uint32_t cell_b, struct grid_rings *rings)
{
	if (grid_hashed(level))
		return hashed_rings(grid, level, cell_a, cell_b, rings);

	struct grid_spot a = grid_spot(level, cell_a - level->first), b = grid_spot(level, cell_b - level->first);
	/* Row and column of the first of these cells, plus one. */
	uint32_t row = a.row < b.row ? a.row : b.row, column = a.column < b.column ? a.column : b.column;
	uint32_t down_a = a.row - row, down_b = b.row - row, right_a = a.column - column, right_b = b.column - column;
	/* Columns left of the first and right of the last are not in the level. */
	uint32_t left = column == 0, kept = level->columns - column + 1;
	unsigned inside = (kept < 4 ? (1u << kept) - 1 : 15u) & ~left;

	if ((down_a | down_b | right_a | right_b) > 1)
		return false;
	/* Not as a whole, which would set `first` too. */
	rings->origin = level->first + (row - 1) * level->columns + column - 1;
	rings->columns = level->columns;
	rings->cells = 0;
	rings->around[0] = 0x777u << (4 * down_a + right_a);
	rings->around[1] = 0x777u << (4 * down_b + right_b);
	if (row > 0 && row + 2 < level->rows) {
		for (uint32_t r = 0; r < 4; r++)
			rings->cells |= (grid_bits(grid, rings->origin + r * level->columns + left) << left & inside) << (4 * r);
	} else {
		/* A row outside the level counts as empty. */
		for (uint32_t r = 0; r < 4; r++)
			if (row - 1 + r < level->rows)
				rings->cells |= (grid_bits(grid, rings->origin + r * level->columns + left) << left & inside) << (4 * r);
	}
	rings->cells &= rings->around[0] | rings->around[1];
	return true;
}

/* Takes the next cell and sets *bit to its bit; the rings must not be empty. */
static inline uint32_t
grid_rings_next(struct grid_rings *rings, unsigned *bit)
{
	unsigned at = (unsigned)__builtin_ctz(rings->cells);

	*bit = rings->cells & -rings->cells;
	rings->cells &= rings->cells - 1;
	return (rings->columns != 0 ? rings->origin + at / 4 * rings->columns : rings->first[at / 4]) + at % 4;
}

/* A walk over non-empty cells: those that may hold a body that touches a circle centred anywhere in a box. */
struct grid_look {
	const struct grid *grid;
	struct grid_box box;
	double radius;
	uint32_t level, skipped;         /* the next level; a level to leave out, or NONE */
	uint32_t cell, cell_end;         /* rest of the current row */
	uint32_t rows, row, row_width;   /* rows left; where the next begins; its cells */
	uint32_t columns;                /* of the current level */
	bool cut;                        /* its rows are taken one by one: clipped, or of a hashed level */
	const struct grid_level *hashed; /* the current level, if it is; `row` is a number within it then */
};

/* Walks through the levels from `level` on, without `skipped` (NONE: none left out). */
static inline struct grid_look
grid_look_begin(const struct grid *grid, uint32_t level, uint32_t skipped, const struct grid_box *box, double radius)
{
	return (struct grid_look){ .grid = grid, .box = *box, .radius = radius, .level = level, .skipped = skipped };
}

/* grid_hashed.c */
void hashed_look_around(struct grid_look *look, const struct grid_level *level, uint32_t cell);

/* The same for a box around the body's own cell: in its own level, only that cell and its neighbours are visited. */
static inline struct grid_look
grid_look_around(const struct grid *grid, uint32_t body, const struct grid_box *box, double radius)
{
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	struct grid_look look = grid_look_begin(grid, 0, grid->rows[body].level, box, radius);

	if (grid_hashed(level)) {
		hashed_look_around(&look, level, grid->rows[body].cell);
		return look;
	}

	struct grid_range range = grid_around(level, grid->rows[body].cell);

	look.columns = level->columns;
	look.row = level->first + range.r0 * level->columns + range.c0;
	look.row_width = range.c1 - range.c0 + 1;
	look.rows = range.r1 - range.r0 + 1;
	return look;
}

/* Advances to the next row of cells; false when there is none. */
bool grid_look_row(struct grid_look *look);

/* The next cell, or UINT32_MAX after the last. */
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
