/* The nearest shapes: boxes are visited nearest first, until none can be nearer than those that are kept. */
#include "physics/geometry/view.h"
#include "physics/queries/space_private.h"

struct nearest_run {
	const struct space *space;
	const struct space_filter *filter;
	const struct tolerance *tolerance;
	struct disc disc;
	double slack; /* rounding that a bound must allow for */
	double gap_max;
	struct first_hits hits;
};

static int
compare_gap(const struct space_hit *a, const struct space_hit *b)
{
	if (a->gap != b->gap)
		return a->gap < b->gap ? -1 : 1;
	return space_hit_compare_id(a, b);
}

/* A shape within the box is no nearer than the box, and lies no deeper around a point than the box does. */
static double
nearest_bound(const void *context, const struct box *box)
{
	const struct nearest_run *run = context;
	double x = larger(box->x0 - run->disc.x, run->disc.x - box->x1), y = larger(box->y0 - run->disc.y, run->disc.y - box->y1);
	double distance = larger(x, y);

	if (x > 0.0 && y > 0.0)
		distance = sqrt(x * x + y * y);
	return distance - fabs(distance) * SPACE_ROUNDING - run->disc.radius - run->slack;
}

static double
nearest_most(const struct nearest_run *run)
{
	if (run->hits.failed || run->hits.limit == 0)
		return -(double)INFINITY;
	return first_hits_full(&run->hits) ? run->hits.out->hits[0].gap : run->gap_max;
}

static double
nearest_add(struct nearest_run *run, bool segment, uint32_t id, const struct shape_distance *distance)
{
	if (distance->gap <= run->gap_max) {
		const struct space_hit hit = {
			.segment = segment,
			.id = id,
			.feature = distance->feature,
			.relation = distance->relation,
			.gap = distance->gap,
			.x = run->disc.x,
			.y = run->disc.y,
			.point = { distance->b_point[0], distance->b_point[1] },
			.normal = { distance->normal[0], distance->normal[1] },
		};

		(void)first_hits_add(&run->hits, &hit);
	}
	return nearest_most(run);
}

static double
on_circle(void *context, uint32_t index)
{
	struct nearest_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;

	if (!space_filter_circle(run->filter, &shapes->circles[index]))
		return nearest_most(run);

	struct shape_distance distance = distance_circles(&run->disc, &shapes->discs[index], run->tolerance);

	return nearest_add(run, false, shapes->circles[index].id, &distance);
}

static double
on_segment(void *context, uint32_t index)
{
	struct nearest_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;
	struct shape_distance distance;

	if (!space_filter_segment(run->filter, &shapes->segments[index]))
		return nearest_most(run);
	/* The points differ: that was checked. */
	(void)!distance_segment(&run->disc, &shapes->walls[index], READING_FILLED, run->tolerance, &distance);
	return nearest_add(run, true, shapes->segments[index].id, &distance);
}

enum status
space_nearest(const struct space *space, const struct space_circle *circle, double gap_max, const struct tolerance *tolerance,
              const struct space_filter *filter, size_t limit, struct space_hits *out)
{
	out->count = 0;
	if (!space_coordinate_good(circle->x) || !space_coordinate_good(circle->y) || !space_radius_good(circle->radius) ||
	    !(gap_max >= 0.0) || !space_tolerance_good(tolerance))
		return STATUS_INVALID_ARGUMENT;

	struct nearest_run run = {
		.space = space,
		.filter = filter,
		.tolerance = tolerance,
		.disc = { .x = circle->x, .y = circle->y, .radius = circle->radius },
		.slack = (larger(fabs(circle->x), fabs(circle->y)) + circle->radius) * SPACE_ROUNDING,
		.gap_max = gap_max,
		.hits = { .out = out, .limit = limit, .compare = compare_gap },
	};
	struct box_walk walk = { .bound = nearest_bound, .found = on_circle, .context = &run, .most = nearest_most(&run) };

	box_tree_walk(&space->circle_tree, &walk);
	walk.found = on_segment;
	walk.most = nearest_most(&run);
	box_tree_walk(&space->segment_tree, &walk);
	return first_hits_finish(&run.hits);
}
