/* The last bits of a cluster's velocities: what approaches by rounding only. A velocity that is 0 up to rounding may still
 * point inwards, and the pair would be predicted to meet again at once, for ever. Makes such pairs part, at the smallest speed
 * that the predictions' own expression sees. Jointly: a light body between two heavy ones cannot be lifted off the one without
 * meeting the other. */
#include "physics/contact/cluster.h"

#include <math.h>

/* Bodies whose velocities differ by no more than this part of the speeds around may be given one. */
#define LOCK_PART 0x1p-50
/* Tries to make pairs part that still approach by rounding; each at four times the speed of the one before. */
#define LIFTS_MAX 8
/* What makes pairs part changes no velocity by more than this part of the speeds around, and so no energy by more than some
 * 1e-9. A jam that takes more is singular to rounding: its solution has no digit that is right. */
#define LIFT_MAX_PART 0x1p-14

/* Whether a pair is to part: not where neither side can move, nor where one is parked. That pair approaches by more than
 * rounding, and what it approaches by is kept for the next tick. */
static bool
pair_lifts(const struct cluster *cluster, const struct pair *pair)
{
	return pair_inverse_mass(pair) > 0.0 && !cluster->members[pair->i].park &&
	       !(pair->j != NONE && cluster->members[pair->j].park);
}

/* The pairs that part slower than `least`. */
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

/* The velocity that a lock would give its members: the wall's where it holds to one (of several that which moves), else that of
 * what does not yield, else the mean by mass. */
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
			m->vx = v[0];
			m->vy = v[1];
		}
	}
}

/* Bodies that touch and have one velocity up to rounding get it exactly, where some approach by that rounding: a jam cannot
 * be made to part. */
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

/* Whether a solution changes velocities by no more than what rounding can ask for. */
static bool
change_is_small(const struct cluster *cluster)
{
	double most = cluster->speed_scale * LIFT_MAX_PART;

	for (size_t k = 0; k < cluster->member_count; k++) {
		double weight = sqrt(cluster->members[k].inverse_mass);

		if (!(weight * fabs(cluster->change[2 * k]) <= most && weight * fabs(cluster->change[2 * k + 1]) <= most))
			return false;
	}
	return true;
}

/* What still approaches stands still for the rest of the tick: nothing makes it part, and it would meet again at once. */
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

/* Of pairs that have no room to part, none is to approach at least: what rests in a jam would else sink by what the reflections
 * take for rounding. */
static void
jam_hold(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < n; k++)
		cluster->rhs[k] = pair_speed(cluster, &cluster->pairs[cluster->chosen[k]]);
	if (cluster_solve(cluster, n, 0.25 * LOCK_PART * cluster->speed_scale) == LCP_SOLVED && change_is_small(cluster))
		cluster_change(cluster, n, 1.0);
}

void
cluster_lift(struct cluster *cluster)
{
	double least = cluster->speed_scale * 0x1p-51;

	if (cluster->pair_count > 1 && some_approach(cluster))
		rounding_lock(cluster);
	for (int turn = 0; turn < LIFTS_MAX && some_approach(cluster); turn++, least *= 4.0) {
		size_t n = slow_choose(cluster, least);

		cluster_rows(cluster, n);
		for (size_t k = 0; k < n; k++)
			cluster->rhs[k] = pair_speed(cluster, &cluster->pairs[cluster->chosen[k]]) - least;
		enum lcp_result result = cluster_solve(cluster, n, 0.25 * least);

		/* As little as it is, it is told by the same impulses: all by the masses then. */
		cluster->jammed = result == LCP_INFEASIBLE && cluster->weighted;
		if (result == LCP_INFEASIBLE || result == LCP_SPENT) {
			/* Squeezed by what reflections take for rounding. Should that come back, the next event will see it as more. */
			if (result == LCP_INFEASIBLE)
				jam_hold(cluster, n);
			return;
		}
		if (!change_is_small(cluster)) {
			park_unparted(cluster);
			return;
		}
		cluster_change(cluster, n, 1.0);
	}
}
