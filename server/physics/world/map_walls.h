/* map_walls: what a map has (wall_map.h), and walls that a world has of a map or of its own.
 *
 * Once it is made, a map's walls are only read. Sets of cells are added to its list by any thread and stay until the last
 * release. */
#ifndef COLLIDED_WORLD_MAP_WALLS_H
#define COLLIDED_WORLD_MAP_WALLS_H

#include "physics/wall_map.h"
#include "physics/world/world.h"

#include <stdatomic.h>

/* Cells for bodies of certain radii and numbers, with the map's walls in them: a grid without bodies. */
struct wall_cells {
	struct wall_cells *next;
	struct grid grid;
	uint32_t place; /* how many are behind it in the list */
};

/* What a room above has of a map's walls. It is the first member of the room's own struct. */
struct map_part {
	void (*destroy)(struct map_part *part);
	size_t bytes;
};

struct wall_map {
	/* Immutable. */
	struct walls walls;
	uint64_t hash;

	/* Any thread. */
	atomic_size_t holders;
	_Atomic(struct wall_cells *) cells;      /* the newest */
	_Atomic(struct map_part *) solver_walls; /* of the rest solver (handover_map.c); NULL: not needed so far */
};

/* Finds what some wall is: the members of struct walls from `rough` on. */
void walls_derive(struct walls *walls);
/* Frees a world's own walls, or releases the map that they are of. */
void walls_finish(struct walls *walls);
/* Bytes of a world's own walls. */
size_t walls_memory_bytes(const struct walls *walls);
/* Whether worlds with these relations can be in the map: joints depend on which walls are one-sided. */
bool wall_map_suits(const struct wall_map *map, const struct relation_def *relations, size_t count);
/* Takes the map's walls for a world, and holds the map. */
struct walls wall_map_walls(struct wall_map *map);

#endif
