/* space: the circles and segments of a scene, or of a world, as they stand, to be asked: what does this ray meet, what would
 * this circle meet on its way, what is in here, what is nearest? (How far can I go: mover.h.)
 *
 * Made once, asked many times. Immutable once made: any number of threads may ask the same one at the same time. It owns copies
 * of what it needs of the definition, and a tree of boxes; answers are the caller's. Velocities, gravity, kinds and materials
 * mean nothing here.
 *
 * Numbers. Decisions are those of exact arithmetic on the numbers given (detect.h, with about 31 digits), and a fraction and a
 * gap are rounded once. Every question asks each shape by itself with the same functions as Detect does; the tree only says
 * whom not to ask.
 *
 * Order. Casts answer by (fraction, circles before segments, id), nearest by (gap, circles before segments, id), overlap by
 * (circles before segments, id): fractions and gaps as the doubles told. One shape is one answer, since all are convex: a
 * circle that comes down on a segment meets its face or one of its ends, and `feature` says which.
 *
 * What is solid. A circle is all that is within it, a segment has no width and two sides. Touching counts: as a band in overlap
 * and nearest (struct tolerance), exactly in casts. */
#ifndef COLLIDED_PHYSICS_SPACE_H
#define COLLIDED_PHYSICS_SPACE_H

#include "physics/detect.h"

struct space;

/* Checks the definition as world_create does, ids included. STATUS_INVALID_ARGUMENT: *problem says which field.
 * STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status space_create(const struct world_def *def, struct def_problem *problem, struct space **out);
/* The same of a world as it stands at a tick's boundary; what the world does later changes nothing in it.
 * STATUS_RESOURCE_EXHAUSTED: no memory. */
STATUS_MUST_USE enum status space_create_of_world(const struct world *world, struct space **out);
void space_destroy(struct space *space);
size_t space_memory_bytes(const struct space *space);

/* Who is asked. The asker is a shape of its own: it meets a shape if each one's mask has a bit of the other's category. Those
 * named to be ignored are not asked; ids that are not there mean nothing. Nor are
 * sensors: nothing stops at them. Meant for a few: the lists are looked through for
 * each shape that comes into question. */
struct space_filter {
	uint32_t category, mask;
	int32_t filter_group;           /* as a shape's: struct circle_def. Relations between groups mean nothing here */
	const uint32_t *ignore_circles; /* borrowed, in any order */
	size_t ignore_circle_count;
	const uint32_t *ignore_segments;
	size_t ignore_segment_count;
};

/* Category 1, all masks, filter group 0, nobody ignored. */
struct space_filter space_filter_default(void);

/* What a cast makes of shapes that it overlaps (gap < 0) where it starts. One that it only touches there (gap = 0) is hit at
 * fraction 0 if the cast comes nearer to it, and else never, whatever this says. */
enum space_start {
	START_HITS, /* are hit at fraction 0, whatever the direction and even without one: as Box2D 3's casts, and Rapier's with
	               solid rays and stop_at_penetration (there without a normal; here it leads out) */
	START_APPROACHES, /* are hit at fraction 0 if the cast goes deeper into them: what Detect and Simulate do */
	START_PASSES,     /* are not hit: a ray from within a circle sees what is outside, as Box2D 2.4's */
};

/* A circle that goes straight from (x, y) by (move_x, move_y). Radius 0 is a ray. A hit is the first place on the way at which
 * the gap is <= 0 and shrinking; so a path that only grazes is no hit, nor one along a face that it touches. A ray meets a
 * segment that it runs along at the nearer end, and one that it starts on at once, unless it runs along it. */
struct space_cast {
	double x, y;           /* <= PHYSICS_COORDINATE_MAX */
	double move_x, move_y; /* <= SPACE_MOVE_MAX; both 0: only START_HITS finds anything */
	double radius;         /* 0, or PHYSICS_RADIUS_MIN .. PHYSICS_RADIUS_MAX */
	enum space_start start;
};

/* From any corner of the world to any other, and more. */
#define SPACE_MOVE_MAX 1e13

/* One shape that answers. */
struct space_hit {
	bool segment; /* what is hit: a segment, or a circle */
	uint32_t id;
	enum contact_feature feature; /* of a segment: what is touched, or nearest; FACE for circles and for overlaps of boxes and
	                                 segments */
	enum relation relation;       /* of a cast: OVERLAPPING if they overlap at the start, else TOUCHING */
	double fraction;              /* of a cast: of its way, 0 .. 1; else 0 */
	double gap; /* the distance between the shapes, < 0: how deep they overlap. Of a cast: at its start if they overlap there,
	               else 0 */
	double x,
		y; /* of a cast: its centre at the hit; else of the circle that asked; 0 for boxes and segments, as the next two */
	double point[2];  /* on the surface of what is hit: where they touch, or what is deepest in, or nearest to, who asked */
	double normal[2]; /* unit, from what is hit to who asked; where centres coincide by the rules of detect.h */
};

/* Answers. Start with all 0; the caller frees them with space_hits_finish, and may use them again before. */
struct space_hits {
	struct space_hit *hits;
	size_t count, capacity;
};

void space_hits_finish(struct space_hits *hits);

/* All of these replace what is in *out, and keep the first `limit` answers in their order (SIZE_MAX: all).
 * STATUS_INVALID_ARGUMENT: a number that is not finite or out of its range. STATUS_RESOURCE_EXHAUSTED: no memory for the
 * answers; *out is then empty. */

/* What the cast hits. limit 1: the first. */
STATUS_MUST_USE enum status space_cast(const struct space *space, const struct space_cast *cast,
                                       const struct space_filter *filter, size_t limit, struct space_hits *out);

/* What is wholly or partly in, or touches, a circle (radius 0: a point), */
struct space_circle {
	double x, y, radius;
};
/* a box with sides along the axes (none other; x0 <= x1, y0 <= y1, of any extent, even none), or a segment (also a point).
 * Depths of these two are the least way that parts the shapes: of crossing segments, how far one sticks out of the other. */
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

/* The shapes nearest to a circle (radius 0: a point) whose gap is at most gap_max (>= 0, may be INFINITY). Those that overlap
 * come first, the deepest first: with gap_max 0 it tells what a circle is in, and which way out. */
STATUS_MUST_USE enum status space_nearest(const struct space *space, const struct space_circle *circle, double gap_max,
                                          const struct tolerance *tolerance, const struct space_filter *filter, size_t limit,
                                          struct space_hits *out);

#endif
