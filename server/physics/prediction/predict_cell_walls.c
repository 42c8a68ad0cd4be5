/* The walls that a cell lists, against a body that is in it. Happy path: most walls that have not been predicted yet are missed
 * by the box around the body's path. What can go wrong: the queue finds no memory (world->failed). */
#include "physics/prediction/predict_private.h"
#include "physics/world/moving_walls.h"
#include "physics/world/substep.h"

#include <math.h>

/* In radii: how far gravity bends a path that is worth asking when it has left all walls. */
#define FAR_RADII 64.0
/* Larger discriminants might be infinite. */
#define DISC_MAX 1e300

/* The walls of one kind in a cell, ascending; and those of a cell with walls that were predicted before. */
struct wall_list {
	const uint32_t *item, *end, *known, *known_end;
};

static struct wall_list
wall_list(const uint32_t *starts, const uint32_t *items, uint32_t cell, uint32_t known)
{
	struct wall_list list = { .item = items + starts[cell], .end = items + starts[cell + 1] };

	if (known != NONE) {
		list.known = items + starts[known];
		list.known_end = items + starts[known + 1];
	}
	return list;
}

/* The next wall that is not known, or NONE. */
static inline uint32_t
wall_next(struct wall_list *list)
{
	for (; list->item < list->end; list->item++) {
		while (list->known < list->known_end && *list->known < *list->item)
			list->known++;
		if (list->known == list->known_end || *list->known != *list->item)
			return *list->item++;
	}
	return NONE;
}

/* A box that holds a circle on its path, with the right and upper side negated. Wider by far than the rounding of a contact. */
struct path_box {
	two low, high;
};

/* A circle's radius, widened. */
static inline double
path_wide(const struct body *path)
{
	return path->radius + 4.0 * wall_skin(path, 0.0);
}

/* The path is a Bezier curve of three points, and within their hull. */
static inline struct path_box
path_box(const struct body *path, double duration)
{
	double half = 0.5 * duration, wide = path_wide(path);
	two step = half * two_load(&path->vx), bend = half * duration * two_load(&path->ax);
	two reach = two_abs(step) + two_abs(bend), from = two_load(&path->x), middle = from + step, to = middle + step + bend;

	wide += 0.0001 * (wide + reach[0] + reach[1]);
	return (struct path_box){ two_lesser(two_lesser(from, middle), to) - wide,
		                      -two_larger(two_larger(from, middle), to) - wide };
}

/* Whether a wall's box (grid_wall_boxes) is disjoint from it. */
static inline bool
box_misses(const struct path_box *box, const double *wall)
{
	two right = box->low + two_load(wall + 2), left = box->high + two_load(wall);

	return larger(larger(right[0], right[1]), larger(left[0], left[1])) > 0.0;
}

/* From when on a coordinate x(t) of a path, with the acceleration a < 0, stays below `low`. */
static inline double
below_from(double x, double v, double a, double low)
{
	double above = x - low, disc = v * v - 2.0 * a * above;

	if (v > 0.0)
		return disc > 0.0 ? (v + sqrt(disc)) / -a : 0.0;
	return above > 0.0 && disc < DISC_MAX ? 2.0 * above / (sqrt(disc) - v) : above > 0.0 ? (double)INFINITY : 0.0;
}

/* How long a path takes, at most, until it has left a box, as in grid_wall_boxes, for good. In a long tick of huge
 * accelerations it goes on for many orders of magnitude. */
static double
path_stays(const struct body *path, two low, two high, double duration)
{
	double wide = 1.0001 * path_wide(path);

	for (int i = 0; i < 2; i++) {
		double x = i == 0 ? path->x : path->y, v = i == 0 ? path->vx : path->vy, a = i == 0 ? path->ax : path->ay;
		double stays = (double)INFINITY;

		if (a < 0.0)
			stays = below_from(x, v, a, low[i] - wide);
		else if (a > 0.0)
			stays = below_from(-x, -v, -a, high[i] - wide);
		duration = lesser(duration, 1.0001 * stays);
	}
	return duration;
}

/* The same for all walls of two lists. */
static __attribute__((noinline)) double
path_stays_among(const struct body *path, const double *boxes, size_t segment_count, struct wall_list segments,
                 struct wall_list vertices, double duration)
{
	const double *vertex_boxes = boxes + 4 * segment_count;
	two low = { (double)INFINITY, (double)INFINITY }, high = low;

	for (uint32_t k = wall_next(&segments); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&segments)) {
		low = two_lesser(low, two_load(boxes + 4 * (size_t)k));
		high = two_lesser(high, two_load(boxes + 4 * (size_t)k + 2));
	}
	for (uint32_t k = wall_next(&vertices); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&vertices)) {
		low = two_lesser(low, two_load(vertex_boxes + 4 * (size_t)k));
		high = two_lesser(high, two_load(vertex_boxes + 4 * (size_t)k + 2));
	}
	return path_stays(path, low, high, duration);
}

/* Whether a path is bent by so much that it may have left all walls long before its end. */
static inline bool
path_goes_far(const struct body *path, double duration)
{
	return 0.5 * duration * duration * (fabs(path->ax) + fabs(path->ay)) > FAR_RADII * path->radius;
}

/* The boxes of moving walls where they were at the tick's start, and the path as such a wall sees it. Most have one velocity.
 */
struct moving_view {
	const struct body *path;
	two low, high; /* of all listed, as in grid_wall_boxes */
	double duration, vx, vy;
	struct body seen;
	struct path_box box;
	bool made, supported;
};

/* Whether the path does not come into a moving wall's box. It sets `seen`. */
static bool
moving_misses(struct moving_view *view, const double *wall, double vx, double vy)
{
	if (!view->made || view->vx != vx || view->vy != vy) {
		double duration = view->duration;

		view->made = true;
		view->vx = vx;
		view->vy = vy;
		view->seen = path_seen(view->path, vx, vy);
		if (path_goes_far(view->path, duration))
			duration = path_stays(&view->seen, view->low, view->high, duration);
		view->box = path_box(&view->seen, duration);
	}
	return !view->supported && box_misses(&view->box, wall);
}

static void
segment_box(const struct segment *s, double box[4])
{
	wall_box_set(box, s->x1, s->y1, s->x2, s->y2, s->radius, s->rounding);
}

static void
vertex_box(const struct vertex *v, double box[4])
{
	wall_box_set(box, v->x, v->y, v->x, v->y, v->radius, v->rounding);
}

static struct moving_view
moving_view(const struct world *world, uint32_t body, struct wall_list segments, struct wall_list vertices)
{
	const struct body *path = &world->bodies.paths[body];
	struct moving_view view = {
		.path = path,
		.low = { (double)INFINITY, (double)INFINITY },
		.high = { (double)INFINITY, (double)INFINITY },
		.duration = path_end(world, body) - path->t0,
		.supported = world->bodies.infos[body].support != NONE,
	};
	double box[4];

	if (!path_goes_far(path, view.duration))
		return view;
	for (uint32_t k = wall_next(&segments); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&segments)) {
		segment_box(&world->walls.segments[k], box);
		view.low = two_lesser(view.low, two_load(box));
		view.high = two_lesser(view.high, two_load(box + 2));
	}
	for (uint32_t k = wall_next(&vertices); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&vertices)) {
		vertex_box(&world->walls.vertices[k], box);
		view.low = two_lesser(view.low, two_load(box));
		view.high = two_lesser(view.high, two_load(box + 2));
	}
	return view;
}

/* An immovable wall has passed over a crushed circle already, and one that is gone is not there. Without the walls of the cell
 * `known`. */
static void
predict_moving(struct world *world, uint32_t body, uint32_t cell, uint32_t known)
{
	const struct grid_walls *walls = &world->grid.moving;
	struct wall_list segments = wall_list(walls->segment_starts, walls->segment_items, cell, known);
	struct wall_list vertices = wall_list(walls->vertex_starts, walls->vertex_items, cell, known);
	double box[4];

	if (world->bodies.infos[body].kind != BODY_DYNAMIC || world->bodies.infos[body].mode >= MODE_CRUSHED)
		return;

	struct moving_view view = moving_view(world, body, segments, vertices);

	for (uint32_t k = wall_next(&segments); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&segments)) {
		const struct segment *segment = &world->walls.segments[k];

		segment_box(segment, box);
		if (!moving_misses(&view, box, segment->vx, segment->vy))
			predict_face(world, body, &view.seen, k);
	}
	for (uint32_t k = wall_next(&vertices); k != NONE && !pause_after(WALL_UNITS); k = wall_next(&vertices)) {
		const struct vertex *vertex = &world->walls.vertices[k];

		vertex_box(vertex, box);
		if (!moving_misses(&view, box, vertex->vx, vertex->vy))
			predict_vertex(world, body, &view.seen, k);
	}
}

/* Predicts those of two lists that the body's box meets. `many`: there are so many that it asks meanwhile (base/pause.h). */
__attribute__((always_inline)) static inline void
predict_lists(struct world *world, uint32_t body, struct wall_list segments, struct wall_list vertices, bool many)
{
	const struct body *path = &world->bodies.paths[body];
	const double *boxes = grid_wall_boxes(&world->grid);
	double duration = path_end(world, body) - path->t0;

	if (path_goes_far(path, duration))
		duration = path_stays_among(path, boxes, world->walls.segment_count, segments, vertices, duration);

	uint32_t segment = wall_next(&segments), vertex = wall_next(&vertices);

	if (segment == NONE && vertex == NONE)
		return;

	const struct path_box box = path_box(path, duration);

	for (; segment != NONE && !(many && pause_after(WALL_UNITS)); segment = wall_next(&segments))
		if (!box_misses(&box, boxes + 4 * (size_t)segment))
			predict_face(world, body, path, segment);
	boxes += 4 * (size_t)world->walls.segment_count;
	for (; vertex != NONE && !(many && pause_after(WALL_UNITS)); vertex = wall_next(&vertices))
		if (!box_misses(&box, boxes + 4 * (size_t)vertex))
			predict_vertex(world, body, path, vertex);
}

static __attribute__((noinline)) void
predict_many(struct world *world, uint32_t body, struct wall_list segments, struct wall_list vertices)
{
	predict_lists(world, body, segments, vertices, true);
}

/* For a body without supports: it cannot meet a wall that its box misses. Without the walls of the cell `known`. */
static void
predict_near(struct world *world, uint32_t body, uint32_t cell, uint32_t known)
{
	const struct grid_walls *walls = &world->grid.still;
	struct wall_list segments = wall_list(walls->segment_starts, walls->segment_items, cell, known);
	struct wall_list vertices = wall_list(walls->vertex_starts, walls->vertex_items, cell, known);

	if (grid_walls_many(&world->grid, cell))
		predict_many(world, body, segments, vertices);
	else
		predict_lists(world, body, segments, vertices, false);
}

void
predict_walls_new(struct world *world, uint32_t body, uint32_t cell, uint32_t before)
{
	/* All walls of its cell were predicted when its path began, by an event of this tick; since then, those of each cell that
	 * it came to. A domain does not have the events of another. */
	if (!world->bodies.marks[body].is_free || !(world->bodies.paths[body].t0 > 0.0) || world->gate.domain) {
		predict_walls(world, body, cell);
		return;
	}
	if (world->grid.moving.listed)
		predict_moving(world, body, cell, before);
	predict_near(world, body, cell, before);
}

void
predict_walls(struct world *world, uint32_t body, uint32_t cell)
{
	const struct grid *grid = &world->grid;
	const struct grid_walls *walls = &grid->still;
	const struct body *path = &world->bodies.paths[body];
	const struct body_info *info = &world->bodies.infos[body];
	/* A clean body's info need not be read. */
	bool clean = upkeep_is_clean(world->bodies.clean[body]);

	if (!clean && handover_clear(world, body))
		return;
	if (grid->moving.listed)
		predict_moving(world, body, cell, NONE);
	if (!clean && body_lies(info))
		return;
	if (clean || info->support == NONE) {
		predict_near(world, body, cell, NONE);
		return;
	}
	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		predict_face(world, body, path, walls->segment_items[k]);
	for (uint32_t k = walls->vertex_starts[cell]; k < walls->vertex_starts[cell + 1] && !pause_after(WALL_UNITS); k++)
		predict_vertex(world, body, path, walls->vertex_items[k]);
}
