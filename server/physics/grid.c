#include "physics/grid.h"

#include "physics/predict.h"
#include "physics/toi.h"
#include "physics/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Cells are this much wider than the largest pair needs, which pays for the margins on both sides... */
#define CELL_SLACK 1.1
/* ...of this part of a cell each: a body that hovers around a border changes cells rarely. 2/32 < 1 - 1/1.1. */
#define CELL_MARGIN (1.0 / 32.0)
/* More cells than this per body and wall would cost more to clear and to cross than they save. */
#define CELLS_PER_SHAPE_MAX 4
/* More list entries than this per wall and cell, and the cells are made larger: bounds memory for long walls. */
#define ITEMS_PER_SHAPE_MAX 16

/* Bodies, and ends of walls, that the box is judged by. */
#define SAMPLE 1024

struct box {
	double x0, y0, x1, y1;
};

static void
box_add(struct box *box, double x, double y)
{
	box->x0 = fmin(box->x0, x);
	box->y0 = fmin(box->y0, y);
	box->x1 = fmax(box->x1, x);
	box->y1 = fmax(box->y1, y);
}

static struct box
world_box(const struct world *world)
{
	struct box box = { (double)INFINITY, (double)INFINITY, -(double)INFINITY, -(double)INFINITY };

	for (uint32_t i = 0; i < world->body_count; i++)
		box_add(&box, world->bodies[i].x, world->bodies[i].y);
	for (uint32_t i = 0; i < world->segment_count; i++) {
		box_add(&box, world->segments[i].x1, world->segments[i].y1);
		box_add(&box, world->segments[i].x2, world->segments[i].y2);
	}
	if (!(box.x0 <= box.x1))
		box = (struct box){ 0.0, 0.0, 0.0, 0.0 };
	return box;
}

static int
double_compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The range that holds nearly all of `count` values, and as much again on both sides. Sorts them. */
static void
range_trim(double *values, size_t count, double *low, double *high)
{
	qsort(values, count, sizeof *values, double_compare);

	double first = values[count / 32], last = values[count - 1 - count / 32];

	*low = fmax(*low, first - (last - first));
	*high = fmin(*high, last + (last - first));
}

/* Cuts the box to where the shapes are, so that a few strays do not make all cells large: those share the border cells. Reads
 * an evenly spaced sample. */
static void
box_trim(struct box *box, const struct world *world)
{
	double x[2 * SAMPLE], y[2 * SAMPLE];
	size_t count = 0;
	uint32_t body_step = world->body_count / SAMPLE + 1, segment_step = 2 * world->segment_count / SAMPLE + 1;

	for (uint32_t i = 0; i < world->body_count; i += body_step, count++) {
		x[count] = world->bodies[i].x;
		y[count] = world->bodies[i].y;
	}
	for (uint32_t i = 0; i < world->segment_count; i += segment_step, count += 2) {
		x[count] = world->segments[i].x1;
		y[count] = world->segments[i].y1;
		x[count + 1] = world->segments[i].x2;
		y[count + 1] = world->segments[i].y2;
	}
	if (count < 32)
		return;
	range_trim(x, count, &box->x0, &box->x1);
	range_trim(y, count, &box->y0, &box->y1);
}

static uint32_t
axis_index(double offset, double inverse, uint32_t count)
{
	double index = offset * inverse;

	if (!(index > 0.0))
		return 0;
	if (index >= (double)count)
		return count - 1;
	return (uint32_t)index;
}

uint32_t
grid_cell(const struct grid *grid, double x, double y)
{
	return axis_index(y - grid->y0, grid->inverse, grid->rows) * grid->columns +
	       axis_index(x - grid->x0, grid->inverse, grid->columns);
}

/* The range of cells that a box touches. */
struct cell_range {
	uint32_t c0, r0, c1, r1;
};

static struct cell_range
cells_of_box(const struct grid *grid, const struct box *box, double reach)
{
	return (struct cell_range){
		axis_index(box->x0 - reach - grid->x0, grid->inverse, grid->columns),
		axis_index(box->y0 - reach - grid->y0, grid->inverse, grid->rows),
		axis_index(box->x1 + reach - grid->x0, grid->inverse, grid->columns),
		axis_index(box->y1 + reach - grid->y0, grid->inverse, grid->rows),
	};
}

/* Whether a segment's line comes within reach of a cell. A border cell goes on for ever, so it is not excluded. */
static bool
segment_near_cell(const struct grid *grid, const struct segment *segment, double reach, uint32_t column, uint32_t row)
{
	if (column == 0 || row == 0 || column == grid->columns - 1 || row == grid->rows - 1)
		return true;

	double x = grid->x0 + ((double)column + 0.5) * grid->cell, y = grid->y0 + ((double)row + 0.5) * grid->cell;
	double height = segment->ux * (y - segment->y1) - segment->uy * (x - segment->x1);

	return fabs(height) <= segment->length * (grid->cell * 0.75 + reach); /* 0.75 > half the diagonal */
}

/* Calls for every cell in which the wall must be listed: counts if items is NULL, else fills. */
static size_t
segment_list(const struct grid *grid, const struct segment *segment, uint32_t index, uint32_t *starts, uint32_t *items)
{
	struct box box = { fmin(segment->x1, segment->x2), fmin(segment->y1, segment->y2), fmax(segment->x1, segment->x2),
		               fmax(segment->y1, segment->y2) };
	double reach = grid->reach + segment->rounding;
	struct cell_range range = cells_of_box(grid, &box, reach);
	size_t count = 0;

	for (uint32_t row = range.r0; row <= range.r1; row++) {
		for (uint32_t column = range.c0; column <= range.c1; column++) {
			if (!segment_near_cell(grid, segment, reach, column, row))
				continue;
			count++;
			if (items)
				items[starts[row * grid->columns + column]++] = index;
			else
				starts[row * grid->columns + column]++;
		}
	}
	return count;
}

static size_t
vertex_list(const struct grid *grid, const struct vertex *vertex, uint32_t index, uint32_t *starts, uint32_t *items)
{
	struct box box = { vertex->x, vertex->y, vertex->x, vertex->y };
	struct cell_range range = cells_of_box(grid, &box, grid->reach + vertex->rounding);
	size_t count = 0;

	if (vertex->dead)
		return 0;
	for (uint32_t row = range.r0; row <= range.r1; row++) {
		for (uint32_t column = range.c0; column <= range.c1; column++, count++) {
			if (items)
				items[starts[row * grid->columns + column]++] = index;
			else
				starts[row * grid->columns + column]++;
		}
	}
	return count;
}

static size_t
walls_list(const struct grid *grid, const struct world *world, bool vertices, uint32_t *starts, uint32_t *items)
{
	size_t total = 0;
	uint32_t count = vertices ? world->vertex_count : world->segment_count;

	for (uint32_t i = 0; i < count; i++)
		total += vertices ? vertex_list(grid, &world->vertices[i], i, starts, items)
		                  : segment_list(grid, &world->segments[i], i, starts, items);
	return total;
}

/* Lists segments or vertices per cell: counted, summed, filled. */
static bool
walls_build(struct grid *grid, const struct world *world, bool vertices, uint32_t **starts_out, uint32_t **items_out)
{
	size_t cells = (size_t)grid->columns * grid->rows;
	uint32_t *starts = calloc(cells + 1, sizeof *starts);
	size_t total = starts ? walls_list(grid, world, vertices, starts, NULL) : 0;
	uint32_t *items = starts ? malloc((total + 1) * sizeof *items) : NULL;

	free(*starts_out);
	free(*items_out);
	*starts_out = starts;
	*items_out = items;
	if (!items)
		return false;

	uint32_t sum = 0;

	for (size_t c = 0; c <= cells; c++) {
		uint32_t count = c < cells ? starts[c] : 0;

		starts[c] = sum;
		sum += count;
	}
	(void)walls_list(grid, world, vertices, starts, items);
	/* Filling moved each start to the next one's place. */
	memmove(starts + 1, starts, cells * sizeof *starts);
	starts[0] = 0;
	grid->memory_bytes += (cells + 1 + total) * sizeof *starts;
	return true;
}

/* Rows and columns for a cell size. */
static void
grid_divide(struct grid *grid, const struct box *box, double cell)
{
	grid->cell = cell;
	grid->inverse = 1.0 / cell;
	grid->margin = cell * CELL_MARGIN;
	grid->columns = (uint32_t)fmin((box->x1 - box->x0) / cell, 4e6) + 1;
	grid->rows = (uint32_t)fmin((box->y1 - box->y0) / cell, 4e6) + 1;
}

/* An upper bound of the list entries of all segments, without visiting their cells. */
static double
items_estimate(const struct grid *grid, const struct world *world)
{
	double total = 0.0;

	for (uint32_t i = 0; i < world->segment_count; i++) {
		const struct segment *s = &world->segments[i];
		double across = (fabs(s->ux) + fabs(s->uy)) * grid->inverse + 3.0;

		total += across * (2.0 * (grid->reach + s->rounding) * grid->inverse + 3.0);
	}
	return total;
}

static void
grid_choose_cell(struct grid *grid, const struct world *world)
{
	struct box box = world_box(world);
	double radius = 0.0, size = fmax(fmax(fabs(box.x0), fabs(box.y0)), fmax(fabs(box.x1), fabs(box.y1)));
	double shapes = (double)world->body_count + (double)world->segment_count + 64.0;

	for (uint32_t i = 0; i < world->body_count; i++)
		radius = fmax(radius, world->bodies[i].radius);

	double skin = 4.0 * size * SKIN_PER_COORDINATE + radius * SKIN_PER_RADIUS;
	double cell = (2.0 * radius + skin) * CELL_SLACK;

	if (!(cell > 0.0))
		cell = 1.0;
	if ((box.x1 - box.x0) / cell * ((box.y1 - box.y0) / cell) > shapes * CELLS_PER_SHAPE_MAX)
		box_trim(&box, world);
	grid->x0 = box.x0;
	grid->y0 = box.y0;
	for (;; cell *= 1.25) {
		grid_divide(grid, &box, cell);
		/* A centre may be a margin outside, and contacts are looked for up to two skins. */
		grid->reach = radius + 2.0 * skin + grid->margin;
		if (grid->columns == 1 && grid->rows == 1)
			break;
		if ((double)grid->columns * grid->rows <= shapes * CELLS_PER_SHAPE_MAX &&
		    items_estimate(grid, world) <= shapes * ITEMS_PER_SHAPE_MAX)
			break;
	}
}

bool
grid_build(struct grid *grid, const struct world *world)
{
	grid_choose_cell(grid, world);

	size_t cells = (size_t)grid->columns * grid->rows, bodies = (size_t)world->body_count + 1;

	grid->memory_bytes = (cells + 3 * bodies) * sizeof(uint32_t);
	if (!grid->next) {
		grid->next = malloc(bodies * sizeof *grid->next);
		grid->previous = malloc(bodies * sizeof *grid->previous);
		grid->cell_of = malloc(bodies * sizeof *grid->cell_of);
	}
	free(grid->heads);
	grid->heads = malloc(cells * sizeof *grid->heads);
	if (!grid->next || !grid->previous || !grid->cell_of || !grid->heads)
		return false;
	memset(grid->heads, 0xff, cells * sizeof *grid->heads);
	for (uint32_t i = 0; i < world->body_count; i++) {
		uint32_t cell = grid_cell(grid, world->bodies[i].x, world->bodies[i].y);
		uint32_t head = grid->heads[cell];

		grid->cell_of[i] = cell;
		grid->previous[i] = NONE;
		grid->next[i] = head;
		if (head != NONE)
			grid->previous[head] = i;
		grid->heads[cell] = i;
	}
	return walls_build(grid, world, false, &grid->segment_starts, &grid->segment_items) &&
	       walls_build(grid, world, true, &grid->vertex_starts, &grid->vertex_items);
}

bool
grid_fits(const struct grid *grid, const struct world *world)
{
	double width = grid->cell * (double)grid->columns, height = grid->cell * (double)grid->rows;
	uint32_t outside = 0;

	for (uint32_t i = 0; i < world->body_count; i++) {
		const struct body *body = &world->bodies[i];

		outside += body->x < grid->x0 - grid->cell || body->x > grid->x0 + width + grid->cell ||
		           body->y < grid->y0 - grid->cell || body->y > grid->y0 + height + grid->cell;
	}
	/* A few strays share the border cells; when an eighth has left, the box is out of date. */
	return outside <= 16 || outside <= world->body_count / 8;
}

void
grid_finish(struct grid *grid)
{
	free(grid->heads);
	free(grid->next);
	free(grid->previous);
	free(grid->cell_of);
	free(grid->segment_starts);
	free(grid->segment_items);
	free(grid->vertex_starts);
	free(grid->vertex_items);
	*grid = (struct grid){ 0 };
}

void
grid_move(struct grid *grid, uint32_t body, uint32_t cell)
{
	uint32_t next = grid->next[body], previous = grid->previous[body];

	if (next != NONE)
		grid->previous[next] = previous;
	if (previous != NONE)
		grid->next[previous] = next;
	else
		grid->heads[grid->cell_of[body]] = next;

	uint32_t head = grid->heads[cell];

	grid->cell_of[body] = cell;
	grid->previous[body] = NONE;
	grid->next[body] = head;
	if (head != NONE)
		grid->previous[head] = body;
	grid->heads[cell] = body;
}

void
grid_follow(struct grid *grid, const struct world *world, double time)
{
	for (uint32_t i = 0; i < world->body_count && grid->stale; i++) {
		double position[2], velocity[2];

		body_at(&world->bodies[i], time, position, velocity);

		uint32_t cell = grid_cell(grid, position[0], position[1]);

		if (cell != grid->cell_of[i])
			grid_move(grid, i, cell);
	}
	grid->stale = false;
}

/* The time at which a coordinate leaves the cell's interval; border cells are open on their outer side. */
static double
axis_leave(double origin, double cell, double margin, uint32_t index, uint32_t count, const double path[3], double duration)
{
	double low = origin + (double)index * cell - margin, high = origin + ((double)index + 1.0) * cell + margin;
	double first = (double)INFINITY;
	double travel = 1.0001 * duration * (fabs(path[1]) + 0.5 * duration * fabs(path[2]));

	if (path[0] - travel > low && path[0] + travel < high)
		return first;
	if (index > 0 && (path[1] < 0.0 || path[2] < 0.0))
		first = toi_height(path[0] - low, path[1], path[2], 0.0, duration);
	if (index + 1 < count && (path[1] > 0.0 || path[2] > 0.0))
		return fmin(first, toi_height(high - path[0], -path[1], -path[2], 0.0, duration));
	return first;
}

double
grid_leave(const struct grid *grid, uint32_t cell, const double position[2], const double velocity[2],
           const double acceleration[2], double duration)
{
	const double x[3] = { position[0], velocity[0], acceleration[0] };
	const double y[3] = { position[1], velocity[1], acceleration[1] };

	return fmin(axis_leave(grid->x0, grid->cell, grid->margin, cell % grid->columns, grid->columns, x, duration),
	            axis_leave(grid->y0, grid->cell, grid->margin, cell / grid->columns, grid->rows, y, duration));
}
