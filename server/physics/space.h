/* space: the circles and segments of a scene, or of a world, at rest, for queries. What does this ray hit, what would this
 * circle hit on its way, what is in here, what is nearest? (For movement with sliding: mover.h.)
 *
 * Made once, queried many times. Immutable once made: any number of threads may query the same one at the same time. It owns
 * copies of what it needs of the definition, and a tree of boxes; results are the caller's. Velocities, gravity, kinds and
 * materials do not matter here.
 *
 * Numbers. Decisions are those of exact arithmetic on the numbers given (detect.h, with about 31 digits), and a fraction and a
 * gap are rounded once. Every query tests each shape by itself with the functions that Detect uses; the tree only excludes
 * shapes.
 *
 * Order. Results of casts are ordered by (fraction, circles before segments, id), of nearest by (gap, circles before segments,
 * id), of overlap by (circles before segments, id). Fractions and gaps are compared as the doubles returned. One shape is one
 * result, since all are convex: a circle that comes down on a segment meets its face or one of its ends, and `feature` says
 * which.
 *
 * What is solid. A circle is filled; a segment has no width and two sides. Touching counts: within a tolerance in overlap and
 * nearest (struct tolerance), exactly in casts.
 *
 * The room queries/: questions of a space: rays, boxes, nearest, movers, all pairs, answers. It uses geometry, world. It is
 * called by the program that uses the engine. */
#ifndef COLLIDED_PHYSICS_SPACE_H
#define COLLIDED_PHYSICS_SPACE_H

#include "physics/detect.h"

struct space;

/* Checks the definition as world_create does, ids included. STATUS_INVALID_ARGUMENT: *problem says which field.
 * STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status space_create(const struct world_def *def, struct def_problem *problem, struct space **out);
/* The same for the present state of a world, at a tick's boundary; later ticks do not change it. STATUS_RESOURCE_EXHAUSTED: no
 * memory. */
STATUS_MUST_USE enum status space_create_of_world(const struct world *world, struct space **out);
void space_destroy(struct space *space);
size_t space_memory_bytes(const struct space *space);

/* Which shapes a query tests. The query itself counts as a shape: it meets a shape if each one's mask has a bit of the other's
 * category. Shapes listed to be ignored are left out; ids that do not exist have no effect. Sensors and disabled segments are left out too:
 * nothing stops at them. Meant for a few ids: the lists are searched for each candidate shape. */
struct space_filter {
	uint32_t category, mask;
	int32_t filter_group;           /* as a shape's: struct circle_def. Relations between groups do not matter here */
	const uint32_t *ignore_circles; /* borrowed, in any order */
	size_t ignore_circle_count;
	const uint32_t *ignore_segments;
	size_t ignore_segment_count;
};

/* Category 1, all masks, filter group 0, nothing ignored. */
struct space_filter space_filter_default(void);

/* How a cast treats shapes that it overlaps (gap < 0) at its start. A shape that it only touches there (gap = 0) is hit at
 * fraction 0 if the cast approaches it, and otherwise never, regardless of this. */
enum space_start {
	START_HITS, /* are hit at fraction 0, whatever the direction and even without one. Box2D 3's casts do so, and Rapier's with
	               solid rays and stop_at_penetration (there without a normal; here it leads out) */
	START_APPROACHES, /* are hit at fraction 0 if the cast goes deeper into them: as in Detect and Simulate */
	START_PASSES,     /* are not hit: a ray from within a circle sees what is outside, as Box2D 2.4's */
};

/* A circle that moves straight from (x, y) by (move_x, move_y). Radius 0 is a ray. A hit is the first place on the way at which
 * the gap is <= 0 and shrinking. So a path that only grazes is no hit, nor one along a face that it touches. A ray along a
 * segment's line hits it at the nearer end. A ray that starts on a segment hits it at once, unless it runs along it. */
struct space_cast {
	double x, y;           /* <= PHYSICS_COORDINATE_MAX */
	double move_x, move_y; /* <= SPACE_MOVE_MAX; both 0: only START_HITS finds anything */
	double radius;         /* 0, or PHYSICS_RADIUS_MIN .. PHYSICS_RADIUS_MAX */
	enum space_start start;
};

/* The distance between any two corners of the world, and more. */
#define SPACE_MOVE_MAX 1e13

/* One shape in the result of a query. */
struct space_hit {
	bool segment; /* what is hit: a segment, or a circle */
	uint32_t id;
	enum contact_feature feature; /* of a segment: the part that is touched, or nearest; FACE for circles, and in overlaps of
	                                 boxes and segments */
	enum relation relation;       /* of a cast: OVERLAPPING if they overlap at the start, else TOUCHING */
	double fraction;              /* of a cast: of its way, 0 .. 1; else 0 */
	double gap; /* the distance between the shapes, < 0: how deep they overlap. Of a cast: at its start if they overlap there,
	               else 0 */
	double x,
		y; /* of a cast: its centre at the hit; else that of the query circle; 0 for boxes and segments, as the next two */
	double point[2];  /* on the surface of the shape: where they touch, or its deepest point in, or nearest point to, the query
	                     shape */
	double normal[2]; /* unit, from the shape to the query shape; for coinciding centres by the rules of detect.h */
};

/* Results. Initialize with all 0. The caller frees them with space_hits_finish, and may reuse them before. */
struct space_hits {
	struct space_hit *hits;
	size_t count, capacity;
};

void space_hits_finish(struct space_hits *hits);

/* All of these replace the contents of *out, and keep the first `limit` results in their order (SIZE_MAX: all).
 * STATUS_INVALID_ARGUMENT: a number that is not finite or out of its range. STATUS_RESOURCE_EXHAUSTED: no memory for the
 * results; *out is then empty. */

/* What the cast hits. limit 1: the first. */
STATUS_MUST_USE enum status space_cast(const struct space *space, const struct space_cast *cast,
                                       const struct space_filter *filter, size_t limit, struct space_hits *out);

/* For shapes that are wholly or partly in, or touch, a circle (radius 0: a point). */
struct space_circle {
	double x, y, radius;
};
/* The same for an axis-aligned box (x0 <= x1, y0 <= y1, of any extent, even none) or a segment (also a point). Depths of these
 * two are the length of the shortest separating move: for crossing segments, how far one extends beyond the other. */
struct space_box {
	double x0, y0, x1, y1;
};

STATUS_MUST_USE enum status space_overlap_circle(const struct space *space, const struct space_circle *circle,
                                                 const struct tolerance *tolerance, const struct space_filter *filter,
                                                 size_t limit, struct space_hits *out);
STATUS_MUST_USE enum status space_overlap_box(const struct space *space, const struct space_box *box,
                                              const struct tolerance *tolerance, const struct space_filter *filter,
                                              size_t limit, struct space_hits *out);
STATUS_MUST_USE enum status space_overlap_segment(const struct space *space, const struct wall *segment,
                                                  const struct tolerance *tolerance, const struct space_filter *filter,
                                                  size_t limit, struct space_hits *out);

/* The shapes nearest to a circle (radius 0: a point) with a gap of at most gap_max (>= 0, may be INFINITY). Overlapping shapes
 * come first, the deepest first. So gap_max 0 gives what a circle is in, and which way leads out. */
STATUS_MUST_USE enum status space_nearest(const struct space *space, const struct space_circle *circle, double gap_max,
                                          const struct tolerance *tolerance, const struct space_filter *filter, size_t limit,
                                          struct space_hits *out);

#endif
