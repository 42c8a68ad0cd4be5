#include "physics/prediction/rounding_drift.h"

#include "physics/geometry/toi.h"
#include "physics/world/skins.h"

#include <math.h>

/* How a body at (x, y) stands to a face at a time. */
struct stand {
	double along, gap; /* its foot, times the segment's length; its gap without the skin */
};

static struct stand
stand_at(const struct segment *segment, two place, double radius, int side, double time)
{
	double px = place[0] - (segment->x1 + segment->vx * time), py = place[1] - (segment->y1 + segment->vy * time);
	double height = cross_exact(segment->ux, segment->uy, px, py) / segment->length;

	return (struct stand){
		.along = px * segment->ux + py * segment->uy,
		.gap = (side > 0 ? height : -height) - (radius + segment->radius),
	};
}

static bool
over_face(const struct stand *stand, const struct segment *segment)
{
	return stand->along >= 0.0 && stand->along <= segment->length * segment->length;
}

double
face_raise(const struct segment *segment, const struct body *path, int side, double end)
{
	double skin = larger(body_rounding(path), segment->rounding);
	struct stand now = stand_at(segment, two_load(&path->x), path->radius, side, path->t0);

	/* What is deeper than the skin began so: that is for the push-out. */
	if (!(now.gap < 2.0 * DRIFT_BELOW * skin && now.gap > -skin) || !over_face(&now, segment))
		return 0.0;

	two place = body_place_at(path, end).position, sizes = two_abs(place);
	struct stand then = stand_at(segment, place, path->radius, side, end);
	double size = larger(larger(sizes[0], sizes[1]), larger(fabs(path->x), fabs(path->y)));

	/* A wall that moves has rounded places itself, so one tick does not tell whether the gap shrinks. */
	bool sinks = then.gap < DRIFT_BELOW * skin && (then.gap < now.gap || segment->moving);

	return sinks && over_face(&then, segment) ? DRIFT_RAISE * size : 0.0;
}

/* The gap of two circles without the skin, at a time. */
static double
circles_gap(const struct body *a, const struct body *b, double time)
{
	two d = body_place_at(a, time).position - body_place_at(b, time).position, square = d * d;

	return sqrt(square[0] + square[1]) - (a->radius + b->radius);
}

double
circles_raise(const struct body *a, const struct body *b, bool driven, double end)
{
	double skin = larger(body_rounding(a), body_rounding(b)), now = circles_gap(a, b, larger(a->t0, b->t0));

	if (!(now < 2.0 * DRIFT_BELOW * skin && now > -skin))
		return 0.0;

	double then = circles_gap(a, b, end);
	two from = two_abs(two_load(&a->x)), to = two_abs(body_place_at(a, end).position);
	double size = larger(larger(from[0], from[1]), larger(to[0], to[1]));

	/* The resting solver begins a path anew in each substep, so this one does not tell how its places are rounded. */
	bool sinks = then < now || driven;

	return then < DRIFT_BELOW * skin && sinks ? DRIFT_RAISE * size : 0.0;
}
