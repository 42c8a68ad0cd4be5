/* The velocities of a small island as one linear complementarity problem (math/lcp.h), where sweeps converge too slowly; and so
 * its displacements. What can go wrong: there is no solution, or one that is not credible. Then the sweeps decide. */
#include "physics/rest_solver/solver_private.h"

#include "physics/math/larger.h"
#include "physics/math/lcp.h"
#include "physics/math/work_meter.h"

#include <math.h>

/* Fraction of the largest speed in the equations: by how much they may miss a target. */
#define EXACT_PRECISION 0x1p-44

/* Ratio of masses from which on sweeps may end far from the solution: each comes nearer by about that ratio. */
#define UNLIKE_MASSES 16.0

/* So many contacts are solved exactly whatever the masses. In a box that they fill, one that lies a little higher is held by
 * impulses of many times its weight, which sweeps do not reach. */
#define EXACT_ALWAYS 8u

/* Fraction of a cushion: the gap that a pair has at least after an exact push. More than what the push leaves by rounding. */
#define EXACT_GAP 0x1p-20

/* Multiple of an island's momentum that the impulses of a solution may be. Of a heap of 64 contacts they are less than 64 of
 * it, in a narrow wedge many times that. Their rounding, 2^-53 of each, shows as momentum: a hundredth of what may (1e-9). */
#define EXACT_IMPULSES_MAX 0x1p16

/* The contacts of an island, with their equations in one block of scratch. */
struct exact {
	size_t n, width;
	uint32_t slots[SOLVER_EXACT_MAX], index[SOLVER_EXACT_MAX];
	bool active[SOLVER_EXACT_MAX];
	struct lcp_line lines[SOLVER_EXACT_MAX];
	double *rows, *b, *d, *x, *scratch;
	double *before; /* velocities, of as many numbers as d */
	bool anew;      /* the normal impulses are found anew, not added to */
};

static bool
exact_reserve(struct solver *solver, const struct island *island, struct exact *exact)
{
	size_t n = island->contact_count, width = 2 * (size_t)(island->body_end - island->body_start);

	if (!solver_reserve(&solver->exact, &solver->exact_capacity, n * width + 2 * n + 2 * width + LCP_DOUBLES(n, width),
	                    sizeof *solver->exact))
		return false;
	exact->n = n;
	exact->width = width;
	exact->rows = solver->exact;
	exact->b = exact->rows + n * width;
	exact->x = exact->b + n;
	exact->d = exact->x + n;
	exact->before = exact->d + width;
	exact->scratch = exact->before + width;
	exact->anew = false;
	return true;
}

/* A side's entries in a contact's row: the normal times the square root of the inverse mass. */
static void
side_write(const struct solver *solver, const struct island *island, uint32_t place, pair2 n, double *row)
{
	if (!place_yields(solver, place))
		return;

	double weight = sqrt(solver->hot[place].rest[1]);
	double *at = row + 2 * (size_t)(place - island->body_start);

	at[0] += weight * n[0];
	at[1] += weight * n[1];
}

/* The rows, and by how much each contact's speed exceeds its target. */
static void
rows_write(const struct solver *solver, const struct island *island, struct exact *exact)
{
	size_t n = 0;

	for (size_t k = 0; k < exact->n * exact->width; k++)
		exact->rows[k] = 0.0;
	for (uint32_t slot = island->contact_start; slot < island->contact_end; slot++) {
		if (solver->pair_of[slot] == UINT32_MAX)
			continue;

		uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot);
		pair2 normal = slot_normal(solver, slot), along = normal * (solver->hot[a].v - solver->hot[b].v);

		side_write(solver, island, a, normal, exact->rows + n * exact->width);
		side_write(solver, island, b, -normal, exact->rows + n * exact->width);
		exact->b[n] = along[0] + along[1] - solver->contacts[slot / LANES].target[slot % LANES];
		exact->slots[n++] = slot;
	}
}

/* Makes the change that the impulses add up to, in place of the one that the method stepped to. Where impulses are large beside
 * what they change, the two differ by more than rounding of the latter; only the first conserves momentum. Returns by how much
 * a contact then approaches beyond its target at most. */
static double
change_from_impulses(struct exact *exact)
{
	double worst = 0.0;

	for (size_t c = 0; c < exact->width; c++)
		exact->d[c] = 0.0;
	for (size_t k = 0; k < exact->n; k++)
		for (size_t c = 0; c < exact->width && exact->x[k] > 0.0; c++)
			exact->d[c] += exact->x[k] * exact->rows[k * exact->width + c];
	for (size_t k = 0; k < exact->n; k++) {
		double speed = exact->b[k];

		for (size_t c = 0; c < exact->width; c++)
			speed += exact->rows[k * exact->width + c] * exact->d[c];
		worst = larger(worst, -speed);
	}
	return worst;
}

/* Whether the impulses are in proportion to the momentum that the island has and gets. Between walls that squeeze a row almost
 * straight they may be any multiple of it, and their rounding alone would show as momentum. */
static bool
impulses_fit(const struct solver *solver, const struct island *island, const struct exact *exact)
{
	double impulses = 0.0, momentum = 0.0;

	for (size_t k = 0; k < exact->n; k++)
		impulses += exact->x[k];
	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		const double *d = exact->d + 2 * (size_t)(i - island->body_start);
		double weight = sqrt(solver->hot[i].rest[1]);
		pair2 v = solver->hot[i].v;

		momentum += (fabs(v[0]) + fabs(v[1]) + weight * (fabs(d[0]) + fabs(d[1]))) / (weight * weight);
	}
	return impulses <= EXACT_IMPULSES_MAX * momentum;
}

/* Whether the solution only takes energy. It does unless something that moves by itself is in the way. Circles squeezed almost
 * in a row would be shot out, at its speed divided by their offset from the row. */
static bool
solution_takes(const struct solver *solver, const struct island *island, const struct exact *exact)
{
	double gain = 0.0;

	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		const double *d = exact->d + 2 * (size_t)(i - island->body_start);
		double weight = sqrt(solver->hot[i].rest[1]);
		pair2 change = { d[0], d[1] }, terms = change * (solver->hot[i].v * both(1.0 / weight) + both(0.5) * change);

		gain += terms[0] + terms[1];
	}
	return gain <= 0.0;
}

/* Takes the normal impulses back, and keeps the velocities that they gave. */
static void
normals_undo(struct solver *solver, const struct island *island, struct exact *exact)
{
	exact->anew = true;
	for (uint32_t i = island->body_start; i < island->body_end; i++)
		for (size_t k = 0; k < 2; k++)
			exact->before[2 * (size_t)(i - island->body_start) + k] = solver->hot[i].v[k];
	for (uint32_t slot = island->contact_start; slot < island->contact_end; slot++) {
		pair2 impulse = both(solver->impulses[slot / LANES].normal[slot % LANES]) * slot_normal(solver, slot);
		uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot);

		if (place_yields(solver, a))
			solver->hot[a].v -= both(solver->hot[a].rest[1]) * impulse;
		if (place_yields(solver, b))
			solver->hot[b].v += both(solver->hot[b].rest[1]) * impulse;
	}
}

static void
normals_restore(struct solver *solver, const struct island *island, const struct exact *exact)
{
	for (uint32_t i = island->body_start; exact->anew && i < island->body_end; i++)
		for (size_t k = 0; k < 2; k++)
			solver->hot[i].v[k] = exact->before[2 * (size_t)(i - island->body_start) + k];
}

static void
solution_add(struct solver *solver, const struct island *island, const struct exact *exact)
{
	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		const double *d = exact->d + 2 * (size_t)(i - island->body_start);
		double weight = sqrt(solver->hot[i].rest[1]);

		solver->hot[i].v += both(weight) * (pair2){ d[0], d[1] };
	}
	for (size_t k = 0; k < exact->n; k++) {
		double *normal = &solver->impulses[exact->slots[k] / LANES].normal[exact->slots[k] % LANES];

		*normal = exact->anew ? exact->x[k] : *normal + exact->x[k];
	}
}

bool
island_is_hard(const struct solver *solver, const struct island *island)
{
	if (island->contact_count <= EXACT_ALWAYS)
		return true;

	double least = (double)INFINITY, most = 0.0;

	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		double mass = solver->hot_start[i].rest[1];

		least = mass > 0.0 ? lesser(least, mass) : least;
		most = larger(most, mass);
	}
	return most > UNLIKE_MASSES * least;
}

/* The least change of what the rows multiply with which none is below 0. `most`: the size of the terms that b is made of. */
static enum lcp_result
exact_solve(struct exact *exact, double most, struct work_meter *work)
{
	return lcp_solve(&(struct lcp_problem){
		.n = exact->n,
		.width = exact->width,
		.rows = exact->rows,
		.b = exact->b,
		.tolerance = EXACT_PRECISION * most,
		.d = exact->d,
		.x = exact->x,
		.active = exact->active,
		.index = exact->index,
		.scratch = exact->scratch,
		.lines = exact->lines,
		.work = work,
	});
}

enum solver_exact
island_solve_exactly(struct solver *solver, const struct island *island, double worst, bool anew, struct work_meter *work)
{
	struct exact exact;
	double most = 0.0;

	if (island->contact_count > SOLVER_EXACT_MAX)
		return SOLVER_EXACT_NOT;
	if (!exact_reserve(solver, island, &exact)) {
		solver->failed = true;
		return SOLVER_EXACT_NOT;
	}
	if (anew)
		normals_undo(solver, island, &exact);
	rows_write(solver, island, &exact);
	for (size_t k = 0; k < exact.n; k++)
		most = larger(most, fabs(exact.b[k]));

	enum lcp_result result = exact_solve(&exact, most, work);

	if (result != LCP_SOLVED || !(change_from_impulses(&exact) < worst) || !impulses_fit(solver, island, &exact) ||
	    !solution_takes(solver, island, &exact)) {
		normals_restore(solver, island, &exact);
		return result == LCP_SPENT ? SOLVER_EXACT_SPENT : SOLVER_EXACT_NOT;
	}
	solution_add(solver, island, &exact);
	return SOLVER_EXACT_SOLVED;
}

/* The predicted gaps, less what they are to be: `below` of their cushions, or what they are now if that is less. Returns the
 * largest of these differences. */
static double
gaps_write(const struct solver *solver, struct exact *exact, double below)
{
	double most = 0.0;

	for (size_t k = 0; k < exact->n; k++) {
		uint32_t slot = exact->slots[k], a = slot_a(solver, slot), b = slot_b(solver, slot);
		const struct spacings *s = &solver->spacings[slot / LANES];
		pair2 along = slot_normal(solver, slot) * (solver->displacements[a].v - solver->displacements[b].v);
		double gap = s->gap[slot % LANES], cushion = s->cushion[slot % LANES];
		double wanted = larger(EXACT_GAP * cushion, gap < below * cushion ? gap : below * cushion);

		exact->b[k] = gap + (along[0] + along[1]) - wanted;
		most = larger(most, fabs(exact->b[k]));
	}
	return most;
}

/* The change of a body's displacement. */
static pair2
push_of(const struct solver *solver, const struct island *island, const struct exact *exact, uint32_t place)
{
	const double *d = exact->d + 2 * (size_t)(place - island->body_start);

	return both(sqrt(solver->hot[place].rest[1])) * (pair2){ d[0], d[1] };
}

enum solver_exact
island_push_exactly(struct solver *solver, const struct island *island, double below, struct work_meter *work)
{
	struct exact exact;

	if (island->contact_count > SOLVER_EXACT_MAX)
		return SOLVER_EXACT_NOT;
	if (!exact_reserve(solver, island, &exact)) {
		solver->failed = true;
		return SOLVER_EXACT_NOT;
	}
	rows_write(solver, island, &exact);

	enum lcp_result result = exact_solve(&exact, gaps_write(solver, &exact, below), work);

	if (result != LCP_SOLVED)
		return result == LCP_SPENT ? SOLVER_EXACT_SPENT : SOLVER_EXACT_NOT;
	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		pair2 push = push_of(solver, island, &exact, i);

		if (!(fabs(push[0]) + fabs(push[1]) <= island->cushion))
			return SOLVER_EXACT_NOT;
	}
	for (uint32_t i = island->body_start; i < island->body_end; i++)
		solver->displacements[i].v += push_of(solver, island, &exact, i);
	return SOLVER_EXACT_SOLVED;
}
