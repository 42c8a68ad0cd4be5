/* map_region: where the centre of a circle can get to from given points without crossing a wall; and the proof that it is one
 * or more closed rooms.
 *
 * How it is found. A grid of square cells, a quarter to half of the circle's radius wide, is laid over the walls. A cell is
 * shut if all of it is nearer to one wall than the radius. A cell that a wall touches is shut, since its diagonal is shorter
 * than the radius: so the flood from the start over cells that are not shut, corners included, crosses no wall. And no centre
 * of such a circle can ever be in a shut cell: so a circle whose centre is in the flood cannot leave it, however it moves. If
 * the flood does not reach the border of the grid, which is outside of all walls, no circle of at least this radius can get
 * out. It errs on one side only: a gap a little narrower than the circle may count as open.
 *
 * One thread at a time. Owns the grid: a byte a cell. */
#ifndef COLLIDE_CLI_MAP_REGION_H
#define COLLIDE_CLI_MAP_REGION_H

#include "client/cli/scene/random.h"
#include "client/cli/scene/scene_build.h"

#include <stdbool.h>
#include <stddef.h>

/* Cells of the grid; 64 MiB. A radius too small for the size of the map is refused. */
#define REGION_CELLS_MAX ((size_t)1 << 26)

struct map_region;

/* NULL with a text if there is no room for a circle of this radius at the start, if the region is not closed, if the radius is
 * too small for the grid, or without memory. The walls are borrowed as long as the region. */
struct map_region *map_region_create(const struct build_segment *walls, size_t wall_count, double start_x, double start_y,
                                     double radius, char *error, size_t error_size);
/* Adds where the centre can get to from another point, if there is room for the circle. false with a text if that is not
 * closed, or without memory; the region is then only to be destroyed. */
bool map_region_add(struct map_region *region, double x, double y, char *error, size_t error_size);
void map_region_destroy(struct map_region *region);
/* A random point of the region, uniform by area. It may be too near to a wall; the caller checks. */
void map_region_draw(const struct map_region *region, struct random *random, double *x, double *y);
/* Whether a point is in a cell of the region. */
bool map_region_holds(const struct map_region *region, double x, double y);
/* Of all its cells. */
double map_region_area(const struct map_region *region);

#endif
