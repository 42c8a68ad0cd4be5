/* predict_private: what the files of the prediction share. Internal. */
#ifndef COLLIDED_PREDICTION_PREDICT_PRIVATE_H
#define COLLIDED_PREDICTION_PREDICT_PRIVATE_H

#include "physics/broadphase/grid_fast.h"
#include "physics/geometry/toi.h"
#include "physics/prediction/predict.h"
#include "physics/world/substep.h"

#include <math.h>

/* Fraction of a tick. What stays longer than this in a cell leaves it at no more than some 2^34 cells a tick. */
#define LEAVE_SOON 0x1p-32

static inline void
event_push(struct world *world, const struct event *event)
{
	if (!event_queue_push(&world->scratch.queue, event))
		world->failed = true;
}

static inline void
leave_push(struct world *world, uint32_t body, double from, double time)
{
	/* Otherwise a body that crosses a cell in less than an ulp of time would change cells at one time for ever. */
	time = larger(time, from + LEAVE_LEAST * larger(from, LEAVE_LEAST * world->step.dt));
	/* What is too fast for its cells leaves them at once: by the time it has left one it would be far beyond the next. */
	if (__builtin_expect(time - from < LEAVE_SOON * world->step.dt, 0) && fast_suits(world, body, from))
		time = from;

	event_push(world,
	           &(struct event){ .time = time, .a = body, .kind = EVENT_TRANSFER, .epoch_a = world->bodies.marks[body].epoch });
}

/* When two bodies meet that are followed from `start` on and meet after `toi`, at a rate of up to `rate`; both times are >= 0.
 * The sum may round up by half an ulp of the time in the tick. Where the path covers more than a quarter of the skin in that
 * time, as it may above PHYSICS_TRAVEL_MAX_RADII, the double before is returned: the two are still apart then. */
static inline double
meeting_time(double start, double toi, double rate, double skin)
{
	double time = start + toi, added = time - start;
	double late = -((start - (time - added)) + (toi - added)); /* exact: Knuth, The Art of Computer Programming 2, 4.2.2 */

	return late * rate > 0.25 * skin ? time * (1.0 - 0x1p-53) : time;
}

/* An upper bound of a path's speed, `duration` after its velocity was (vx, vy). */
static inline double
path_rate(double vx, double vy, double ax, double ay, double duration)
{
	return fabs(vx) + fabs(vy) + duration * (fabs(ax) + fabs(ay));
}

static inline bool
supported_by(const struct world *world, uint32_t body, uint8_t kind, uint32_t other)
{
	for (uint32_t s = world->bodies.infos[body].support; s != NONE; s = world->scratch.supports[s].next)
		if (world->scratch.supports[s].kind == kind && world->scratch.supports[s].other == other)
			return true;
	return false;
}

/* A resting body's path follows the surface to third order. Half of the skin lets it do so without an immediate event. */
static inline double
resting_distance(double radii, double skin)
{
	return radii + 0.5 * skin;
}

/* Fraction of the radii: how far a path that a point or a circle supports may part from it. */
#define LEAVE_PART 0x1p-12

/* The acceleration of a supported path is right at its start only, because it turns with the normal. Where the path has left
 * the curve by this much it is no longer valid, and the support is computed anew. */
static inline double
leaving_distance(double radii, double distance)
{
	return larger(radii, distance) + radii * LEAVE_PART;
}

/* Whether none of a body's supports is flat. Along a flat one it may go on for as long as that lasts. */
static inline bool
supported_by_curves(const struct world *world, uint32_t body)
{
	for (uint32_t s = world->bodies.infos[body].support; s != NONE; s = world->scratch.supports[s].next)
		if (world->scratch.supports[s].kind == EVENT_FACE)
			return false;
	return world->bodies.infos[body].support != NONE;
}

static inline bool
body_lies(const struct body_info *info)
{
	return info->mode == MODE_ASLEEP || info->kind == BODY_STATIC;
}

/* A box that holds the centre of a path for `duration`, from one of its places and velocities on. */
static inline struct grid_box
path_reach(const struct body *path, const double position[2], const double velocity[2], double duration)
{
	double half = 0.5 * duration * duration, bend_x = half * fabs(path->ax), bend_y = half * fabs(path->ay);
	double x = position[0] + duration * velocity[0], y = position[1] + duration * velocity[1];

	return (struct grid_box){
		.x0 = lesser(position[0], x) - bend_x,
		.y0 = lesser(position[1], y) - bend_y,
		.x1 = larger(position[0], x) + bend_x,
		.y1 = larger(position[1], y) + bend_y,
	};
}

/* Where a body's centre may be while its path is valid: the place at its start, and how far it gets from there, with what
 * touches the body (look_radius). */
struct stretch {
	two at, reach;
	double end; /* of the path */
};

/* More than rounding: what a path reaches is held to be this much more. */
#define STRETCH_WIDER 1.0001

/* How far from the place at its start a path leads a circle's surface, up to `end`. */
static inline two
path_far(const struct body *path, double end)
{
	double left = end - path->t0;

	return path->radius + left * (two_abs(two_load(&path->vx)) + left * two_abs(two_load(&path->ax)));
}

static inline struct stretch
path_stretch(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];
	double end = path_end(world, body);
	/* Skins are of the smaller radius, and the rounding of two that are near each other is about the same. */
	double skin = 4.0 * SKIN_PER_RADIUS * path->radius + 8.0 * body_rounding(path);

	return (struct stretch){ two_load(&path->x), STRETCH_WIDER * path_far(path, end) + skin, end };
}

/* Whether a path keeps away from it. Most neighbours do; where they are at one time is not looked at. */
static inline bool
stretch_misses(const struct stretch *stretch, const struct body *path)
{
	two over = two_abs(stretch->at - two_load(&path->x)) - (stretch->reach + STRETCH_WIDER * path_far(path, stretch->end));

	return over[0] > 0.0 || over[1] > 0.0;
}

/* A walk over the cells of the other levels with bodies that this one may touch, from a place of its path on for `duration`. It
 * stops where the body leaves its cell, because it queries again then. */
static inline struct grid_look
look_beyond(const struct world *world, uint32_t body, const struct body_place *place, double duration)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies.paths[body];
	const double position[2] = { place->position[0], place->position[1] },
				 velocity[2] = { place->velocity[0], place->velocity[1] };
	struct grid_box box = path_reach(path, position, velocity, duration), cell = grid_cell_box(grid, body, place->position);

	/* The box always holds its present place. */
	box.x0 = lesser(position[0], larger(box.x0, cell.x0));
	box.y0 = lesser(position[1], larger(box.y0, cell.y0));
	box.x1 = larger(position[0], lesser(box.x1, cell.x1));
	box.y1 = larger(position[1], lesser(box.y1, cell.y1));
	return grid_look_begin(grid, 0, grid->rows[body].level, &box, look_radius(path));
}

/* predict.c: the next contact of two circles, a < b. */
void predict_circles(struct world *world, uint32_t a, uint32_t b);
/* The same for two that are near each other: `r` at `start`, when both paths have begun. Separate from the distance test, which
 * most pairs fail. */
__attribute__((noinline)) void predict_meeting(struct world *world, uint32_t a, uint32_t b, const struct relative *r,
                                               double start, double skin);
/* A body's events from a time on, without those with the circles of the cells around it. `before`: the cell from which it has
 * come, or NONE. */
void predict_others(struct world *world, uint32_t body, double from, uint32_t before);
/* When a body will leave its cell from a time on; INFINITY: not on its present path. */
double predict_leave(struct world *world, uint32_t body, double from);
/* The same when it is known how `soon` it may leave (grid_stays): on a straight path that is the exact time. */
static inline void
predict_leave_soon(struct world *world, uint32_t body, double from, double soon)
{
	const struct body *path = &world->bodies.paths[body];

	if (path->ax != 0.0 || path->ay != 0.0)
		(void)predict_leave(world, body, from);
	else if (soon <= path_end(world, body) - from)
		leave_push(world, body, from, from + soon);
}

/* Predicts a body against those of the other levels from `level` on, along its path from a time on until it leaves its cell. An
 * outlier is predicted against all levels. */
void predict_levels(struct world *world, uint32_t body, uint32_t level, double from, double leave);
/* predict_walls.c: a body against a segment or a vertex; `path` is the body's, relative to it. */
void predict_face(struct world *world, uint32_t body, const struct body *path, uint32_t index);
void predict_vertex(struct world *world, uint32_t body, const struct body *path, uint32_t index);
/* predict_cell_walls.c: a body against the walls that are listed in a cell of its level. */
void predict_walls(struct world *world, uint32_t body, uint32_t cell);
/* The same when it has come to the cell from another one, on the same path. */
void predict_walls_new(struct world *world, uint32_t body, uint32_t cell, uint32_t before);
/* predict_end.c: when a vertex that supports a path releases it. */
void predict_vertex_leave(struct world *world, uint32_t body, const struct body *path, uint32_t index);

#endif
