/* Whether a pair rebounds: its restitution at its approach speed. */
#include "physics/contact/cluster.h"
#include "physics/world/material.h"

#include <math.h>

/* Number of contacts of a body, each within the shortest rebound after the one before, from which on restitution < 1 counts as
 * 0. */
#define BURST_HITS 8

/* Whether a body met this partner within the shortest rebound before this. Or whether it has met any so often in such a row
 * that it must be converging: between two walls the partners alternate. */
static bool
body_met_lately(const struct body_info *info, uint32_t partner, double time, double shortest)
{
	return time - info->last_hit_time < shortest && (info->last_partner == partner || info->burst_hits >= BURST_HITS);
}

static bool
met_lately(const struct cluster *cluster, const struct pair *pair, double shortest)
{
	const struct world *world = cluster->world;
	uint32_t body_i = cluster->members[pair->i].body;
	uint32_t partner = pair->j == NONE ? pair->segment | PARTNER_SEGMENT : cluster->members[pair->j].body;

	return body_met_lately(&world->bodies.infos[body_i], partner, cluster->time, shortest) ||
	       (pair->j != NONE && body_met_lately(&world->bodies.infos[partner], body_i, cluster->time, shortest));
}

static bool
body_spent(const struct body_info *info)
{
	return info->inverse_mass == 0.0 || info->rebound < REBOUND_SPENT;
}

static bool
pair_spent(const struct cluster *cluster, const struct pair *pair)
{
	const struct body_info *infos = cluster->world->bodies.infos;

	return body_spent(&infos[cluster->members[pair->i].body]) &&
	       (pair->j == NONE || body_spent(&infos[cluster->members[pair->j].body]));
}

double
pair_restitution(const struct cluster *cluster, const struct pair *pair, double approach)
{
	const struct world *world = cluster->world;
	double e = pair->restitution;

	/* Nothing falls, and no rebound is too short. */
	if (e == 1.0 && world->settings.gravity == 0.0)
		return approach < world->settings.restitution_threshold ? 0.0 : 1.0;

	double pull = -(world->settings.gravity_x * pair->nx + world->settings.gravity_y * pair->ny);

	double scale = world->bodies.infos[cluster->members[pair->i].body].gravity_scale;

	if (pair->j != NONE && world->bodies.infos[cluster->members[pair->j].body].kind == BODY_DYNAMIC) {
		pull = fabs(pull);
		scale = material_scale(world, cluster->members[pair->i].body, cluster->members[pair->j].body);
	}
	if (material_stays(world, e, approach, pull * scale))
		return 0.0;
	if (e < 1.0 && (met_lately(cluster, pair, material_rebound_least(world, e)) ||
	                (approach < world->settings.gravity * fabs(scale) * world->step.dt && pair_spent(cluster, pair))))
		return 0.0;
	return e;
}

/* At restitution 1 a hop too short to be followed is rest. This costs next to nothing as long as the hop is resolved by itself,
 * before others are reflected. Others may turn it into an impact. So the test is repeated at each approach, and a hop has no
 * part in the rebound of others. */
void
pair_approach_set(const struct cluster *cluster, struct pair *pair, double approach)
{
	pair->approach = larger(pair->approach, approach);
	pair->effective = pair_restitution(cluster, pair, approach);
	pair->hop = pair->restitution == 1.0 && pair->effective == 0.0 &&
	            approach >= cluster->world->settings.restitution_threshold;
}

void
pair_approach_note(const struct cluster *cluster, struct pair *pair, double approach)
{
	if (pair->approach > 0.0)
		return;
	pair_approach_set(cluster, pair, approach);
	pair->hop = false;
}
