/* Rays and circle casts: sweep.c for each shape with a box that the way enters before the last hit that is kept. */
#include "physics/geometry/view.h"
#include "physics/queries/space_private.h"
#include "physics/world/world.h"

/* Shorter movements are scaled up, because their squares would underflow. */
#define SHORT 0x1p-300
#define LONGER 0x1p700

struct cast_run {
	const struct space *space;
	const struct space_filter *filter;
	const struct space_cast *cast;
	struct disc disc; /* the caster, its movement as velocity */
	struct space_way way;
	struct first_hits hits;
};

static int
compare_fraction(const struct space_hit *a, const struct space_hit *b)
{
	if (a->fraction != b->fraction)
		return a->fraction < b->fraction ? -1 : 1;
	return space_hit_compare_id(a, b);
}

/* When start + t move is inside low..high: *enter grows to the entry, *leave shrinks to the exit. False: it never is. */
static bool
slab_clip(double low, double high, double start, double move, double *enter, double *leave)
{
	double first = (low - start) / move, second = (high - start) / move;

	if (move == 0.0)
		return low <= start && start <= high;
	if (first > second) {
		double swap = first;

		first = second;
		second = swap;
	}
	*enter = larger(*enter, first);
	*leave = *leave < second ? *leave : second;
	return *enter <= *leave;
}

struct space_way
space_way_of(double x, double y, double vx, double vy, double radius)
{
	double size = larger(larger(fabs(x), fabs(y)), larger(fabs(vx), fabs(vy)));

	return (struct space_way){ x, y, vx, vy, radius + (radius + size) * SPACE_ROUNDING };
}

double
space_way_bound(const struct space_way *way, const struct box *box)
{
	double enter = 0.0, leave = 1.0;

	if (!slab_clip(box->x0 - way->reach, box->x1 + way->reach, way->x, way->vx, &enter, &leave) ||
	    !slab_clip(box->y0 - way->reach, box->y1 + way->reach, way->y, way->vy, &enter, &leave))
		return (double)INFINITY;
	return enter;
}

static double
cast_bound(const void *context, const struct box *box)
{
	const struct cast_run *run = context;

	return space_way_bound(&run->way, box);
}

/* The largest fraction that still matters. */
static double
cast_most(const struct cast_run *run)
{
	if (run->hits.failed || run->hits.limit == 0)
		return -(double)INFINITY;
	return first_hits_full(&run->hits) ? run->hits.out->hits[0].fraction : 1.0;
}

/* Whether a shape is hit, by its sweep and its distance at the start; fills in everything except its identity. */
static bool
cast_judge(const struct cast_run *run, const struct sweep *sweep, const struct shape_distance *start, struct space_hit *hit)
{
	bool overlaps = start->gap < 0.0 && sweep->outcome != SWEEP_HIT;

	if (overlaps && run->cast->start != START_HITS && (run->cast->start == START_PASSES || sweep->outcome != SWEEP_AT_START))
		return false;
	if (!overlaps && sweep->outcome != SWEEP_HIT && sweep->outcome != SWEEP_AT_START)
		return false;
	if (overlaps) {
		hit->relation = RELATION_OVERLAPPING;
		hit->feature = start->feature;
		hit->gap = start->gap;
		hit->x = run->disc.x;
		hit->y = run->disc.y;
	} else {
		hit->relation = RELATION_TOUCHING;
		hit->feature = sweep->feature;
		hit->fraction = sweep->time;
		hit->x = sweep->a[0];
		hit->y = sweep->a[1];
	}
	for (int i = 0; i < 2; i++) {
		hit->point[i] = overlaps ? start->b_point[i] : sweep->point[i];
		hit->normal[i] = overlaps ? start->normal[i] : sweep->normal[i];
	}
	return true;
}

static double
on_circle(void *context, uint32_t index)
{
	struct cast_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;
	struct disc b = shapes->discs[index];
	const struct tolerance none = { 0.0, 0.0 };

	if (!space_filter_circle(run->filter, &shapes->circles[index]))
		return cast_most(run);
	b.vx = b.vy = 0.0;

	struct sweep sweep = sweep_circles(&run->disc, &b, 0.0, 1.0);
	struct shape_distance start = distance_circles(&run->disc, &b, &none);
	struct space_hit hit = { .id = shapes->circles[index].id };

	if (cast_judge(run, &sweep, &start, &hit))
		(void)first_hits_add(&run->hits, &hit);
	return cast_most(run);
}

/* When a ray along the segment's line reaches the nearer end: there the gap falls to 0. */
static bool
ray_meets_end(const struct wall *wall, const struct wall_view *view, struct dd2 way, double scale, struct sweep *sweep)
{
	struct dd2 from = view->feature == FEATURE_END_1 ? view->from_1 : view->from_2;
	struct dd nearer = dd_negative(dd_dot(from, way));

	if (!(dd_sign(nearer) > 0.0))
		return false;

	struct dd time = dd_multiply(dd_divide(nearer, dd_dot(way, way)), dd_of(scale));

	if (dd_compare(time, dd_of(1.0)) > 0.0)
		return false;
	sweep->outcome = SWEEP_HIT;
	sweep->feature = view->feature;
	sweep->time = dd_value(time);
	sweep->a[0] = sweep->point[0] = view->feature == FEATURE_END_1 ? wall->x1 : wall->x2;
	sweep->a[1] = sweep->point[1] = view->feature == FEATURE_END_1 ? wall->y1 : wall->y2;
	return view_unit(from, sweep->normal);
}

/* A ray that starts beside the segment. It has no width to meet an end with. So the side on which it passes an end is decided
 * by that point and the ray alone. Segments that share the end agree on it, and nothing slips through between them. */
static void
ray_sweep(const struct disc *ray, const struct wall *wall, struct sweep *sweep)
{
	struct wall_view view = wall_view_of(ray, wall);
	double scale = fabs(ray->vx) < SHORT && fabs(ray->vy) < SHORT ? LONGER : 1.0;
	struct dd2 way = { dd_multiply(view.movement.x, dd_of(scale)), dd_multiply(view.movement.y, dd_of(scale)) };
	double side_1 = dd_sign(dd_cross(way, view.from_1)), side_2 = dd_sign(dd_cross(way, view.from_2));
	/* Height over the segment now, and its decrease over the whole way, both times the segment's length. */
	struct dd sinking = dd_cross(way, view.along), height = dd_multiply(view.turn, dd_of(scale));

	if (dd_sign(height) < 0.0) {
		sinking = dd_negative(sinking);
		height = dd_negative(height);
	}
	sweep->outcome = SWEEP_PASSES;
	if (wall->one_sided && !(dd_sign(view.turn) > 0.0))
		return;
	if (side_1 == 0.0 && side_2 == 0.0) {
		if (view.feature != FEATURE_FACE)
			(void)ray_meets_end(wall, &view, way, scale, sweep);
		return;
	}
	if ((side_1 > 0.0 && side_2 > 0.0) || (side_1 < 0.0 && side_2 < 0.0))
		return;
	if (!(dd_sign(height) > 0.0 && dd_sign(sinking) > 0.0) || dd_compare(height, sinking) > 0.0)
		return;
	sweep->outcome = SWEEP_HIT;
	sweep->feature = FEATURE_FACE;
	sweep->time = dd_value(dd_divide(height, sinking));
	sweep->a[0] = sweep->point[0] = fma(ray->vx, sweep->time, ray->x);
	sweep->a[1] = sweep->point[1] = fma(ray->vy, sweep->time, ray->y);
	wall_view_normal(&view, sweep->normal);
}

static double
on_segment(void *context, uint32_t index)
{
	struct cast_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;
	const struct wall *wall = &shapes->walls[index];
	const struct tolerance none = { 0.0, 0.0 };

	if (!space_filter_segment(run->filter, &shapes->segments[index]))
		return cast_most(run);

	struct space_hit hit = { .segment = true, .id = shapes->segments[index].id };
	struct shape_distance start;
	struct sweep sweep;

	/* The points differ: that was checked, so neither can fail. */
	(void)!distance_segment(&run->disc, wall, READING_FILLED, &none, &start);
	(void)!sweep_segment(&run->disc, wall, READING_FILLED, 0.0, 1.0, &sweep);
	/* A cast that starts inside a one-sided segment passes it. */
	if (wall->one_sided && start.gap < 0.0)
		return cast_most(run);
	if (run->disc.radius == 0.0 && wall->radius == 0.0 && start.gap > 0.0)
		ray_sweep(&run->disc, wall, &sweep);
	if (cast_judge(run, &sweep, &start, &hit))
		(void)first_hits_add(&run->hits, &hit);
	return cast_most(run);
}

static bool
cast_good(const struct space_cast *cast)
{
	return space_coordinate_good(cast->x) && space_coordinate_good(cast->y) && fabs(cast->move_x) <= SPACE_MOVE_MAX &&
	       fabs(cast->move_y) <= SPACE_MOVE_MAX && space_radius_good(cast->radius) && cast->start <= START_PASSES;
}

enum status
space_cast(const struct space *space, const struct space_cast *cast, const struct space_filter *filter, size_t limit,
           struct space_hits *out)
{
	out->count = 0;
	if (!cast_good(cast))
		return STATUS_INVALID_ARGUMENT;

	struct cast_run run = {
		.space = space,
		.filter = filter,
		.cast = cast,
		.disc = { cast->x, cast->y, cast->radius, cast->move_x, cast->move_y },
		.way = space_way_of(cast->x, cast->y, cast->move_x, cast->move_y, cast->radius),
		.hits = { .out = out, .limit = limit, .compare = compare_fraction },
	};
	struct box_walk walk = { .bound = cast_bound, .found = on_circle, .context = &run, .most = cast_most(&run) };

	box_tree_walk(&space->circle_tree, &walk);
	walk.found = on_segment;
	walk.most = cast_most(&run);
	box_tree_walk(&space->segment_tree, &walk);
	return first_hits_finish(&run.hits);
}
