/* space_private: the parts of a space, for its queries. */
#ifndef COLLIDED_QUERIES_SPACE_PRIVATE_H
#define COLLIDED_QUERIES_SPACE_PRIVATE_H

#include "physics/geometry/box_tree.h"
#include "physics/queries/sorted_shapes.h"
#include "physics/space.h"

/* Bound of the rounding that a box must allow for, per magnitude of its numbers and of the query's: more than the functions of
 * detect.h need. */
#define SPACE_ROUNDING 0x1p-45

/* Immutable. */
struct space {
	struct sorted_shapes shapes;
	struct box *circle_boxes, *segment_boxes;
	struct box_tree circle_tree, segment_tree;
	double radius_max; /* of circles and segments */
	double extent;     /* the largest coordinate of a box */
};

bool space_filter_circle(const struct space_filter *filter, const struct shape *circle);
bool space_filter_segment(const struct space_filter *filter, const struct shape *segment);

/* Whether a coordinate, a radius (0 is one) and a tolerance are valid in a query. */
bool space_coordinate_good(double value);
bool space_radius_good(double value);
bool space_tolerance_good(const struct tolerance *tolerance);

/* Grown by `reach` and by the bound of rounding. */
struct box space_box_padded(double x0, double y0, double x1, double y1, double reach);

/* The way of a circle, for tests against boxes: from (x, y) by the vector. It comes near a box if it comes within `reach` of
 * it. */
struct space_way {
	double x, y, vx, vy;
	double reach;
};

/* The way of a circle that keeps `radius` (with margin) from what it meets. */
struct space_way space_way_of(double x, double y, double vx, double vy, double radius);
/* The fraction of the way at which it comes near the box, never more than that of any shape within; INFINITY: not on this
 * way. */
double space_way_bound(const struct space_way *way, const struct box *box);

/* The first `limit` hits in an order, collected one by one. */
struct first_hits {
	struct space_hits *out;
	size_t limit;
	int (*compare)(const struct space_hit *a, const struct space_hit *b); /* total order */
	bool failed;                                                          /* no memory */
};

/* Whether it is full. Then hits->out->hits[0] is the last of those kept. */
static inline bool
first_hits_full(const struct first_hits *hits)
{
	return hits->out->count == hits->limit;
}

/* Keeps a hit if it is among the first; false without memory. */
bool first_hits_add(struct first_hits *hits, const struct space_hit *hit);
/* Sorts the hits, or empties them if there was no memory. */
STATUS_MUST_USE enum status first_hits_finish(struct first_hits *hits);
/* Circles before segments, then by id. */
int space_hit_compare_id(const struct space_hit *a, const struct space_hit *b);

#endif
