/* Happy path: no wall of the cell is near, and the cell's border is some ticks away. What can go wrong: nothing; in doubt the
 * bound is 0. */
#include "physics/prediction/contact_bound.h"

#include <math.h>

/* What comes near the walls of a cell, and the nearest of those that it approaches. One root and one division do for all of
 * them, and it cannot be predicted which it approaches, so the code has no branch. */
struct wall_bound {
	struct body_place place;
	double own;    /* its radius, with all that is added to it */
	double square; /* of the least distance from a wall */
	double wide;   /* the largest radius of a wall, with its rounding */
	bool falls;    /* then its direction does not tell what it approaches */
};

static inline struct wall_bound
wall_bound_begin(const struct world *world, const struct body *path, const struct body_place *place)
{
	return (struct wall_bound){
		.place = *place,
		.own = (1.0 + CONTACT_BOUND_SLACK) * path->radius + 4.0 * world->grid.rounding,
		.square = (double)INFINITY,
		.falls = path->ax != 0.0 || path->ay != 0.0,
	};
}

/* Adds a convex shape; `offset` is from its nearest point. */
static inline void
wall_bound_add(struct wall_bound *bound, two offset, double wide)
{
	two along = offset * bound->place.velocity, squares = offset * offset;
	double radii = bound->own + wide, square = squares[0] + squares[1];
	bool parts = !bound->falls & (along[0] + along[1] >= 0.0) & (square > radii * radii);
	bool nearer = (square < bound->square) & !parts;

	bound->square = nearer ? square : bound->square;
	bound->wide = larger(bound->wide, wide);
}

/* When a point that may reach this speed comes within touch of the nearest. */
static inline double
wall_bound_end(const struct wall_bound *bound, double speed)
{
	if (!(bound->square < (double)INFINITY))
		return bound->square;
	return (sqrt(bound->square) - (bound->own + bound->wide)) / speed;
}

static inline void
segment_bound_add(struct wall_bound *bound, const struct segment *segment)
{
	const two direction = two_load(&segment->ux);
	two p = bound->place.position - two_load(&segment->x1), foot = p * direction;
	double along = (foot[0] + foot[1]) / (segment->length * segment->length);

	wall_bound_add(bound, p - larger(0.0, lesser(along, 1.0)) * direction, segment->radius + 4.0 * segment->rounding);
}

static inline void
vertex_bound_add(struct wall_bound *bound, const struct vertex *vertex)
{
	wall_bound_add(bound, bound->place.position - two_load(&vertex->x), vertex->radius + 4.0 * vertex->rounding);
}

/* contact_bound_walls where there are very many; it asks meanwhile (base/pause.h). */
static __attribute__((noinline)) void
many_walls(const struct world *world, struct wall_bound *bound, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		segment_bound_add(bound, &world->walls.segments[walls->segment_items[k]]);
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		vertex_bound_add(bound, &world->walls.vertices[walls->vertex_items[k]]);
}

double
contact_bound_walls(const struct world *world, const struct body *path, const struct body_place *place, uint32_t cell)
{
	const struct grid_walls *walls = &world->grid.still;
	struct wall_bound bound = wall_bound_begin(world, path, place);

	if (grid_walls_many(&world->grid, cell)) {
		many_walls(world, &bound, cell);
	} else {
		for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1]; k++)
			segment_bound_add(&bound, &world->walls.segments[walls->segment_items[k]]);
		for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1]; k++)
			vertex_bound_add(&bound, &world->walls.vertices[walls->vertex_items[k]]);
	}
	return wall_bound_end(&bound, contact_bound_speed(path, SCHEDULE_TICKS * world->step.dt));
}
