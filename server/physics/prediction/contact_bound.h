/* contact_bound: conservative bounds of the time of contact of a clean body (world.bodies.untouched). They are lower bounds, in
 * seconds from the time of the query; NaN counts as 0. They hold over SCHEDULE_TICKS ticks, at the ends of which paths are
 * rounded, for queries between ticks and within one. Pure; any thread. */
#ifndef COLLIDED_PREDICTION_CONTACT_BOUND_H
#define COLLIDED_PREDICTION_CONTACT_BOUND_H

#include "physics/prediction/predict_private.h"

/* Fraction of the radii: more than the rounding of a path over SCHEDULE_TICKS. */
#define CONTACT_BOUND_SLACK 1e-4
/* Fraction of the time of contact: allows for the conversion to whole ticks and for rounding. */
#define CONTACT_BOUND_SURE 0.999

/* Whether something that comes `soon` after `from`, or later, certainly does not come in the current tick. False for NaN. */
static inline bool
contact_bound_is_later(const struct world *world, double from, double soon)
{
	return from + CONTACT_BOUND_SURE * soon >= world->step.dt;
}

/* The first tick in which it may come, counted from the current one: 1 .. last. */
static inline unsigned
ticks_until(const struct world *world, double from, double soon, unsigned last)
{
	double ticks = (from + CONTACT_BOUND_SURE * soon) * world->step.ticks_per_second;

	/* NaN counts as now. */
	if (!(ticks >= 1.0))
		return 1;
	return ticks < (double)last ? (unsigned)ticks : last;
}

static inline unsigned
contact_bound_ticks(const struct world *world, double from, double soon)
{
	return ticks_until(world, from, soon, SCHEDULE_LAST);
}

/* The same for leaving a cell. */
static inline unsigned
contact_bound_cell_ticks(const struct world *world, double from, double soon)
{
	return ticks_until(world, from, soon, SCHEDULE_CELL_TICKS - 1);
}

/* Contacts after this time need not be found. */
static inline double
contact_bound_most(const struct world *world)
{
	return SCHEDULE_LAST * world->step.dt / CONTACT_BOUND_SURE;
}

/* A circle's radius, with its share of the skins and of the rounding of a pair. Clean bodies are no outliers: no coordinate of
 * theirs is rounded by more (becomes_outlier). */
static inline double
contact_bound_radius(const struct world *world, const struct body *path)
{
	return path->radius + 4.0 * world->grid.rounding;
}

/* When two bodies come within `radii`, the sum of both contact_bound_radius. `d` is their offset, `w` their relative velocity.
 * INFINITY if that is at `late` or later. Both fall alike, so their relative path is a straight line. */
static inline double
contact_bound_pair(two d, two w, double radii, double late)
{
	two squares = d * d, along = d * w, speeds = w * w;

	radii *= 1.0 + CONTACT_BOUND_SLACK;

	double room = squares[0] + squares[1] - radii * radii, closing = along[0] + along[1];

	if (!(room > 0.0))
		return 0.0;
	/* They meet no sooner than after room / (-2 closing), because the root below is at most -closing. */
	if (closing >= 0.0 || room > -2.0001 * closing * late)
		return (double)INFINITY;

	/* As in toi.c: not the difference of the squares, which cancel when the bodies are far apart. The rounding of the cross
	 * product is small beside that of such large coordinates, which the radii allow for. */
	double cross = d[0] * w[1] - d[1] * w[0], left = (speeds[0] + speeds[1]) * (radii * radii) - cross * cross;

	if (left < 0.0)
		return (double)INFINITY;

	double time = room / (sqrt(left) - closing);

	return time > 0.0 ? time : 0.0;
}

/* The result of a query: the first possible contact with a body, and which; then the first with any other body, or a wall. */
struct contact_bound {
	double soon, then;
	uint32_t with;
};

static inline struct contact_bound
contact_bound_clear(void)
{
	return (struct contact_bound){ (double)INFINITY, (double)INFINITY, NONE };
}

static inline void
contact_bound_add(struct contact_bound *contact_bound, uint32_t other, double reached)
{
	bool first = reached < contact_bound->soon;

	contact_bound->then = lesser(contact_bound->then, first ? contact_bound->soon : reached);
	contact_bound->with = first ? other : contact_bound->with;
	contact_bound->soon = first ? reached : contact_bound->soon;
}

/* From a place on its path: when the body may touch a wall of a cell. */
double contact_bound_walls(const struct world *world, const struct body *path, const struct body_place *place, uint32_t cell);
/* When its centre may leave its cell, if that is before SCHEDULE_CELL_TICKS are over. */
static inline double
contact_bound_leave(const struct world *world, uint32_t body, const struct body_place *place)
{
	return grid_stays(&world->grid, body, place->position, place->velocity, two_load(&world->bodies.paths[body].ax),
	                  SCHEDULE_CELL_TICKS * world->step.dt);
}

/* The greatest speed that a clean body may reach within `duration`. */
static inline double
contact_bound_speed(const struct body *path, double duration)
{
	two rate = two_abs(two_load(&path->vx)) + duration * two_abs(two_load(&path->ax));

	return rate[0] + rate[1];
}

/* Whether it may become an outlier (grid.h) within SCHEDULE_CELL_TICKS. */
static inline bool
becomes_outlier(const struct world *world, const struct body *path)
{
	const two place = two_abs(two_load(&path->x));
	double duration = SCHEDULE_CELL_TICKS * world->step.dt, far = duration * contact_bound_speed(path, duration);

	return (larger(place[0], place[1]) + far) * SKIN_PER_COORDINATE > world->grid.rounding;
}

#endif
