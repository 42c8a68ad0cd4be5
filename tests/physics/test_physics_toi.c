/* Times of impact against gaps in long double, most of all where the path only just touches. */
#include "physics/geometry/toi.h"

#include "support/effort.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define QUERIES ((int)effort(3000, 50000))
/* Of the largest term of the gap. */
static const long double BAND = 8.0L * DBL_EPSILON;

static uint64_t random_state = 1;

static double
uniform(double low, double high)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return low + (high - low) * (double)(random_state >> 11) * 0x1p-53;
}

/* x moved by up to two neighbours. */
static double
nudge(double x)
{
	int steps = (int)uniform(-2.99, 2.99);

	for (; steps > 0; steps--)
		x = nextafter(x, (double)INFINITY);
	for (; steps < 0; steps++)
		x = nextafter(x, -(double)INFINITY);
	return x;
}

static long double
square(long double x)
{
	return x * x;
}

/* At the reported time the height is R and not yet rising; without one the lowest point is above R. */
static void
check_height(double h, double b, double a, double R)
{
	const double duration = 100.0;
	double t = toi_height(h, b, a, R, duration);
	long double c = (long double)h - R;

	if (t < (double)INFINITY) {
		long double fall = (long double)b * t, bend = 0.5L * a * t * t;
		long double band = BAND * (fabsl(h) + fabsl(R) + fabsl(fall) + fabsl(bend));
		long double rate = b + (long double)a * t;

		assert_true(t >= 0.0 && t <= duration);
		assert_true(fabsl(c + fall + bend) <= band);
		assert_true(rate <= 0.0L || square(rate) <= 4.0L * fabsl(a) * band);
	} else {
		/* The lowest point of a path that bends away, or the end of one that bends towards the line. */
		double lowest = a > 0.0 && -b / a < duration ? fmax(-b / a, 0.0) : b < 0.0 || a < 0.0 ? duration : 0.0;
		long double fall = (long double)b * lowest, bend = 0.5L * a * lowest * lowest;

		assert_true(c + fall + bend >= -BAND * (fabsl(h) + fabsl(R) + fabsl(fall) + fabsl(bend)));
	}
}

static void
heights_of_any_kind(void **state)
{
	(void)state;
	for (int k = 0; k < QUERIES; k++) {
		double R = uniform(0.0, 2.0);

		check_height(R + uniform(0.001, 50.0), uniform(-20.0, 20.0), uniform(-10.0, 10.0), R);
	}
}

static void
heights_that_only_just_touch(void **state)
{
	(void)state;
	double t = toi_height(26.792493633765762, -22.927466608731205, 9.81, 0.0, 1e9);

	assert_true(t == (double)INFINITY || fabs(t - 22.927466608731205 / 9.81) < 1e-7);
	for (int k = 0; k < QUERIES; k++) {
		double R = k % 2 == 0 ? 0.0 : uniform(0.0, 2.0);
		double c = uniform(0.1, 30.0), a = k % 3 == 0 ? 9.81 : uniform(0.1, 30.0);

		check_height(R + c, nudge(-sqrt(2.0 * a * c)), a, R);
	}
}

/* At the reported time the circle of radius R is met and not yet left. */
static void
check_disc(const struct relative *r, double R, double t, double duration)
{
	long double x = r->dx + (long double)t * (r->wx + 0.5L * r->qx * t);
	long double y = r->dy + (long double)t * (r->wy + 0.5L * r->qy * t);
	long double vx = r->wx + (long double)r->qx * t, vy = r->wy + (long double)r->qy * t;
	long double distance = hypotl(x, y);
	long double travel = hypotl(r->wx, r->wy) * t + 0.5L * hypotl(r->qx, r->qy) * t * t;
	long double band = BAND * (hypotl(r->dx, r->dy) + R + travel);
	long double rate = (x * vx + y * vy) / distance;

	assert_true(t >= 0.0 && t <= duration);
	assert_true(fabsl(distance - R) <= band);
	/* Past the closest point by no more than the band allows: the distance bends by v^2/R there. */
	assert_true(rate <= 0.0L || square(rate) <= 4.0L * band * ((vx * vx + vy * vy) / R + hypotl(r->qx, r->qy)));
}

/* Without an impact no point of the path is inside: samples, and the closest point of a straight path. */
static void
check_miss(const struct relative *r, double R, double duration)
{
	for (int k = 0; k <= 64; k++) {
		long double t = (long double)duration * k / 64.0L;

		if (k == 64 && r->qx == 0.0 && r->qy == 0.0) {
			t = -((long double)r->dx * r->wx + (long double)r->dy * r->wy) / (square(r->wx) + square(r->wy));
			if (!(t > 0.0L && t < duration))
				continue;
		}
		long double x = r->dx + t * (r->wx + 0.5L * r->qx * t), y = r->dy + t * (r->wy + 0.5L * r->qy * t);
		long double travel = hypotl(r->wx, r->wy) * t + 0.5L * hypotl(r->qx, r->qy) * t * t;

		assert_true(hypotl(x, y) - R >= -BAND * (hypotl(r->dx, r->dy) + R + travel));
	}
}

/* A path from distance away with a straight part that passes the centre at `offset` radii. */
static struct relative
aimed(double R, double offset)
{
	double direction = uniform(0.0, 6.2831853), speed = exp(uniform(-5.0, 8.0)), away = R * uniform(1.5, 40.0);
	double ux = cos(direction), uy = sin(direction);

	return (struct relative){
		.dx = -away * ux - offset * R * uy, .dy = -away * uy + offset * R * ux, .wx = speed * ux, .wy = speed * uy
	};
}

static void
straight_paths(void **state)
{
	(void)state;
	const double duration = 1.0;
	int met = 0;

	for (int k = 0; k < QUERIES; k++) {
		double R = exp(uniform(-3.0, 3.0));
		struct relative r = aimed(R, k % 2 == 0 ? uniform(-1.5, 1.5) : nudge(k % 4 == 1 ? 1.0 : -1.0));
		double t = toi_straight(&r, R, duration);

		if (t < (double)INFINITY) {
			check_disc(&r, R, t, duration);
			met++;
		} else {
			check_miss(&r, R, duration);
		}
	}
	assert_true(met > QUERIES / 10);
}

static void
curved_paths(void **state)
{
	(void)state;
	const double duration = 1.0;
	int met = 0;

	for (int k = 0; k < QUERIES; k++) {
		double R = exp(uniform(-3.0, 3.0)), pull = exp(uniform(-5.0, 8.0)), direction = uniform(0.0, 6.2831853);
		struct relative r = aimed(R, uniform(-1.5, 1.5));

		r.qx = pull * cos(direction);
		r.qy = pull * sin(direction);
		if (k % 4 == 0) {
			/* A parabola with an apex that just touches the top of the circle. */
			double rise = uniform(0.1, 30.0), time = uniform(0.1, 0.9), g = 2.0 * rise / (time * time),
				   along = uniform(-20.0, 20.0);

			r = (struct relative){ .dx = -along * time, .dy = nudge(R + rise), .wx = along, .wy = -g * time, .qy = g };
		}
		double t = toi_curved(&r, R, duration);

		if (t < (double)INFINITY) {
			check_disc(&r, R, t, duration);
			met++;
		} else {
			check_miss(&r, R, duration);
		}
	}
	assert_true(met > QUERIES / 10);
}

/* Until the bound no point of the path is inside: samples in long double. It is no later than the time itself, and tells
 * something of most paths. */
static void
bounds_of_curved_paths(void **state)
{
	(void)state;
	const double duration = 1.0;
	int told = 0, ruled_out = 0, far = 0;

	for (int k = 0; k < QUERIES; k++) {
		double R = exp(uniform(-3.0, 3.0)), pull = exp(uniform(-5.0, 8.0)), direction = uniform(0.0, 6.2831853);
		struct relative r = aimed(R, k % 2 == 0 ? uniform(-1.5, 1.5) : nudge(k % 4 == 1 ? 1.0 : 0.0));

		r.qx = pull * cos(direction);
		r.qy = pull * sin(direction);
		if (k % 8 == 0) {
			/* Along the line to the centre: what it only just touches is what the bound looks at. */
			double rise = uniform(0.1, 30.0), time = uniform(0.1, 0.9), g = 2.0 * rise / (time * time);

			r = (struct relative){ .dy = nudge(R + rise), .wy = -g * time, .qy = g };
		}
		if (k % 64 == 2) /* so far in the whole duration that the gap is rounding of it */
			r.qx *= 1e13, r.qy *= 1e13;
		if (k % 64 == 1) /* products that overflow */
			r = (struct relative){ .dx = 1e200, .wx = -1e200 * uniform(0.1, 3.0), .qx = 1e200 * uniform(-1.0, 1.0) };
		double bound = toi_curved_bound(&r, R, duration), t = toi_curved(&r, R, duration);

		assert_true(bound <= t);
		assert_true(bound == (double)INFINITY || (bound >= 0.0 && bound <= duration));
		if (bound > 0.0)
			check_miss(&r, R, fmin(bound, duration));
		told += bound > 0.0;
		far += k % 64 == 2 && bound > 0.0;
		ruled_out += bound == (double)INFINITY;
	}
	assert_true(told > QUERIES / 2);
	assert_true(far > QUERIES / 128);
	assert_true(ruled_out > QUERIES / 20 && ruled_out < QUERIES / 2);
}

/* Where a path stops coming nearer, half the rate of its squared distance is 0 but for rounding of what is added up. */
static void
nearest_places(void **state)
{
	(void)state;
	const double duration = 1.0;
	int inside = 0;

	for (int k = 0; k < QUERIES; k++) {
		double R = exp(uniform(-3.0, 3.0)), pull = exp(uniform(-5.0, 8.0)), direction = uniform(0.0, 6.2831853);
		struct relative r = aimed(R, k % 2 == 0 ? uniform(-1.5, 1.5) : nudge(0.0));

		r.qx = pull * cos(direction);
		r.qy = pull * sin(direction);
		if (k % 4 == 1) {
			/* It stands for a moment at the root: nearly a triple one. */
			double time = uniform(0.1, 0.9);

			r.qx = nudge(-r.wx / time);
			r.qy = nudge(-r.wy / time);
			r.dx = nudge(-0.5 * r.wx * time);
			r.dy = nudge(-0.5 * r.wy * time);
		}
		long double t = toi_recede(&r, duration);
		long double rate = 0.0L, sizes = 0.0L;

		assert_true(t >= 0.0L && t <= duration);
		if (t > 0.0L && t < duration) {
			t /= 1.0L + 0x1p-40L; /* what toi_recede adds */
			inside++;
		}
		for (int axis = 0; axis < 2; axis++) {
			long double d = axis ? r.dy : r.dx, w = axis ? r.wy : r.wx, q = axis ? r.qy : r.qx;

			rate += (d + t * (w + 0.5L * t * q)) * (w + t * q);
			sizes += (fabsl(d) + t * (fabsl(w) + 0.5L * t * fabsl(q))) * (fabsl(w) + t * fabsl(q));
		}
		if (t > 0.0L && t < duration)
			assert_true(fabsl(rate) <= BAND * sizes);
		else
			assert_true(t > 0.0L ? rate <= BAND * sizes : rate >= -BAND * sizes);
	}
	assert_true(inside > QUERIES / 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heights_of_any_kind), cmocka_unit_test(heights_that_only_just_touch),
		cmocka_unit_test(straight_paths),      cmocka_unit_test(curved_paths),
		cmocka_unit_test(nearest_places),      cmocka_unit_test(bounds_of_curved_paths),
	};

	return cmocka_run_group_tests_name("toi", tests, NULL, NULL);
}
