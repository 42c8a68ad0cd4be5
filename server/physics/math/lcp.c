#include "physics/math/lcp.h"

#include "physics/math/larger.h"
#include "physics/math/work_meter.h"

#include <math.h>

/* A row of which the set leaves less than this part depends on it. Orthogonalized twice, the first six digits of what is left
 * are right. */
#define INDEPENDENT_MIN 1e-10
/* What is left of a sum of terms may be their rounding up to this part of them. */
#define RESIDUAL_PART 0x1p-48
/* A dependent constraint that is violated by less than this part of its terms does not contradict the others. */
#define CONTRADICTION_PART 1e-6
/* Rounding of a coefficient that is really 0 must not choose who leaves. */
#define COEFFICIENT_MIN 1e-9

struct lcp {
	size_t n, width;
	const double *rows, *b;
	double tolerance;
	double *d, *x;
	bool *active;
	uint32_t *index; /* the active set, in order of entry */
	size_t count;
	double *factor;       /* the set's rows in terms of the basis: lower triangular, stride n */
	double *coefficients; /* of the entering row in terms of the set's rows */
	double *size;         /* of each row */
	double *excused;      /* not 0: violated, but by less than it can be told from rounding */
	struct work_meter *work;
	double *basis; /* orthonormal, spans the set's rows; stride width. After it, what is left of the entering row */
};

static double
dot(const double *a, const double *b, size_t n)
{
	double sum = 0.0;

	for (size_t k = 0; k < n; k++)
		sum += a[k] * b[k];
	return sum;
}

static const double *
row_of(const struct lcp *lcp, size_t i)
{
	return lcp->rows + i * lcp->width;
}

/* Splits a row into its parts along the first `count` of the basis and what is left, at basis[count]. Returns the size of the
 * latter. */
static double
row_split(struct lcp *lcp, size_t i, size_t count, double *parts)
{
	const double *row = row_of(lcp, i);
	double *rest = lcp->basis + count * lcp->width, before = lcp->size[i], left = before;

	for (size_t k = 0; k < lcp->width; k++)
		rest[k] = row[k];
	for (size_t c = 0; c < count; c++)
		parts[c] = 0.0;
	/* "Twice is enough" (Kahan and Parlett, in Parlett 1980): where much was taken away, what rounding left of it is too. */
	for (int pass = 0; pass < 3; pass++) {
		for (size_t c = 0; c < count; c++) {
			const double *other = lcp->basis + c * lcp->width;
			double part = dot(rest, other, lcp->width);

			if (part == 0.0)
				continue;
			parts[c] += part;
			for (size_t k = 0; k < lcp->width; k++)
				rest[k] -= part * other[k];
		}
		left = sqrt(dot(rest, rest, lcp->width));
		if (left > 0.5 * before)
			break;
		before = left;
	}
	return left;
}

/* Makes what is left of a row, `left` long, the last of the basis. */
static void
basis_grow(struct lcp *lcp, double left)
{
	double *last = lcp->basis + lcp->count * lcp->width;

	for (size_t k = 0; k < lcp->width; k++)
		last[k] /= left;
	lcp->factor[lcp->count * lcp->n + lcp->count] = left;
	lcp->count++;
}

/* Takes a constraint out of the set and orthogonalizes those after it anew. */
static void
leave(struct lcp *lcp, size_t position)
{
	size_t count = lcp->count - 1;

	lcp->x[lcp->index[position]] = 0.0;
	lcp->active[lcp->index[position]] = false;
	for (size_t i = position; i < count; i++)
		lcp->index[i] = lcp->index[i + 1];
	for (lcp->count = position; lcp->count < count;) {
		double left = row_split(lcp, lcp->index[lcp->count], lcp->count, lcp->factor + lcp->count * lcp->n);

		/* It was independent of more than these. */
		basis_grow(lcp, larger(left, INDEPENDENT_MIN * lcp->size[lcp->index[lcp->count]]));
	}
}

/* coefficients = the entering row in terms of the set's, from its parts along the basis. */
static void
coefficients_find(struct lcp *lcp)
{
	double *c = lcp->coefficients;

	for (size_t i = lcp->count; i-- > 0;) {
		for (size_t k = i + 1; k < lcp->count; k++)
			c[i] -= lcp->factor[k * lcp->n + i] * c[k];
		c[i] /= lcp->factor[i * lcp->n + i];
	}
}

/* The impulses anew from what they made of d. Stepping has added up the roundings of larger ones. */
static void
impulses_find(struct lcp *lcp)
{
	double *made = lcp->basis + lcp->count * lcp->width;

	for (size_t k = 0; k < lcp->width; k++)
		made[k] = lcp->d[k];
	for (size_t i = 0; i < lcp->n; i++)
		for (size_t k = 0; k < lcp->width && lcp->excused[i] != 0.0; k++)
			made[k] -= lcp->x[i] * row_of(lcp, i)[k];
	for (size_t i = 0; i < lcp->count; i++)
		lcp->coefficients[i] = dot(lcp->basis + i * lcp->width, made, lcp->width);
	coefficients_find(lcp);
	for (size_t i = 0; i < lcp->count; i++)
		lcp->x[lcp->index[i]] = larger(lcp->coefficients[i], 0.0);
}

/* What b + G d is at i; *terms becomes the size of its terms. */
static double
residual(const struct lcp *lcp, size_t i, double distance, double *terms)
{
	*terms = fabs(lcp->b[i]) + lcp->size[i] * distance;
	return lcp->b[i] + dot(row_of(lcp, i), lcp->d, lcp->width);
}

/* The most violated constraint, or n. */
static size_t
entering_find(const struct lcp *lcp)
{
	double distance = sqrt(dot(lcp->d, lcp->d, lcp->width)), worst = -lcp->tolerance;
	size_t entering = lcp->n;

	for (size_t i = 0; i < lcp->n; i++) {
		double terms, r;

		if (lcp->active[i] || lcp->excused[i] != 0.0)
			continue;
		r = residual(lcp, i, distance, &terms);
		if (r < worst && r < -RESIDUAL_PART * terms) {
			worst = r;
			entering = i;
		}
	}
	return entering;
}

/* Leaves marked what holds against the entering constraint. */
static void
contradiction_mark(struct lcp *lcp, size_t entering)
{
	for (size_t i = 0; i < lcp->count; i++)
		if (!(lcp->coefficients[i] < -COEFFICIENT_MIN))
			lcp->active[lcp->index[i]] = false;
	lcp->active[entering] = true;
}

/* Whether there is work left for what goes through so many rows. */
static bool
rows_pay(const struct lcp *lcp, size_t rows)
{
	return !lcp->work || work_take_terms(lcp->work, rows * lcp->width);
}

/* The rows that leave() goes through: each of those after it, and for each all before that. */
static size_t
rows_to_leave(const struct lcp *lcp, size_t position)
{
	return (lcp->count - position) * (lcp->count + position);
}

/* Takes one constraint in, and out whatever must make room. */
static enum lcp_result
enter(struct lcp *lcp, size_t entering)
{
	double force = 0.0;

	for (size_t turn = 0; turn <= lcp->n; turn++) {
		if (!rows_pay(lcp, lcp->n + 2 * lcp->count))
			return LCP_SPENT;

		double left = row_split(lcp, entering, lcp->count, lcp->coefficients);
		double *rest = lcp->basis + lcp->count * lcp->width;
		bool independent = left > INDEPENDENT_MIN * lcp->size[entering];
		double terms, r = residual(lcp, entering, sqrt(dot(lcp->d, lcp->d, lcp->width)), &terms);
		double step = (double)INFINITY, limit = (double)INFINITY;
		size_t leaving = lcp->count;

		for (size_t i = 0; i < lcp->count; i++)
			lcp->factor[lcp->count * lcp->n + i] = lcp->coefficients[i];
		coefficients_find(lcp);
		for (size_t i = 0; i < lcp->count; i++) {
			double c = lcp->coefficients[i];

			if (c * lcp->size[lcp->index[i]] > COEFFICIENT_MIN * lcp->size[entering] && lcp->x[lcp->index[i]] / c < limit) {
				limit = lcp->x[lcp->index[i]] / c;
				leaving = i;
			}
		}
		if (independent)
			step = larger(-r, 0.0) / (left * left);
		if (!independent && leaving == lcp->count) {
			if (r < -CONTRADICTION_PART * terms) {
				contradiction_mark(lcp, entering);
				return LCP_INFEASIBLE;
			}
			lcp->excused[entering] = 1.0;
			lcp->x[entering] = force;
			return LCP_SOLVED;
		}

		double t = step <= limit ? step : limit;

		/* Exchanged against what is not quite the same: the impulse that goes over changes d by what is left, which is not much
		 * but may be more than rounding. */
		if (left > RESIDUAL_PART * lcp->size[entering])
			for (size_t k = 0; k < lcp->width; k++)
				lcp->d[k] += t * rest[k];
		for (size_t i = 0; i < lcp->count; i++)
			lcp->x[lcp->index[i]] = larger(lcp->x[lcp->index[i]] - t * lcp->coefficients[i], 0.0);
		force += t;
		if (step <= limit) {
			lcp->x[entering] = force;
			lcp->active[entering] = true;
			lcp->index[lcp->count] = (uint32_t)entering;
			basis_grow(lcp, left);
			return LCP_SOLVED;
		}
		if (!rows_pay(lcp, rows_to_leave(lcp, leaving)))
			return LCP_SPENT;
		leave(lcp, leaving);
	}
	return LCP_STALLED;
}

enum lcp_result
lcp_solve(const struct lcp_problem *problem)
{
	size_t n = problem->n, width = problem->width;
	struct lcp lcp = {
		.n = n,
		.width = width,
		.rows = problem->rows,
		.b = problem->b,
		.tolerance = problem->tolerance,
		.d = problem->d,
		.x = problem->x,
		.active = problem->active,
		.index = problem->index,
		.work = problem->work,
		.factor = problem->scratch,
		.coefficients = problem->scratch + n * n,
		.size = problem->scratch + n * n + n,
		.excused = problem->scratch + n * n + 2 * n,
		.basis = problem->scratch + n * n + 3 * n,
	};

	for (size_t k = 0; k < width; k++)
		lcp.d[k] = 0.0;
	for (size_t i = 0; i < n; i++) {
		lcp.x[i] = lcp.excused[i] = 0.0;
		lcp.active[i] = false;
		lcp.size[i] = sqrt(dot(row_of(&lcp, i), row_of(&lcp, i), width));
	}
	for (size_t turn = 0; turn < 8 * n + 32; turn++) {
		size_t entering = entering_find(&lcp);

		if (entering == n) {
			impulses_find(&lcp);
			return LCP_SOLVED;
		}

		enum lcp_result result = enter(&lcp, entering);

		if (result == LCP_INFEASIBLE || result == LCP_SPENT)
			return result;
		if (result == LCP_STALLED)
			break;
	}
	impulses_find(&lcp);
	return LCP_STALLED;
}
