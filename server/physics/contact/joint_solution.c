/* The complementarity problem of some pairs of a cluster: its memory, its rows, its solution, and the effect on velocities.
 * Shared by all that solve pairs together. What can go wrong: memory (cluster->failed). */
#include "base/memory.h"
#include "physics/contact/cluster.h"
#include "physics/math/larger.h"

#include <math.h>
#include <string.h>

/* A joint reflection never gains energy; more than this fraction of it means that the problem was singular to rounding. */
#define ENERGY_SLACK 1e-9
/* Multiple of a cluster's momentum that the impulses of a solution may be. Their rounding, 2^-53 of each, shows as momentum: a
 * tenth of what may (1e-9). */
#define IMPULSES_MAX 0x1p20
/* A joint elastic reflection is made exact if it is off by more than the first and by less than the second. */
#define FACTOR_SLACK 0x1p-46
#define FACTOR_SLACK_MAX 0x1p-10

bool
cluster_reserve_lcp(struct cluster *cluster, size_t n)
{
	size_t width = 2 * cluster->member_count;

	if (n <= cluster->lcp_capacity && width <= cluster->lcp_width)
		return true;

	/* Both only grow: otherwise many members with few pairs, and few with many, would allocate alternately. */
	size_t capacity = n <= cluster->lcp_capacity ? cluster->lcp_capacity : n < 8 ? 8 : 2 * n;

	width = width <= cluster->lcp_width ? cluster->lcp_width : width < 16 ? 16 : 2 * width;
	memory_free(cluster->rhs);
	memory_free(cluster->chosen);
	memory_free(cluster->active);
	memory_free(cluster->lines);
	memory_free(cluster->rubs);
	cluster->lcp_capacity = 0;
	cluster->lines_made = false;
	cluster->rhs = memory_alloc(CLUSTER_LCP_DOUBLES(capacity, width) * sizeof *cluster->rhs);
	cluster->chosen = memory_alloc(2 * capacity * sizeof *cluster->chosen);
	cluster->active = memory_alloc(3 * capacity * sizeof *cluster->active);
	cluster->lines = memory_alloc(capacity * sizeof *cluster->lines);
	cluster->rubs = memory_alloc(capacity * sizeof *cluster->rubs);
	if (!cluster->rhs || !cluster->chosen || !cluster->active || !cluster->lines || !cluster->rubs) {
		cluster->failed = true;
		return false;
	}
	cluster->x = cluster->rhs + capacity;
	cluster->all_rhs = cluster->x + capacity;
	cluster->all_x = cluster->all_rhs + capacity;
	cluster->change = cluster->all_x + capacity;
	cluster->scratch = cluster->change + width;
	cluster->index = cluster->chosen + capacity;
	cluster->all_active = cluster->active + capacity;
	cluster->absent = cluster->all_active + capacity;
	cluster->lcp_capacity = capacity;
	cluster->lcp_width = width;
	return true;
}

/* A member's part of a pair's row: `sign` 1 for i, -1 for j. */
static void
line_add(const struct cluster *cluster, const struct pair *pair, uint32_t member, double sign, struct lcp_line *line)
{
	double weight = sign * sqrt(cluster->members[member].inverse_mass);

	lcp_line_add(line, 2 * member, weight * pair->nx);
	lcp_line_add(line, 2 * member + 1, weight * pair->ny);
}

/* For all pairs: J M^-1/2, as lcp.h needs it. They stay the same as long as the cluster does. */
static void
lines_make(struct cluster *cluster)
{
	if (cluster->lines_made)
		return;
	cluster->lines_made = true;
	cluster->lines_known = 0;
	for (size_t k = 0; k < cluster->pair_count; k++) {
		const struct pair *pair = &cluster->pairs[k];
		struct lcp_line *line = &cluster->lines[k];

		*line = (struct lcp_line){ 0 };
		if (pair->j != NONE && pair->j < pair->i)
			line_add(cluster, pair, pair->j, -1.0, line);
		line_add(cluster, pair, pair->i, 1.0, line);
		if (pair->j != NONE && pair->j > pair->i)
			line_add(cluster, pair, pair->j, -1.0, line);
	}
}

/* One problem of all pairs, most of which may be absent from it: what was computed for the others in the last one still
 * holds. */
static enum lcp_result
cluster_solve_chosen(struct cluster *cluster, size_t n, double precision)
{
	lines_make(cluster);
	for (size_t k = 0; k < cluster->pair_count; k++)
		cluster->absent[k] = true;
	for (size_t k = 0; k < n; k++) {
		cluster->absent[cluster->chosen[k]] = false;
		cluster->all_rhs[cluster->chosen[k]] = cluster->rhs[k];
	}

	enum lcp_result result = lcp_solve(&(struct lcp_problem){
		.n = cluster->pair_count,
		.width = 2 * cluster->member_count,
		.b = cluster->all_rhs,
		.absent = cluster->absent,
		.tolerance = precision,
		.d = cluster->change,
		.x = cluster->all_x,
		.active = cluster->all_active,
		.index = cluster->index,
		.scratch = cluster->scratch,
		.lines = cluster->lines,
		.known = &cluster->lines_known,
		.work = cluster->work,
	});

	for (size_t k = 0; k < n; k++) {
		cluster->x[k] = cluster->all_x[cluster->chosen[k]];
		cluster->active[k] = cluster->all_active[cluster->chosen[k]];
	}
	return result;
}

enum lcp_result
cluster_solve(struct cluster *cluster, size_t n, double precision)
{
	if (!cluster->weighted)
		return cluster_solve_chosen(cluster, n, precision);
	/* It has the same scratch. */
	cluster->lines_known = 0;
	return cluster_solve_weighted(cluster, n, precision);
}

void
cluster_change(struct cluster *cluster, size_t n, double factor)
{
	for (size_t k = 0; k < cluster->member_count; k++)
		cluster->members[k].pressed = false;
	for (size_t k = 0; k < n; k++) {
		struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		if (!(cluster->x[k] > 0.0))
			continue;
		pair->impulse += factor * cluster->x[k];
		cluster->members[pair->i].pressed = true;
		if (pair->j != NONE)
			cluster->members[pair->j].pressed = true;
	}
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];
		double weight = factor * sqrt(m->inverse_mass);

		/* Where nothing presses, the solution is rounding, from impulses as large as any that were tried and undone. No contact
		 * would report it. */
		if (!m->pressed)
			continue;
		m->vx += weight * cluster->change[2 * k];
		m->vy += weight * cluster->change[2 * k + 1];
	}
}

static uint32_t
component_find(const struct cluster *cluster, uint32_t member)
{
	while (cluster->members[member].lock != member)
		member = cluster->members[member].lock;
	return member;
}

/* The part of a pressing pair: that of its movable side. */
static uint32_t
component_of(const struct cluster *cluster, const struct pair *pair)
{
	bool moves = cluster->members[pair->i].inverse_mass > 0.0;

	return component_find(cluster, moves || pair->j == NONE ? pair->i : pair->j);
}

/* Finds the parts of a solution: members joined by pairs with impulses. Immovable sides join nothing. */
static void
components_find(struct cluster *cluster, size_t n)
{
	for (uint32_t k = 0; k < cluster->member_count; k++) {
		cluster->members[k].lock = k;
		cluster->members[k].part_restitution = (double)INFINITY;
	}
	for (size_t k = 0; k < n; k++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[k]];

		if (!(cluster->x[k] > 0.0) || pair->j == NONE || cluster->members[pair->i].inverse_mass == 0.0 ||
		    cluster->members[pair->j].inverse_mass == 0.0)
			continue;

		uint32_t i = component_find(cluster, pair->i), j = component_find(cluster, pair->j);

		cluster->members[i > j ? i : j].lock = i < j ? i : j;
	}
}

bool
cluster_scale_parts(struct cluster *cluster, size_t n, double lowest)
{
	double least = (double)INFINITY, most = -(double)INFINITY;

	components_find(cluster, n);
	for (size_t k = 0; k < n; k++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[k]];
		struct member *part = &cluster->members[component_of(cluster, pair)];

		if (cluster->x[k] > 0.0 && !pair->hop)
			part->part_restitution = fmin(part->part_restitution, pair->effective);
	}
	for (size_t k = 0; k < n; k++) {
		struct member *part = &cluster->members[component_of(cluster, &cluster->pairs[cluster->chosen[k]])];

		if (!(cluster->x[k] > 0.0))
			continue;
		if (!(part->part_restitution < (double)INFINITY))
			part->part_restitution = lowest;
		least = fmin(least, part->part_restitution);
		most = larger(most, part->part_restitution);
	}
	if (!(least < most))
		return false;
	for (size_t k = 0; k < n; k++)
		if (cluster->x[k] > 0.0)
			cluster->x[k] *= 1.0 +
			                 cluster->members[component_of(cluster, &cluster->pairs[cluster->chosen[k]])].part_restitution;
	for (uint32_t k = 0; k < cluster->member_count; k++) {
		double restitution = cluster->members[component_find(cluster, k)].part_restitution;
		double factor = restitution < (double)INFINITY ? 1.0 + restitution : 1.0;

		cluster->change[2 * k] *= factor;
		cluster->change[2 * k + 1] *= factor;
	}
	return true;
}

static double
kinetic_energy(const struct cluster *cluster)
{
	double sum = 0.0;

	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];

		if (m->inverse_mass > 0.0)
			sum += (m->vx * m->vx + m->vy * m->vy) / m->inverse_mass;
	}
	return sum;
}

double
cluster_reflection_factor(const struct cluster *cluster)
{
	double along = 0.0, square = 0.0;

	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];
		const double *change = cluster->change + 2 * k;

		if (!(m->inverse_mass > 0.0))
			continue;
		along += (m->vx * change[0] + m->vy * change[1]) / sqrt(m->inverse_mass);
		square += change[0] * change[0] + change[1] * change[1];
	}

	double factor = -2.0 * along / square;

	return fabs(factor - 2.0) > FACTOR_SLACK && fabs(factor - 2.0) < FACTOR_SLACK_MAX ? factor : 2.0;
}

/* Whether the impulses are in proportion to the momentum that the members had and have. In a jam that is singular to rounding
 * they may be any multiple of it, and no digit of what they leave is right. */
static bool
impulses_fit(const struct cluster *cluster, size_t n, double factor)
{
	double impulses = 0.0, momentum = 0.0;

	for (size_t k = 0; k < n; k++)
		impulses += factor * cluster->x[k];
	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *m = &cluster->members[k];

		if (m->inverse_mass > 0.0)
			momentum += (fabs(m->undo_x) + fabs(m->undo_y) + fabs(m->vx) + fabs(m->vy)) / m->inverse_mass;
	}
	return impulses <= IMPULSES_MAX * momentum;
}

/* Adds a solution times `factor`, and keeps what undoes it. */
static void
impulses_try(struct cluster *cluster, size_t n, double factor)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->undo_x = m->vx;
		m->undo_y = m->vy;
	}
	for (size_t k = 0; k < n; k++)
		cluster->rhs[k] = cluster->pairs[cluster->chosen[k]].impulse;
	cluster_change(cluster, n, factor);
}

static void
impulses_undo(struct cluster *cluster, size_t n)
{
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->vx = m->undo_x;
		m->vy = m->undo_y;
	}
	for (size_t k = 0; k < n; k++)
		cluster->pairs[cluster->chosen[k]].impulse = cluster->rhs[k];
}

bool
cluster_impulses_add(struct cluster *cluster, size_t n, double factor, bool fed)
{
	double before = kinetic_energy(cluster);

	impulses_try(cluster, n, factor);
	if (fed || (kinetic_energy(cluster) <= before * (1.0 + ENERGY_SLACK) && impulses_fit(cluster, n, factor)))
		return true;
	impulses_undo(cluster, n);
	return false;
}

bool
cluster_impulses_part(struct cluster *cluster, size_t n)
{
	impulses_try(cluster, n, 1.0);
	if (impulses_fit(cluster, n, 1.0))
		return true;
	impulses_undo(cluster, n);
	return false;
}
