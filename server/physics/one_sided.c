#include "physics/one_sided.h"

#include "physics/predict.h"

#include <math.h>

/* How often the search for a contact with an end starts again: see CONE_TRIES_MAX in predict_walls.c; and an end may be passed
 * and come to once more. */
#define TRIES_MAX 16

bool
one_sided_stops(const struct segment *segment, double x, double y, double radii, double skin)
{
	double px = x - segment->x1, py = y - segment->y1;
	double s = px * segment->ux + py * segment->uy;
	double height = cross_exact(segment->ux, segment->uy, px, py) / segment->length, distance = height;

	if (!(height > 0.0))
		return false;
	if (s < 0.0) {
		distance = sqrt(px * px + py * py);
	} else if (s > segment->length * segment->length) {
		double qx = x - segment->x2, qy = y - segment->y2;

		distance = sqrt(qx * qx + qy * qy);
	}
	return distance >= radii - skin;
}

/* What the search for one end's contact knows. */
struct search {
	const struct world *world;
	const struct body_info *info;
	const struct body *path;
	const struct vertex *vertex;
	const struct spoke *end;
	bool sided; /* the end's own segment is one-sided */
	struct relative r;
	double radii, skin, duration;
};

/* The centre at a time, from the vertex. */
struct place {
	double x, y, vx, vy;
};

static struct place
place_at(const struct relative *r, double t)
{
	return (struct place){
		r->dx + t * (r->wx + 0.5 * t * r->qx),
		r->dy + t * (r->wy + 0.5 * t * r->qy),
		r->wx + t * r->qx,
		r->wy + t * r->qy,
	};
}

/* When the quantity x . u, which is more than it may be, has come down to `low`. */
static double
line_enter(const struct search *search, const struct place *at, double ux, double uy, double low, double t)
{
	return t + toi_height(at->x * ux + at->y * uy, at->vx * ux + at->vy * uy, search->r.qx * ux + search->r.qy * uy, low,
	                      search->duration - t);
}

/* The direction of the segment that ends there, as its definition has it. */
static void
own_direction(const struct spoke *end, double u[2])
{
	double sign = end->feature == FEATURE_END_2 ? -1.0 : 1.0;

	u[0] = sign * end->ux;
	u[1] = sign * end->uy;
}

/* Whether another segment of the vertex stops the circle where it is. */
static bool
other_stops(const struct search *search, const struct segment *segment, const struct place *at)
{
	const struct vertex *v = search->vertex;

	return one_sided_stops(segment, v->x + at->x, v->y + at->y, search->path->radius + segment->radius, search->skin);
}

/* The time from t on at which a spoke does not hide the end: t itself if it does not then. INFINITY: not soon. *passes: what
 * hides it stops the circle too; look again when that is over. */
static double
spoke_reveal(const struct search *search, const struct spoke *spoke, const struct place *at, double t, bool *passes)
{
	const struct segment *segment = &search->world->segments[spoke->segment];

	if (!body_meets_segment(search->world, search->info, segment))
		return t;

	double s = at->x * spoke->ux + at->y * spoke->uy;
	struct cone_edge cone = cone_edge(search->radii, search->skin);
	bool solid = !wall_one_sided(search->world, search->info, segment);

	if (spoke->feature == FEATURE_FACE) {
		if (solid)
			return (double)INFINITY;
		*passes = *passes || other_stops(search, segment, at);
		return t;
	}
	if (s <= cone.edge * spoke->length)
		return t;
	if (solid || search->sided || other_stops(search, segment, at))
		return line_enter(search, at, spoke->ux, spoke->uy, cone.enter * spoke->length, t);
	return t;
}

/* The time from t on at which the end is exposed: t itself if it is then. */
static double
end_expose(const struct search *search, double t)
{
	const struct vertex *vertex = search->vertex;
	struct place at = place_at(&search->r, t);
	double enter = t;
	bool passes = false;

	for (uint32_t k = 0; k < vertex->spoke_count; k++)
		enter = fmax(enter, spoke_reveal(search, &search->world->spokes[vertex->first_spoke + k], &at, t, &passes));
	if (search->sided) {
		double u[2], edge = search->skin * search->end->length;

		own_direction(search->end, u);
		/* Not left of the line: the height, u x d, must come up to more than 0. */
		if (!(cross_exact(u[0], u[1], at.x, at.y) > 0.0))
			enter = fmax(enter, line_enter(search, &at, u[1], -u[0], -0.5 * edge, t));
	}
	if (passes && enter == t) {
		struct relative now = { at.x, at.y, at.vx, at.vy, search->r.qx, search->r.qy };

		enter = t + toi_recede(&now, search->duration - t);
		return enter > t && enter < search->duration ? enter : (double)INFINITY;
	}
	return enter;
}

static double
end_toi(const struct search *search, double R)
{
	double from = 0.0, least = search->sided ? search->radii - search->skin : -(double)INFINITY;

	for (int try = 0; try < TRIES_MAX; try++) {
		struct place at = place_at(&search->r, from);
		struct relative now = { at.x, at.y, at.vx, at.vy, search->r.qx, search->r.qy };
		double toi = from + toi_outside(&now, least, R, search->duration - from);

		if (!(toi < (double)INFINITY))
			break;

		double expose = end_expose(search, toi);

		if (expose == toi)
			return toi;
		if (!(expose < (double)INFINITY))
			break;
		from = expose;
	}
	return (double)INFINITY;
}

static struct search
search_begin(const struct world *world, const struct body_info *info, const struct body *path, const struct vertex *vertex,
             double duration)
{
	return (struct search){
		.world = world,
		.info = info,
		.path = path,
		.vertex = vertex,
		.r = { path->x - vertex->x, path->y - vertex->y, path->vx, path->vy, path->ax, path->ay },
		.radii = path->radius + vertex->radius,
		.skin = wall_skin(path, vertex->rounding),
		.duration = duration,
	};
}

/* Goes on with a spoke; false if it is no end, or one that the body does not meet. */
static bool
search_take(struct search *search, uint32_t k)
{
	search->end = &search->world->spokes[search->vertex->first_spoke + k];

	const struct segment *segment = &search->world->segments[search->end->segment];

	search->sided = wall_one_sided(search->world, search->info, segment);
	return search->end->feature != FEATURE_FACE && body_meets_segment(search->world, search->info, segment);
}

double
one_sided_vertex_toi(const struct world *world, const struct body_info *info, const struct body *path,
                     const struct vertex *vertex, double R, double duration, const struct spoke **owner)
{
	struct search search = search_begin(world, info, path, vertex, duration);
	double first = (double)INFINITY;

	*owner = NULL;
	for (uint32_t k = 0; k < vertex->spoke_count; k++) {
		double toi = search_take(&search, k) ? end_toi(&search, R) : (double)INFINITY;

		if (toi < first) {
			first = toi;
			*owner = search.end;
		}
	}
	return first;
}

const struct spoke *
one_sided_vertex_at(const struct world *world, const struct body_info *info, const struct body *path,
                    const struct vertex *vertex, double x, double y)
{
	struct search search = search_begin(world, info, path, vertex, 0.0);
	double dx = x - vertex->x, dy = y - vertex->y;

	search.r = (struct relative){ .dx = dx, .dy = dy };
	for (uint32_t k = 0; k < vertex->spoke_count; k++)
		if (search_take(&search, k) && (!search.sided || sqrt(dx * dx + dy * dy) >= search.radii - search.skin) &&
		    end_expose(&search, 0.0) == 0.0)
			return search.end;
	return NULL;
}

double
one_sided_end_leave(const struct body *path, const struct vertex *vertex, const struct spoke *spoke, double duration)
{
	double u[2], skin = wall_skin(path, vertex->rounding), dx = path->x - vertex->x, dy = path->y - vertex->y;

	own_direction(spoke, u);
	return toi_height(cross_exact(u[0], u[1], dx, dy) + 2.0 * skin * spoke->length, cross_exact(u[0], u[1], path->vx, path->vy),
	                  cross_exact(u[0], u[1], path->ax, path->ay), 0.0, duration);
}
