/* The complementarity problem of some pairs of a cluster: its room, its rows, its solution, and what that does to velocities.
 * Shared by all that solves pairs together. What can go wrong: memory (cluster->failed). */
#include "physics/cluster.h"

#include <math.h>
#include <stdlib.h>

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
