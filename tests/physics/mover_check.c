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

	return segments_distance(a, b) - mover->radius;
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
