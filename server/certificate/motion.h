/* motion: how near a moving point comes to the origin, or to a wall, along one stretch of path.
 *
 * Any thread; pure functions. A motion is d + w s + q s^2 / 2 for s in 0..h; for two circles it is that of one centre seen
 * from the other. */
#ifndef COLLIDED_CERTIFICATE_MOTION_H
#define COLLIDED_CERTIFICATE_MOTION_H

#include "certificate/shapes.h"
#include "certificate/vec.h"

#define CERT_TURNS_MAX 16

struct cert_motion {
	struct cert_vec d, w, q;
};

static inline struct cert_vec
cert_motion_at(const struct cert_motion *motion, double s)
{
	return (struct cert_vec){ motion->d.x + s * (motion->w.x + 0.5 * s * motion->q.x),
		                      motion->d.y + s * (motion->w.y + 0.5 * s * motion->q.y) };
}

/* The least distance from the origin for s in 0..h. */
double cert_motion_nearest(const struct cert_motion *motion, double h);
/* A bound from below of cert_motion_nearest that costs one root. */
double cert_motion_bound(const struct cert_motion *motion, double h);
/* The same of the distance from a wall, for an absolute motion. */
double cert_motion_nearest_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall);
double cert_motion_bound_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall);
/* Distance of a point from a wall; *foot, if not NULL, is the wall's point nearest to it. */
double cert_wall_distance(const struct cert_wall *wall, struct cert_vec point, struct cert_vec *foot);
/* Whether the two have the same radius and an end point in common, to the bit. */
bool cert_walls_share_end(const struct cert_wall *a, const struct cert_wall *b);
/* Whether they do, or an end of the second lies on the first up to rounding: no surface of its own. */
bool cert_wall_joins(const struct cert_wall *a, const struct cert_wall *b);
/* How deep the body at p is in the wall, or in one that it joins: the deepest; 0 if in none. One-sided ones do not count. */
double cert_wall_depth_near(const struct cert_shapes *shapes, const struct cert_body *body, const struct cert_wall *wall,
                            struct cert_vec p);
/* Times in 0..h, ascending, with 0 and h. Between two of them the distance from the wall and the height over its line only rise
 * or only fall, and the height has one sign. Returns how many. */
size_t cert_motion_turns_wall(const struct cert_motion *motion, double h, const struct cert_wall *wall,
                              double out[CERT_TURNS_MAX]);
/* The roots of c0 + c1 s + c2 s^2 in 0..h, ascending; how many (0..2). */
size_t cert_quadratic_roots(double c0, double c1, double c2, double h, double out[2]);

#endif
