#include "outside/curve.h"

#include <math.h>

/* Halvings at most: more than a long double has bits. */
#define SPLITS_MAX 72
/* Some roundings of a coordinate, in a distance and its square. */
#define ROUNDING 0x1p-58L
/* Of the squared distance that counts: nearer than this the search ends. */
#define SQUARE_PRECISION 0x1p-50L

static struct point
middle(struct point a, struct point b)
{
	return (struct point){ 0.5L * (a.x + b.x), 0.5L * (a.y + b.y) };
}

static struct point
minus(struct point a, struct point b)
{
	return (struct point){ a.x - b.x, a.y - b.y };
}

static real
dot(struct point a, struct point b)
{
	return a.x * b.x + a.y * b.y;
}

static real
least(real a, real b)
{
	return a < b ? a : b;
}

static real
most_of(real a, real b)
{
	return a > b ? a : b;
}

struct curve
curve_of(struct point p, struct point v, struct point a, real h)
{
	const struct point half = { 0.5L * h * v.x, 0.5L * h * v.y };
	struct curve curve = { { p, { p.x + half.x, p.y + half.y }, p } };

	curve.p[2].x += h * v.x + 0.5L * h * h * a.x;
	curve.p[2].y += h * v.y + 0.5L * h * h * a.y;
	return curve;
}

void
curve_split(const struct curve *curve, struct curve *left, struct curve *right)
{
	const struct point one = middle(curve->p[0], curve->p[1]), two = middle(curve->p[1], curve->p[2]);
	const struct point centre = middle(one, two), first = curve->p[0], last = curve->p[2];

	*left = (struct curve){ { first, one, centre } };
	*right = (struct curve){ { centre, two, last } };
}

struct bar
bar_of(struct point from, struct point to, real radius)
{
	const struct point way = minus(to, from);
	const real length = sqrtl(dot(way, way));

	/* Far out a short wall that moves can be told as a point. */
	const struct point along = length > 0 ? (struct point){ way.x / length, way.y / length } : (struct point){ 1, 0 };
	return (struct bar){ from, to, along, length, radius };
}

real
bar_height(const struct bar *bar, struct point p)
{
	const struct point from = minus(p, bar->from);

	return bar->along.x * from.y - bar->along.y * from.x;
}

real
bar_foot(const struct bar *bar, struct point p)
{
	return most_of(0, least(bar->length, dot(bar->along, minus(p, bar->from))));
}

real
bar_distance(const struct bar *bar, struct point p)
{
	const real foot = dot(bar->along, minus(p, bar->from));

	if (foot <= 0)
		return sqrtl(dot(minus(p, bar->from), minus(p, bar->from)));
	if (foot >= bar->length)
		return sqrtl(dot(minus(p, bar->to), minus(p, bar->to)));
	return fabsl(bar_height(bar, p));
}

/* The least control value of the squared distance from the origin, of degree four. */
static real
square_bound(const struct point p[3])
{
	const real inner = (dot(p[0], p[2]) + 2 * dot(p[1], p[1])) / 3;

	return least(least(least(dot(p[0], p[0]), dot(p[0], p[1])), least(dot(p[2], p[2]), dot(p[1], p[2]))), inner);
}

static real
nearest_square(const struct curve *curve, real best, real grain, int splits)
{
	struct curve left, right;
	const real bound = square_bound(curve->p);

	if (bound >= best)
		return best;
	best = least(best, least(dot(curve->p[0], curve->p[0]), dot(curve->p[2], curve->p[2])));
	if (splits == 0 || best - bound <= grain)
		return best;
	curve_split(curve, &left, &right);
	return nearest_square(&right, nearest_square(&left, best, grain, splits - 1), grain, splits - 1);
}

static real
size_of(struct point p)
{
	return most_of(fabsl(p.x), fabsl(p.y));
}

/* How well squared distances about that of `scale` can be told apart. Where it is small beside the coordinates, the rounding of
 * these decides. A path on which distances nowhere differ by more would be split without end. */
static real
square_grain(const struct curve *curve, struct point from, real scale)
{
	const real size = most_of(most_of(size_of(curve->p[0]), size_of(curve->p[1])),
	                          most_of(size_of(curve->p[2]), size_of(from)));

	return most_of(SQUARE_PRECISION * scale * scale, ROUNDING * size * scale);
}

real
curve_nearest(const struct curve *curve, real most, real scale)
{
	if (most <= 0)
		return most;
	const real square = nearest_square(curve, most * most, square_grain(curve, (struct point){ 0, 0 }, scale), SPLITS_MAX);

	return square < most * most ? sqrtl(square) : most;
}

/* A disc is convex: what has its control points in it is in it. */
static real
leaves_at(const struct curve *curve, real square, real from, real width)
{
	struct curve left, right;

	if (dot(curve->p[0], curve->p[0]) > square)
		return from;
	if (dot(curve->p[1], curve->p[1]) <= square && dot(curve->p[2], curve->p[2]) <= square)
		return 2;
	if (from + width / 2 == from || width < 0x1p-60L)
		return dot(curve->p[2], curve->p[2]) > square ? from + width : 2;
	curve_split(curve, &left, &right);
	const real first = leaves_at(&left, square, from, width / 2);
	return first <= 1 ? first : leaves_at(&right, square, from + width / 2, width / 2);
}

real
curve_leaves(const struct curve *curve, real reach)
{
	return leaves_at(curve, reach * reach, 0, 1);
}

/* Of control values: the range that the curve stays in. */
struct range {
	real low, high;
};

static struct range
range_of(real a, real b, real c)
{
	return (struct range){ least(a, least(b, c)), most_of(a, most_of(b, c)) };
}

static struct range
range_along(const struct curve *curve, const struct bar *bar)
{
	return range_of(dot(bar->along, minus(curve->p[0], bar->from)), dot(bar->along, minus(curve->p[1], bar->from)),
	                dot(bar->along, minus(curve->p[2], bar->from)));
}

static struct range
range_height(const struct curve *curve, const struct bar *bar)
{
	return range_of(bar_height(bar, curve->p[0]), bar_height(bar, curve->p[1]), bar_height(bar, curve->p[2]));
}

static real
bound_from_point(const struct curve *curve, struct point from)
{
	const struct point p[3] = { minus(curve->p[0], from), minus(curve->p[1], from), minus(curve->p[2], from) };

	return square_bound(p);
}

/* No point of the curve is nearer than this, squared. Where its foot may be on the bar the height counts, and the ends always.
 */
static real
bar_bound(const struct curve *curve, const struct bar *bar)
{
	const struct range along = range_along(curve, bar);

	if (along.high < 0)
		return bound_from_point(curve, bar->from);
	if (along.low > bar->length)
		return bound_from_point(curve, bar->to);
	const struct range height = range_height(curve, bar);
	real bound = height.low > 0 ? height.low : height.high < 0 ? -height.high : 0;
	return bound * bound;
}

static real
nearest_bar(const struct curve *curve, const struct bar *bar, real best, real grain, int splits)
{
	struct curve left, right;
	const real square = bar_bound(curve, bar);

	if (square >= best * best)
		return best;
	best = least(best, least(bar_distance(bar, curve->p[0]), bar_distance(bar, curve->p[2])));
	if (splits == 0 || best * best - square <= grain)
		return best;
	curve_split(curve, &left, &right);
	return nearest_bar(&right, bar, nearest_bar(&left, bar, best, grain, splits - 1), grain, splits - 1);
}

real
curve_nearest_bar(const struct curve *curve, const struct bar *bar, real most, real scale)
{
	return most <= 0 ? most : nearest_bar(curve, bar, most, square_grain(curve, bar->from, scale), SPLITS_MAX);
}

static int
side_of(real height, real grain)
{
	return (height > grain) - (height < -grain);
}

static bool
crosses(const struct curve *curve, const struct bar *bar, real grain, int *side, int splits)
{
	const struct range along = range_along(curve, bar), height = range_height(curve, bar);
	const bool beyond = along.high < 0 || along.low > bar->length;
	const bool on_it = height.low >= -grain && height.high <= grain, one_side = height.low > 0 || height.high < 0;
	const int end = side_of(bar_height(bar, curve->p[2]), grain);

	/* Beyond an end it may change sides; where it is in line with the bar there, it may go on to either. */
	if (one_side || beyond || on_it || splits == 0) {
		const bool crossed = !beyond && *side != 0 && end != 0 && end != *side;

		if (end != 0 || beyond)
			*side = end;
		return crossed;
	}
	struct curve left, right;
	curve_split(curve, &left, &right);
	const bool first = crosses(&left, bar, grain, side, splits - 1);
	return crosses(&right, bar, grain, side, splits - 1) || first;
}

bool
curve_crosses(const struct curve *curve, const struct bar *bar, real grain, int *side)
{
	return crosses(curve, bar, grain, side, SPLITS_MAX);
}

/* A distance from a convex set is largest in a corner of a hull. */
static real
hull_farthest(const struct curve *curve, const struct bar *bar)
{
	return most_of(bar_distance(bar, curve->p[0]), most_of(bar_distance(bar, curve->p[1]), bar_distance(bar, curve->p[2])));
}

struct following {
	const struct curve_follower *follower;
	const struct bar *bar;
	bool *inside;
	real grain;
};

/* A part that is not inside, `bound` being the least square of its distance. Whether it need not be split. */
static bool
follow_outside(const struct following *following, const struct curve *part, real bound, bool last)
{
	const struct curve_follower *follower = following->follower;
	const real farthest = hull_farthest(part, following->bar);

	if (bound >= follower->near * follower->near)
		follower->away(follower->context);
	else if (farthest < follower->near || last || farthest * farthest - bound <= following->grain)
		follower->beside(follower->context, part);
	else
		return false;
	*following->inside = false;
	return true;
}

static void
follow(const struct following *following, const struct curve *curve, int splits)
{
	const struct curve_follower *follower = following->follower;
	const real bound = bar_bound(curve, following->bar), farthest = hull_farthest(curve, following->bar);
	const real limit = *following->inside ? follower->leave : follower->reach;
	struct curve left, right;

	if (bound >= limit * limit && follow_outside(following, curve, bound, splits == 0))
		return;
	if (bound < limit * limit && (farthest < limit || splits == 0 || farthest * farthest - bound <= following->grain)) {
		const bool now = bar_distance(following->bar, curve->p[2]) < limit;

		if (now && !*following->inside)
			follower->entry(follower->context, curve->p[2]);
		*following->inside = now;
		if (now)
			follower->within(follower->context, curve);
		return;
	}
	curve_split(curve, &left, &right);
	follow(following, &left, splits - 1);
	follow(following, &right, splits - 1);
}

void
curve_follow(const struct curve *curve, const struct bar *bar, bool *inside, const struct curve_follower *follower)
{
	const real limit = most_of(follower->reach, follower->leave);
	const struct following following = { follower, bar, inside, square_grain(curve, bar->from, limit) };

	follow(&following, curve, SPLITS_MAX);
}
