/* Making a space, and what all queries share: which shapes are tested, and keeping the first results. */
#include "base/memory.h"
#include "base/pause.h"
#include "physics/queries/space_private.h"
#include "physics/world/collision_filter.h"

#include <math.h>

static double
box_extent(const struct box *box)
{
	return larger(larger(fabs(box->x0), fabs(box->x1)), larger(fabs(box->y0), fabs(box->y1)));
}

static bool
space_fill(struct space *space)
{
	const struct sorted_shapes *shapes = &space->shapes;

	space->circle_boxes = memory_alloc((shapes->circle_count + (size_t)1) * sizeof *space->circle_boxes);
	space->segment_boxes = memory_alloc((shapes->segment_count + (size_t)1) * sizeof *space->segment_boxes);
	if (!space->circle_boxes || !space->segment_boxes)
		return false;
	for (uint32_t i = 0; i < shapes->circle_count && !pause_after(4); i++) {
		const struct disc *disc = &shapes->discs[i];

		space->circle_boxes[i] = space_box_padded(disc->x, disc->y, disc->x, disc->y, disc->radius);
		space->radius_max = larger(space->radius_max, disc->radius);
		space->extent = larger(space->extent, box_extent(&space->circle_boxes[i]));
	}
	for (uint32_t i = 0; i < shapes->segment_count && !pause_after(4); i++) {
		struct wall *wall = &space->shapes.walls[i];

		/* Queries are about shapes at rest. */
		wall->vx = wall->vy = 0.0;
		space->segment_boxes[i] = space_box_padded(wall->x1, wall->y1, wall->x2, wall->y2, wall->radius);
		space->radius_max = larger(space->radius_max, wall->radius);
		space->extent = larger(space->extent, box_extent(&space->segment_boxes[i]));
	}
	return box_tree_build(&space->circle_tree, space->circle_boxes, shapes->circle_count) &&
	       box_tree_build(&space->segment_tree, space->segment_boxes, shapes->segment_count);
}

/* From shapes, which it takes over. */
static enum status
space_make(struct sorted_shapes *shapes, struct space **out)
{
	struct space *space = memory_zeroed(1, sizeof *space);

	if (!space) {
		sorted_shapes_finish(shapes);
		return STATUS_RESOURCE_EXHAUSTED;
	}
	space->shapes = *shapes;
	if (!space_fill(space)) {
		space_destroy(space);
		return pause_stopped() ? STATUS_CANCELLED : STATUS_RESOURCE_EXHAUSTED;
	}
	*out = space;
	return pause_stopped() ? STATUS_CANCELLED : STATUS_OK;
}

enum status
space_create(const struct world_def *def, struct def_problem *problem, struct space **out)
{
	struct sorted_shapes shapes;
	enum status status = sorted_shapes_init(&shapes, def, problem);

	return status == STATUS_OK ? space_make(&shapes, out) : status;
}

enum status
space_create_of_world(const struct world *world, struct space **out)
{
	struct sorted_shapes shapes;
	enum status status = sorted_shapes_init_world(&shapes, world);

	return status == STATUS_OK ? space_make(&shapes, out) : status;
}

void
space_destroy(struct space *space)
{
	if (!space)
		return;
	box_tree_finish(&space->circle_tree);
	box_tree_finish(&space->segment_tree);
	memory_free(space->circle_boxes);
	memory_free(space->segment_boxes);
	sorted_shapes_finish(&space->shapes);
	memory_free(space);
}

size_t
space_memory_bytes(const struct space *space)
{
	size_t boxes = (size_t)space->shapes.circle_count + space->shapes.segment_count;

	return sizeof *space + sorted_shapes_memory_bytes(&space->shapes) + boxes * sizeof *space->circle_boxes +
	       box_tree_memory_bytes(&space->circle_tree) + box_tree_memory_bytes(&space->segment_tree);
}

struct space_filter
space_filter_default(void)
{
	return (struct space_filter){ .category = 1, .mask = UINT32_MAX };
}

static bool
named(const uint32_t *ids, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static bool
asker_meets(const struct space_filter *filter, const struct shape *shape)
{
	int groups = filter_groups_meet(filter->filter_group, shape->filter_group);

	return groups > 0 || (groups == 0 && masks_meet(filter->category, filter->mask, shape->category, shape->mask));
}

bool
space_filter_circle(const struct space_filter *filter, const struct shape *circle)
{
	return asker_meets(filter, circle) && !circle->sensor &&
	       !named(filter->ignore_circles, filter->ignore_circle_count, circle->id);
}

bool
space_filter_segment(const struct space_filter *filter, const struct shape *segment)
{
	return asker_meets(filter, segment) && !segment->sensor &&
	       !named(filter->ignore_segments, filter->ignore_segment_count, segment->id);
}

bool
space_coordinate_good(double value)
{
	return fabs(value) <= PHYSICS_COORDINATE_MAX;
}

bool
space_radius_good(double value)
{
	return value == 0.0 || (value >= PHYSICS_RADIUS_MIN && value <= PHYSICS_RADIUS_MAX);
}

bool
space_tolerance_good(const struct tolerance *tolerance)
{
	return tolerance->absolute >= 0.0 && tolerance->absolute <= PHYSICS_COORDINATE_MAX && tolerance->relative >= 0.0 &&
	       tolerance->relative <= 1.0;
}

struct box
space_box_padded(double x0, double y0, double x1, double y1, double reach)
{
	double left = fmin(x0, x1), right = fmax(x0, x1), low = fmin(y0, y1), high = fmax(y0, y1);
	double size = larger(larger(fabs(left), fabs(right)), larger(fabs(low), fabs(high)));
	double pad = reach + (reach + size) * SPACE_ROUNDING;

	return (struct box){ left - pad, low - pad, right + pad, high + pad };
}

void
space_hits_finish(struct space_hits *hits)
{
	memory_free(hits->hits);
	*hits = (struct space_hits){ .count = 0 };
}

int
space_hit_compare_id(const struct space_hit *a, const struct space_hit *b)
{
	if (a->segment != b->segment)
		return a->segment ? 1 : -1;
	return a->id < b->id ? -1 : a->id > b->id;
}

/* Up to the limit, results are kept in the order in which they come. Then they form a heap with the last of them on top. */
static void
sink(const struct first_hits *hits, size_t place, size_t count)
{
	struct space_hit *heap = hits->out->hits, moving = heap[place];

	(void)pause_after(8);
	for (;;) {
		size_t child = 2 * place + 1;

		if (child >= count)
			break;
		if (child + 1 < count && hits->compare(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (hits->compare(&moving, &heap[child]) >= 0)
			break;
		heap[place] = heap[child];
		place = child;
	}
	heap[place] = moving;
}

static void
heapify(const struct first_hits *hits)
{
	for (size_t place = hits->out->count / 2; place-- > 0 && !pause_after(4);)
		sink(hits, place, hits->out->count);
}

bool
first_hits_add(struct first_hits *hits, const struct space_hit *hit)
{
	struct space_hits *out = hits->out;

	if (hits->limit == 0)
		return true;
	if (first_hits_full(hits)) {
		if (hits->compare(hit, &out->hits[0]) < 0) {
			out->hits[0] = *hit;
			sink(hits, 0, out->count);
		}
		return true;
	}
	if (!array_reserve(&out->hits, &out->capacity, out->count + 1, sizeof *out->hits)) {
		hits->failed = true;
		return false;
	}
	out->hits[out->count++] = *hit;
	if (first_hits_full(hits))
		heapify(hits);
	return true;
}

enum status
first_hits_finish(struct first_hits *hits)
{
	struct space_hits *out = hits->out;

	if (hits->failed) {
		out->count = 0;
		return STATUS_RESOURCE_EXHAUSTED;
	}
	/* Heap sort: in place, no memory. */
	if (!first_hits_full(hits))
		heapify(hits);
	for (size_t last = out->count; last-- > 1 && !pause_after(16);) {
		struct space_hit top = out->hits[0];

		out->hits[0] = out->hits[last];
		out->hits[last] = top;
		sink(hits, 0, last);
	}
	return pause_stopped() ? STATUS_CANCELLED : STATUS_OK;
}
