/* vertex: the points where segments end; a shared point is one vertex.
 *
 * A circle touches a vertex first only from its normal cone. There the direction to the circle's centre leads along none of the
 * segments that end at the vertex, counting those that the circle meets at all. So a circle that rolls over the joint of two
 * collinear walls, or into a corner, never meets the vertex. No winding rule and no ghost points are needed.
 *
 * Thick segments are joined if their radii are equal too. A circle of radius r that rolls over capsules of radius s moves as
 * one of radius r + s on the thin segments, so all of this applies unchanged. Now let two segments of different radii end in
 * one point. The cap of the thicker one contains the cap of the other, which is never touched first. But the thicker cap is a
 * step, which a circle that comes along the thinner segment must feel. So each keeps its own end: two vertices.
 *
 * An end that lies on another segment, up to rounding, is hidden where that segment supports the circle (spoke.h). Between that
 * segment's ends it is a T-junction; near one of them it is a joint with an end that was computed differently. The same is true
 * of a cap that lies inside a thicker segment and just touches its surface. Caps that lie deeper are never touched first, and
 * those that stick out are real. Ends are never moved, and merged only if they are equal to the bit, so nearness need not be
 * transitive. */
#ifndef COLLIDED_WORLD_VERTEX_H
#define COLLIDED_WORLD_VERTEX_H

#include "physics/world/world.h"

/* Whether a spoke of a vertex lies between a centre and its foot on another segment that ends there. dx, dy and fx, fy are the
 * centre and the foot, both relative to the vertex. A foot that is at most `least` behind the spoke's line counts as on it: two
 * segments that lie on each other do not hide each other. */
bool spoke_hides(const struct spoke *spoke, double dx, double dy, double fx, double fy, double least);
/* The same for all segments that stop the body, and for an acute segment that the centre's foot is on. */
bool wall_is_hidden(const struct world *world, const struct body_info *info, const struct segment *segment, double x, double y,
                    double radius);

/* Fills world->walls.vertices, spokes and segments[].vertex from world->walls.segments. False without memory. */
bool vertices_build(struct world *world);
/* The part of it that fills segments[].acute, from vertices and spokes. Returns how many spokes it read: a number in proportion
 * to theirs, however many share a vertex. */
uint64_t acute_find(struct world *world);

#endif
