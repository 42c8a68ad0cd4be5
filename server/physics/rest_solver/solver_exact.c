#include "physics/rest_solver/solver_private.h"

#include "physics/math/larger.h"
#include "physics/math/lcp.h"
#include "physics/math/work_meter.h"

#include <math.h>

/* Fraction of the largest speed in the equations: by how much they may miss a target. */
#define EXACT_PRECISION 0x1p-44

/* The contacts of an island, with their equations in one block of scratch. */
struct exact {
	size_t n, width;
	uint32_t slots[SOLVER_EXACT_MAX], index[SOLVER_EXACT_MAX];
	bool active[SOLVER_EXACT_MAX];
	struct lcp_line lines[SOLVER_EXACT_MAX];
	double *rows, *b, *d, *x, *scratch;
};

static bool
exact_reserve(struct solver *solver, const struct island *island, struct exact *exact)
{
	size_t n = island->contact_count, width = 2 * (size_t)(island->body_end - island->body_start);

	if (!solver_reserve(&solver->exact, &solver->exact_capacity, n * width + 2 * n + width + LCP_DOUBLES(n, width),
	                    sizeof *solver->exact))
		return false;
	exact->n = n;
	exact->width = width;
	exact->rows = solver->exact;
	exact->b = exact->rows + n * width;
	exact->x = exact->b + n;
	exact->d = exact->x + n;
	exact->scratch = exact->d + width;
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

static void
solution_add(struct solver *solver, const struct island *island, const struct exact *exact)
{
	for (uint32_t i = island->body_start; i < island->body_end; i++) {
		const double *d = exact->d + 2 * (size_t)(i - island->body_start);
		double weight = sqrt(solver->hot[i].rest[1]);

		solver->hot[i].v += both(weight) * (pair2){ d[0], d[1] };
	}
	for (size_t k = 0; k < exact->n; k++)
		solver->impulses[exact->slots[k] / LANES].normal[exact->slots[k] % LANES] += exact->x[k];
}

enum solver_exact
island_solve_exactly(struct solver *solver, const struct island *island, struct work_meter *work)
{
	struct exact exact;
	double most = 0.0;

	if (island->contact_count > SOLVER_EXACT_MAX)
		return SOLVER_EXACT_NOT;
	if (!exact_reserve(solver, island, &exact)) {
		solver->failed = true;
		return SOLVER_EXACT_NOT;
	}
	rows_write(solver, island, &exact);
	for (size_t k = 0; k < exact.n; k++)
		most = larger(most, fabs(exact.b[k]));

	enum lcp_result result = lcp_solve(&(struct lcp_problem){
		.n = exact.n,
		.width = exact.width,
		.rows = exact.rows,
		.b = exact.b,
		.tolerance = EXACT_PRECISION * most,
		.d = exact.d,
		.x = exact.x,
		.active = exact.active,
		.index = exact.index,
		.scratch = exact.scratch,
		.lines = exact.lines,
		.work = work,
	});

	if (result == LCP_SPENT)
		return SOLVER_EXACT_SPENT;
	if (result != LCP_SOLVED || !solution_takes(solver, island, &exact))
		return SOLVER_EXACT_NOT;
	solution_add(solver, island, &exact);
	return SOLVER_EXACT_SOLVED;
}
