/* Happy path: no wall of the cell is near, and the cell's border is some ticks away. What can go wrong: nothing; in doubt the
 * bound is 0. */
#include "physics/prediction/contact_bound.h"

#include <math.h>

/* What approaches a wall: its offset, the speed it may reach, and, if it does not fall, its direction. */
struct approaching_body {
	struct body_place place;
	double speed;
	bool falls;
};

/* A conservative bound of the time at which a point comes within `radii` of a convex shape. `offset` is its offset from the
 * shape's nearest point. */
static inline double
wall_reached(const struct approaching_body *approaching_body, two offset, double radii)
{
	two along = offset * approaching_body->place.velocity, square = offset * offset;

	if (!approaching_body->falls && along[0] + along[1] >= 0.0)
		return square[0] + square[1] > radii * radii ? (double)INFINITY : 0.0;
	return (sqrt(square[0] + square[1]) - radii) / approaching_body->speed;
}

static double
segment_reached(const struct approaching_body *approaching_body, const struct segment *segment, double radii)
{
	const two direction = two_load(&segment->ux);
	two p = approaching_body->place.position - two_load(&segment->x1), foot = p * direction;
	double along = (foot[0] + foot[1]) / (segment->length * segment->length);

	return wall_reached(approaching_body, p - larger(0.0, lesser(along, 1.0)) * direction, radii);
}

static inline struct approaching_body
approaching_body_of(const struct world *world, const struct body *path, const struct body_place *place)
{
	return (struct approaching_body){ *place, contact_bound_speed(path, SCHEDULE_TICKS * world->step.dt),
		                              path->ax != 0.0 || path->ay != 0.0 };
}

static inline double
own_reach(const struct world *world, const struct body *path)
{
	return (1.0 + CONTACT_BOUND_SLACK) * path->radius + 4.0 * world->grid.rounding;
}

static inline double
segment_bound(const struct world *world, const struct approaching_body *approaching_body, double own, uint32_t index)
{
	const struct segment *segment = &world->walls.segments[index];

	return segment_reached(approaching_body, segment, own + segment->radius + 4.0 * segment->rounding);
}

static inline double
vertex_bound(const struct world *world, const struct approaching_body *approaching_body, double own, uint32_t index)
{
	const struct vertex *vertex = &world->walls.vertices[index];

	return wall_reached(approaching_body, approaching_body->place.position - two_load(&vertex->x),
	                    own + vertex->radius + 4.0 * vertex->rounding);
}

/* contact_bound_walls where there are very many; it asks meanwhile (base/pause.h). */
static __attribute__((noinline)) double
many_walls(const struct world *world, const struct body *path, const struct body_place *place, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;
	const struct approaching_body approaching_body = approaching_body_of(world, path, place);
	double own = own_reach(world, path), first = (double)INFINITY;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		first = lesser(first, segment_bound(world, &approaching_body, own, walls->segment_items[k]));
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		first = lesser(first, vertex_bound(world, &approaching_body, own, walls->vertex_items[k]));
	return first;
}

double
contact_bound_walls(const struct world *world, const struct body *path, const struct body_place *place, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;

	if (walls->many)
		return many_walls(world, path, place, cell);

	const struct approaching_body approaching_body = approaching_body_of(world, path, place);
	double own = own_reach(world, path), first = (double)INFINITY;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++)
		first = lesser(first, segment_bound(world, &approaching_body, own, walls->segment_items[k]));
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++)
		first = lesser(first, vertex_bound(world, &approaching_body, own, walls->vertex_items[k]));
	return first;
}
