/* Happy path: the squared distance of a parabola is a quartic in t. Between the roots of its derivative, a cubic, it is
 * monotone, so its value at an interval's end decides whether there is a crossing in the interval. The distance from a segment
 * has three forms (two ends, the line). They change where the foot of the point passes an end. */
#include "physics/reports/crossing.h"

#include "physics/math/larger.h"

#include <math.h>

/* Limit of the root searches; bisection alone needs 64 halvings. */
#define STEPS_MAX 200

static struct relative
motion_after(const struct relative *r, double t)
{
	return (struct relative){
		r->dx + t * (r->wx + 0.5 * t * r->qx),
		r->dy + t * (r->wy + 0.5 * t * r->qy),
		r->wx + t * r->qx,
		r->wy + t * r->qy,
		r->qx,
		r->qy,
	};
}

static double
gap_at(const struct relative *r, double R, double t)
{
	double x = r->dx + t * (r->wx + 0.5 * t * r->qx), y = r->dy + t * (r->wy + 0.5 * t * r->qy);

	return sqrt(x * x + y * y) - R;
}

static bool
crossed(double gap, enum crossing_way way)
{
	return way == CROSS_IN ? gap <= 0.0 : gap > 0.0;
}

static double
cubic_at(const double k[4], double t)
{
	return k[0] + t * (k[1] + t * (k[2] + t * k[3]));
}

/* The sign change of the cubic in [low, high], where it is monotone. */
static double
cubic_root(const double k[4], double low, double high)
{
	bool negative = cubic_at(k, low) < 0.0;

	for (int step = 0; step < STEPS_MAX; step++) {
		double middle = 0.5 * (low + high);

		if (middle <= low || middle >= high)
			break;
		if ((cubic_at(k, middle) < 0.0) == negative)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The roots of c + b t + a t^2 inside 0..duration, ascending; returns their number. */
static int
quadratic_roots(double c, double b, double a, double duration, double roots[2])
{
	double disc = b * b - 4.0 * a * c;
	int count = 0;

	if (!(disc >= 0.0))
		return 0;

	double sum = b >= 0.0 ? -0.5 * (b + sqrt(disc)) : -0.5 * (b - sqrt(disc));
	double first = sum / a, second = c / sum;
	double low = first < second ? first : second, high = first < second ? second : first;

	/* The result of a division by 0 is not inside. */
	if (a == 0.0)
		low = high = -c / b;
	if (low > 0.0 && low < duration)
		roots[count++] = low;
	if (high > 0.0 && high < duration && high != low)
		roots[count++] = high;
	return count;
}

/* Where the distance has an extremum within 0..duration, in order; returns their number, at most 3. */
static int
turns_find(const struct relative *r, double duration, double turns[3])
{
	const double k[4] = {
		r->dx * r->wx + r->dy * r->wy,
		(r->wx * r->wx + r->wy * r->wy) + (r->dx * r->qx + r->dy * r->qy),
		1.5 * (r->wx * r->qx + r->wy * r->qy),
		0.5 * (r->qx * r->qx + r->qy * r->qy),
	};
	double cuts[4] = { 0.0 };
	int cut_count = 1, count = 0;

	if (r->qx == 0.0 && r->qy == 0.0) {
		double turn = -k[0] / k[1];

		if (turn > 0.0 && turn < duration)
			turns[count++] = turn;
		return count;
	}
	cut_count += quadratic_roots(k[1], 2.0 * k[2], 3.0 * k[3], duration, cuts + 1);
	cuts[cut_count] = duration;
	for (int i = 0; i < cut_count; i++)
		if ((cubic_at(k, cuts[i]) < 0.0) != (cubic_at(k, cuts[i + 1]) < 0.0))
			turns[count++] = cubic_root(k, cuts[i], cuts[i + 1]);
	return count;
}

/* The crossing in [low, high], where the distance is monotone, not crossed at `low` and crossed at `high`. */
static double
gap_root(const struct relative *r, double R, double low, double high, enum crossing_way way)
{
	double t = high;

	for (int step = 0; step < STEPS_MAX; step++) {
		struct relative now = motion_after(r, t);
		double distance = sqrt(now.dx * now.dx + now.dy * now.dy);
		double slope = (now.dx * now.wx + now.dy * now.wy) / distance;

		if (crossed(distance - R, way))
			high = t;
		else
			low = t;
		if (fabs(distance - R) <= 0x1p-52 * larger(distance, R))
			return t;
		t -= (distance - R) / slope;
		if (!(t > low && t < high))
			t = 0.5 * (low + high);
		if (t <= low || t >= high)
			break;
	}
	return high;
}

double
crossing_point(const struct relative *motion, double R, double duration, enum crossing_way way)
{
	double gap = gap_at(motion, R, 0.0), turns[3], low = 0.0;
	double travel = 1.0001 * duration *
	                (fabs(motion->wx) + fabs(motion->wy) + 0.5 * duration * (fabs(motion->qx) + fabs(motion->qy)));

	if (crossed(gap, way))
		return 0.0;
	/* Too far away for this duration: a conservative test. */
	if (way == CROSS_IN ? gap > travel : gap + travel < 0.0)
		return (double)INFINITY;

	int count = turns_find(motion, duration, turns);

	for (int i = 0; i <= count; i++) {
		double high = i < count ? turns[i] : duration;

		if (crossed(gap_at(motion, R, high), way))
			return gap_root(motion, R, low, high, way);
		low = high;
	}
	return (double)INFINITY;
}

/* The motion relative to the part of the segment that is nearest when the foot is at `along` (of length^2). */
static struct relative
motion_from_part(const struct relative *r, double ux, double uy, double length, double along)
{
	struct relative seen = *r;

	if (along > length * length) {
		seen.dx -= ux;
		seen.dy -= uy;
	} else if (along >= 0.0) {
		seen = (struct relative){ .dx = cross_exact(ux, uy, r->dx, r->dy) / length,
			                      .wx = cross_exact(ux, uy, r->wx, r->wy) / length,
			                      .qx = cross_exact(ux, uy, r->qx, r->qy) / length };
	}
	return seen;
}

/* Adds the times inside 0..duration at which the foot is at `place`, in order. */
static int
passes_add(double cuts[6], int count, double c, double b, double a, double duration)
{
	double roots[2];
	int found = quadratic_roots(c, b, a, duration, roots);

	for (int i = 0; i < found; i++) {
		int at = count++;

		for (; at > 0 && cuts[at - 1] > roots[i]; at--)
			cuts[at] = cuts[at - 1];
		cuts[at] = roots[i];
	}
	return count;
}

double
crossing_segment(const struct relative *motion, double ux, double uy, double length, double R, double duration,
                 enum crossing_way way)
{
	double s = motion->dx * ux + motion->dy * uy, rate = motion->wx * ux + motion->wy * uy;
	double half = 0.5 * (motion->qx * ux + motion->qy * uy), square = length * length;
	double cuts[6], low = 0.0;
	int count = passes_add(cuts, 0, s, rate, half, duration);

	count = passes_add(cuts, count, s - square, rate, half, duration);
	cuts[count] = duration;
	for (int i = 0; i <= count; i++) {
		double high = cuts[i], middle = 0.5 * (low + high);
		struct relative now = motion_after(motion, low);
		struct relative seen = motion_from_part(&now, ux, uy, length, s + middle * (rate + middle * half));
		double time = crossing_point(&seen, R, high - low, way);

		if (time < (double)INFINITY)
			return low + time;
		low = high;
	}
	return (double)INFINITY;
}
