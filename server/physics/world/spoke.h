/* spoke: where a segment at a vertex hides the vertex from circles.
 *
 * A vertex is passed over where a segment holds the circle's centre: the foot of the centre is on the segment, widened by a
 * quarter of a skin. There the segment's own face, which is never passed over and goes on for a whole skin, makes contact
 * first. A segment that ends at the vertex also hides it beyond its far end, which is nearer to the centre. One that the vertex
 * only lies on, but for rounding, does so where its far end is nearer by more than that rounding: up to a distance of the
 * centre that spoke_bounds computes. So a vertex is passed over only for a face or for a vertex strictly nearer, and some
 * feature remains. docs/physics.md has the proof. Pure functions; predict_walls.c, one_sided.c and solver_measure.c ask. */
#ifndef COLLIDED_WORLD_SPOKE_H
#define COLLIDED_WORLD_SPOKE_H

#include "physics/geometry/toi.h"
#include "physics/world/world.h"

#include <math.h>

/* Up to where along a segment, from its end, a centre counts as beyond that end, in a vertex's cone. One that was not goes on
 * being none up to `enter`. */
struct cone_edge {
	double edge, enter;
};

/* A part of a skin beyond the ends of the faces, which go on for a whole skin beyond them (face_covers). A circle that rolls
 * off a face over an edge is past it by then, and moves away from it: not even rounding, or the skin that it has used up, makes
 * it touch. Circles so small that the skin is beside them no little thing are looked for from a skin before the end on: nothing
 * else holds those that begin within it. */
static inline struct cone_edge
cone_edge(double radii, double skin)
{
	return skin * 1000.0 < radii ? (struct cone_edge){ -0.25 * skin, -0.5 * skin } : (struct cone_edge){ skin, 0.5 * skin };
}

/* Bounds of a centre's place along a spoke, times the spoke's length. */
struct spoke_bounds {
	double low, high;
};

/* Between these the spoke hides its vertex from a centre at a distance of `reach` or less. `edge`: of the cone. */
static inline struct spoke_bounds
spoke_bounds(const struct spoke *spoke, double edge, double reach)
{
	return (struct spoke_bounds){
		reach <= spoke->before_max ? -(double)INFINITY : (spoke->low + edge) * spoke->length,
		reach <= spoke->behind_max ? (double)INFINITY : (spoke->high - edge) * spoke->length,
	};
}

/* Whether the spoke hides its vertex from a centre at (x, y) from it. */
static inline bool
spoke_hides_vertex(const struct spoke *spoke, double x, double y, double edge, double reach)
{
	struct spoke_bounds bounds = spoke_bounds(spoke, edge, reach);
	double s = x * spoke->ux + y * spoke->uy;

	return s > bounds.low && s < bounds.high;
}

/* For a centre that is hidden at r->d: the time until it leaves the spoke's bounds; INFINITY: not within `duration`. */
static inline double
spoke_leave(const struct spoke *spoke, const struct relative *r, double enter, double reach, double duration)
{
	struct spoke_bounds bounds = spoke_bounds(spoke, enter, reach);
	double s = r->dx * spoke->ux + r->dy * spoke->uy;
	double rate = r->wx * spoke->ux + r->wy * spoke->uy;
	double acceleration = r->qx * spoke->ux + r->qy * spoke->uy;
	double leave = (double)INFINITY;

	if (bounds.low > -(double)INFINITY)
		leave = toi_height(s, rate, acceleration, bounds.low, duration);
	if (bounds.high < (double)INFINITY)
		leave = fmin(leave, toi_height(-s, -rate, -acceleration, -bounds.high, duration));
	return leave;
}

#endif
