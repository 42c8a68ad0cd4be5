/* contact_bound: a time before which a calm body (world.bodies.untouched) meets nothing. Bounds from below, in seconds from
 * where they are looked at; what is no number is 0. They hold over SCHEDULE_TICKS ticks, at whose ends paths are rounded,
 * whether they were looked at between two ticks or within one. Pure; any thread. */
#ifndef COLLIDED_PREDICTION_CONTACT_BOUND_H
#define COLLIDED_PREDICTION_CONTACT_BOUND_H

#include "physics/prediction/predict_private.h"

/* Of radii: more than what rounding does to a path in SCHEDULE_TICKS. */
#define CONTACT_BOUND_SLACK 1e-4
/* Of the time up to something: what counting in whole ticks and rounding cost. */
#define CONTACT_BOUND_SURE 0.999

/* Whether it is sure that what comes `soon` after `from`, or later, does not come in the tick at hand; what is no number may.
 */
static inline bool
contact_bound_is_later(const struct world *world, double from, double soon)
{
	return from + CONTACT_BOUND_SURE * soon >= world->step.dt;
}

/* The first tick in which it may come, counted from the one at hand: 1 .. last. */
static inline unsigned
ticks_until(const struct world *world, double from, double soon, unsigned last)
{
	double ticks = (from + CONTACT_BOUND_SURE * soon) * world->step.ticks_per_second;

	/* What is no number is at once. */
	if (!(ticks >= 1.0))
		return 1;
	return ticks < (double)last ? (unsigned)ticks : last;
}

static inline unsigned
contact_bound_ticks(const struct world *world, double from, double soon)
{
	return ticks_until(world, from, soon, SCHEDULE_LAST);
}

/* The same of leaving a cell. */
static inline unsigned
contact_bound_cell_ticks(const struct world *world, double from, double soon)
{
	return ticks_until(world, from, soon, SCHEDULE_CELL_TICKS - 1);
}

/* Up to there nothing needs to be looked for. */
static inline double
contact_bound_most(const struct world *world)
{
	return SCHEDULE_LAST * world->step.dt / CONTACT_BOUND_SURE;
}

/* A circle's radius with what slack and rounding add to it and to another's. Calm bodies are no strays: the coordinates of none
 * are rounded by more (contact_bound_strays). */
static inline double
contact_bound_radius(const struct world *world, const struct body *path)
{
	return path->radius + 4.0 * world->grid.rounding;
}

/* When two that are apart by `d` and move at `w`, as seen from one of them, are as near as `radii` (both of them: one's
 * contact_bound_radius); INFINITY if that is `late` or later. They fall alike, so each sees the other on a straight line. */
static inline double
contact_bound_pair(two d, two w, double radii, double late)
{
	two squares = d * d, along = d * w, speeds = w * w;

	radii *= 1.0 + CONTACT_BOUND_SLACK;

	double room = squares[0] + squares[1] - radii * radii, closing = along[0] + along[1];

	if (!(room > 0.0))
		return 0.0;
	/* It takes them half as long to meet as if they came at each other along the line between them, or longer. */
	if (closing >= 0.0 || room > -2.0001 * closing * late)
		return (double)INFINITY;

	/* As in toi.c: not the difference of the squares, which from afar are nearly the same. What rounding does to the cross
	 * product is little beside what it does to coordinates so large, and that is in the radii. */
	double cross = d[0] * w[1] - d[1] * w[0], left = (speeds[0] + speeds[1]) * (radii * radii) - cross * cross;

	if (left < 0.0)
		return (double)INFINITY;

	double time = room / (sqrt(left) - closing);

	return time > 0.0 ? time : 0.0;
}

/* What a look has found: when somebody may be met first, and who; and when somebody else, or a wall. */
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

/* At a place of its path: when it may touch a wall of a cell, */
double contact_bound_walls(const struct world *world, const struct body *path, const struct body_place *place, uint32_t cell);
/* and when its centre may leave its cell, if that is before SCHEDULE_CELL_TICKS are over. */
static inline double
contact_bound_leave(const struct world *world, uint32_t body, const struct body_place *place)
{
	return grid_stays(&world->grid, body, place->position, place->velocity, two_load(&world->bodies.paths[body].ax),
	                  SCHEDULE_CELL_TICKS * world->step.dt);
}

/* How fast a calm body may become within `duration`. */
static inline double
contact_bound_speed(const struct body *path, double duration)
{
	two rate = two_abs(two_load(&path->vx)) + duration * two_abs(two_load(&path->ax));

	return rate[0] + rate[1];
}

/* Whether it may become a stray (grid.h) within SCHEDULE_CELL_TICKS. */
static inline bool
contact_bound_strays(const struct world *world, const struct body *path)
{
	const two place = two_abs(two_load(&path->x));
	double duration = SCHEDULE_CELL_TICKS * world->step.dt, far = duration * contact_bound_speed(path, duration);

	return (larger(place[0], place[1]) + far) * SKIN_PER_COORDINATE > world->grid.rounding;
}

#endif
