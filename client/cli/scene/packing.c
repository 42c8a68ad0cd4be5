#include "client/cli/scene/packing.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

/* Most cells per circle: a sparse scene gets wider cells rather than more memory. */
enum { CELLS_PER_CIRCLE_MAX = 4 };

struct placed {
	double x, y, radius;
	uint32_t next; /* in the same cell: index + 1, 0 at the end */
};

struct packing {
	double x1, y1, cell;
	double radius_max;
	size_t columns, rows;
	size_t count, count_max;
	struct placed *circles;
	uint32_t *heads; /* per cell: index + 1, 0 if empty */
};

struct packing *
packing_create(double x1, double y1, double x2, double y2, double radius_max, size_t count_max)
{
	struct packing *packing = calloc(1, sizeof *packing);
	if (!packing)
		return NULL;
	double width = fmax(x2 - x1, radius_max), height = fmax(y2 - y1, radius_max);
	double cells_max = (double)(CELLS_PER_CIRCLE_MAX * count_max + 16);
	packing->cell = fmax(2 * radius_max, sqrt(width * height / cells_max));
	/* Without this, a long thin rectangle would have too many cells along its length. */
	packing->cell = fmax(packing->cell, fmax(width, height) / cells_max);
	packing->x1 = x1;
	packing->y1 = y1;
	packing->radius_max = radius_max;
	packing->columns = (size_t)(width / packing->cell) + 1;
	packing->rows = (size_t)(height / packing->cell) + 1;
	packing->count_max = count_max;
	packing->circles = calloc(count_max + 1, sizeof *packing->circles);
	packing->heads = calloc(packing->columns * packing->rows, sizeof *packing->heads);
	if (!packing->circles || !packing->heads) {
		packing_destroy(packing);
		return NULL;
	}
	return packing;
}

void
packing_destroy(struct packing *packing)
{
	if (packing) {
		free(packing->circles);
		free(packing->heads);
		free(packing);
	}
}

/* Cells at the border also hold what lies beyond. */
static size_t
cell_of(double offset, double cell, size_t count)
{
	double index = offset / cell;
	if (!(index > 0))
		return 0;
	return index < (double)(count - 1) ? (size_t)index : count - 1;
}

static bool
cell_is_free(const struct packing *packing, size_t cell, double x, double y, double radius, double gap)
{
	for (uint32_t i = packing->heads[cell]; i != 0; i = packing->circles[i - 1].next) {
		const struct placed *other = &packing->circles[i - 1];
		double dx = other->x - x, dy = other->y - y, reach = other->radius + radius + gap;
		if (dx * dx + dy * dy <= reach * reach)
			return false;
	}
	return true;
}

bool
packing_is_free(const struct packing *packing, double x, double y, double radius, double gap)
{
	double reach = packing->radius_max + radius + gap;
	size_t left = cell_of(x - reach - packing->x1, packing->cell, packing->columns);
	size_t right = cell_of(x + reach - packing->x1, packing->cell, packing->columns);
	size_t low = cell_of(y - reach - packing->y1, packing->cell, packing->rows);
	size_t high = cell_of(y + reach - packing->y1, packing->cell, packing->rows);
	for (size_t row = low; row <= high; row++) {
		for (size_t column = left; column <= right; column++)
			if (!cell_is_free(packing, row * packing->columns + column, x, y, radius, gap))
				return false;
	}
	return true;
}

void
packing_add(struct packing *packing, double x, double y, double radius)
{
	if (packing->count == packing->count_max)
		return;
	size_t column = cell_of(x - packing->x1, packing->cell, packing->columns);
	size_t row = cell_of(y - packing->y1, packing->cell, packing->rows);
	uint32_t *head = &packing->heads[row * packing->columns + column];
	packing->circles[packing->count++] = (struct placed){ .x = x, .y = y, .radius = radius, .next = *head };
	*head = (uint32_t)packing->count;
}

double
segment_distance_squared(double x, double y, double x1, double y1, double x2, double y2)
{
	double dx = x2 - x1, dy = y2 - y1, px = x - x1, py = y - y1;
	double length = dx * dx + dy * dy;
	double along = length > 0 ? (px * dx + py * dy) / length : 0;
	along = along < 0 ? 0 : along > 1 ? 1 : along;
	double ex = px - along * dx, ey = py - along * dy;
	return ex * ex + ey * ey;
}
