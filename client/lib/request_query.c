/* Questions as messages: a table of columns for each kind, all borrowed. */
#include "client/lib/borrow.h"
#include "client/lib/failure.h"
#include "client/lib/request_append.h"

#include <assert.h>

static_assert(sizeof(Collide__V1__CastStart) == sizeof(uint32_t), "a column of starts is passed on as it is");

/* NULL if it is empty. */
static Collide__V1__Asker *
asker_borrow(const struct collide_asker *asker, Collide__V1__Asker *out)
{
	collide__v1__asker__init(out);
	out->category = uint32s_borrow(&asker->category, &out->n_category);
	out->mask = uint32s_borrow(&asker->mask, &out->n_mask);
	out->filter_group = int32s_borrow(&asker->filter_group, &out->n_filter_group);
	out->ignore_circle = uint32s_borrow(&asker->ignore_circle, &out->n_ignore_circle);
	out->ignore_segment = uint32s_borrow(&asker->ignore_segment, &out->n_ignore_segment);
	return out->n_category + out->n_mask + out->n_ignore_circle + out->n_ignore_segment + out->n_filter_group > 0 ? out : NULL;
}

static void
casts_borrow(const struct collide_casts *from, struct request_query *out)
{
	Collide__V1__Casts *to = &out->casts;
	collide__v1__casts__init(to);
	out->query.optional_casts_case = COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS;
	out->query.casts = to;
	to->count = from->count;
	to->x = doubles_borrow(&from->x, &to->n_x);
	to->y = doubles_borrow(&from->y, &to->n_y);
	to->move_x = doubles_borrow(&from->move_x, &to->n_move_x);
	to->move_y = doubles_borrow(&from->move_y, &to->n_move_y);
	to->radius = doubles_borrow(&from->radius, &to->n_radius);
	to->start = (Collide__V1__CastStart *)(void *)uint32s_borrow(&from->start, &to->n_start);
	to->limit = uint32s_borrow(&from->limit, &to->n_limit);
	to->asker = asker_borrow(&from->asker, &out->askers[0]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__CASTS__OPTIONAL_ASKER_ASKER;
}

static void
in_circles_borrow(const struct collide_in_circles *from, struct request_query *out)
{
	Collide__V1__InCircles *to = &out->in_circles;
	collide__v1__in_circles__init(to);
	out->query.optional_in_circles_case = COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES;
	out->query.in_circles = to;
	to->count = from->count;
	to->x = doubles_borrow(&from->x, &to->n_x);
	to->y = doubles_borrow(&from->y, &to->n_y);
	to->radius = doubles_borrow(&from->radius, &to->n_radius);
	to->limit = uint32s_borrow(&from->limit, &to->n_limit);
	to->asker = asker_borrow(&from->asker, &out->askers[1]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__IN_CIRCLES__OPTIONAL_ASKER_ASKER;
}

static void
in_boxes_borrow(const struct collide_in_boxes *from, struct request_query *out)
{
	Collide__V1__InBoxes *to = &out->in_boxes;
	collide__v1__in_boxes__init(to);
	out->query.optional_in_boxes_case = COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES;
	out->query.in_boxes = to;
	to->count = from->count;
	to->x_min = doubles_borrow(&from->x_min, &to->n_x_min);
	to->y_min = doubles_borrow(&from->y_min, &to->n_y_min);
	to->x_max = doubles_borrow(&from->x_max, &to->n_x_max);
	to->y_max = doubles_borrow(&from->y_max, &to->n_y_max);
	to->limit = uint32s_borrow(&from->limit, &to->n_limit);
	to->asker = asker_borrow(&from->asker, &out->askers[2]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__IN_BOXES__OPTIONAL_ASKER_ASKER;
}

static void
in_segments_borrow(const struct collide_in_segments *from, struct request_query *out)
{
	Collide__V1__InSegments *to = &out->in_segments;
	collide__v1__in_segments__init(to);
	out->query.optional_in_segments_case = COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS;
	out->query.in_segments = to;
	to->count = from->count;
	to->x1 = doubles_borrow(&from->x1, &to->n_x1);
	to->y1 = doubles_borrow(&from->y1, &to->n_y1);
	to->x2 = doubles_borrow(&from->x2, &to->n_x2);
	to->y2 = doubles_borrow(&from->y2, &to->n_y2);
	to->limit = uint32s_borrow(&from->limit, &to->n_limit);
	to->asker = asker_borrow(&from->asker, &out->askers[3]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__IN_SEGMENTS__OPTIONAL_ASKER_ASKER;
}

static void
nearest_borrow(const struct collide_nearest *from, struct request_query *out)
{
	Collide__V1__Nearest *to = &out->nearest;
	collide__v1__nearest__init(to);
	out->query.optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
	out->query.nearest = to;
	to->count = from->count;
	to->x = doubles_borrow(&from->x, &to->n_x);
	to->y = doubles_borrow(&from->y, &to->n_y);
	to->radius = doubles_borrow(&from->radius, &to->n_radius);
	to->gap_max = doubles_borrow(&from->gap_max, &to->n_gap_max);
	to->limit = uint32s_borrow(&from->limit, &to->n_limit);
	to->asker = asker_borrow(&from->asker, &out->askers[4]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__NEAREST__OPTIONAL_ASKER_ASKER;
}

static void
moves_borrow(const struct collide_moves *from, struct request_query *out)
{
	Collide__V1__Moves *to = &out->moves;
	collide__v1__moves__init(to);
	out->query.optional_moves_case = COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES;
	out->query.moves = to;
	to->count = from->count;
	to->x = doubles_borrow(&from->x, &to->n_x);
	to->y = doubles_borrow(&from->y, &to->n_y);
	to->radius = doubles_borrow(&from->radius, &to->n_radius);
	to->move_x = doubles_borrow(&from->move_x, &to->n_move_x);
	to->move_y = doubles_borrow(&from->move_y, &to->n_move_y);
	to->skin = doubles_borrow(&from->skin, &to->n_skin);
	to->legs_max = uint32s_borrow(&from->legs_max, &to->n_legs_max);
	to->asker = asker_borrow(&from->asker, &out->askers[5]);
	if (to->asker)
		to->optional_asker_case = COLLIDE__V1__MOVES__OPTIONAL_ASKER_ASKER;
}

static bool
kinds_borrow(const struct collide_questions *questions, struct request_query *out)
{
	bool good = true;
	if (questions->casts) {
		casts_borrow(questions->casts, out);
		good = good && columns_are_there(&out->casts.base);
	}
	if (questions->in_circles) {
		in_circles_borrow(questions->in_circles, out);
		good = good && columns_are_there(&out->in_circles.base);
	}
	if (questions->in_boxes) {
		in_boxes_borrow(questions->in_boxes, out);
		good = good && columns_are_there(&out->in_boxes.base);
	}
	if (questions->in_segments) {
		in_segments_borrow(questions->in_segments, out);
		good = good && columns_are_there(&out->in_segments.base);
	}
	if (questions->nearest) {
		nearest_borrow(questions->nearest, out);
		good = good && columns_are_there(&out->nearest.base);
	}
	if (questions->moves) {
		moves_borrow(questions->moves, out);
		good = good && columns_are_there(&out->moves.base);
	}
	return good;
}

static void
moment_borrow(const struct collide_moment *from, struct request_query *out)
{
	if (!from)
		return;
	collide__v1__world_moment__init(&out->moment);
	out->moment.handle = from->handle;
	if (from->handle == 0) {
		out->moment.world = text_borrow(from->world);
		out->moment.secret = bytes_borrow(from->secret, from->secret_bytes);
		out->moment.epoch = from->epoch;
	}
	if (from->has_tick) {
		out->moment.optional_tick_case = COLLIDE__V1__WORLD_MOMENT__OPTIONAL_TICK_TICK;
		out->moment.tick = from->tick;
	}
	out->moment.time = from->time;
	out->query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD;
	out->query.world = &out->moment;
}

bool
request_query_fill(const struct collide_questions *questions, struct request_query *out, struct collide_error *error)
{
	Collide__V1__Query *query = &out->query;
	collide__v1__query__init(query);
	for (size_t i = 0; i < sizeof out->askers / sizeof out->askers[0]; i++)
		collide__v1__asker__init(&out->askers[i]);
	bool good = kinds_borrow(questions, out);
	query->ignore_circles = uint32s_borrow(&questions->ignore_circles, &query->n_ignore_circles);
	query->ignore_segments = uint32s_borrow(&questions->ignore_segments, &query->n_ignore_segments);
	for (size_t i = 0; i < sizeof out->askers / sizeof out->askers[0]; i++)
		good = good && columns_are_there(&out->askers[i].base);
	if (!good || !columns_are_there(&query->base))
		return request_null_column(error);
	moment_borrow(questions->moment, out);
	query->tolerance = questions->tolerance;
	query->tolerance_relative = questions->tolerance_relative;
	query->deadline_ms = questions->deadline_ms;
	return true;
}
