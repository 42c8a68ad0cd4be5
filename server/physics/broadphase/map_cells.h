/* map_cells: the cells of a map (world/map_walls.h), for the worlds in it.
 *
 * Cells never change a bit, so worlds may share them whatever their bodies do. A map has one set of cells for each combination
 * of levels, with radii and numbers of bodies rounded up. The first world that needs a set makes it. Any thread; a set that two
 * make at once is kept once. */
#ifndef COLLIDED_BROADPHASE_MAP_CELLS_H
#define COLLIDED_BROADPHASE_MAP_CELLS_H

#include <stdbool.h>

struct grid;
struct world;

/* Takes the cells of the world's map for its grid, with the lists of walls. False, with nothing taken: the world is in no map,
 * the map has too many sets, or no memory. Then the world needs cells of its own. */
bool map_cells_take(struct grid *grid, const struct world *world);

#endif
