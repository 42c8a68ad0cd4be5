/* Strokes as outlines. Along each subpath goes one side of the stroke, around its end, then the other side back: the side that
 * lies to the left as one goes. All outlines have the same direction, so that overlaps add up instead of cancelling. */
#include "client/cli/drawing/drawing_parts.h"

#include <math.h>
#include <stdlib.h>

/* How far a round end or join may be from a true arc, in pixels. */
static const double tolerance = 0.02;
static const double half_turn = 3.141592653589793;

/* The outline under construction: edges go into the coverage at once. */
struct outline {
	struct coverage *coverage;
	double half; /* of the width */
	double step; /* of arcs, radians */
	struct drawing_point first, last;
	bool begun;
};

static void
outline_point(struct outline *outline, double x, double y)
{
	struct drawing_point point = { x, y };
	if (outline->begun)
		coverage_edge(outline->coverage, outline->last, point);
	else
		outline->first = point;
	outline->begun = true;
	outline->last = point;
}

static void
outline_close(struct outline *outline)
{
	if (outline->begun)
		coverage_edge(outline->coverage, outline->last, outline->first);
	outline->begun = false;
}

/* Around `centre` from the direction `from` by `angle`, negative for clockwise with y upwards; both ends included. */
static void
outline_arc(struct outline *outline, struct drawing_point centre, struct drawing_point from, double angle)
{
	int steps = (int)fmax(ceil(fabs(angle) / outline->step), 1);
	for (int i = 0; i <= steps; i++) {
		double c = cos(angle * i / steps), s = sin(angle * i / steps);
		outline_point(outline, centre.x + outline->half * (from.x * c - from.y * s),
		              centre.y + outline->half * (from.x * s + from.y * c));
	}
}

/* Unit vectors: along a line, and to its left. */
static struct drawing_point
direction_of(struct drawing_point a, struct drawing_point b)
{
	double length = hypot(b.x - a.x, b.y - a.y);
	return (struct drawing_point){ (b.x - a.x) / length, (b.y - a.y) / length };
}

static struct drawing_point
left_of(struct drawing_point along)
{
	return (struct drawing_point){ -along.y, along.x };
}

/* At a corner where the path turns from `before` to `after`, on the left side. */
static void
outline_join(struct outline *outline, struct drawing_point corner, struct drawing_point before, struct drawing_point after)
{
	double cross = before.x * after.y - before.y * after.x, dot = before.x * after.x + before.y * after.y;
	struct drawing_point from = left_of(before), to = left_of(after);
	if (cross > 0 || (cross == 0 && dot > 0)) { /* the inner side */
		outline_point(outline, corner.x + outline->half * from.x, corner.y + outline->half * from.y);
		if (cross > 0)
			outline_point(outline, corner.x, corner.y);
		outline_point(outline, corner.x + outline->half * to.x, corner.y + outline->half * to.y);
		return;
	}
	outline_arc(outline, corner, from, -fabs(atan2(cross, dot)));
}

/* The left side of corners 0 to count - 1, taken backwards if so asked, without its ends. */
static void
outline_side(struct outline *outline, const struct drawing_point *points, size_t count, bool backwards)
{
	for (size_t i = 1; i + 1 < count; i++) {
		size_t at = backwards ? count - 1 - i : i, before = backwards ? at + 1 : at - 1, after = backwards ? at - 1 : at + 1;
		outline_join(outline, points[at], direction_of(points[before], points[at]), direction_of(points[at], points[after]));
	}
}

/* Around the end of a line along `along`, from its left to its right. */
static void
outline_end(struct outline *outline, struct drawing_point end, struct drawing_point along, enum drawing_cap cap)
{
	struct drawing_point left = left_of(along);
	if (cap == DRAWING_CAP_ROUND) {
		outline_arc(outline, end, left, -half_turn);
		return;
	}
	outline_point(outline, end.x + outline->half * left.x, end.y + outline->half * left.y);
	outline_point(outline, end.x - outline->half * left.x, end.y - outline->half * left.y);
}

/* Corners that differ from the one before; at least one. */
static size_t
corners_distinct(struct drawing_point *points, size_t count)
{
	size_t kept = 1;
	for (size_t i = 1; i < count; i++)
		if (points[i].x != points[kept - 1].x || points[i].y != points[kept - 1].y)
			points[kept++] = points[i];
	return kept;
}

static void
stroke_open(struct outline *outline, const struct drawing_point *points, size_t count, enum drawing_cap cap)
{
	if (count == 1) {
		if (cap == DRAWING_CAP_ROUND)
			outline_arc(outline, points[0], (struct drawing_point){ 1, 0 }, -2 * half_turn);
	} else {
		outline_side(outline, points, count, false);
		outline_end(outline, points[count - 1], direction_of(points[count - 2], points[count - 1]), cap);
		outline_side(outline, points, count, true);
		outline_end(outline, points[0], direction_of(points[1], points[0]), cap);
	}
	outline_close(outline);
}

/* `points` has two more corners at its end: the first two again. */
static void
stroke_closed(struct outline *outline, const struct drawing_point *points, size_t count)
{
	outline_side(outline, points, count + 2, false);
	outline_close(outline);
	outline_side(outline, points, count + 2, true);
	outline_close(outline);
}

/* Cuts the corners into dashes, of which each is an open path. `dash` has room for count + 2 corners. */
static void
stroke_dashes(struct outline *outline, const struct drawing_point *points, size_t count, const struct stroke_style *style,
              struct drawing_point *dash)
{
	double left = style->on; /* of the dash or gap */
	bool drawing = true;
	size_t used = 0;
	dash[used++] = points[0];
	for (size_t i = 1; i < count; i++) {
		struct drawing_point at = points[i - 1];
		double length = hypot(points[i].x - at.x, points[i].y - at.y);
		struct drawing_point along = direction_of(at, points[i]);
		for (; length > left; length -= left, left = drawing ? style->on : style->off) {
			at = (struct drawing_point){ at.x + along.x * left, at.y + along.y * left };
			if (drawing) {
				dash[used++] = at;
				stroke_open(outline, dash, corners_distinct(dash, used), style->cap);
			}
			drawing = !drawing;
			used = 0;
			dash[used++] = at;
		}
		left -= length;
		dash[used++] = points[i];
		if (!drawing)
			used = 0;
	}
	if (drawing && used > 1)
		stroke_open(outline, dash, corners_distinct(dash, used), style->cap);
}

static void
stroke_subpath(struct outline *outline, struct drawing_point *points, size_t count, bool closed,
               const struct stroke_style *style)
{
	count = corners_distinct(points, count);
	closed = closed && count > 2;
	if (closed) {
		points[count] = points[0];
		points[count + 1] = points[1];
	}
	if (style->on > 0 && style->off > 0 && count > 1)
		stroke_dashes(outline, points, count + closed, style, points + count + 2);
	else if (closed)
		stroke_closed(outline, points, count);
	else
		stroke_open(outline, points, count, style->cap);
}

bool
stroke_cover(const struct drawing_path *path, const struct stroke_style *style, struct coverage *coverage)
{
	struct outline outline = { .coverage = coverage, .half = style->width / 2 };
	outline.step = 2 * acos(1 - fmin(tolerance / fmax(outline.half, tolerance), 0.5));
	/* The corners of a subpath, two more, and those of a dash. */
	struct drawing_point *points = malloc((2 * path->count + 6) * sizeof *points);
	if (!points)
		return false;
	for (size_t i = 0; i < path->start_count; i++) {
		const struct drawing_point *from = NULL;
		size_t count = drawing_path_subpath(path, i, &from);
		for (size_t k = 0; k < count; k++)
			points[k] = from[k];
		if (count > 0)
			stroke_subpath(&outline, points, count, path->closed[i], style);
	}
	free(points);
	return true;
}
