/* Accelerations of a cluster: what gravity leaves of the paths of bodies that rest on something.
 *
 * Gauss's principle of least constraint: of all accelerations that do not drive touching, not separating pairs into each
 * other, the one nearest to gravity, weighted by mass; a complementarity problem as that of the velocities. A pair of circles
 * that slide around each other may come closer along the normal by v^2/distance: the parabola with that acceleration stays
 * outside of the circle to fourth order at constant speed. */
#include "physics/cluster.h"

#include <math.h>

/* A pair separates slower than this part of the speeds around it, or of what gravity gives in a tick: it rests. */
#define REST_PART 0x1p-40

static bool
pair_rests(const struct cluster *cluster, const struct pair *pair)
{
	double scale, speed = pair_speed(cluster, pair, &scale);

	return speed <= (scale + cluster->world->gravity * cluster->world->dt) * REST_PART;
}

/* The least acceleration of the gap along the normal that keeps the pair apart. */
static double
acceleration_least(const struct cluster *cluster, const struct pair *pair)
{
	const struct world *world = cluster->world;
	/* A pair that has used up some of its skin gets it back within a tick. */
	double lost = pair->radii + pair->skin - pair->distance;
	double back = lost > 0.25 * pair->skin ? 2.0 * fmin(lost, pair->skin) / (world->dt * world->dt) : 0.0;

	if (pair->kind == EVENT_FACE)
		return 0.0;

	const struct member *i = &cluster->members[pair->i];
	double wx = i->vx, wy = i->vy;

	if (pair->j != NONE) {
		wx -= cluster->members[pair->j].vx;
		wy -= cluster->members[pair->j].vy;
	}

	double along = wx * pair->ny - wy * pair->nx;

	return (pair->distance > 0.0 ? -along * along / pair->distance : 0.0) + back;
}

static double
acceleration_normal(const struct cluster *cluster, const struct pair *pair)
{
	const struct member *i = &cluster->members[pair->i];
	double x = i->ax, y = i->ay;

	if (pair->j != NONE) {
		x -= cluster->members[pair->j].ax;
		y -= cluster->members[pair->j].ay;
	}
	return x * pair->nx + y * pair->ny;
}

static void
acceleration_add(struct cluster *cluster, const struct pair *pair, double force)
{
	struct member *i = &cluster->members[pair->i];

	i->ax += force * i->inverse_mass * pair->nx;
	i->ay += force * i->inverse_mass * pair->ny;
	if (pair->j != NONE) {
		struct member *j = &cluster->members[pair->j];

		j->ax -= force * j->inverse_mass * pair->nx;
		j->ay -= force * j->inverse_mass * pair->ny;
	}
}

void
cluster_rest(struct cluster *cluster)
{
	const struct world *world = cluster->world;
	size_t n = 0;

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *member = &cluster->members[k];

		member->ax = member->inverse_mass > 0.0 ? world->gravity_x : 0.0;
		member->ay = member->inverse_mass > 0.0 ? world->gravity_y : 0.0;
	}
	if (world->gravity == 0.0 || !cluster_reserve_lcp(cluster, cluster->pair_count))
		return;
	for (uint32_t k = 0; k < cluster->pair_count; k++)
		if (pair_rests(cluster, &cluster->pairs[k]))
			cluster->chosen[n++] = k;
	if (n == 0)
		return;
	cluster_matrix(cluster, n);
	for (size_t k = 0; k < n; k++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		cluster->rhs[k] = acceleration_normal(cluster, pair) - acceleration_least(cluster, pair);
	}
	if (lcp_solve(n, cluster->matrix, cluster->rhs, world->gravity * ROUNDING_PART, cluster->x, cluster->active,
	              cluster->index, cluster->scratch) == LCP_INFEASIBLE)
		return; /* cannot be: all accelerations 0 satisfy every pair, up to the small give-back of skins */
	for (size_t k = 0; k < n; k++)
		if (cluster->x[k] > 0.0)
			acceleration_add(cluster, &cluster->pairs[cluster->chosen[k]], cluster->x[k]);
	for (size_t k = 0; k < n; k++) {
		struct pair *pair = &cluster->pairs[cluster->chosen[k]];
		double excess = acceleration_normal(cluster, pair) - acceleration_least(cluster, pair);

		pair->resting = excess <= world->gravity * 0x1p-30;
	}
}
