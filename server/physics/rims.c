/* Happy path: the bodies' slots are counted and dealt out by cell, and each gets its box. What can go wrong: memory. */
#include "physics/rims_search.h"

#include "base/line.h"
#include "base/pages.h"
#include "physics/predict_parts.h"
#include "physics/settle.h"
#include "physics/two.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a slot: box, owner, pair, flags. */
#define SLOT_BYTES (4 * sizeof(double) + sizeof(struct rim_owner) + sizeof(struct rim_pair) + 1)
/* How many slots ahead bodies are fetched: they lie in the order of ids. */
#define SLOTS_AHEAD 8

bool
rims_reserve(struct rims *rims, const struct world *world)
{
	size_t cells = world->grid.cell_count;
	/* In whole lines of the cache, and with the room that rims_row wants. */
	size_t capacity = ((size_t)world->body_count + RIMS_PAIRS_ENOUGH + 63) / 64 * 64;

	if (!array_reserve(&rims->starts, &rims->start_capacity, cells + 2, sizeof *rims->starts))
		return false;
	rims->starts[0] = 0;
	rims->starts[cells + 1] = world->body_count;
	if (capacity <= rims->capacity)
		return true;
	free(rims->boxes);
	rims->capacity = 0;
	/* One block, what is aligned most first. */
	rims->boxes = pages_alloc(capacity * SLOT_BYTES);
	if (!rims->boxes)
		return false;
	rims->owners = (struct rim_owner *)(void *)(rims->boxes + 4 * capacity);
	rims->found = (struct rim_pair *)(void *)(rims->owners + capacity);
	rims->flags = (uint8_t *)(rims->found + capacity);
	rims->capacity = capacity;
	return true;
}

static void
rims_count(struct rims *rims, const struct world *world)
{
	const struct grid_row *rows = world->grid.rows;
	uint32_t *counts = rims->starts + 2;

	/* Each cell's are counted two places on. */
	memset(counts, 0, (size_t)world->grid.cell_count * sizeof *counts);
	for (uint32_t i = 0; i < world->body_count; i++)
		counts[rows[i].cell]++;
}

static void
rims_deal(struct rims *rims, const struct world *world)
{
	const struct grid_row *rows = world->grid.rows;
	uint32_t cells = world->grid.cell_count;
	uint32_t *starts = rims->starts, sum = 0;

	/* A cell's start is one place on, and goes on while it is filled: then it is the next one's. */
	starts[1] = 0;
	for (uint32_t c = 1; c < cells; c++) {
		sum += starts[c + 1];
		starts[c + 1] = sum;
	}
	for (uint32_t i = 0; i < world->body_count; i++)
		rims->owners[starts[rows[i].cell + 1]++] = (struct rim_owner){ i, rows[i].cell };
}

void
rims_deal_cells(struct rims *rims, const struct world *world, uint32_t first, uint32_t end)
{
	const struct grid *grid = &world->grid;
	uint32_t slot = 0;

	for (uint32_t cell = first; cell < end; cell++) {
		rims->starts[cell] = slot;
		for (uint32_t place = grid->heads[cell]; place != NONE; place = grid_onward(grid, place))
			rims->owners[slot++] = (struct rim_owner){ grid_body(place), cell };
	}
	rims->starts[end] = slot;
}

/* What a row of cells has in common. */
struct fill {
	const struct world *world;
	double x, y; /* corner of its first cell */
	double edge, low, high;
	uint32_t first;
};

/* Whether all of a stretch of the centre's path, from (x - half) to (x + half), is in the cell, margin included. */
static inline bool
stretch_stays(const struct fill *fill, uint32_t cell, two middle, two half)
{
	double x = fill->x + (double)(cell - fill->first) * fill->edge;
	two low = middle - half, high = middle + half;

	return (low[0] > x - fill->low) & (high[0] < x + fill->high) & (low[1] > fill->y - fill->low) &
	       (high[1] < fill->y + fill->high);
}

/* A slot's box and flags. */
static inline void
slot_fill(struct rims *rims, const struct fill *fill, uint32_t slot)
{
	const struct world *world = fill->world;
	const struct grid *grid = &world->grid;
	const struct rim_owner owner = rims->owners[slot];
	const struct body *path = &world->bodies[owner.body];
	bool untouched = world->untouched[owner.body] != 0;
	double t = untouched ? world->dt : path_end(world, owner.body) - path->t0, half = 0.5 * t;
	two step = half * two_load(&path->vx), bend = half * t * two_load(&path->ax), middle = two_load(&path->x) + step;
	two reach = two_abs(step) + two_abs(bend);
	double rounding = body_rounding(path), wide = look_radius(path);

	wide += 0.0001 * (wide + reach[0]);

	two out = reach + wide;

	two_store(&rims->boxes[4 * (size_t)slot], middle - out);
	two_store(&rims->boxes[4 * (size_t)slot + 2], -(middle + out));
	rims->flags[slot] = (uint8_t)((!untouched && settle_clear(world, owner.body) ? RIM_CLEAR : 0) |
	                              (stretch_stays(fill, owner.cell, middle, reach) ? RIM_STAYS : 0) |
	                              (rounding > grid->rounding ? RIM_STRAY : 0) |
	                              (grid_has_walls(grid, owner.cell) ? RIM_WALLS : 0));
}

static void
row_fill(struct rims *rims, const struct world *world, const struct grid_level *level, uint32_t row)
{
	const struct fill fill = {
		.world = world,
		.x = level->x0,
		.y = level->y0 + (double)row * level->cell,
		.edge = level->cell,
		/* Less than the margin, so that what rounding does to a path does not matter. */
		.low = 0.9 * level->margin,
		.high = level->cell + 0.9 * level->margin,
		.first = level->first + row * level->columns,
	};
	uint32_t end = rims->starts[fill.first + level->columns];

	for (uint32_t slot = rims->starts[fill.first]; slot < end; slot++) {
		if (slot + SLOTS_AHEAD < end)
			line_fetch(&world->bodies[rims->owners[slot + SLOTS_AHEAD].body]);
		slot_fill(rims, &fill, slot);
	}
}

void
rims_fill_rows(struct rims *rims, const struct world *world, uint32_t level, uint32_t first, uint32_t end)
{
	for (uint32_t row = first; row < end; row++)
		row_fill(rims, world, &world->grid.levels[level], row);
}

bool
rims_deal_all(struct rims *rims, const struct world *world)
{
	if (!rims_reserve(rims, world))
		return false;
	rims_count(rims, world);
	rims_deal(rims, world);
	return true;
}

void
rims_finish(struct rims *rims)
{
	free(rims->boxes);
	free(rims->starts);
	*rims = (struct rims){ 0 };
}

size_t
rims_memory_bytes(const struct rims *rims)
{
	return rims->capacity * SLOT_BYTES + rims->start_capacity * sizeof *rims->starts;
}

static inline size_t
range_search(const double *boxes, uint32_t slot, uint32_t first, uint32_t end, struct rim_pair *found, size_t count)
{
	const double *box = boxes + 4 * (size_t)slot;
	double left = box[0], low = box[1], right = box[2], high = box[3];

	for (uint32_t k = first; k < end; k++) {
		const double *other = boxes + 4 * (size_t)k;
		double x = larger(other[0] + right, other[2] + left), y = larger(other[1] + high, other[3] + low);

		found[count] = (struct rim_pair){ slot, k };
		count += larger(x, y) > 0.0 ? 0u : 1u;
	}
	return count;
}

static size_t
search_plain(const struct rims *rims, uint32_t slot, uint32_t first, uint32_t end, struct rim_pair *found)
{
	return range_search(rims->boxes, slot, first, end, found, 0);
}

static size_t
row_plain(const struct rims *rims, const struct grid_level *level, uint32_t row, uint32_t *slot, struct rim_pair *found)
{
	return rims_row_loop(rims, level, row, slot, found, range_search);
}

const struct rims_way rims_plain = { search_plain, row_plain };

const struct rims_way *
rims_best(void)
{
#ifdef RIMS_WIDE
	if (__builtin_cpu_supports("avx2"))
		return &rims_wide;
#endif
	return &rims_plain;
}
