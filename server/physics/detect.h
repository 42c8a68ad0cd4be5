/* detect: do a circle and another shape touch, now and while they move? Pure geometry, one pair at a time.
 *
 * Any thread; no state, no allocation, nothing of the world. Numbers must be finite and within the limits of physics.h (all its
 * functions then stay finite); a wall's points must differ, or the answer is STATUS_INVALID_ARGUMENT.
 *
 * Everything is computed with about 31 digits (double_double.h) from the numbers given, so decisions are those of exact
 * arithmetic on them wherever they can be told apart in the result: a hit that is missed, or reported, by less than 2^-90 of
 * the largest length aside. No skin is added: the engine makes contact at a gap of its skin (physics.h), which `margin` can
 * hold.
 *
 * Normals point from b to a, as in contacts. Where a centre is exactly at b's nearest point the normal is a rule: (1, 0) for
 * circles; for a wall the side that a comes from, and without movement the left of its direction.
 *
 * Sources: the radius hit test, line and circle, segment and circle of common textbooks; for movement van den Heuvel and
 * Jackson, "Pool Hall Lessons" (2002), whose early-outs are enum sweep_outcome, in the order in which they are tried. */
#ifndef COLLIDED_PHYSICS_DETECT_H
#define COLLIDED_PHYSICS_DETECT_H

#include "base/status.h"
#include "physics/physics.h"

struct disc {
	double x, y, radius;
	double vx, vy;
};

/* A segment, or the infinite line through its points; it moves as a disc does. A segment may be thick, with a radius; and
 * one-sided: then only a movement hits it that comes from the left of its direction, and none that starts in it. How near it is
 * does not depend on that. Lines are neither. */
struct wall {
	double x1, y1, x2, y2;
	double radius; /* 0: thin */
	bool one_sided;
	double vx, vy;
};

/* How near counts as touching: |gap| <= absolute + relative * (sum of the radii) + 2^-50 * (largest magnitude among coordinates
 * and radii). The last is what rounding of the input may have done: 4 to 8 ulp. */
struct tolerance {
	double absolute, relative;
};

enum relation { RELATION_NONE, RELATION_TOUCHING, RELATION_OVERLAPPING };

/* What a circle is when a segment meets it: all that is within, or its line only. A segment wholly inside overlaps a filled
 * circle and does not meet an outline; its gap is then the way from its nearer end to the line. */
enum reading { READING_FILLED, READING_OUTLINE };

/* Two shapes as they stand. */
struct closeness {
	enum relation relation;
	enum contact_feature feature; /* of a segment: where its nearest point is */
	double gap;                   /* the distance between the shapes; < 0: how deep they overlap */
	double normal[2];
	double a_point[2]; /* on a's line, nearest to b, or deepest in it */
	double b_point[2];
};

struct closeness closeness_circles(const struct disc *a, const struct disc *b, const struct tolerance *tolerance);
STATUS_MUST_USE enum status closeness_line(const struct disc *a, const struct wall *line, const struct tolerance *tolerance,
                                           struct closeness *out);
STATUS_MUST_USE enum status closeness_segment(const struct disc *a, const struct wall *segment, enum reading reading,
                                              const struct tolerance *tolerance, struct closeness *out);

/* How the search for a hit ended. */
enum sweep_outcome {
	SWEEP_HIT,          /* they touch at `time` > 0 */
	SWEEP_AT_START,     /* they touch or overlap already and come nearer: time 0 */
	SWEEP_NOT_MOVING,   /* no relative movement */
	SWEEP_OUT_OF_REACH, /* the movement is shorter than the gap, whatever its direction */
	SWEEP_MOVING_AWAY,  /* not coming nearer at the start, and so never; also while they overlap */
	SWEEP_PASSES,       /* comes nearer, but the closest approach leaves a gap, or none: a path that only grazes is no hit */
	SWEEP_ENDS_BEFORE,  /* would touch after the movement's end */
	SWEEP_OUTCOMES,     /* how many there are */
};

/* Two shapes while they move straight for `duration` seconds, as if alone. */
struct sweep {
	enum sweep_outcome outcome;
	enum contact_feature feature; /* of a segment; FACE unless it is hit */
	double time;                  /* of the hit, 0..duration; without one the duration */
	double fraction;              /* time / duration: 1 means that the movement is not shortened */
	double a[2], b[2];            /* centres at `time`; of a wall its first point */
	double a_move[2], b_move[2];  /* the movements up to then */
	/* Of a hit; else 0. */
	double point[2]; /* on a's line */
	double normal[2];
	double approach_speed; /* along the normal, >= 0 */
};

/* The first time at which the gap is <= margin and shrinking. duration > 0, at most DETECT_DURATION_MAX; margin >= 0. */
struct sweep sweep_circles(const struct disc *a, const struct disc *b, double margin, double duration);
STATUS_MUST_USE enum status sweep_line(const struct disc *a, const struct wall *line, double margin, double duration,
                                       struct sweep *out);
/* With READING_OUTLINE a segment that starts wholly inside hits when one of its ends comes to the line from there; the margin
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
