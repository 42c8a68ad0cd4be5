/* detect: do a circle and another shape touch, now and while they move? Pure geometry, one pair at a time.
 *
 * Any thread; no state, no allocation, no world. Numbers must be finite and within the limits of physics.h (all its functions
 * then stay finite). A wall's points must differ, or the answer is STATUS_INVALID_ARGUMENT.
 *
 * Everything is computed with about 31 digits (double_double.h) from the numbers given. So decisions are those of exact
 * arithmetic on them wherever the result can show it. The exception is a hit that is missed, or reported, by less than 2^-90 of
 * the largest length. No skin is added: the engine makes contact at a gap of its skin (physics.h), which can be passed as
 * `margin`.
 *
 * Normals point from b to a, as in contacts. Where a centre is exactly at b's nearest point the normal follows a rule. For
 * circles it is (1, 0); for a wall it is on the side that a comes from, and without movement on the left of its direction.
 *
 * Sources: the radius hit test, line and circle, segment and circle of common textbooks. For movement van den Heuvel and
 * Jackson, "Pool Hall Lessons" (2002); its early-outs are enum sweep_outcome, in the order in which they are tried. */
#ifndef COLLIDED_PHYSICS_DETECT_H
#define COLLIDED_PHYSICS_DETECT_H

#include "base/status.h"
#include "physics/physics.h"

struct disc {
	double x, y, radius;
	double vx, vy;
};

/* A segment, or the infinite line through its points; it moves as a disc does. A segment may be thick, with a radius. It may be
 * one-sided: then a movement hits it only from the left of its direction, and only if it does not start inside it. The distance
 * does not depend on that. Lines are neither thick nor one-sided. */
struct wall {
	double x1, y1, x2, y2;
	double radius; /* 0: thin */
	bool one_sided;
	double vx, vy;
};

/* How near counts as touching: |gap| <= absolute + relative * (sum of the radii) + 2^-50 * (largest magnitude among coordinates
 * and radii). The last term covers the rounding of the input: 4 to 8 ulp. */
struct tolerance {
	double absolute, relative;
};

enum relation { RELATION_NONE, RELATION_TOUCHING, RELATION_OVERLAPPING };

/* What a circle is in a pair with a segment: a filled disc, or its outline only. A segment wholly inside overlaps a filled
 * circle and does not meet an outline; its gap is then the distance of its nearer end from the outline. */
enum reading { READING_FILLED, READING_OUTLINE };

/* Two shapes at rest. */
struct shape_distance {
	enum relation relation;
	enum contact_feature feature; /* of a segment: where its nearest point is */
	double gap;                   /* the distance between the shapes; < 0: how deep they overlap */
	double normal[2];
	double a_point[2]; /* on a's outline, nearest to b, or deepest in it */
	double b_point[2];
};

struct shape_distance distance_circles(const struct disc *a, const struct disc *b, const struct tolerance *tolerance);
STATUS_MUST_USE enum status distance_line(const struct disc *a, const struct wall *line, const struct tolerance *tolerance,
                                          struct shape_distance *out);
STATUS_MUST_USE enum status distance_segment(const struct disc *a, const struct wall *segment, enum reading reading,
                                             const struct tolerance *tolerance, struct shape_distance *out);

/* How the search for a hit ended. */
enum sweep_outcome {
	SWEEP_HIT,          /* they touch at `time` > 0 */
	SWEEP_AT_START,     /* they touch or overlap already and approach: time 0 */
	SWEEP_NOT_MOVING,   /* no relative movement */
	SWEEP_OUT_OF_REACH, /* the movement is shorter than the gap, whatever its direction */
	SWEEP_MOVING_AWAY,  /* no approach at the start, and so none later; also while they overlap */
	SWEEP_PASSES,       /* they approach, but the closest approach leaves a gap, or none: a path that only grazes is no hit */
	SWEEP_ENDS_BEFORE,  /* would touch after the movement's end */
	SWEEP_OUTCOMES,     /* number of outcomes */
};

/* Two shapes that move straight for `duration` seconds, as if alone. */
struct sweep {
	enum sweep_outcome outcome;
	enum contact_feature feature; /* of a segment; FACE unless its end is hit */
	double time;                  /* of the hit, 0..duration; without one the duration */
	double fraction;              /* time / duration: 1 means that the movement is not shortened */
	double a[2], b[2];            /* centres at `time`; of a wall its first point */
	double a_move[2], b_move[2];  /* the movements up to then */
	/* Of a hit; otherwise 0. */
	double point[2]; /* on a's outline */
	double normal[2];
	double approach_speed; /* along the normal, >= 0 */
};

/* The first time at which the gap is <= margin and shrinking. duration > 0, at most DETECT_DURATION_MAX; margin >= 0. */
struct sweep sweep_circles(const struct disc *a, const struct disc *b, double margin, double duration);
STATUS_MUST_USE enum status sweep_line(const struct disc *a, const struct wall *line, double margin, double duration,
                                       struct sweep *out);
/* With READING_OUTLINE a segment that starts wholly inside hits when one of its ends reaches the outline from there; the margin
 * does not count inside. */
STATUS_MUST_USE enum status sweep_segment(const struct disc *a, const struct wall *segment, enum reading reading, double margin,
                                          double duration, struct sweep *out);

/* Seconds: positions and the products of the search stay finite. */
#define DETECT_DURATION_MAX 1e12

/* The distance at which the engine lets the pair make contact. */
double skin_circles(const struct disc *a, const struct disc *b);
double skin_wall(const struct disc *a, const struct wall *wall);

static inline bool
wall_is_point(const struct wall *wall)
{
	return wall->x1 == wall->x2 && wall->y1 == wall->y2;
}

#endif
