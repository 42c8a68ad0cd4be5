/* map_region: the points that the centre of a circle can reach from given points without crossing a wall; and the proof that
 * they form closed rooms.
 *
 * A grid of square cells is laid over the walls; a cell is a quarter to half of the circle's radius wide. A cell is shut if all
 * of it is nearer to one wall than the radius. A cell's diagonal is shorter than the radius, so every cell that a wall touches
 * is shut. Hence the flood from the start over cells that are not shut, corners included, crosses no wall.
 *
 * The centre of such a circle can never be in a shut cell. So a circle with its centre in the flood cannot leave it, however it
 * moves. The border of the grid is outside of all walls. If the flood does not reach it, no circle of at least this radius can
 * get out. The error is on one side only: a gap slightly narrower than the circle may count as open.
 *
 * One thread at a time. Owns the grid: one byte per cell. */
#ifndef COLLIDE_CLI_MAP_REGION_H
#define COLLIDE_CLI_MAP_REGION_H

#include "client/cli/scene/random.h"
#include "client/cli/scene/scene_build.h"

#include <stdbool.h>
#include <stddef.h>

/* Cells of the grid; 64 MiB. A radius too small for the size of the map is refused. */
#define REGION_CELLS_MAX ((size_t)1 << 26)

struct map_region;

/* NULL with a text: no room for the circle at the start, a region that is not closed, a radius too small for the grid, or no
 * memory. The walls are borrowed as long as the region. */
struct map_region *map_region_create(const struct build_segment *walls, size_t wall_count, double start_x, double start_y,
                                     double radius, char *error, size_t error_size);
/* Adds the points that can be reached from another start, if the circle fits there. false with a text: that region is not
 * closed, or no memory; then the region can only be destroyed. */
bool map_region_add(struct map_region *region, double x, double y, char *error, size_t error_size);
void map_region_destroy(struct map_region *region);
/* A random point of the region, uniform by area. It may be too near to a wall; the caller checks. */
void map_region_draw(const struct map_region *region, struct random *random, double *x, double *y);
/* Whether a point is in a cell of the region. */
bool map_region_holds(const struct map_region *region, double x, double y);
/* The area of all its cells. */
double map_region_area(const struct map_region *region);

#endif
