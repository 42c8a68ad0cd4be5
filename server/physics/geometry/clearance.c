/* Two convex shapes are disjoint if some direction separates them. It is enough to test the normals of their sides and, for
 * points and segments on one line, that line (separating axes; Gottschalk, Lin, Manocha 1996). The distance is then that
 * between a corner of one and a side of the other. */
#include "physics/geometry/clearance.h"

#include "physics/geometry/view.h"

/* Shorter vectors are scaled up before they are multiplied, because the products would underflow. */
#define SHORT_VECTOR 0x1p-200
#define LONGER 0x1p300

struct core
core_point(double x, double y)
{
	return (struct core){ 1, { { x, y } } };
}

struct core
core_segment(double x1, double y1, double x2, double y2)
{
	if (x1 == x2 && y1 == y2)
		return core_point(x1, y1);
	return (struct core){ 2, { { x1, y1 }, { x2, y2 } } };
}

struct core
core_box(double x0, double y0, double x1, double y1)
{
	if (x0 == x1 || y0 == y1)
		return core_segment(x0, y0, x1, y1);
	return (struct core){ 4, { { x0, y0 }, { x1, y0 }, { x1, y1 }, { x0, y1 } } };
}

static struct dd2
corner_offset(const double to[2], const double from[2])
{
	return view_offset(to[0], to[1], from[0], from[1]);
}

static struct dd
smaller(struct dd a, struct dd b)
{
	return dd_compare(a, b) < 0.0 ? a : b;
}

static struct dd
greater(struct dd a, struct dd b)
{
	return dd_compare(a, b) > 0.0 ? a : b;
}

/* A vector of the same direction, not short unless it is 0. *scale: the factor. */
static struct dd2
made_long(struct dd2 v, double *scale)
{
	*scale = 1.0;
	for (int i = 0; i < 4 && larger(fabs(v.x.high), fabs(v.y.high)) < SHORT_VECTOR; i++) {
		v.x = dd_multiply(v.x, dd_of(LONGER));
		v.y = dd_multiply(v.y, dd_of(LONGER));
		*scale *= 1.0 / LONGER;
	}
	return v;
}

static struct dd
length_of(struct dd2 v)
{
	double scale;

	v = made_long(v, &scale);
	return dd_multiply(dd_root(dd_dot(v, v)), dd_of(scale));
}

/* The gap between the shapes along `axis`, times its length; < 0: the depth of overlap, the shorter way. Places along it are
 * measured from a corner of a, so that no digits are lost far from the origin. */
static struct dd
axis_gap(const struct core *a, const struct core *b, struct dd2 axis)
{
	struct dd a_low = dd_of(0.0), a_high = dd_of(0.0), b_low, b_high;

	for (unsigned i = 1; i < a->corner_count; i++) {
		struct dd place = dd_dot(axis, corner_offset(a->corners[i], a->corners[0]));

		a_low = smaller(a_low, place);
		a_high = greater(a_high, place);
	}
	b_low = b_high = dd_dot(axis, corner_offset(b->corners[0], a->corners[0]));
	for (unsigned i = 1; i < b->corner_count; i++) {
		struct dd place = dd_dot(axis, corner_offset(b->corners[i], a->corners[0]));

		b_low = smaller(b_low, place);
		b_high = greater(b_high, place);
	}
	return greater(dd_subtract(b_low, a_high), dd_subtract(a_low, b_high));
}

/* Tests the axes of one shape's sides. False: one separates the shapes. *gap becomes the greatest gap found across a side. */
static bool
axes_meet(const struct core *a, const struct core *b, const struct core *sides, bool *any, struct dd *gap)
{
	/* Opposite sides of a box have the same axis. */
	unsigned count = sides->corner_count == 1 ? 0 : sides->corner_count / 2;

	for (unsigned i = 0; i < count; i++) {
		double scale;
		struct dd2 along = made_long(corner_offset(sides->corners[i + 1], sides->corners[i]), &scale);
		struct dd2 across = { dd_negative(along.y), along.x };
		struct dd found = axis_gap(a, b, across);

		if (dd_sign(found) > 0.0 || (count == 1 && dd_sign(axis_gap(a, b, along)) > 0.0))
			return false;
		found = dd_divide(found, length_of(along));
		*gap = *any ? greater(*gap, found) : found;
		*any = true;
	}
	return true;
}

/* From a point to a side, or to the only corner. */
static struct dd
side_distance(const double point[2], const double from[2], const double to[2])
{
	double scale;
	struct dd2 way = corner_offset(to, from), along = made_long(way, &scale), place = corner_offset(point, from);
	struct dd foot = dd_dot(along, place);

	if (!(dd_sign(foot) > 0.0))
		return length_of(place);
	if (dd_compare(foot, dd_dot(along, way)) >= 0.0)
		return length_of(corner_offset(point, to));
	return dd_divide(dd_magnitude(dd_cross(along, place)), length_of(along));
}

/* The least distance of a's corners from b's sides. */
static struct dd
corners_distance(const struct core *a, const struct core *b)
{
	unsigned sides = b->corner_count == 2 ? 1 : b->corner_count;
	struct dd least = dd_of((double)INFINITY);

	for (unsigned i = 0; i < a->corner_count; i++)
		for (unsigned k = 0; k < sides; k++)
			least = smaller(least, side_distance(a->corners[i], b->corners[k], b->corners[(k + 1) % b->corner_count]));
	return least;
}

struct dd
clearance(const struct core *a, const struct core *b)
{
	struct dd gap = dd_of(0.0);
	bool any = false;

	if (a->corner_count == 1 && b->corner_count == 1)
		return length_of(corner_offset(a->corners[0], b->corners[0]));
	if (axes_meet(a, b, a, &any, &gap) && axes_meet(a, b, b, &any, &gap))
		return gap;
	return smaller(corners_distance(a, b), corners_distance(b, a));
}
