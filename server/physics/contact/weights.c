/* Impulses of a cluster in which weights count. An impulse then acts on its two sides as if their masses were other than in the
 * next pair, so that the matrix of the problem is not symmetric. The problem x >= 0, b + A x >= 0 and x . (b + A x) = 0 may
 * have no solution: a body that yields completely to one that comes may be pressed against a wall. If it has one, it need not
 * be that of a minimum, as lcp.h computes it.
 *
 * Happy path: projected Gauss-Seidel in the order of the pairs finds those that carry impulse. For these the equations are
 * solved, exchanging a few pairs. That is the solution if no impulse pulls and no pair approaches. What can go wrong: none is
 * found in SWEEPS_MAX sweeps. Then the cluster is marked as jammed, and the masses decide, with which there always is a
 * solution. */
#include "physics/contact/cluster.h"

#include <math.h>
#include <stdlib.h>

#define SWEEPS_MAX 64
/* Exchanges tried from one guess. */
#define EXCHANGES_MAX 8
/* A pivot below this fraction of the largest on the diagonal is 0 up to rounding: its pair depends on those before it. */
#define PIVOT_PART 0x1p-40

/* The problem, all arrays in one block of scratch. */
struct weighing {
	size_t n;
	double precision;
	double *a; /* n by n: change of pair r's normal speed by an impulse of 1 at pair c */
	double *work;
	double *speed;  /* b + A x */
	double *change; /* of x */
	uint32_t *row;  /* which pairs the equations are for */
	uint32_t *lead; /* columns of pivots */
};

static double
acts_on(const struct pair *pair, uint32_t member)
{
	if (pair->i == member)
		return pair->inverse_i;
	return pair->j == member ? -pair->inverse_j : 0.0;
}

static double
response(const struct pair *r, const struct pair *c)
{
	double sum = acts_on(c, r->i);

	if (r->j != NONE)
		sum -= acts_on(c, r->j);
	return sum * (r->nx * c->nx + r->ny * c->ny);
}

static void
speeds_set(const struct weighing *w, const double *b, const double *x)
{
	for (size_t r = 0; r < w->n; r++) {
		w->speed[r] = b[r];
		for (size_t c = 0; c < w->n; c++)
			w->speed[r] += w->a[r * w->n + c] * x[c];
	}
}

static void
sweep(const struct weighing *w, double *x)
{
	for (size_t r = 0; r < w->n; r++) {
		double wanted = x[r] - w->speed[r] / w->a[r * w->n + r];
		double change = (wanted > 0.0 ? wanted : 0.0) - x[r];

		x[r] += change;
		for (size_t q = 0; q < w->n && change != 0.0; q++)
			w->speed[q] += w->a[q * w->n + r] * change;
	}
}

/* Brings the equations of m unknowns, m + 1 numbers a row, into echelon form: the largest pivot of a column first, the lowest
 * row on ties. lead[] is set to the column of each row's pivot; returns the number of such rows. A column without a pivot
 * depends on those before it. */
static size_t
echelon(double *rows, size_t m, double least, uint32_t *lead)
{
	size_t rank = 0;

	for (uint32_t column = 0; column < m && rank < m; column++) {
		double *pivot = &rows[rank * (m + 1)];
		size_t best = rank;

		for (size_t r = rank + 1; r < m; r++)
			if (fabs(rows[r * (m + 1) + column]) > fabs(rows[best * (m + 1) + column]))
				best = r;
		if (!(fabs(rows[best * (m + 1) + column]) > least))
			continue;
		for (size_t c = column; c <= m && best != rank; c++) {
			double swap = pivot[c];

			pivot[c] = rows[best * (m + 1) + c];
			rows[best * (m + 1) + c] = swap;
		}
		for (size_t r = rank + 1; r < m; r++) {
			double *row = &rows[r * (m + 1)], part = row[column] / pivot[column];

			for (size_t c = column; c <= m && part != 0.0; c++)
				row[c] -= part * pivot[c];
		}
		lead[rank++] = column;
	}
	return rank;
}

/* Changes the impulses of the set so that its pairs neither approach nor separate; where they depend on each other, as few as
 * possible. */
static void
equations_solve(const struct weighing *w, const bool *set, double *x)
{
	size_t n = w->n, m = 0;
	double most = 0.0;

	for (uint32_t r = 0; r < n; r++)
		if (set[r])
			w->row[m++] = r;
	for (size_t r = 0; r < m; r++) {
		for (size_t c = 0; c < m; c++)
			w->work[r * (m + 1) + c] = w->a[w->row[r] * n + w->row[c]];
		w->work[r * (m + 1) + m] = -w->speed[w->row[r]];
		most = larger(most, w->work[r * (m + 1) + r]);
	}

	size_t rank = echelon(w->work, m, PIVOT_PART * most, w->lead);

	for (size_t c = 0; c < m; c++)
		w->change[c] = 0.0;
	for (size_t k = rank; k-- > 0;) {
		const double *row = &w->work[k * (m + 1)];
		double left = row[m];

		for (size_t c = w->lead[k] + 1; c < m; c++)
			left -= row[c] * w->change[c];
		w->change[w->lead[k]] = left / row[w->lead[k]];
	}
	for (size_t c = 0; c < m; c++)
		x[w->row[c]] += w->change[c];
}

/* From a guess, exchanges pairs that would pull against pairs that approach; true: x is the solution. */
static bool
exchange(const struct weighing *w, bool *set, const double *b, const double *guess, double *x)
{
	for (size_t r = 0; r < w->n; r++)
		x[r] = guess[r];
	for (int turn = 0; turn < EXCHANGES_MAX; turn++) {
		bool good = true;

		speeds_set(w, b, x);
		for (size_t r = 0; r < w->n; r++) {
			bool approaches = !(w->speed[r] >= -w->precision);

			good = good && !approaches && !(x[r] > 0.0 && w->speed[r] > w->precision);
			set[r] = x[r] > 0.0 || approaches;
		}
		if (good)
			return true;
		equations_solve(w, set, x);
		for (size_t r = 0; r < w->n; r++)
			x[r] = x[r] > 0.0 ? x[r] : 0.0;
	}
	return false;
}

static bool
weighing_make(struct cluster *cluster, size_t n, double precision, struct weighing *w)
{
	size_t doubles = n * n + n * (n + 1) + 2 * n;

	if (!array_reserve(&cluster->matrix, &cluster->matrix_capacity, doubles, sizeof *cluster->matrix)) {
		cluster->failed = true;
		return false;
	}
	*w = (struct weighing){ .n = n, .precision = precision, .a = cluster->matrix };
	w->work = w->a + n * n;
	w->speed = w->work + n * (n + 1);
	w->change = w->speed + n;
	w->row = cluster->index;
	for (size_t r = 0; r < n; r++)
		for (size_t c = 0; c < n; c++)
			w->a[r * n + c] = response(&cluster->pairs[cluster->chosen[r]], &cluster->pairs[cluster->chosen[c]]);
	return true;
}

/* The effect of the solution, as cluster_solve gives it: M^1/2 times the velocities. */
static void
change_set(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < 2 * cluster->member_count; k++)
		cluster->change[k] = 0.0;
	for (size_t r = 0; r < n; r++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[r]];
		double by_i = pair->inverse_i * cluster->x[r], by_j = pair->inverse_j * cluster->x[r];

		cluster->change[2 * pair->i] += by_i * pair->nx;
		cluster->change[2 * pair->i + 1] += by_i * pair->ny;
		if (pair->j == NONE)
			continue;
		cluster->change[2 * pair->j] -= by_j * pair->nx;
		cluster->change[2 * pair->j + 1] -= by_j * pair->ny;
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		double weight = sqrt(cluster->members[k].inverse_mass);

		cluster->change[2 * k] = weight > 0.0 ? cluster->change[2 * k] / weight : 0.0;
		cluster->change[2 * k + 1] = weight > 0.0 ? cluster->change[2 * k + 1] / weight : 0.0;
	}
}

enum lcp_result
cluster_solve_weighted(struct cluster *cluster, size_t n, double precision)
{
	struct weighing w;
	uint32_t lead[2 * CLUSTER_PAIRS_MAX];
	double *b = cluster->rhs, *x = cluster->x, *guess = cluster->scratch;

	if (n > 2 * CLUSTER_PAIRS_MAX || !weighing_make(cluster, n, precision, &w))
		return LCP_INFEASIBLE;
	w.lead = lead;
	for (size_t r = 0; r < n; r++)
		guess[r] = 0.0;
	speeds_set(&w, b, guess);
	for (int done = 1, next = 4; done <= SWEEPS_MAX; done++) {
		if (!work_take_terms(cluster->work, n * n))
			return LCP_SPENT;
		sweep(&w, guess);
		if (done < next)
			continue;
		next *= 4;
		/* Each exchange is an elimination. */
		if (!work_take_terms(cluster->work, EXCHANGES_MAX * n * n * (n / 3 + 1)))
			return LCP_SPENT;
		if (exchange(&w, cluster->active, b, guess, x)) {
			change_set(cluster, n);
			return LCP_SOLVED;
		}
		speeds_set(&w, b, guess);
	}
	return LCP_INFEASIBLE;
}

bool
cluster_weights_run_away(const struct cluster *cluster)
{
	double gain = 0.0;
	bool fast = false;

	if (!cluster->weighted)
		return false;
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];
		double most = PHYSICS_TRAVEL_MAX_RADII * m->radius / cluster->world->step.dt, square = m->vx * m->vx + m->vy * m->vy;

		if (m->inverse_mass == 0.0)
			continue;
		fast = fast || !(square <= most * most);
		gain += (square - (m->before_x * m->before_x + m->before_y * m->before_y)) / m->inverse_mass;
	}
	/* NaN counts as run away. */
	return fast && !(gain <= 0.0);
}

void
cluster_drop_weights(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		member->vx = member->before_x;
		member->vy = member->before_y;
		member->spin = member->before_spin;
		member->crushed = member->park = false;
	}
	for (size_t k = 0; k < cluster->pair_count; k++) {
		struct pair *pair = &cluster->pairs[k];

		pair->by_mass = pair->weights;
		pair->inverse_i = cluster->members[pair->i].inverse_mass;
		pair->inverse_j = pair->j == NONE ? 0.0 : cluster->members[pair->j].inverse_mass;
		pair->yield_i = pair->yield_j = 1.0;
		pair->approach = pair->effective = pair->impulse = pair->friction_impulse = pair->rolling_impulse = 0.0;
	}
	cluster->friction_loss = 0.0;
	cluster->locked[0] = cluster->locked[1] = 0.0;
	cluster->weighted = cluster->jammed = false;
}
