/* The solver's own walls: their cells, which of them are near a body, and where the moving ones are. */
#include "base/memory.h"
#include "physics/rest_solver/solver_private.h"

#include <math.h>

/* Cells of the walls' grid per wall: more cost memory, fewer make the lists longer. */
#define CELLS_PER_WALL 4
/* The rounding of a cell's number moves a wall by far less than this fraction of a cell. */
#define CELL_SLACK (1.0 / 1024.0)

/* Average number of walls that a cell may hold before cells are made larger: thick walls are in many. */
#define WALLS_PER_CELL 16.0

bool
wall_near(const struct wall_copy *w, double x, double y, double reach)
{
	double dx = x - w->x1, dy = y - w->y1;
	double along = dx * w->ux + dy * w->uy, across = w->ux * dy - w->uy * dx;
	double past = fmax(fmax(-along, along - w->length), 0.0);

	reach += w->radius + w->slack;

	return past * past + across * across < reach * reach;
}

static uint32_t
axis_cell(double offset, double inverse, uint32_t count)
{
	double index = offset * inverse;

	if (!(index > 0.0))
		return 0;
	return index >= (double)count ? count - 1 : (uint32_t)index;
}

struct cells {
	uint32_t c0, c1, r0, r1;
};

static struct cells
cells_of(const struct wall_grid *g, double x0, double y0, double x1, double y1)
{
	return (struct cells){
		.c0 = axis_cell(x0 - g->x0, g->inverse, g->columns),
		.c1 = axis_cell(x1 - g->x0, g->inverse, g->columns),
		.r0 = axis_cell(y0 - g->y0, g->inverse, g->rows),
		.r1 = axis_cell(y1 - g->y0, g->inverse, g->rows),
	};
}

/* The number of cells that the thick walls come near, at most. */
static double
thick_cells(const struct solver_scene *scene, double cell)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < scene->segment_count && !pause_after(1); i++) {
		const struct segment *s = &scene->segments[i];
		double wide = 2.0 * s->radius / cell;

		if (s->radius > 0.0)
			sum += (fabs(s->ux) + fabs(s->uy) + 2.0 * s->radius) / cell * (wide + 3.0);
	}
	return sum;
}

static void
grid_frame(struct wall_grid *g, const struct solver_scene *scene)
{
	double x1 = -(double)INFINITY, y1 = -(double)INFINITY;

	g->x0 = g->y0 = (double)INFINITY;
	for (uint32_t i = 0; i < scene->segment_count && !pause_after(1); i++) {
		const struct segment *s = &scene->segments[i];

		g->x0 = fmin(g->x0, fmin(s->x1, s->x2));
		g->y0 = fmin(g->y0, fmin(s->y1, s->y2));
		x1 = fmax(x1, fmax(s->x1, s->x2));
		y1 = fmax(y1, fmax(s->y1, s->y2));
	}
	if (pause_stopped())
		return;

	double width = x1 - g->x0, height = y1 - g->y0, most = (double)CELLS_PER_WALL * scene->segment_count;
	double cell = fmax(fmax(width, height) / most, sqrt(width * height / most));

	while (thick_cells(scene, cell) > WALLS_PER_CELL * most && cell < fmax(width, height))
		cell *= 1.25;
	g->inverse = 1.0 / cell;
	g->columns = (uint32_t)(width / cell) + 1;
	g->rows = (uint32_t)(height / cell) + 1;
}

/* Visits all cells that each segment passes: counts them, or with `items` writes them. */
static void
grid_walk(struct solver *solver, bool write)
{
	struct wall_grid *g = &solver->wall_grid;
	double cell = 1.0 / g->inverse, reach = cell * (0.7072 + CELL_SLACK);

	for (uint32_t i = 0; i < solver->scene.segment_count && !pause_after(4); i++) {
		const struct segment *s = &solver->scene.segments[i];

		if (s->moving)
			continue;

		double slack = cell * CELL_SLACK + s->radius + solver->walls[i].slack;
		struct cells cells = cells_of(g, fmin(s->x1, s->x2) - slack, fmin(s->y1, s->y2) - slack, fmax(s->x1, s->x2) + slack,
		                              fmax(s->y1, s->y2) + slack);

		for (uint32_t r = cells.r0; r <= cells.r1 && !pause_after(cells.c1 - cells.c0 + 1); r++) {
			for (uint32_t c = cells.c0; c <= cells.c1; c++) {
				if (!wall_near(&solver->walls[i], g->x0 + (c + 0.5) * cell, g->y0 + (r + 0.5) * cell, reach))
					continue;
				if (write)
					g->items[g->start[r * g->columns + c + 1]++] = i;
				else
					g->start[r * g->columns + c + 2]++;
			}
		}
	}
}

static struct wall_copy
wall_of(const struct segment *s, bool sided)
{
	return (struct wall_copy){
		.x1 = s->x1,
		.y1 = s->y1,
		.x2 = s->x2,
		.y2 = s->y2,
		.ux = s->ux / s->length,
		.uy = s->uy / s->length,
		.length = s->length,
		.radius = s->radius,
		.slack = 2.0 * s->rounding,
		.sided = sided,
		.acute = s->acute,
	};
}

/* Whether it is one-sided for some body, or one of its ends is on a segment that is. */
static bool
segment_sided(const struct solver_scene *scene, const struct segment *s)
{
	return scene->vertices[s->vertex[0]].sided || scene->vertices[s->vertex[1]].sided;
}

struct solver_walls {
	struct wall_copy *walls;
	struct wall_grid grid;
	size_t bytes;
};

static bool
walls_take(struct solver *solver, const struct solver_walls *shared)
{
	solver->walls = shared->walls;
	solver->wall_grid = shared->grid;
	solver->wall_grid.shared = true;
	solver->wall_grid.seen = memory_zeroed(solver->scene.segment_count, sizeof *solver->wall_grid.seen);
	return solver->wall_grid.seen != NULL;
}

bool
walls_build(struct solver *solver)
{
	struct wall_grid *g = &solver->wall_grid;
	uint32_t count = solver->scene.segment_count;

	if (count == 0)
		return true;
	if (solver->scene.shared)
		return walls_take(solver, solver->scene.shared);
	solver->walls = memory_zeroed(count, sizeof *solver->walls);
	if (!solver->walls)
		return false;
	for (uint32_t i = 0; i < count && !pause_after(4); i++)
		solver->walls[i] = wall_of(&solver->scene.segments[i], segment_sided(&solver->scene, &solver->scene.segments[i]));
	for (uint32_t k = 0; k < solver->scene.moving_count && !pause_after(1); k++)
		solver->walls[solver->scene.moving[k]].place = k + 1;
	grid_frame(g, &solver->scene);
	if (pause_stopped())
		return false;

	size_t cell_count = (size_t)g->columns * g->rows;

	g->start = memory_zeroed(cell_count + 2, sizeof *g->start);
	g->seen = memory_zeroed(solver->scene.segment_count, sizeof *g->seen);
	if (!g->start || !g->seen)
		return false;
	grid_walk(solver, false);
	for (size_t c = 2; c < cell_count + 2 && !pause_after(1); c++)
		g->start[c] += g->start[c - 1];
	if (pause_stopped())
		return false;
	g->items = memory_zeroed((size_t)g->start[cell_count + 1] + 1, sizeof *g->items);
	if (!g->items)
		return false;
	grid_walk(solver, true);
	return !pause_stopped();
}

void
wall_grid_finish(struct wall_grid *grid)
{
	if (!grid->shared) {
		memory_free(grid->start);
		memory_free(grid->items);
	}
	memory_free(grid->seen);
}

size_t
walls_bytes(const struct solver *solver)
{
	const struct wall_grid *g = &solver->wall_grid;
	size_t count = solver->scene.segment_count, cells = (size_t)g->columns * g->rows;

	if (count == 0)
		return 0;
	if (g->shared)
		return count * sizeof *g->seen;
	return count * (sizeof(struct wall_copy) + sizeof *g->seen) + (cells + 2 + g->start[cells] + 1) * sizeof *g->start;
}

struct solver_walls *
solver_walls_create(const struct solver_scene *scene)
{
	struct solver_walls *made = memory_zeroed(1, sizeof *made);
	struct solver *solver = memory_zeroed(1, sizeof *solver);
	bool built = false;

	if (made && solver) {
		solver->scene = *scene;
		built = walls_build(solver);
		*made = (struct solver_walls){ solver->walls, solver->wall_grid, sizeof *made };
		memory_free(made->grid.seen);
		made->grid.seen = NULL;
		if (built)
			made->bytes += walls_bytes(solver) - scene->segment_count * sizeof *made->grid.seen;
	}
	memory_free(solver);
	if (built)
		return made;
	solver_walls_destroy(made);
	return NULL;
}

void
solver_walls_destroy(struct solver_walls *walls)
{
	if (!walls)
		return;
	wall_grid_finish(&walls->grid);
	memory_free(walls->walls);
	memory_free(walls);
}

size_t
solver_walls_memory_bytes(const struct solver_walls *walls)
{
	return walls->bytes;
}

bool
walls_near(struct solver *solver, double x, double y, double reach, bool (*found)(struct solver *, uint32_t))
{
	struct wall_grid *g = &solver->wall_grid;

	if (solver->scene.segment_count == 0)
		return true;

	struct cells cells = cells_of(g, x - reach, y - reach, x + reach, y + reach);
	uint32_t stamp = ++g->stamp;

	for (uint32_t r = cells.r0; r <= cells.r1; r++) {
		for (uint32_t k = g->start[r * g->columns + cells.c0]; k < g->start[r * g->columns + cells.c1 + 1] && !pause_after(1);
		     k++) {
			uint32_t i = g->items[k];

			if (g->seen[i] == stamp || !wall_near(&solver->walls[i], x, y, reach))
				continue;
			g->seen[i] = stamp;
			if (!found(solver, i | SOLVER_WALL))
				return false;
		}
	}
	return true;
}

void
walls_move(struct solver *solver, double time)
{
	solver->time = time;
	for (uint32_t k = 0; k < solver->scene.moving_count && !pause_after(1); k++) {
		const struct segment *s = &solver->scene.segments[solver->scene.moving[k]];
		struct wall_copy *w = &solver->walls[solver->scene.moving[k]];

		w->slack = 2.0 * s->rounding;
		w->x1 = s->x1 + s->vx * time;
		w->y1 = s->y1 + s->vy * time;
		w->x2 = s->x2 + s->vx * time;
		w->y2 = s->y2 + s->vy * time;
	}
}

bool
walls_moving_near(struct solver *solver, double x, double y, double reach, double duration,
                  bool (*found)(struct solver *, uint32_t))
{
	for (uint32_t k = 0; k < solver->scene.moving_count && !pause_after(1); k++) {
		uint32_t i = solver->scene.moving[k];
		double wide = reach + duration * segment_speed(&solver->scene.segments[i]);

		if (wall_near(&solver->walls[i], x, y, wide) && !found(solver, i | SOLVER_WALL))
			return false;
	}
	return true;
}
