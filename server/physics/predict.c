/* Happy path: for each body near a body, the time of impact of the two paths; for each wall of its cell, that with the wall;
 * whatever lies within the tick goes to the queue. Every time is a pure function of the two paths, so it does not matter when
 * or how often a pair is predicted. What can go wrong: the queue finds no memory (world->failed, the tick fails). */
#include "physics/predict.h"

#include "physics/settle.h"
#include "physics/toi.h"

#include <math.h>

/* How often the search for a vertex contact starts again behind a stretch outside its cone. A parabola crosses each of the
 * lines that bound the cone at most twice. */
#define CONE_TRIES_MAX 8

/* How many bodies pass between two questions whether to go on. */
#define BODIES_PER_QUESTION 256

static void
push(struct world *world, const struct event *event)
{
	if (!event_queue_push(&world->queue, event))
		world->failed = true;
}

/* Up to when a body's present path holds. */
static double
path_end(const struct world *world, uint32_t body)
{
	return world->infos[body].mode == MODE_LED ? world->until : world->dt;
}

static bool
supported_by(const struct world *world, uint32_t body, uint8_t kind, uint32_t other)
{
	for (uint32_t s = world->infos[body].support; s != NONE; s = world->supports[s].next)
		if (world->supports[s].kind == kind && world->supports[s].other == other)
			return true;
	return false;
}

/* A resting pair follows its surface to third order; half of the skin lets it do so without an event at once. */
static double
resting_distance(double radii, double skin)
{
	return radii + 0.5 * skin;
}

static bool
body_lies(const struct body_info *info)
{
	return info->mode == MODE_ASLEEP || info->kind == BODY_STATIC;
}

/* Two circles that are not far apart: `r` as at `start`. */
static void
predict_meeting(struct world *world, uint32_t a, uint32_t b, const struct relative *r, double start, double skin)
{
	if ((settle_clear(&world->infos[a]) && settle_clear(&world->infos[b])) ||
	    (body_lies(&world->infos[a]) && body_lies(&world->infos[b])))
		return;

	double radii = world->bodies[a].radius + world->bodies[b].radius, R = radii + skin;
	double end = lesser(path_end(world, a), path_end(world, b));
	double toi;

	if (r->qx == 0.0 && r->qy == 0.0) {
		toi = toi_straight(r, R, end - start);
	} else {
		if (supported_by(world, a, EVENT_CIRCLES, b))
			R = resting_distance(radii, skin);
		toi = toi_curved(r, R, end - start);
	}
	if (!(toi < (double)INFINITY) || !bodies_meet(world, a, b))
		return;
	/* What cannot yield has passed over a crushed circle already. */
	if ((world->infos[a].mode == MODE_CRUSHED && world->infos[b].kind != BODY_DYNAMIC) ||
	    (world->infos[b].mode == MODE_CRUSHED && world->infos[a].kind != BODY_DYNAMIC))
		return;
	push(world, &(struct event){
					.time = lesser(start + toi, end),
					.a = a,
					.b = b,
					.order = b,
					.kind = EVENT_CIRCLES,
					.epoch_a = world->infos[a].epoch,
					.epoch_b = world->infos[b].epoch,
				});
}

static inline void
predict_circles(struct world *world, uint32_t a, uint32_t b)
{
	const struct body *i = &world->bodies[a], *j = &world->bodies[b];
	double start = larger(i->t0, j->t0), left = world->dt - start;
	double pi[2], vi[2], pj[2], vj[2];

	body_at(i, start, pi, vi);
	body_at(j, start, pj, vj);

	struct relative r = { pi[0] - pj[0], pi[1] - pj[1], vi[0] - vj[0], vi[1] - vj[1], i->ax - j->ax, i->ay - j->ay };
	double bend = fabs(r.qx) + fabs(r.qy);

	/* Most are on their way apart, or too far apart for the rest of the tick: seen generously, and from the paths alone. */
	if (bend == 0.0 && !(r.dx * r.wx + r.dy * r.wy < 0.0))
		return;

	double skin = circles_skin(i, j);
	double far = 1.0001 * (i->radius + j->radius + skin + left * (fabs(r.wx) + fabs(r.wy) + left * bend));

	if (!(r.dx * r.dx + r.dy * r.dy > far * far))
		predict_meeting(world, a, b, &r, start, skin);
}

/* A body's motion as seen from a segment: along it (scaled by its length) and over it. */
struct face_view {
	double s, s_rate, s_acceleration;
	double height, rate, acceleration;
};

static struct face_view
face_view(const struct body *body, const struct segment *segment)
{
	double px = body->x - segment->x1, py = body->y - segment->y1;

	return (struct face_view){
		.s = px * segment->ux + py * segment->uy,
		.s_rate = body->vx * segment->ux + body->vy * segment->uy,
		.s_acceleration = body->ax * segment->ux + body->ay * segment->uy,
		.height = cross_exact(segment->ux, segment->uy, px, py) / segment->length,
		.rate = cross_exact(segment->ux, segment->uy, body->vx, body->vy) / segment->length,
		.acceleration = cross_exact(segment->ux, segment->uy, body->ax, body->ay) / segment->length,
	};
}

/* Whether the foot of the centre is on the segment at t, widened by `seam`: the vertex's cone and the face overlap a little so
 * that nothing slips through between them. */
static bool
face_covers(const struct face_view *view, const struct segment *segment, double seam, double t)
{
	double s = view->s + t * (view->s_rate + 0.5 * t * view->s_acceleration);

	return s >= -seam * segment->length && s <= (segment->length + seam) * segment->length;
}

/* The first impact with one side of the face; `side` +1 is left of the segment's direction. */
static double
face_side_toi(const struct face_view *view, const struct segment *segment, double R, double seam, int side, double duration)
{
	double height = side > 0 ? view->height : -view->height;
	double rate = side > 0 ? view->rate : -view->rate;
	double acceleration = side > 0 ? view->acceleration : -view->acceleration;
	double toi = toi_height(height, rate, acceleration, R, duration);

	if (toi < (double)INFINITY && face_covers(view, segment, seam, toi))
		return toi;
	return (double)INFINITY;
}

/* A support ends where the face's widened range has ended for good, or the face would take the body back at once. */
static void
predict_support_end(struct world *world, uint32_t body, uint32_t index)
{
	const struct body *path = &world->bodies[body];
	const struct segment *segment = &world->segments[index];
	struct face_view view = face_view(path, segment);
	double margin = 2.0 * wall_skin(path, segment->rounding) * segment->length;
	double past = segment->length * segment->length - view.s;
	double duration = path_end(world, body) - path->t0;
	double first = (double)INFINITY;

	if (view.s_rate < 0.0 || view.s_acceleration < 0.0)
		first = toi_height(view.s + margin, view.s_rate, view.s_acceleration, 0.0, duration);
	if (view.s_rate > 0.0 || view.s_acceleration > 0.0) {
		double other = toi_height(past + margin, -view.s_rate, -view.s_acceleration, 0.0, duration);

		first = other < first ? other : first;
	}
	if (first < (double)INFINITY)
		push(world, &(struct event){
						.time = fmin(path->t0 + first, path_end(world, body)),
						.a = body,
						.b = index,
						.order = index,
						.kind = EVENT_SUPPORT_END,
						.epoch_a = world->infos[body].epoch,
					});
}

/* For a centre beside the segment: the time at which it comes over it, if it is nearer than R then and still sinks. A free
 * centre meets the end's vertex before; one that overlaps the next wall of a corner, or leaves it there, may not. */
static double
face_sideways_toi(const struct face_view *view, const struct segment *segment, double R, double duration, int *side)
{
	double end = segment->length * segment->length, enter;

	if (view->s < 0.0)
		enter = toi_height(-view->s, -view->s_rate, -view->s_acceleration, 0.0, duration);
	else
		enter = toi_height(view->s - end, view->s_rate, view->s_acceleration, 0.0, duration);
	if (!(enter < (double)INFINITY))
		return enter;

	double height = view->height + enter * (view->rate + 0.5 * enter * view->acceleration);
	double rate = view->rate + enter * view->acceleration;

	*side = height > 0.0 ? 1 : -1;
	return fabs(height) <= R && height * rate < 0.0 ? enter : (double)INFINITY;
}

double
impact_face(const struct world *world, const struct body *path, uint32_t index, double duration, int *side_out)
{
	const struct segment *segment = &world->segments[index];
	struct face_view view = face_view(path, segment);
	double skin = wall_skin(path, segment->rounding), R = path->radius + skin;

	if (fabs(view.height) - R > (fabs(view.rate) + 0.5 * fabs(view.acceleration) * duration) * duration)
		return (double)INFINITY;

	/* The side it is on; on the line itself, the one it comes from. */
	int own = view.height > 0.0 ? 1 : view.height < 0.0 ? -1 : view.rate > 0.0 ? -1 : 1;
	double first = face_side_toi(&view, segment, R, skin, own, duration);

	*side_out = own;
	if (!face_covers(&view, segment, skin, 0.0)) {
		int side = own;
		double sideways = face_sideways_toi(&view, segment, R, duration, &side);

		if (sideways < first) {
			first = sideways;
			*side_out = side;
		}
	}
	/* To come at the other side it must pass beside the segment and turn. */
	double height = own > 0 ? -view.height : view.height, rate = own > 0 ? -view.rate : view.rate;
	double acceleration = own > 0 ? -view.acceleration : view.acceleration;

	if (acceleration < 0.0 && rate > 0.0 && rate * rate + 2.0 * acceleration * (R - height) > 0.0) {
		double other = face_side_toi(&view, segment, R, skin, -own, duration);

		if (other < first) {
			first = other;
			*side_out = -own;
		}
	}
	return first;
}

static void
predict_face(struct world *world, uint32_t body, uint32_t index)
{
	const struct body *path = &world->bodies[body];

	if (!body_meets_segment(&world->infos[body], &world->segments[index]))
		return;
	if (world->infos[body].support != NONE && supported_by(world, body, EVENT_FACE, index)) {
		predict_support_end(world, body, index);
		return;
	}

	int side;
	double end = path_end(world, body), toi = impact_face(world, path, index, end - path->t0, &side);

	if (toi < (double)INFINITY)
		push(world, &(struct event){
						.time = fmin(path->t0 + toi, end),
						.a = body,
						.b = index,
						.order = index,
						.kind = EVENT_FACE,
						.feature = FEATURE_FACE,
						.side = (int8_t)side,
						.epoch_a = world->infos[body].epoch,
					});
}

/* The time at or after `from` at which the centre is in the vertex's cone, over the spokes that the body meets; `from` itself
 * if it is there then. INFINITY: not within `duration`. */
static double
cone_enter(const struct world *world, const struct body_info *info, const struct vertex *vertex, const struct relative *r,
           double seam, double from, double duration)
{
	double enter = from;

	for (uint32_t i = 0; i < vertex->spoke_count; i++) {
		const struct spoke *spoke = &world->spokes[vertex->first_spoke + i];

		if (!body_meets_segment(info, &world->segments[spoke->segment]))
			continue;

		double x = r->dx + from * (r->wx + 0.5 * from * r->qx), y = r->dy + from * (r->wy + 0.5 * from * r->qy);
		double s = x * spoke->ux + y * spoke->uy, edge = seam * spoke->length;

		if (s <= edge)
			continue;

		double rate = (r->wx + from * r->qx) * spoke->ux + (r->wy + from * r->qy) * spoke->uy;
		double acceleration = r->qx * spoke->ux + r->qy * spoke->uy;

		enter = fmax(enter, from + toi_height(s, rate, acceleration, 0.5 * edge, duration - from));
	}
	return enter;
}

static struct relative
relative_after(const struct relative *r, double t)
{
	return (struct relative){
		r->dx + t * (r->wx + 0.5 * t * r->qx),
		r->dy + t * (r->wy + 0.5 * t * r->qy),
		r->wx + t * r->qx,
		r->wy + t * r->qy,
		r->qx,
		r->qy,
	};
}

const struct spoke *
vertex_owner(const struct world *world, const struct body_info *info, const struct vertex *vertex)
{
	for (uint32_t i = 0; i < vertex->spoke_count; i++) {
		const struct spoke *spoke = &world->spokes[vertex->first_spoke + i];

		if (body_meets_segment(info, &world->segments[spoke->segment]))
			return spoke;
	}
	return NULL;
}

double
impact_vertex(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double R,
              double duration)
{
	const struct vertex *vertex = &world->vertices[index];
	struct relative r = { path->x - vertex->x, path->y - vertex->y, path->vx, path->vy, path->ax, path->ay };
	double skin = wall_skin(path, vertex->rounding), from = 0.0;
	bool straight = r.qx == 0.0 && r.qy == 0.0;

	for (int try = 0; try < CONE_TRIES_MAX; try++) {
		struct relative now = relative_after(&r, from);
		double toi = straight ? toi_straight(&now, R, duration - from) : toi_curved(&now, R, duration - from);

		if (!(toi < (double)INFINITY))
			break;

		double enter = cone_enter(world, info, vertex, &r, skin, from + toi, duration);

		if (enter == from + toi)
			return enter;
		if (!(enter < (double)INFINITY))
			break;
		from = enter;
	}
	return (double)INFINITY;
}

static void
predict_vertex(struct world *world, uint32_t body, uint32_t index)
{
	const struct body *path = &world->bodies[body];
	const struct body_info *info = &world->infos[body];
	double skin = wall_skin(path, world->vertices[index].rounding), R = path->radius + skin;
	const struct spoke *owner = vertex_owner(world, info, &world->vertices[index]);

	if (!owner)
		return;
	if (info->support != NONE && supported_by(world, body, EVENT_VERTEX, index))
		R = resting_distance(path->radius, skin);

	double end = path_end(world, body), toi = impact_vertex(world, info, path, index, R, end - path->t0);

	if (toi < (double)INFINITY)
		push(world, &(struct event){
						.time = fmin(path->t0 + toi, end),
						.a = body,
						.b = index,
						.order = owner->segment,
						.kind = EVENT_VERTEX,
						.feature = owner->feature,
						.epoch_a = info->epoch,
					});
}

static void
predict_walls(struct world *world, uint32_t body, uint32_t cell)
{
	const struct grid *grid = &world->grid;

	if (settle_clear(&world->infos[body]) || body_lies(&world->infos[body]))
		return;
	for (uint32_t k = grid->segment_starts[cell]; k < grid->segment_starts[cell + 1]; k++)
		predict_face(world, body, grid->segment_items[k]);
	for (uint32_t k = grid->vertex_starts[cell]; k < grid->vertex_starts[cell + 1]; k++)
		predict_vertex(world, body, grid->vertex_items[k]);
}

/* Predicts a body against those of a list. */
static void
predict_list(struct world *world, uint32_t body, uint32_t first)
{
	for (uint32_t other = first; other != NONE; other = world->grid.next[other])
		if (other != body)
			predict_circles(world, body < other ? body : other, body < other ? other : body);
}

static inline void
predict_cell(struct world *world, uint32_t body, uint32_t cell)
{
	predict_list(world, body, world->grid.heads[cell]);
}

/* Whether a body cannot come to a box in this tick. Seen generously. */
static inline bool
is_far(const struct body *that, const struct grid_box *box, double dt)
{
	double x = 1.0001 * (that->radius + dt * (fabs(that->vx) + dt * fabs(that->ax)));
	double y = 1.0001 * (that->radius + dt * (fabs(that->vy) + dt * fabs(that->ay)));

	return (that->x + x < box->x0) | (that->x - x > box->x1) | (that->y + y < box->y0) | (that->y - y > box->y1);
}

/* The same when all look at once, `rim` being where the body and its skins are going to be. Most pairs end here. */
static void
predict_list_all(struct world *world, uint32_t body, uint32_t first, const struct grid_box *rim)
{
	for (uint32_t other = first; other != NONE; other = world->grid.next[other])
		if (!is_far(&world->bodies[other], rim, world->dt) && other != body)
			predict_circles(world, body < other ? body : other, body < other ? other : body);
}

/* When a body will leave its cell from a time on; INFINITY: not on its present path. */
static double
predict_leave(struct world *world, uint32_t body, double from)
{
	const struct body *path = &world->bodies[body];

	if (path->vx == 0.0 && path->vy == 0.0 && path->ax == 0.0 && path->ay == 0.0)
		return (double)INFINITY;

	double position[2], velocity[2];
	const double acceleration[2] = { path->ax, path->ay };

	body_at(path, from, position, velocity);

	double leave = from + grid_leave(&world->grid, body, position, velocity, acceleration, path_end(world, body) - from);

	if (leave < (double)INFINITY)
		push(world, &(struct event){
						.time = leave,
						.a = body,
						.kind = EVENT_TRANSFER,
						.epoch_a = world->infos[body].epoch,
					});
	return leave;
}

/* Holds the centre of a body that follows its path from a time on for `duration`. */
static inline struct grid_box
path_box(const struct body *path, double from, double duration)
{
	double position[2], velocity[2], half = 0.5 * duration * duration;

	body_at(path, from, position, velocity);

	double bend_x = half * fabs(path->ax), bend_y = half * fabs(path->ay);
	double x = position[0] + duration * velocity[0], y = position[1] + duration * velocity[1];

	return (struct grid_box){
		.x0 = lesser(position[0], x) - bend_x,
		.y0 = lesser(position[1], y) - bend_y,
		.x1 = larger(position[0], x) + bend_x,
		.y1 = larger(position[1], y) + bend_y,
	};
}

/* Predicts a body against those of the other levels from `level` on (a stray against all) along its path from a time on up to
 * when it leaves its cell. */
static void
predict_levels(struct world *world, uint32_t body, uint32_t level, double from, double leave)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	bool stray = is_stray(world, body);

	if (!stray && (grid->level_count < 2 || level >= grid->level_count))
		return;

	const struct grid_box box = path_box(path, from, lesser(leave, path_end(world, body)) - from);
	struct grid_look look = grid_look_begin(grid, stray ? 0 : level, stray ? NONE : grid->level_of[body], &box,
	                                        look_radius(path));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		predict_cell(world, body, cell);
}

void
predict_body(struct world *world, uint32_t body)
{
	const struct grid *grid = &world->grid;
	const struct grid_level *level = &grid->levels[grid->level_of[body]];
	double from = world->bodies[body].t0;
	uint32_t cell = grid->cell_of[body];
	struct grid_range range = grid_around(level, cell);

	for (uint32_t r = range.r0; r <= range.r1; r++)
		for (uint32_t c = range.c0; c <= range.c1; c++)
			predict_cell(world, body, level->first + r * level->columns + c);
	predict_walls(world, body, cell);

	double leave = predict_leave(world, body, from);

	predict_levels(world, body, 0, from, leave);
}

static bool
cells_adjacent(const struct grid_level *level, uint32_t a, uint32_t b)
{
	int64_t columns = (int64_t)((a - level->first) % level->columns) - (int64_t)((b - level->first) % level->columns);
	int64_t rows = (int64_t)((a - level->first) / level->columns) - (int64_t)((b - level->first) / level->columns);

	return columns >= -1 && columns <= 1 && rows >= -1 && rows <= 1;
}

void
predict_transfer(struct world *world, uint32_t body, double time)
{
	struct grid *grid = &world->grid;
	const struct grid_level *level = &grid->levels[grid->level_of[body]];
	double position[2], velocity[2];

	body_at(&world->bodies[body], time, position, velocity);

	uint32_t old = grid->cell_of[body], cell = grid_cell(grid, body, position[0], position[1]);
	struct grid_range range = grid_around(level, cell);

	grid_move(grid, body, cell);
	for (uint32_t r = range.r0; r <= range.r1; r++)
		for (uint32_t c = range.c0; c <= range.c1; c++)
			if (!cells_adjacent(level, level->first + r * level->columns + c, old))
				predict_cell(world, body, level->first + r * level->columns + c);
	predict_walls(world, body, cell);

	double leave = predict_leave(world, body, time);

	predict_levels(world, body, 0, time, leave);
}

/* A body against those behind it in reading order of its level's cells, so that each pair of neighbours is seen once. */
static void
predict_later(struct world *world, uint32_t body, const struct grid_box *rim)
{
	const struct grid *grid = &world->grid;
	const struct grid_level *level = &grid->levels[grid->level_of[body]];
	uint32_t cell = grid->cell_of[body];
	uint32_t column = (cell - level->first) % level->columns, row = (cell - level->first) / level->columns;

	predict_list_all(world, body, grid->next[body], rim);
	if (column + 1 < level->columns)
		predict_list_all(world, body, grid->heads[cell + 1], rim);
	if (row + 1 >= level->rows)
		return;

	uint32_t c0 = column > 0 ? column - 1 : 0, c1 = column + 1 < level->columns ? column + 1 : column;

	for (uint32_t c = c0; c <= c1; c++)
		predict_list_all(world, body, grid->heads[level->first + (row + 1) * level->columns + c], rim);
}

/* A body that stays in its cell against those of larger levels. */
static void
predict_larger(struct world *world, uint32_t body, const struct grid_box *centre, const struct grid_box *rim)
{
	const struct grid *grid = &world->grid;
	struct grid_look look = grid_look_begin(grid, grid->level_of[body] + 1u, NONE, centre, look_radius(&world->bodies[body]));

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look))
		predict_list_all(world, body, grid->heads[cell], rim);
}

/* All events of a body from `time` on when all look at once; of those with others, the ones that are its to find: see grid.h. */
static void
predict_start(struct world *world, uint32_t body, double time)
{
	const struct grid *grid = &world->grid;
	const struct body *path = &world->bodies[body];
	const struct grid_box centre = path_box(path, path->t0, path_end(world, body) - path->t0);
	double wide = look_radius(path);

	wide += 0.0001 * (wide + (centre.x1 - centre.x0) + (centre.y1 - centre.y0));

	const struct grid_box rim = { centre.x0 - wide, centre.y0 - wide, centre.x1 + wide, centre.y1 + wide };
	uint32_t larger_level = grid->level_of[body] + 1u;

	predict_later(world, body, &rim);
	predict_walls(world, body, grid->cell_of[body]);
	if (!grid_stays(grid, body, &centre) || is_stray(world, body))
		predict_levels(world, body, larger_level, time, predict_leave(world, body, time));
	else if (larger_level < grid->level_count)
		predict_larger(world, body, &centre, &rim);
}

void
predict_all(struct world *world, double time)
{
	grid_follow(&world->grid, world, time);
	for (uint32_t i = 0; i < world->body_count && !world->failed; i++) {
		if (i % BODIES_PER_QUESTION == BODIES_PER_QUESTION - 1 && world_asked_to_stop(world))
			return;
		predict_start(world, i, time);
	}
}
