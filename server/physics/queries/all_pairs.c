/* Happy path: circles and segments are copied in the order of their ids, with boxes that hold them, their movement and every
 * tolerance. For one circle after another the trees give the candidates, which are sorted and then computed. What can go wrong:
 * no memory for the candidates of one circle. */
#include "physics/all_pairs.h"

#include "base/memory.h"
#include "physics/geometry/box_tree.h"
#include "physics/math/sort.h"
#include "physics/queries/sorted_shapes.h"
#include "physics/world/collision_filter.h"
#include "physics/world/world.h"

#include <math.h>

/* Circles queried, or candidates computed, before control returns to the caller. */
#define WORK_PER_CALL 256
/* Bound of the rounding that a box must allow for, per magnitude of its numbers: more than sweep.c and distance.c need. */
#define BOX_ROUNDING 0x1p-45

struct all_pairs {
	/* Immutable. */
	struct all_pairs_settings settings;
	struct sorted_shapes shapes;
	struct box *circle_boxes, *segment_boxes;
	struct box_tree circle_tree, segment_tree;

	/* The circle with candidates under way, or the next one. */
	uint32_t circle;
	bool listed;          /* its candidates are in the list */
	uint64_t *candidates; /* index, with bit 32 for a segment: sorts in the order of the results */
	size_t candidate_count, candidate_capacity, candidate_next;
	struct all_pairs_counts counts;
};

/* Grows a box by tolerance, skin and rounding. */
static struct box
box_padded(const struct all_pairs_settings *settings, struct box box, double radius)
{
	double size = fmax(fmax(fabs(box.x0), fabs(box.x1)), fmax(fabs(box.y0), fabs(box.y1)));
	double pad = settings->tolerance.absolute + settings->tolerance.relative * radius +
	             radius * (SKIN_PER_RADIUS + BOX_ROUNDING) + size * BOX_ROUNDING;

	return (struct box){ box.x0 - pad, box.y0 - pad, box.x1 + pad, box.y1 + pad };
}

static struct box
disc_box(const struct all_pairs_settings *settings, const struct disc *disc)
{
	double x = disc->x + disc->vx * settings->duration, y = disc->y + disc->vy * settings->duration;
	struct box box = { fmin(disc->x, x) - disc->radius, fmin(disc->y, y) - disc->radius, fmax(disc->x, x) + disc->radius,
		               fmax(disc->y, y) + disc->radius };

	return box_padded(settings, box, disc->radius);
}

static struct box
wall_box(const struct all_pairs_settings *settings, const struct wall *wall)
{
	struct box box = { fmin(wall->x1, wall->x2) - wall->radius, fmin(wall->y1, wall->y2) - wall->radius,
		               fmax(wall->x1, wall->x2) + wall->radius, fmax(wall->y1, wall->y2) + wall->radius };

	double x = wall->vx * settings->duration, y = wall->vy * settings->duration;

	box.x0 += fmin(x, 0.0);
	box.y0 += fmin(y, 0.0);
	box.x1 += fmax(x, 0.0);
	box.y1 += fmax(y, 0.0);
	return box_padded(settings, box, wall->radius);
}

static enum status
all_pairs_fill(struct all_pairs *all_pairs)
{
	const struct sorted_shapes *shapes = &all_pairs->shapes;

	all_pairs->circle_boxes = memory_alloc((shapes->circle_count + (size_t)1) * sizeof *all_pairs->circle_boxes);
	all_pairs->segment_boxes = memory_alloc((shapes->segment_count + (size_t)1) * sizeof *all_pairs->segment_boxes);
	if (!all_pairs->circle_boxes || !all_pairs->segment_boxes)
		return STATUS_RESOURCE_EXHAUSTED;
	for (uint32_t i = 0; i < shapes->circle_count && !pause_after(4); i++)
		all_pairs->circle_boxes[i] = disc_box(&all_pairs->settings, &shapes->discs[i]);
	for (uint32_t i = 0; i < shapes->segment_count && !pause_after(4); i++)
		all_pairs->segment_boxes[i] = wall_box(&all_pairs->settings, &shapes->walls[i]);
	return box_tree_build(&all_pairs->circle_tree, all_pairs->circle_boxes, shapes->circle_count) &&
	               box_tree_build(&all_pairs->segment_tree, all_pairs->segment_boxes, shapes->segment_count)
	           ? STATUS_OK
	       : pause_stopped() ? STATUS_CANCELLED
	                         : STATUS_RESOURCE_EXHAUSTED;
}

enum status
all_pairs_create(const struct world_def *def, const struct all_pairs_settings *settings, struct def_problem *problem,
                 struct all_pairs **out)
{
	struct all_pairs *all_pairs = memory_zeroed(1, sizeof *all_pairs);
	if (!all_pairs)
		return STATUS_RESOURCE_EXHAUSTED;
	all_pairs->settings = *settings;
	enum status status = sorted_shapes_init(&all_pairs->shapes, def, problem);
	if (status == STATUS_OK)
		status = all_pairs_fill(all_pairs);
	if (status != STATUS_OK) {
		all_pairs_destroy(all_pairs);
		return status;
	}
	*out = all_pairs;
	return STATUS_OK;
}

void
all_pairs_destroy(struct all_pairs *all_pairs)
{
	if (!all_pairs)
		return;
	box_tree_finish(&all_pairs->circle_tree);
	box_tree_finish(&all_pairs->segment_tree);
	sorted_shapes_finish(&all_pairs->shapes);
	memory_free(all_pairs->circle_boxes);
	memory_free(all_pairs->segment_boxes);
	memory_free(all_pairs->candidates);
	memory_free(all_pairs);
}

const struct all_pairs_counts *
all_pairs_counts(const struct all_pairs *all_pairs)
{
	return &all_pairs->counts;
}

size_t
all_pairs_memory_bytes(const struct all_pairs *all_pairs)
{
	size_t boxes = (size_t)all_pairs->shapes.circle_count + all_pairs->shapes.segment_count;

	return sizeof *all_pairs + sorted_shapes_memory_bytes(&all_pairs->shapes) + boxes * sizeof *all_pairs->circle_boxes +
	       box_tree_memory_bytes(&all_pairs->circle_tree) + box_tree_memory_bytes(&all_pairs->segment_tree) +
	       all_pairs->candidate_capacity * sizeof *all_pairs->candidates;
}

#define CANDIDATE_SEGMENT (UINT64_C(1) << 32)

static bool
candidate_add(struct all_pairs *all_pairs, uint64_t candidate)
{
	if (!array_reserve(&all_pairs->candidates, &all_pairs->candidate_capacity, all_pairs->candidate_count + 1,
	                   sizeof *all_pairs->candidates))
		return false;
	all_pairs->candidates[all_pairs->candidate_count++] = candidate;
	return true;
}

static bool
on_circle(void *context, uint32_t index)
{
	struct all_pairs *all_pairs = context;
	const struct shape *a = &all_pairs->shapes.circles[all_pairs->circle], *b = &all_pairs->shapes.circles[index];

	if (index <= all_pairs->circle || !sorted_shapes_meet(&all_pairs->shapes, a, b))
		return true;
	return candidate_add(all_pairs, index);
}

static bool
on_segment(void *context, uint32_t index)
{
	struct all_pairs *all_pairs = context;
	const struct shape *a = &all_pairs->shapes.circles[all_pairs->circle], *b = &all_pairs->shapes.segments[index];

	return !sorted_shapes_meet(&all_pairs->shapes, a, b) || candidate_add(all_pairs, CANDIDATE_SEGMENT | index);
}

static int
candidate_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Lists the shapes that the present circle may meet. False without memory. */
static bool
candidates_list(struct all_pairs *all_pairs)
{
	const struct box *box = &all_pairs->circle_boxes[all_pairs->circle];

	all_pairs->candidate_count = all_pairs->candidate_next = 0;
	if (!box_tree_query(&all_pairs->circle_tree, box, on_circle, all_pairs) ||
	    !box_tree_query(&all_pairs->segment_tree, box, on_segment, all_pairs))
		return false;
	if (all_pairs->candidate_count > 1)
		array_sort(all_pairs->candidates, all_pairs->candidate_count, sizeof *all_pairs->candidates, candidate_compare);
	all_pairs->listed = true;
	return true;
}

static void
circles_compute(const struct all_pairs *all_pairs, uint32_t index, struct all_pairs_row *out)
{
	const struct all_pairs_settings *settings = &all_pairs->settings;
	const struct disc *a = &all_pairs->shapes.discs[all_pairs->circle], *b = &all_pairs->shapes.discs[index];

	out->b = all_pairs->shapes.circles[index].id;
	out->distance = distance_circles(a, b, &settings->tolerance);
	if (settings->duration > 0.0)
		out->sweep = sweep_circles(a, b, settings->skin ? skin_circles(a, b) : 0.0, settings->duration);
}

static void
segment_compute(const struct all_pairs *all_pairs, uint32_t index, struct all_pairs_row *out)
{
	const struct all_pairs_settings *settings = &all_pairs->settings;
	const struct disc *a = &all_pairs->shapes.discs[all_pairs->circle];
	const struct shape *circle = &all_pairs->shapes.circles[all_pairs->circle], *segment = &all_pairs->shapes.segments[index];
	struct wall wall = all_pairs->shapes.walls[index];
	const struct wall *b = &wall;

	wall.one_sided = wall.one_sided || relation_one_sided(all_pairs->shapes.relations, circle->group, segment->group);
	out->b = all_pairs->shapes.segments[index].id;
	out->segment = true;
	/* The points differ: that was checked, so neither can fail. */
	(void)!distance_segment(a, b, settings->reading, &settings->tolerance, &out->distance);
	if (settings->duration > 0.0)
		(void)!sweep_segment(a, b, settings->reading, settings->skin ? skin_wall(a, b) : 0.0, settings->duration, &out->sweep);
}

/* Computes a candidate and counts it; returns whether it is a result. */
static bool
candidate_compute(struct all_pairs *all_pairs, uint64_t candidate, struct all_pairs_row *out)
{
	struct all_pairs_row pair = { .a = all_pairs->shapes.circles[all_pairs->circle].id };

	if (candidate & CANDIDATE_SEGMENT)
		segment_compute(all_pairs, (uint32_t)candidate, &pair);
	else
		circles_compute(all_pairs, (uint32_t)candidate, &pair);
	all_pairs->counts.tested++;
	all_pairs->counts.relations[pair.distance.relation]++;
	if (all_pairs->settings.duration > 0.0)
		all_pairs->counts.sweeps[pair.sweep.outcome]++;
	*out = pair;
	return pair.distance.relation != RELATION_NONE ||
	       (all_pairs->settings.duration > 0.0 && (pair.sweep.outcome == SWEEP_HIT || pair.sweep.outcome == SWEEP_AT_START));
}

enum all_pairs_progress
all_pairs_next(struct all_pairs *all_pairs, struct all_pairs_row *out)
{
	for (int work = 0; work < WORK_PER_CALL; work++) {
		if (all_pairs->circle == all_pairs->shapes.circle_count)
			return SURVEY_DONE;
		if (!all_pairs->listed && !candidates_list(all_pairs))
			return SURVEY_NO_MEMORY;
		if (all_pairs->candidate_next == all_pairs->candidate_count) {
			all_pairs->circle++;
			all_pairs->listed = false;
		} else if (candidate_compute(all_pairs, all_pairs->candidates[all_pairs->candidate_next++], out)) {
			return SURVEY_PAIR;
		}
	}
	return SURVEY_IDLE;
}
