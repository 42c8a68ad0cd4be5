#include "physics/prediction/one_sided_search.h"

#include "physics/prediction/predict.h"
#include "physics/world/spoke.h"

#include <math.h>

/* Limit of restarts of the search for a contact with an end: see CONE_TRIES_MAX in predict_walls.c. An end may in addition be
 * passed and approached once more. */
#define TRIES_MAX 64

/* The data of the search for one end's contact. */
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

/* The centre's place relative to the vertex, at some time. */
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

/* When the quantity x . u, which is above its limit, has come down to `low`. */
static double
line_enter(const struct search *search, const struct place *at, double ux, double uy, double low, double t)
{
	return t + toi_height(at->x * ux + at->y * uy, at->vx * ux + at->vy * uy, search->r.qx * ux + search->r.qy * uy, low,
	                      search->duration - t);
}

/* The direction, as defined, of the segment that ends there. */
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

/* What hides an end from a time on. `until`: up to when one of the spokes certainly hides it. `again`: when to test anew, where
 * a segment that the end lies on stops the circle. */
struct hiding {
	double until, again;
};

/* The spoke as far as it hides an end by its face alone. A one-sided segment's far end need not stop the circle: it may belong
 * to a chain that the circle passes. */
static struct spoke
spoke_of_face(const struct spoke *spoke)
{
	struct spoke face = *spoke;

	face.before_max = face.behind_max = 0.0;
	face.high = spoke->feature == FEATURE_FACE ? spoke->high : spoke->length;
	return face;
}

/* Whether a segment continues another one in its direction: what is left of the one is left of the other. A segment continues
 * itself. */
static bool
goes_on(const struct spoke *end, const struct spoke *spoke)
{
	if (spoke == end)
		return true;
	return end->feature == FEATURE_END_2 ? spoke->begins : spoke->ends;
}

/* Accounts for one spoke, with the centre at `at` at time t. A joint hides what a one-sided chain must not stop: a circle that
 * passes one link is not stopped at the end of the next. An end may also lie in the middle of a one-sided segment. That segment
 * hides it only from circles that it stops, while they approach. */
static void
spoke_hide(const struct search *search, const struct spoke *spoke, const struct place *at, double t, struct hiding *hiding)
{
	const struct segment *segment = &search->world->walls.segments[spoke->segment];
	struct cone_edge cone = cone_edge(search->radii, search->skin);
	double reach = search->radii + search->skin;
	bool solid = !wall_one_sided(search->world, search->info, segment), chain = search->sided && goes_on(search->end, spoke);
	const struct spoke hider = solid || chain ? *spoke : spoke_of_face(spoke);

	if (!body_meets_segment(search->world, search->info, segment) ||
	    !spoke_hides_vertex(&hider, at->x, at->y, cone.edge, reach))
		return;

	struct relative now = { at->x, at->y, at->vx, at->vy, search->r.qx, search->r.qy };
	double leave = t + spoke_leave(&hider, &now, cone.enter, reach, search->duration - t);

	if (solid || chain)
		hiding->until = fmax(hiding->until, leave);
	else if (other_stops(search, segment, at) && (spoke->begins || spoke->ends))
		hiding->until = fmax(hiding->until, leave);
	else if (other_stops(search, segment, at))
		hiding->again = fmin(hiding->again, fmin(leave, t + toi_recede(&now, search->duration - t)));
}

/* The time from t on at which the end is exposed: t itself if it is exposed then. */
static double
end_expose(const struct search *search, double t)
{
	const struct vertex *vertex = search->vertex;
	struct place at = place_at(&search->r, t);
	struct hiding hiding = { .until = t, .again = (double)INFINITY };

	for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(WALL_UNITS); k++)
		spoke_hide(search, &search->world->walls.spokes[vertex->first_spoke + k], &at, t, &hiding);
	if (search->sided) {
		double u[2], edge = search->skin * search->end->length;

		own_direction(search->end, u);
		/* Not left of the line: the height, u x d, must rise above 0. */
		if (!(cross_exact(u[0], u[1], at.x, at.y) > 0.0))
			hiding.until = fmax(hiding.until, line_enter(search, &at, u[1], -u[0], -0.5 * edge, t));
	}
	if (hiding.again < (double)INFINITY && hiding.until == t)
		return hiding.again > t && hiding.again < search->duration ? hiding.again : (double)INFINITY;
	return hiding.until;
}

static double
end_toi(const struct search *search, double R)
{
	double from = 0.0, least = search->sided ? search->radii - search->skin : -(double)INFINITY;

	for (int try = 0;; try++) {
		struct place at = place_at(&search->r, from);
		struct relative now = { at.x, at.y, at.vx, at.vy, search->r.qx, search->r.qy };
		double toi = from + toi_outside(&now, least, R, search->duration - from);

		if (!(toi < (double)INFINITY) || try == TRIES_MAX)
			return toi;
		from = end_expose(search, toi);
		if (from == toi || !(from < (double)INFINITY))
			return from;
	}
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

/* Continues with a spoke; false if it is no end, or one that the body does not meet. */
static bool
search_take(struct search *search, uint32_t k)
{
	search->end = &search->world->walls.spokes[search->vertex->first_spoke + k];

	const struct segment *segment = &search->world->walls.segments[search->end->segment];

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
	for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(WALL_UNITS); k++) {
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
	for (uint32_t k = 0; k < vertex->spoke_count && !pause_after(WALL_UNITS); k++)
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
