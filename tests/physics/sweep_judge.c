/* In long double, with filters of its own. Happy path: the way was free up to where the circle is, and something is there, or
 * the circle has arrived. */
#include "physics/sweep_judge.h"

#include <math.h>

static bool
masks_agree(uint32_t category_a, uint32_t mask_a, uint32_t category_b, uint32_t mask_b, int32_t filter_a, int32_t filter_b)
{
	if (filter_a == filter_b && filter_a != 0)
		return filter_a > 0;
	return (category_a & mask_b) && (category_b & mask_a);
}

/* Squares of doubles are within the range of a long double, so that hypotl, which is ten times slower, is not needed. */
static long double
length(long double x, long double y)
{
	return sqrtl(x * x + y * y);
}

static long double
circles_apart(const struct circle_def *a, const struct circle_def *b)
{
	return length((long double)a->x - b->x, (long double)a->y - b->y) - a->radius - b->radius;
}

static long double
skin_of(const struct circle_def *a, long double other_radius, long double size)
{
	const long double radius = a->radius < other_radius ? a->radius : other_radius;
	return fmaxl(0x1p-46L * size, 1e-9L * radius);
}

static long double
coordinate_most(long double a, long double b, long double c, long double d)
{
	return fmaxl(fmaxl(fabsl(a), fabsl(b)), fmaxl(fabsl(c), fabsl(d)));
}

/* Two that are not more than a skin from touching, which is a skin, are not apart yet. */
static bool
ignores(const struct circle_def *a, const struct circle_def *b)
{
	if (a->ignore == IGNORE_NONE || a->ignored_circle != b->id)
		return false;
	return a->ignore == IGNORE_ALWAYS ||
	       circles_apart(a, b) <= 2 * skin_of(a, b->radius, coordinate_most(a->x, a->y, b->x, b->y));
}

static bool
stops_at_circle(const struct circle_def *a, const struct circle_def *b)
{
	if (a->id == b->id || a->sensor || b->sensor || (a->kind != BODY_DYNAMIC && b->kind != BODY_DYNAMIC))
		return false;
	if (a->report_groups >> b->group & 1 || b->report_groups >> a->group & 1 || ignores(a, b) || ignores(b, a))
		return false;
	return masks_agree(a->category, a->mask, b->category, b->mask, a->filter_group, b->filter_group);
}

static bool
stops_at_wall(const struct circle_def *a, const struct segment_def *s)
{
	if (a->sensor || s->sensor || s->disabled || a->kind != BODY_DYNAMIC || a->report_groups >> s->group & 1)
		return false;
	return masks_agree(a->category, a->mask, s->category, s->mask, a->filter_group, s->filter_group);
}

struct place {
	long double x, y;
};

/* The vector from the nearest point of a shape to a place. */
static struct place
from_wall(const struct segment_def *s, struct place p)
{
	const long double ux = (long double)s->x2 - s->x1, uy = (long double)s->y2 - s->y1;
	long double t = ((p.x - s->x1) * ux + (p.y - s->y1) * uy) / (ux * ux + uy * uy);
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return (struct place){ p.x - s->x1 - t * ux, p.y - s->y1 - t * uy };
}

static struct place
from_circle(const struct circle_def *c, struct place p)
{
	return (struct place){ p.x - c->x, p.y - c->y };
}

/* A way, and what may be on it. */
struct way {
	const struct circle_def *circle;
	struct place from, to;
	long double at; /* the fraction that the engine made of it */
	bool ended;     /* by something */
};

static struct place
way_at(const struct way *way, long double t)
{
	return (struct place){ way->from.x + t * (way->to.x - way->from.x), way->from.y + t * (way->to.y - way->from.y) };
}

/* What one thing says to the engine's place: the way up to there was free of it, and if nothing ended it, the rest is. The gap
 * is convex along a straight way for convex shapes: its least is found by golden section. */
static void
way_judge(struct way *way, const struct segment_def *wall, const struct circle_def *circle, long double skin)
{
	const long double radii = wall ? (long double)way->circle->radius + wall->radius
	                               : (long double)way->circle->radius + circle->radius;
	long double gap[3], low = 0, high = way->at;
	const long double ends[3] = { 0, way->at, 1 };
	for (int i = 0; i < 3; i++) {
		const struct place p = way_at(way, ends[i]), d = wall ? from_wall(wall, p) : from_circle(circle, p);
		gap[i] = length(d.x, d.y) - radii;
	}
	/* 0.618^100 is less than half of what 64 bits tell apart. */
	for (int i = 0; i < 100; i++) {
		const long double a = low + (high - low) * 0.381966L, b = low + (high - low) * 0.618034L;
		const struct place p = way_at(way, a), q = way_at(way, b);
		const struct place d = wall ? from_wall(wall, p) : from_circle(circle, p),
						   e = wall ? from_wall(wall, q) : from_circle(circle, q);
		if (d.x * d.x + d.y * d.y < e.x * e.x + e.y * e.y)
			high = b;
		else
			low = a;
	}
	const struct place p = way_at(way, low), d = wall ? from_wall(wall, p) : from_circle(circle, p);
	const long double least = fminl(length(d.x, d.y) - radii, fminl(gap[0], gap[1]));
	const struct place here = way_at(way, way->at), n = wall ? from_wall(wall, here) : from_circle(circle, here);
	const long double approach = -(n.x * (way->to.x - way->from.x) + n.y * (way->to.y - way->from.y)) / length(n.x, n.y);
	/* It never gets into what it was outside of, nor deeper into what it was in. */
	assert_true(least >= fminl(gap[0], 0) - 0.02L * skin);
	if (gap[1] <= 1.02L * skin && approach > 0)
		way->ended = true;
	if (way->at < 1)
		return;
	/* It arrived: nothing was to be met. */
	if (gap[0] > 1.02L * skin)
		assert_true(least >= 0.98L * skin - 1e-12L || (least > 0 && approach <= 0));
}

void
sweep_judge(const struct scenario *s, const struct circle_def *before, double x, double y, const struct circle_def *now,
            struct sweep_counts *counts)
{
	struct way way = { .circle = before, .from = { before->x, before->y }, .to = { x, y }, .at = 1 };
	const long double dx = (long double)x - before->x, dy = (long double)y - before->y, square = dx * dx + dy * dy;
	const bool arrived = now->x == x && now->y == y;
	if (square == 0)
		return;
	if (!arrived)
		way.at = (((long double)now->x - before->x) * dx + ((long double)now->y - before->y) * dy) / square;
	const struct place at = way_at(&way, way.at);
	const long double size = coordinate_most(before->x, before->y, x, y);
	assert_true(way.at >= 0 && way.at <= 1);
	assert_true(length(at.x - now->x, at.y - now->y) <= 0x1p-50L * size);
	for (size_t i = 0; i < s->circle_count; i++) {
		const struct circle_def *c = &s->circles[i];
		if (stops_at_circle(before, c))
			way_judge(&way, NULL, c, skin_of(before, c->radius, coordinate_most(before->x, before->y, c->x, c->y)));
	}
	for (size_t i = 0; i < s->segment_count; i++) {
		const struct segment_def *w = &s->segments[i];
		const long double far = fmaxl(coordinate_most(w->x1, w->y1, w->x2, w->y2), coordinate_most(before->x, before->y, 0, 0));
		if (stops_at_wall(before, w))
			way_judge(&way, w, NULL, skin_of(before, INFINITY, far));
	}
	counts->swept++;
	counts->stopped += !arrived;
	counts->stuck += way.at == 0;
	assert_true(arrived || way.ended);
}
