/* vertex: the points where segments end, shared ones once.
 *
 * A circle touches a vertex first only from its normal cone: where the direction to the circle's centre leads along none of
 * the segments that end there (for those that the circle meets at all). So a circle that rolls over the joint of two
 * collinear walls, or into a corner, never meets the vertex, with no winding rule and no ghost points. */
#ifndef COLLIDED_PHYSICS_VERTEX_H
#define COLLIDED_PHYSICS_VERTEX_H

#include <stdbool.h>
#include <stdint.h>

struct world;

/* Fills world->vertices, spokes and segments[].vertex from world->segments. False without memory. */
bool vertices_build(struct world *world);

#endif
