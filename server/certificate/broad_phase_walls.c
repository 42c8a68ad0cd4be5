#include "certificate/broad_phase.h"

#include <stdlib.h>

/* Cells per wall, about: few enough to build at once, small enough that a query meets few walls. */
#define CELLS_PER_WALL 4
/* The grid's side in cells at most, whatever the walls' box looks like: bounds the memory together with the above. */
#define SIDE_MAX 2048

/* A wall with a radius of more cells than this is in none. */
#define WIDE_CELLS 4

struct wall_range {
	int64_t x0, x1, y0, y1;
};

static int64_t
clamp_cell(double cells, int64_t count)
{
	return (int64_t)cert_max(0, cert_min(floor(cells), (double)(count - 1)));
}

static struct cert_box
walls_box(const struct cert_shapes *shapes)
{
	struct cert_box box = { { HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL } };

	for (size_t i = 0; i < shapes->wall_count; i++) {
		const struct cert_wall *wall = &shapes->walls[i];

		if (cert_wall_moves(wall))
			continue;
		box.low.x = cert_min(box.low.x, cert_min(wall->p1.x, wall->p2.x) - wall->radius);
		box.low.y = cert_min(box.low.y, cert_min(wall->p1.y, wall->p2.y) - wall->radius);
		box.high.x = cert_max(box.high.x, cert_max(wall->p1.x, wall->p2.x) + wall->radius);
		box.high.y = cert_max(box.high.y, cert_max(wall->p1.y, wall->p2.y) + wall->radius);
	}
	return box;
}

/* Square cells over the box, sized for CELLS_PER_WALL in all; a box as thin as a line gets a row of them. */
static void
grid_shape(struct cert_wall_grid *grid, const struct cert_shapes *shapes)
{
	struct cert_box box = walls_box(shapes);
	struct cert_vec size = cert_sub(box.high, box.low);

	if (shapes->moving_count == shapes->wall_count) { /* nothing is in it */
		*grid = (struct cert_wall_grid){ .cell = 1, .columns = 1, .rows = 1 };
		return;
	}

	double side = cert_max(size.x, size.y), cells = CELLS_PER_WALL * (double)shapes->wall_count;

	grid->low = box.low;
	grid->cell = cert_max(sqrt(size.x * size.y / cells), side / cert_min(SIDE_MAX, cells));
	grid->columns = 1 + (int64_t)floor(size.x / grid->cell);
	grid->rows = 1 + (int64_t)floor(size.y / grid->cell);
}

static int64_t
grid_row(const struct cert_wall_grid *grid, double y)
{
	return clamp_cell((y - grid->low.y) / grid->cell, grid->rows);
}

/* The columns that the wall may meet in this row of cells, with a margin far above rounding. */
static struct wall_range
wall_columns(const struct cert_wall_grid *grid, const struct cert_wall *wall, int64_t row)
{
	double low_y = grid->low.y + ((double)row - 1e-3) * grid->cell - wall->radius;
	double high_y = low_y + (1 + 2e-3) * grid->cell + 2 * wall->radius;
	double slope = (wall->p2.x - wall->p1.x) / (wall->p2.y - wall->p1.y);
	double x_low = cert_min(wall->p1.x, wall->p2.x), x_high = cert_max(wall->p1.x, wall->p2.x);

	if (fabs(wall->p2.y - wall->p1.y) > 1e-3 * grid->cell) {
		double a = wall->p1.x + (low_y - wall->p1.y) * slope, b = wall->p1.x + (high_y - wall->p1.y) * slope;

		x_low = cert_max(x_low, cert_min(a, b));
		x_high = cert_min(x_high, cert_max(a, b));
	}
	x_low -= wall->radius;
	x_high += wall->radius;
	return (struct wall_range){ clamp_cell((x_low - grid->low.x) / grid->cell - 1e-3, grid->columns),
		                        clamp_cell((x_high - grid->low.x) / grid->cell + 1e-3, grid->columns), row, row };
}

static bool
wall_is_wide(const struct cert_wall_grid *grid, const struct cert_wall *wall)
{
	return wall->radius > WIDE_CELLS * grid->cell;
}

/* One pass over all cells of all walls: counts them two places ahead, or fills in. */
static void
grid_pass(struct cert_wall_grid *grid, const struct cert_shapes *shapes, bool fill)
{
	for (size_t i = 0; i < shapes->wall_count; i++) {
		const struct cert_wall *wall = &shapes->walls[i];
		double margin = 1e-3 * grid->cell + wall->radius;
		int64_t y0 = grid_row(grid, cert_min(wall->p1.y, wall->p2.y) - margin);
		int64_t y1 = grid_row(grid, cert_max(wall->p1.y, wall->p2.y) + margin);

		if (wall_is_wide(grid, wall) || cert_wall_moves(wall))
			continue;
		for (int64_t y = y0; y <= y1; y++) {
			struct wall_range columns = wall_columns(grid, wall, y);

			for (int64_t x = columns.x0; x <= columns.x1; x++) {
				size_t cell = (size_t)(y * grid->columns + x);

				if (fill)
					grid->walls[grid->first[cell + 1]++] = (uint32_t)i;
				else
					grid->first[cell + 2]++;
			}
		}
	}
}

bool
cert_sweep_init(struct cert_sweep *sweep, const struct cert_shapes *shapes)
{
	struct cert_wall_grid *grid = &sweep->walls;

	*sweep = (struct cert_sweep){ 0 };
	if (shapes->wall_count == 0)
		return true;
	grid_shape(grid, shapes);
	size_t cells = (size_t)(grid->columns * grid->rows);
	grid->first = calloc(cells + 2, sizeof *grid->first);
	grid->seen = calloc(shapes->wall_count, sizeof *grid->seen);
	grid->wide = malloc(shapes->wall_count * sizeof *grid->wide);
	if (!grid->first || !grid->seen || !grid->wide) {
		cert_sweep_finish(sweep);
		return false;
	}
	for (size_t i = 0; i < shapes->wall_count; i++)
		if (wall_is_wide(grid, &shapes->walls[i]) && !cert_wall_moves(&shapes->walls[i]))
			grid->wide[grid->wide_count++] = (uint32_t)i;
	grid_pass(grid, shapes, false);
	for (size_t i = 2; i < cells + 2; i++)
		grid->first[i] += grid->first[i - 1];
	grid->walls = malloc((grid->first[cells + 1] + 1) * sizeof *grid->walls);
	if (!grid->walls) {
		cert_sweep_finish(sweep);
		return false;
	}
	grid_pass(grid, shapes, true);
	return true;
}

static bool
grid_range(const struct cert_wall_grid *grid, const struct cert_box *box, struct wall_range *out)
{
	double x0 = (box->low.x - grid->low.x) / grid->cell, x1 = (box->high.x - grid->low.x) / grid->cell;
	double y0 = (box->low.y - grid->low.y) / grid->cell, y1 = (box->high.y - grid->low.y) / grid->cell;

	/* Outside of the walls' box by more than rounding. */
	if (x1 < -1 || y1 < -1 || x0 > (double)grid->columns + 1 || y0 > (double)grid->rows + 1)
		return false;
	*out = (struct wall_range){ clamp_cell(x0 - 1e-3, grid->columns), clamp_cell(x1 + 1e-3, grid->columns),
		                        clamp_cell(y0 - 1e-3, grid->rows), clamp_cell(y1 + 1e-3, grid->rows) };
	return true;
}

/* Those that move are held against their boxes of the whole tick. */
static void
moving_walls(const struct cert_shapes *shapes, const struct cert_stretch *stretch, cert_wall_fn on_wall, void *context)
{
	for (size_t k = 0; k < shapes->moving_count; k++) {
		const struct cert_wall *wall = &shapes->walls[shapes->moving[k]];
		double room = wall->radius + wall->slop;
		double x0 = cert_min(cert_min(wall->p1.x, wall->p2.x), cert_min(wall->end_1.x, wall->end_2.x)) - room;
		double x1 = cert_max(cert_max(wall->p1.x, wall->p2.x), cert_max(wall->end_1.x, wall->end_2.x)) + room;
		double y0 = cert_min(cert_min(wall->p1.y, wall->p2.y), cert_min(wall->end_1.y, wall->end_2.y)) - room;
		double y1 = cert_max(cert_max(wall->p1.y, wall->p2.y), cert_max(wall->end_1.y, wall->end_2.y)) + room;

		if (x0 <= stretch->box.high.x && stretch->box.low.x <= x1 && y0 <= stretch->box.high.y && stretch->box.low.y <= y1)
			on_wall(context, stretch, shapes->moving[k]);
	}
}

void
cert_sweep_walls(struct cert_sweep *sweep, const struct cert_shapes *shapes, const struct cert_stretch *stretch,
                 cert_wall_fn on_wall, void *context)
{
	struct cert_wall_grid *grid = &sweep->walls;
	struct wall_range range;

	moving_walls(shapes, stretch, on_wall, context);
	if (shapes->wall_count == 0 || !grid_range(grid, &stretch->box, &range))
		return;
	for (size_t i = 0; i < grid->wide_count; i++)
		on_wall(context, stretch, grid->wide[i]);
	if (++grid->query == 0) { /* wrapped round: old marks would look new */
		for (size_t i = 0; i < shapes->wall_count; i++)
			grid->seen[i] = 0;
		grid->query = 1;
	}
	for (int64_t y = range.y0; y <= range.y1; y++) {
		size_t cell = (size_t)(y * grid->columns + range.x0), last = (size_t)(y * grid->columns + range.x1);

		for (size_t i = grid->first[cell]; i < grid->first[last + 1]; i++) {
			uint32_t wall = grid->walls[i];

			if (grid->seen[wall] != grid->query) {
				grid->seen[wall] = grid->query;
				on_wall(context, stretch, wall);
			}
		}
	}
}
