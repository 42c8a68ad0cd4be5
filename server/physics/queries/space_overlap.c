/* What is in a circle, a box or along a segment: each shape with an overlapping box is tested by itself. */
#include "physics/geometry/clearance.h"
#include "physics/geometry/view.h"
#include "physics/queries/space_private.h"

struct overlap_run {
	const struct space *space;
	const struct space_filter *filter;
	const struct tolerance *tolerance;
	const struct space_circle *circle; /* the query shape: this, or */
	struct core core;
	double size; /* of its numbers */
	struct first_hits hits;
};

/* The place that a result for a circle refers to. */
static void
hit_of_distance(const struct overlap_run *run, const struct shape_distance *distance, struct space_hit *hit)
{
	hit->feature = distance->feature;
	hit->relation = distance->relation;
	hit->gap = distance->gap;
	hit->x = run->circle->x;
	hit->y = run->circle->y;
	for (int i = 0; i < 2; i++) {
		hit->point[i] = distance->b_point[i];
		hit->normal[i] = distance->normal[i];
	}
}

static struct disc
disc_of(const struct space_circle *circle)
{
	return (struct disc){ .x = circle->x, .y = circle->y, .radius = circle->radius };
}

static bool
on_circle(void *context, uint32_t index)
{
	struct overlap_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;
	const struct disc *b = &shapes->discs[index];
	struct space_hit hit = { .id = shapes->circles[index].id };

	if (!space_filter_circle(run->filter, &shapes->circles[index]))
		return true;
	if (run->circle) {
		struct disc a = disc_of(run->circle);
		struct shape_distance distance = distance_circles(&a, b, run->tolerance);

		hit_of_distance(run, &distance, &hit);
	} else {
		struct core centre = core_point(b->x, b->y);

		hit.gap = dd_value(dd_subtract(clearance(&run->core, &centre), dd_of(b->radius)));
		hit.relation = view_relation(hit.gap, b->radius, larger(run->size, view_disc_size(b)), run->tolerance);
	}
	return hit.relation == RELATION_NONE || first_hits_add(&run->hits, &hit);
}

static bool
on_segment(void *context, uint32_t index)
{
	struct overlap_run *run = context;
	const struct sorted_shapes *shapes = &run->space->shapes;
	const struct wall *b = &shapes->walls[index];
	struct space_hit hit = { .segment = true, .id = shapes->segments[index].id };

	if (!space_filter_segment(run->filter, &shapes->segments[index]))
		return true;
	if (run->circle) {
		struct disc a = disc_of(run->circle);
		struct shape_distance distance;

		/* The points differ: that was checked. */
		(void)!distance_segment(&a, b, READING_FILLED, run->tolerance, &distance);
		hit_of_distance(run, &distance, &hit);
	} else {
		struct core core = core_segment(b->x1, b->y1, b->x2, b->y2);

		hit.gap = dd_value(dd_subtract(clearance(&run->core, &core), dd_of(b->radius)));
		hit.relation = view_relation(hit.gap, b->radius, larger(run->size, view_wall_size(b)), run->tolerance);
	}
	return hit.relation == RELATION_NONE || first_hits_add(&run->hits, &hit);
}

/* Tests all shapes with boxes that overlap the query's box, grown by the tolerance. */
static enum status
overlap_run(struct overlap_run *run, double x0, double y0, double x1, double y1, double radius)
{
	const struct space *space = run->space;
	double reach = radius + run->tolerance->absolute + run->tolerance->relative * (radius + space->radius_max);
	struct box box = space_box_padded(x0, y0, x1, y1, reach);

	if (run->hits.limit > 0 && box_tree_query(&space->circle_tree, &box, on_circle, run))
		(void)box_tree_query(&space->segment_tree, &box, on_segment, run);
	return first_hits_finish(&run->hits);
}

enum status
space_overlap_circle(const struct space *space, const struct space_circle *circle, const struct tolerance *tolerance,
                     const struct space_filter *filter, size_t limit, struct space_hits *out)
{
	struct overlap_run run = { .space = space,
		                       .filter = filter,
		                       .tolerance = tolerance,
		                       .circle = circle,
		                       .hits = { .out = out, .limit = limit, .compare = space_hit_compare_id } };

	out->count = 0;
	if (!space_coordinate_good(circle->x) || !space_coordinate_good(circle->y) || !space_radius_good(circle->radius) ||
	    !space_tolerance_good(tolerance))
		return STATUS_INVALID_ARGUMENT;
	return overlap_run(&run, circle->x, circle->y, circle->x, circle->y, circle->radius);
}

static enum status
core_overlap(const struct space *space, const struct core *core, const double extent[4], const struct tolerance *tolerance,
             const struct space_filter *filter, size_t limit, struct space_hits *out)
{
	struct overlap_run run = { .space = space,
		                       .filter = filter,
		                       .tolerance = tolerance,
		                       .core = *core,
		                       .hits = { .out = out, .limit = limit, .compare = space_hit_compare_id } };

	out->count = 0;
	if (!space_tolerance_good(tolerance))
		return STATUS_INVALID_ARGUMENT;
	for (int i = 0; i < 4; i++) {
		if (!space_coordinate_good(extent[i]))
			return STATUS_INVALID_ARGUMENT;
		run.size = larger(run.size, fabs(extent[i]));
	}
	return overlap_run(&run, extent[0], extent[1], extent[2], extent[3], 0.0);
}

enum status
space_overlap_box(const struct space *space, const struct space_box *box, const struct tolerance *tolerance,
                  const struct space_filter *filter, size_t limit, struct space_hits *out)
{
	struct core core = core_box(box->x0, box->y0, box->x1, box->y1);
	const double extent[4] = { box->x0, box->y0, box->x1, box->y1 };

	if (!(box->x0 <= box->x1 && box->y0 <= box->y1)) {
		out->count = 0;
		return STATUS_INVALID_ARGUMENT;
	}
	return core_overlap(space, &core, extent, tolerance, filter, limit, out);
}

enum status
space_overlap_segment(const struct space *space, const struct wall *segment, const struct tolerance *tolerance,
                      const struct space_filter *filter, size_t limit, struct space_hits *out)
{
	struct core core = core_segment(segment->x1, segment->y1, segment->x2, segment->y2);
	const double extent[4] = { segment->x1, segment->y1, segment->x2, segment->y2 };

	return core_overlap(space, &core, extent, tolerance, filter, limit, out);
}
