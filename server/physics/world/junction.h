/* junction: ends of segments that lie on another segment, or at its end but for rounding, found when a world is made.
 *
 * One thread; writes world->walls.spokes and the vertices' places in it. Uses a tree over the segments' boxes, not all pairs.
 */
#ifndef COLLIDED_WORLD_JUNCTION_H
#define COLLIDED_WORLD_JUNCTION_H

#include <stdbool.h>

struct world;

/* Gives each vertex the segments that it lies on, but for rounding, as spokes behind those that end there (struct spoke). A
 * vertex has JUNCTION_SEGMENTS_MAX of them at most; and the search ends when it has looked at JUNCTION_TESTS pairs and
 * JUNCTION_TESTS_EACH more per end, which takes tens of thousands of long segments all over each other. A segment that is left
 * out hides nothing: its neighbour's end can be felt, and nothing passes. False without memory. */
bool junctions_find(struct world *world);

#define JUNCTION_SEGMENTS_MAX 8
#define JUNCTION_TESTS 25000000 /* about 100 ms, which nobody can stop */
#define JUNCTION_TESTS_EACH 64

#endif
