/* What the impulses of a cluster add to the ledgers. */
#include "physics/contact/cluster.h"
#include "physics/world/ledger.h"

/* The impulse of a pair on a member times the velocity of its surface there; `side` is +1 for i, -1 for j. */
static double
pair_work(const struct pair *pair, const struct member *m, double side)
{
	double along = pair->nx * m->vy - pair->ny * m->vx - (pair->central ? 0.0 : side * m->radius * m->spin);

	return side * (pair->impulse * (pair->nx * m->vx + pair->ny * m->vy) + pair->friction_impulse * along +
	               pair->rolling_impulse * m->spin);
}

/* Work and impulse of a pair's immovable side. `side` is that of the other one. */
static void
outside_add(struct world *world, const struct pair *pair, const struct member *outside, double side, double *work)
{
	if (outside)
		*work -= pair_work(pair, outside, -side);
	else
		*work += pair->impulse * (pair->nx * pair->wall_vx + pair->ny * pair->wall_vy) +
		         pair->friction_impulse * (pair->nx * pair->wall_vy - pair->ny * pair->wall_vx);
	ledger_momentum_add(world->report.momentum.outside, side, pair->impulse * pair->nx - pair->friction_impulse * pair->ny,
	                    pair->impulse * pair->ny + pair->friction_impulse * pair->nx);
}

/* What a side adds to the pair's impulses by yielding more or less than its mass would. With the means of the velocities before
 * and after, the energy is exact. `side` is +1 for i, -1 for j. */
static void
yield_add(struct world *world, const struct pair *pair, const struct member *m, double side, double yield, double *work)
{
	struct member mean = *m;

	mean.vx = 0.5 * (m->vx + m->before_x);
	mean.vy = 0.5 * (m->vy + m->before_y);
	mean.spin = 0.5 * (m->spin + m->before_spin);
	*work += (yield - 1.0) * pair_work(pair, &mean, side);
	ledger_momentum_add(world->report.momentum.outside, side * (yield - 1.0),
	                    pair->impulse * pair->nx - pair->friction_impulse * pair->ny,
	                    pair->impulse * pair->ny + pair->friction_impulse * pair->nx);
}

void
ledger_cluster(struct world *world, const struct cluster *cluster)
{
	double change = 0.0, work = 0.0;

	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];

		if (m->inverse_mass > 0.0)
			change += 0.5 * world->bodies.infos[m->body].mass *
			          ((m->vx - m->before_x) * (m->vx + m->before_x) + (m->vy - m->before_y) * (m->vy + m->before_y));
		if (m->spin != m->before_spin)
			change += 0.5 * (m->spin - m->before_spin) * (m->spin + m->before_spin) / m->inverse_inertia;
	}
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		const struct member *i = &cluster->members[pair->i];
		const struct member *j = pair->j == NONE ? NULL : &cluster->members[pair->j];

		if (i->inverse_mass == 0.0)
			outside_add(world, pair, i, -1.0, &work);
		if (!j || j->inverse_mass == 0.0)
			outside_add(world, pair, j, 1.0, &work);
		work += pair_surface_work(pair);
		if (pair->weights && !pair->by_mass && j) {
			yield_add(world, pair, i, 1.0, pair->yield_i, &work);
			yield_add(world, pair, j, -1.0, pair->yield_j, &work);
		}
	}
	ledger_momentum_add(world->report.momentum.outside, 1.0, cluster->locked[0], cluster->locked[1]);
	world->report.energy.work += work;
	world->report.energy.contact += change - work;
	world->report.energy.friction += cluster->friction_loss;
}
