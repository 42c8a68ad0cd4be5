/* junction: ends of segments that lie on another segment, or, up to rounding, at its end. They are found when a world is made.
 *
 * One thread; writes world->walls.spokes and the vertices' ranges in it. Uses a tree of the segments' boxes, not all pairs. */
#ifndef COLLIDED_WORLD_JUNCTION_H
#define COLLIDED_WORLD_JUNCTION_H

#include <stdbool.h>

struct world;

/* Adds to each vertex, as spokes, the segments that it lies on up to rounding, after the segments that end there (struct
 * spoke). A vertex has at most JUNCTION_SEGMENTS_MAX of them. The search stops after JUNCTION_TESTS pairs and
 * JUNCTION_TESTS_EACH more per end, which only tens of thousands of long crossing segments need. A segment that is left out
 * hides nothing: its neighbour's end can be felt, and nothing passes through. False without memory. */
bool junctions_find(struct world *world);

#define JUNCTION_SEGMENTS_MAX 8
#define JUNCTION_TESTS 25000000 /* about 100 ms, in which it cannot be cancelled */
#define JUNCTION_TESTS_EACH 64

#endif
