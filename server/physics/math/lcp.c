#include "physics/math/lcp.h"

#include "physics/math/larger.h"
#include "physics/math/lcp_line.h"
#include "physics/math/work_meter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* A row of which the set leaves less than this fraction counts as dependent on it. After two orthogonalizations, the first six
 * digits of the remainder are right. */
#define INDEPENDENT_MIN 1e-10
/* The same of a second try, where the first one found no impulses. Rows nearly dependent gave impulses without a right
 * digit. */
#define INDEPENDENT_MIN_AGAIN 1e-7
/* What remains of a sum may be rounding, up to this fraction of its terms. */
#define RESIDUAL_PART 0x1p-48
/* A dependent constraint that is violated by less than this fraction of its terms does not contradict the others. */
#define CONTRADICTION_PART 1e-6
/* Where the impulses leave more of d unmade than this fraction of the largest of them, d is set to what they make. What is told
 * of momentum holds to 1e-9 of the impulses. */
#define UNMADE_PART 0x1p-32
/* Where it is more than this, they are not its impulses. */
#define UNMADE_PART_MAX 0x1p-20
/* Of the largest violation: a constraint violated by this much may enter before that one. */
#define AGAIN_PART 0x1p-6
/* The rounding of a coefficient that is really 0 must not choose the constraint that leaves. */
#define COEFFICIENT_MIN 1e-9

struct lcp {
	size_t n, width;
	const double *rows, *b;
	const bool *absent;
	size_t present; /* constraints that count */
	double tolerance;
	double independent; /* INDEPENDENT_MIN, or that of a second try */
	double *d, *x;
	bool *active;
	uint32_t *index; /* active set, in order of entry */
	size_t count;
	double *factor;       /* its rows in terms of the basis: lower triangular, stride n */
	double *coefficients; /* of the entering row in terms of the active rows */
	double *size;         /* norm of each row */
	double *excused;      /* not 0: violated, but by no more than rounding may explain */
	struct work_meter *work;
	size_t known;    /* as in struct lcp_problem */
	double *solved;  /* `coefficients` of each row when it entered; stride n */
	double *remains; /* the remainder of each row when it entered; stride width */
	double *basis;   /* orthonormal, spans the active rows; stride width. After it, the remainder of the entering row */
	struct lcp_line *lines;
	uint64_t rest_bodies, d_bodies; /* of that remainder, and of d, as in struct lcp_line */
};

/* If there are more bodies than bits in a set, all are visited. */
#define SET_BODIES 64

/* Most vectors have few of the bodies. A sum visits these alone, in order. What it leaves out are zeros, so that it has the
 * same bits. */
static double
dot(const struct lcp *lcp, const double *a, const double *b, uint64_t bodies)
{
	double sum = 0.0;

	if (lcp->width > 2 * SET_BODIES) {
		for (size_t k = 0; k < lcp->width; k++)
			sum += a[k] * b[k];
		return sum;
	}
	for (; bodies != 0; bodies &= bodies - 1) {
		size_t k = 2 * (size_t)__builtin_ctzll(bodies);

		sum += a[k] * b[k];
		sum += a[k + 1] * b[k + 1];
	}
	return sum;
}

/* to += factor * from, for these bodies. */
static void
add(const struct lcp *lcp, double *to, double factor, const double *from, uint64_t bodies)
{
	if (lcp->width > 2 * SET_BODIES) {
		for (size_t k = 0; k < lcp->width; k++)
			to[k] += factor * from[k];
		return;
	}
	for (; bodies != 0; bodies &= bodies - 1) {
		size_t k = 2 * (size_t)__builtin_ctzll(bodies);

		to[k] += factor * from[k];
		to[k + 1] += factor * from[k + 1];
	}
}

static void
divide(const struct lcp *lcp, double *v, double by, uint64_t bodies)
{
	if (lcp->width > 2 * SET_BODIES) {
		for (size_t k = 0; k < lcp->width; k++)
			v[k] /= by;
		return;
	}
	for (; bodies != 0; bodies &= bodies - 1) {
		size_t k = 2 * (size_t)__builtin_ctzll(bodies);

		v[k] /= by;
		v[k + 1] /= by;
	}
}

/* The norm of a vector with some bodies. */
static double
size_of(const struct lcp *lcp, const double *v, uint64_t bodies)
{
	return sqrt(dot(lcp, v, v, bodies));
}

void
lcp_line_add(struct lcp_line *line, uint32_t column, double value)
{
	if (value == 0.0)
		return;
	assert(line->count < LCP_ROW_MAX);
	line->value[line->count] = value;
	line->column[line->count++] = column;
	line->row_bodies |= UINT64_C(1) << column / 2 % SET_BODIES;
}

/* Splits a row into its components along the first `count` basis vectors and a remainder, at basis[count]. Returns the norm of
 * the remainder. */
static double
row_split(struct lcp *lcp, size_t i, size_t count, double *parts)
{
	double *rest = lcp->basis + count * lcp->width, before = lcp->size[i], left = before;
	uint64_t bodies = lcp->lines[i].row_bodies;

	for (size_t k = 0; k < lcp->width; k++)
		rest[k] = 0.0;
	line_add_to(&lcp->lines[i], 1.0, rest);
	for (size_t c = 0; c < count; c++)
		parts[c] = 0.0;
	/* "Twice is enough" (Kahan and Parlett, in Parlett 1980): where much cancelled, the rounding that is left is orthogonalized
	 * too. */
	for (int pass = 0; pass < 3; pass++) {
		for (size_t c = 0; c < count; c++) {
			const double *other = lcp->basis + c * lcp->width;
			uint64_t others = lcp->lines[c].basis_bodies;
			double part = (others & bodies) != 0 ? dot(lcp, rest, other, others & bodies) : 0.0;

			if (part == 0.0)
				continue;
			parts[c] += part;
			add(lcp, rest, -part, other, others);
			bodies |= others;
		}
		left = size_of(lcp, rest, bodies);
		if (left > 0.5 * before)
			break;
		before = left;
	}
	lcp->rest_bodies = bodies;
	return left;
}

/* What is known of the rows from this position on is not known any more. */
static void
known_limit(struct lcp *lcp, size_t position)
{
	lcp->known = position < lcp->known ? position : lcp->known;
}

/* Makes the remainder of a row, with norm `left`, the last basis vector. */
static void
basis_grow(struct lcp *lcp, double left)
{
	double *last = lcp->basis + lcp->count * lcp->width;

	divide(lcp, last, left, lcp->rest_bodies);
	lcp->lines[lcp->count].basis_bodies = lcp->rest_bodies;
	lcp->factor[lcp->count * lcp->n + lcp->count] = left;
	lcp->count++;
}

/* Notes the row that enters, if all before it are noted. */
static void
known_note(struct lcp *lcp, double *coefficients)
{
	size_t count = lcp->count;

	if (lcp->known != count)
		return;
	memcpy(lcp->solved + count * lcp->n, coefficients, count * sizeof *coefficients);
	memcpy(lcp->remains + count * lcp->width, lcp->basis + count * lcp->width, lcp->width * sizeof *lcp->remains);
	lcp->known++;
}

/* Removes a constraint from the active set and orthogonalizes those after it again. */
static void
leave(struct lcp *lcp, size_t position)
{
	size_t count = lcp->count - 1;

	known_limit(lcp, position);
	lcp->x[lcp->index[position]] = 0.0;
	lcp->active[lcp->index[position]] = false;
	for (size_t i = position; i < count; i++)
		lcp->index[i] = lcp->index[i + 1];
	for (lcp->count = position; lcp->count < count;) {
		double left = row_split(lcp, lcp->index[lcp->count], lcp->count, lcp->factor + lcp->count * lcp->n);

		/* It was independent of a larger set before. */
		basis_grow(lcp, larger(left, lcp->independent * lcp->size[lcp->index[lcp->count]]));
	}
}

/* Sets `coefficients`: the entering row in terms of the active rows, from its components along the basis. */
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

/* Sets `out` to the part of d that excused constraints do not make. */
static void
effect_of_active(const struct lcp *lcp, double *out)
{
	for (size_t k = 0; k < lcp->width; k++)
		out[k] = lcp->d[k];
	for (size_t i = 0; i < lcp->n; i++)
		if (lcp->excused[i] != 0.0)
			line_add_to(&lcp->lines[i], -lcp->x[i], out);
}

/* By how much of d nothing is to blame if these are the impulses of the active constraints, or 0 where they are negative. */
static double
effect_missing(const struct lcp *lcp, const double *impulses)
{
	double *made = lcp->basis + lcp->count * lcp->width, square = 0.0;

	effect_of_active(lcp, made);
	for (size_t i = 0; i < lcp->count; i++)
		if (impulses[i] > 0.0)
			line_add_to(&lcp->lines[lcp->index[i]], -impulses[i], made);
	for (size_t k = 0; k < lcp->width; k++)
		square += made[k] * made[k];
	return sqrt(square);
}

/* The largest of the impulses that push, by which what is missing of d is measured. What pulls is no impulse. */
static double
effect_scale(const struct lcp *lcp, const double *impulses)
{
	double most = 0.0;

	for (size_t i = 0; i < lcp->count; i++)
		most = larger(most, impulses[i] * lcp->size[lcp->index[i]]);
	for (size_t i = 0; i < lcp->n; i++)
		if (lcp->excused[i] != 0.0)
			most = larger(most, lcp->x[i] * lcp->size[i]);
	return most;
}

/* Sets d to what the impulses make. */
static void
effect_find(struct lcp *lcp)
{
	for (size_t k = 0; k < lcp->width; k++)
		lcp->d[k] = 0.0;
	for (size_t i = 0; i < lcp->n; i++)
		if (lcp->x[i] > 0.0)
			line_add_to(&lcp->lines[i], lcp->x[i], lcp->d);
}

/* Recomputes the impulses from their effect on d. Stepping has accumulated the rounding of larger impulses. Where the rows
 * differ by little, d may be made only if some pull; then what stepping has found counts, if it makes more of d. False: neither
 * makes d, which is now what the impulses make. */
static bool
impulses_find(struct lcp *lcp)
{
	double *made = lcp->basis + lcp->count * lcp->width, *stepped = lcp->solved;

	known_limit(lcp, lcp->count);
	effect_of_active(lcp, made);
	for (size_t i = 0; i < lcp->count; i++)
		lcp->coefficients[i] = dot(lcp, lcp->basis + i * lcp->width, made, lcp->lines[i].basis_bodies);
	coefficients_find(lcp);

	double missing = effect_missing(lcp, lcp->coefficients), most = effect_scale(lcp, lcp->coefficients);
	const double *better = lcp->coefficients;

	if (missing > UNMADE_PART * most) {
		/* The rows that are known are in the memory of `stepped`. */
		known_limit(lcp, 0);
		for (size_t i = 0; i < lcp->count; i++)
			stepped[i] = lcp->x[lcp->index[i]];

		double missing_stepped = effect_missing(lcp, stepped);

		if (missing_stepped < missing) {
			missing = missing_stepped;
			most = effect_scale(lcp, stepped);
			better = stepped;
		}
	}
	for (size_t i = 0; i < lcp->count; i++)
		lcp->x[lcp->index[i]] = larger(better[i], 0.0);
	if (!(missing > UNMADE_PART * most))
		return true;
	effect_find(lcp);
	return missing <= UNMADE_PART_MAX * most;
}

/* Row i of b + G d. */
static double
residual(const struct lcp *lcp, size_t i)
{
	return lcp->b[i] + line_dot(&lcp->lines[i], lcp->d);
}

/* The size of its terms; `distance` is the norm of d. */
static double
residual_terms(const struct lcp *lcp, size_t i, double distance)
{
	return fabs(lcp->b[i]) + lcp->size[i] * distance;
}

/* The most violated constraint, or n. The one that entered here in the last problem if it is violated by nearly as much. */
static size_t
entering_find(const struct lcp *lcp)
{
	double distance = -1.0, worst = -lcp->tolerance, again = 0.0;
	size_t entering = lcp->n, last = lcp->count < lcp->known ? lcp->index[lcp->count] : lcp->n;

	for (size_t i = 0; i < lcp->n; i++) {
		if (lcp->active[i] || lcp->excused[i] != 0.0 || (lcp->absent && lcp->absent[i]))
			continue;

		double r = residual(lcp, i);

		if (i == last)
			again = r;
		if (!(r < worst))
			continue;
		/* Few are violated, and in the end none is. */
		if (distance < 0.0)
			distance = size_of(lcp, lcp->d, lcp->d_bodies);
		if (r < -RESIDUAL_PART * residual_terms(lcp, i, distance)) {
			worst = r;
			entering = i;
		}
	}
	return entering < lcp->n && again < AGAIN_PART * worst ? last : entering;
}

/* Marks the active constraints that contradict the entering one. */
static void
contradiction_mark(struct lcp *lcp, size_t entering)
{
	for (size_t i = 0; i < lcp->count; i++)
		if (!(lcp->coefficients[i] < -COEFFICIENT_MIN))
			lcp->active[lcp->index[i]] = false;
	lcp->active[entering] = true;
}

/* Whether the work meter still affords an operation on this many rows. */
static bool
rows_pay(const struct lcp *lcp, size_t rows)
{
	return !lcp->work || work_take_terms(lcp->work, rows * lcp->width);
}

/* The rows that leave() processes: each row after the position, and for each of them all before it. */
static size_t
rows_to_leave(const struct lcp *lcp, size_t position)
{
	return (lcp->count - position) * (lcp->count + position);
}

/* A row that enters: the remainder that the set leaves of it, and what it is in terms of the active rows. */
struct entry {
	double *remainder, *coefficients;
	double left; /* norm of the remainder */
	bool known;  /* from the last problem */
};

static struct entry
entry_find(struct lcp *lcp, size_t entering)
{
	size_t count = lcp->count;
	struct entry entry = { .known = count < lcp->known && lcp->index[count] == entering };

	if (entry.known) {
		entry.remainder = lcp->remains + count * lcp->width;
		entry.coefficients = lcp->solved + count * lcp->n;
		entry.left = lcp->factor[count * lcp->n + count];
		lcp->rest_bodies = lcp->lines[count].basis_bodies;
		return entry;
	}
	known_limit(lcp, count);
	entry.left = row_split(lcp, entering, count, lcp->coefficients);
	entry.remainder = lcp->basis + count * lcp->width;
	entry.coefficients = lcp->coefficients;
	for (size_t i = 0; i < count; i++)
		lcp->factor[count * lcp->n + i] = lcp->coefficients[i];
	coefficients_find(lcp);
	return entry;
}

/* The row is active from now on. */
static void
entry_complete(struct lcp *lcp, size_t entering, const struct entry *entry, double force)
{
	lcp->x[entering] = force;
	lcp->active[entering] = true;
	lcp->index[lcp->count] = (uint32_t)entering;
	if (entry->known) {
		lcp->count++;
		return;
	}
	known_note(lcp, entry->coefficients);
	basis_grow(lcp, entry->left);
}

/* The largest step until the impulse of an active row would turn negative; *leaving is its position, count if there is none. */
static double
step_limit(const struct lcp *lcp, size_t entering, const double *coefficients, size_t *leaving)
{
	double limit = (double)INFINITY;

	*leaving = lcp->count;
	for (size_t i = 0; i < lcp->count; i++) {
		double c = coefficients[i];

		if (c * lcp->size[lcp->index[i]] > COEFFICIENT_MIN * lcp->size[entering] && lcp->x[lcp->index[i]] / c < limit) {
			limit = lcp->x[lcp->index[i]] / c;
			*leaving = i;
		}
	}
	return limit;
}

/* Adds one constraint to the active set, and removes those that must leave for it. Pays for the search among all n, too. */
static enum lcp_result
enter(struct lcp *lcp, size_t entering)
{
	double force = 0.0;

	for (size_t turn = 0; turn <= lcp->n; turn++) {
		bool known = lcp->count < lcp->known && lcp->index[lcp->count] == entering;

		if (!rows_pay(lcp, lcp->n / 8 + (known ? 2 : lcp->present + 2 * lcp->count)))
			return LCP_SPENT;

		const struct entry entry = entry_find(lcp, entering);
		bool independent = entry.left > lcp->independent * lcp->size[entering];
		double r = residual(lcp, entering), step = (double)INFINITY;
		size_t leaving;
		double limit = step_limit(lcp, entering, entry.coefficients, &leaving);

		if (independent)
			step = larger(-r, 0.0) / (entry.left * entry.left);
		if (!independent && leaving == lcp->count) {
			double distance = size_of(lcp, lcp->d, lcp->d_bodies);

			if (r < -CONTRADICTION_PART * residual_terms(lcp, entering, distance)) {
				contradiction_mark(lcp, entering);
				return LCP_INFEASIBLE;
			}
			lcp->excused[entering] = 1.0;
			lcp->x[entering] = force;
			return LCP_SOLVED;
		}

		double t = step <= limit ? step : limit;

		/* The entering constraint replaced one that is not quite parallel. The impulse that is transferred changes d by the
		 * remainder, which is small but may exceed rounding. */
		if (entry.left > RESIDUAL_PART * lcp->size[entering]) {
			add(lcp, lcp->d, t, entry.remainder, lcp->rest_bodies);
			lcp->d_bodies |= lcp->rest_bodies;
		}
		for (size_t i = 0; i < lcp->count; i++)
			lcp->x[lcp->index[i]] = larger(lcp->x[lcp->index[i]] - t * entry.coefficients[i], 0.0);
		force += t;
		if (step <= limit) {
			entry_complete(lcp, entering, &entry, force);
			return LCP_SOLVED;
		}
		if (!rows_pay(lcp, rows_to_leave(lcp, leaving)))
			return LCP_SPENT;
		leave(lcp, leaving);
	}
	return LCP_STALLED;
}

static struct lcp
lcp_of(const struct lcp_problem *problem)
{
	size_t n = problem->n, width = problem->width;
	double *basis = problem->scratch + n * n + 3 * n;

	return (struct lcp){
		.n = n,
		.width = width,
		.rows = problem->rows,
		.b = problem->b,
		.absent = problem->absent,
		.tolerance = problem->tolerance,
		.independent = INDEPENDENT_MIN,
		.d = problem->d,
		.x = problem->x,
		.active = problem->active,
		.index = problem->index,
		.work = problem->work,
		.factor = problem->scratch,
		.coefficients = problem->scratch + n * n,
		.size = problem->scratch + n * n + n,
		.excused = problem->scratch + n * n + 2 * n,
		.basis = basis,
		.remains = basis + (n + 1) * width,
		.solved = basis + (2 * n + 1) * width,
		.lines = problem->lines,
		.known = problem->known ? *problem->known : 0,
	};
}

/* Takes the constraints in, the most violated first. */
static enum lcp_result
constraints_enter(struct lcp *lcp)
{
	for (size_t turn = 0; turn < 8 * lcp->n + 32; turn++) {
		size_t entering = entering_find(lcp);

		if (entering == lcp->n)
			return impulses_find(lcp) ? LCP_SOLVED : LCP_STALLED;

		enum lcp_result result = enter(lcp, entering);

		if (result == LCP_INFEASIBLE || result == LCP_SPENT)
			return result;
		if (result == LCP_STALLED)
			break;
	}
	(void)impulses_find(lcp);
	return LCP_STALLED;
}

/* Without impulses. */
static void
lcp_begin(struct lcp *lcp)
{
	for (size_t k = 0; k < lcp->width; k++)
		lcp->d[k] = 0.0;
	for (size_t i = 0; i < lcp->n; i++) {
		lcp->x[i] = lcp->excused[i] = 0.0;
		lcp->active[i] = false;
	}
	lcp->count = 0;
	lcp->d_bodies = 0;
}

enum lcp_result
lcp_solve(const struct lcp_problem *problem)
{
	struct lcp lcp = lcp_of(problem);

	lcp_begin(&lcp);
	for (size_t i = 0; i < lcp.n; i++)
		lcp.present += !lcp.absent || !lcp.absent[i];
	for (size_t i = 0; i < lcp.n && lcp.known == 0; i++) {
		if (lcp.rows)
			line_set(&lcp.lines[i], lcp.rows + i * lcp.width, lcp.width);
		lcp.size[i] = line_size(&lcp.lines[i]);
	}

	enum lcp_result result = constraints_enter(&lcp);

	if (result == LCP_STALLED) {
		lcp.independent = INDEPENDENT_MIN_AGAIN;
		lcp_begin(&lcp);
		known_limit(&lcp, 0);
		result = constraints_enter(&lcp);
		if (result == LCP_INFEASIBLE) {
			/* To the first one it was none. */
			(void)impulses_find(&lcp);
			result = LCP_STALLED;
		}
		known_limit(&lcp, 0);
	}
	if (problem->known)
		*problem->known = lcp.known;
	return result;
}
