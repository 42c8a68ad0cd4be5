/* Happy path: for each wall of a cell, the time of impact of a body's path with its face, and for each vertex, that with the
 * vertex. What can go wrong: the queue finds no memory (world->failed, the tick fails). */
#include "physics/geometry/toi.h"
#include "physics/prediction/one_sided_search.h"
#include "physics/prediction/predict_private.h"
#include "physics/prediction/rounding_drift.h"
#include "physics/world/moving_walls.h"
#include "physics/world/one_sided.h"
#include "physics/world/spoke.h"
#include "physics/world/substep.h"

#include <math.h>

/* Limit of restarts of the search for a vertex contact after an interval in which the vertex is hidden. A parabola crosses each
 * of the lines that bound such intervals at most twice. */
#define CONE_TRIES_MAX 32
/* Fraction of a time: 8 ulp, a bound of the rounding of a parabola's root and of the place there. */
#define TOI_ROUNDING 0x1p-50

/* A body's motion relative to a segment: along it (times its length) and over it. */
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

/* Whether the foot of the centre is on the segment at t, widened by `seam`. The vertex's cone (cone_edge) and the face overlap
 * a little, so that nothing slips through between them. */
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

/* A body that is stopped for the rest of the tick does not move with a moving wall, whatever it rested on. */
static bool
wall_supports(const struct world *world, uint32_t body, uint8_t kind, uint32_t index)
{
	const struct body_info *info = &world->bodies.infos[body];

	return info->support != NONE && !mode_halts(info->mode) && supported_by(world, body, kind, index);
}

/* A support ends only where the path leaves the face's widened range for good; otherwise the face would support the body again
 * at once. */
static void
predict_support_end(struct world *world, uint32_t body, const struct body *path, uint32_t index)
{
	const struct segment *segment = &world->walls.segments[index];
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
		event_push(world, &(struct event){
							  .time = fmin(path->t0 + first, path_end(world, body)),
							  .a = body,
							  .b = index,
							  .order = index,
							  .kind = EVENT_SUPPORT_END,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}

/* For a centre beside the segment: the time at which it comes over it, if it is then nearer than R and still approaching. A
 * free centre meets the end's vertex first. One that overlaps the next wall of a corner, or leaves it there, may not. */
static inline double
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

/* The same for a wall that stops circles from its left only. A parabola comes down to it from outside at most once. */
static double
face_left_toi(const struct face_view *view, const struct segment *segment, double radii, double skin, double duration)
{
	double least = radii - skin, R = radii + skin;
	double toi = toi_height_outside(view->height, view->rate, view->acceleration, least, R, duration);

	if (toi < (double)INFINITY && face_covers(view, segment, skin, toi))
		return toi;
	if (face_covers(view, segment, skin, 0.0))
		return (double)INFINITY;

	int side = 1;
	double enter = face_sideways_toi(view, segment, R, duration, &side);

	if (!(enter < (double)INFINITY) || side < 0)
		return (double)INFINITY;

	double height = view->height + enter * (view->rate + 0.5 * enter * view->acceleration);

	return height >= least ? enter : (double)INFINITY;
}

/* The side of a face that a body is on; for a centre on the line itself, the side it comes from. */
static int
face_side(const struct face_view *view)
{
	return view->height > 0.0 ? 1 : view->height < 0.0 ? -1 : view->rate > 0.0 ? -1 : 1;
}

/* As impact_face, for a segment that stops circles from both sides; R: the distance of contact. */
static inline double
face_toi(const struct face_view *view, const struct segment *segment, double skin, double R, double duration, int *side_out)
{
	int own = face_side(view);
	double first = face_side_toi(view, segment, R, skin, own, duration);

	*side_out = own;
	if (!face_covers(view, segment, skin, 0.0)) {
		int side = own;
		double sideways = face_sideways_toi(view, segment, R, duration, &side);

		if (sideways < first) {
			first = sideways;
			*side_out = side;
		}
	}
	/* To reach the other side it must pass beside the segment and turn. */
	double height = own > 0 ? -view->height : view->height, rate = own > 0 ? -view->rate : view->rate;
	double acceleration = own > 0 ? -view->acceleration : view->acceleration;

	if (acceleration < 0.0 && rate > 0.0 && rate * rate + 2.0 * acceleration * (R - height) > 0.0) {
		double other = face_side_toi(view, segment, R, skin, -own, duration);

		if (other < first) {
			first = other;
			*side_out = -own;
		}
	}
	return first;
}

/* A path's impact with a face, and whether the path begins within the distance of contact. */
struct face_impact {
	double toi;
	int side;
	bool near;
};

static inline struct face_impact
face_impact(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double duration)
{
	const struct segment *segment = &world->walls.segments[index];
	struct face_view view = face_view(path, segment);
	double skin = wall_skin(path, segment->rounding), R = path->radius + segment->radius + skin;
	struct face_impact impact = { .toi = (double)INFINITY };

	if (fabs(view.height) - R > (fabs(view.rate) + 0.5 * fabs(view.acceleration) * duration) * duration)
		return impact;
	impact.near = fabs(view.height) < R;
	impact.side = face_side(&view);
	if (wall_one_sided(world, info, segment)) {
		impact.side = 1;
		impact.toi = face_left_toi(&view, segment, path->radius + segment->radius, skin, duration);
	} else {
		impact.toi = face_toi(&view, segment, skin, R, duration, &impact.side);
	}
	return impact;
}

double
impact_face(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double duration,
            int *side_out)
{
	struct face_impact impact = face_impact(world, info, path, index, duration);

	*side_out = impact.side;
	return impact.toi;
}

/* The time of contact with a wall or vertex with the given rounding. */
static double
wall_time(const struct body *path, double toi, double rounding)
{
	double rate = path_rate(path->vx, path->vy, path->ax, path->ay, toi), skin = wall_skin(path, rounding);
	double time = meeting_time(path->t0, toi, rate, skin);

	/* The root of a parabola is rounded by some ulp, and so is the place at it. This applies where that time covers more than a
	 * quarter of the skin. */
	if ((path->ax != 0.0 || path->ay != 0.0) && rate * time * TOI_ROUNDING > 0.25 * skin)
		return larger(time * (1.0 - TOI_ROUNDING), path->t0);
	return time;
}

/* Whether a body sinks into a face without a contact in the tick (rounding_drift.h); tested once, at the tick's start. */
static __attribute__((noinline)) bool
face_drifts(const struct world *world, uint32_t body, uint32_t index, int side)
{
	const struct body_info *info = &world->bodies.infos[body];
	const struct body *path = &world->bodies.paths[body];
	const struct segment *segment = &world->walls.segments[index];

	if (path->t0 != 0.0 || info->events != 0 || info->kind != BODY_DYNAMIC || info->mode != MODE_MOVING)
		return false;
	if (wall_one_sided(world, info, segment) &&
	    (side < 0 ||
	     !one_sided_stops(segment, path->x, path->y, path->radius + segment->radius, wall_skin(path, segment->rounding))))
		return false;
	return face_raise(segment, path, side, world->step.dt) > 0.0;
}

void
predict_face(struct world *world, uint32_t body, const struct body *path, uint32_t index)
{
	if (!body_meets_segment(world, &world->bodies.infos[body], &world->walls.segments[index]))
		return;
	if (wall_supports(world, body, EVENT_FACE, index)) {
		predict_support_end(world, body, path, index);
		return;
	}

	double end = path_end(world, body);
	struct face_impact impact = face_impact(world, &world->bodies.infos[body], path, index, end - path->t0);

	if (impact.near && !(impact.toi < (double)INFINITY) && face_drifts(world, body, index, impact.side))
		impact.toi = 0.0;
	if (impact.toi < (double)INFINITY)
		event_push(world, &(struct event){
							  .time = fmin(wall_time(path, impact.toi, world->walls.segments[index].rounding), end),
							  .a = body,
							  .b = index,
							  .order = index,
							  .kind = EVENT_FACE,
							  .feature = FEATURE_FACE,
							  .side = (int8_t)impact.side,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}

/* The relative motion after a time. */
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

/* A vertex and its segments, as one circle meets them. */
struct vertex_view {
	const struct world *world;
	const struct body_info *info;
	const struct vertex *vertex;
	struct cone_edge cone;
	double reach; /* the distance of contact */
};

/* How long the segments that the body meets hide the vertex, from a motion's start on; 0 if it is exposed then. INFINITY: for
 * the whole duration. */
static double
vertex_hidden_for(const struct vertex_view *view, const struct relative *r, double duration)
{
	const struct world *world = view->world;
	double hidden = 0.0;

	for (uint32_t i = 0; i < view->vertex->spoke_count && !pause_after(1); i++) {
		const struct spoke *spoke = &world->walls.spokes[view->vertex->first_spoke + i];

		if (body_meets_segment(world, view->info, &world->walls.segments[spoke->segment]) &&
		    spoke_hides_vertex(spoke, r->dx, r->dy, view->cone.edge, view->reach))
			hidden = fmax(hidden, spoke_leave(spoke, r, view->cone.enter, view->reach, duration));
	}
	return hidden;
}

/* At a vertex where all segments stop circles from both sides: the lowest segment that ends there and that the body meets, or
 * NULL. */
static const struct spoke *
vertex_owner(const struct world *world, const struct body_info *info, const struct vertex *vertex)
{
	for (uint32_t i = 0; i < vertex->spoke_count && !pause_after(1); i++) {
		const struct spoke *spoke = &world->walls.spokes[vertex->first_spoke + i];

		if (spoke->feature != FEATURE_FACE && body_meets_segment(world, info, &world->walls.segments[spoke->segment]))
			return spoke;
	}
	return NULL;
}

/* The distance at which a circle makes contact with a vertex. */
static double
vertex_distance(const struct body *path, const struct vertex *vertex)
{
	return path->radius + vertex->radius + wall_skin(path, vertex->rounding);
}

static struct vertex_view
vertex_view(const struct world *world, const struct body_info *info, const struct body *path, const struct vertex *vertex)
{
	double radii = path->radius + vertex->radius, skin = wall_skin(path, vertex->rounding);

	return (struct vertex_view){ world, info, vertex, cone_edge(radii, skin), radii + skin };
}

/* The first impact at which no segment hides the vertex. If the search has used up its tries, the next impact counts, hidden or
 * not: that may be a contact too many, never one too few. */
static double
solid_vertex_toi(const struct vertex_view *view, const struct body *path, double R, double duration)
{
	const struct vertex *vertex = view->vertex;
	struct relative r = { path->x - vertex->x, path->y - vertex->y, path->vx, path->vy, path->ax, path->ay };
	double from = 0.0;
	bool straight = r.qx == 0.0 && r.qy == 0.0;

	for (int try = 0;; try++) {
		struct relative now = relative_after(&r, from);
		double toi = from + (straight ? toi_straight(&now, R, duration - from) : toi_curved(&now, R, duration - from));

		if (!(toi < (double)INFINITY) || try == CONE_TRIES_MAX)
			return toi;
		now = relative_after(&r, toi);

		double hidden = vertex_hidden_for(view, &now, duration - toi);

		if (hidden == 0.0)
			return toi;
		from = toi + hidden;
		if (!(from < (double)INFINITY))
			return from;
	}
}

static double
vertex_toi(const struct world *world, const struct body_info *info, const struct body *path, const struct vertex *vertex,
           double R, double duration, const struct spoke **owner)
{
	if (vertex->sided)
		return one_sided_vertex_toi(world, info, path, vertex, R, duration, owner);
	*owner = vertex_owner(world, info, vertex);
	if (!*owner)
		return (double)INFINITY;

	struct vertex_view view = vertex_view(world, info, path, vertex);

	return solid_vertex_toi(&view, path, R, duration);
}

double
impact_vertex(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double duration)
{
	const struct vertex *vertex = &world->walls.vertices[index];
	const struct spoke *owner;

	return vertex_toi(world, info, path, vertex, vertex_distance(path, vertex), duration, &owner);
}

const struct spoke *
vertex_touched(const struct world *world, const struct body_info *info, const struct body *path, uint32_t index, double x,
               double y)
{
	const struct vertex *vertex = &world->walls.vertices[index];

	if (vertex->sided)
		return one_sided_vertex_at(world, info, path, vertex, x, y);

	struct vertex_view view = vertex_view(world, info, path, vertex);
	struct relative r = { .dx = x - vertex->x, .dy = y - vertex->y };

	return vertex_hidden_for(&view, &r, 0.0) == 0.0 ? vertex_owner(world, info, vertex) : NULL;
}

const struct spoke *
vertex_spoke(const struct world *world, uint32_t index, uint32_t segment, uint8_t feature)
{
	const struct vertex *vertex = &world->walls.vertices[index];
	const struct spoke *spoke = &world->walls.spokes[vertex->first_spoke];

	while (spoke->segment != segment || spoke->feature != feature)
		spoke++;
	return spoke;
}

/* A one-sided segment supports a body at its end only as long as the body is left of it. */
static void
predict_cap_leave(struct world *world, uint32_t body, const struct body *path, const struct vertex *vertex,
                  const struct spoke *owner)
{
	double end = path_end(world, body), leave = one_sided_end_leave(path, vertex, owner, end - path->t0);

	if (leave < (double)INFINITY)
		event_push(world, &(struct event){
							  .time = fmin(path->t0 + leave, end),
							  .a = body,
							  .b = owner->segment,
							  .order = owner->segment,
							  .kind = EVENT_SUPPORT_END,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}

void
predict_vertex(struct world *world, uint32_t body, const struct body *path, uint32_t index)
{
	const struct body_info *info = &world->bodies.infos[body];
	const struct vertex *vertex = &world->walls.vertices[index];
	const struct spoke *owner;
	double skin = wall_skin(path, vertex->rounding), R = path->radius + vertex->radius + skin;

	if (wall_supports(world, body, EVENT_VERTEX, index)) {
		R = resting_distance(path->radius + vertex->radius, skin);
		if (vertex->sided && (owner = one_sided_vertex_at(world, info, path, vertex, path->x, path->y)) &&
		    wall_one_sided(world, info, &world->walls.segments[owner->segment]))
			predict_cap_leave(world, body, path, vertex, owner);
		if (supported_by_curves(world, body))
			predict_vertex_leave(world, body, path, index);
	}

	double end = path_end(world, body), toi = vertex_toi(world, info, path, vertex, R, end - path->t0, &owner);

	if (toi < (double)INFINITY)
		event_push(world, &(struct event){
							  .time = fmin(wall_time(path, toi, vertex->rounding), end),
							  .a = body,
							  .b = index,
							  .order = owner->segment,
							  .kind = EVENT_VERTEX,
							  .feature = owner->feature,
							  .epoch_a = world->bodies.marks[body].epoch,
						  });
}
