#include "bench/boxes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A grid has this many cells at most to a side, and this many to a box. */
enum { SIDE_MAX = 2048, CELLS_TO_A_BOX = 32 };

struct boxes {
	struct box *boxes;
	size_t count;
	double x, y, cell; /* of the grid's lower left corner */
	size_t columns, rows;
	size_t *starts;    /* of each cell in `entries`, and the end */
	uint32_t *entries; /* indices of boxes */
	uint32_t *marks;   /* the last question that met each box */
	uint32_t question;
};

struct range {
	size_t column1, column2, row1, row2; /* both included */
};

static size_t
index_of(double offset, double cell, size_t count)
{
	const double index = floor(offset / cell);
	return index <= 0 ? 0 : index >= (double)(count - 1) ? count - 1 : (size_t)index;
}

static struct range
range_of(const struct boxes *boxes, double x1, double y1, double x2, double y2)
{
	return (struct range){
		index_of(x1 - boxes->x, boxes->cell, boxes->columns),
		index_of(x2 - boxes->x, boxes->cell, boxes->columns),
		index_of(y1 - boxes->y, boxes->cell, boxes->rows),
		index_of(y2 - boxes->y, boxes->cell, boxes->rows),
	};
}

static struct range
range_of_box(const struct boxes *boxes, const struct box *box)
{
	return range_of(boxes, box->x1, box->y1, box->x2, box->y2);
}

/* Cells are twice as wide as the mean box, or as much wider as the limits above ask: of a wide world most cells are empty. */
static void
grid_measure(struct boxes *boxes)
{
	double x2 = -HUGE_VAL, y2 = -HUGE_VAL, extent = 0;
	boxes->x = boxes->y = HUGE_VAL;
	for (size_t i = 0; i < boxes->count; i++) {
		const struct box *box = &boxes->boxes[i];
		boxes->x = fmin(boxes->x, box->x1);
		boxes->y = fmin(boxes->y, box->y1);
		x2 = fmax(x2, box->x2);
		y2 = fmax(y2, box->y2);
		extent += fmax(box->x2 - box->x1, box->y2 - box->y1);
	}
	boxes->columns = boxes->rows = 1;
	boxes->cell = 1;
	if (boxes->count == 0) {
		boxes->x = boxes->y = 0;
		return;
	}
	const double side = fmax(x2 - boxes->x, y2 - boxes->y);
	const double side_max = fmin(SIDE_MAX, ceil(sqrt(CELLS_TO_A_BOX * (double)boxes->count)));
	boxes->cell = fmax(2 * extent / (double)boxes->count, side / side_max);
	if (!(boxes->cell > 0))
		boxes->cell = 1;
	boxes->columns = (size_t)((x2 - boxes->x) / boxes->cell) + 1;
	boxes->rows = (size_t)((y2 - boxes->y) / boxes->cell) + 1;
}

/* Counts into starts, or puts entries where starts say. */
static void
grid_pass(struct boxes *boxes, bool put)
{
	for (size_t i = 0; i < boxes->count; i++) {
		const struct range range = range_of_box(boxes, &boxes->boxes[i]);
		for (size_t row = range.row1; row <= range.row2; row++) {
			for (size_t column = range.column1; column <= range.column2; column++) {
				size_t *start = &boxes->starts[row * boxes->columns + column];
				if (put)
					boxes->entries[--*start] = (uint32_t)i;
				else
					++*start;
			}
		}
	}
}

struct boxes *
boxes_create(const struct box *list, size_t count)
{
	struct boxes *boxes = calloc(1, sizeof *boxes);
	if (!boxes)
		return NULL;
	boxes->count = count;
	boxes->boxes = malloc(count * sizeof *list + 1);
	boxes->marks = calloc(count + 1, sizeof *boxes->marks);
	if (boxes->boxes && boxes->marks) {
		if (count)
			memcpy(boxes->boxes, list, count * sizeof *list);
		grid_measure(boxes);
		boxes->starts = calloc(boxes->columns * boxes->rows + 1, sizeof *boxes->starts);
	}
	if (boxes->starts) {
		const size_t cells = boxes->columns * boxes->rows;
		grid_pass(boxes, false);
		for (size_t i = 0; i < cells; i++)
			boxes->starts[i + 1] += boxes->starts[i];
		boxes->entries = malloc(boxes->starts[cells] * sizeof *boxes->entries + 1);
	}
	if (!boxes->entries) {
		boxes_destroy(boxes);
		return NULL;
	}
	grid_pass(boxes, true);
	return boxes;
}

void
boxes_destroy(struct boxes *boxes)
{
	if (!boxes)
		return;
	free(boxes->boxes);
	free(boxes->starts);
	free(boxes->entries);
	free(boxes->marks);
	free(boxes);
}

static bool
overlap(const struct box *a, const struct box *b)
{
	return a->x1 <= b->x2 && b->x1 <= a->x2 && a->y1 <= b->y2 && b->y1 <= a->y2;
}

/* Two boxes that overlap share the corner (larger x1, larger y1): its cell tells the pair, no other. */
static bool
cell_tells(const struct boxes *boxes, const struct box *a, const struct box *b, size_t column, size_t row)
{
	return index_of(fmax(a->x1, b->x1) - boxes->x, boxes->cell, boxes->columns) == column &&
	       index_of(fmax(a->y1, b->y1) - boxes->y, boxes->cell, boxes->rows) == row;
}

void
boxes_pairs(const struct boxes *boxes, void (*visit)(void *context, uint32_t a, uint32_t b), void *context)
{
	for (size_t cell = 0; cell < boxes->columns * boxes->rows; cell++) {
		for (size_t i = boxes->starts[cell]; i < boxes->starts[cell + 1]; i++) {
			const struct box *a = &boxes->boxes[boxes->entries[i]];
			for (size_t k = boxes->starts[cell]; k < i; k++) {
				const struct box *b = &boxes->boxes[boxes->entries[k]];
				if (overlap(a, b) && cell_tells(boxes, a, b, cell % boxes->columns, cell / boxes->columns))
					visit(context, a->item, b->item);
			}
		}
	}
}

/* The columns of one row that the way may touch, a cell more on each side. */
static void
row_clip(const struct boxes *boxes, double x1, double y1, double x2, double y2, size_t row, double *from, double *to)
{
	const double low = boxes->y + boxes->cell * (double)row, high = low + boxes->cell, dy = y2 - y1;
	double a = 0, b = 1;
	/* What is outside of the grid counts to its outermost row. */
	if (dy != 0 && row > 0 && row + 1 < boxes->rows) {
		const double s = (low - y1) / dy, t = (high - y1) / dy;
		a = fmin(1, fmax(0, fmin(s, t)));
		b = fmin(1, fmax(0, fmax(s, t)));
	}
	const double xa = x1 + a * (x2 - x1), xb = x1 + b * (x2 - x1);
	*from = fmin(xa, xb) - boxes->cell;
	*to = fmax(xa, xb) + boxes->cell;
}

void
boxes_near(struct boxes *boxes, double x1, double y1, double x2, double y2, void (*visit)(void *context, uint32_t item),
           void *context)
{
	const struct range rows = range_of(boxes, fmin(x1, x2), fmin(y1, y2), fmax(x1, x2), fmax(y1, y2));
	boxes->question++;
	for (size_t row = rows.row1; row <= rows.row2; row++) {
		double from, to;
		row_clip(boxes, x1, y1, x2, y2, row, &from, &to);
		const struct range columns = range_of(boxes, from, y1, to, y1);
		for (size_t column = columns.column1; column <= columns.column2; column++) {
			const size_t cell = row * boxes->columns + column;
			for (size_t i = boxes->starts[cell]; i < boxes->starts[cell + 1]; i++) {
				const uint32_t index = boxes->entries[i];
				if (boxes->marks[index] != boxes->question)
					visit(context, boxes->boxes[index].item);
				boxes->marks[index] = boxes->question;
			}
		}
	}
}
