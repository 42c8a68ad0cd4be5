/* Query as a message: rows are those of the engine, however they are cut into parts; what is wrong has its path. */
#include "scene/answers.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#define REQUEST_ID 78

/* A request on the stack: a scene of three circles of radius 1 at 0, 4 and 8 and a floor at -1, and one question of each kind.
 */
struct ask {
	double x[3], radius, floor_x1, floor_x2, floor_y;
	double zero, one, ten;
	uint32_t limit, ignored, mask, legs;
	Collide__V1__CastStart start;
	Collide__V1__CircleColumns circles;
	Collide__V1__SegmentColumns segments;
	Collide__V1__Scene scene;
	Collide__V1__Casts casts;
	Collide__V1__InCircles in_circles;
	Collide__V1__InBoxes in_boxes;
	Collide__V1__InSegments in_segments;
	Collide__V1__Nearest nearest;
	Collide__V1__Moves moves;
	Collide__V1__Asker asker;
	Collide__V1__Query query;
};

#define ONE(message, field, value) ((message).n_##field = 1, (message).field = (value))

static void
scene_make(struct ask *ask)
{
	collide__v1__circle_columns__init(&ask->circles);
	collide__v1__segment_columns__init(&ask->segments);
	collide__v1__scene__init(&ask->scene);
	ask->circles.n_x = 3;
	ask->circles.x = ask->x;
	ONE(ask->circles, radius, &ask->radius);
	ONE(ask->segments, x1, &ask->floor_x1);
	ONE(ask->segments, x2, &ask->floor_x2);
	ONE(ask->segments, y1, &ask->floor_y);
	ONE(ask->segments, y2, &ask->floor_y);
	ask->scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	ask->scene.circle_columns = &ask->circles;
	ask->scene.optional_segment_columns_case = COLLIDE__V1__SCENE__OPTIONAL_SEGMENT_COLUMNS_SEGMENT_COLUMNS;
	ask->scene.segment_columns = &ask->segments;
}

/* A ray from 1 along x, all hits; a point in the second circle; a box in the first; a line down into the third. What is nearest
 * to 1; a push of 10 along x, over all of them. */
static void
questions_make(struct ask *ask)
{
	collide__v1__casts__init(&ask->casts);
	collide__v1__in_circles__init(&ask->in_circles);
	collide__v1__in_boxes__init(&ask->in_boxes);
	collide__v1__in_segments__init(&ask->in_segments);
	collide__v1__nearest__init(&ask->nearest);
	collide__v1__moves__init(&ask->moves);
	ONE(ask->casts, x, &ask->one);
	ONE(ask->casts, move_x, &ask->ten);
	ONE(ask->casts, limit, &ask->limit);
	ONE(ask->casts, start, &ask->start);
	ONE(ask->in_circles, x, &ask->x[1]);
	ONE(ask->in_boxes, x_max, &ask->one);
	ONE(ask->in_segments, x1, &ask->x[2]);
	ONE(ask->in_segments, x2, &ask->x[2]);
	ONE(ask->in_segments, y1, &ask->ten);
	ONE(ask->nearest, x, &ask->one);
	ONE(ask->moves, y, &ask->ten);
	ONE(ask->moves, radius, &ask->radius);
	ONE(ask->moves, move_x, &ask->ten);
	ONE(ask->moves, legs_max, &ask->legs);
}

static void
ask_init(struct ask *ask)
{
	memset(ask, 0, sizeof *ask);
	ask->x[1] = 4;
	ask->x[2] = 8;
	ask->radius = ask->one = 1;
	ask->ten = 10;
	ask->floor_x1 = -100;
	ask->floor_x2 = 100;
	ask->floor_y = -1;
	ask->start = COLLIDE__V1__CAST_START__CAST_START_HITS;
	scene_make(ask);
	questions_make(ask);
	collide__v1__asker__init(&ask->asker);
	collide__v1__query__init(&ask->query);
	ask->query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE;
	ask->query.scene = &ask->scene;
}

static void
ask_casts(struct ask *ask)
{
	ask->query.optional_casts_case = COLLIDE__V1__QUERY__OPTIONAL_CASTS_CASTS;
	ask->query.casts = &ask->casts;
}

static void
ask_boxes(struct ask *ask)
{
	ask->query.optional_in_boxes_case = COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES;
	ask->query.in_boxes = &ask->in_boxes;
}

static void
ask_moves(struct ask *ask)
{
	ask->query.optional_moves_case = COLLIDE__V1__QUERY__OPTIONAL_MOVES_MOVES;
	ask->query.moves = &ask->moves;
}

static void
ask_all(struct ask *ask)
{
	ask_casts(ask);
	ask_boxes(ask);
	ask_moves(ask);
	ask->query.optional_in_circles_case = COLLIDE__V1__QUERY__OPTIONAL_IN_CIRCLES_IN_CIRCLES;
	ask->query.in_circles = &ask->in_circles;
	ask->query.optional_in_segments_case = COLLIDE__V1__QUERY__OPTIONAL_IN_SEGMENTS_IN_SEGMENTS;
	ask->query.in_segments = &ask->in_segments;
	ask->query.optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
	ask->query.nearest = &ask->nearest;
}

static void
ask_as(struct ask *ask)
{
	ask->casts.optional_asker_case = COLLIDE__V1__CASTS__OPTIONAL_ASKER_ASKER;
	ask->casts.asker = &ask->asker;
}

static enum status
create(const struct ask *ask, struct query **out)
{
	struct arena arena;

	arena_init(&arena, (size_t)1 << 28);
	enum status status = query_create_questions(&ask->query, &limits, REQUEST_ID, &arena, out, &problem);
	arena_finish(&arena); /* nothing of it is needed any more */
	return status;
}

/* The one message of a small reply. */
static Collide__V1__ServerMessage *
answer(const struct ask *ask)
{
	struct query *query = NULL;
	enum status status = create(ask, &query);
	Collide__V1__ServerMessage *message = answer_of(status, query, REQUEST_ID);

	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED);
	assert_false(message->queried->more);
	return message;
}

static void
refused(const struct ask *ask, enum status status, const char *reason, const char *field)
{
	struct query *query = NULL;
	enum status given = create(ask, &query);

	refusal_check(given, query, status, reason, field);
}

static void
bad(const struct ask *ask, const char *field)
{
	refused(ask, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field);
}

static void
test_a_question_of_each_kind(void **state)
{
	struct ask ask;
	static const int questions[] = { 1, 1, 2, 3, 4, 5 };
	static const uint32_t ids[] = { 1, 2, 1, 0, 2, 0 };

	(void)state;
	ask_init(&ask);
	ask_all(&ask);
	Collide__V1__ServerMessage *message = answer(&ask);
	const Collide__V1__HitColumns *hits = message->queried->hits;
	columns_are_full(&hits->base, 6, UINT_MAX);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(hits->question[i], questions[i]);
		assert_int_equal(hits->row[i], 0);
		assert_int_equal(hits->id[i], ids[i]);
	}
	/* It starts on the first circle's edge and leaves it: no hit. */
	assert_int_equal(hits->relation[0], COLLIDE__V1__RELATION__RELATION_TOUCHING);
	assert_double_same_bits(hits->fraction[0], 0.2);
	assert_double_same_bits(hits->x[0], 3);
	assert_double_same_bits(hits->point_x[0], 3);
	assert_double_same_bits(hits->normal_x[0], -1);
	assert_int_equal(hits->relation[2], COLLIDE__V1__RELATION__RELATION_OVERLAPPING);
	assert_double_same_bits(hits->gap[2], -1);
	assert_int_equal(hits->relation[5], COLLIDE__V1__RELATION__RELATION_TOUCHING);
	release(message);
}

static void
test_a_move_and_its_legs(void **state)
{
	struct ask ask;
	double x = 1.75, y = -0.25, down = -1, half = 0.5;

	(void)state;
	ask_init(&ask);
	ask_moves(&ask);
	ONE(ask.moves, x, &x);
	ONE(ask.moves, y, &y);
	ONE(ask.moves, move_y, &down);
	ONE(ask.moves, radius, &half);
	Collide__V1__ServerMessage *message = answer(&ask);
	const Collide__V1__Queried *queried = message->queried;
	columns_are_full(&queried->moves->base, 1, UINT_MAX);
	assert_null(queried->hits);
	assert_true(queried->moves->legs[0] >= 1);
	columns_are_full(&queried->legs->base, queried->moves->legs[0], UINT_MAX);
	assert_true(queried->presses != NULL);
	columns_are_full(&queried->presses->base, queried->presses->n_row, UINT_MAX);
	/* Against the second circle, at its skin: it is blocked on the floor before it. */
	assert_int_equal(queried->moves->end[0], COLLIDE__V1__MOVE_END__MOVE_END_BLOCKED);
	assert_double_same_bits(queried->moves->x[0], queried->legs->x[queried->legs->n_x - 1]);
	assert_true(queried->moves->fraction[0] < 1 && queried->moves->remaining_x[0] > 0);
	assert_int_equal(queried->counts->moves_blocked, 1);
	assert_int_equal(queried->counts->hits, 0);
	release(message);
	ask.legs = 1;
	message = answer(&ask);
	assert_int_equal(message->queried->moves->end[0], COLLIDE__V1__MOVE_END__MOVE_END_LEGS);
	assert_int_equal(message->queried->counts->moves_out_of_legs, 1);
	release(message);
}

static void
test_who_asks(void **state)
{
	struct ask ask;
	uint32_t ignored[2] = { 0, 1 }, all_but = ~1u;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	ask_as(&ask);
	ask.casts.count = 2;
	ask.asker.n_ignore_circle = 2;
	ask.asker.ignore_circle = ignored;
	Collide__V1__ServerMessage *message = answer(&ask);
	assert_int_equal(message->queried->hits->n_id, 3);
	assert_int_equal(message->queried->hits->id[1], 2);
	assert_int_equal(message->queried->hits->id[2], 2);
	assert_int_equal(message->queried->hits->row[2], 1);
	release(message);
	ask.query.n_ignore_circles = 2;
	ask.query.ignore_circles = ignored;
	message = answer(&ask);
	assert_int_equal(message->queried->hits->n_id, 2); /* the third, in each row */
	assert_int_equal(message->queried->counts->casts_hit, 2);
	release(message);
	ONE(ask.asker, mask, &all_but);
	message = answer(&ask);
	assert_null(message->queried->hits);
	assert_int_equal(message->queried->counts->casts, 2);
	assert_int_equal(message->queried->counts->casts_hit, 0);
	release(message);
}

static void
test_defaults(void **state)
{
	struct ask ask;
	Collide__V1__CastStart passes = COLLIDE__V1__CAST_START__CAST_START_PASSES;
	double inside = 0.5;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	ONE(ask.casts, x, &inside);
	ask.casts.n_limit = ask.casts.n_start = 0;
	Collide__V1__ServerMessage *message = answer(&ask); /* the first, and what it starts in counts */
	assert_int_equal(message->queried->hits->n_id, 1);
	assert_int_equal(message->queried->hits->relation[0], COLLIDE__V1__RELATION__RELATION_OVERLAPPING);
	assert_double_same_bits(message->queried->hits->fraction[0], 0);
	release(message);
	ONE(ask.casts, start, &passes);
	message = answer(&ask);
	assert_int_equal(message->queried->hits->id[0], 1);
	release(message);
}

static void
test_what_is_missing(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	bad(&ask, "query");
	ask_casts(&ask);
	ask.query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE__NOT_SET;
	bad(&ask, "query.scene");
	ask_init(&ask);
	ask_casts(&ask);
	collide__v1__casts__init(&ask.casts);
	bad(&ask, "query.casts");
	ask_init(&ask);
	ask_moves(&ask);
	ask.moves.n_radius = 0;
	bad(&ask, "query.moves.radius");
}

static void
test_wrong_values_have_their_path(void **state)
{
	struct ask ask;
	double wrong[3] = { 1, 2, (double)NAN };
	uint32_t legs = 257;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	ask.casts.n_move_x = 3;
	ask.casts.move_x = wrong;
	bad(&ask, "query.casts.move_x[2]");
	wrong[2] = 2e13;
	bad(&ask, "query.casts.move_x[2]");
	wrong[2] = 3;
	ask.casts.n_x = 2;
	ask.casts.x = wrong;
	bad(&ask, "query.casts.x");
	ask_init(&ask);
	ask_casts(&ask);
	ask.one = -2e12;
	bad(&ask, "query.casts.x[0]");
	ask_init(&ask);
	ask_casts(&ask);
	ask.start = (Collide__V1__CastStart)4;
	bad(&ask, "query.casts.start[0]");
	ask_init(&ask);
	ask_all(&ask);
	wrong[2] = 1e-10;
	ONE(ask.in_circles, radius, &wrong[2]);
	bad(&ask, "query.in_circles.radius[0]");
	ask_init(&ask);
	ask_boxes(&ask);
	ONE(ask.in_boxes, x_min, &ask.ten);
	bad(&ask, "query.in_boxes.x_max[0]");
	ask_init(&ask);
	ask_boxes(&ask);
	ONE(ask.in_boxes, y_min, &ask.ten);
	bad(&ask, "query.in_boxes.y_max"); /* the default, 0 */
	ask_init(&ask);
	ask_moves(&ask);
	ONE(ask.moves, legs_max, &legs);
	bad(&ask, "query.moves.legs_max[0]");
	ask.legs = 0;
	ask_init(&ask);
	ask_moves(&ask);
	ONE(ask.moves, radius, &ask.zero);
	bad(&ask, "query.moves.radius[0]");
	ask_init(&ask);
	ask_casts(&ask);
	ask_as(&ask);
	ask.casts.count = 3;
	ask.asker.n_mask = 2;
	ask.asker.mask = &ask.limit;
	bad(&ask, "query.casts.asker.mask");
	ask_init(&ask);
	ask_casts(&ask);
	ask.query.tolerance = -1;
	bad(&ask, "query.tolerance");
	ask.query.tolerance = 0;
	ask.query.tolerance_relative = 2;
	bad(&ask, "query.tolerance_relative");
	ask_init(&ask);
	ask_casts(&ask);
	ask.radius = -1;
	bad(&ask, "query.scene.circle_columns.radius[0]");
}

static void
test_limits(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	limits.circles_max = 10;
	ask.casts.count = 11;
	refused(&ask, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "query.casts");
	ask.casts.count = 10;
	limits.segments_max = 0;
	refused(&ask, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "query.scene.segment_columns");
	answers_setup(NULL);
	limits.deadline_ms_max = 5;
	ask.query.deadline_ms = 6;
	refused(&ask, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "query.deadline_ms");
	answers_setup(NULL);
	limits.memory_bytes_max = 100000;
	refused(&ask, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "query");
	answers_setup(NULL);
}

/* More hits than fit in a part, and more legs: whatever the slices, the same rows. */
static void
test_parts(void **state)
{
	enum { MANY = 5000, QUESTIONS = 3 };
	struct ask ask;
	struct query *query;
	struct buffer whole, sliced;
	size_t at = 0, hits = 0, parts = 0, legs = 0;
	bool more = true;
	unsigned stops = 0;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	ask_moves(&ask);
	ask.one = 0.5;
	ask.circles.count = MANY; /* all in one place */
	ask.circles.n_x = 0;
	ask.casts.count = QUESTIONS;
	ask.moves.count = MANY;
	assert_int_equal(create(&ask, &query), STATUS_OK);
	assert_int_equal(run_all(query, SIZE_MAX, &whole), 1);
	assert_int_equal(create(&ask, &query), STATUS_OK);
	assert_true(run_all(query, 1, &sliced) > 3);
	assert_int_equal(whole.count, sliced.count);
	assert_memory_equal(whole.bytes, sliced.bytes, whole.count);
	while (more) {
		Collide__V1__ServerMessage *message = reply_next(&whole, &at);
		const Collide__V1__Queried *queried = message->queried;

		more = queried->more;
		hits += queried->hits ? queried->hits->n_row : 0;
		legs += queried->legs ? queried->legs->n_row : 0;
		assert_true(!queried->hits || queried->hits->n_row <= SCENE_QUERY_ROWS_MAX);
		assert_true(more == (!queried->counts));
		parts++;
		release(message);
	}
	assert_int_equal(hits, MANY * QUESTIONS);
	assert_int_equal(legs, MANY); /* far over all circles */
	assert_true(parts >= 5);
	buffer_finish(&whole);
	buffer_finish(&sliced);
	/* It can be stopped after every question. */
	assert_int_equal(create(&ask, &query), STATUS_OK);
	buffer_init(&whole);
	assert_int_equal(query_run(query, SIZE_MAX, stop_always, &stops, &whole, &problem), QUERY_MORE);
	assert_int_equal(stops, 1);
	query_destroy(query);
	buffer_finish(&whole);
}

/* The hits of one question may be more than memory is allowed for. */
static void
test_memory_while_answering(void **state)
{
	enum { CIRCLES = 300, QUESTIONS = 100000 };
	static double x[QUESTIONS];
	struct ask ask;
	struct query *query;
	struct buffer out;

	(void)state;
	ask_init(&ask);
	ask_casts(&ask);
	ask.casts.n_x = QUESTIONS;
	ask.casts.x = x;
	ask.circles.count = CIRCLES;
	ask.circles.n_x = 0;
	assert_int_equal(create(&ask, &query), STATUS_OK);
	limits.memory_bytes_max = query_memory_bytes(query) + 1000;
	query_destroy(query);
	assert_int_equal(create(&ask, &query), STATUS_OK);
	buffer_init(&out);
	assert_int_equal(query_run(query, SIZE_MAX, stop_never, NULL, &out, &problem), QUERY_FAILED);
	assert_string_equal(problem.reason, "MEMORY");
	query_destroy(query);
	buffer_finish(&out);
	answers_setup(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_question_of_each_kind),
		cmocka_unit_test(test_a_move_and_its_legs),
		cmocka_unit_test(test_who_asks),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_wrong_values_have_their_path),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_memory_while_answering),
	};

	return cmocka_run_group_tests(tests, answers_setup, NULL);
}
