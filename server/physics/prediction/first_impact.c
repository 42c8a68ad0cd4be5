/* Happy path: nothing is in the way. Every circle and wall is asked: cells would not help a long way through few of them. What
 * can go wrong: nothing; work that is not wanted any more ends early (base/pause.h). */
#include "physics/prediction/first_impact.h"

#include "physics/geometry/toi.h"
#include "physics/prediction/predict.h"
#include "physics/world/skins.h"

#include <math.h>

/* Fraction of the largest coordinate: what rounding makes of the distance from something that a path runs along. Something that
 * it touches stops it only where it comes nearer than this; else nothing could be swept along the wall that it lies on. */
#define ALONG_PER_COORDINATE 0x1p-50

static double
path_size(const struct body *path)
{
	return larger(larger(fabs(path->x), fabs(path->x + path->vx)), larger(fabs(path->y), fabs(path->y + path->vy)));
}

static double
circle_impact(const struct world *world, uint32_t body, const struct body *path, uint32_t other)
{
	const struct body *that = &world->bodies.paths[other];
	const struct relative r = { path->x - that->x, path->y - that->y, path->vx, path->vy, 0.0, 0.0 };
	const double skin = circles_skin(path, that), R = path->radius + that->radius + skin;
	const double toi = toi_straight(&r, R, 1.0);

	if (!(toi < (double)INFINITY))
		return toi;

	const double distance = sqrt(r.dx * r.dx + r.dy * r.dy);
	const double size = larger(path_size(path), larger(fabs(that->x), fabs(that->y)));

	if (toi == 0.0 && !(toi_straight(&r, distance - ALONG_PER_COORDINATE * size, 1.0) < (double)INFINITY))
		return (double)INFINITY;
	if (bodies_ignore(world, body, other) != IGNORE_UNTIL_APART)
		return bodies_meet(world, body, other) ? toi : (double)INFINITY;
	/* Two that are not apart yet do not become so on a straight way to each other. */
	return distance > R + skin && bodies_meet_apart(world, body, other) ? toi : (double)INFINITY;
}

/* The same path for a circle that does not touch a wall, or an end of it, by rounding: the wall is `distance` away, and its own
 * radius is `radius`. Without size where there is none. */
static struct body
path_along(const struct body *path, double distance, double radius, double rounding)
{
	struct body along = *path;
	const double size = larger(path_size(path), rounding / SKIN_PER_COORDINATE);

	along.radius = distance - radius - wall_skin(path, rounding) - ALONG_PER_COORDINATE * size;
	return along;
}

static double
segment_distance(const struct segment *segment, const struct body *path)
{
	const double x = path->x - segment->x1, y = path->y - segment->y1, square = segment->length * segment->length;
	const double s = x * segment->ux + y * segment->uy;

	if (s >= 0.0 && s <= square)
		return fabs(cross_exact(segment->ux, segment->uy, x, y)) / segment->length;

	const double ex = s < 0.0 ? x : path->x - segment->x2, ey = s < 0.0 ? y : path->y - segment->y2;

	return sqrt(ex * ex + ey * ey);
}

static double
face_impact_on(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index)
{
	const struct segment *segment = &world->walls.segments[index];
	int side;
	const double toi = impact_face(world, info, path, index, 1.0, &side);

	if (toi != 0.0)
		return toi;

	const struct body along = path_along(path, segment_distance(segment, path), segment->radius, segment->rounding);

	if (!(along.radius > 0.0) || impact_face(world, info, &along, index, 1.0, &side) < (double)INFINITY)
		return 0.0;
	return (double)INFINITY;
}

static double
vertex_impact_on(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index)
{
	const struct vertex *vertex = &world->walls.vertices[index];
	const double toi = impact_vertex(world, info, path, index, 1.0);

	if (toi != 0.0)
		return toi;

	const double x = path->x - vertex->x, y = path->y - vertex->y;
	const struct body along = path_along(path, sqrt(x * x + y * y), vertex->radius, vertex->rounding);

	if (!(along.radius > 0.0) || impact_vertex(world, info, &along, index, 1.0) < (double)INFINITY)
		return 0.0;
	return (double)INFINITY;
}

static double
wall_impact(const struct world *world, const struct body_info *info, const struct body *path)
{
	double first = (double)INFINITY;

	for (uint32_t i = 0; i < world->walls.segment_count && !pause_after(WALL_UNITS); i++)
		if (body_meets_segment(world, info, &world->walls.segments[i]))
			first = lesser(first, face_impact_on(world, info, path, i));
	for (uint32_t i = 0; i < world->walls.vertex_count && !pause_after(WALL_UNITS); i++)
		first = lesser(first, vertex_impact_on(world, info, path, i));
	return first;
}

double
first_impact(const struct world *world, uint32_t body, const struct body *path)
{
	const struct body_info *info = &world->bodies.infos[body];
	double first = info->kind == BODY_DYNAMIC ? wall_impact(world, info, path) : (double)INFINITY;

	for (uint32_t i = 0; i < world->bodies.count && !pause_after(BODY_UNITS); i++)
		if (i != body)
			first = lesser(first, circle_impact(world, body, path, i));
	return first;
}
