/* Two shapes at rest. Distances are computed as sums of two doubles and rounded once, at the end. */
#include "physics/geometry/view.h"

/* Fraction of the largest input: what its rounding, and that of a movement to contact, may have done to a gap. */
#define TOUCHING_ROUNDING 0x1p-50
/* Shorter vectors are scaled up before their length is computed, because the squares would underflow. */
#define SHORT_VECTOR 0x1p-500
#define LONGER 0x1p600

double
view_disc_size(const struct disc *disc)
{
	return larger(larger(fabs(disc->x), fabs(disc->y)), disc->radius);
}

struct dd2
view_offset(double x, double y, double from_x, double from_y)
{
	return (struct dd2){ dd_difference(x, from_x), dd_difference(y, from_y) };
}

bool
view_unit(struct dd2 vector, double unit[2])
{
	double x = dd_value(vector.x), y = dd_value(vector.y);

	if (x == 0.0 && y == 0.0)
		return false;
	if (larger(fabs(x), fabs(y)) < SHORT_VECTOR) {
		vector.x = dd_multiply(vector.x, dd_of(LONGER));
		vector.y = dd_multiply(vector.y, dd_of(LONGER));
	}

	struct dd length = dd_root(dd_dot(vector, vector));

	unit[0] = dd_value(dd_divide(vector.x, length));
	unit[1] = dd_value(dd_divide(vector.y, length));
	return true;
}

enum relation
view_relation(double gap, double radii, double size, const struct tolerance *tolerance)
{
	double band = tolerance->absolute + tolerance->relative * radii + TOUCHING_ROUNDING * size;

	return gap > band ? RELATION_NONE : gap < -band ? RELATION_OVERLAPPING : RELATION_TOUCHING;
}

/* distance - R, without the cancellation of that difference. */
static struct dd
gap_of(struct dd square, struct dd distance, struct dd R)
{
	return dd_divide(dd_subtract(square, dd_square(R)), dd_add(distance, R));
}

static void
point_at(double x, double y, const double normal[2], double distance, double out[2])
{
	out[0] = fma(normal[0], distance, x);
	out[1] = fma(normal[1], distance, y);
}

struct shape_distance
distance_circles(const struct disc *a, const struct disc *b, const struct tolerance *tolerance)
{
	struct dd2 d = view_offset(a->x, a->y, b->x, b->y);
	struct dd square = dd_dot(d, d), radii = dd_sum(a->radius, b->radius);
	struct shape_distance out = { .feature = FEATURE_FACE, .normal = { 1.0, 0.0 } };

	out.gap = dd_value(gap_of(square, dd_root(square), radii));
	out.relation = view_relation(out.gap, dd_value(radii), larger(view_disc_size(a), view_disc_size(b)), tolerance);
	(void)view_unit(d, out.normal);
	point_at(a->x, a->y, out.normal, -a->radius, out.a_point);
	point_at(b->x, b->y, out.normal, b->radius, out.b_point);
	return out;
}

struct wall_view
wall_view_of(const struct disc *a, const struct wall *wall)
{
	struct wall_view view = {
		.along = view_offset(wall->x2, wall->y2, wall->x1, wall->y1),
		.from_1 = view_offset(a->x, a->y, wall->x1, wall->y1),
		.from_2 = view_offset(a->x, a->y, wall->x2, wall->y2),
		.movement = view_offset(a->vx, a->vy, wall->vx, wall->vy),
	};

	view.square = dd_dot(view.along, view.along);
	view.length = dd_root(view.square);
	view.foot = dd_dot(view.along, view.from_1);
	view.turn = dd_cross(view.along, view.from_1);
	view.rate = dd_cross(view.along, view.movement);
	view.side = dd_sign(view.turn) > 0.0 ? 1.0 : dd_sign(view.turn) < 0.0 ? -1.0 : dd_sign(view.rate) > 0.0 ? -1.0 : 1.0;
	view.feature = dd_sign(view.foot) < 0.0                   ? FEATURE_END_1
	               : dd_compare(view.foot, view.square) > 0.0 ? FEATURE_END_2
	                                                          : FEATURE_FACE;
	return view;
}

void
wall_view_normal(const struct wall_view *view, double normal[2])
{
	double unit[2] = { 0.0, 0.0 };

	(void)view_unit(view->along, unit);
	normal[0] = 0.0 - unit[1] * view->side; /* no -0 */
	normal[1] = 0.0 + unit[0] * view->side;
}

/* For a circle and the face of a wall of this radius. */
static void
face_distance(const struct disc *a, const struct wall_view *view, double radius, struct shape_distance *out)
{
	struct dd height = dd_divide(dd_magnitude(view->turn), view->length);

	out->feature = FEATURE_FACE;
	out->gap = dd_value(dd_subtract(height, dd_sum(a->radius, radius)));
	wall_view_normal(view, out->normal);
	point_at(a->x, a->y, out->normal, -a->radius, out->a_point);
	point_at(a->x, a->y, out->normal, -dd_value(dd_subtract(height, dd_of(radius))), out->b_point);
}

/* For a circle and an end point other than its centre. */
static void
end_distance(const struct disc *a, const struct wall *wall, struct dd2 from_end, enum contact_feature feature,
             struct shape_distance *out)
{
	struct dd square = dd_dot(from_end, from_end);

	out->feature = feature;
	out->gap = dd_value(gap_of(square, dd_root(square), dd_sum(a->radius, wall->radius)));
	(void)view_unit(from_end, out->normal);
	point_at(a->x, a->y, out->normal, -a->radius, out->a_point);
	point_at(feature == FEATURE_END_1 ? wall->x1 : wall->x2, feature == FEATURE_END_1 ? wall->y1 : wall->y2, out->normal,
	         wall->radius, out->b_point);
}

enum status
distance_line(const struct disc *a, const struct wall *line, const struct tolerance *tolerance, struct shape_distance *out)
{
	if (wall_is_point(line))
		return STATUS_INVALID_ARGUMENT;

	struct wall_view view = wall_view_of(a, line);

	face_distance(a, &view, 0.0, out);
	out->relation = view_relation(out->gap, a->radius, larger(view_disc_size(a), view_wall_size(line)), tolerance);
	return STATUS_OK;
}

/* For the outline: how far the farther end is inside the circle, as a gap; it counts if it is larger than the gap outside. */
static void
outline_distance(const struct disc *a, const struct wall *segment, const struct wall_view *view, struct shape_distance *out)
{
	struct dd square_1 = dd_dot(view->from_1, view->from_1), square_2 = dd_dot(view->from_2, view->from_2);
	bool second = dd_compare(square_2, square_1) > 0.0;
	struct dd square = second ? square_2 : square_1;
	struct dd room = dd_difference(a->radius, segment->radius), inside;

	/* Otherwise it is too thick to be inside. */
	if (!(dd_sign(room) > 0.0))
		return;
	inside = dd_negative(gap_of(square, dd_root(square), room));
	if (dd_value(inside) <= out->gap)
		return;
	end_distance(a, segment, second ? view->from_2 : view->from_1, second ? FEATURE_END_2 : FEATURE_END_1, out);
	out->gap = dd_value(inside);
	point_at(second ? segment->x2 : segment->x1, second ? segment->y2 : segment->y1, out->normal, -segment->radius,
	         out->b_point);
	out->normal[0] = 0.0 - out->normal[0];
	out->normal[1] = 0.0 - out->normal[1];
}

enum status
distance_segment(const struct disc *a, const struct wall *segment, enum reading reading, const struct tolerance *tolerance,
                 struct shape_distance *out)
{
	if (wall_is_point(segment))
		return STATUS_INVALID_ARGUMENT;

	struct wall_view view = wall_view_of(a, segment);

	if (view.feature == FEATURE_FACE)
		face_distance(a, &view, segment->radius, out);
	else
		end_distance(a, segment, view.feature == FEATURE_END_1 ? view.from_1 : view.from_2, view.feature, out);
	if (reading == READING_OUTLINE)
		outline_distance(a, segment, &view, out);
	out->relation = view_relation(out->gap, a->radius + segment->radius, larger(view_disc_size(a), view_wall_size(segment)),
	                              tolerance);
	return STATUS_OK;
}
