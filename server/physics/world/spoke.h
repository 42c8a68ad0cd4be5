/* spoke: where a segment at a vertex hides the vertex from circles.
 *
 * A vertex is hidden where a segment supports the circle's centre: the foot of the centre is on the segment, widened by a
 * quarter of a skin. There the segment's own face makes contact first; a face is never hidden and extends a whole skin further.
 * A segment that ends at the vertex also hides it beyond its far end, which is nearer to the centre. A segment that the vertex
 * only lies on, up to rounding, hides it where its far end is nearer by more than that rounding. This holds up to a distance of
 * the centre that spoke_bounds computes. So a vertex is hidden only by a face or by a vertex that is strictly nearer, and some
 * feature always remains. docs/physics.md has the proof. Pure functions, used by predict_walls.c, one_sided.c and
 * solver_measure.c. */
#ifndef COLLIDED_WORLD_SPOKE_H
#define COLLIDED_WORLD_SPOKE_H

#include "physics/geometry/toi.h"
#include "physics/world/world.h"

#include <math.h>

/* Where along a segment, measured from its end, a centre counts as beyond that end, in a vertex's cone. A centre that was not
 * beyond the end stays so up to `enter`. */
struct cone_edge {
	double edge, enter;
};

/* The edge is a fraction of a skin beyond the end of the face, which extends a whole skin beyond it (face_covers). A circle
 * that rolls off a face over an edge is past the edge by then, and moves away from it. Neither rounding nor the part of the
 * skin that it has used up makes it touch. For very small circles the skin is not negligible: their search starts a skin before
 * the end, because nothing else stops those that begin within it. */
static inline struct cone_edge
cone_edge(double radii, double skin)
{
	return skin * 1000.0 < radii ? (struct cone_edge){ -0.25 * skin, -0.5 * skin } : (struct cone_edge){ skin, 0.5 * skin };
}

/* Bounds of a centre's place along a spoke, times the spoke's length. */
struct spoke_bounds {
	double low, high;
};

/* Between these bounds the spoke hides its vertex from a centre within the distance `reach`. `edge`: of the cone. */
static inline struct spoke_bounds
spoke_bounds(const struct spoke *spoke, double edge, double reach)
{
	return (struct spoke_bounds){
		reach <= spoke->before_max ? -(double)INFINITY : (spoke->low + edge) * spoke->length,
		reach <= spoke->behind_max ? (double)INFINITY : (spoke->high - edge) * spoke->length,
	};
}

/* Whether the spoke hides its vertex from a centre at offset (x, y) from it. */
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
