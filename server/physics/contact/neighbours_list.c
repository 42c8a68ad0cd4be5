/* The neighbours of a hit in a grid with levels. Happy path: the bodies in the cells around each member, in its own level, and
 * those of the other levels that are near enough to touch it. What can go wrong: they are too many. */
#include "physics/contact/cluster.h"
#include "physics/prediction/neighbours.h"

/* Adds the bodies of a cell, without the members. False: there is no room. */
static bool
cell_add(struct neighbours *all, const struct grid *grid, uint32_t cell, unsigned bit)
{
	for (uint32_t place = grid->heads[cell]; place != NONE; place = grid_onward(grid, place)) {
		uint32_t other = grid_body(place);

		if (all->count == NEIGHBOURS_MAX)
			return false;
		all->body[all->count] = other;
		all->cell[all->count] = bit;
		all->count += (other != all->members[0]) & (other != all->members[1]);
	}
	return true;
}

bool
neighbours_add_beyond(struct cluster *cluster)
{
	const struct world *world = cluster->world;
	struct neighbours *all = cluster->neighbours;

	for (size_t k = 0; k < cluster->member_count; k++) {
		const struct member *member = &cluster->members[k];
		const struct grid_box here = { member->x, member->y, member->x, member->y };
		struct grid_look look = grid_look_begin(&world->grid, 0, world->grid.rows[member->body].level, &here,
		                                        look_radius(&world->bodies.paths[member->body]));

		for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
			if (!cell_add(all, &world->grid, cell, 0))
				return false;
	}
	return true;
}

bool
neighbours_list_apart(struct cluster *cluster)
{
	const struct grid *grid = &cluster->world->grid;
	struct neighbours *all = cluster->neighbours;

	all->count = 0;
	for (unsigned k = 0; k < 2; k++) {
		for (struct grid_ring ring = grid_ring(grid, all->members[k]); ring.cells != 0;)
			if (!cell_add(all, grid, grid_ring_next(&ring), 1u << k))
				return false;
		cluster->around[k] = 1u << k;
	}
	return neighbours_add_beyond(cluster);
}
