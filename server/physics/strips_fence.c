/* Whether an event is a strip's to take. Happy path: most are, deep inside of it. What is not is left, and the cells around it
 * are closed. What can go wrong: memory (the strip's world fails). */
#include "physics/strips.h"

#include "physics/ahead.h"

#include <string.h>

/* Cells around an event that was left are closed from its time on: two because what it reads and what an event there reads may
 * be the same, one because its bodies may be about to change cells, and, while it is known to be too little (strips->wary), one
 * for a blow that they give at once. */
static uint32_t
cells_around(const struct strips *strips)
{
	return strips->wary ? 4 : 3;
}

/* Rows at an edge are closed from the start: STRIP_EDGE, and one or two for blows. */
static uint32_t
rows_at_edge(const struct strips *strips)
{
	return STRIP_EDGE + (strips->wary ? 2 : 1);
}

static inline void
cells_close_from(double *closed, uint32_t count, double time)
{
	for (uint32_t k = 0; k < count; k++)
		closed[k] = closed[k] <= time ? closed[k] : time;
}

/* Notes that some rows are about to be closed. */
static void
rows_shut(struct strip *strip, uint32_t first, uint32_t end)
{
	uint32_t columns = strip->world.grid.levels[0].columns;

	if (first + end < strip->row + strip->row_end)
		strip->open = strip->open > end * columns ? strip->open : end * columns;
	else
		strip->open_end = strip->open_end < first * columns ? strip->open_end : first * columns;
}

void
strip_open(struct strip *strip)
{
	double *closed = strip->all->closed;

	/* All bits set: not a number, which is earlier and later than nothing. */
	memset(closed + strip->shut, 0xff, (strip->open - strip->shut) * sizeof *closed);
	memset(closed + strip->open_end, 0xff, (strip->shut_end - strip->open_end) * sizeof *closed);
	strip->shut = strip->open = strip->cell;
	strip->shut_end = strip->open_end = strip->cell_end;
}

/* The rows that are not closed from the round's begin on: none if *first is not less than *end. */
static void
rows_between_edges(const struct strip *strip, uint32_t *first, uint32_t *end)
{
	uint32_t edge = rows_at_edge(strip->all), below = strip->row_end < strip->world.grid.levels[0].rows ? edge : 0;

	*first = strip->row + (strip->row > 0 ? edge : 0);
	*end = strip->row_end > below ? strip->row_end - below : 0;
}

/* Closes the cells from which an event left at a cell could be met, each from when on it could. */
static void
cells_close(struct strip *strip, uint32_t cell, double time)
{
	const struct world *world = &strip->world;
	uint32_t columns = world->grid.levels[0].columns, row = cell / columns, column = cell % columns, r0, r1;
	double cells = (strip->all->until - time) / strip->all->pace;
	uint32_t around = cells_around(strip->all);
	uint32_t reach = around + (uint32_t)lesser(cells, (double)(strip->row_end - strip->row));

	rows_between_edges(strip, &r0, &r1);
	r0 = row > r0 + reach ? row - reach : r0;
	r1 = row + reach < r1 ? row + reach + 1 : r1;
	if (r0 >= r1)
		return;
	rows_shut(strip, r0, r1);
	for (uint32_t r = r0; r < r1; r++) {
		uint32_t rows = r > row ? r - row : row - r;

		for (uint32_t ring = rows > around ? rows : around; ring <= reach; ring++) {
			uint32_t c0 = column > ring ? column - ring : 0, c1 = column + ring < columns ? column + ring + 1 : columns;

			cells_close_from(strip->all->closed + r * columns + c0, c1 - c0, time + (double)(ring - around) * strip->all->pace);
		}
	}
}

void
strip_close_edge(struct strip *strip, bool upper)
{
	const struct world *world = &strip->world;
	uint32_t columns = world->grid.levels[0].columns, rows = strip->row_end - strip->row, edge = rows_at_edge(strip->all);

	for (uint32_t k = 0; k < rows; k++) {
		double time = strip->all->begin + (k >= edge ? (double)(k - edge + 1) * strip->all->pace : 0.0);
		uint32_t row = upper ? strip->row + k : strip->row_end - 1 - k;

		if (time > strip->all->until)
			break;
		rows_shut(strip, upper ? strip->row : row, upper ? row + 1 : strip->row_end);
		cells_close_from(strip->all->closed + row * columns, columns, time);
	}
}

/* Whether there was an event near a cell at a time or later. */
static bool
cell_is_late(const struct strip *strip, uint32_t cell, double time)
{
	const struct grid_level *level = &strip->world.grid.levels[0];
	uint32_t row = cell / level->columns, column = cell % level->columns;
	uint32_t r0 = row > 2 ? row - 2 : 0, r1 = row + 2 < level->rows ? row + 3 : level->rows;
	uint32_t c0 = column > 2 ? column - 2 : 0, c1 = column + 2 < level->columns ? column + 3 : level->columns;
	double moment = strips_moment(strip->all, time);
	bool late = false;

	for (uint32_t r = r0; r < r1; r++)
		for (uint32_t c = c0; c < c1; c++)
			late |= strip->all->latest[r * level->columns + c] >= moment;
	return late;
}

void
strip_fetch(const struct strip *strip, const struct event *event)
{
	const struct grid_level *level = &strip->world.grid.levels[0];
	uint32_t cell = strip->world.grid.rows[event->a].cell, row = cell / level->columns;
	uint32_t r0 = row > 2 ? row - 2 : 0, r1 = row + 2 < level->rows ? row + 3 : level->rows;

	ahead_plain(&strip->world, event);
	for (uint32_t r = r0; r < r1; r++)
		line_fetch(&strip->all->latest[r * level->columns + cell % level->columns]);
}

/* strip_has of a cell. */
static bool
strip_has_cell(struct strip *strip, uint32_t cell, double time)
{
	if (strip->last) {
		strip->clash = strip->clash || cell_is_late(strip, cell, time);
		return !strip->clash;
	}
	return cell_is_inside(strip, cell) && !(time >= strip->all->closed[cell]);
}

bool
strip_has(struct strip *strip, uint32_t body, double time)
{
	return strip_has_cell(strip, strip->world.grid.rows[body].cell, time);
}

/* Whether a body goes its own way; of most that is known without their infos. */
static inline bool
body_moves(const struct world *world, uint32_t body)
{
	return world->marks[body].roams || world->infos[body].mode == MODE_MOVING;
}

bool
strip_has_event(struct strip *strip, const struct event *event)
{
	struct world *world = &strip->world;

	if (!strip_has_plainly(strip, event->a) && !strip_has(strip, event->a, event->time))
		return false;
	if (event->kind == EVENT_CIRCLES && !strip_has_plainly(strip, event->b) && !strip_has(strip, event->b, event->time))
		return false;
	if (event->kind == EVENT_TRANSFER) {
		uint32_t cell = world->grid.rows[event->a].cell, rows = STRIP_EDGE * world->grid.levels[0].columns;
		double position[2], velocity[2];

		/* Most have nothing but open cells in the rows around. */
		if (!strip->last && cell >= strip->open + rows && cell + rows < strip->open_end)
			return true;

		body_at(&world->bodies[event->a], event->time, position, velocity);
		return strip_has_cell(strip, grid_cell(&world->grid, event->a, position[0], position[1]), event->time);
	}
	return strip->last || (body_moves(world, event->a) && (event->kind != EVENT_CIRCLES || body_moves(world, event->b)));
}

void
strip_pass(struct strip *strip, const struct event *event)
{
	if (!array_reserve(&strip->left, &strip->left_capacity, strip->left_count + 1, sizeof *strip->left)) {
		strip->world.failed = true;
		return;
	}
	strip->left[strip->left_count++] = *event;
}

void
strip_leave(struct strip *strip, const struct event *event)
{
	struct world *world = &strip->world;
	uint32_t a = world->grid.rows[event->a].cell;

	strip_pass(strip, event);
	if (cell_is_inside(strip, a))
		cells_close(strip, a, event->time);
	if (event->kind == EVENT_CIRCLES) {
		uint32_t b = world->grid.rows[event->b].cell;

		if (b != a && cell_is_inside(strip, b))
			cells_close(strip, b, event->time);
	}
}
