/* Bodies that lie on what stands, and on nothing else: while their contacts stay, the forces on them are constant, and so is
 * their acceleration. Then the way is the mean of the velocities before and after, times h (the trapezoidal rule, exact here).
 * By the velocity at the end alone it would be ahead by half of the acceleration times h squared.
 * Happy path: one body slides or rolls down a wall. */
#include "physics/rest_solver/solver_private.h"

#include <string.h>

/* Whether a contact lets a body go on as it comes and as it leaves. What lands in this substep does not: most of its velocity
 * before would lead into the other side. `slack`: an approach that counts as none. */
static bool
slot_is_steady(const struct solver *solver, uint32_t slot, uint32_t place, pair2 before, double slack)
{
	uint32_t a = slot_a(solver, slot), b = slot_b(solver, slot), other = a == place ? b : a;
	pair2 v = solver->hot[other].v, along = slot_normal(solver, slot) * before;
	double leaving = along[0] + along[1];

	if (v[0] != 0.0 || v[1] != 0.0)
		return false;
	if (!(solver->impulses[slot / LANES].normal[slot % LANES] > 0.0))
		return true;
	return (a == place ? leaving : -leaving) >= -slack;
}

static bool
island_is_steady(const struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h)
{
	uint32_t place = island->body_start, i = solver->body[place];

	if (island->body_end - place != 1 || island->idle || island->overlaps || island->cut || island->halved ||
	    solver->driven[place] != 1)
		return false;

	const pair2 before = { bodies->vx[i], bodies->vy[i] };
	double slack = solver->tune.tolerance * island->cushion / h;

	for (uint32_t s = island->contact_start; s < island->contact_end && !pause_after(1); s++)
		if (solver->pair_of[s] != NONE && !slot_is_steady(solver, s, place, before, slack))
			return false;
	return true;
}

void
steady_find(struct solver *solver, const struct solver_bodies *bodies, double h)
{
	memset(solver->steady, 0, solver->place_end);
	for (uint32_t n = 0; bodies->steady && n < solver->island_count && !pause_after(1); n++)
		solver->steady[solver->islands[n].body_start] = island_is_steady(solver, bodies, &solver->islands[n], h);
}
