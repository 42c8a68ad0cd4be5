/* Happy path: nothing is in the way. What can go wrong: nothing. */
#include "physics/phases/depenetration_path.h"

#include "physics/geometry/toi.h"
#include "physics/prediction/predict.h"
#include "physics/world/one_sided.h"

#include <math.h>

/* Fraction of the skin that coordinates cause: four ulp, the rounding of a distance. */
#define ROUNDING_OF_SKIN 0x1p-4

/* A wall taken alone, relative to a straight path. */
struct single_wall {
	const struct segment *segment;
	struct relative ends[2];
	double height, rate, s, s_rate;
};

static struct single_wall
single_wall_view(const struct body *path, const struct segment *w)
{
	double px = path->x - w->x1, py = path->y - w->y1;
	double height = cross_exact(w->ux, w->uy, px, py) / w->length,
		   rate = cross_exact(w->ux, w->uy, path->vx, path->vy) / w->length;

	return (struct single_wall){
		.segment = w,
		.ends = { { px, py, path->vx, path->vy, 0.0, 0.0 },
		          { path->x - w->x2, path->y - w->y2, path->vx, path->vy, 0.0, 0.0 } },
		.height = height,
		.rate = rate,
		.s = px * w->ux + py * w->uy,
		.s_rate = path->vx * w->ux + path->vy * w->uy,
	};
}

/* When the path first comes within the distance R of the wall, anywhere on it, whatever is joined to it. */
static double
single_wall_toi(const struct single_wall *single_wall, double R)
{
	double sign = single_wall->height < 0.0 ? -1.0 : 1.0, length = single_wall->segment->length;
	double face = toi_height(sign * single_wall->height, sign * single_wall->rate, 0.0, R, 1.0);
	double s = single_wall->s + face * single_wall->s_rate;

	if (!(face < (double)INFINITY && s >= 0.0 && s <= length * length))
		face = (double)INFINITY;
	return fmin(face, fmin(toi_straight(&single_wall->ends[0], R, 1.0), toi_straight(&single_wall->ends[1], R, 1.0)));
}

static double
single_wall_distance(const struct single_wall *single_wall)
{
	double length = single_wall->segment->length;

	if (single_wall->s >= 0.0 && single_wall->s <= length * length)
		return fabs(single_wall->height);

	const struct relative *end = &single_wall->ends[single_wall->s > 0.0];

	return sqrt(end->dx * end->dx + end->dy * end->dy);
}

static bool
is_joined(const struct world *world, const struct segment *segment)
{
	return world->walls.vertices[segment->vertex[0]].spoke_count > 1 ||
	       world->walls.vertices[segment->vertex[1]].spoke_count > 1;
}

/* Whether a circle that comes to an end of a one-sided wall is passing through another one that is joined to it there. A circle
 * that passes one link is not stopped by the next (one_sided.h). */
static bool
passes_next(const struct world *world, const struct body_info *info, const struct body *at, const struct segment *segment,
            uint32_t end)
{
	const struct vertex *vertex = &world->walls.vertices[segment->vertex[end]];

	for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(WALL_UNITS); k++) {
		const struct segment *next = &world->walls.segments[world->walls.spokes[vertex->first_spoke + k].segment];
		double radii = at->radius + next->radius, skin = wall_skin(at, next->rounding);

		if (next == segment || !body_meets_segment(world, info, next) || !wall_one_sided(world, info, next))
			continue;

		const struct single_wall there = single_wall_view(at, next);

		if (single_wall_distance(&there) < radii + skin && !one_sided_stops(next, at->x, at->y, radii, skin))
			return true;
	}
	return false;
}

/* Whether a one-sided wall stops a circle that comes to it on its path at a time. */
static bool
single_wall_stops(const struct world *world, const struct body_info *info, const struct body *path,
                  const struct single_wall *single_wall, double time)
{
	double length = single_wall->segment->length, s = single_wall->s + time * single_wall->s_rate;
	struct body at = *path;

	if (!(single_wall->height + time * single_wall->rate > 0.0))
		return false;
	if (s >= 0.0 && s <= length * length)
		return true;
	at.x += time * path->vx;
	at.y += time * path->vy;
	return !passes_next(world, info, &at, single_wall->segment, s > 0.0);
}

/* The fraction of the way that is free of a wall with ends that others may hide. A face hides the end of the next wall because
 * it is touched first. But a circle that overlaps the face does not touch it, so the face does not stop it. In that case the
 * wall is taken alone. A circle counts as inside a wall if it is deeper than rounding. */
static double
way_to_hidden(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double free)
{
	const struct segment *segment = &world->walls.segments[index];

	if (!(free > 0.0) || !is_joined(world, segment))
		return free;

	const struct single_wall single_wall = single_wall_view(path, segment);
	double radii = path->radius + segment->radius, skin = wall_skin(path, segment->rounding);
	double rounding = larger(body_rounding(path), segment->rounding) * ROUNDING_OF_SKIN;
	double within = single_wall_toi(&single_wall, radii - rounding);

	if (!(within < free) || single_wall_distance(&single_wall) < radii - skin)
		return free;
	if (wall_one_sided(world, info, segment) && !single_wall_stops(world, info, path, &single_wall, within))
		return free;
	return fmin(free, single_wall_toi(&single_wall, radii + skin));
}

/* The fraction of the way along `path` (a velocity for one unit of time) that is free of walls in a cell, except one. */
static double
way_to_walls(const struct world *world, uint32_t body, const struct body *path, const struct grid_walls *walls, uint32_t cell,
             uint32_t wall, double free)
{
	const struct body_info *info = &world->bodies.infos[body];

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(WALL_UNITS); k++) {
		uint32_t index = walls->segment_items[k];
		int side;

		if (index != wall && body_meets_segment(world, info, &world->walls.segments[index]))
			free = way_to_hidden(world, info, path, index, fmin(free, impact_face(world, info, path, index, 1.0, &side)));
	}
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		free = fmin(free, impact_vertex(world, info, path, walls->vertex_items[k], 1.0));
	return free;
}

static double
way_to_circles(const struct world *world, uint32_t body, const struct body *path, uint32_t cell, double free, uint32_t *blocker)
{
	for (uint32_t place = world->grid.heads[cell]; place != NONE && !pause_after(BODY_UNITS);
	     place = grid_onward(&world->grid, place)) {
		const uint32_t other = grid_body(place);
		const struct body *that = &world->bodies.paths[other];
		struct relative r = { path->x - that->x, path->y - that->y, path->vx, path->vy, 0.0, 0.0 };

		if (other == body || !bodies_meet(world, body, other))
			continue;

		double way = toi_straight(&r, path->radius + that->radius + circles_skin(path, that), 1.0);

		if (way < free || (way == free && way < 1.0 && other < *blocker))
			free = way, *blocker = other;
	}
	return free;
}

double
way_free(const struct world *world, uint32_t body, double x, double y, uint32_t wall, uint32_t *blocker)
{
	const struct grid *grid = &world->grid;
	const struct grid_level *level = &grid->levels[grid->rows[body].level];
	struct body path = world->bodies.paths[body];
	const struct grid_box box = { path.x + fmin(x, 0.0), path.y + fmin(y, 0.0), path.x + fmax(x, 0.0), path.y + fmax(y, 0.0) };
	struct grid_look look = grid_look_begin(grid, 0, NONE, &box, look_radius(&path));
	const struct grid_patch patch = grid_cells(grid, body, &box);
	double free = 1.0, walls = 1.0;

	path.vx = x;
	path.vy = y;
	path.ax = path.ay = 0.0;
	*blocker = NONE;
	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		free = way_to_circles(world, body, &path, cell, free, blocker);
	for (uint32_t r = 0; r < patch.high; r++) {
		for (uint32_t c = 0; c < patch.wide; c++) {
			uint32_t at = grid_patch_cell(level, &patch, r, c);

			walls = way_to_walls(world, body, &path, &grid->still, at, wall, walls);
			if (grid->moving.listed)
				walls = way_to_walls(world, body, &path, &grid->moving, at, wall, walls);
		}
	}
	if (walls <= free) {
		*blocker = NONE;
		return walls;
	}
	return free;
}
