/* clearance: the distance of two small convex shapes: points, segments and boxes.
 *
 * Any thread; no state. With about 31 digits (double_double.h): whether they overlap is decided as in exact arithmetic on the
 * numbers given, to within 2^-90 of the largest. */
#ifndef COLLIDED_GEOMETRY_CLEARANCE_H
#define COLLIDED_GEOMETRY_CLEARANCE_H

#include "physics/detect.h"
#include "physics/math/double_double.h"

/* A point, a segment, or an axis-aligned box. */
struct core {
	unsigned corner_count; /* 1, 2 or 4, in order around */
	double corners[4][2];
};

struct core core_point(double x, double y);
/* One corner if both ends are the same. */
struct core core_segment(double x1, double y1, double x2, double y2);
/* Degenerate boxes have fewer corners. */
struct core core_box(double x0, double y0, double x1, double y1);

/* The distance between them; <= 0 if they overlap: minus the length of the shortest separating move. */
struct dd clearance(const struct core *a, const struct core *b);

#endif
