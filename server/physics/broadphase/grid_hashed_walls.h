/* grid_hashed_walls: in which cells of a hashed level (tables/grid_hashed.h) a wall is listed. Pure. */
#ifndef COLLIDED_BROADPHASE_GRID_HASHED_WALLS_H
#define COLLIDED_BROADPHASE_GRID_HASHED_WALLS_H

#include "physics/tables/grid_hashed.h"

/* A segment, or a vertex as one without length; what it moves by while it is listed; and how far from it a centre may be. */
struct hashed_wall {
	double x1, y1, x2, y2, move_x, move_y, reach;
};

/* Counts the wall in its cells if items is NULL, else writes its index to items[starts[cell]++]. Each cell once. Returns how
 * many they are. */
size_t hashed_wall_list(const struct grid_level *level, const struct hashed_wall *wall, uint32_t index, uint32_t *starts,
                        uint32_t *items);
/* That number, without visiting them. */
double hashed_wall_count(const struct grid_level *level, const struct hashed_wall *wall);

#endif
