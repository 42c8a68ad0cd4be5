/* How many levels of cells there are, how large the cells of each, and which box they cover: chosen by counting what a search
 * would visit. */
#include "physics/broadphase/grid_build.h"
#include "physics/broadphase/grid_crowds.h"
#include "physics/broadphase/grid_fast.h"
#include "physics/math/sort.h"
#include "physics/tables/grid_hashed.h"
#include "physics/tables/grid_range.h"
#include "physics/world/world.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells are wider than the largest pair needs by this factor, which pays for the margins on both sides (CELL_MARGIN). 2/32 < 1
 * - 1/1.1. */
#define CELL_SLACK 1.1
/* More cells per body and wall would cost more to clear and to traverse than they save. */
#define CELLS_PER_SHAPE_MAX 4
/* Of that for walls where they are listed for many worlds: each needs heads of its own for all cells. */
#define CELLS_SHARED_PART 0.4
/* With more list entries per wall and cell the cells are made larger: this bounds the memory for long walls. */
#define ITEMS_PER_SHAPE_MAX 16
/* Where bodies crowd in a wide world: a wall that is longer than the cells are many is listed in all of them. */
#define HASHED_ITEMS_PER_SHAPE_MAX 64

/* The part of their width that bodies have at least as room around them, where the cells do not fit the walls. */
#define ROOM_PART 0.125

/* Sample size of bodies, and of ends of walls, from which a box is chosen. */
#define SAMPLE 1024

/* Radii are sorted into classes of half an octave, by the exponent and one bit of a double. The classes are coarser when there
 * are too many. */
#define KEYS 4096
#define KEY_SHIFT 51
#define CLASSES_MAX 64
/* With radii that differ by at most this factor, levels gain nothing. */
#define RATIO_UNLEVELLED 1.5

/* The cost of a query. The unit is one tested pair of the body's own level, where two pairs are tested at once. The costs are
 * for a cell, a pair of two levels, and a level of another size. Fitted to instructions and mispredicted branches of gases
 * (docs/performance.md). */
#define COST_CELL 0.3
#define COST_PAIR 4.0
#define COST_LOOK 20.0

static double
box_size(const struct grid_box *box)
{
	return larger(larger(fabs(box->x0), fabs(box->y0)), larger(fabs(box->x1), fabs(box->y1)));
}

static void
box_add(struct grid_box *box, double x, double y)
{
	box->x0 = lesser(box->x0, x);
	box->y0 = lesser(box->y0, y);
	box->x1 = larger(box->x1, x);
	box->y1 = larger(box->y1, y);
}

static const struct grid_box box_empty = { (double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY };

static struct grid_box
walls_box(const struct world *world)
{
	struct grid_box box = box_empty;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++) {
		box_add(&box, world->walls.segments[i].x1, world->walls.segments[i].y1);
		box_add(&box, world->walls.segments[i].x2, world->walls.segments[i].y2);
	}
	return box;
}

/* Coordinates of an evenly spaced sample of the bodies and the walls. */
struct sample {
	double x[2 * SAMPLE], y[2 * SAMPLE];
	size_t count;
};

/* Samples the bodies of a level, or of all (NONE); `count` is their number. */
static void
sample_bodies(struct sample *sample, const struct grid *grid, const struct world *world, uint32_t level, uint32_t count)
{
	uint32_t step = count / SAMPLE + 1, seen = 0;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		if ((level != NONE && grid->rows[i].level != level) || seen++ % step != 0)
			continue;
		sample->x[sample->count] = world->bodies.paths[i].x;
		sample->y[sample->count++] = world->bodies.paths[i].y;
	}
}

static void
sample_walls(struct sample *sample, const struct world *world)
{
	uint32_t step = 2 * world->walls.segment_count / SAMPLE + 1;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i += step) {
		sample->x[sample->count] = world->walls.segments[i].x1;
		sample->y[sample->count++] = world->walls.segments[i].y1;
		sample->x[sample->count] = world->walls.segments[i].x2;
		sample->y[sample->count++] = world->walls.segments[i].y2;
	}
}

/* The range that holds nearly all of `count` values, extended on both sides by `more` times its width. Changes their
 * order. */
static void
range_trim(double *values, size_t count, double more, double *low, double *high)
{
	double first = double_select(values, count, count / 32), last = double_select(values, count, count - 1 - count / 32);

	*low = larger(*low, first - more * (last - first));
	*high = lesser(*high, last + more * (last - first));
}

/* Clips the box to where the shapes are, so that a few outliers do not make all cells large; they share the border cells. */
static void
box_trim(struct grid_box *box, struct sample *sample, double more)
{
	if (sample->count < 32)
		return;
	range_trim(sample->x, sample->count, more, &box->x0, &box->x1);
	range_trim(sample->y, sample->count, more, &box->y0, &box->y1);
}

/* Rows and columns for a cell size. */
static void
level_divide(struct grid_level *level, const struct grid_box *box, double cell, double skin)
{
	level_size(level, cell, skin);
	level->columns = (uint32_t)lesser((box->x1 - box->x0) / cell, 4e6) + 1;
	level->columns_inverse = 1.0 / level->columns;
	level->rows = (uint32_t)lesser((box->y1 - box->y0) / cell, 4e6) + 1;
	level->last_column = level->columns - 1;
	level->last_row = level->rows - 1;
}

/* An upper bound of the list entries of all segments, without visiting their cells. */
static double
items_estimate(const struct grid_level *level, const struct world *world)
{
	/* Along the way, and along the border where a wall is outside. */
	double total = 0.0, most = 2.0 * ((double)level->columns + level->rows);

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++) {
		const struct segment *s = &world->walls.segments[i];
		double across = lesser((fabs(s->ux) + fabs(s->uy)) * level->inverse, most) + 3.0;

		double thick = level_reach(level) + s->radius + s->rounding;

		total += (across + 2.0 * s->radius * level->inverse) * (2.0 * thick * level->inverse + 3.0);
	}
	return total;
}

static double
cell_least(double radius, double skin)
{
	double cell = (2.0 * radius + skin) * CELL_SLACK;

	return cell > 0.0 ? cell : 1.0;
}

/* The limit of cells for a level of `level` bodies among `bodies`. Each level also gets a part of the share of all bodies,
 * because few bodies have as much space to divide. */
static double
cells_most(double level, double bodies, double walls)
{
	return CELLS_PER_SHAPE_MAX * (0.5 * (level + bodies) + walls + 64.0);
}

/* How much room on each side a box of this width and height may have within an area; 0 if it has not even that area. */
static double
room_around(double width, double height, double area)
{
	double sum = width + height, more = area - width * height;

	return more > 0.0 ? 0.25 * (sqrt(sum * sum + 4.0 * more) - sum) : 0.0;
}

/* Clips the box to where a level's bodies are, and room around them, as much as fits the area. Walls farther away belong to the
 * border cells. */
static void
box_clip(struct grid_box *box, const struct grid *grid, const struct world *world, uint32_t level, double area)
{
	struct grid_box bodies = box_empty;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (grid->rows[i].level == level)
			box_add(&bodies, world->bodies.paths[i].x, world->bodies.paths[i].y);

	if (!(bodies.x0 <= bodies.x1))
		return;

	double room = room_around(bodies.x1 - bodies.x0, bodies.y1 - bodies.y0, area);
	double wide = larger(room, ROOM_PART * (bodies.x1 - bodies.x0)), high = larger(room, ROOM_PART * (bodies.y1 - bodies.y0));

	box->x0 = larger(box->x0, bodies.x0 - wide);
	box->y0 = larger(box->y0, bodies.y0 - high);
	box->x1 = lesser(box->x1, bodies.x1 + wide);
	box->y1 = lesser(box->y1, bodies.y1 + high);
}

static bool
box_fits(const struct grid_box *box, double cell, double cells_max)
{
	return (box->x1 - box->x0) / cell * ((box->y1 - box->y0) / cell) <= cells_max;
}

/* Lays out one level's cells over a box of its bodies and all walls. `anywhere`: its bodies may be anywhere. */
static void
level_lay(struct grid *grid, const struct world *world, uint32_t index, struct grid_box box, double skin, bool anywhere)
{
	struct grid_level *level = &grid->levels[index];
	double shapes = (double)level->count + (double)world->walls.segment_count + 64.0, bodies = 0.0;
	double cell = cell_least(level->radius, skin);

	for (uint32_t l = 0; l < grid->level_count; l++)
		bodies += grid->levels[l].count;

	double walls = world->walls.segment_count * (anywhere ? CELLS_SHARED_PART : 1.0);
	double cells_max = cells_most(level->count, bodies, walls);

	struct crowd_bounds bounds = { box, cell, skin, cells_max, shapes * HASHED_ITEMS_PER_SHAPE_MAX };

	if (!anywhere && !box_fits(&box, cell, cells_max))
		box_clip(&box, grid, world, index, 0.9 * cells_max * cell * cell);
	bounds.box = box;
	if (!box_fits(&box, cell, cells_max)) {
		struct sample sample;

		sample.count = 0;
		if (!anywhere)
			sample_bodies(&sample, grid, world, index, level->count);
		sample_walls(&sample, world);

		struct grid_box trimmed = box;

		/* The bodies, which the box has been clipped to, may be where the sample sees only few: then nothing would be left. */
		box_trim(&trimmed, &sample, 1.0);
		if (trimmed.x0 <= trimmed.x1 && trimmed.y0 <= trimmed.y1)
			box = trimmed;
	}
	level->x0 = box.x0;
	level->y0 = box.y0;
	for (;; cell *= 1.25) {
		level_divide(level, &box, cell, skin);
		if (level->columns == 1 && level->rows == 1)
			break;
		if ((double)level->columns * level->rows <= cells_max && items_estimate(level, world) <= shapes * ITEMS_PER_SHAPE_MAX)
			break;
	}
	if (anywhere || cell == bounds.least)
		return;
	if (larger(bounds.box.x1 - bounds.box.x0, bounds.box.y1 - bounds.box.y0) > HASHED_INDEX_MAX * bounds.least)
		bounds.box = box;
	crowds_lay(grid, world, index, &bounds);
}

/* Bodies of similar radii. */
struct radii {
	double radius; /* the largest */
	uint32_t count;
};

/* The data for the choice of levels. */
struct level_choice {
	struct radii classes[CLASSES_MAX]; /* ascending */
	uint32_t class_count;
	uint32_t key_shift;
	double width, height; /* of the region of nearly all bodies */
	double bodies, walls;
	double skin;
};

static uint32_t
radius_key(double radius, uint32_t shift)
{
	uint64_t bits;

	memcpy(&bits, &radius, sizeof bits);
	return (uint32_t)(bits >> KEY_SHIFT) % KEYS >> shift;
}

/* Sorts radii into classes; class_of[key] is the class of each. */
static void
classes_collect(struct level_choice *choice, const struct world *world, uint8_t *class_of)
{
	uint32_t counts[KEYS];
	uint32_t used;

	for (choice->key_shift = 0;; choice->key_shift++) {
		memset(counts, 0, sizeof counts);
		used = 0;
		for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
			used += counts[radius_key(world->bodies.paths[i].radius, choice->key_shift)]++ == 0;
		if (used <= CLASSES_MAX)
			break;
	}
	choice->class_count = 0;
	for (uint32_t key = 0; key < KEYS; key++) {
		if (counts[key] == 0)
			continue;
		class_of[key] = (uint8_t)choice->class_count;
		choice->classes[choice->class_count++] = (struct radii){ .count = counts[key] };
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		double radius = world->bodies.paths[i].radius;
		struct radii *class = &choice->classes[class_of[radius_key(radius, choice->key_shift)]];

		class->radius = larger(class->radius, radius);
	}
}

/* The cost of one body's query among `bodies`, in square cells inside a region of the given size. The query box is `wide`
 * across. */
static double
look_cost(const struct level_choice *choice, double bodies, double cell, double wide)
{
	double width = larger(choice->width, cell), height = larger(choice->height, cell);
	/* There are no cells outside the region. */
	double cells = lesser(wide, width + cell) * lesser(wide, height + cell) / (cell * cell);

	return COST_LOOK + COST_CELL * cells + COST_PAIR * bodies * lesser(wide * wide / (width * height), 1.0);
}

/* The cost of the queries, one for each body, that concerns classes `from` to `last` as one level: its own bodies query each
 * other, and all others query it. This is how events query, from the smaller body of a pair to the larger one and vice
 * versa. */
static double
level_cost(const struct level_choice *choice, uint32_t from, uint32_t last)
{
	double radius = choice->classes[last].radius, bodies = 0.0;

	for (uint32_t k = from; k <= last; k++)
		bodies += choice->classes[k].count;

	double cells_max = cells_most(bodies, choice->bodies, choice->walls);
	double cell = larger(cell_least(radius, choice->skin), sqrt(choice->width * choice->height / cells_max));
	double density = bodies / (larger(choice->width, cell) * larger(choice->height, cell));
	double cost = bodies * (9.0 * COST_CELL + lesser(9.0 * density * cell * cell, bodies));

	for (uint32_t k = 0; k < choice->class_count; k++) {
		double wide = 2.0 * (choice->classes[k].radius + radius + cell * SPAN_MARGIN) + cell;

		if (k < from || k > last)
			cost += choice->classes[k].count * look_cost(choice, bodies, cell, wide);
	}
	return cost;
}

/* Splits the classes at least cost by dynamic programming over the smaller classes. level_of[class] is set to its level. */
static uint32_t
levels_choose(const struct level_choice *choice, uint32_t levels_max, uint8_t *level_of)
{
	double best[GRID_LEVELS_MAX + 1][CLASSES_MAX + 1]; /* [levels][classes] */
	uint32_t start[GRID_LEVELS_MAX + 1][CLASSES_MAX + 1];
	uint32_t count = choice->class_count, levels = 1;

	for (uint32_t c = 0; c <= count; c++)
		best[0][c] = c == 0 ? 0.0 : (double)INFINITY;
	for (uint32_t l = 1; l <= levels_max; l++) {
		best[l][0] = (double)INFINITY;
		for (uint32_t c = 1; c <= count; c++) {
			best[l][c] = (double)INFINITY;
			start[l][c] = 0;
			for (uint32_t from = l - 1; from < c; from++) {
				double cost = best[l - 1][from];

				/* The sum only grows: this split is already too costly. */
				if (cost < best[l][c])
					cost += level_cost(choice, from, c - 1);
				if (cost < best[l][c]) {
					best[l][c] = cost;
					start[l][c] = from;
				}
			}
		}
		if (best[l][count] < best[levels][count])
			levels = l;
	}
	for (uint32_t l = levels, end = count; l > 0; end = start[l--][end])
		memset(level_of + start[l][end], (int)(l - 1), end - start[l][end]);
	return levels;
}

/* The part of the plane that holds nearly all bodies. */
static struct grid_box
bodies_box(const struct grid *grid, const struct world *world)
{
	struct grid_box box = box_empty;
	struct sample sample;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++)
		box_add(&box, world->bodies.paths[i].x, world->bodies.paths[i].y);
	sample.count = 0;
	sample_bodies(&sample, grid, world, NONE, world->bodies.count);
	box_trim(&box, &sample, 1.0 / 30.0);
	return box;
}

/* Gives every body its level: one level for all unless several are cheaper. Returns their number. */
static uint32_t
levels_assign(struct grid *grid, const struct world *world, double skin)
{
	double least = (double)INFINITY, largest = 0.0;

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, world->bodies.count, 2);) {
		for (uint32_t i = p.first; i < p.end; i++) {
			least = lesser(least, world->bodies.paths[i].radius);
			largest = larger(largest, world->bodies.paths[i].radius);
			grid->rows[i].level = 0;
		}
	}
	if (pause_stopped() || !(largest > RATIO_UNLEVELLED * least))
		return 1;

	struct grid_box box = bodies_box(grid, world);
	double all = (box.x1 - box.x0) * (box.y1 - box.y0);
	double part = all > 0.0 ? sqrt(crowds_area(grid, world, &box, world->bodies.count + 256.0) / all) : 1.0;
	struct level_choice choice = {
		.width = part * (box.x1 - box.x0),
		.height = part * (box.y1 - box.y0),
		.bodies = world->bodies.count,
		.walls = world->walls.segment_count,
		.skin = skin,
	};
	uint8_t class_of[KEYS], level_of[CLASSES_MAX];
	/* Every level lists all walls. One level more than the bodies pay for is allowed. */
	uint32_t levels_max = world->walls.segment_count > 0 ? world->bodies.count / world->walls.segment_count + 2
	                                                     : GRID_LEVELS_MAX;

	classes_collect(&choice, world, class_of);
	if (pause_stopped())
		return 1;

	uint32_t count = levels_choose(&choice, levels_max < GRID_LEVELS_MAX ? levels_max : GRID_LEVELS_MAX, level_of);

	for (uint32_t i = 0; i < world->bodies.count && count > 1 && !pause_after(1); i++)
		grid->rows[i].level = level_of[class_of[radius_key(world->bodies.paths[i].radius, choice.key_shift)]];
	return count;
}

void
grid_lay(struct grid *grid, const struct world *world)
{
	struct grid_box boxes[GRID_LEVELS_MAX], walls = walls_box(world), box = walls;
	double largest = 0.0;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(2); i++) {
		box_add(&box, world->bodies.paths[i].x, world->bodies.paths[i].y);
		largest = larger(largest, world->bodies.paths[i].radius);
	}

	double rounding = box.x0 <= box.x1 ? 4.0 * box_size(&box) * SKIN_PER_COORDINATE : 0.0;

	grid->rounding = 0.375 * rounding;
	grid->level_count = levels_assign(grid, world, rounding);
	if (pause_stopped())
		return;
	for (uint32_t l = 0; l < grid->level_count; l++) {
		grid->levels[l] = (struct grid_level){ 0 };
		boxes[l] = walls;
	}
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		struct grid_level *level = &grid->levels[grid->rows[i].level];

		assert(grid->rows[i].level < grid->level_count);
		box_add(&boxes[grid->rows[i].level], world->bodies.paths[i].x, world->bodies.paths[i].y);
		level->radius = larger(level->radius, world->bodies.paths[i].radius);
		level->count++;
	}
	if (pause_stopped())
		return;
	grid->cell_count = 0;
	grid->hashed = grid->rushed = false;
	for (uint32_t l = 0; l < grid->level_count; l++) {
		if (!(boxes[l].x0 <= boxes[l].x1))
			boxes[l] = (struct grid_box){ 0.0, 0.0, 0.0, 0.0 };
		level_lay(grid, world, l, boxes[l], rounding + grid->levels[l].radius * SKIN_PER_RADIUS, false);
		grid->levels[l].first = grid->cell_count;
		grid->cell_count += level_cells(&grid->levels[l]);
	}
	fast_lay(grid, &box);
}

/* The next number with two bits behind its first: at most a quarter more. */
static double
radius_round(double radius)
{
	const uint64_t rest = (UINT64_C(1) << 50) - 1;
	uint64_t bits;

	memcpy(&bits, &radius, sizeof bits);
	bits = (bits + rest) & ~rest;
	memcpy(&radius, &bits, sizeof bits);
	return radius;
}

/* Fewer bodies than these have cells as many as these. */
#define ROUND_BODIES 16u

static uint32_t
count_round(uint32_t count)
{
	uint32_t rounded = ROUND_BODIES;

	while (rounded < count && rounded < UINT32_MAX / 2)
		rounded *= 2;
	return rounded;
}

void
grid_levels_round(struct grid *grid, const struct world *world)
{
	grid->level_count = levels_assign(grid, world, 0.0);
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++) {
		struct grid_level *level = &grid->levels[grid->rows[i].level];

		level->radius = larger(level->radius, world->bodies.paths[i].radius);
		level->count++;
	}
	for (uint32_t l = 0; l < grid->level_count; l++) {
		grid->levels[l].radius = radius_round(grid->levels[l].radius);
		grid->levels[l].count = count_round(grid->levels[l].count);
	}
}

void
grid_lay_walls(struct grid *grid, const struct world *world)
{
	const struct grid_box box = walls_box(world);
	/* With room for what is outside. */
	double rounding = 4.0 * box_size(&box) * SKIN_PER_COORDINATE;

	grid->rounding = 0.375 * rounding;
	for (uint32_t l = 0; l < grid->level_count; l++) {
		level_lay(grid, world, l, box, rounding + grid->levels[l].radius * SKIN_PER_RADIUS, true);
		grid->levels[l].first = grid->cell_count;
		grid->cell_count += level_cells(&grid->levels[l]);
	}
	grid->hashed = grid->rushed = false;
	fast_lay(grid, &box);
}
