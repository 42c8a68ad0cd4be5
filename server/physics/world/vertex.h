/* vertex: the points where segments end, shared ones once.
 *
 * A circle touches a vertex first only from its normal cone: where the direction to the circle's centre leads along none of
 * the segments that end there (for those that the circle meets at all). So a circle that rolls over the joint of two
 * collinear walls, or into a corner, never meets the vertex, with no winding rule and no ghost points.
 *
 * Thick segments are joined if their radii are the same too. A circle of radius r that rolls over capsules of radius s does
 * what one of r + s does on the thin segments, so all of this holds for them as it is. Of two that end in one point with
 * different radii the thicker one's cap holds all of the other's, which is never touched first; and the thicker cap is a step
 * that whoever comes along the thinner one must feel. So each keeps its own end: two vertices.
 *
 * An end that lies on another segment, but for rounding, is hidden where that segment holds the circle (spoke.h): between its
 * ends it is a T-junction, near one of them a joint whose ends were computed differently. The same is true of a cap that lies
 * within a thicker segment and just reaches its surface. Deeper ones are never touched first, and those that stick out are
 * real. Ends are never moved or merged unless they are equal to the bit, so being near need not be transitive. */
#ifndef COLLIDED_WORLD_VERTEX_H
#define COLLIDED_WORLD_VERTEX_H

#include "physics/world/world.h"

/* Whether a spoke of a vertex stands between a centre and its foot on another segment that ends there: dx, dy and fx, fy, both
 * from the vertex. A foot that is no more than `least` behind the spoke's line is on it: two segments that lie on each other do
 * not hide each other. */
bool spoke_hides(const struct spoke *spoke, double dx, double dy, double fx, double fy, double least);
/* The same of all segments that stop the body, for one that is acute, on which its centre's foot is. */
bool wall_is_hidden(const struct world *world, const struct body_info *info, const struct segment *segment, double x, double y,
                    double radius);

/* Fills world->walls.vertices, spokes and segments[].vertex from world->walls.segments. False without memory. */
bool vertices_build(struct world *world);

#endif
