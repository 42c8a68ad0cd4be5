/* Happy path: in the cells that fit the world a body finds few others, and they stay as they are. What can go wrong: without
 * memory for the counts they stay so too. */
#include "physics/broadphase/grid_crowds.h"

#include "physics/broadphase/grid_fast.h"
#include "physics/broadphase/grid_hashed_walls.h"
#include "physics/tables/grid_range.h"
#include "physics/world/world.h"

/* With fewer bodies all may be in one cell. */
#define BODIES_MIN 32
/* How many bodies are asked, and how many others each counts at most. */
#define SAMPLE 128
#define COUNT_MAX 64
/* Bodies and walls in a body's cell, on average. Up to this, a level stays as it is. */
#define CROWDED 6.0
/* A hashed level must find at most this part of them: it costs more for each. */
#define WORTH 0.5
/* Smaller cells must find at most this part of what cells twice as wide find: changes of cells cost too. */
#define SMALLER_WORTH 0.85

/* How often cells are made half as wide to find the area of crowds. */
#define HALVINGS_MAX 40
/* After so many ticks a hashed grid is laid out anew: its crowds may have dispersed. */
#define HASHED_TICKS 1024
/* A change of cells costs as much as so many more bodies in each cell. */
#define COST_CROSSING 24.0
/* Where bodies would cross more of the smallest cells in a tick, the choice depends on their speeds. After so many ticks it is
 * made again. */
#define CROSSINGS_MANY 8.0
#define RUSHED_TICKS 64

double
grid_crowding(const struct grid *grid, const struct world *world)
{
	/* Odd, as every second or fourth may be of a kind of its own. */
	uint32_t count = world->bodies.count, step = count / SAMPLE | 1, asked = 0, found = 0;

	if (count < BODIES_MIN)
		return 0.0;
	for (uint32_t i = 0; i < count && !pause_after(16); i += step, asked++) {
		uint32_t place = grid->heads[grid->rows[i].cell];

		for (uint32_t n = 0; place != NONE && n < COUNT_MAX; n++, found++)
			place = grid_onward(grid, place);
	}
	return (double)found / asked;
}

bool
grid_rushed(const struct grid *grid, const struct world *world)
{
	return crossings_now(grid, world) > 2.0 * grid->crossings + CROSSINGS_MANY;
}

bool
grid_crowded_from_start(const struct grid *grid)
{
	return grid->crossings > CROSSINGS_MANY || grid->crowding > 0.5 * CROWDED;
}

bool
grid_crowded(const struct grid *grid, const struct world *world)
{
	if (grid->hashed && world->tick % HASHED_TICKS == HASHED_TICKS / 2)
		return true;
	if (grid->rushed && world->tick % RUSHED_TICKS == RUSHED_TICKS / 2)
		return true;
	if (grid_rushed(grid, world))
		return true;
	return grid_crowding(grid, world) > 2.0 * grid->crowding + 0.5 * CROWDED;
}

static uint32_t
cell_at(const struct grid_level *level, double x, double y)
{
	if (grid_hashed(level))
		return hashed_cell(level, x, y) - level->first;
	return axis_index(y - level->y0, level->inverse, level->rows) * level->columns +
	       axis_index(x - level->x0, level->inverse, level->columns);
}

/* What a body finds in its cell on average. */
struct found {
	double bodies, walls;
};

static struct hashed_wall
wall_of(const struct grid_level *level, const struct segment *s)
{
	return (struct hashed_wall){
		.x1 = s->x1, .y1 = s->y1, .x2 = s->x2, .y2 = s->y2, .reach = level_reach(level) + s->radius + s->rounding
	};
}

/* Counts the bodies of a level, or all (NONE), by cell. Returns the sum of the squares. */
static double
bodies_count(const struct grid *grid, const struct world *world, uint32_t index, const struct grid_level *level,
             uint32_t *counts)
{
	double squares = 0.0;

	(void)pause_fill(counts, 0, (size_t)level_cells(level) * sizeof *counts);
	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (index == NONE || grid->rows[i].level == index)
			squares += 2.0 * counts[cell_at(level, world->bodies.paths[i].x, world->bodies.paths[i].y)]++ + 1.0;
	return squares;
}

/* What a body of the level finds. A wall is counted at its two ends. */
static struct found
found_count(const struct grid *grid, const struct world *world, uint32_t index, const struct grid_level *level,
            uint32_t *counts)
{
	struct found found = { bodies_count(grid, world, index, level, counts), 0.0 };

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++) {
		const struct segment *s = &world->walls.segments[i];

		found.walls += counts[cell_at(level, s->x1, s->y1)] + counts[cell_at(level, s->x2, s->y2)];
	}
	found.bodies /= larger(level->count, 1.0);
	found.walls /= larger(level->count, 1.0);
	return found;
}

/* Entries in the lists of walls of a hashed level. */
static double
items_count(const struct world *world, const struct grid_level *level)
{
	double items = 0.0;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(1); i++) {
		const struct hashed_wall wall = wall_of(level, &world->walls.segments[i]);

		items += hashed_wall_count(level, &wall);
	}
	return items;
}

static void
level_hash(struct grid_level *level, const struct grid_box *box, double cells_most)
{
	level->x0 = box->x0;
	level->y0 = box->y0;
	hashed_size(level, cells_most);
	level->last_column = (double)(int64_t)lesser((box->x1 - box->x0) / level->cell, HASHED_INDEX_MAX);
	level->last_row = (double)(int64_t)lesser((box->y1 - box->y0) / level->cell, HASHED_INDEX_MAX);
}

/* The level with hashed cells of this edge length. */
static struct grid_level
level_halved(const struct grid_level *from, const struct crowd_bounds *bounds, double cell)
{
	struct grid_level level = *from;

	level_size(&level, cell, bounds->skin);
	level_hash(&level, &bounds->box, bounds->cells_most);
	return level;
}

double
crowds_area(struct grid *grid, const struct world *world, const struct grid_box *box, double cells_most)
{
	double area = (box->x1 - box->x0) * (box->y1 - box->y0), cell = sqrt(area / cells_most);

	if (!(cell > 0.0) || !array_reserve(&grid->heads, &grid->cell_capacity, (size_t)cells_most + 1, sizeof *grid->heads))
		return area;
	for (int k = 0; k < HALVINGS_MAX; k++, cell *= 0.5) {
		struct grid_level level = { .cell = cell, .inverse = 1.0 / cell };

		level_hash(&level, box, cells_most);

		double found = bodies_count(grid, world, NONE, &level, grid->heads) / world->bodies.count;

		if (found <= CROWDED)
			break;
		area = lesser(area, cell * cell * world->bodies.count / found);
	}
	return area;
}

void
crowds_lay(struct grid *grid, const struct world *world, uint32_t index, const struct crowd_bounds *bounds)
{
	struct grid_level *level = &grid->levels[index], fitted = *level;

	/* As many as will be needed at least, if it stays as it is: with the cell of the fast level (grid_fast.h). */
	if (!array_reserve(&grid->heads, &grid->cell_capacity, level_cells(level) + 1, sizeof *grid->heads))
		return;

	const struct found found = found_count(grid, world, index, level, grid->heads);
	double best = found.bodies + found.walls, cell = level->cell;

	if (best <= CROWDED ||
	    !array_reserve(&grid->heads, &grid->cell_capacity, (size_t)bounds->cells_most + 1, sizeof *grid->heads))
		return;

	const double rush = COST_CROSSING * crossings_mean(grid, world, index, bounds->least);

	grid->rushed = grid->rushed || rush > COST_CROSSING * CROSSINGS_MANY;
	if (rush > 0.0)
		best += COST_CROSSING * crossings_mean(grid, world, index, cell);
	best *= WORTH;
	while (cell > bounds->least) {
		cell = larger(0.5 * cell, bounds->least);

		const struct grid_level next = level_halved(&fitted, bounds, cell);
		double items = items_count(world, &next), cost;

		if (items > bounds->items_most)
			break;
		cost = found_count(grid, world, index, &next, grid->heads).bodies + items / next.columns;
		if (rush > 0.0)
			cost += COST_CROSSING * crossings_mean(grid, world, index, cell);
		if (cost < best) {
			best = SMALLER_WORTH * cost;
			*level = next;
		}
	}
	grid->hashed = grid->hashed || grid_hashed(level);
}
