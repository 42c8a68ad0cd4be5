/* Detections and responses of the library: what is sent, what becomes of the parts that come, and the same in this process. */
#include "client/replies.h"

#include "client/local_client.h"
#include "support/assert_double.h"

#include <limits.h>

static const double ONE = 1, TWO = 2, FOUR = 4;
static const struct collide_circles B = { .x = COLUMN(FOUR), .radius = COLUMN(ONE) };
static const struct collide_segments WALL = { .x1 = COLUMN(FOUR), .x2 = COLUMN(FOUR), .y2 = COLUMN(ONE) };
static const struct collide_pairs PAIRS = { .a = { .radius = COLUMN(ONE), .vx = COLUMN(TWO) }, .circles = &B };

static void
detect_sends_every_setting(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	const struct collide_detection detection = {
		.pairs = &PAIRS,
		.dt = 3,
		.tolerance = 0.25,
		.tolerance_relative = 0.5,
		.reading = COLLIDE_OUTLINE,
		.with_skin = true,
		.deadline_ms = 9,
	};
	uint64_t id = collide_core_detect(core, &detection, NULL);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_non_null(message);
	assert_int_equal(message->request_id, id);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT);
	const Collide__V1__Detect *detect = message->detect;
	assert_int_equal(detect->what_case, COLLIDE__V1__DETECT__WHAT_PAIRS);
	assert_double_same_bits(detect->pairs->a->vx[0], 2);
	assert_int_equal(detect->pairs->b_case, COLLIDE__V1__PAIRS__B_CIRCLES);
	assert_double_same_bits(detect->pairs->circles->x[0], 4);
	assert_double_same_bits(detect->dt, 3);
	assert_double_same_bits(detect->tolerance, 0.25);
	assert_double_same_bits(detect->tolerance_relative, 0.5);
	assert_int_equal(detect->reading, COLLIDE__V1__READING__READING_OUTLINE);
	assert_true(detect->with_skin);
	assert_int_equal(detect->deadline_ms, 9);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
detect_of_a_scene_and_of_a_message(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	const struct collide_scene scene = { .circles = { .count = 3, .radius = COLUMN(ONE) }, .segments = WALL };
	const struct collide_detection detection = { .scene = &scene, .dt = 1 };
	assert_int_not_equal(collide_core_detect(core, &detection, NULL), 0);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->detect->what_case, COLLIDE__V1__DETECT__WHAT_SCENE);
	assert_int_equal(message->detect->scene->circle_columns->count, 3);
	assert_double_same_bits(message->detect->scene->segment_columns->y2[0], 1);
	assert_double_same_bits(message->detect->dt, 1);
	/* The same, packed, is sent as it is. */
	uint8_t bytes[200];
	size_t count = collide__v1__detect__pack(message->detect, bytes);
	assert_true(count <= sizeof bytes);
	collide__v1__client_message__free_unpacked(message, NULL);
	const struct collide_detection packed = { .message = bytes, .message_bytes = count };
	assert_int_not_equal(collide_core_detect(core, &packed, NULL), 0);
	message = request_take(core);
	assert_int_equal(message->detect->scene->circle_columns->count, 3);
	assert_double_same_bits(message->detect->dt, 1);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
respond_sends_every_setting(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	const struct collide_response response = {
		.pairs = &PAIRS,
		.push_out = true,
		.weight_a = COLUMN(TWO),
		.weight_b = COLUMN(FOUR),
		.bounce = true,
		.elasticity = COLUMN(ONE),
		.tolerance = 0.5,
		.tolerance_relative = 0.25,
		.deadline_ms = 7,
	};
	assert_int_not_equal(collide_core_respond(core, &response, NULL), 0);
	Collide__V1__ClientMessage *message = request_take(core);
	const Collide__V1__Respond *respond = message->respond;
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND);
	assert_double_same_bits(respond->push_out->weight_a[0], 2);
	assert_double_same_bits(respond->push_out->weight_b[0], 4);
	assert_double_same_bits(respond->bounce->elasticity[0], 1);
	assert_double_same_bits(respond->tolerance, 0.5);
	assert_double_same_bits(respond->tolerance_relative, 0.25);
	assert_int_equal(respond->deadline_ms, 7);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
what_cannot_be_sent(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	struct collide_error error;
	struct collide_detection detection = { .dt = 1 };
	struct collide_response response = { .push_out = true };
	struct collide_pairs pairs = PAIRS;
	assert_int_equal(collide_core_detect(core, &detection, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	assert_int_equal(collide_core_respond(core, &response, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	pairs.segments = &WALL; /* besides the circles */
	detection.pairs = &pairs;
	assert_int_equal(collide_core_detect(core, &detection, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	pairs.segments = NULL;
	pairs.a.y = (struct collide_doubles){ NULL, 1 };
	assert_int_equal(collide_core_detect(core, &detection, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	response.pairs = &PAIRS;
	response.weight_a = (struct collide_doubles){ NULL, 2 };
	assert_int_equal(collide_core_respond(core, &response, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	assert_null(request_take(core));
	collide_core_destroy(core);
}

/* A part with `rows` values in each column; one column more or less with `spoil`. */
static void
append_detected(struct replies *replies, uint64_t id, bool more, size_t rows, bool swept, int spoil)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Detected detected = COLLIDE__V1__DETECTED__INIT;
	Collide__V1__PairColumns columns = COLLIDE__V1__PAIR_COLUMNS__INIT;
	Collide__V1__DetectCounts counts = COLLIDE__V1__DETECT_COUNTS__INIT;
	columns_fill(&columns.base, rows, swept ? UINT_MAX : 12, spoil);
	detected.more = more;
	detected.optional_pairs_case = COLLIDE__V1__DETECTED__OPTIONAL_PAIRS_PAIRS;
	detected.pairs = &columns;
	counts.tested = 77;
	if (!more) {
		detected.optional_counts_case = COLLIDE__V1__DETECTED__OPTIONAL_COUNTS_COUNTS;
		detected.counts = &counts;
	}
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED;
	message.detected = &detected;
	replies_append(replies, &message);
}

static void
parts_come_as_events_until_the_last(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	const struct collide_detection detection = { .pairs = &PAIRS };
	uint64_t id = collide_core_detect(core, &detection, NULL);
	append_detected(&replies, id, true, 3, false, 0);
	append_detected(&replies, id, false, 2, true, 0);
	append_detected(&replies, id, false, 2, true, 0); /* after the last */
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_DETECTED);
	assert_int_equal(event.as.detected->count, 3);
	assert_true(event.as.detected->more);
	assert_null(event.as.detected->sweep);
	assert_null(event.as.detected->counts);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.as.detected->count, 2);
	assert_non_null(event.as.detected->approach_speed);
	assert_int_equal(event.as.detected->counts->tested, 77);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
	replies_finish(&replies);
	collide_core_destroy(core);
}

static void
columns_that_do_not_fit_end_the_conversation(void **state)
{
	(void)state;
	for (int spoil = 1; spoil <= 28; spoil++) {
		for (int swept = 0; swept < 2; swept++) {
			struct collide_core *core = core_new();
			struct replies replies = { 0 };
			const struct collide_detection detection = { .pairs = &PAIRS };
			append_detected(&replies, collide_core_detect(core, &detection, NULL), false, 3, swept, spoil);
			replies_fail(&replies, core, "MALFORMED_REPLY");
		}
	}
}

struct seen {
	size_t rows, parts;
	double time, a_vx;
	bool stop;
};

static bool
see_detected(void *context, const struct collide_detected *part)
{
	struct seen *seen = context;
	seen->rows += part->count;
	seen->parts++;
	if (part->time)
		seen->time = part->time[0];
	return !seen->stop;
}

static bool
see_responded(void *context, const struct collide_responded *part)
{
	struct seen *seen = context;
	seen->rows += part->count;
	seen->a_vx = part->a_vx[0];
	return !part->counts || part->counts->rows == seen->rows;
}

static void
answered_in_this_process(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	const struct collide_detection detection = { .pairs = &PAIRS, .dt = 2 };
	const double five_eighths = 0.625;
	const struct collide_response response = {
		.pairs = &PAIRS, .bounce = true, .tolerance = 2, .elasticity = COLUMN(five_eighths)
	};
	struct collide_error error;
	struct seen seen = { 0 };
	assert_true(collide_detect(client, &detection, see_detected, &seen, &error));
	assert_int_equal(seen.rows, 1);
	assert_double_same_bits(seen.time, 1);
	seen = (struct seen){ 0 };
	assert_true(collide_respond(client, &response, see_responded, &seen, &error));
	assert_double_same_bits(seen.a_vx, 2 - 1.625);
	collide_close(client);
}

static void
many_parts_and_an_end_in_this_process(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	const struct collide_scene crowd = { .circles = { .count = 200, .radius = COLUMN(ONE) } };
	const struct collide_detection detection = { .scene = &crowd };
	struct collide_error error;
	struct seen seen = { 0 };
	assert_true(collide_detect(client, &detection, see_detected, &seen, &error));
	assert_int_equal(seen.rows, 200 * 199 / 2);
	assert_int_equal(seen.parts, 5);
	seen = (struct seen){ .stop = true };
	assert_false(collide_detect(client, &detection, see_detected, &seen, &error));
	assert_int_equal(error.code, COLLIDE_CANCELLED);
	assert_int_equal(seen.parts, 1);
	const struct collide_scene bad = { .circles = { .count = 2, .radius = { &(const double){ -1 }, 1 } } };
	const struct collide_detection refused = { .scene = &bad };
	assert_false(collide_detect(client, &refused, NULL, NULL, &error));
	assert_string_equal(error.violations[0].field, "detect.scene.circle_columns.radius[0]");
	collide_close(client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(detect_sends_every_setting),
		cmocka_unit_test(detect_of_a_scene_and_of_a_message),
		cmocka_unit_test(respond_sends_every_setting),
		cmocka_unit_test(what_cannot_be_sent),
		cmocka_unit_test(parts_come_as_events_until_the_last),
		cmocka_unit_test(columns_that_do_not_fit_end_the_conversation),
		cmocka_unit_test(answered_in_this_process),
		cmocka_unit_test(many_parts_and_an_end_in_this_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
