/* Detect and Respond as messages: rows are those of the engine, however they are cut into parts; what is wrong has its path. */
#include "scene/answers.h"

#include "physics/all_pairs.h"

#include <math.h>
#include <string.h>

#define REQUEST_ID 77

/* A request on the stack: two tables and what holds them. */
struct ask {
	double ax, bx, radius, vx;
	Collide__V1__CircleColumns a, b;
	Collide__V1__SegmentColumns walls;
	double x2;
	Collide__V1__Pairs pairs;
	Collide__V1__Scene scene;
	Collide__V1__Detect detect;
	Collide__V1__PushOut push_out;
	Collide__V1__Bounce bounce;
	Collide__V1__Respond respond;
};

static void
one_double(size_t *count, double **values, double *value)
{
	*count = 1;
	*values = value;
}

/* Two circles of radius 1 at 0 and 3; a moves right at 2. */
static void
ask_init(struct ask *ask)
{
	*ask = (struct ask){ .ax = 0, .bx = 3, .radius = 1, .vx = 2, .x2 = 5 };
	collide__v1__circle_columns__init(&ask->a);
	collide__v1__circle_columns__init(&ask->b);
	collide__v1__segment_columns__init(&ask->walls);
	collide__v1__pairs__init(&ask->pairs);
	collide__v1__scene__init(&ask->scene);
	collide__v1__detect__init(&ask->detect);
	collide__v1__push_out__init(&ask->push_out);
	collide__v1__bounce__init(&ask->bounce);
	collide__v1__respond__init(&ask->respond);
	one_double(&ask->a.n_x, &ask->a.x, &ask->ax);
	one_double(&ask->a.n_radius, &ask->a.radius, &ask->radius);
	one_double(&ask->a.n_vx, &ask->a.vx, &ask->vx);
	one_double(&ask->b.n_x, &ask->b.x, &ask->bx);
	one_double(&ask->b.n_radius, &ask->b.radius, &ask->radius);
	one_double(&ask->walls.n_x2, &ask->walls.x2, &ask->x2);
	ask->pairs.optional_a_case = COLLIDE__V1__PAIRS__OPTIONAL_A_A;
	ask->pairs.a = &ask->a;
	ask->pairs.b_case = COLLIDE__V1__PAIRS__B_CIRCLES;
	ask->pairs.circles = &ask->b;
	ask->detect.what_case = COLLIDE__V1__DETECT__WHAT_PAIRS;
	ask->detect.pairs = &ask->pairs;
	ask->respond.optional_pairs_case = COLLIDE__V1__RESPOND__OPTIONAL_PAIRS_PAIRS;
	ask->respond.pairs = &ask->pairs;
	ask->respond.optional_bounce_case = COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE_BOUNCE;
	ask->respond.bounce = &ask->bounce;
}

static void
ask_push_out(struct ask *ask)
{
	ask->respond.optional_push_out_case = COLLIDE__V1__RESPOND__OPTIONAL_PUSH_OUT_PUSH_OUT;
	ask->respond.push_out = &ask->push_out;
}

static enum status
create(const struct ask *ask, bool respond, struct query **out)
{
	struct arena arena;
	enum status status;

	arena_init(&arena, (size_t)1 << 28);
	if (respond)
		status = query_create_respond(&ask->respond, &limits, REQUEST_ID, &arena, out, &problem);
	else
		status = query_create_detect(&ask->detect, &limits, REQUEST_ID, &arena, out, &problem);
	arena_finish(&arena); /* nothing of it is needed any more */
	return status;
}

/* The one message of a small reply. */
static Collide__V1__ServerMessage *
answer(const struct ask *ask, bool respond)
{
	struct query *query = NULL;
	enum status status = create(ask, respond, &query);

	return answer_of(status, query, REQUEST_ID);
}

static void
refused(const struct ask *ask, bool respond, enum status status, const char *reason, const char *field)
{
	struct query *query = NULL;
	enum status given = create(ask, respond, &query);

	refusal_check(given, query, status, reason, field);
}

static void
bad(const struct ask *ask, bool respond, const char *field)
{
	refused(ask, respond, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field);
}

static void
test_one_pair(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask.detect.dt = 2;
	Collide__V1__ServerMessage *message = answer(&ask, false);
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED);
	assert_false(message->detected->more);
	const Collide__V1__PairColumns *pairs = message->detected->pairs;
	assert_int_equal(pairs->n_a, 1);
	assert_int_equal(pairs->relation[0], COLLIDE__V1__RELATION__RELATION_NONE);
	assert_int_equal(pairs->sweep[0], COLLIDE__V1__SWEEP__SWEEP_HIT);
	assert_double_same_bits(pairs->gap[0], 1);
	assert_double_same_bits(pairs->time[0], 0.5);
	assert_double_same_bits(pairs->fraction[0], 0.25);
	assert_double_same_bits(pairs->a_move_x[0], 1);
	assert_double_same_bits(pairs->hit_x[0], 2);
	assert_double_same_bits(pairs->hit_normal_x[0], -1);
	assert_double_same_bits(pairs->approach_speed[0], 2);
	assert_true(message->detected->counts->tested == 1 && message->detected->counts->hit == 1);
	release(message);
}

static void
test_every_column_is_there(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	Collide__V1__ServerMessage *message = answer(&ask, false);
	columns_are_full(&message->detected->pairs->base, 1, 12);
	release(message);
	ask.detect.dt = 1;
	message = answer(&ask, false);
	columns_are_full(&message->detected->pairs->base, 1, 100);
	release(message);
	message = answer(&ask, true);
	columns_are_full(&message->responded->rows->base, 1, 100);
	release(message);
}

static void
test_segments_and_lines(void **state)
{
	struct ask ask;
	double thick = 0.25;
	protobuf_c_boolean sided = 1;

	(void)state;
	ask_init(&ask);
	ask.ax = 7; /* beyond the segment from 0 to 5 */
	ask.pairs.b_case = COLLIDE__V1__PAIRS__B_SEGMENTS;
	ask.pairs.segments = &ask.walls;
	Collide__V1__ServerMessage *message = answer(&ask, false);
	assert_double_same_bits(message->detected->pairs->gap[0], 1);
	assert_int_equal(message->detected->pairs->feature[0], COLLIDE__V1__FEATURE__FEATURE_SEGMENT_END_2);
	release(message);
	/* Thick, it is nearer by its radius. */
	ask.walls.n_radius = 1;
	ask.walls.radius = &thick;
	message = answer(&ask, false);
	assert_double_same_bits(message->detected->pairs->gap[0], 0.75);
	release(message);
	/* Lines are neither thick nor one-sided. */
	ask.pairs.b_case = COLLIDE__V1__PAIRS__B_LINES;
	ask.pairs.lines = &ask.walls;
	bad(&ask, false, "detect.pairs.lines.radius");
	ask.walls.n_radius = 0;
	ask.walls.n_one_sided = 1;
	ask.walls.one_sided = &sided;
	bad(&ask, false, "detect.pairs.lines.one_sided");
	ask.walls.n_one_sided = 0;
	ask.pairs.b_case = COLLIDE__V1__PAIRS__B_LINES;
	ask.pairs.lines = &ask.walls;
	message = answer(&ask, false);
	assert_double_same_bits(message->detected->pairs->gap[0], -1);
	assert_int_equal(message->detected->pairs->feature[0], COLLIDE__V1__FEATURE__FEATURE_SEGMENT_FACE);
	release(message);
}

static void
test_sides_of_one_row_stand_for_all(void **state)
{
	double x[] = { 1, 2, 3 };
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask.b.n_x = 3;
	ask.b.x = x;
	Collide__V1__ServerMessage *message = answer(&ask, false);
	assert_int_equal(message->detected->pairs->n_gap, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_double_same_bits(message->detected->pairs->gap[i], x[i] - 2);
		assert_int_equal(message->detected->pairs->a[i], i);
	}
	release(message);
	ask.a.count = 2;
	bad(&ask, false, "detect.pairs.circles");
}

static void
test_response(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask_push_out(&ask);
	ask.bx = 1;
	Collide__V1__ServerMessage *message = answer(&ask, true);
	assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED);
	assert_true(message->responded->rows->pushed[0]);
	assert_double_same_bits(message->responded->rows->a_x[0], -0.5);
	assert_double_same_bits(message->responded->rows->b_x[0], 1.5);
	assert_double_same_bits(message->responded->rows->a_vx[0], 0);
	assert_double_same_bits(message->responded->rows->b_vx[0], 2);
	assert_int_equal(message->responded->rows->bounce[0], COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_DONE);
	assert_true(message->responded->counts->pushed == 1 && message->responded->counts->bounced == 1);
	release(message);
	ask.respond.optional_bounce_case = COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE__NOT_SET;
	message = answer(&ask, true);
	assert_double_same_bits(message->responded->rows->a_vx[0], 2);
	assert_int_equal(message->responded->rows->bounce[0], COLLIDE__V1__BOUNCE_OUTCOME__BOUNCE_OUTCOME_UNSPECIFIED);
	release(message);
}

static void
test_what_is_missing(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask.detect.what_case = COLLIDE__V1__DETECT__WHAT__NOT_SET;
	bad(&ask, false, "detect");
	ask_init(&ask);
	ask.pairs.optional_a_case = COLLIDE__V1__PAIRS__OPTIONAL_A__NOT_SET;
	bad(&ask, false, "detect.pairs.a");
	bad(&ask, true, "respond.pairs.a");
	ask_init(&ask);
	ask.pairs.b_case = COLLIDE__V1__PAIRS__B__NOT_SET;
	bad(&ask, false, "detect.pairs");
	ask_init(&ask);
	ask.a.n_radius = 0;
	bad(&ask, false, "detect.pairs.a.radius");
	ask_init(&ask);
	ask.respond.optional_bounce_case = COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE__NOT_SET;
	bad(&ask, true, "respond");
	ask.respond.optional_pairs_case = COLLIDE__V1__RESPOND__OPTIONAL_PAIRS__NOT_SET;
	bad(&ask, true, "respond.pairs");
}

static void
test_values_that_cannot_be(void **state)
{
	double three[] = { 1, 1, (double)NAN };
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask.a.n_y = 3;
	ask.a.y = three;
	bad(&ask, false, "detect.pairs.a.y[2]");
	ask_init(&ask);
	ask.radius = 0;
	bad(&ask, false, "detect.pairs.a.radius[0]");
	ask_init(&ask);
	ask.x2 = 0;
	ask.pairs.b_case = COLLIDE__V1__PAIRS__B_LINES;
	ask.pairs.lines = &ask.walls;
	bad(&ask, false, "detect.pairs.lines.x2[0]");
	ask_init(&ask);
	ask.detect.dt = -1;
	bad(&ask, false, "detect.dt");
	ask.detect.dt = 0;
	ask.detect.tolerance = (double)INFINITY;
	bad(&ask, false, "detect.tolerance");
	ask.detect.tolerance = 0;
	ask.detect.tolerance_relative = 2;
	bad(&ask, false, "detect.tolerance_relative");
	ask.detect.tolerance_relative = 0;
	ask.detect.reading = (Collide__V1__Reading)9;
	bad(&ask, false, "detect.reading");
}

/* All powers of two there are, from denormal numbers to those with an infinite square. Within the limits 0.1 and 0.2 touch at
 * 0.3; what is beyond is refused by name. */
static void
test_any_scale_is_answered_right_or_refused(void **state)
{
	unsigned answered = 0, refusals = 0;

	(void)state;
	for (int k = -1070; k <= 1023; k++) {
		double scale = ldexp(1.0, k), b_radius = 0.2 * scale;
		struct ask ask;

		ask_init(&ask);
		ask.radius = 0.1 * scale;
		ask.bx = 0.3 * scale;
		ask.b.radius = &b_radius;
		if (b_radius < PHYSICS_RADIUS_MIN || ask.radius > PHYSICS_RADIUS_MAX) {
			bad(&ask, false, "detect.pairs.a.radius[0]");
			bad(&ask, true, "respond.pairs.a.radius[0]");
			ask.radius = 1;
			bad(&ask, false, ask.bx > PHYSICS_COORDINATE_MAX ? "detect.pairs.circles.x[0]" : "detect.pairs.circles.radius[0]");
			refusals++;
		} else if (ask.radius >= PHYSICS_RADIUS_MIN && b_radius <= PHYSICS_RADIUS_MAX) {
			Collide__V1__ServerMessage *message = answer(&ask, false);

			assert_int_equal(message->detected->pairs->relation[0], COLLIDE__V1__RELATION__RELATION_TOUCHING);
			assert_true(message->detected->counts->touching == 1);
			release(message);
			answered++;
		}
	}
	assert_in_range(answered, 58, 62); /* 1e-9 .. 1e9 */
	assert_in_range(refusals, 2000, 2094);
}

static void
test_responses_that_cannot_be(void **state)
{
	double zero = 0, two = 2, pair[] = { 0.5, 1.5 };
	Collide__V1__BodyKind kind = COLLIDE__V1__BODY_KIND__BODY_KIND_KINEMATIC;
	struct ask ask;

	(void)state;
	ask_init(&ask);
	ask_push_out(&ask);
	one_double(&ask.push_out.n_weight_a, &ask.push_out.weight_a, &zero);
	release(answer(&ask, true)); /* a yields completely */
	one_double(&ask.push_out.n_weight_b, &ask.push_out.weight_b, &zero);
	bad(&ask, true, "respond.push_out.weight_b[0]");
	ask.push_out.n_weight_b = 2;
	bad(&ask, true, "respond.push_out.weight_b");
	ask_init(&ask);
	one_double(&ask.bounce.n_elasticity, &ask.bounce.elasticity, &two);
	bad(&ask, true, "respond.bounce.elasticity[0]");
	ask.a.count = 2;
	ask.bounce.n_elasticity = 2;
	ask.bounce.elasticity = pair;
	bad(&ask, true, "respond.bounce.elasticity[1]");
	ask_init(&ask);
	ask.a.n_kind = ask.b.n_kind = 1;
	ask.a.kind = ask.b.kind = &kind;
	bad(&ask, true, "respond.pairs.a.kind[0]");
}

static void
test_limits(void **state)
{
	struct ask ask;

	(void)state;
	ask_init(&ask);
	limits.circles_max = 10;
	ask.a.count = 11;
	refused(&ask, false, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "detect.pairs.a");
	ask.a.count = UINT32_MAX;
	refused(&ask, false, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "detect.pairs.a");
	ask_init(&ask);
	limits.deadline_ms_max = 5;
	ask.detect.deadline_ms = ask.respond.deadline_ms = 6;
	refused(&ask, false, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "detect.deadline_ms");
	refused(&ask, true, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "respond.deadline_ms");
	ask_init(&ask);
	limits.memory_bytes_max = 1000;
	refused(&ask, false, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "detect");
	refused(&ask, true, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "respond");
	limits = scene_limits_default();
}

/* A crowd in one place: n (n - 1) / 2 pairs in the order of ids, in parts, whatever the slices. */
static void
check_crowd(uint32_t count, size_t slice_bytes, bool one_call)
{
	struct ask ask;
	struct query *query = NULL;
	struct buffer out;
	size_t at = 0, calls;
	uint32_t a = 0, b = 1;
	bool more = true;

	ask_init(&ask);
	ask.detect.what_case = COLLIDE__V1__DETECT__WHAT_SCENE;
	ask.detect.scene = &ask.scene;
	ask.scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	ask.scene.circle_columns = &ask.a;
	ask.a.count = count;
	assert_int_equal(create(&ask, false, &query), STATUS_OK);
	assert_true(query_memory_bytes(query) < (size_t)1 << 20);
	calls = run_all(query, slice_bytes, &out);
	assert_true(one_call == (calls == 1));
	while (more) {
		Collide__V1__ServerMessage *message = reply_next(&out, &at);
		const Collide__V1__Detected *detected = message->detected;

		more = detected->more;
		assert_true(detected->pairs->n_a <= SCENE_QUERY_ROWS_MAX);
		for (size_t i = 0; i < detected->pairs->n_a; i++) {
			assert_int_equal(detected->pairs->a[i], a);
			assert_int_equal(detected->pairs->b[i], b);
			if (++b == count)
				b = ++a + 1;
		}
		assert_true(more == (!detected->counts));
		if (!more)
			assert_true(detected->counts->overlapping == (uint64_t)count * (count - 1) / 2);
		release(message);
	}
	assert_int_equal(at, out.count);
	assert_int_equal(a, count - 1);
	buffer_finish(&out);
}

static void
test_parts_and_slices(void **state)
{
	(void)state;
	check_crowd(200, SIZE_MAX, true);
	check_crowd(200, 1, false);
	check_crowd(91, SIZE_MAX, true); /* 4,095 pairs: less than a part */
	check_crowd(128, 100000, true);  /* a part goes into an empty slice, however long it is */
	check_crowd(200, 100000, false);
}

static void
test_asks_whether_to_stop(void **state)
{
	struct ask ask;
	struct query *query = NULL;
	struct buffer out;
	unsigned asked = 0, calls = 0;

	(void)state;
	ask_init(&ask);
	ask.a.count = 10000;
	assert_int_equal(create(&ask, false, &query), STATUS_OK);
	buffer_init(&out);
	while (query_run(query, SIZE_MAX, stop_always, &asked, &out, &problem) == QUERY_MORE) {
		calls++;
		assert_int_equal(asked, calls);
	}
	assert_in_range(calls, 10, 1000);
	query_destroy(query);
	buffer_finish(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_pair),
		cmocka_unit_test(test_every_column_is_there),
		cmocka_unit_test(test_segments_and_lines),
		cmocka_unit_test(test_sides_of_one_row_stand_for_all),
		cmocka_unit_test(test_response),
		cmocka_unit_test(test_what_is_missing),
		cmocka_unit_test(test_values_that_cannot_be),
		cmocka_unit_test(test_any_scale_is_answered_right_or_refused),
		cmocka_unit_test(test_responses_that_cannot_be),
		cmocka_unit_test_setup(test_limits, answers_setup),
		cmocka_unit_test(test_parts_and_slices),
		cmocka_unit_test(test_asks_whether_to_stop),
	};

	return cmocka_run_group_tests(tests, answers_setup, NULL);
}
