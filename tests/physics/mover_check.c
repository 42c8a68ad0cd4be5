#include "physics/mover_check.h"

#include "support/assert_double.h"

static real
clamp01(real t)
{
	return t < 0 ? 0 : t > 1 ? 1 : t;
}

/* From a point to a segment. */
static real
point_distance(real px, real py, real x1, real y1, real x2, real y2)
{
	real ux = x2 - x1, uy = y2 - y1, square = ux * ux + uy * uy;
	real t = square > 0 ? clamp01(((px - x1) * ux + (py - y1) * uy) / square) : 0;

	return sqrtl((px - x1 - t * ux) * (px - x1 - t * ux) + (py - y1 - t * uy) * (py - y1 - t * uy));
}

static real
cross(real ax, real ay, real bx, real by)
{
	return ax * by - ay * bx;
}

/* From a segment to a segment. */
static real
segments_distance(const real a[4], const real b[4])
{
	real b1 = cross(a[2] - a[0], a[3] - a[1], b[0] - a[0], b[1] - a[1]);
	real b2 = cross(a[2] - a[0], a[3] - a[1], b[2] - a[0], b[3] - a[1]);
	real a1 = cross(b[2] - b[0], b[3] - b[1], a[0] - b[0], a[1] - b[1]);
	real a2 = cross(b[2] - b[0], b[3] - b[1], a[2] - b[0], a[3] - b[1]);

	if (b1 * b2 < 0 && a1 * a2 < 0)
		return 0;
	return fminl(fminl(point_distance(a[0], a[1], b[0], b[1], b[2], b[3]), point_distance(a[2], a[3], b[0], b[1], b[2], b[3])),
	             fminl(point_distance(b[0], b[1], a[0], a[1], a[2], a[3]), point_distance(b[2], b[3], a[0], a[1], a[2], a[3])));
}

real
mover_check_gap(const struct world_def *def, size_t shape, const struct mover *mover, double x1, double y1, double x2,
                double y2)
{
	if (shape < def->circle_count) {
		const struct circle_def *c = &def->circles[shape];

		return point_distance(c->x, c->y, x1, y1, x2, y2) - (real)c->radius - mover->radius;
	}

	const struct segment_def *s = &def->segments[shape - def->circle_count];
	const real a[4] = { x1, y1, x2, y2 }, b[4] = { s->x1, s->y1, s->x2, s->y2 };

	return segments_distance(a, b) - mover->radius - (real)s->radius;
}

/* Steps of the search for where a leg comes into a one-sided segment. */
#define STEPS 200

/* Whether a leg comes into a one-sided segment from its left: how deep. What starts in it, or comes in from the right, may. */
static real
left_depth(const struct segment_def *s, real radii, const double from[2], const double to[2], real rounding)
{
	real low = 0, high = 1, middle[4] = { 0 };
	real start = point_distance(from[0], from[1], s->x1, s->y1, s->x2, s->y2) - radii;

	if (start < rounding)
		return 0;
	/* The distance along a straight way falls, then rises. */
	for (int i = 0; i < STEPS; i++) {
		real a = low + (high - low) / 3, b = high - (high - low) / 3;

		for (int k = 0; k < 2; k++) {
			middle[k] = from[k] + a * ((real)to[k] - from[k]);
			middle[2 + k] = from[k] + b * ((real)to[k] - from[k]);
		}
		if (point_distance(middle[0], middle[1], s->x1, s->y1, s->x2, s->y2) <
		    point_distance(middle[2], middle[3], s->x1, s->y1, s->x2, s->y2))
			high = b;
		else
			low = a;
	}

	real depth = radii - point_distance(middle[0], middle[1], s->x1, s->y1, s->x2, s->y2);

	if (depth <= rounding)
		return 0;
	for (low = 0; low < high;) {
		real t = (low + high) / 2;

		if (t <= low || t >= high)
			break;
		for (int k = 0; k < 2; k++)
			middle[k] = from[k] + t * ((real)to[k] - from[k]);
		if (point_distance(middle[0], middle[1], s->x1, s->y1, s->x2, s->y2) < radii)
			high = t;
		else
			low = t;
	}

	real length = sqrtl(((real)s->x2 - s->x1) * ((real)s->x2 - s->x1) + ((real)s->y2 - s->y1) * ((real)s->y2 - s->y1));
	real height = cross((real)s->x2 - s->x1, (real)s->y2 - s->y1, middle[0] - s->x1, middle[1] - s->y1) / length;

	return height > rounding ? depth : 0;
}

bool
mover_check_meets(const struct world_def *def, size_t shape, const struct space_filter *filter)
{
	uint32_t category, mask;

	if (shape < def->circle_count) {
		category = def->circles[shape].category;
		mask = def->circles[shape].mask;
	} else {
		category = def->segments[shape - def->circle_count].category;
		mask = def->segments[shape - def->circle_count].mask;
	}
	return (category & filter->mask) && (mask & filter->category);
}

size_t
mover_check_count(const struct world_def *def)
{
	return def->circle_count + def->segment_count;
}

static double
extent_of(const struct world_def *def)
{
	double extent = 0;

	for (size_t i = 0; i < def->circle_count; i++)
		extent = fmax(extent, fabs(def->circles[i].x) + fabs(def->circles[i].y) + def->circles[i].radius);
	for (size_t i = 0; i < def->segment_count; i++)
		extent = fmax(extent, fmax(fabs(def->segments[i].x1), fabs(def->segments[i].x2)) +
		                          fmax(fabs(def->segments[i].y1), fabs(def->segments[i].y2)));
	return extent;
}

void
mover_check_legs(const struct world_def *def, const struct mover *mover, const struct space_filter *filter,
                 const struct mover_path *path)
{
	double size = fmax(fmax(fabs(mover->x), fabs(mover->y)), fmax(fabs(path->x), fabs(path->y))) + extent_of(def);
	real rounding = size * 0x1p-60L; /* of these long doubles */
	double x = mover->x, y = mover->y, fraction = 0;

	for (size_t leg = 0; leg < path->leg_count; leg++) {
		const struct mover_leg *to = &path->legs[leg];

		for (size_t shape = 0; shape < mover_check_count(def); shape++) {
			if (!mover_check_meets(def, shape, filter))
				continue;

			if (shape >= def->circle_count && def->segments[shape - def->circle_count].one_sided) {
				const struct segment_def *s = &def->segments[shape - def->circle_count];
				const double from[2] = { x, y }, end[2] = { to->x, to->y };
				real depth = left_depth(s, (real)mover->radius + s->radius, from, end, 64 * rounding);

				if (depth > 0)
					fail_msg("leg %zu of %zu goes %Lg into one-sided segment %u", leg, path->leg_count, depth, s->id);
				continue;
			}

			real here = mover_check_gap(def, shape, mover, x, y, x, y),
				 least = mover_check_gap(def, shape, mover, x, y, to->x, to->y);

			if (least < -rounding && least < here - rounding)
				fail_msg("leg %zu of %zu goes %Lg into shape %zu, from a gap of %Lg", leg, path->leg_count, -least, shape,
				         here);
		}
		assert_true(to->fraction >= fraction && to->fraction <= 1);
		x = to->x;
		y = to->y;
		fraction = to->fraction;
	}
	assert_double_same_bits(path->x, x);
	assert_double_same_bits(path->y, y);
}
