/* Happy path: the bodies' slots are counted and assigned by cell, and each gets its box. What can go wrong: memory. */
#include "physics/broadphase/swept_boxes_fill.h"

#include "base/line.h"
#include "base/pause.h"
#include "physics/broadphase/look.h"
#include "physics/math/double2.h"
#include "physics/tables/grid_hashed.h"
#include "physics/world/substep.h"

/* How many slots ahead bodies are prefetched: they lie in the order of ids. */
#define SLOTS_AHEAD 8
/* Units (base/pause.h) of a box. */
#define FILL_UNITS 2u

static void
swept_boxes_count(struct swept_boxes *swept_boxes, const struct world *world)
{
	const struct grid_row *rows = world->grid.rows;
	uint32_t *counts = swept_boxes->starts + 2;

	/* Each cell's count is stored two places further on. */
	(void)pause_fill(counts, 0, (size_t)world->grid.cell_count * sizeof *counts);
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		counts[rows[i].cell]++;
}

static void
swept_boxes_deal(struct swept_boxes *swept_boxes, const struct world *world)
{
	const struct grid_row *rows = world->grid.rows;
	uint32_t cells = world->grid.cell_count;
	uint32_t *starts = swept_boxes->starts, sum = 0;

	/* A cell's start is stored one place further on and advances while the cell is filled. At the end it is the start of the
	 * next cell. */
	starts[1] = 0;
	for (uint32_t c = 1; c < cells && !pause_after(1); c++) {
		sum += starts[c + 1];
		starts[c + 1] = sum;
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		swept_boxes->owners[starts[rows[i].cell + 1]++] = (struct swept_box_owner){ i, rows[i].cell };
}

void
swept_boxes_deal_cells(struct swept_boxes *swept_boxes, const struct world *world, uint32_t first, uint32_t end)
{
	const struct grid *grid = &world->grid;
	uint32_t slot = 0;

	for (uint32_t cell = first; cell < end && !pause_after(4); cell++) {
		swept_boxes->starts[cell] = slot;
		for (uint32_t place = grid->heads[cell]; place != NONE; place = grid_onward(grid, place))
			swept_boxes->owners[slot++] = (struct swept_box_owner){ grid_body(place), cell };
	}
	swept_boxes->starts[end] = slot;
}

/* What the cells of a row have in common. */
struct fill {
	const struct world *world;
	const struct grid_level *level;
	double x, y; /* corner of its first cell */
	double edge, low, high;
	uint32_t first;
};

/* Whether a whole stretch of the centre's path, from (x - half) to (x + half), is in the cell, margin included. */
static inline bool
stretch_stays(const struct fill *fill, uint32_t cell, two middle, two half)
{
	double x = fill->x + (double)(cell - fill->first) * fill->edge;
	two low = middle - half, high = middle + half;

	return (low[0] > x - fill->low) & (high[0] < x + fill->high) & (low[1] > fill->y - fill->low) &
	       (high[1] < fill->y + fill->high);
}

/* Writes a slot's box and flags. */
__attribute__((always_inline)) static inline void
slot_fill(struct swept_boxes *swept_boxes, const struct fill *fill, uint32_t slot, bool hashed)
{
	const struct world *world = fill->world;
	const struct grid *grid = &world->grid;
	const struct swept_box_owner owner = swept_boxes->owners[slot];
	const struct body *path = &world->bodies.paths[owner.body];
	uint8_t upkeep = world->bodies.clean[owner.body];
	double t = upkeep != BODY_DIRTY ? world->step.dt : path_end(world, owner.body) - path->t0, half = 0.5 * t;
	two step = half * two_load(&path->vx), bend = half * t * two_load(&path->ax), middle = two_load(&path->x) + step;
	two reach = two_abs(step) + two_abs(bend);
	double rounding = body_rounding(path), wide = look_radius(path);

	wide += 0.0001 * (wide + reach[0]);

	two out = reach + wide;

	bool stays = hashed ? hashed_stays(fill->level, owner.cell, two_load(&path->x), middle, reach, fill->low)
	                    : stretch_stays(fill, owner.cell, middle, reach);

	two_store(&swept_boxes->boxes[4 * (size_t)slot], middle - out);
	two_store(&swept_boxes->boxes[4 * (size_t)slot + 2], -(middle + out));
	bool clear = upkeep == BODY_STILL || (upkeep == BODY_DIRTY && handover_clear(world, owner.body));

	swept_boxes->flags[slot] = (uint8_t)((clear ? SWEPT_BOX_CLEAR : 0) | (stays ? SWEPT_BOX_STAYS : 0) |
	                                     (rounding > grid->rounding ? SWEPT_BOX_OUTLIER : 0) |
	                                     (grid_has_walls(grid, owner.cell) ? SWEPT_BOX_WALLS : 0));
}

__attribute__((always_inline)) static inline void
row_fill(struct swept_boxes *swept_boxes, const struct world *world, const struct grid_level *level, uint32_t row, bool hashed)
{
	const struct fill fill = {
		.world = world,
		.level = level,
		.x = level->x0,
		.y = level->y0 + (double)row * level->cell,
		.edge = level->cell,
		/* Less than the margin, so that the rounding of a path does not matter. */
		.low = 0.9 * level->margin,
		.high = level->cell + 0.9 * level->margin,
		.first = level->first + row * level->columns,
	};
	uint32_t end = swept_boxes->starts[fill.first + level->columns];

	uint32_t first = swept_boxes->starts[fill.first];

	for (struct pause_piece piece = { first, first }; pause_piece_next(&piece, end, FILL_UNITS);)
		for (uint32_t slot = piece.first; slot < piece.end; slot++) {
			if (slot + SLOTS_AHEAD < end)
				line_fetch(&world->bodies.paths[swept_boxes->owners[slot + SLOTS_AHEAD].body]);
			slot_fill(swept_boxes, &fill, slot, hashed);
		}
}

/* Apart, as the compiler makes worse code of both in one function. */
__attribute__((noinline)) static void
hashed_fill(struct swept_boxes *swept_boxes, const struct world *world, const struct grid_level *level)
{
	row_fill(swept_boxes, world, level, 0, true);
}

void
swept_boxes_fill_rows(struct swept_boxes *swept_boxes, const struct world *world, uint32_t level, uint32_t first, uint32_t end)
{
	if (grid_hashed(&world->grid.levels[level])) {
		hashed_fill(swept_boxes, world, &world->grid.levels[level]);
		return;
	}
	for (uint32_t row = first; row < end; row++)
		row_fill(swept_boxes, world, &world->grid.levels[level], row, false);
}

bool
swept_boxes_deal_all(struct swept_boxes *swept_boxes, const struct world *world)
{
	if (!swept_boxes_reserve(swept_boxes, world->grid.cell_count, world->bodies.count))
		return false;
	swept_boxes_count(swept_boxes, world);
	swept_boxes_deal(swept_boxes, world);
	return true;
}
