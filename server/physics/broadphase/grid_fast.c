/* Happy path: no body is fast, and nothing is done. What can go wrong: nothing. */
#include "physics/broadphase/grid_fast.h"

#include "physics/world/world.h"

#include <math.h>

/* So many hashed cells a body may cross in a tick, and one more for each of so many bodies and walls. A look at all of these
 * costs as much as to cross some thirty-second of their number. */
#define CROSSINGS 32.0
#define SHAPES_PER_CROSSING 32.0
/* Where cells are not hashed: how far, in cells, a body may come within what the times of its leavings are rounded by. A margin
 * has room for far more. */
#define CELLS_LATE 0x1p-12
/* When bodies have changed cells so many times in a tick, on average and in all, bodies may cross fewer. */
#define TRANSFERS_PER_BODY 16u
#define TRANSFERS_FEW 1024u
#define CROSSINGS_LATE 8.0
/* A body that crosses at most this part of them is slow again. */
#define SLOW_PART 0.5

/* How many bodies are asked. */
#define SAMPLE 128

static double
crossings_most(const struct world *world)
{
	return CROSSINGS + ((double)world->bodies.count + world->walls.segment_count) / SHAPES_PER_CROSSING;
}

/* The length of a body's way in a tick, in x and in y together. */
static inline double
tick_way(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];
	double dt = world->step.dt;

	return dt * (fabs(path->vx) + fabs(path->vy) + dt * (fabs(path->ax) + fabs(path->ay)));
}

void
fast_lay(struct grid *grid, const struct grid_box *box)
{
	struct grid_level *level = &grid->levels[grid->level_count];
	double radius = 0.0, edge = larger(larger(box->x1 - box->x0, box->y1 - box->y0), 1.0);

	for (uint32_t l = 0; l < grid->level_count; l++)
		radius = larger(radius, grid->levels[l].radius);
	*level = (struct grid_level){
		.x0 = box->x0,
		.y0 = box->y0,
		.cell = edge,
		.inverse = 1.0 / edge,
		.margin = 0.0,
		.span = radius,
		.radius = radius,
		.columns = 1,
		.rows = 1,
		.columns_inverse = 1.0,
		.first = grid->cell_count,
	};
	grid->levels_laid = grid->level_count + 1;
	grid->cell_count++;
}

/* Whether a body is so fast at a time that it leaves plain cells too late: by what leave_push rounds by. That is at most twice
 * LEAVE_LEAST of the time. */
static inline bool
is_late(const struct world *world, uint32_t body, const struct grid_level *level, double time)
{
	double late = 2.0 * LEAVE_LEAST * larger(time, LEAVE_LEAST * world->step.dt);

	return tick_way(world, body) * level->inverse * late > CELLS_LATE * world->step.dt;
}

bool
fast_suits(const struct world *world, uint32_t body, double time)
{
	uint32_t own = world->grid.rows[body].level;
	const struct grid_level *level = &world->grid.levels[own];
	uint64_t transfers = TRANSFERS_FEW + TRANSFERS_PER_BODY * (uint64_t)world->bodies.count;

	if (!grid_hashed(level))
		return own < grid_levels_own(&world->grid) && is_late(world, body, level, time);
	return tick_way(world, body) * level->inverse >
	       (world->report.cost.transfers > transfers ? CROSSINGS_LATE : crossings_most(world));
}

void
fast_enter(struct world *world, uint32_t body)
{
	struct grid *grid = &world->grid;
	uint32_t level = grid->levels_laid - 1;

	grid->rows[body].level = level;
	grid_move(grid, body, grid->levels[level].first);
	grid->level_count = grid->levels_laid;
}

/* The level for a body of its radius. */
static uint32_t
level_of(const struct grid *grid, const struct world *world, uint32_t body)
{
	uint32_t level = 0;

	while (grid->levels[level].radius < world->bodies.paths[body].radius)
		level++;
	return level;
}

void
fast_leave_all(struct world *world)
{
	struct grid *grid = &world->grid;
	double most = SLOW_PART * crossings_most(world);

	if (grid->level_count < grid->levels_laid)
		return;

	uint32_t fast = grid->levels_laid - 1, next;

	for (uint32_t place = grid->heads[grid->levels[fast].first]; place != NONE; place = next) {
		uint32_t body = grid_body(place), level = level_of(grid, world, body);

		next = grid_onward(grid, place);
		if (grid_hashed(&grid->levels[level]) ? tick_way(world, body) * grid->levels[level].inverse > most
		                                      : is_late(world, body, &grid->levels[level], 0.0))
			continue;
		grid->rows[body].level = level;
		grid_move(grid, body, grid_cell(grid, body, world->bodies.paths[body].x, world->bodies.paths[body].y));
		if (schedule_is_for(&world->schedule, world->tick))
			schedule_list(&world->schedule, body);
	}
	grid_levels_count(grid);
}

double
crossings_mean(const struct grid *grid, const struct world *world, uint32_t level, double cell)
{
	double sum = 0.0, most = crossings_most(world), inverse = 1.0 / cell;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(1); i++)
		if (grid->rows[i].level == level)
			sum += lesser(tick_way(world, i) * inverse, most);
	return sum / larger(grid->levels[level].count, 1.0);
}

double
crossings_now(const struct grid *grid, const struct world *world)
{
	/* Odd, as every second or fourth may be of a kind of its own. */
	uint32_t count = world->bodies.count, step = count / SAMPLE | 1, asked = 0;
	double sum = 0.0, most = crossings_most(world);

	for (uint32_t i = 0; i < count && grid->hashed && !pause_after(2); i += step, asked++) {
		const struct grid_level *level = &grid->levels[level_of(grid, world, i)];

		if (grid_hashed(level))
			sum += lesser(tick_way(world, i) * level->inverse, most);
	}
	return asked > 0 ? sum / asked : 0.0;
}
