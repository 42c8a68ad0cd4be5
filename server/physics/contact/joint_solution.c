/* The complementarity problem of some pairs of a cluster: its room, its rows, its solution, and what that does to velocities.
 * Shared by all that solves pairs together. What can go wrong: memory (cluster->failed). */
#include "physics/contact/cluster.h"

#include <math.h>
#include <stdlib.h>

/* A joint reflection never gains energy; more than this part of it means that it was singular to rounding. */
#define ENERGY_SLACK 1e-9
/* A joint elastic reflection is made exact where it is off by more than the first and by less than the second. */
#define FACTOR_SLACK 0x1p-46
#define FACTOR_SLACK_MAX 0x1p-10

bool
cluster_reserve_lcp(struct cluster *cluster, size_t n)
{
	size_t width = 2 * cluster->member_count;

	if (n <= cluster->lcp_capacity && width <= cluster->lcp_width)
		return true;

	/* Both grow only: else many of few and few of many would take turns in allocating. */
	size_t capacity = n <= cluster->lcp_capacity ? cluster->lcp_capacity : n < 16 ? 16 : 2 * n;

	width = width <= cluster->lcp_width ? cluster->lcp_width : width < 32 ? 32 : 2 * width;
	free(cluster->rows);
	free(cluster->chosen);
	free(cluster->active);
	cluster->lcp_capacity = 0;
	cluster->rows = malloc((capacity * (width + 2) + width + LCP_DOUBLES(capacity, width)) * sizeof *cluster->rows);
	cluster->chosen = malloc(2 * capacity * sizeof *cluster->chosen);
	cluster->active = malloc(capacity * sizeof *cluster->active);
	if (!cluster->rows || !cluster->chosen || !cluster->active) {
		cluster->failed = true;
		return false;
	}
	cluster->rhs = cluster->rows + capacity * width;
	cluster->x = cluster->rhs + capacity;
	cluster->change = cluster->x + capacity;
	cluster->scratch = cluster->change + width;
	cluster->index = cluster->chosen + capacity;
	cluster->lcp_capacity = capacity;
	cluster->lcp_width = width;
	return true;
}

void
cluster_rows(struct cluster *cluster, size_t n)
{
	size_t width = 2 * cluster->member_count;

	for (size_t k = 0; k < n * width; k++)
		cluster->rows[k] = 0.0;
	for (size_t r = 0; r < n; r++) {
		const struct pair *pair = &cluster->pairs[cluster->chosen[r]];
		double *row = cluster->rows + r * width, weight = sqrt(cluster->members[pair->i].inverse_mass);

		row[2 * pair->i] = weight * pair->nx;
		row[2 * pair->i + 1] = weight * pair->ny;
		if (pair->j == NONE)
			continue;
		weight = sqrt(cluster->members[pair->j].inverse_mass);
		row[2 * pair->j] = -weight * pair->nx;
		row[2 * pair->j + 1] = -weight * pair->ny;
	}
}

enum lcp_result
cluster_solve(struct cluster *cluster, size_t n, double precision)
{
	if (cluster->weighted)
		return cluster_solve_weighted(cluster, n, precision);
	return lcp_solve(&(struct lcp_problem){
		.n = n,
		.width = 2 * cluster->member_count,
		.rows = cluster->rows,
		.b = cluster->rhs,
		.tolerance = precision,
		.d = cluster->change,
		.x = cluster->x,
		.active = cluster->active,
		.index = cluster->index,
		.scratch = cluster->scratch,
		.work = cluster->work,
	});
}

void
cluster_change(struct cluster *cluster, size_t n, double factor)
{
	for (size_t k = 0; k < n; k++)
		cluster->pairs[cluster->chosen[k]].impulse += factor * cluster->x[k];
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];
		double weight = factor * sqrt(m->inverse_mass);

		m->vx += weight * cluster->change[2 * k];
		m->vy += weight * cluster->change[2 * k + 1];
	}
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

bool
cluster_impulses_add(struct cluster *cluster, size_t n, double factor, bool fed)
{
	double before = kinetic_energy(cluster);

	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->undo_x = m->vx;
		m->undo_y = m->vy;
	}
	for (size_t k = 0; k < n; k++)
		cluster->rhs[k] = cluster->pairs[cluster->chosen[k]].impulse;
	cluster_change(cluster, n, factor);
	if (fed || kinetic_energy(cluster) <= before * (1.0 + ENERGY_SLACK))
		return true;
	for (size_t k = 0; k < cluster->member_count; k++) {
		struct member *m = &cluster->members[k];

		m->vx = m->undo_x;
		m->vy = m->undo_y;
	}
	for (size_t k = 0; k < n; k++)
		cluster->pairs[cluster->chosen[k]].impulse = cluster->rhs[k];
	return false;
}
