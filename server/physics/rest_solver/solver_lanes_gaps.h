/* solver_lanes_gaps: the loops over contacts that look for the least gaps along displacements, and push what is too near. As
 * solver_lanes.h, which it belongs to. Internal. */
#ifndef COLLIDED_REST_SOLVER_SOLVER_LANES_GAPS_H
#define COLLIDED_REST_SOLVER_SOLVER_LANES_GAPS_H

#include "physics/rest_solver/solver_lanes.h"

/* The predicted gaps of slots. */
KERNEL vec
lanes_gap(const struct solver *solver, uint32_t slot)
{
	const struct contacts *c = &solver->contacts[slot / LANES];
	uint32_t lane = slot_lane(slot);
	vec ax, ay, bx, by;

	pairs_load((const double *)solver->displacements, &c->a[lane], &ax, &ay);
	pairs_load((const double *)solver->displacements, &c->b[lane], &bx, &by);
	return vec_load(&solver->spacings[slot / LANES].gap[lane]) +
	       (vec_load(&c->nx[lane]) * (ax - bx) + vec_load(&c->ny[lane]) * (ay - by));
}

KERNEL double
vec_least(vec x)
{
	double least = x[0];

	for (uint32_t l = 1; l < WIDTH; l++)
		least = x[l] < least ? x[l] : least;
	return least;
}

/* Two numbers to each of the rows. */
KERNEL void
pairs_store(double *rows, const uint32_t *at, vec x, vec y)
{
	for (uint32_t l = 0; l < WIDTH; l++) {
		rows[2 * (size_t)at[l]] = x[l];
		rows[2 * (size_t)at[l] + 1] = y[l];
	}
}

/* One sweep of the position pass; see solver_kernels.push. Most contacts are left alone. */
KERNEL double
island_push(struct solver *solver, const struct island *island, double below, double share)
{
	double *rows = (double *)solver->displacements;
	struct pause_piece piece = { island->contact_start, island->contact_start };
	vec least = all((double)INFINITY);

	while (pause_piece_next(&piece, island->contact_end, SWEEP_UNITS)) {
		for (uint32_t slot = piece.first; slot < piece.end; slot += WIDTH) {
			uint32_t k = slot / LANES, lane = slot_lane(slot);
			const struct contacts *c = &solver->contacts[k];
			const struct spacings *s = &solver->spacings[k];
			vec ax, ay, bx, by, nx = vec_load(&c->nx[lane]), ny = vec_load(&c->ny[lane]);

			pairs_load(rows, &c->a[lane], &ax, &ay);
			pairs_load(rows, &c->b[lane], &bx, &by);

			vec gap = vec_load(&s->gap[lane]) + (nx * (ax - bx) + ny * (ay - by));
			vec missing = all(below) * vec_load(&s->cushion[lane]) - gap;
			mask enough = missing <= all(0.0);

			least = vec_lesser(gap, least);
			if (mask_all(enough))
				continue;

			vec push = all(share) * missing * vec_load(&c->mass[lane]), mass_a, mass_b;

			for (uint32_t l = 0; l < WIDTH; l++) {
				mass_a[l] = solver->hot[c->a[lane + l]].rest[1];
				mass_b[l] = solver->hot[c->b[lane + l]].rest[1];
			}
			mass_a *= push;
			mass_b *= push;
			pairs_store(rows, &c->a[lane], vec_choose(enough, ax, ax + nx * mass_a), vec_choose(enough, ay, ay + ny * mass_a));
			pairs_store(rows, &c->b[lane], vec_choose(enough, bx, bx - nx * mass_b), vec_choose(enough, by, by - ny * mass_b));
		}
	}
	return vec_least(least);
}

KERNEL struct gap_summary
island_gaps(const struct solver *solver, const struct island *island)
{
	vec least = all((double)INFINITY), spare = least, from = all(solver->tune.push_from);

	struct pause_piece piece = { island->contact_start, island->contact_start };

	while (pause_piece_next(&piece, island->contact_end, SWEEP_UNITS)) {
		for (uint32_t slot = piece.first; slot < piece.end; slot += WIDTH) {
			vec gap = lanes_gap(solver, slot);

			least = vec_lesser(gap, least);
			spare = vec_lesser(gap - from * vec_load(&solver->spacings[slot / LANES].cushion[slot_lane(slot)]), spare);
		}
	}
	return (struct gap_summary){ .gap_least = vec_least(least), .push = vec_least(spare) < 0.0 };
}

/* The first group of slots with a predicted gap below 0; see solver_kernels.closing. */
KERNEL uint32_t
slots_closing(const struct solver *solver, uint32_t start, uint32_t end, double *least)
{
	vec found = all(*least);
	uint32_t slot = start;

	for (; slot < end && !pause_after(1); slot += LANES) {
		vec group = all((double)INFINITY);

		for (uint32_t part = slot; part < slot + LANES; part += WIDTH)
			group = vec_lesser(lanes_gap(solver, part), group);
		if (!mask_all(group >= all(0.0)))
			break;
		found = vec_lesser(group, found);
	}
	*least = vec_least(found);
	return slot < end ? slot : end;
}

#endif
