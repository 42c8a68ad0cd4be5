/* Predicts all bodies at once. Happy path: each is tested against those after it in the reading order of its level's cells, so
 * that each pair of neighbours is seen once. Then it is tested against the walls of its cell and against larger levels. What
 * can go wrong: memory (world->failed). */
#include "physics/broadphase/grid_build.h"
#include "physics/broadphase/swept_boxes_fill.h"
#include "physics/prediction/predict_private.h"
#include "physics/prediction/schedule_looks.h"
#include "physics/tables/grid_hashed.h"
#include "physics/tables/grid_range.h"
#include "physics/tables/swept_boxes.h"
#include "physics/world/substep.h"

#include <math.h>

/* If fewer than this fraction of the bodies are awake, they are predicted one by one: a walk over the cells costs as much for
 * sleeping bodies as for others. */
#define FEW_PART 4u

/* Units (base/pause.h) of a pair that was found, and of a body that is compared with those around it. */
#define PAIR_UNITS 4u
#define ROW_UNITS 4u

/* Predicts the pairs that were found. */
static void
predict_found(struct world *world, size_t count)
{
	const struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;

	for (struct pause_piece piece = { 0 }; pause_piece_next(&piece, (uint32_t)count, PAIR_UNITS);)
		for (uint32_t n = piece.first; n < piece.end; n++) {
			struct swept_box_pair pair = swept_boxes->found[n];
			uint32_t body = swept_boxes->owners[pair.slot].body, other = swept_boxes->owners[pair.other].body;

			if (!(swept_boxes->flags[pair.slot] & swept_boxes->flags[pair.other] & SWEPT_BOX_CLEAR))
				predict_circles(world, body < other ? body : other, body < other ? other : body);
		}
}

/* A body that stays in its cell against those of larger levels. The slots of the cells of a row are consecutive. */
static void
predict_larger(struct world *world, const struct swept_boxes_kernels *way, uint32_t slot, uint32_t larger_level)
{
	const struct grid *grid = &world->grid;
	struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	const double *rim = &swept_boxes->boxes[4 * (size_t)slot];
	const struct grid_box box = { rim[0], rim[1], -rim[2], -rim[3] };

	for (uint32_t l = larger_level; l < grid->level_count; l++) {
		const struct grid_level *level = &grid->levels[l];
		struct grid_range range = range_of_box(level, &box, level->span);

		for (uint32_t r = range.r0; r <= range.r1; r++) {
			const uint32_t *starts = &swept_boxes->starts[level->first + r * level->columns];

			predict_found(world, way->search(swept_boxes, slot, starts[range.c0], starts[range.c1 + 1], swept_boxes->found));
		}
	}
}

/* A body's leaving of its cell from `time` on, its events with bodies of larger levels, and those with walls. Outliers query
 * all levels. */
static void
predict_beyond(struct world *world, const struct swept_boxes_kernels *way, uint32_t slot, uint32_t larger_level, double time)
{
	const struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	uint32_t body = swept_boxes->owners[slot].body;
	double leave = swept_boxes->flags[slot] & SWEPT_BOX_STAYS ? (double)INFINITY : predict_leave(world, body, time);

	if (swept_boxes->flags[slot] & SWEPT_BOX_OUTLIER ||
	    (larger_level < world->grid.level_count && (leave < (double)INFINITY || world->grid.hashed)))
		predict_levels(world, body, larger_level, time, leave);
	else if (larger_level < world->grid.level_count)
		predict_larger(world, way, slot, larger_level);
	if (swept_boxes->flags[slot] & SWEPT_BOX_WALLS)
		predict_walls(world, body, swept_boxes->owners[slot].cell);
}

/* Tests a slot's box against those of all bodies in some consecutive numbers of a hashed level, after a slot. */
static void
predict_numbers(struct world *world, const struct swept_boxes_kernels *way, uint32_t slot, const struct grid_level *level,
                uint32_t start, uint32_t count)
{
	struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	uint32_t left = level->columns - start, end = count < left ? start + count : level->columns;
	const uint32_t *starts = &swept_boxes->starts[level->first];

	predict_found(world, way->search(swept_boxes, slot, starts[start], starts[end], swept_boxes->found));
	if (count > left)
		predict_found(world, way->search(swept_boxes, slot, starts[0], starts[count - left], swept_boxes->found));
}

/* What some bodies of a level meet besides each other. */
static inline void
predict_slots(struct world *world, const struct swept_boxes_kernels *way, uint32_t l, uint32_t begin, uint32_t end, double time)
{
	const struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	bool alone = l + 1 == world->grid.level_count;

	for (struct pause_piece piece = { begin, begin }; pause_piece_next(&piece, end, LOOK_UNITS) && !world->failed;)
		for (uint32_t slot = piece.first; slot < piece.end && !world->failed; slot++) {
			/* Most need no further test. */
			if (!(alone && (swept_boxes->flags[slot] & ~SWEPT_BOX_CLEAR) == SWEPT_BOX_STAYS))
				predict_beyond(world, way, slot, l + 1, time);
		}
	(void)world_given_up(world);
}

/* The bodies of a hashed level. Each is tested against those after it in its cell, in the next one, and in three of the next
 * row; then against walls and larger levels. */
__attribute__((noinline)) static void
predict_hashed(struct world *world, const struct swept_boxes_kernels *way, uint32_t l, double time)
{
	const struct grid_level *level = &world->grid.levels[l];
	struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	uint32_t count = level->columns, begin = swept_boxes->starts[level->first], end = swept_boxes->starts[level->first + count];

	world->report.cost.looks += end - begin;
	swept_boxes_fill_rows(swept_boxes, world, l, 0, 1);
	for (uint32_t slot = begin; slot < end && !world->failed && !world_pause(world, LOOK_UNITS); slot++) {
		uint32_t cell = swept_boxes->owners[slot].cell, number = cell - level->first;

		predict_found(world, way->search(swept_boxes, slot, slot + 1, swept_boxes->starts[cell + 1], swept_boxes->found));
		predict_numbers(world, way, slot, level, (number + 1) % count, 1);
		predict_numbers(world, way, slot, level, (number + hashed_stride(level) - 1) % count, 3);
	}
	predict_slots(world, way, l, begin, end, time);
}

/* The bodies of a row of cells. Each is tested against the rest of its cell and the next one, which are consecutive, and
 * against the three of the next row; then against walls and larger levels. */
static void
predict_row(struct world *world, const struct swept_boxes_kernels *way, uint32_t l, const struct grid_level *level,
            uint32_t row, double time)
{
	struct swept_boxes *swept_boxes = &world->scratch.swept_boxes;
	uint32_t first = level->first + row * level->columns, begin = swept_boxes->starts[first],
			 end = swept_boxes->starts[first + level->columns];

	world->report.cost.looks += end - begin;
	for (uint32_t slot = begin, before = begin; slot < end && !pause_after((slot - before) * ROW_UNITS);) {
		before = slot;
		predict_found(world, way->row(swept_boxes, level, row, &slot, swept_boxes->found));
	}
	predict_slots(world, way, l, begin, end, time);
}

void
predict_rows(struct world *world, uint32_t first, uint32_t end, double time)
{
	const struct swept_boxes_kernels *way = swept_boxes_best();
	struct grid_level level = world->grid.levels[0];

	/* There is nothing below the last row. */
	level.rows = end;
	swept_boxes_deal_cells(&world->scratch.swept_boxes, world, first * level.columns, end * level.columns);
	swept_boxes_fill_rows(&world->scratch.swept_boxes, world, 0, first, first + 1);
	for (uint32_t row = first; row < end && !world->failed; row++) {
		if (row + 1 < end)
			swept_boxes_fill_rows(&world->scratch.swept_boxes, world, 0, row + 1, row + 2);
		predict_row(world, way, 0, &level, row, time);
	}
}

/* For a world in which most bodies sleep: each awake body by itself, against all around it. */
static void
predict_awake(struct world *world, double time)
{
	const struct awake *awake = &world->bodies.awake;
	uint32_t count = world->bodies.count;

	for (uint32_t i = awake_from(awake, 0, count); i < count && !world->failed; i = awake_from(awake, i + 1, count)) {
		predict_from(world, i, time);
		world->report.cost.looks++;
		if (world_pause(world, LOOK_UNITS))
			return;
	}
}

void
predict_all(struct world *world, double time)
{
	const struct swept_boxes_kernels *way = swept_boxes_best();

	if (time == 0.0 && schedule_predict(world))
		return;
	grid_follow(&world->grid, world, time);
	/* A moving wall is found by the bodies that it comes to, asleep or not, so none may move. */
	if (world->bodies.count - world->bodies.asleep_count < world->bodies.count / FEW_PART && world->walls.moving_count == 0) {
		predict_awake(world, time);
		return;
	}
	if (!swept_boxes_deal_all(&world->scratch.swept_boxes, world)) {
		world->failed = true;
		return;
	}
	if (world_given_up(world))
		return;
	/* Smaller bodies query larger levels, so the largest level comes first. A row is tested against the row below, which is
	 * filled just before it is needed, while its bodies are in the cache. */
	for (uint32_t l = world->grid.level_count; l-- > 0 && !world->failed;) {
		const struct grid_level *level = &world->grid.levels[l];

		if (grid_hashed(level)) {
			predict_hashed(world, way, l, time);
			continue;
		}
		swept_boxes_fill_rows(&world->scratch.swept_boxes, world, l, 0, 1);
		for (uint32_t row = 0; row < level->rows && !world->failed; row++) {
			if (row + 1 < level->rows)
				swept_boxes_fill_rows(&world->scratch.swept_boxes, world, l, row + 1, row + 2);
			predict_row(world, way, l, level, row, time);
		}
	}
}
