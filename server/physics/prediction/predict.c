/* Happy path: for each nearby body, the time of impact of the two paths; for each wall of the body's cell, that with the wall.
 * What lies within the tick goes to the queue. Every time is a pure function of the two paths, so it does not matter when or
 * how often a pair is predicted. What can go wrong: the queue finds no memory (world->failed, the tick fails). */
#include "physics/geometry/toi.h"
#include "physics/prediction/predict_private.h"
#include "physics/prediction/rounding_drift.h"
#include "physics/world/substep.h"

#include <math.h>

/* Fraction of gravity: the forces of supports are solved to so much. */
#define FORCES_PART 0x1p-44
/* Fraction of the skin: how far that may lead a supported pair into each other before it is seen. */
#define NEARER_PART 0x1p-6

/* The distance at which a supported pair meets. It may be nearer than a resting pair's distance, and nothing press it. Then it
 * approaches by rounding of the forces alone, and would meet at once and without end. So that rounding is not seen. With
 * d.w >= 0, d.q >= 0 and w.q >= 0 no term of |d + w t + q t^2 / 2|^2 falls. */
static double
supported_distance(const struct world *world, const struct relative *r, double radii, double skin)
{
	double distance = sqrt(r->dx * r->dx + r->dy * r->dy), resting = resting_distance(radii, skin);
	double rounding = FORCES_PART * world->settings.gravity * world->settings.scale_most;

	if (distance > resting || r->dx * r->wx + r->dy * r->wy < 0.0 || r->dx * r->qx + r->dy * r->qy < -rounding * distance ||
	    r->wx * r->qx + r->wy * r->qy < 0.0)
		return resting;
	return distance - NEARER_PART * skin;
}

/* Whether a contact can move a body. */
static bool
body_yields(const struct world *world, uint32_t body)
{
	return world->bodies.infos[body].inverse_mass > 0.0 && world->bodies.infos[body].mode != MODE_STOPPED;
}

/* A circle supports another body's path as long as the path stays near its surface. The event recomputes the path of one of the
 * two, and with it the support. */
static void
predict_circle_leave(struct world *world, uint32_t a, uint32_t b, const struct relative *r, double start, double end,
                     double radii)
{
	uint32_t body = body_yields(world, a) ? a : b;
	double leave = toi_leave(r, leaving_distance(radii, sqrt(r->dx * r->dx + r->dy * r->dy)), end - start);

	if (world->bodies.infos[body].mode == MODE_MOVING && leave < (double)INFINITY)
		event_push(world, &(struct event){
							  .time = lesser(start + leave, end),
							  .a = body,
							  .b = body,
							  .order = body,
							  .kind = EVENT_SUPPORT_END,
							  .side = 1,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}

/* Whether one of two supports the other. The lists of immovable bodies change although their paths do not, and are not
 * asked. */
static bool
pair_rests(const struct world *world, uint32_t a, uint32_t b)
{
	return body_yields(world, a) ? supported_by(world, a, EVENT_CIRCLES, b) : supported_by(world, b, EVENT_CIRCLES, a);
}

/* Pushes the event of a pair that meets after `toi`. */
static inline void
meeting_event(struct world *world, uint32_t a, uint32_t b, const struct relative *r, const double times[2], double toi,
              double skin)
{
	double rate = path_rate(r->wx, r->wy, r->qx, r->qy, toi);

	event_push(world, &(struct event){
						  .time = lesser(meeting_time(times[0], toi, rate, skin), times[1]),
						  .a = a,
						  .b = b,
						  .order = b,
						  .kind = EVENT_CIRCLES,
						  .epoch_a = world->bodies.marks[a].epoch,
						  .epoch_b = world->bodies.marks[b].epoch,
					  });
}

/* When two meet that ignore each other until they are apart. Nearer than a skin they are not, and have no contact before they
 * have been; on straight paths that is the end of it. */
static double
toi_parted(const struct relative *r, double R, double skin, double duration)
{
	double least = R + skin;

	if (r->dx * r->dx + r->dy * r->dy > least * least)
		return r->qx == 0.0 && r->qy == 0.0 ? toi_straight(r, R, duration) : toi_curved(r, R, duration);
	if (r->qx == 0.0 && r->qy == 0.0)
		return (double)INFINITY;

	double t = toi_leave(r, least, duration);

	if (!(t < duration))
		return (double)INFINITY;
	const struct relative out = { r->dx + t * (r->wx + 0.5 * t * r->qx),
		                          r->dy + t * (r->wy + 0.5 * t * r->qy),
		                          r->wx + t * r->qx,
		                          r->wy + t * r->qy,
		                          r->qx,
		                          r->qy };
	return t + toi_curved(&out, R, duration - t);
}

/* predict_meeting for such a pair. */
static __attribute__((noinline)) void
parted_meet(struct world *world, uint32_t a, uint32_t b, const struct relative *r, const double times[2], double skin)
{
	double R = world->bodies.paths[a].radius + world->bodies.paths[b].radius + skin;
	double toi = toi_parted(r, R, skin, times[1] - times[0]);

	if (!(toi < (double)INFINITY) || !bodies_meet_apart(world, a, b) || crushed_between(world, a, b))
		return;
	meeting_event(world, a, b, r, times, toi, skin);
}

/* meeting_event, if the pair meets. */
static inline void
meeting_push(struct world *world, uint32_t a, uint32_t b, const struct relative *r, const double times[2], double toi,
             double skin)
{
	/* Then one is free and dynamic. */
	bool is_free = world->bodies.marks[a].is_free || world->bodies.marks[b].is_free;

	if (!(toi < (double)INFINITY))
		return;
	if (world->settings.ignores && bodies_ignore(world, a, b) == IGNORE_UNTIL_APART) {
		/* It may meet later than it would without that, but not sooner. */
		parted_meet(world, a, b, r, times, skin);
		return;
	}
	if (!((is_free && world->settings.all_meet) || bodies_meet(world, a, b)) || (!is_free && crushed_between(world, a, b)))
		return;
	meeting_event(world, a, b, r, times, toi, skin);
}

/* Whether a pair on curved paths need not be solved now. It does not meet, or so late that one of the paths will rather have
 * changed by then. In the second case it is looked at again when it may meet. */
static inline bool
meeting_waits(struct world *world, uint32_t a, uint32_t b, const struct relative *r, const double times[2], double R)
{
	double bound = toi_curved_bound(r, R, times[1] - times[0]);

	if (!(bound < (double)INFINITY))
		return true;
	if (!(bound > 0.0))
		return false;
	/* Before the pair's event, whatever the sum rounds to. */
	event_push(world, &(struct event){
						  .time = larger(times[0], (times[0] + bound) * (1.0 - 0x1p-50)),
						  .a = a,
						  .b = b,
						  .order = b,
						  .kind = EVENT_CIRCLES,
						  .side = CIRCLES_EARLY,
						  .epoch_a = world->bodies.marks[a].epoch,
						  .epoch_b = world->bodies.marks[b].epoch,
					  });
	return true;
}

/* predict_meeting; `now`: it has waited. */
static inline void
pair_meet(struct world *world, uint32_t a, uint32_t b, const struct relative *r, double start, double skin, bool now)
{
	if (!world->bodies.marks[a].is_free && !world->bodies.marks[b].is_free && body_lies(&world->bodies.infos[a]) &&
	    body_lies(&world->bodies.infos[b]))
		return;

	double radii = world->bodies.paths[a].radius + world->bodies.paths[b].radius, R = radii + skin;
	const double times[2] = { start, lesser(path_end(world, a), path_end(world, b)) };
	double toi;

	if (r->qx == 0.0 && r->qy == 0.0) {
		toi = toi_straight(r, R, times[1] - start);
	} else {
		if (!world->bodies.marks[a].is_free && pair_rests(world, a, b)) {
			R = supported_distance(world, r, radii, skin);
			predict_circle_leave(world, a, b, r, start, times[1], radii);
		} else if (!now && meeting_waits(world, a, b, r, times, R)) {
			return;
		}
		toi = toi_curved(r, R, times[1] - start);
	}
	meeting_push(world, a, b, r, times, toi, skin);
}

void
predict_meeting(struct world *world, uint32_t a, uint32_t b, const struct relative *r, double start, double skin)
{
	pair_meet(world, a, b, r, start, skin, false);
}

void
predict_early(struct world *world, const struct event *event)
{
	const struct body *i = &world->bodies.paths[event->a], *j = &world->bodies.paths[event->b];
	double start = larger(i->t0, j->t0);
	const struct body_place here = body_place_at(i, start), there = body_place_at(j, start);
	two d = here.position - there.position, w = here.velocity - there.velocity, q = two_load(&i->ax) - two_load(&j->ax);

	pair_meet(world, event->a, event->b, &(struct relative){ d[0], d[1], w[0], w[1], q[0], q[1] }, start, circles_skin(i, j),
	          true);
}

static bool
sinker(const struct world *world, uint32_t body)
{
	const struct body_info *info = &world->bodies.infos[body];

	return info->events == 0 && info->kind == BODY_DYNAMIC && info->mode == MODE_MOVING;
}

/* Two that touch and go side by side make no contact in the tick; where rounding carries them into each other, they are raised
 * (rounding_drift.h). */
static __attribute__((noinline)) void
predict_sink(struct world *world, uint32_t a, uint32_t b)
{
	if ((!sinker(world, a) && !sinker(world, b)) || !bodies_meet(world, a, b) || crushed_between(world, a, b))
		return;
	bool driven = world->bodies.infos[a].mode == MODE_LED || world->bodies.infos[b].mode == MODE_LED;

	if (circles_raise(&world->bodies.paths[a], &world->bodies.paths[b], true, driven, world->step.dt) > 0.0)
		event_push(world, &(struct event){
							  .a = a,
							  .b = b,
							  .order = b,
							  .kind = EVENT_CIRCLES,
							  .epoch_a = world->bodies.marks[a].epoch,
							  .epoch_b = world->bodies.marks[b].epoch,
						  });
}

/* Two at the tick's start, apart by `d`, that do not come nearer. */
static inline void
predict_beside(struct world *world, uint32_t a, uint32_t b, two d)
{
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	double touch = i->radius + j->radius + circles_skin(i, j);
	two square = d * d;

	if (square[0] + square[1] < touch * touch)
		predict_sink(world, a, b);
}

/* Two circles from the time at which both paths have begun, at their places then. */
static inline void
predict_places(struct world *world, uint32_t a, uint32_t b, const struct body_place *here, const struct body_place *there,
               double start)
{
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	double left = world->step.dt - start;
	two d = here->position - there->position, w = here->velocity - there->velocity;
	two q = two_load(&i->ax) - two_load(&j->ax), along = d * w, bends = two_abs(q);
	double bend = bends[0] + bends[1];

	/* Most pairs separate, or are too far apart for the rest of the tick. This test is conservative and uses the paths
	 * alone. */
	if (bend == 0.0 && !(along[0] + along[1] < 0.0)) {
		if (start == 0.0)
			predict_beside(world, a, b, d);
		return;
	}

	double skin = circles_skin(i, j);
	two speeds = two_abs(w), square = d * d;
	double far = 1.0001 * (i->radius + j->radius + skin + left * (speeds[0] + speeds[1] + left * bend));

	if (!(square[0] + square[1] > far * far))
		predict_meeting(world, a, b, &(struct relative){ d[0], d[1], w[0], w[1], q[0], q[1] }, start, skin);
}

void
predict_circles(struct world *world, uint32_t a, uint32_t b)
{
	const struct body *i = &world->bodies.paths[a], *j = &world->bodies.paths[b];
	double start = larger(i->t0, j->t0);
	struct body_place here = body_place_at(i, start), there = body_place_at(j, start);

	predict_places(world, a, b, &here, &there, start);
}

/* predict_cell without those that the body's path cannot come to: in a substep paths are short. */
static inline void
cell_predict_near(struct world *world, uint32_t body, const struct stretch *stretch, bool clear, uint32_t cell)
{
	for (uint32_t place = world->grid.heads[cell]; place != NONE; place = grid_onward(&world->grid, place)) {
		uint32_t other = grid_body(place);

		if (!stretch_misses(stretch, &world->bodies.paths[other]) && other != body && !(clear && handover_clear(world, other)))
			predict_circles(world, body < other ? body : other, body < other ? other : body);
	}
}

void
predict_cell(struct world *world, uint32_t body, bool clear, uint32_t cell)
{
	for (uint32_t place = world->grid.heads[cell]; place != NONE; place = grid_onward(&world->grid, place)) {
		uint32_t other = grid_body(place);

		if (other != body && !(clear && handover_clear(world, other)))
			predict_circles(world, body < other ? body : other, body < other ? other : body);
	}
}

double
predict_leave(struct world *world, uint32_t body, double from)
{
	const struct body *path = &world->bodies.paths[body];
	const struct body_place place = body_place_at(path, from);

	double leave = from + grid_leave(&world->grid, body, place.position, place.velocity, two_load(&path->ax),
	                                 path_end(world, body) - from);

	if (leave < (double)INFINITY)
		leave_push(world, body, from, leave);
	return leave;
}

void
predict_levels(struct world *world, uint32_t body, uint32_t level, double from, double leave)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies.paths[body];
	bool stray = is_outlier(world, body);
	double position[2], velocity[2];

	body_at(path, from, position, velocity);

	const struct grid_box box = path_reach(path, position, velocity, lesser(leave, path_end(world, body)) - from);
	struct grid_look look = grid_look_begin(grid, stray ? 0 : level, stray ? NONE : grid->rows[body].level, &box,
	                                        look_radius(path));

	bool clear = handover_clear(world, body);

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		predict_cell(world, body, clear, cell);
}

void
predict_others(struct world *world, uint32_t body, double from, uint32_t before)
{
	const struct grid *grid = &world->grid;
	uint32_t cell = grid->rows[body].cell;

	if (grid_has_walls(grid, cell)) {
		if (before == NONE)
			predict_walls(world, body, cell);
		else
			predict_walls_new(world, body, cell, before);
	}

	double leave = predict_leave(world, body, from);

	if (grid->level_count > 1 || is_outlier(world, body))
		predict_levels(world, body, 0, from, leave);
}

void
predict_around(struct world *world, uint32_t body)
{
	struct grid_ring ring = grid_ring(&world->grid, body);
	bool clear = handover_clear(world, body);

	if (world->step.has_substeps) {
		const struct stretch stretch = path_stretch(world, body);

		while (ring.cells != 0)
			cell_predict_near(world, body, &stretch, clear, grid_ring_next(&ring));
		return;
	}
	while (ring.cells != 0)
		predict_cell(world, body, clear, grid_ring_next(&ring));
}

void
predict_from(struct world *world, uint32_t body, double time)
{
	predict_around(world, body);
	predict_others(world, body, time, NONE);
}

void
predict_body(struct world *world, uint32_t body)
{
	predict_from(world, body, world->bodies.paths[body].t0);
}
