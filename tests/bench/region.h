/* region: which closed rooms of walls have circles at the start, for the judge of the benchmark.
 *
 * Square cells, a quarter of the smallest radius wide, are laid over the walls; those within about a radius of a wall are shut.
 * The open ones that can be reached from the circles' first centres without a shut one are theirs. Outside of them, in another
 * open cell, a circle can only be after it went through a wall. Of shut cells nothing is known. One thread. */
#ifndef COLLIDED_TESTS_BENCH_REGION_H
#define COLLIDED_TESTS_BENCH_REGION_H

#include "bench/scene_file.h"

struct region;

/* NULL: no memory, no walls, or more than 2^26 cells. */
struct region *region_create(const struct scene_world *world);
void region_destroy(struct region *region);
/* Whether a point is in an open cell that is not theirs, or beyond all walls. */
bool region_is_outside(const struct region *region, double x, double y);
/* Whether their rooms reach the border of the walls: then nothing is proved of what is outside. */
bool region_is_open(const struct region *region);

#endif
