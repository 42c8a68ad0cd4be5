#include "physics/prediction/rounding_drift.h"

#include "physics/geometry/toi.h"
#include "physics/world/skins.h"

#include <math.h>

/* Of the speeds: an approach that counts as rounding in a cluster, and may stay. */
#define APPROACH_ROUNDING 0x1p-44

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

/* The way towards something else, if it comes of an approach that no contact takes away, as it is rounding of the speed. In a
 * tick that leads far it is more than the rounding of places. */
static double
rounding_way(const struct body *path, double way, double end)
{
	double most = APPROACH_ROUNDING * (fabs(path->vx) + fabs(path->vy)) * (end - path->t0);

	return way <= most ? way : 0.0;
}

/* The largest coordinate of a path's two ends. */
static double
path_size(const struct body *path, double end)
{
	two from = two_abs(two_load(&path->x)), to = two_abs(body_place_at(path, end).position);

	return larger(larger(from[0], from[1]), larger(to[0], to[1]));
}

double
face_raise(const struct segment *segment, const struct body *path, int side, double end)
{
	double skin = larger(body_rounding(path), segment->rounding);
	struct stand now = stand_at(segment, two_load(&path->x), path->radius, side, path->t0);

	/* What is deeper than the skin began so: that is for the push-out. */
	if (!(now.gap < 2.0 * DRIFT_BELOW * skin && now.gap > -skin) || !over_face(&now, segment))
		return 0.0;

	struct stand then = stand_at(segment, body_place_at(path, end).position, path->radius, side, end);
	double size = path_size(path, end);

	/* A wall that moves has rounded places itself, so one tick does not tell whether the gap shrinks. */
	bool sinks = then.gap < DRIFT_BELOW * skin && (then.gap < now.gap || segment->moving);

	return sinks && over_face(&then, segment) ? larger(DRIFT_RAISE * size, rounding_way(path, now.gap - then.gap, end)) : 0.0;
}

/* The gap of two circles without the skin, at a time. */
static double
circles_gap(const struct body *a, const struct body *b, double time)
{
	two d = body_place_at(a, time).position - body_place_at(b, time).position, square = d * d;

	return sqrt(square[0] + square[1]) - (a->radius + b->radius);
}

double
circles_raise(const struct body *a, const struct body *b, bool of_b, bool driven, double end)
{
	double skin = larger(body_rounding(a), body_rounding(b)), now = circles_gap(a, b, larger(a->t0, b->t0));

	if (!(now < 2.0 * DRIFT_BELOW * skin && now > -skin))
		return 0.0;

	double then = circles_gap(a, b, end);
	double size_a = path_size(a, end), size = larger(size_a, path_size(b, end));

	/* The resting solver begins a path anew in each substep, so this one does not tell how its places are rounded. What has
	 * been pushed into the next by others of a row (cluster_raise.c) does not sink by itself. */
	bool sinks = then < now || driven || (then == now && now < -DRIFT_RAISE * size);

	return then < DRIFT_BELOW * skin && sinks ? DRIFT_RAISE * (of_b && now < 0.0 ? size : size_a) : 0.0;
}
