/* Who is around one or two bodies that hit or were hit. Happy path: nobody of them touches, so the cluster is the hit alone,
 * and they are remembered for when the blow is done. What can go wrong: nothing; who is not plain is looked up by gather.c. */
#include "physics/touching.h"

/* Whether all that may touch a body is in the cells around it, and it goes its own way. */
static bool
body_is_plain(const struct world *world, uint32_t body)
{
	return world->roams[body] && !is_stray(world, body);
}

/* Lists the bodies in the cells around the members, without those. Their paths are read only after that, as many at once as
 * memory can bring. */
static bool
neighbours_list(struct cluster *cluster)
{
	const struct grid *grid = &cluster->world->grid;
	uint32_t a = cluster->members[0].body, b = cluster->members[cluster->member_count - 1].body;
	struct grid_rings rings;
	size_t count = 0;

	if (!grid_rings(grid, &grid->levels[0], grid->cell_of[a], grid->cell_of[b], &rings))
		return false;
	while (rings.cells != 0) {
		unsigned bit;

		for (uint32_t other = grid->heads[grid_rings_next(&rings, &bit)]; other != NONE; other = grid->next[other]) {
			if (other == a || other == b)
				continue;
			if (count == NEIGHBOURS_MAX)
				return false;
			cluster->neighbours[count].body = other;
			cluster->neighbours[count++].cell = bit;
		}
	}
	cluster->neighbour_count = count;
	cluster->around[0] = rings.around[0];
	cluster->around[1] = rings.around[1];
	return true;
}

/* Whether no neighbour touches one of the members. Finds where they are. */
static bool
neighbours_apart(struct cluster *cluster)
{
	const struct world *world = cluster->world;
	const struct toucher who[2] = { toucher_of(cluster, 0), toucher_of(cluster, (uint32_t)cluster->member_count - 1) };
	/* Most are farther away than any two may be that touch. */
	double reach = world->grid.levels[0].radius * (1.0 + 4.0 * SKIN_PER_RADIUS) +
	               larger(look_radius(&world->bodies[who[0].body]), look_radius(&world->bodies[who[1].body]));
	double far = 1.0001 * (reach * reach);
	bool apart = true;

	for (size_t n = 0; n < cluster->neighbour_count; n++) {
		struct neighbour *other = &cluster->neighbours[n];
		const struct body *path = &world->bodies[other->body];

		other->place = body_place_at(path, cluster->time);
		for (size_t k = 0; k < 2; k++) {
			two d = who[k].centre - other->place.position, square = d * d;

			if (square[0] + square[1] <= far && touches(&who[k], path, other->place.position))
				apart = false;
		}
	}
	return apart;
}

bool
cluster_hit_alone(struct cluster *cluster)
{
	const struct world *world = cluster->world;

	if (world->grid.level_count > 1 || cluster->member_count > 2)
		return false;
	for (size_t k = 0; k < cluster->member_count; k++)
		if (!body_is_plain(world, cluster->members[k].body))
			return false;
	return neighbours_list(cluster) && neighbours_apart(cluster);
}
