/* The two rounds of a large island in a substep (small steps: Macklin et al. 2019). After the first one its bodies are half of
 * the way on. There the contacts are measured anew, and the velocities are solved again. So a heap gets as many sweeps as in
 * two substeps; its list, order, displacements and events are made once. The clip certifies the whole displacement, from the
 * geometry of the substep's begin. What can go wrong: memory. */
#include "physics/rest_solver/solver_kernels.h"

#include <string.h>

void
rounds_middle(struct solver *solver, double time, double h)
{
	const struct solver own = *solver;
	const pair2 half = both(0.5 * h);

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, own.placed, SOLVER_UNITS);)
		for (uint32_t place = p.first; place < p.end; place++) {
			if (!own.halved[place])
				continue;
			own.displacements[place].v = own.hot[place].v * half;
			own.positions[place].at += own.displacements[place].v;
		}
	/* What does not yield may move, too. Movable bodies without contacts are here as well, and do not matter. */
	for (struct pause_piece p = { own.placed, own.placed }; pause_piece_next(&p, own.place_end, SOLVER_UNITS);)
		for (uint32_t place = p.first; place < p.end; place++)
			own.positions[place].at += own.hot[place].v * half;
	walls_move(solver, time + 0.5 * h);
}

/* Gravity once more. The second round's energy begins from here. */
static void
bodies_kick_again(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double half,
                  struct solver_ledger *energy)
{
	const pair2 whole = { solver->scene.gravity_x * half, solver->scene.gravity_y * half };
	bool waits = island->overlaps && island->held; /* overlaps_unkick */

	for (struct pause_piece p = { island->body_start, island->body_start };
	     pause_piece_next(&p, island->body_end, SOLVER_UNITS);)
		for (uint32_t place = p.first; place < p.end; place++) {
			struct solver_body *now = &solver->hot[place], *start = &solver->hot_start[place];
			pair2 kick = waits ? both(0.0) : whole * both(body_scale(bodies, solver->body[place]));
			pair2 v = now->v, gain = kick * (v + (v + kick));

			now->v = v + kick;
			start->v = now->v;
			start->rest[0] = now->rest[0];
			energy->kick += start->rest[1] * (0.5 * (gain[0] + gain[1]));
		}
}

static void
round_keep(struct solver *solver, const struct island *island)
{
	for (struct pause_piece p = { island->contact_start / LANES, island->contact_start / LANES };
	     pause_piece_next(&p, island->contact_end / LANES, SOLVER_UNITS);)
		for (uint32_t k = p.first; k < p.end; k++) {
			struct first_round *first = &solver->first[k];

			memcpy(first->nx, solver->contacts[k].nx, sizeof first->nx);
			memcpy(first->ny, solver->contacts[k].ny, sizeof first->ny);
			memcpy(first->gap, solver->spacings[k].gap, sizeof first->gap);
			first->impulses = solver->impulses[k];
		}
}

void
island_round_second(struct solver *solver, const struct solver_bodies *bodies, const struct island *island, double h,
                    struct solver_ledger *energy)
{
	round_keep(solver, island);
	bodies_kick_again(solver, bodies, island, 0.5 * h, energy);
	island_measure_again(solver, bodies, island, 0.5 * h);
}

void
island_round_end(struct solver *solver, const struct island *island)
{
	for (struct pause_piece p = { island->contact_start / LANES, island->contact_start / LANES };
	     pause_piece_next(&p, island->contact_end / LANES, SOLVER_UNITS);)
		for (uint32_t k = p.first; k < p.end; k++) {
			struct first_round *first = &solver->first[k];

			memcpy(solver->contacts[k].nx, first->nx, sizeof first->nx);
			memcpy(solver->contacts[k].ny, first->ny, sizeof first->ny);
			memcpy(solver->spacings[k].gap, first->gap, sizeof first->gap);
			for (uint32_t l = 0; l < LANES; l++) {
				double *normal = &solver->impulses[k].normal[l], *tangent = &solver->impulses[k].tangent[l];
				double sum = first->impulses.normal[l] + *normal;

				/* What carried in the first round only has carried in the substep. */
				if (!(*normal > 0.0)) {
					*normal = 0.5 * sum;
					*tangent = 0.5 * (first->impulses.tangent[l] + *tangent);
				}
				first->impulses.normal[l] = sum;
			}
		}
}

void
rounds_end(struct solver *solver, const struct solver_bodies *bodies, double time)
{
	const struct solver own = *solver;

	for (struct pause_piece p = { 0 }; pause_piece_next(&p, own.place_end, SOLVER_UNITS);)
		for (uint32_t place = p.first; place < p.end; place++)
			own.positions[place].at = (pair2){ bodies->x[own.body[place]], bodies->y[own.body[place]] };
	walls_move(solver, time);
}
