/* Questions of the library: what is sent, what becomes of the parts that come, and the same in this process. */
#include "client/replies.h"

#include "client/local_client.h"
#include "support/assert_double.h"

#include <limits.h>
#include <string.h>

static const double ONE = 1, TWO = 2, FOUR = 4;
static const uint32_t SEVEN = 7;
static const int32_t SIGNED = -7;
static const struct collide_scene SCENE = { .circles = { .x = COLUMN(FOUR), .radius = COLUMN(ONE) } };
/* A macro: a constant of another constant is gcc's alone. */
#define ASKER                                                                                                             \
	{                                                                                                                     \
		.category = COLUMN(SEVEN), .mask = COLUMN(SEVEN), .filter_group = COLUMN(SIGNED), .ignore_circle = COLUMN(SEVEN), \
		.ignore_segment = COLUMN(SEVEN)                                                                                   \
	}
static const struct collide_casts CASTS = { .count = 3,
	                                        .x = COLUMN(ONE),
	                                        .y = COLUMN(ONE),
	                                        .move_x = COLUMN(TWO),
	                                        .move_y = COLUMN(FOUR),
	                                        .radius = COLUMN(ONE),
	                                        .start = COLUMN(SEVEN),
	                                        .limit = COLUMN(SEVEN),
	                                        .asker = ASKER };
static const struct collide_in_circles IN_CIRCLES = { .count = 3,
	                                                  .x = COLUMN(ONE),
	                                                  .y = COLUMN(ONE),
	                                                  .radius = COLUMN(TWO),
	                                                  .limit = COLUMN(SEVEN),
	                                                  .asker = ASKER };
static const struct collide_in_boxes IN_BOXES = { .count = 3,
	                                              .x_min = COLUMN(ONE),
	                                              .y_min = COLUMN(ONE),
	                                              .x_max = COLUMN(TWO),
	                                              .y_max = COLUMN(FOUR),
	                                              .limit = COLUMN(SEVEN),
	                                              .asker = ASKER };
static const struct collide_in_segments IN_SEGMENTS = { .count = 3,
	                                                    .x1 = COLUMN(ONE),
	                                                    .y1 = COLUMN(ONE),
	                                                    .x2 = COLUMN(TWO),
	                                                    .y2 = COLUMN(FOUR),
	                                                    .limit = COLUMN(SEVEN),
	                                                    .asker = ASKER };
static const struct collide_nearest NEAREST = { .count = 3,
	                                            .x = COLUMN(ONE),
	                                            .y = COLUMN(ONE),
	                                            .radius = COLUMN(TWO),
	                                            .gap_max = COLUMN(FOUR),
	                                            .limit = COLUMN(SEVEN),
	                                            .asker = ASKER };
static const struct collide_moves MOVES = { .count = 3,
	                                        .x = COLUMN(ONE),
	                                        .y = COLUMN(ONE),
	                                        .radius = COLUMN(ONE),
	                                        .move_x = COLUMN(TWO),
	                                        .move_y = COLUMN(FOUR),
	                                        .skin = COLUMN(ONE),
	                                        .legs_max = COLUMN(SEVEN),
	                                        .asker = ASKER };
static const struct collide_questions ALL = { .scene = &SCENE,
	                                          .casts = &CASTS,
	                                          .in_circles = &IN_CIRCLES,
	                                          .in_boxes = &IN_BOXES,
	                                          .in_segments = &IN_SEGMENTS,
	                                          .nearest = &NEAREST,
	                                          .moves = &MOVES,
	                                          .tolerance = 0.25,
	                                          .tolerance_relative = 0.5,
	                                          .ignore_circles = COLUMN(SEVEN),
	                                          .ignore_segments = COLUMN(SEVEN),
	                                          .deadline_ms = 9 };

/* Nothing of the message is missing: every column has one element, every number a value. */
static void
expect_full(const ProtobufCMessage *message)
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &message->descriptor->fields[i];
		const char *base = (const char *)message;
		const ProtobufCMessage *inner;
		uint32_t count;
		size_t elements;
		if (field->label == PROTOBUF_C_LABEL_REPEATED) {
			memcpy(&elements, base + field->quantifier_offset, sizeof elements);
			assert_int_equal(elements, 1);
		} else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
			memcpy(&inner, base + field->offset, sizeof inner);
			assert_non_null(inner);
			expect_full(inner);
		} else {
			memcpy(&count, base + field->offset, sizeof count);
			assert_int_equal(count, 3);
		}
	}
}

static void
every_question_is_sent(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	uint64_t id = collide_core_query(core, &ALL, NULL);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_non_null(message);
	assert_int_equal(message->request_id, id);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY);
	const Collide__V1__Query *query = message->query;
	expect_full(&query->casts->base);
	expect_full(&query->in_circles->base);
	expect_full(&query->in_boxes->base);
	expect_full(&query->in_segments->base);
	expect_full(&query->nearest->base);
	expect_full(&query->moves->base);
	assert_double_same_bits(query->scene->circle_columns->x[0], 4);
	assert_double_same_bits(query->casts->move_y[0], 4);
	assert_double_same_bits(query->in_boxes->y_max[0], 4);
	assert_double_same_bits(query->in_segments->x2[0], 2);
	assert_double_same_bits(query->nearest->gap_max[0], 4);
	assert_int_equal(query->moves->legs_max[0], 7);
	assert_int_equal(query->moves->asker->ignore_segment[0], 7);
	assert_int_equal(query->ignore_circles[0], 7);
	assert_int_equal(query->ignore_segments[0], 7);
	assert_double_same_bits(query->tolerance, 0.25);
	assert_double_same_bits(query->tolerance_relative, 0.5);
	assert_int_equal(query->deadline_ms, 9);
	/* The same, packed, is sent as it is. */
	uint8_t bytes[2000];
	size_t count = collide__v1__query__pack(query, bytes);
	assert_true(count <= sizeof bytes);
	collide__v1__client_message__free_unpacked(message, NULL);
	const struct collide_questions packed = { .message = bytes, .message_bytes = count };
	assert_int_not_equal(collide_core_query(core, &packed, NULL), 0);
	message = request_take(core);
	expect_full(&message->query->moves->base);
	collide__v1__client_message__free_unpacked(message, NULL);
	/* An asker that says nothing is left out. */
	const struct collide_casts alone = { .move_x = COLUMN(ONE) };
	const struct collide_questions one = { .scene = &SCENE, .casts = &alone };
	assert_int_not_equal(collide_core_query(core, &one, NULL), 0);
	message = request_take(core);
	assert_int_equal(message->query->casts->optional_asker_case, 0);
	assert_int_equal(message->query->optional_moves_case, 0);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
what_cannot_be_sent(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	struct collide_error error;
	struct collide_questions questions = ALL;
	struct collide_casts casts = CASTS;
	questions.scene = NULL;
	assert_int_equal(collide_core_query(core, &questions, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	questions = ALL;
	questions.casts = &casts;
	casts.y = (struct collide_doubles){ NULL, 1 };
	assert_int_equal(collide_core_query(core, &questions, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	casts = CASTS;
	casts.asker.mask = (struct collide_uint32s){ NULL, 1 };
	assert_int_equal(collide_core_query(core, &questions, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	questions = ALL;
	questions.ignore_circles = (struct collide_uint32s){ NULL, 1 };
	assert_int_equal(collide_core_query(core, &questions, &error), 0);
	assert_string_equal(error.reason, "NULL_COLUMN");
	assert_null(request_take(core));
	collide_core_destroy(core);
}

enum { HITS, MOVES_TABLE, LEGS, PRESSES, TABLES };

/* A part with one table, or with all of them (TABLES). */
static void
append_queried(struct replies *replies, uint64_t id, bool more, int table, int spoil)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Queried queried = COLLIDE__V1__QUERIED__INIT;
	Collide__V1__HitColumns hits = COLLIDE__V1__HIT_COLUMNS__INIT;
	Collide__V1__MoveColumns moves = COLLIDE__V1__MOVE_COLUMNS__INIT;
	Collide__V1__LegColumns legs = COLLIDE__V1__LEG_COLUMNS__INIT;
	Collide__V1__PressColumns presses = COLLIDE__V1__PRESS_COLUMNS__INIT;
	Collide__V1__QueryCounts counts = COLLIDE__V1__QUERY_COUNTS__INIT;
	ProtobufCMessage *const tables[TABLES] = { &hits.base, &moves.base, &legs.base, &presses.base };
	for (int i = 0; i < TABLES; i++)
		columns_fill(tables[i], 2, UINT_MAX, i == table ? spoil : 0);
	if (table == HITS || table == TABLES) {
		queried.optional_hits_case = COLLIDE__V1__QUERIED__OPTIONAL_HITS_HITS;
		queried.hits = &hits;
	}
	if (table == MOVES_TABLE || table == TABLES) {
		queried.optional_moves_case = COLLIDE__V1__QUERIED__OPTIONAL_MOVES_MOVES;
		queried.moves = &moves;
	}
	if (table == LEGS || table == TABLES) {
		queried.optional_legs_case = COLLIDE__V1__QUERIED__OPTIONAL_LEGS_LEGS;
		queried.legs = &legs;
	}
	if (table == PRESSES || table == TABLES) {
		queried.optional_presses_case = COLLIDE__V1__QUERIED__OPTIONAL_PRESSES_PRESSES;
		queried.presses = &presses;
	}
	counts.moves_out_of_legs = 77;
	if (!more) {
		queried.optional_counts_case = COLLIDE__V1__QUERIED__OPTIONAL_COUNTS_COUNTS;
		queried.counts = &counts;
	}
	queried.more = more;
	message.request_id = id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED;
	message.queried = &queried;
	replies_append(replies, &message);
}

static void
parts_come_as_events_until_the_last(void **state)
{
	(void)state;
	struct collide_core *core = core_new();
	struct replies replies = { 0 };
	struct collide_event event;
	uint64_t id = collide_core_query(core, &ALL, NULL);
	append_queried(&replies, id, true, LEGS, 0);
	append_queried(&replies, id, false, TABLES, 0);
	append_queried(&replies, id, false, TABLES, 0); /* after the last */
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_QUERIED);
	assert_true(event.as.queried->more);
	assert_int_equal(event.as.queried->legs.count, 2);
	assert_int_equal(event.as.queried->hits.count, 0);
	assert_null(event.as.queried->counts);
	assert_true(collide_core_next(core, &event));
	assert_false(event.as.queried->more);
	assert_int_equal(event.as.queried->hits.count, 2);
	assert_non_null(event.as.queried->hits.normal_y);
	assert_int_equal(event.as.queried->moves.count, 2);
	assert_non_null(event.as.queried->moves.depth);
	assert_int_equal(event.as.queried->presses.count, 2);
	assert_int_equal(event.as.queried->counts->moves_out_of_legs, 77);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
	replies_finish(&replies);
	collide_core_destroy(core);
}

static void
columns_that_do_not_fit_end_the_conversation(void **state)
{
	(void)state;
	static const int columns[TABLES] = { 13, 10, 4, 9 };
	for (int table = 0; table < TABLES; table++) {
		for (int spoil = 1; spoil <= columns[table]; spoil++) {
			struct collide_core *core = core_new();
			struct replies replies = { 0 };
			append_queried(&replies, collide_core_query(core, &ALL, NULL), false, table, spoil);
			replies_fail(&replies, core, "MALFORMED_REPLY");
		}
	}
}

struct seen {
	size_t hits, legs, parts;
	double fraction, x;
	uint64_t casts;
	bool stop;
};

static bool
see(void *context, const struct collide_queried *part)
{
	struct seen *seen = context;
	seen->parts++;
	seen->hits += part->hits.count;
	seen->legs += part->legs.count;
	if (part->hits.count > 0)
		seen->fraction = part->hits.fraction[0];
	if (part->moves.count > 0)
		seen->x = part->moves.x[0];
	if (part->counts)
		seen->casts = part->counts->casts;
	return !seen->stop;
}

static void
answered_in_this_process(void **state)
{
	(void)state;
	struct collide_client *client = local_client();
	const struct collide_casts casts = { .move_x = COLUMN(FOUR) };
	const struct collide_moves moves = { .radius = COLUMN(ONE), .move_x = COLUMN(FOUR) };
	const struct collide_questions questions = { .scene = &SCENE, .casts = &casts, .moves = &moves };
	struct collide_error error;
	struct seen seen = { 0 };
	assert_true(collide_query(client, &questions, see, &seen, &error));
	assert_int_equal(seen.hits, 1);
	assert_int_equal(seen.casts, 1);
	assert_int_equal(seen.legs, 1);
	assert_double_same_bits(seen.fraction, 0.75);
	assert_true(seen.x < 2 && seen.x > 1.99999);
	/* Many parts, and one that ends it. */
	const struct collide_scene crowd = { .circles = { .count = 5000, .radius = COLUMN(ONE) } };
	const struct collide_in_circles here = { .count = 3 };
	const struct collide_questions many = { .scene = &crowd, .in_circles = &here };
	seen = (struct seen){ 0 };
	assert_true(collide_query(client, &many, see, &seen, &error));
	assert_int_equal(seen.hits, 15000);
	assert_int_equal(seen.parts, 4);
	seen = (struct seen){ .stop = true };
	assert_false(collide_query(client, &many, see, &seen, &error));
	assert_int_equal(error.code, COLLIDE_CANCELLED);
	assert_int_equal(seen.parts, 1);
	const struct collide_scene bad = { .circles = { .count = 2, .radius = { &(const double){ -1 }, 1 } } };
	const struct collide_questions refused = { .scene = &bad, .casts = &casts };
	assert_false(collide_query(client, &refused, NULL, NULL, &error));
	assert_string_equal(error.violations[0].field, "query.scene.circle_columns.radius[0]");
	collide_close(client);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_question_is_sent),
		cmocka_unit_test(what_cannot_be_sent),
		cmocka_unit_test(parts_come_as_events_until_the_last),
		cmocka_unit_test(columns_that_do_not_fit_end_the_conversation),
		cmocka_unit_test(answered_in_this_process),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
