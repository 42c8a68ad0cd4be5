/* Paths as corners. */
#include "client/cli/drawing/drawing_parts.h"

#include <math.h>
#include <stdlib.h>

/* How far a corner path may be from a curve. */
static const double tolerance = 0.1;
enum { PIECES_MIN = 8, PIECES_MAX = 256 };
static const double turn = 6.283185307179586;

void
drawing_path_init(struct drawing_path *path)
{
	*path = (struct drawing_path){ .points = NULL };
}

void
drawing_path_finish(struct drawing_path *path)
{
	free(path->points);
	free(path->starts);
	free(path->closed);
	drawing_path_init(path);
}

void
drawing_path_clear(struct drawing_path *path)
{
	path->count = path->start_count = 0;
}

static void
point_add(struct drawing_path *path, double x, double y)
{
	if (path->count == path->capacity) {
		size_t capacity = path->capacity ? 2 * path->capacity : 256;
		struct drawing_point *points = realloc(path->points, capacity * sizeof *points);
		if (!points) {
			path->failed = true;
			return;
		}
		path->points = points;
		path->capacity = capacity;
	}
	path->points[path->count++] = (struct drawing_point){ x, y };
}

static bool
starts_grow(struct drawing_path *path)
{
	size_t capacity = path->start_capacity ? 2 * path->start_capacity : 64;
	size_t *starts = realloc(path->starts, capacity * sizeof *starts);
	path->starts = starts ? starts : path->starts;
	bool *closed = realloc(path->closed, capacity * sizeof *closed);
	path->closed = closed ? closed : path->closed;
	if (!starts || !closed)
		return false;
	path->start_capacity = capacity;
	return true;
}

void
drawing_path_move(struct drawing_path *path, double x, double y)
{
	if (path->start_count == path->start_capacity && !starts_grow(path)) {
		path->failed = true;
		return;
	}
	path->closed[path->start_count] = false;
	path->starts[path->start_count++] = path->count;
	point_add(path, x, y);
}

void
drawing_path_line(struct drawing_path *path, double x, double y)
{
	if (path->start_count == 0)
		drawing_path_move(path, x, y);
	else
		point_add(path, x, y);
}

void
drawing_path_quad(struct drawing_path *path, double control_x, double control_y, double x, double y)
{
	if (path->count == 0)
		drawing_path_move(path, control_x, control_y);
	if (path->count == 0)
		return;
	struct drawing_point from = path->points[path->count - 1];
	/* A chord over the n-th part of a parabola is off by an eighth of the second difference over n squared. */
	double bend = hypot(from.x - 2 * control_x + x, from.y - 2 * control_y + y);
	int pieces = (int)fmin(fmax(ceil(sqrt(bend / (4 * tolerance))), 1), PIECES_MAX);
	for (int i = 1; i <= pieces; i++) {
		double t = (double)i / pieces, s = 1 - t;
		point_add(path, s * s * from.x + 2 * s * t * control_x + t * t * x, s * s * from.y + 2 * s * t * control_y + t * t * y);
	}
}

void
drawing_path_circle(struct drawing_path *path, double x, double y, double radius)
{
	double angle = 2 * acos(1 - fmin(tolerance / 2 / fmax(radius, tolerance), 1));
	int pieces = (int)fmin(fmax(ceil(turn / angle), PIECES_MIN), PIECES_MAX);
	for (int i = 0; i < pieces; i++) {
		double at = turn * i / pieces;
		(i == 0 ? drawing_path_move : drawing_path_line)(path, x + radius * cos(at), y + radius * sin(at));
	}
	if (path->start_count > 0)
		path->closed[path->start_count - 1] = true;
}

size_t
drawing_path_subpath(const struct drawing_path *path, size_t index, const struct drawing_point **points)
{
	size_t end = index + 1 < path->start_count ? path->starts[index + 1] : path->count;
	*points = path->points + path->starts[index];
	return end - path->starts[index];
}
