#include "physics/geometry/toi.h"

#include "base/pause.h"
#include "physics/math/larger.h"

#include <math.h>

/* Limit of the root searches; bisection alone needs 64 halvings, Newton's method about six steps. */
#define ROOT_STEPS_MAX 200
/* The first is the number of Newton steps before a bisection of the cubic. The second is a fraction of the sum of the terms'
 * magnitudes. It exceeds the rounding of the cubic's value, which is at most 7 halves of DBL_EPSILON. */
#define NARROW_STEPS_MAX 8
#define ROOT_SURE_PART 0x1p-48
/* Added, as a fraction, to the time at which something stops approaching, so that rounding does not see it approach still. */
#define RECEDE_PART 0x1p-40
/* Newton steps to about the time of closest approach, to show that a pair passes; and the margin there, as a fraction of the
 * terms' magnitudes, which exceeds rounding. With too few steps, or too large a margin, the roots are computed instead. */
#define PASS_STEPS 3
#define PASS_PART 0x1p-40
/* The bound of the time of closest approach is taken so much later than computed, so that rounding is no matter. */
#define NEAREST_FACTOR 1.5
/* The products of larger terms may overflow: no bound is given. */
#define BOUND_SIZE_MAX 1e150
/* Spans that are tried for a bound, each this part of the one before. */
#define BOUND_SPANS 6
/* Units (base/pause.h) of the search for a root of a quartic. How many of these an event needs is not known before. */
#define ROOT_UNITS 16u
#define BOUND_SPAN_PART 0x1p-6

static inline double
unit_excess_inline(double x, double y)
{
	double p = x * x, q = y * y, sum = p + q, part = sum - p;
	double lost = (p - (sum - part)) + (q - part); /* of the addition (Knuth's two-sum), then of the products */

	return (sum - 1.0) + (lost + (fma(x, x, -p) + fma(y, y, -q)));
}

#ifdef MAY_BE_FUSED
/* With the CPU's own instruction, where fma() would be a call. */
__attribute__((target("fma"))) static double
cross_fused(double a, double b, double c, double d)
{
	return cross_exact_inline(a, b, c, d);
}

__attribute__((target("fma"))) static double
unit_excess_fused(double x, double y)
{
	return unit_excess_inline(x, y);
}
#endif

double
cross_exact(double a, double b, double c, double d)
{
#ifdef MAY_BE_FUSED
	if (__builtin_cpu_supports("fma"))
		return cross_fused(a, b, c, d);
#endif
	return cross_exact_inline(a, b, c, d);
}

double
unit_excess(double x, double y)
{
#ifdef MAY_BE_FUSED
	if (__builtin_cpu_supports("fma"))
		return unit_excess_fused(x, y);
#endif
	return unit_excess_inline(x, y);
}

double
toi_straight(const struct relative *r, double R, double duration)
{
	double b = r->dx * r->wx + r->dy * r->wy;

	if (!(b < 0.0))
		return (double)INFINITY;

	/* Most pairs are too far apart. This test needs no square root and is conservative; the exact form below decides. */
	double square = r->dx * r->dx + r->dy * r->dy;
	double reach_most = 1.0001 * (R + (fabs(r->wx) + fabs(r->wy)) * duration);

	if (square > reach_most * reach_most)
		return (double)INFINITY;

	double distance = sqrt(square);

	if (distance <= R)
		return 0.0;

	/* The path passes the origin at |X| / |w|. The discriminant as a product keeps its digits when that is nearly R. */
	double speed = sqrt(r->wx * r->wx + r->wy * r->wy);
	double X = fabs(cross_exact(r->dx, r->dy, r->wx, r->wy));
	double reach = speed * R;

	if (X >= reach)
		return (double)INFINITY;

	double root = sqrt((reach - X) * (reach + X));
	double time = (distance - R) * (distance + R) / (root - b);

	return time <= duration ? time : (double)INFINITY;
}

/* Half the rate of change of the squared distance: a cubic in t. */
static double
approach_at(const double k[4], double t)
{
	return k[0] + t * (k[1] + t * (k[2] + t * k[3]));
}

/* Narrows [*low, *high], where the cubic is monotone and changes sign, by Newton steps. Outside the remaining interval its
 * computed sign is certain: the cubic is farther from 0 there than all rounding. */
static void
approach_narrow(const double k[4], bool falling, double *low, double *high)
{
	const double end = *high, side = falling ? 1.0 : -1.0; /* sign of the cubic at low */
	const double sure = ROOT_SURE_PART * (fabs(k[0]) + end * (fabs(k[1]) + end * (fabs(k[2]) + end * fabs(k[3]))));
	double at_low = approach_at(k, *low), at_high = approach_at(k, end);
	double t = *low - at_low * ((end - *low) / (at_high - at_low));

	for (int step = 0; step < NARROW_STEPS_MAX; step++) {
		if (!(t > *low && t < *high))
			t = 0.5 * (*low + *high);

		double at = side * approach_at(k, t), slope = side * (k[1] + t * (2.0 * k[2] + t * (3.0 * k[3])));

		if (at > sure) {
			*low = t;
		} else if (at < -sure) {
			*high = t;
		} else {
			double aside = 4.0 * sure / slope, before = t + aside, after = t - aside; /* the slope is negative */

			if (before > *low && before < t && side * approach_at(k, before) > sure)
				*low = before;
			if (after < *high && after > t && side * approach_at(k, after) < -sure)
				*high = after;
			return;
		}
		t -= at / slope;
	}
}

/* The sign change of the cubic in [low, high], where it is monotone: a bisection of the small interval that Newton steps
 * leave. */
static double
approach_root(const double k[4], double low, double high, bool falling)
{
	approach_narrow(k, falling, &low, &high);
	for (int step = 0; step < ROOT_STEPS_MAX; step++) {
		double middle = 0.5 * (low + high);

		if (middle <= low || middle >= high)
			break;
		if ((approach_at(k, middle) < 0.0) == falling)
			high = middle;
		else
			low = middle;
	}
	return falling ? high : low;
}

static double
gap_at(const struct relative *r, double R, double t, double *scale)
{
	double x = r->dx + t * (r->wx + 0.5 * t * r->qx), y = r->dy + t * (r->wy + 0.5 * t * r->qy);
	double distance = sqrt(x * x + y * y);

	*scale = distance > R ? distance : R;
	return distance - R;
}

/* The zero of the gap in [low, high], where it falls from above 0 to at most 0. */
static double
gap_root(const struct relative *r, const double k[4], double R, double low, double high)
{
	double t = low, scale;
	double gap = gap_at(r, R, low, &scale);

	for (int step = 0; step < ROOT_STEPS_MAX; step++) {
		double slope = approach_at(k, t) / (gap + R);
		double next = t - gap / slope;

		if (!(next > low && next < high)) {
			next = 0.5 * (low + high);
			if (next <= low || next >= high)
				break;
		}
		t = next;
		gap = gap_at(r, R, t, &scale);
		/* A gap this small is rounding of the positions themselves. */
		if (fabs(gap) <= 0x1p-51 * scale)
			return t;
		if (gap > 0.0)
			low = t;
		else
			high = t;
	}
	return low;
}

/* The sum of the terms' magnitudes for a place on a path. */
static double
path_size(const struct relative *r, double t)
{
	return fabs(r->dx) + fabs(r->dy) + t * (fabs(r->wx) + fabs(r->wy) + t * (fabs(r->qx) + fabs(r->qy)));
}

/* Whether a path that approaches at `low` and recedes at `high` certainly stays farther away than R in between. It does if it
 * does along one direction, that across its motion at, or near, the closest approach. Most pairs pass each other at a distance,
 * and this test is much cheaper than the exact time of closest approach. */
static bool
passes_by(const struct relative *r, const double k[4], double R, double low, double high)
{
	double at_low = approach_at(k, low), at_high = approach_at(k, high);
	double t = low - at_low * ((high - low) / (at_high - at_low));

	for (int step = 0; step < PASS_STEPS; step++) {
		double slope = k[1] + t * (2.0 * k[2] + t * (3.0 * k[3]));

		t = larger(low, lesser(high, t - approach_at(k, t) / slope));
	}

	double vx = r->wx + t * r->qx, vy = r->wy + t * r->qy, speed = sqrt(vx * vx + vy * vy);
	double nx = -vy / speed, ny = vx / speed;
	double c = nx * r->dx + ny * r->dy, b = nx * r->wx + ny * r->wy, a = nx * r->qx + ny * r->qy;
	double side = c + t * (b + 0.5 * t * a) < 0.0 ? -1.0 : 1.0;
	double at_first = side * (c + low * (b + 0.5 * low * a)), at_last = side * (c + high * (b + 0.5 * high * a));
	double least = lesser(at_first, at_last), turn = -b / a;

	if (side * a > 0.0 && turn > low && turn < high)
		least = lesser(least, side * (c + 0.5 * turn * b));
	return least > R + PASS_PART * path_size(r, high); /* false if any value is NaN */
}

/* An upper bound of the time of closest approach, at which the cubic certainly is above 0; `high` if none is found. With s = t
 * - low and the cubic as f0 + f1 s + f2 s^2 + f3 s^3, the root is below -f0 / f1 and below sqrt(-f0 / f2), if no term falls. In
 * a long tick of huge accelerations the interval is longer than this by orders of magnitude. What rounds at its end would then
 * hide what happens near its beginning. */
static double
nearest_before(const double k[4], double low, double high)
{
	double f0 = approach_at(k, low), f1 = k[1] + low * (2.0 * k[2] + 3.0 * low * k[3]), f2 = k[2] + 3.0 * low * k[3];
	double s = high - low;

	if (!(f2 >= 0.0))
		return high;
	if (f1 > 0.0)
		s = lesser(s, -f0 / f1);
	if (f2 * s * s > -f0)
		s = sqrt(-f0 / f2);

	double t = low + NEAREST_FACTOR * s;

	if (!(t < high))
		return high;
	return approach_at(k, t) > ROOT_SURE_PART * (fabs(k[0]) + t * (fabs(k[1]) + t * (fabs(k[2]) + t * fabs(k[3])))) ? t : high;
}

/* A time in [low, high] before which the cubic certainly has its first sign, and which is nearly its root. */
static double
approach_before(const double k[4], double low, double high, bool falling)
{
	approach_narrow(k, falling, &low, &high);
	return low;
}

/* The first impact within [low, high], on which the rate of the distance is monotone, for a point not nearer than `least` when
 * its approach begins. */
static double
impact_in(const struct relative *r, const double k[4], double least, double R, double low, double high)
{
	double at_low = approach_at(k, low), at_high = approach_at(k, high);
	double scale;

	if (!(at_low < 0.0) && !(at_high < 0.0))
		return (double)INFINITY;
	if (at_low > 0.0) {
		/* It is nearest at the end. */
		if (gap_at(r, R, high, &scale) > PASS_PART * path_size(r, high))
			return (double)INFINITY;
		/* The root itself matters only where the point is that near when its approach begins. */
		double before = approach_before(k, low, high, true);
		low = gap_at(r, R, before, &scale) > 0.0 ? before : approach_root(k, low, high, true);
	} else if (at_high > 0.0 && gap_at(r, R, low, &scale) > 0.0) {
		double nearest = nearest_before(k, low, high);
		if (passes_by(r, k, R, low, nearest))
			return (double)INFINITY;
		/* The root itself matters only where the paths hardly touch. */
		double before = approach_before(k, low, nearest, false);
		high = gap_at(r, R, before, &scale) <= 0.0 ? before : approach_root(k, low, nearest, false);
	}
	double gap = gap_at(r, R, low, &scale);
	if (gap <= 0.0)
		return gap >= least - R ? low : (double)INFINITY;
	if (gap_at(r, R, high, &scale) > 0.0)
		return (double)INFINITY;
	return gap_root(r, k, R, low, high);
}

static void
approach_make(const struct relative *r, double k[4])
{
	k[0] = r->dx * r->wx + r->dy * r->wy;
	k[1] = (r->wx * r->wx + r->wy * r->wy) + (r->dx * r->qx + r->dy * r->qy);
	k[2] = 1.5 * (r->wx * r->qx + r->wy * r->qy);
	k[3] = 0.5 * (r->qx * r->qx + r->qy * r->qy);
}

/* The extrema of the cubic: k1 + 2 k2 t + 3 k3 t^2 = 0, by the form of the roots that does not cancel. cuts[0..count] bound the
 * intervals on which it is monotone; returns the count. */
static int
approach_cuts(const double k[4], double duration, double cuts[4])
{
	int count = 1;
	double disc = k[2] * k[2] - 3.0 * k[3] * k[1];

	cuts[0] = 0.0;
	if (disc > 0.0) {
		double sum = k[2] >= 0.0 ? -(k[2] + sqrt(disc)) : -(k[2] - sqrt(disc));
		double first = sum / (3.0 * k[3]), second = k[1] / sum;
		double low = first < second ? first : second, high = first < second ? second : first;

		if (low > 0.0 && low < duration)
			cuts[count++] = low;
		if (high > 0.0 && high < duration)
			cuts[count++] = high;
	}
	cuts[count] = duration;
	return count;
}

static double
curved_impact(const struct relative *r, double least, double R, double duration)
{
	double distance = sqrt(r->dx * r->dx + r->dy * r->dy);
	double travel = (fabs(r->wx) + fabs(r->wy) + 0.5 * duration * (fabs(r->qx) + fabs(r->qy))) * duration;
	double k[4], cuts[4];

	if (distance - R > travel)
		return (double)INFINITY;
	(void)pause_after(ROOT_UNITS);
	approach_make(r, k);

	int count = approach_cuts(k, duration, cuts);

	for (int i = 0; i < count; i++) {
		double time = impact_in(r, k, least, R, cuts[i], cuts[i + 1]);

		if (time < (double)INFINITY)
			return time;
	}
	return (double)INFINITY;
}

double
toi_curved(const struct relative *r, double R, double duration)
{
	return curved_impact(r, -(double)INFINITY, R, duration);
}

double
toi_curved_bound(const struct relative *r, double R, double duration)
{
	double distance = sqrt(r->dx * r->dx + r->dy * r->dy), nx = r->dx / distance, ny = r->dy / distance;
	double rate = nx * r->wx + ny * r->wy, acceleration = nx * r->qx + ny * r->qy, span = duration;

	/* The margin is more than what rounds here up to the end of the span, so it is farther away than R until then. In a long
	 * tick of huge accelerations the margin may be larger than the gap. In shorter spans it is smaller. */
	for (int try = 0; try < BOUND_SPANS; try++, span *= BOUND_SPAN_PART) {
		double size = path_size(r, span), near = R + PASS_PART * size, time;

		if (!(distance > near && size < BOUND_SIZE_MAX))
			continue;
		time = toi_height(distance, rate, acceleration, near, span);
		return time < (double)INFINITY || try == 0 ? time : span;
	}
	return 0.0;
}

double
toi_outside(const struct relative *r, double least, double R, double duration)
{
	if (r->qx != 0.0 || r->qy != 0.0)
		return curved_impact(r, least, R, duration);
	return sqrt(r->dx * r->dx + r->dy * r->dy) >= least ? toi_straight(r, R, duration) : (double)INFINITY;
}

double
toi_recede(const struct relative *r, double duration)
{
	double k[4], cuts[4];

	approach_make(r, k);
	if (k[0] >= 0.0)
		return 0.0;
	if (r->qx == 0.0 && r->qy == 0.0)
		return fmin(-k[0] / k[1] * (1.0 + RECEDE_PART), duration);

	int count = approach_cuts(k, duration, cuts);

	for (int i = 0; i < count; i++)
		if (approach_at(k, cuts[i + 1]) >= 0.0)
			return fmin(approach_root(k, cuts[i], cuts[i + 1], false) * (1.0 + RECEDE_PART), duration);
	return duration;
}

/* When the gap, which grows in [low, high], rises above 0. */
static double
gap_open(const struct relative *r, double R, double low, double high)
{
	double scale;

	(void)pause_after(ROOT_UNITS);
	for (int step = 0; step < ROOT_STEPS_MAX; step++) {
		double middle = 0.5 * (low + high);

		if (middle <= low || middle >= high)
			break;
		if (gap_at(r, R, middle, &scale) > 0.0)
			high = middle;
		else
			low = middle;
	}
	return high;
}

double
toi_leave(const struct relative *r, double R, double duration)
{
	double k[4], cuts[4], scale;

	approach_make(r, k);

	int count = approach_cuts(k, duration, cuts);

	for (int i = 0; i < count; i++) {
		double low = cuts[i], high = cuts[i + 1];
		bool rises = approach_at(k, low) < 0.0 && approach_at(k, high) > 0.0;
		bool falls = approach_at(k, low) > 0.0 && approach_at(k, high) < 0.0;

		if (rises)
			low = approach_root(k, low, high, false);
		else if (falls)
			high = approach_root(k, low, high, true);
		if (gap_at(r, R, high, &scale) > 0.0)
			return gap_open(r, R, low, high);
	}
	return (double)INFINITY;
}

double
toi_height_outside(double h, double b, double a, double least, double R, double duration)
{
	/* From inside it must rise to `least`, and turn there or higher. */
	if (h < least && !(b > 0.0 && a < 0.0 && h + b * b / (-2.0 * a) >= least))
		return (double)INFINITY;
	return toi_height(h, b, a, R, duration);
}

double
toi_height(double h, double b, double a, double R, double duration)
{
	double c = h - R, time;

	if (c > 0.0) {
		double disc = b * b - 2.0 * a * c;

		if (!(b < 0.0 || a < 0.0) || disc < 0.0)
			return (double)INFINITY;
		/* 2c/(-b + root) when it sinks; the later root when it rises first. */
		time = b < 0.0 ? 2.0 * c / (sqrt(disc) - b) : (b + sqrt(disc)) / -a;
		/* One Newton step: the closed form's error is in the time, but the height matters. Where the path only just touches,
		 * the slope is rounding and the step would be arbitrary. */
		double error = c + time * (b + 0.5 * a * time), slope = b + a * time;
		double better = time - error / slope;

		if (slope < 0.0 && better >= 0.0 && fabs(c + better * (b + 0.5 * a * better)) < fabs(error))
			time = better;
	} else if (b < 0.0 || (b == 0.0 && a < 0.0)) {
		return 0.0;
	} else if (a < 0.0) {
		double disc = b * b - 2.0 * a * c;

		/* It rises above R and returns, or turns below. */
		time = (disc > 0.0 ? b + sqrt(disc) : b) / -a;
	} else {
		return (double)INFINITY;
	}
	return time <= duration ? time : (double)INFINITY;
}
