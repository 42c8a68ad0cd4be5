/* Happy path: circles and segments are copied in the order of their ids, with boxes that hold them, their movement and every
 * tolerance. For one circle after another the trees give the candidates, which are sorted and then computed. What can go wrong:
 * no memory for the candidates of one circle. */
#include "physics/all_pairs.h"

#include "physics/geometry/box_tree.h"
#include "physics/queries/sorted_shapes.h"
#include "physics/world/collision_filter.h"
#include "physics/world/world.h"

#include <math.h>
#include <stdlib.h>

/* Circles queried, or candidates computed, before control returns to the caller. */
#define WORK_PER_CALL 256
/* Bound of the rounding that a box must allow for, per magnitude of its numbers: more than sweep.c and distance.c need. */
#define BOX_ROUNDING 0x1p-45

struct survey {
	/* Immutable. */
	struct survey_settings settings;
	struct sorted_shapes shapes;
	struct box *circle_boxes, *segment_boxes;
	struct box_tree circle_tree, segment_tree;

	/* The circle with candidates under way, or the next one. */
	uint32_t circle;
	bool listed;          /* its candidates are in the list */
	uint64_t *candidates; /* index, with bit 32 for a segment: sorts in the order of the results */
	size_t candidate_count, candidate_capacity, candidate_next;
	struct survey_counts counts;
};

/* Grows a box by tolerance, skin and rounding. */
static struct box
box_padded(const struct survey_settings *settings, struct box box, double radius)
{
	double size = fmax(fmax(fabs(box.x0), fabs(box.x1)), fmax(fabs(box.y0), fabs(box.y1)));
	double pad = settings->tolerance.absolute + settings->tolerance.relative * radius +
	             radius * (SKIN_PER_RADIUS + BOX_ROUNDING) + size * BOX_ROUNDING;

	return (struct box){ box.x0 - pad, box.y0 - pad, box.x1 + pad, box.y1 + pad };
}

static struct box
disc_box(const struct survey_settings *settings, const struct disc *disc)
{
	double x = disc->x + disc->vx * settings->duration, y = disc->y + disc->vy * settings->duration;
	struct box box = { fmin(disc->x, x) - disc->radius, fmin(disc->y, y) - disc->radius, fmax(disc->x, x) + disc->radius,
		               fmax(disc->y, y) + disc->radius };

	return box_padded(settings, box, disc->radius);
}

static struct box
wall_box(const struct survey_settings *settings, const struct wall *wall)
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
survey_fill(struct survey *survey)
{
	const struct sorted_shapes *shapes = &survey->shapes;

	survey->circle_boxes = malloc((shapes->circle_count + (size_t)1) * sizeof *survey->circle_boxes);
	survey->segment_boxes = malloc((shapes->segment_count + (size_t)1) * sizeof *survey->segment_boxes);
	if (!survey->circle_boxes || !survey->segment_boxes)
		return STATUS_RESOURCE_EXHAUSTED;
	for (uint32_t i = 0; i < shapes->circle_count; i++)
		survey->circle_boxes[i] = disc_box(&survey->settings, &shapes->discs[i]);
	for (uint32_t i = 0; i < shapes->segment_count; i++)
		survey->segment_boxes[i] = wall_box(&survey->settings, &shapes->walls[i]);
	return box_tree_build(&survey->circle_tree, survey->circle_boxes, shapes->circle_count) &&
	               box_tree_build(&survey->segment_tree, survey->segment_boxes, shapes->segment_count)
	           ? STATUS_OK
	           : STATUS_RESOURCE_EXHAUSTED;
}

enum status
survey_create(const struct world_def *def, const struct survey_settings *settings, struct def_problem *problem,
              struct survey **out)
{
	struct survey *survey = calloc(1, sizeof *survey);
	if (!survey)
		return STATUS_RESOURCE_EXHAUSTED;
	survey->settings = *settings;
	enum status status = sorted_shapes_init(&survey->shapes, def, problem);
	if (status == STATUS_OK)
		status = survey_fill(survey);
	if (status != STATUS_OK) {
		survey_destroy(survey);
		return status;
	}
	*out = survey;
	return STATUS_OK;
}

void
survey_destroy(struct survey *survey)
{
	if (!survey)
		return;
	box_tree_finish(&survey->circle_tree);
	box_tree_finish(&survey->segment_tree);
	sorted_shapes_finish(&survey->shapes);
	free(survey->circle_boxes);
	free(survey->segment_boxes);
	free(survey->candidates);
	free(survey);
}

const struct survey_counts *
survey_counts(const struct survey *survey)
{
	return &survey->counts;
}

size_t
survey_memory_bytes(const struct survey *survey)
{
	size_t boxes = (size_t)survey->shapes.circle_count + survey->shapes.segment_count;

	return sizeof *survey + sorted_shapes_memory_bytes(&survey->shapes) + boxes * sizeof *survey->circle_boxes +
	       box_tree_memory_bytes(&survey->circle_tree) + box_tree_memory_bytes(&survey->segment_tree) +
	       survey->candidate_capacity * sizeof *survey->candidates;
}

#define CANDIDATE_SEGMENT (UINT64_C(1) << 32)

static bool
candidate_add(struct survey *survey, uint64_t candidate)
{
	if (!array_reserve(&survey->candidates, &survey->candidate_capacity, survey->candidate_count + 1,
	                   sizeof *survey->candidates))
		return false;
	survey->candidates[survey->candidate_count++] = candidate;
	return true;
}

static bool
on_circle(void *context, uint32_t index)
{
	struct survey *survey = context;
	const struct shape *a = &survey->shapes.circles[survey->circle], *b = &survey->shapes.circles[index];

	if (index <= survey->circle || !sorted_shapes_meet(&survey->shapes, a, b))
		return true;
	return candidate_add(survey, index);
}

static bool
on_segment(void *context, uint32_t index)
{
	struct survey *survey = context;
	const struct shape *a = &survey->shapes.circles[survey->circle], *b = &survey->shapes.segments[index];

	return !sorted_shapes_meet(&survey->shapes, a, b) || candidate_add(survey, CANDIDATE_SEGMENT | index);
}

static int
candidate_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Lists the shapes that the present circle may meet. False without memory. */
static bool
candidates_list(struct survey *survey)
{
	const struct box *box = &survey->circle_boxes[survey->circle];

	survey->candidate_count = survey->candidate_next = 0;
	if (!box_tree_query(&survey->circle_tree, box, on_circle, survey) ||
	    !box_tree_query(&survey->segment_tree, box, on_segment, survey))
		return false;
	if (survey->candidate_count > 1)
		qsort(survey->candidates, survey->candidate_count, sizeof *survey->candidates, candidate_compare);
	survey->listed = true;
	return true;
}

static void
circles_compute(const struct survey *survey, uint32_t index, struct survey_pair *out)
{
	const struct survey_settings *settings = &survey->settings;
	const struct disc *a = &survey->shapes.discs[survey->circle], *b = &survey->shapes.discs[index];

	out->b = survey->shapes.circles[index].id;
	out->closeness = closeness_circles(a, b, &settings->tolerance);
	if (settings->duration > 0.0)
		out->sweep = sweep_circles(a, b, settings->skin ? skin_circles(a, b) : 0.0, settings->duration);
}

static void
segment_compute(const struct survey *survey, uint32_t index, struct survey_pair *out)
{
	const struct survey_settings *settings = &survey->settings;
	const struct disc *a = &survey->shapes.discs[survey->circle];
	const struct shape *circle = &survey->shapes.circles[survey->circle], *segment = &survey->shapes.segments[index];
	struct wall wall = survey->shapes.walls[index];
	const struct wall *b = &wall;

	wall.one_sided = wall.one_sided || relation_one_sided(survey->shapes.relations, circle->group, segment->group);
	out->b = survey->shapes.segments[index].id;
	out->segment = true;
	/* The points differ: that was checked, so neither can fail. */
	(void)!closeness_segment(a, b, settings->reading, &settings->tolerance, &out->closeness);
	if (settings->duration > 0.0)
		(void)!sweep_segment(a, b, settings->reading, settings->skin ? skin_wall(a, b) : 0.0, settings->duration, &out->sweep);
}

/* Computes a candidate and counts it; returns whether it is a result. */
static bool
candidate_compute(struct survey *survey, uint64_t candidate, struct survey_pair *out)
{
	struct survey_pair pair = { .a = survey->shapes.circles[survey->circle].id };

	if (candidate & CANDIDATE_SEGMENT)
		segment_compute(survey, (uint32_t)candidate, &pair);
	else
		circles_compute(survey, (uint32_t)candidate, &pair);
	survey->counts.tested++;
	survey->counts.relations[pair.closeness.relation]++;
	if (survey->settings.duration > 0.0)
		survey->counts.sweeps[pair.sweep.outcome]++;
	*out = pair;
	return pair.closeness.relation != RELATION_NONE ||
	       (survey->settings.duration > 0.0 && (pair.sweep.outcome == SWEEP_HIT || pair.sweep.outcome == SWEEP_AT_START));
}

enum survey_progress
survey_next(struct survey *survey, struct survey_pair *out)
{
	for (int work = 0; work < WORK_PER_CALL; work++) {
		if (survey->circle == survey->shapes.circle_count)
			return SURVEY_DONE;
		if (!survey->listed && !candidates_list(survey))
			return SURVEY_NO_MEMORY;
		if (survey->candidate_next == survey->candidate_count) {
			survey->circle++;
			survey->listed = false;
		} else if (candidate_compute(survey, survey->candidates[survey->candidate_next++], out)) {
			return SURVEY_PAIR;
		}
	}
	return SURVEY_IDLE;
}
