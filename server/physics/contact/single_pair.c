/* The neighbours of one or two bodies that collide. Happy path: none of them touches, so the cluster is the single pair, and
 * they are kept for the prediction after the impact. What can go wrong: nothing; bodies that are not plain are left to
 * cluster_build.c. */
#include "physics/contact/touching.h"
#include "physics/prediction/neighbours.h"

/* Whether all that may touch a body is in the cells around it, and it is free. */
static bool
body_is_plain(const struct world *world, uint32_t body)
{
	return world->bodies.marks[body].is_free && !is_outlier(world, body);
}

/* Lists the bodies in the cells around the members, without the members. Their paths are read only after that, so that their
 * cache misses overlap. */
static bool
neighbours_list(struct cluster *cluster)
{
	const struct grid *grid = &cluster->world->grid;
	struct neighbours *all = cluster->neighbours;
	uint32_t a = cluster->members[0].body, b = cluster->members[cluster->member_count - 1].body;
	struct grid_rings rings;
	size_t count = 0;

	all->members[0] = a;
	all->members[1] = b;
	if (grid->rows[a].level != grid->rows[b].level)
		return neighbours_list_apart(cluster);
	if (!grid_rings(grid, &grid->levels[grid->rows[a].level], grid->rows[a].cell, grid->rows[b].cell, &rings))
		return false;
	while (rings.cells != 0) {
		unsigned bit;

		for (uint32_t place = grid->heads[grid_rings_next(&rings, &bit)]; place != NONE; place = grid_onward(grid, place)) {
			uint32_t other = grid_body(place);

			if (count == NEIGHBOURS_MAX)
				return false;
			all->body[count] = other;
			all->cell[count] = bit;
			count += (other != a) & (other != b);
		}
	}
	all->count = count;
	cluster->around[0] = rings.around[0];
	cluster->around[1] = rings.around[1];
	return grid->level_count == 1 || neighbours_add_beyond(cluster);
}

/* Whether a neighbour touches one of two members. */
static bool
neighbour_touches(const struct cluster *cluster, const struct toucher *a, const struct toucher *b, size_t n)
{
	const struct neighbours *all = cluster->neighbours;
	const struct body *path = &cluster->world->bodies.paths[all->body[n]];
	const two position = { all->x[n], all->y[n] };

	return touches(a, path, position) || touches(b, path, position);
}

/* Whether no neighbour touches one of the members. */
static bool
neighbours_apart(const struct cluster *cluster)
{
	const struct toucher a = toucher_of(cluster, 0), b = toucher_of(cluster, (uint32_t)cluster->member_count - 1);
	const struct world *world = cluster->world;
	const struct neighbours *all = cluster->neighbours;
	double reach_a = look_radius(&world->bodies.paths[a.body]), reach_b = look_radius(&world->bodies.paths[b.body]);

	for (size_t n = 0; n < all->count; n += 2) {
		/* Most are farther away. */
		const two_mask beside = neighbours_beside(all, n, a.centre, reach_a) | neighbours_beside(all, n, b.centre, reach_b);

		if ((beside[0] != 0 && neighbour_touches(cluster, &a, &b, n)) ||
		    (beside[1] != 0 && neighbour_touches(cluster, &a, &b, n + 1)))
			return false;
	}
	return true;
}

bool
cluster_hit_alone(struct cluster *cluster)
{
	const struct world *world = cluster->world;

	if (cluster->member_count > 2)
		return false;
	for (size_t k = 0; k < cluster->member_count; k++)
		if (!body_is_plain(world, cluster->members[k].body))
			return false;
	if (!neighbours_list(cluster))
		return false;
	neighbours_place(cluster->neighbours, world, cluster->time);
	return neighbours_apart(cluster);
}
