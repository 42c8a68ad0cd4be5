/* lcp_line: sums over the nonzero numbers of a constraint's row, for lcp.c alone. */
#ifndef COLLIDED_MATH_LCP_LINE_H
#define COLLIDED_MATH_LCP_LINE_H

#include "physics/math/lcp.h"

#include <math.h>

/* Takes the nonzero numbers of a row. */
static inline void
line_set(struct lcp_line *line, const double *row, size_t width)
{
	*line = (struct lcp_line){ 0 };
	for (uint32_t k = 0; k < width; k++)
		lcp_line_add(line, k, row[k]);
}

/* The norm of a row. */
static inline double
line_size(const struct lcp_line *line)
{
	double sum = 0.0;

	for (size_t k = 0; k < LCP_ROW_MAX; k++)
		sum += line->value[k] * line->value[k];
	return sqrt(sum);
}

/* to += factor * a row. */
static inline void
line_add_to(const struct lcp_line *line, double factor, double *to)
{
	for (size_t k = 0; k < line->count; k++)
		to[line->column[k]] += factor * line->value[k];
}

/* A row times a vector. */
static inline double
line_dot(const struct lcp_line *line, const double *v)
{
	double sum = 0.0;

	for (size_t k = 0; k < LCP_ROW_MAX; k++)
		sum += line->value[k] * v[line->column[k]];
	return sum;
}

#endif
