/* Happy path: the intervals in which neither path of a pair changes, in order. What can go wrong: memory, or more rows than the
 * limit of contacts allows (world->failed). */
#include "physics/reports/walk.h"

#include "physics/prediction/predict.h"
#include "physics/reports/crossing.h"
#include "physics/world/collision_filter.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units (base/pause.h) of an interval. */
#define INTERVAL_UNITS 8u

void
watch_report(struct world *world, const struct pair_event *event, uint32_t cause, uint32_t rank)
{
	struct watch *watch = world->watch;

	if (watch->told_count / ROWS_PER_CONTACT >= world->settings.contacts_per_tick_max ||
	    !array_reserve(&watch->told, &watch->told_capacity, watch->told_count + 1, sizeof *watch->told)) {
		world->failed = true;
		return;
	}
	watch->told[watch->told_count++] = (struct told){ .event = *event, .cause = cause, .rank = rank };
}

static void
path_take(const struct world *world, uint32_t body, uint32_t piece, const struct body **path, double *end, uint32_t *next)
{
	if (piece == NONE) {
		*path = &world->bodies.paths[body];
		*end = world->step.dt;
		*next = NONE;
	} else {
		*path = &world->watch->pieces[piece].path;
		*end = world->watch->pieces[piece].end;
		*next = world->watch->pieces[piece].next;
	}
}

/* The path that is valid from `time` on. Each piece of a body begins where the one before ends. */
static void
path_find(const struct world *world, uint32_t body, double time, const struct body **path, double *end, uint32_t *next)
{
	const struct watch *watch = world->watch;
	uint32_t low = watch->ranges[body].begin, high = watch->ranges[body].end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (watch->pieces[watch->ordered[middle]].end <= time)
			low = middle + 1;
		else
			high = middle;
	}
	path_take(world, body, low < watch->ranges[body].end ? watch->ordered[low] : NONE, path, end, next);
}

struct walk
walk_begin(const struct world *world, struct tie tie, double from, double until)
{
	struct walk walk = { .world = world, .tie = tie, .time = from, .until = until };

	path_find(world, tie.a, from, &walk.a, &walk.end_a, &walk.next_a);
	walk.end_b = world->step.dt;
	if (!(tie.b & PARTNER_SEGMENT))
		path_find(world, tie.b, from, &walk.b, &walk.end_b, &walk.next_b);
	return walk;
}

bool
walk_next(struct walk *walk)
{
	const struct world *world = walk->world;
	double p[2], v[2], q[2] = { 0 }, u[2] = { 0 }, ax = 0.0, ay = 0.0;

	if (!(walk->time < walk->until) || pause_after(INTERVAL_UNITS))
		return false;
	while (walk->end_a <= walk->time && walk->a != &world->bodies.paths[walk->tie.a])
		path_take(world, walk->tie.a, walk->next_a, &walk->a, &walk->end_a, &walk->next_a);
	while (walk->b && walk->end_b <= walk->time && walk->b != &world->bodies.paths[walk->tie.b])
		path_take(world, walk->tie.b, walk->next_b, &walk->b, &walk->end_b, &walk->next_b);
	walk->start = walk->time;
	walk->time = lesser(lesser(walk->end_a, walk->end_b), walk->until);
	walk->duration = walk->time - walk->start;
	assert(walk->a);
	body_at(walk->a, walk->start, p, v);
	if (walk->b) {
		body_at(walk->b, walk->start, q, u);
		ax = walk->b->ax;
		ay = walk->b->ay;
	} else {
		const struct segment *segment = &world->walls.segments[walk->tie.b & ~PARTNER_SEGMENT];

		q[0] = segment->x1 + segment->vx * walk->start;
		q[1] = segment->y1 + segment->vy * walk->start;
		u[0] = segment->vx;
		u[1] = segment->vy;
	}
	walk->relative = (struct relative){
		p[0] - q[0], p[1] - q[1], v[0] - u[0], v[1] - u[1], walk->a->ax - ax, walk->a->ay - ay
	};
	return true;
}

double
walk_crossing(const struct walk *walk, double R, bool out)
{
	enum crossing_way way = out ? CROSS_OUT : CROSS_IN;
	double time;

	if (walk->b) {
		time = crossing_point(&walk->relative, R, walk->duration, way);
	} else {
		const struct segment *segment = &walk->world->walls.segments[walk->tie.b & ~PARTNER_SEGMENT];

		time = crossing_segment(&walk->relative, segment->ux, segment->uy, segment->length, R, walk->duration, way);
	}
	return lesser(walk->start + time, walk->start + time < (double)INFINITY ? walk->time : (double)INFINITY);
}

/* The time up to which a body is there. */
static double
body_end_time(const struct world *world, uint32_t body)
{
	return world->bodies.infos[body].mode == MODE_GONE ? world->bodies.paths[body].t0 : world->step.dt;
}

bool
tie_is_over(const struct world *world, struct tie tie)
{
	return world->bodies.infos[tie.a].mode == MODE_GONE ||
	       (!(tie.b & PARTNER_SEGMENT) && world->bodies.infos[tie.b].mode == MODE_GONE);
}

double
tie_end(const struct world *world, struct tie tie)
{
	double end = body_end_time(world, tie.a);

	return tie.b & PARTNER_SEGMENT ? end : lesser(end, body_end_time(world, tie.b));
}

double
tie_radii(const struct world *world, struct tie tie)
{
	return world->bodies.paths[tie.a].radius + (tie.b & PARTNER_SEGMENT ? world->walls.segments[tie.b & ~PARTNER_SEGMENT].radius
	                                                                    : world->bodies.paths[tie.b].radius);
}

double
walk_skin(const struct walk *walk)
{
	return walk->b ? circles_skin(walk->a, walk->b)
	               : wall_skin(walk->a, walk->world->walls.segments[walk->tie.b & ~PARTNER_SEGMENT].rounding);
}

uint8_t
wall_offset(const struct segment *segment, const double point[2], double offset[2])
{
	double px = point[0] - segment->x1, py = point[1] - segment->y1, along = px * segment->ux + py * segment->uy;
	double square = segment->length * segment->length;

	if (along <= 0.0) {
		offset[0] = px;
		offset[1] = py;
		return FEATURE_END_1;
	}
	if (along >= square) {
		offset[0] = point[0] - segment->x2;
		offset[1] = point[1] - segment->y2;
		return FEATURE_END_2;
	}

	double height = cross_exact(segment->ux, segment->uy, px, py) / square;

	offset[0] = -height * segment->uy;
	offset[1] = height * segment->ux;
	return FEATURE_FACE;
}

struct pair_event
tie_event(const struct world *world, struct tie tie, double time, enum pair_event_kind kind)
{
	struct walk walk = walk_begin(world, tie, time, time);
	struct pair_event event = { .time = time, .a = world->bodies.infos[tie.a].id, .kind = (uint8_t)kind };
	double p[2], v[2], offset[2];

	body_at(walk.a, time, p, v);
	if (walk.b) {
		double q[2], u[2];

		body_at(walk.b, time, q, u);
		offset[0] = p[0] - q[0];
		offset[1] = p[1] - q[1];
		event.b = world->bodies.infos[tie.b].id;
		event.other = CONTACT_CIRCLE;
	} else {
		const struct segment *segment = &world->walls.segments[tie.b & ~PARTNER_SEGMENT];

		const double seen[2] = { p[0] - segment->vx * time, p[1] - segment->vy * time };

		event.feature = wall_offset(segment, seen, offset);
		event.b = segment->id;
		event.other = CONTACT_SEGMENT;
	}

	double distance = sqrt(offset[0] * offset[0] + offset[1] * offset[1]);

	if (distance > 0.0) {
		event.normal[0] = offset[0] / distance;
		event.normal[1] = offset[1] / distance;
	}
	event.point[0] = p[0] - walk.a->radius * event.normal[0];
	event.point[1] = p[1] - walk.a->radius * event.normal[1];
	return event;
}

static void
box_add(struct grid_box *box, const struct body *path, double end)
{
	double h = end - path->t0, half = 0.5 * h * h;
	double x = path->x + h * path->vx, y = path->y + h * path->vy;
	double bend_x = half * fabs(path->ax), bend_y = half * fabs(path->ay);

	box->x0 = lesser(box->x0, lesser(path->x, x) - bend_x);
	box->y0 = lesser(box->y0, lesser(path->y, y) - bend_y);
	box->x1 = larger(box->x1, larger(path->x, x) + bend_x);
	box->y1 = larger(box->y1, larger(path->y, y) + bend_y);
}

struct grid_box
watch_box(const struct world *world, uint32_t body)
{
	const struct watch *watch = world->watch;
	const struct body *path = &world->bodies.paths[body];
	struct grid_box box = { path->x, path->y, path->x, path->y };

	for (uint32_t p = watch->first[body]; p != NONE && !pause_after(2); p = watch->pieces[p].next)
		box_add(&box, &watch->pieces[p].path, watch->pieces[p].end);
	box_add(&box, path, world->step.dt);
	return box;
}
