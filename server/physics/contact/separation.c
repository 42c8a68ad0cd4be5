/* The last bits of a cluster's velocities: pairs that approach by rounding only. A velocity that is 0 up to rounding may still
 * point inwards, and the pair would be predicted to meet again at once, for ever. So such pairs are made to separate, at the
 * smallest speed that the predictions' own expression can see. They are solved jointly: a light body between two heavy ones
 * cannot be lifted off the one without meeting the other. */
#include "physics/contact/cluster.h"
#include "physics/world/ledger.h"

#include <math.h>

/* Bodies with velocities that differ by no more than this fraction of the speeds around may be given the same one. */
#define LOCK_PART 0x1p-50
/* Tries to separate pairs that still approach by rounding; each at four times the speed of the one before. */
#define SEPARATIONS_MAX 8
/* The separation changes no velocity by more than this fraction of the speeds around, and so no energy by more than some 1e-9.
 * A jam that takes more is singular to rounding: no digit of its solution is right. */
#define SEPARATION_MAX_PART 0x1p-14

/* Whether a pair must separate: not if neither side can move, or one is parked. A parked pair approaches by more than rounding,
 * and that approach is kept for the next tick. */
static bool
pair_lifts(const struct cluster *cluster, const struct pair *pair)
{
	return pair_inverse_mass(pair) > 0.0 && !cluster->members[pair->i].park &&
	       !(pair->j != NONE && cluster->members[pair->j].park);
}

/* The pairs that separate slower than `least`. */
static size_t
slow_choose(struct cluster *cluster, double least)
{
	size_t n = 0;

	for (uint32_t k = 0; k < cluster->pair_count; k++)
		if (pair_lifts(cluster, &cluster->pairs[k]) && pair_speed(cluster, &cluster->pairs[k]) < least)
			cluster->chosen[n++] = k;
	return n;
}

static bool
some_approach(const struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++)
		if (pair_lifts(cluster, &cluster->pairs[k]) && pair_approach(cluster, &cluster->pairs[k]) < 0.0)
			return true;
	return false;
}

static uint32_t
lock_find(const struct cluster *cluster, uint32_t member)
{
	while (cluster->members[member].lock != member)
		member = cluster->members[member].lock;
	return member;
}

/* The common velocity of a lock's members. It is the wall's if the lock is held to one (of several a moving one), else that of
 * an immovable member, else the mean by mass. */
static void
lock_velocity(const struct cluster *cluster, uint32_t lock, const struct pair *wall, double v[2])
{
	double mass = 0.0;

	v[0] = wall ? wall->wall_vx : 0.0;
	v[1] = wall ? wall->wall_vy : 0.0;
	for (uint32_t k = 0; k < cluster->member_count && !wall; k++) {
		const struct member *m = &cluster->members[k];

		if (m->lock != lock)
			continue;
		if (m->inverse_mass == 0.0) {
			v[0] = m->vx;
			v[1] = m->vy;
			return;
		}
		v[0] += m->vx / m->inverse_mass;
		v[1] += m->vy / m->inverse_mass;
		mass += 1.0 / m->inverse_mass;
	}
	if (mass > 0.0) {
		v[0] /= mass;
		v[1] /= mass;
	}
}

/* Gives the members of one lock their common velocity, if that changes each by rounding only. */
static void
lock_close(struct cluster *cluster, uint32_t lock, const struct pair *wall, double slack)
{
	double v[2];

	lock_velocity(cluster, lock, wall, v);
	for (uint32_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];

		if (m->lock == lock && !(fabs(m->vx - v[0]) <= slack && fabs(m->vy - v[1]) <= slack))
			return;
	}
	for (uint32_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		if (m->lock == lock && m->inverse_mass > 0.0) {
			ledger_momentum_add(cluster->locked, 1.0 / m->inverse_mass, v[0] - m->vx, v[1] - m->vy);
			m->vx = v[0];
			m->vy = v[1];
		}
	}
}

/* Touching bodies with velocities that are equal up to rounding get the same velocity, if some approach by that rounding: a jam
 * cannot be separated. */
static void
rounding_lock(struct cluster *cluster)
{
	double slack = cluster->speed_scale * LOCK_PART;

	for (uint32_t k = 0; k < cluster->member_count; k++)
		cluster->members[k].lock = k;
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (pair->j == NONE || !(fabs(pair_speed(cluster, pair)) <= slack))
			continue;

		uint32_t i = lock_find(cluster, pair->i), j = lock_find(cluster, pair->j);

		cluster->members[i > j ? i : j].lock = i < j ? i : j;
	}
	for (uint32_t k = 0; k < cluster->member_count; k++)
		cluster->members[k].lock = lock_find(cluster, k);
	for (uint32_t lock = 0; lock < cluster->member_count; lock++) {
		const struct pair *wall = NULL;
		bool approaching = false;

		if (cluster->members[lock].lock != lock)
			continue;
		for (size_t k = 0; k < cluster->pair_count; k++) {
			const struct pair *pair = &cluster->pairs[k];

			if (cluster->members[pair->i].lock != lock || !(fabs(pair_speed(cluster, pair)) <= slack))
				continue;
			if (pair->j == NONE && (!wall || pair_wall_moves(pair)))
				wall = pair;
			approaching = approaching || (pair_lifts(cluster, pair) && pair_approach(cluster, pair) < 0.0);
		}
		if (approaching)
			lock_close(cluster, lock, wall, slack);
	}
}

/* Whether a solution changes velocities by no more than rounding can require. */
static bool
change_is_small(const struct cluster *cluster)
{
	double most = cluster->speed_scale * SEPARATION_MAX_PART;

	for (size_t k = 0; k < cluster->member_count; k++) {
		double weight = sqrt(cluster->members[k].inverse_mass);

		if (!(weight * fabs(cluster->change[2 * k]) <= most && weight * fabs(cluster->change[2 * k + 1]) <= most))
			return false;
	}
	return true;
}

/* What still approaches stands still for the rest of the tick: it cannot be separated, and would meet again at once. */
static void
park_unparted(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (!(pair_lifts(cluster, pair) && pair_approach(cluster, pair) < 0.0))
			continue;
		member_park(&cluster->members[pair->i]);
		if (pair->j != NONE)
			member_park(&cluster->members[pair->j]);
	}
}

/* Pairs without room to separate must at least not approach: what rests in a jam would otherwise sink by what the reflections
 * take for rounding. */
static void
jam_hold(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < n; k++)
		cluster->rhs[k] = pair_speed(cluster, &cluster->pairs[cluster->chosen[k]]);
	if (cluster_solve(cluster, n, 0.25 * LOCK_PART * cluster->speed_scale) == LCP_SOLVED && change_is_small(cluster))
		(void)cluster_impulses_part(cluster, n);
}

/* Separates what approaches; ends early where that is impossible. */
static void
rounding_part(struct cluster *cluster)
{
	double least = cluster->speed_scale * 0x1p-51;

	if (cluster->pair_count > 1 && some_approach(cluster))
		rounding_lock(cluster);
	for (int turn = 0; turn < SEPARATIONS_MAX && some_approach(cluster); turn++, least *= 4.0) {
		size_t n = slow_choose(cluster, least);

		for (size_t k = 0; k < n; k++)
			cluster->rhs[k] = pair_speed(cluster, &cluster->pairs[cluster->chosen[k]]) - least;
		enum lcp_result result = cluster_solve(cluster, n, 0.25 * least);

		/* Small as the changes are, they go into the same impulses, which must then all be by the masses. */
		cluster->jammed = result == LCP_INFEASIBLE && cluster->weighted;
		if (result == LCP_INFEASIBLE || result == LCP_SPENT) {
			/* Squeezed by what the reflections take for rounding. If it comes back, the next event will see it as more. */
			if (result == LCP_INFEASIBLE)
				jam_hold(cluster, n);
			return;
		}
		if (!change_is_small(cluster) || !cluster_impulses_part(cluster, n)) {
			park_unparted(cluster);
			return;
		}
	}
}

/* A jam with masses far apart may be left approaching by more than rounding, each try by another of its pairs. */
static void
park_approaching(struct cluster *cluster)
{
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];

		if (!(pair_lifts(cluster, pair) && pair_speed(cluster, pair) < -cluster->speed_scale * ROUNDING_PART))
			continue;
		member_park(&cluster->members[pair->i]);
		if (pair->j != NONE)
			member_park(&cluster->members[pair->j]);
	}
}

void
cluster_separate(struct cluster *cluster)
{
	if (!some_approach(cluster))
		return;
	rounding_part(cluster);
	park_approaching(cluster);
}
