/* Happy path: circles and segments are copied in the order of their ids, with boxes that hold them, their movement and every
 * tolerance; for one circle after another the trees name the candidates, which are sorted and then computed. What can go wrong:
 * no memory for the candidates of one circle. */
#include "physics/survey.h"

#include "physics/box_tree.h"
#include "physics/predict.h"
#include "physics/world.h"

#include <stdlib.h>

/* Circles looked at, or candidates computed, before the caller gets a word in. */
#define WORK_PER_CALL 256
/* What rounding may add to a box, per magnitude of its numbers: more than sweep.c and closeness.c need. */
#define BOX_ROUNDING 0x1p-45

struct shape {
	uint32_t id, category, mask;
};

struct survey {
	/* Immutable. */
	struct survey_settings settings;
	uint32_t circle_count, segment_count;
	struct disc *discs; /* ascending by id, as all of these */
	struct shape *circles;
	struct wall *walls;
	struct shape *segments;
	struct box *circle_boxes, *segment_boxes;
	struct box_tree circle_tree, segment_tree;

	/* The circle whose candidates are being computed, or the next. */
	uint32_t circle;
	bool listed;          /* its candidates are in the list */
	uint64_t *candidates; /* index, with bit 32 for a segment: sorts as it is given out */
	size_t candidate_count, candidate_capacity, candidate_next;
	struct survey_counts counts;
};

bool
definition_check(const struct world_def *def, struct def_problem *problem)
{
	return world_def_check(def, problem);
}

/* Grows a box to hold what tolerance, skin and rounding may add. */
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
	struct box box = { fmin(wall->x1, wall->x2), fmin(wall->y1, wall->y2), fmax(wall->x1, wall->x2), fmax(wall->y1, wall->y2) };

	return box_padded(settings, box, 0.0);
}

/* Fills `order` with the indices in the order of ids; false and a problem if one is given twice. */
static bool
circles_copy(struct survey *survey, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (size_t i = 0; i < def->circle_count; i++)
		order[i] = (struct id_order){ def->circles[i].id, i };
	if (!id_order_sort(order, def->circle_count, DEF_CIRCLE_ID, problem))
		return false;
	for (size_t i = 0; i < def->circle_count; i++) {
		const struct circle_def *circle = &def->circles[order[i].index];

		survey->circles[i] = (struct shape){ circle->id, circle->category, circle->mask };
		survey->discs[i] = (struct disc){ circle->x, circle->y, circle->radius, circle->vx, circle->vy };
		survey->circle_boxes[i] = disc_box(&survey->settings, &survey->discs[i]);
	}
	return true;
}

static bool
segments_copy(struct survey *survey, const struct world_def *def, struct id_order *order, struct def_problem *problem)
{
	for (size_t i = 0; i < def->segment_count; i++)
		order[i] = (struct id_order){ def->segments[i].id, i };
	if (!id_order_sort(order, def->segment_count, DEF_SEGMENT_ID, problem))
		return false;
	for (size_t i = 0; i < def->segment_count; i++) {
		const struct segment_def *segment = &def->segments[order[i].index];

		survey->segments[i] = (struct shape){ segment->id, segment->category, segment->mask };
		survey->walls[i] = (struct wall){ segment->x1, segment->y1, segment->x2, segment->y2 };
		survey->segment_boxes[i] = wall_box(&survey->settings, &survey->walls[i]);
	}
	return true;
}

static enum status
survey_fill(struct survey *survey, const struct world_def *def, struct def_problem *problem)
{
	size_t circles = def->circle_count + 1, segments = def->segment_count + 1;
	struct id_order *order = malloc((circles > segments ? circles : segments) * sizeof *order);
	enum status status = STATUS_RESOURCE_EXHAUSTED;

	survey->discs = malloc(circles * sizeof *survey->discs);
	survey->circles = malloc(circles * sizeof *survey->circles);
	survey->circle_boxes = malloc(circles * sizeof *survey->circle_boxes);
	survey->walls = malloc(segments * sizeof *survey->walls);
	survey->segments = malloc(segments * sizeof *survey->segments);
	survey->segment_boxes = malloc(segments * sizeof *survey->segment_boxes);
	if (order && survey->discs && survey->circles && survey->circle_boxes && survey->walls && survey->segments &&
	    survey->segment_boxes) {
		bool good = circles_copy(survey, def, order, problem) && segments_copy(survey, def, order, problem);

		if (!good)
			status = STATUS_INVALID_ARGUMENT;
		else if (box_tree_build(&survey->circle_tree, survey->circle_boxes, survey->circle_count) &&
		         box_tree_build(&survey->segment_tree, survey->segment_boxes, survey->segment_count))
			status = STATUS_OK;
	}
	free(order);
	return status;
}

enum status
survey_create(const struct world_def *def, const struct survey_settings *settings, struct def_problem *problem,
              struct survey **out)
{
	struct survey *survey;
	enum status status;

	if (!world_def_check(def, problem))
		return STATUS_INVALID_ARGUMENT;
	if (def->circle_count >= UINT32_MAX || def->segment_count >= UINT32_MAX)
		return STATUS_RESOURCE_EXHAUSTED;
	survey = calloc(1, sizeof *survey);
	if (!survey)
		return STATUS_RESOURCE_EXHAUSTED;
	survey->settings = *settings;
	survey->circle_count = (uint32_t)def->circle_count;
	survey->segment_count = (uint32_t)def->segment_count;
	status = survey_fill(survey, def, problem);
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
	free(survey->discs);
	free(survey->circles);
	free(survey->circle_boxes);
	free(survey->walls);
	free(survey->segments);
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
	size_t circle = sizeof *survey->discs + sizeof *survey->circles + sizeof *survey->circle_boxes;
	size_t segment = sizeof *survey->walls + sizeof *survey->segments + sizeof *survey->segment_boxes;

	return sizeof *survey + survey->circle_count * circle + survey->segment_count * segment +
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
	const struct shape *a = &survey->circles[survey->circle], *b = &survey->circles[index];

	if (index <= survey->circle || !masks_meet(a->category, a->mask, b->category, b->mask))
		return true;
	return candidate_add(survey, index);
}

static bool
on_segment(void *context, uint32_t index)
{
	struct survey *survey = context;
	const struct shape *a = &survey->circles[survey->circle], *b = &survey->segments[index];

	return !masks_meet(a->category, a->mask, b->category, b->mask) || candidate_add(survey, CANDIDATE_SEGMENT | index);
}

static int
candidate_compare(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* Lists whom the present circle may meet. False without memory. */
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
	const struct disc *a = &survey->discs[survey->circle], *b = &survey->discs[index];

	out->b = survey->circles[index].id;
	out->closeness = closeness_circles(a, b, &settings->tolerance);
	if (settings->duration > 0.0)
		out->sweep = sweep_circles(a, b, settings->skin ? skin_circles(a, b) : 0.0, settings->duration);
}

static void
segment_compute(const struct survey *survey, uint32_t index, struct survey_pair *out)
{
	const struct survey_settings *settings = &survey->settings;
	const struct disc *a = &survey->discs[survey->circle];
	const struct wall *b = &survey->walls[index];

	out->b = survey->segments[index].id;
	out->segment = true;
	/* Its points differ: that was checked, so neither can fail. */
	(void)!closeness_segment(a, b, settings->reading, &settings->tolerance, &out->closeness);
	if (settings->duration > 0.0)
		(void)!sweep_segment(a, b, settings->reading, settings->skin ? skin_wall(a, b) : 0.0, settings->duration, &out->sweep);
}

/* Computes a candidate and counts it; whether it is to be given out. */
static bool
candidate_compute(struct survey *survey, uint64_t candidate, struct survey_pair *out)
{
	struct survey_pair pair = { .a = survey->circles[survey->circle].id };

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
		if (survey->circle == survey->circle_count)
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
