/* Which events a domain may take. Happy path: most, deep inside it. Any other is deferred, and the cells around it are closed.
 * What can go wrong: memory (the domain's world fails). */
#include "physics/partition/partition.h"
#include "physics/prediction/prefetch.h"

#include <string.h>

/* The number of rings of cells around a deferred event that are closed from its time on. Two, because it and an event there may
 * read the same bodies. One more, because its bodies may be about to change cells. And while that is known to be too few
 * (domains->wary), one more for the impacts that they pass on at once. */
static uint32_t
cells_around(const struct partition *partition)
{
	return partition->wary ? 4 : 3;
}

/* Rows at an edge that are closed from the start: DOMAIN_EDGE, and one or two for impacts. */
static uint32_t
rows_at_edge(const struct partition *partition)
{
	return DOMAIN_EDGE + (partition->wary ? 2 : 1);
}

static inline void
cells_close_from(double *closed, uint32_t count, double time)
{
	for (uint32_t k = 0; k < count; k++)
		closed[k] = closed[k] <= time ? closed[k] : time;
}

/* Notes that some rows are about to be closed. */
static void
rows_close(struct domain *domain, uint32_t first, uint32_t end)
{
	uint32_t columns = domain->world.grid.levels[0].columns;

	if (first + end < domain->row + domain->row_end)
		domain->open = domain->open > end * columns ? domain->open : end * columns;
	else
		domain->open_end = domain->open_end < first * columns ? domain->open_end : first * columns;
}

void
domain_open(struct domain *domain)
{
	double *closed = domain->all->closed;

	/* All bits set: NaN, which compares false with every time. */
	memset(closed + domain->shut, 0xff, (domain->open - domain->shut) * sizeof *closed);
	memset(closed + domain->open_end, 0xff, (domain->shut_end - domain->open_end) * sizeof *closed);
	domain->shut = domain->open = domain->cell;
	domain->shut_end = domain->open_end = domain->cell_end;
}

/* The rows that are not closed from the round's beginning on: none unless *first is less than *end. */
static void
rows_between_edges(const struct domain *domain, uint32_t *first, uint32_t *end)
{
	uint32_t edge = rows_at_edge(domain->all), below = domain->row_end < domain->world.grid.levels[0].rows ? edge : 0;

	*first = domain->row + (domain->row > 0 ? edge : 0);
	*end = domain->row_end > below ? domain->row_end - below : 0;
}

/* Closes the cells that a deferred event at a cell could affect, each from the time at which it could. */
static void
cells_close(struct domain *domain, uint32_t cell, double time)
{
	const struct world *world = &domain->world;
	uint32_t columns = world->grid.levels[0].columns, row = cell / columns, column = cell % columns, r0, r1;
	double cells = (domain->all->until - time) / domain->all->crossing_time;
	uint32_t around = cells_around(domain->all);
	uint32_t reach = around + (uint32_t)lesser(cells, (double)(domain->row_end - domain->row));

	rows_between_edges(domain, &r0, &r1);
	r0 = row > r0 + reach ? row - reach : r0;
	r1 = row + reach < r1 ? row + reach + 1 : r1;
	if (r0 >= r1)
		return;
	rows_close(domain, r0, r1);
	for (uint32_t r = r0; r < r1; r++) {
		uint32_t rows = r > row ? r - row : row - r;

		for (uint32_t ring = rows > around ? rows : around; ring <= reach; ring++) {
			uint32_t c0 = column > ring ? column - ring : 0, c1 = column + ring < columns ? column + ring + 1 : columns;

			cells_close_from(domain->all->closed + r * columns + c0, c1 - c0,
			                 time + (double)(ring - around) * domain->all->crossing_time);
		}
	}
}

void
domain_close_edge(struct domain *domain, bool upper)
{
	const struct world *world = &domain->world;
	uint32_t columns = world->grid.levels[0].columns, rows = domain->row_end - domain->row, edge = rows_at_edge(domain->all);

	for (uint32_t k = 0; k < rows; k++) {
		double time = domain->all->begin + (k >= edge ? (double)(k - edge + 1) * domain->all->crossing_time : 0.0);
		uint32_t row = upper ? domain->row + k : domain->row_end - 1 - k;

		if (time > domain->all->until)
			break;
		rows_close(domain, upper ? domain->row : row, upper ? row + 1 : domain->row_end);
		cells_close_from(domain->all->closed + row * columns, columns, time);
	}
}

/* Whether there was an event near a cell at a time or later. */
static bool
cell_is_late(const struct domain *domain, uint32_t cell, double time)
{
	const struct grid_level *level = &domain->world.grid.levels[0];
	uint32_t row = cell / level->columns, column = cell % level->columns;
	uint32_t r0 = row > 2 ? row - 2 : 0, r1 = row + 2 < level->rows ? row + 3 : level->rows;
	uint32_t c0 = column > 2 ? column - 2 : 0, c1 = column + 2 < level->columns ? column + 3 : level->columns;
	double moment = partition_moment(domain->all, time);
	bool late = false;

	for (uint32_t r = r0; r < r1; r++)
		for (uint32_t c = c0; c < c1; c++)
			late |= domain->all->latest[r * level->columns + c] >= moment;
	return late;
}

void
domain_fetch(const struct domain *domain, const struct event *event)
{
	const struct grid_level *level = &domain->world.grid.levels[0];
	uint32_t cell = domain->world.grid.rows[event->a].cell, row = cell / level->columns;
	uint32_t r0 = row > 2 ? row - 2 : 0, r1 = row + 2 < level->rows ? row + 3 : level->rows;

	prefetch_plain(&domain->world, event);
	for (uint32_t r = r0; r < r1; r++)
		line_fetch(&domain->all->latest[r * level->columns + cell % level->columns]);
}

/* As domain_has, for a cell. */
static bool
domain_has_cell(struct domain *domain, uint32_t cell, double time)
{
	if (domain->last) {
		domain->in_conflict = domain->in_conflict || cell_is_late(domain, cell, time);
		return !domain->in_conflict;
	}
	return cell_is_inside(domain, cell) && !(time >= domain->all->closed[cell]);
}

bool
domain_has(struct domain *domain, uint32_t body, double time)
{
	return domain_has_cell(domain, domain->world.grid.rows[body].cell, time);
}

/* Whether a body is free; for most that is known without their infos. */
static inline bool
body_moves(const struct world *world, uint32_t body)
{
	return world->bodies.marks[body].is_free || world->bodies.infos[body].mode == MODE_MOVING;
}

bool
domain_has_event(struct domain *domain, const struct event *event)
{
	struct world *world = &domain->world;

	if (!domain_has_plainly(domain, event->a) && !domain_has(domain, event->a, event->time))
		return false;
	if (event->kind == EVENT_CIRCLES && !domain_has_plainly(domain, event->b) && !domain_has(domain, event->b, event->time))
		return false;
	if (event->kind == EVENT_TRANSFER) {
		uint32_t cell = world->grid.rows[event->a].cell, rows = DOMAIN_EDGE * world->grid.levels[0].columns;
		double position[2], velocity[2];

		/* For most, all cells in the rows around are open. */
		if (!domain->last && cell >= domain->open + rows && cell + rows < domain->open_end)
			return true;

		body_at(&world->bodies.paths[event->a], event->time, position, velocity);
		return domain_has_cell(domain, grid_cell(&world->grid, event->a, position[0], position[1]), event->time);
	}
	return domain->last || (body_moves(world, event->a) && (event->kind != EVENT_CIRCLES || body_moves(world, event->b)));
}

void
domain_shut(struct domain *domain, uint32_t body, double time)
{
	uint32_t cell = domain->world.grid.rows[body].cell;

	if (cell_is_inside(domain, cell))
		cells_close(domain, cell, time);
}

void
domain_pass(struct domain *domain, const struct event *event)
{
	if (!array_reserve(&domain->left, &domain->left_capacity, domain->left_count + 1, sizeof *domain->left)) {
		domain->world.failed = true;
		return;
	}
	domain->left[domain->left_count++] = *event;
}

void
domain_defer(struct domain *domain, const struct event *event)
{
	struct world *world = &domain->world;
	uint32_t a = world->grid.rows[event->a].cell;

	domain_pass(domain, event);
	if (cell_is_inside(domain, a))
		cells_close(domain, a, event->time);
	if (event->kind == EVENT_CIRCLES) {
		uint32_t b = world->grid.rows[event->b].cell;

		if (b != a && cell_is_inside(domain, b))
			cells_close(domain, b, event->time);
	}
}
