#include "client/cli/drawing/coverage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels for a bit of `touched`. */
enum { COVERAGE_BLOCK = 16, COVERAGE_WORD_PIXELS = COVERAGE_BLOCK * 64 };
/* Less than what an 8-bit colour can show; rounding leaves such residues beside shapes. */
static const float share_min = 1.0f / 1024;

bool
coverage_init(struct coverage *coverage, int width, int height)
{
	int blocks = (width + 2 + COVERAGE_WORD_PIXELS - 1) / COVERAGE_WORD_PIXELS;
	*coverage = (struct coverage){
		.width = width,
		.height = height,
		.blocks = blocks,
		.cells = calloc((size_t)(width + 2) * (size_t)height, sizeof *coverage->cells),
		.touched = calloc((size_t)blocks * (size_t)height, sizeof *coverage->touched),
		.top = height,
	};
	if (coverage->cells && coverage->touched)
		return true;
	coverage_finish(coverage);
	return false;
}

void
coverage_finish(struct coverage *coverage)
{
	free(coverage->cells);
	free(coverage->touched);
	coverage->cells = NULL;
	coverage->touched = NULL;
}

static void
row_add(struct coverage *coverage, int y, int x, double area)
{
	int block = x / COVERAGE_BLOCK;
	coverage->cells[(size_t)y * (size_t)(coverage->width + 2) + (size_t)x] += (float)area;
	coverage->touched[(size_t)y * (size_t)coverage->blocks + (size_t)(block / 64)] |= (uint64_t)1 << (block % 64);
}

/* The part of an edge in one row: it falls by `fall` (negative: rises) between x = left and right, both within 0..width. The
 * area right of it is added up in differences: a pixel's share is the sum of all cells up to it. */
static void
row_edge(struct coverage *coverage, int y, double left, double right, double fall)
{
	int first = (int)left, last = (int)ceil(right);
	if (last <= first + 1) {
		double inside = (left + right) / 2 - first;
		row_add(coverage, y, first, fall * (1 - inside));
		row_add(coverage, y, first + 1, fall * inside);
		return;
	}
	/* Through several pixels: what is right of the edge within pixels first..column, as a part of `fall`. */
	double before = 0, slope = 1 / (right - left);
	for (int column = first; column < last; column++) {
		double enters = fmax(left, column), leaves = fmin(right, column + 1);
		double crossed = (leaves - enters) * slope, passed = (enters - left) * slope;
		double share = passed + crossed * (column + 1 - (enters + leaves) / 2);
		row_add(coverage, y, column, fall * (share - before));
		before = share;
	}
	row_add(coverage, y, last, fall * (1 - before));
}

/* What lies beyond the left or right border counts as on it. */
static double
clamp_x(const struct coverage *coverage, double x)
{
	return fmin(fmax(x, 0), coverage->width);
}

void
coverage_edge(struct coverage *coverage, struct drawing_point from, struct drawing_point to)
{
	double sign = 1;
	if (from.y > to.y) {
		struct drawing_point other = from;
		from = to;
		to = other;
		sign = -1;
	}
	double low = fmax(from.y, 0), high = fmin(to.y, coverage->height);
	if (!(low < high))
		return;
	double slope = (to.x - from.x) / (to.y - from.y);
	int top = (int)low, bottom = (int)ceil(high);
	coverage->top = top < coverage->top ? top : coverage->top;
	coverage->bottom = bottom > coverage->bottom ? bottom : coverage->bottom;
	for (int y = top; y < bottom; y++) {
		double enters = fmax(low, y), leaves = fmin(high, y + 1);
		double a = clamp_x(coverage, from.x + (enters - from.y) * slope);
		double b = clamp_x(coverage, from.x + (leaves - from.y) * slope);
		row_edge(coverage, y, fmin(a, b), fmax(a, b), sign * (leaves - enters));
	}
}

void
coverage_polygon(struct coverage *coverage, const struct drawing_point *points, int count)
{
	for (int i = 0; i < count; i++)
		coverage_edge(coverage, points[i], points[i + 1 < count ? i + 1 : 0]);
}

struct row_sum {
	void (*run)(void *context, int x, int y, int count, float share);
	void *context;
	float sum;
};

static void
run_hand_over(const struct row_sum *row, int x, int y, int count, const struct coverage *coverage)
{
	float share = fminf(fabsf(row->sum), 1);
	count = x + count > coverage->width ? coverage->width - x : count;
	if (share >= share_min && count > 0)
		row->run(row->context, x, y, count, share);
}

static void
row_sweep(struct coverage *coverage, int y, struct row_sum *row)
{
	float *cells = coverage->cells + (size_t)y * (size_t)(coverage->width + 2);
	uint64_t *touched = coverage->touched + (size_t)y * (size_t)coverage->blocks;
	int x = 0; /* up to which all is done */
	row->sum = 0;
	for (int word = 0; word < coverage->blocks; word++) {
		for (uint64_t bits = touched[word]; bits != 0; bits &= bits - 1) {
			int begin = word * COVERAGE_WORD_PIXELS + __builtin_ctzll(bits) * COVERAGE_BLOCK, end = begin + COVERAGE_BLOCK;
			end = end > coverage->width + 2 ? coverage->width + 2 : end;
			run_hand_over(row, x, y, begin - x, coverage);
			for (x = begin; x < end; x++) {
				row->sum += cells[x];
				cells[x] = 0;
				run_hand_over(row, x, y, 1, coverage);
			}
		}
		touched[word] = 0;
	}
	run_hand_over(row, x, y, coverage->width - x, coverage);
}

void
coverage_sweep(struct coverage *coverage, void (*run)(void *context, int x, int y, int count, float share), void *context)
{
	struct row_sum row = { .run = run, .context = context };
	for (int y = coverage->top; y < coverage->bottom; y++)
		row_sweep(coverage, y, &row);
	coverage->top = coverage->height;
	coverage->bottom = 0;
}
