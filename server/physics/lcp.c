#include "physics/lcp.h"

#include <math.h>

/* A pivot under this part of its diagonal is a dependent constraint. */
#define PIVOT_MIN 1e-9

struct lcp {
	size_t n;
	const double *A, *b;
	double *x;
	bool *active;
	uint32_t *index; /* the active set, in order of entry */
	size_t count;
	double *factor;   /* Cholesky factor of A over the set, row by row, stride n */
	double *solution; /* over the set */
};

static double
entry(const struct lcp *lcp, size_t row, size_t column)
{
	return lcp->A[(size_t)lcp->index[row] * lcp->n + lcp->index[column]];
}

/* Factors rows from..count of the set; returns the first dependent row, or count. */
static size_t
factor(struct lcp *lcp, size_t from)
{
	for (size_t r = from; r < lcp->count; r++) {
		double *row = lcp->factor + r * lcp->n;

		for (size_t c = 0; c <= r; c++) {
			const double *other = lcp->factor + c * lcp->n;
			double sum = entry(lcp, r, c);

			for (size_t k = 0; k < c; k++)
				sum -= row[k] * other[k];
			if (c < r) {
				row[c] = sum / other[c];
			} else {
				if (!(sum > PIVOT_MIN * entry(lcp, r, r)))
					return r;
				row[c] = sqrt(sum);
			}
		}
	}
	return lcp->count;
}

/* solution = A_set^-1 rhs over the first `count` of the set; rhs is in solution on entry. */
static void
solve(struct lcp *lcp, size_t count)
{
	double *s = lcp->solution;

	for (size_t r = 0; r < count; r++) {
		const double *row = lcp->factor + r * lcp->n;

		for (size_t k = 0; k < r; k++)
			s[r] -= row[k] * s[k];
		s[r] /= row[r];
	}
	for (size_t r = count; r-- > 0;) {
		for (size_t k = r + 1; k < count; k++)
			s[r] -= lcp->factor[k * lcp->n + r] * s[k];
		s[r] /= lcp->factor[r * lcp->n + r];
	}
}

static void
leave(struct lcp *lcp, size_t position)
{
	lcp->x[lcp->index[position]] = 0.0;
	lcp->active[lcp->index[position]] = false;
	lcp->count--;
	for (size_t i = position; i < lcp->count; i++)
		lcp->index[i] = lcp->index[i + 1];
}

/* The last of the set depends on the others: raises it along the direction that changes no residual until one of them reaches
 * zero and leaves. False if none ever does: the constraints contradict each other. */
static bool
exchange(struct lcp *lcp)
{
	size_t last = lcp->count - 1, leaving = last;
	double step = (double)INFINITY;

	for (size_t i = 0; i < last; i++)
		lcp->solution[i] = -entry(lcp, i, last);
	solve(lcp, last);
	for (size_t i = 0; i < last; i++) {
		/* Rounding of a direction that is really 0 must not choose. */
		if (!(lcp->solution[i] < -1e-9))
			continue;

		double limit = lcp->x[lcp->index[i]] / -lcp->solution[i];

		if (limit < step) {
			step = limit;
			leaving = i;
		}
	}
	if (leaving == last)
		return false;
	for (size_t i = 0; i < last; i++)
		lcp->x[lcp->index[i]] += step * lcp->solution[i];
	lcp->x[lcp->index[last]] = step;
	leave(lcp, leaving);
	return true;
}

/* Moves x over the set towards the solution there; whatever would turn negative leaves. */
static enum lcp_result
settle(struct lcp *lcp, size_t from)
{
	for (size_t turn = 0; turn < 4 * lcp->n + 16; turn++) {
		size_t dependent = factor(lcp, from);

		if (dependent < lcp->count) {
			if (dependent + 1 != lcp->count)
				return LCP_STALLED;
			if (!exchange(lcp))
				return LCP_INFEASIBLE;
			from = 0;
			continue;
		}
		for (size_t i = 0; i < lcp->count; i++)
			lcp->solution[i] = -lcp->b[lcp->index[i]];
		solve(lcp, lcp->count);

		double fraction = 1.0;
		size_t leaving = lcp->count;

		for (size_t i = 0; i < lcp->count; i++) {
			double x = lcp->x[lcp->index[i]];

			if (lcp->solution[i] > 0.0)
				continue;

			double limit = x > lcp->solution[i] ? x / (x - lcp->solution[i]) : 0.0;

			if (leaving == lcp->count || limit < fraction) {
				fraction = limit;
				leaving = i;
			}
		}
		if (leaving == lcp->count) {
			for (size_t i = 0; i < lcp->count; i++)
				lcp->x[lcp->index[i]] = lcp->solution[i];
			return LCP_SOLVED;
		}
		for (size_t i = 0; i < lcp->count; i++) {
			double *x = &lcp->x[lcp->index[i]];

			*x += fraction * (lcp->solution[i] - *x);
		}
		leave(lcp, leaving);
		from = 0;
	}
	return LCP_STALLED;
}

static double
residual(const struct lcp *lcp, size_t i)
{
	double sum = lcp->b[i];

	for (size_t k = 0; k < lcp->n; k++)
		sum += lcp->A[i * lcp->n + k] * lcp->x[k];
	return sum;
}

enum lcp_result
lcp_solve(size_t n, const double *A, const double *b, double tolerance, double *x, bool *active, uint32_t *index,
          double *scratch)
{
	struct lcp lcp = {
		.n = n,
		.A = A,
		.b = b,
		.x = x,
		.active = active,
		.index = index,
		.factor = scratch,
		.solution = scratch + n * n,
	};

	for (size_t i = 0; i < n; i++) {
		x[i] = 0.0;
		active[i] = false;
	}
	for (size_t turn = 0; turn < 8 * n + 32; turn++) {
		double worst = -tolerance;
		size_t entering = n;

		for (size_t i = 0; i < n; i++) {
			double r = active[i] ? 0.0 : residual(&lcp, i);

			if (r < worst) {
				worst = r;
				entering = i;
			}
		}
		if (entering == n)
			return LCP_SOLVED;
		index[lcp.count++] = (uint32_t)entering;
		active[entering] = true;

		enum lcp_result result = settle(&lcp, lcp.count - 1);

		if (result != LCP_SOLVED)
			return result;
	}
	return LCP_STALLED;
}
