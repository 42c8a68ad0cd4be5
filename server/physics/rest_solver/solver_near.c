/* The cells of the listed bodies, at the places where they were looked up last. Happy path: the few stale bodies move from
 * bucket to bucket, and all others stay. The cells only find candidates, and each of these is compared by distance, so nothing
 * of them is seen in the list. What can go wrong: memory. */
#include "physics/math/larger.h"
#include "physics/rest_solver/solver_private.h"

#include <string.h>

/* Cells farther out are one. */
#define COLUMN_MOST 0x1p30
/* More than rounding. */
#define WIDER (1.0 + 0x1p-20)

/* The power of two that is next above a positive number. */
static double
power_above(double x)
{
	uint64_t bits;
	double power;

	memcpy(&bits, &x, sizeof bits);
	bits &= ~(uint64_t)0 << 52;
	memcpy(&power, &bits, sizeof power);
	return 2.0 * power;
}

static int32_t
column_of(double x, double inverse)
{
	double at = x * inverse;

	if (!(at > -COLUMN_MOST))
		return (int32_t)-COLUMN_MOST;
	if (!(at < COLUMN_MOST))
		return (int32_t)COLUMN_MOST;
	int32_t column = (int32_t)at;
	return column - ((double)column > at);
}

static uint32_t *
bucket_of(struct near_cells *cells, int32_t column, int32_t row, uint32_t level)
{
	uint32_t hash = (uint32_t)column * 0x9e3779b1u + (uint32_t)row * 0x85ebca77u + level * 0xc2b2ae3du;

	hash ^= hash >> 15;
	hash *= 0x2c1b3c6du;
	hash ^= hash >> 13;
	return &cells->buckets[hash & (cells->bucket_count - 1)];
}

static void
row_remove(struct near_cells *cells, uint32_t i)
{
	struct near_row *row = &cells->rows[i];

	if (row->level == NEAR_LEVELS)
		return;
	uint32_t *link = bucket_of(cells, row->column, row->row, row->level);
	while (*link != i)
		link = &cells->rows[*link].next;
	*link = row->next;
	cells->counts[row->level]--;
	cells->count--;
	row->level = NEAR_LEVELS;
}

/* False if its reach is larger than that of any level. */
static bool
row_insert(struct solver *solver, const struct solver_bodies *bodies, uint32_t i)
{
	struct near_cells *cells = &solver->cells;
	double reach = bodies->radius[i] + solver->share[i];
	uint32_t level = 0;

	if (!(reach < cells->upper[0]))
		return false;
	while (level + 1 < NEAR_LEVELS && reach < cells->upper[level + 1])
		level++;

	int32_t column = column_of(solver->built_x[i], cells->inverse[level]);
	int32_t row = column_of(solver->built_y[i], cells->inverse[level]);
	uint32_t *bucket = bucket_of(cells, column, row, level);

	cells->rows[i] = (struct near_row){
		.x = solver->built_x[i],
		.y = solver->built_y[i],
		.reach = reach,
		.column = column,
		.row = row,
		.next = *bucket,
		.level = (uint8_t)level,
		.movable = bodies->inverse_mass[i] > 0.0,
	};
	*bucket = i;
	cells->most[level] = larger(cells->most[level], reach);
	cells->counts[level]++;
	cells->count++;
	return true;
}

static bool
cells_build(struct solver *solver, const struct solver_bodies *bodies)
{
	struct near_cells *cells = &solver->cells;
	double most = 0.0;
	size_t count = 0, buckets = 16;

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, bodies->count, 1);)
		for (uint32_t i = p.first; i < p.end; i++) {
			cells->rows[i].level = NEAR_LEVELS;
			if (!solver->listed[i])
				continue;
			count++;
			most = fmax(most, bodies->radius[i] + solver->share[i]);
		}
	while (buckets < 2 * count)
		buckets *= 2;
	if (!solver_reserve(&cells->buckets, &cells->bucket_capacity, buckets, sizeof *cells->buckets) ||
	    !pause_fill(cells->buckets, 0xff, buckets * sizeof *cells->buckets))
		return false;
	cells->bucket_count = buckets;
	cells->count = 0;
	cells->upper[0] = power_above(most);
	for (uint32_t l = 0; l < NEAR_LEVELS; l++) {
		cells->counts[l] = 0;
		cells->most[l] = 0.0;
		cells->upper[l] = l == 0 ? cells->upper[0] : 0.5 * cells->upper[l - 1];
		cells->inverse[l] = 1.0 / (2.0 * cells->upper[l]);
	}
	for (uint32_t i = 0; i < bodies->count && count > 0 && !pause_after(SOLVER_UNITS); i++)
		if (solver->listed[i])
			row_insert(solver, bodies, i);
	cells->valid = true;
	return !pause_stopped();
}

bool
near_cells_update(struct solver *solver, const struct solver_bodies *bodies)
{
	struct near_cells *cells = &solver->cells;

	if (!cells->valid)
		return cells_build(solver, bodies);
	for (uint32_t k = 0; k < solver->stale_count && !pause_after(SOLVER_UNITS); k++) {
		uint32_t i = solver->stale[k];

		row_remove(cells, i);
		if (solver->listed[i] && (!row_insert(solver, bodies, i) || cells->count > cells->bucket_count))
			return cells_build(solver, bodies);
	}
	return !pause_stopped();
}

bool
near_add(struct solver *solver, uint32_t b)
{
	if (!solver_reserve(&solver->near, &solver->near_capacity, solver->near_count + 1, sizeof *solver->near))
		return false;
	solver->near[solver->near_count++] = b;
	return true;
}

/* Adds body j if it is near body i. */
static inline bool
row_compare(struct solver *solver, const struct near_row *at, uint32_t i, uint32_t j)
{
	const struct near_row *other = &solver->cells.rows[j];
	double dx = other->x - at->x, dy = other->y - at->y;
	double R = (at->reach + other->reach) * (1.0 + 2.0 * SKIN_PER_RADIUS);

	if (!(dx * dx + dy * dy < R * R) || j == i || !(at->movable || other->movable) || (j < i && solver->is_stale[j]))
		return true;
	return near_add(solver, j);
}

/* The bodies of one level in columns c0 .. c1 and rows r0 .. r1. */
static bool
level_find(struct solver *solver, uint32_t i, uint32_t level, const int32_t c[2], const int32_t r[2])
{
	struct near_cells *cells = &solver->cells;
	const struct near_row *at = &cells->rows[i];

	for (int32_t row = r[0]; row <= r[1]; row++) {
		for (int32_t column = c[0]; column <= c[1]; column++) {
			for (uint32_t j = *bucket_of(cells, column, row, level); j != NONE; j = cells->rows[j].next) {
				const struct near_row *other = &cells->rows[j];

				/* Others share the bucket. */
				if (other->column == column && other->row == row && other->level == level && !row_compare(solver, at, i, j))
					return false;
			}
		}
	}
	return true;
}

bool
near_bodies_find(struct solver *solver, const struct solver_bodies *bodies, uint32_t i)
{
	struct near_cells *cells = &solver->cells;
	const struct near_row *at = &cells->rows[i];

	for (uint32_t level = 0; level < NEAR_LEVELS; level++) {
		if (cells->counts[level] == 0)
			continue;

		double wide = (at->reach + cells->most[level]) * WIDER, inverse = cells->inverse[level];
		const int32_t c[2] = { column_of(at->x - wide, inverse), column_of(at->x + wide, inverse) };
		const int32_t r[2] = { column_of(at->y - wide, inverse), column_of(at->y + wide, inverse) };

		if (((double)c[1] - c[0] + 1.0) * ((double)r[1] - r[0] + 1.0) <= 9.0 + cells->counts[level]) {
			if (!level_find(solver, i, level, c, r))
				return false;
			continue;
		}
		/* A large body: it covers more cells than there are small ones. */
		for (struct pause_piece p = { 0 }; pause_piece_next(&p, bodies->count, 1);)
			for (uint32_t j = p.first; j < p.end; j++)
				if (cells->rows[j].level == level && !row_compare(solver, at, i, j))
					return false;
	}
	return true;
}
