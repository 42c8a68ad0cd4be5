/* handover_map: what the rest solver has of a map's walls (world/map_walls.h): made by the first world that needs it, for all.
 * Any thread. */
#ifndef COLLIDED_RESTING_HANDOVER_MAP_H
#define COLLIDED_RESTING_HANDOVER_MAP_H

#include "physics/rest_solver/solver.h"

struct wall_map;

/* For a scene with the map's walls; valid as long as the map. NULL without memory: then a solver makes its own. */
const struct solver_walls *handover_map_walls(struct wall_map *map, const struct solver_scene *scene);

#endif
