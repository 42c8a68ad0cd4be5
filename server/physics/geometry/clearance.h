/* clearance: how far two small convex shapes are from each other: points, segments and boxes.
 *
 * Any thread; no state. With about 31 digits (double_double.h): whether they meet is decided as in exact arithmetic on the
 * numbers given, but for 2^-90 of the largest. */
#ifndef COLLIDED_GEOMETRY_CLEARANCE_H
#define COLLIDED_GEOMETRY_CLEARANCE_H

#include "physics/detect.h"
#include "physics/math/double_double.h"

/* A point, a segment, or a box with sides along the axes. */
struct core {
	unsigned corner_count; /* 1, 2 or 4, around */
	double corners[4][2];
};

struct core core_point(double x, double y);
/* One corner if its ends are the same. */
struct core core_segment(double x1, double y1, double x2, double y2);
/* As few corners as it has. */
struct core core_box(double x0, double y0, double x1, double y1);

/* The distance between them; <= 0 if they meet: minus the least way that parts them. */
struct dd clearance(const struct core *a, const struct core *b);

#endif
