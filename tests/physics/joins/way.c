#include "physics/joins/way.h"

#include <math.h>
#include <stdbool.h>

struct times {
	long double *list;
	int count;
	long double duration;
};

static void
times_add(struct times *times, long double t)
{
	if (t > 0 && t < times->duration && times->count < WAY_TIMES_MAX)
		times->list[times->count++] = t;
}

/* Roots of c0 + c1 t + c2 t^2, without cancellation. */
static int
quadratic_roots(long double c0, long double c1, long double c2, long double roots[2])
{
	if (c2 == 0) {
		if (c1 == 0)
			return 0;
		roots[0] = -c0 / c1;
		return 1;
	}
	const long double disc = c1 * c1 - 4 * c0 * c2;
	if (disc < 0)
		return 0;
	const long double q = -(c1 + copysignl(sqrtl(disc), c1)) / 2;
	roots[0] = q / c2;
	if (q == 0)
		return 1;
	roots[1] = c0 / q;
	return 2;
}

static void
quadratic_add(struct times *times, long double c0, long double c1, long double c2)
{
	long double roots[2];
	const int count = quadratic_roots(c0, c1, c2, roots);
	for (int i = 0; i < count; i++)
		times_add(times, roots[i]);
}

static long double
cubic_at(const long double c[4], long double t)
{
	return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* Where the cubic changes its sign within 0..duration: by bisection between the turns of it. */
static void
cubic_add(struct times *times, const long double c[4])
{
	long double turns[2], at[4] = { 0 };
	int count = 1;
	const int found = quadratic_roots(c[1], 2 * c[2], 3 * c[3], turns);
	if (found == 2 && turns[0] > turns[1]) {
		const long double swap = turns[0];
		turns[0] = turns[1];
		turns[1] = swap;
	}
	for (int i = 0; i < found; i++)
		if (turns[i] > 0 && turns[i] < times->duration)
			at[count++] = turns[i];
	at[count++] = times->duration;
	for (int i = 0; i + 1 < count; i++) {
		long double low = at[i], high = at[i + 1];
		const bool rises = cubic_at(c, high) > 0;
		if ((cubic_at(c, low) > 0) == rises)
			continue;
		for (int step = 0; step < 80; step++) {
			const long double middle = (low + high) / 2;
			if ((cubic_at(c, middle) > 0) == rises)
				high = middle;
			else
				low = middle;
		}
		times_add(times, high);
	}
}

/* The turns of the distance from the point (x, y). */
static void
point_add(struct times *times, const struct way *w, long double x, long double y)
{
	const long double dx = w->px - x, dy = w->py - y;
	const long double c[4] = {
		dx * w->vx + dy * w->vy,
		w->vx * w->vx + w->vy * w->vy + dx * w->ax + dy * w->ay,
		1.5L * (w->vx * w->ax + w->vy * w->ay),
		(w->ax * w->ax + w->ay * w->ay) / 2,
	};
	if (w->ax == 0 && w->ay == 0)
		quadratic_add(times, c[0], c[1], 0);
	else
		cubic_add(times, c);
}

int
way_times(const struct way *w, long double list[WAY_TIMES_MAX])
{
	struct times times = { list, 1, w->duration };
	const long double square = w->lx * w->lx + w->ly * w->ly;
	const long double s0 = w->lx * w->px + w->ly * w->py, s1 = w->lx * w->vx + w->ly * w->vy,
					  s2 = (w->lx * w->ax + w->ly * w->ay) / 2;
	const long double h0 = w->lx * w->py - w->ly * w->px, h1 = w->lx * w->vy - w->ly * w->vx,
					  h2 = (w->lx * w->ay - w->ly * w->ax) / 2;
	list[0] = 0;
	quadratic_add(&times, s0, s1, s2);
	quadratic_add(&times, s0 - square, s1, s2);
	quadratic_add(&times, h0, h1, h2);
	quadratic_add(&times, h1, 2 * h2, 0);
	point_add(&times, w, 0, 0);
	point_add(&times, w, w->lx, w->ly);
	list[times.count++] = w->duration;
	for (int i = 1; i < times.count; i++) {
		const long double t = list[i];
		int k = i;
		for (; k > 0 && list[k - 1] > t; k--)
			list[k] = list[k - 1];
		list[k] = t;
	}
	return times.count;
}

static void
way_at(const struct way *w, long double t, long double *x, long double *y)
{
	*x = w->px + t * (w->vx + t * w->ax / 2);
	*y = w->py + t * (w->vy + t * w->ay / 2);
}

long double
way_distance(const struct way *w, long double t)
{
	long double x, y;
	way_at(w, t, &x, &y);
	const long double square = w->lx * w->lx + w->ly * w->ly;
	const long double s = x * w->lx + y * w->ly;
	if (s <= 0)
		return way_length(x, y);
	if (s >= square)
		return way_length(x - w->lx, y - w->ly);
	return fabsl(w->lx * y - w->ly * x) / sqrtl(square);
}

long double
way_along(const struct way *w, long double t)
{
	long double x, y;
	way_at(w, t, &x, &y);
	return (w->lx * x + w->ly * y) / way_length(w->lx, w->ly);
}

long double
way_height(const struct way *w, long double t)
{
	long double x, y;
	way_at(w, t, &x, &y);
	return (w->lx * y - w->ly * x) / way_length(w->lx, w->ly);
}
