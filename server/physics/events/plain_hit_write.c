/* Happy path: one contact, and one or two new paths, predicted among the neighbours that are known. What can go wrong: memory
 * (world->failed). */
#include "physics/events/plain_hit_write.h"

#include "physics/events/contact_rows.h"
#include "physics/prediction/neighbours.h"
#include "physics/prediction/predict_private.h"
#include "physics/reports/watch.h"
#include "physics/world/ledger.h"

/* Ends a member's path and begins the next. The result is its change of energy and what was there of others', added as
 * ledger_cluster does. */
static inline double
path_replace(struct world *world, const struct cluster *cluster, const struct member *member, double energy)
{
	struct body *path = &world->bodies.paths[member->body];
	struct body_info *info = &world->bodies.infos[member->body];
	const two velocity = two_load(&member->vx), earlier = two_load(&member->before_x), sum = velocity + earlier;
	const two after = velocity * velocity, before = earlier * earlier, change = (velocity - earlier) * sum;
	double duration = cluster->time - path->t0;

	ledger_free_end(world, info->mass, duration, (const double[]){ path->ax, path->ay });
	if (world->watch)
		watch_path_end(world, member->body, cluster->time);
	info->angle += info->spin * duration;
	info->spin = member->spin;
	two_store(&path->x, two_load(&member->x));
	two_store(&path->vx, velocity);
	two_store(&path->ax, two_load(&member->ax));
	path->t0 = cluster->time;
	info->events++;
	info->fastest = larger(info->fastest, larger(before[0] + before[1], after[0] + after[1]));
	world->bodies.marks[member->body].epoch++;
	world->bodies.marks[member->body].is_free = 1;
	energy += 0.5 * info->mass * (change[0] + change[1]);
	if (member->spin != member->before_spin)
		energy += 0.5 * (member->spin - member->before_spin) * (member->spin + member->before_spin) / member->inverse_inertia;
	return energy;
}

/* What a pair's impulses give to a wall. */
static inline void
wall_pushed(struct world *world, const struct pair *pair)
{
	ledger_momentum_add(world->report.momentum.outside, 1.0, pair->impulse * pair->nx - pair->friction_impulse * pair->ny,
	                    pair->impulse * pair->ny + pair->friction_impulse * pair->nx);
}

void
plain_hit_write(struct world *world, const struct cluster *cluster)
{
	const struct member *members = cluster->members;
	const struct pair *pair = &cluster->pairs[0];

	contact_report(world, cluster, pair);
	hits_remember(world, cluster, pair);

	double energy = path_replace(world, cluster, &members[0], 0.0);

	if (pair->j == NONE)
		wall_pushed(world, pair);
	else
		energy = path_replace(world, cluster, &members[1], energy);
	world->report.energy.contact += energy;
	world->report.energy.friction += cluster->friction_loss;
	for (size_t k = 0; k < cluster->member_count; k++)
		predict_among(world, members[k].body, cluster->neighbours, cluster->around[k]);
	if (pair->j != NONE)
		predict_again(world, members[0].body, members[1].body);
}
