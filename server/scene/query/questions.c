/* A question at a time is put to the space; its rows then go out one by one. What can go wrong: no memory for the hits of one
 * question, of which there may be as many as shapes. */
#include "scene/query/questions.h"

#include "base/check.h"
#include "scene/fields/columns.h"
#include "wire/limits.h"

#include <math.h>

const ProtobufCMessage *
question_message(const Collide__V1__Query *request, enum question_kind kind)
{
	switch (kind) {
	case QUESTION_CASTS:
		return request->optional_casts_case == COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS ? &request->casts->base : NULL;
	case QUESTION_IN_CIRCLES:
		return request->optional_in_circles_case == COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES
		           ? &request->in_circles->base
		           : NULL;
	case QUESTION_IN_BOXES:
		return request->optional_in_boxes_case == COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES ? &request->in_boxes->base
		                                                                                         : NULL;
	case QUESTION_IN_SEGMENTS:
		return request->optional_in_segments_case == COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS
		           ? &request->in_segments->base
		           : NULL;
	case QUESTION_NEAREST:
		return request->optional_nearest_case == COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST ? &request->nearest->base : NULL;
	case QUESTION_MOVES:
		return request->optional_moves_case == COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES ? &request->moves->base : NULL;
	case QUESTION_KINDS: break;
	}
	return NULL;
}

const Collide__V1__Asker *
question_asker(const Collide__V1__Query *request, enum question_kind kind)
{
	/* In each kind the asker is alone in its oneof. */
	switch (kind) {
	case QUESTION_CASTS: return request->casts->optional_asker_case ? request->casts->asker : NULL;
	case QUESTION_IN_CIRCLES: return request->in_circles->optional_asker_case ? request->in_circles->asker : NULL;
	case QUESTION_IN_BOXES: return request->in_boxes->optional_asker_case ? request->in_boxes->asker : NULL;
	case QUESTION_IN_SEGMENTS: return request->in_segments->optional_asker_case ? request->in_segments->asker : NULL;
	case QUESTION_NEAREST: return request->nearest->optional_asker_case ? request->nearest->asker : NULL;
	case QUESTION_MOVES: return request->moves->optional_asker_case ? request->moves->asker : NULL;
	case QUESTION_KINDS: break;
	}
	return NULL;
}

void
questions_finish(struct questions *questions)
{
	if (questions->shared)
		shared_space_release(questions->shared);
	else
		space_destroy(questions->space);
	if (questions->request)
		collide__v1__query__free_unpacked(questions->request, NULL);
	space_hits_finish(&questions->hits);
	mover_path_finish(&questions->path);
	questions->space = NULL;
	questions->shared = NULL;
	questions->request = NULL;
}

size_t
questions_memory_bytes(const struct questions *questions)
{
	return (questions->space ? space_memory_bytes(questions->space) : 0) + questions->questions_bytes +
	       questions->hits.capacity * sizeof *questions->hits.hits +
	       questions->path.contact_capacity * sizeof *questions->path.contacts;
}

/* What a row's question ignores: the shapes that all of them do, and its own. */
struct asker {
	struct space_filter filter;
	uint32_t circles[WIRE_IGNORED_MAX + 1], segments[WIRE_IGNORED_MAX + 1];
};

static size_t
ignored_copy(uint32_t *out, const uint32_t *all, size_t all_count, const uint32_t *column, size_t column_count, size_t row)
{
	CHECK(all_count <= WIRE_IGNORED_MAX); /* the wire layer has seen to it */
	for (size_t i = 0; i < all_count; i++)
		out[i] = all[i];
	if (column_count == 0)
		return all_count;
	out[all_count] = column_uint32(column, column_count, row, 0);
	return all_count + 1;
}

static void
asker_make(const struct questions *questions, enum question_kind kind, size_t row, struct asker *out)
{
	static const Collide__V1__Asker nobody = COLLIDE__V1__ASKER__INIT;
	const Collide__V1__Query *request = questions->request;
	const Collide__V1__Asker *asker = question_asker(request, kind);

	asker = asker ? asker : &nobody;
	out->filter = (struct space_filter){
		.category = column_uint32(asker->category, asker->n_category, row, 1),
		.mask = column_uint32(asker->mask, asker->n_mask, row, UINT32_MAX),
		.filter_group = column_int32(asker->filter_group, asker->n_filter_group, row, 0),
		.ignore_circles = out->circles,
		.ignore_circle_count = ignored_copy(out->circles, request->ignore_circles, request->n_ignore_circles,
		                                    asker->ignore_circle, asker->n_ignore_circle, row),
		.ignore_segments = out->segments,
		.ignore_segment_count = ignored_copy(out->segments, request->ignore_segments, request->n_ignore_segments,
		                                     asker->ignore_segment, asker->n_ignore_segment, row),
	};
}

static size_t
limit_of(const uint32_t *column, size_t count, size_t row, uint32_t value_default)
{
	uint32_t limit = column_uint32(column, count, row, value_default);

	return limit == 0 ? SIZE_MAX : limit;
}

static enum space_start
start_of(const Collide__V1__Casts *casts, size_t row)
{
	switch (casts->n_start == 0 ? COLLIDE__V1__CAST_START__CAST_START_HITS : casts->start[casts->n_start == 1 ? 0 : row]) {
	case COLLIDE__V1__CAST_START__CAST_START_APPROACHES: return START_APPROACHES;
	case COLLIDE__V1__CAST_START__CAST_START_PASSES: return START_PASSES;
	default: return START_HITS;
	}
}

static enum status
cast_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__Casts *m = questions->request->casts;
	const struct space_cast cast = {
		.x = column_double(m->x, m->n_x, row, 0),
		.y = column_double(m->y, m->n_y, row, 0),
		.move_x = column_double(m->move_x, m->n_move_x, row, 0),
		.move_y = column_double(m->move_y, m->n_move_y, row, 0),
		.radius = column_double(m->radius, m->n_radius, row, 0),
		.start = start_of(m, row),
	};

	return space_cast(questions->space, &cast, filter, limit_of(m->limit, m->n_limit, row, 1), &questions->hits);
}

static enum status
in_circle_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__InCircles *m = questions->request->in_circles;
	const struct space_circle circle = { column_double(m->x, m->n_x, row, 0), column_double(m->y, m->n_y, row, 0),
		                                 column_double(m->radius, m->n_radius, row, 0) };

	return space_overlap_circle(questions->space, &circle, &questions->tolerance, filter,
	                            limit_of(m->limit, m->n_limit, row, 0), &questions->hits);
}

static enum status
in_box_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__InBoxes *m = questions->request->in_boxes;
	const struct space_box box = { column_double(m->x_min, m->n_x_min, row, 0), column_double(m->y_min, m->n_y_min, row, 0),
		                           column_double(m->x_max, m->n_x_max, row, 0), column_double(m->y_max, m->n_y_max, row, 0) };

	return space_overlap_box(questions->space, &box, &questions->tolerance, filter, limit_of(m->limit, m->n_limit, row, 0),
	                         &questions->hits);
}

static enum status
in_segment_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__InSegments *m = questions->request->in_segments;
	const struct wall wall = { .x1 = column_double(m->x1, m->n_x1, row, 0),
		                       .y1 = column_double(m->y1, m->n_y1, row, 0),
		                       .x2 = column_double(m->x2, m->n_x2, row, 0),
		                       .y2 = column_double(m->y2, m->n_y2, row, 0) };

	return space_overlap_segment(questions->space, &wall, &questions->tolerance, filter, limit_of(m->limit, m->n_limit, row, 0),
	                             &questions->hits);
}

static enum status
nearest_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__Nearest *m = questions->request->nearest;
	const struct space_circle circle = { column_double(m->x, m->n_x, row, 0), column_double(m->y, m->n_y, row, 0),
		                                 column_double(m->radius, m->n_radius, row, 0) };
	double gap_max = column_double(m->gap_max, m->n_gap_max, row, (double)INFINITY);

	return space_nearest(questions->space, &circle, gap_max, &questions->tolerance, filter,
	                     limit_of(m->limit, m->n_limit, row, 1), &questions->hits);
}

static enum status
move_put(struct questions *questions, const struct space_filter *filter, size_t row)
{
	const Collide__V1__Moves *m = questions->request->moves;
	uint32_t legs_max = column_uint32(m->legs_max, m->n_legs_max, row, 0);
	const struct mover mover = {
		.x = column_double(m->x, m->n_x, row, 0),
		.y = column_double(m->y, m->n_y, row, 0),
		.radius = column_double(m->radius, m->n_radius, row, 0),
		.move_x = column_double(m->move_x, m->n_move_x, row, 0),
		.move_y = column_double(m->move_y, m->n_move_y, row, 0),
		.skin = column_double(m->skin, m->n_skin, row, 0),
		.legs_max = legs_max == 0 ? MOVER_LEGS_MAX : legs_max,
	};

	return space_move(questions->space, &mover, filter, &questions->path);
}

/* The values were checked, so that only memory can be wanting. */
static enum status
question_put(struct questions *questions, enum question_kind kind, size_t row)
{
	struct asker asker;
	const struct space_filter *filter = &asker.filter;

	asker_make(questions, kind, row, &asker);
	switch (kind) {
	case QUESTION_CASTS: return cast_put(questions, filter, row);
	case QUESTION_IN_CIRCLES: return in_circle_put(questions, filter, row);
	case QUESTION_IN_BOXES: return in_box_put(questions, filter, row);
	case QUESTION_IN_SEGMENTS: return in_segment_put(questions, filter, row);
	case QUESTION_NEAREST: return nearest_put(questions, filter, row);
	case QUESTION_MOVES: return move_put(questions, filter, row);
	case QUESTION_KINDS: break;
	}
	return STATUS_INTERNAL;
}

static void
answer_count(struct questions *questions, enum question_kind kind)
{
	Collide__V1__QueryCounts *counts = &questions->counts;
	bool hit = questions->hits.count > 0;

	counts->hits += kind == QUESTION_MOVES ? 0 : questions->hits.count;
	switch (kind) {
	case QUESTION_CASTS:
		counts->casts++;
		counts->casts_hit += hit;
		break;
	case QUESTION_IN_CIRCLES:
		counts->in_circles++;
		counts->in_circles_hit += hit;
		break;
	case QUESTION_IN_BOXES:
		counts->in_boxes++;
		counts->in_boxes_hit += hit;
		break;
	case QUESTION_IN_SEGMENTS:
		counts->in_segments++;
		counts->in_segments_hit += hit;
		break;
	case QUESTION_NEAREST:
		counts->nearest++;
		counts->nearest_hit += hit;
		break;
	case QUESTION_MOVES:
		counts->moves_done += questions->path.end == MOVER_DONE;
		counts->moves_blocked += questions->path.end == MOVER_BLOCKED;
		counts->moves_out_of_legs += questions->path.end == MOVER_LEGS;
		break;
	case QUESTION_KINDS: break;
	}
}

static Collide__V1__Question
question_of(enum question_kind kind)
{
	switch (kind) {
	case QUESTION_CASTS: return COLLIDE__V1__QUESTION__QUESTION_CAST;
	case QUESTION_IN_CIRCLES: return COLLIDE__V1__QUESTION__QUESTION_IN_CIRCLE;
	case QUESTION_IN_BOXES: return COLLIDE__V1__QUESTION__QUESTION_IN_BOX;
	case QUESTION_IN_SEGMENTS: return COLLIDE__V1__QUESTION__QUESTION_IN_SEGMENT;
	case QUESTION_NEAREST: return COLLIDE__V1__QUESTION__QUESTION_NEAREST;
	case QUESTION_MOVES:
	case QUESTION_KINDS: break;
	}
	return COLLIDE__V1__QUESTION__QUESTION_UNSPECIFIED; /* moves have no hits */
}

/* Puts the next question. */
static enum questions_progress
question_next(struct questions *questions, struct wire_problem *problem)
{
	while (questions->kind < QUESTION_KINDS && questions->row == questions->rows[questions->kind]) {
		questions->kind++;
		questions->row = 0;
	}
	if (questions->kind == QUESTION_KINDS)
		return QUESTIONS_DONE;
	questions->hits.count = 0;
	enum status status = question_put(questions, questions->kind, questions->row);
	CHECK(status == STATUS_OK || status == STATUS_RESOURCE_EXHAUSTED || status == STATUS_CANCELLED);
	if (status != STATUS_OK) {
		(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "query",
		                       "no memory for the answer to one question");
		return QUESTIONS_FAILED;
	}
	answer_count(questions, questions->kind);
	questions->hit_next = questions->leg_next = questions->press_next = 0;
	questions->move_waits = questions->kind == QUESTION_MOVES;
	questions->leg_count = questions->move_waits ? questions->path.leg_count : 0;
	questions->press_count = questions->move_waits ? questions->path.contact_count : 0;
	questions->answer_question = question_of(questions->kind);
	questions->answer_row = (uint32_t)questions->row++;
	return QUESTIONS_ASKED;
}

enum questions_progress
questions_next(struct questions *questions, struct question_rows *rows, struct wire_problem *problem)
{
	uint32_t row = questions->answer_row;

	if (questions->hit_next < questions->hits.count) {
		question_rows_hit(rows, questions->answer_question, row, &questions->hits.hits[questions->hit_next++]);
	} else if (questions->move_waits) {
		question_rows_move(rows, row, &questions->path);
		questions->move_waits = false;
	} else if (questions->leg_next < questions->leg_count) {
		question_rows_leg(rows, row, &questions->path.legs[questions->leg_next++]);
	} else if (questions->press_next < questions->press_count) {
		question_rows_press(rows, row, &questions->path.contacts[questions->press_next++]);
	} else {
		return question_next(questions, problem);
	}
	return QUESTIONS_ROW;
}
