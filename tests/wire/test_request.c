#include "support/assert_double.h"

#include "wire/message_bytes.h"

#include "wire/limits.h"
#include "wire/wire.h"

static const struct wire_limits limits = { .hand_written_max = 20, .circles_max = 50, .segments_max = 30 };

struct fixture {
	struct arena arena;
	struct buffer bytes, scene, inner;
	const Collide__V1__ClientMessage *message;
	struct wire_problem problem;
};

static int
fixture_setup(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .message = NULL };
	arena_init(&fixture.arena, 1 << 20);
	buffer_init(&fixture.bytes);
	buffer_init(&fixture.scene);
	buffer_init(&fixture.inner);
	*state = &fixture;
	return 0;
}

static int
fixture_teardown(void **state)
{
	struct fixture *fixture = *state;

	arena_finish(&fixture->arena);
	buffer_finish(&fixture->bytes);
	buffer_finish(&fixture->scene);
	buffer_finish(&fixture->inner);
	return 0;
}

static enum status
unpack(struct fixture *fixture)
{
	return wire_request_unpack(&fixture->arena, &limits, fixture->bytes.bytes, fixture->bytes.count, &fixture->message,
	                           &fixture->problem);
}

#define assert_refused(fixture, status_expected, reason_expected, field_expected) \
	do {                                                                          \
		assert_int_equal(unpack(fixture), (status_expected));                     \
		assert_int_equal((fixture)->problem.status, (status_expected));           \
		assert_string_equal((fixture)->problem.reason, (reason_expected));        \
		assert_string_equal((fixture)->problem.field, (field_expected));          \
		assert_true((fixture)->problem.text[0] != '\0');                          \
		assert_null((fixture)->message);                                          \
		assert_int_equal((fixture)->arena.used_bytes, 0);                         \
		(fixture)->bytes.count = 0;                                               \
	} while (0)

static void
test_empty_message_is_a_message(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(wire_request_unpack(&fixture->arena, &limits, NULL, 0, &fixture->message, &fixture->problem), STATUS_OK);
	assert_int_equal(fixture->message->request_id, 0);
	assert_int_equal(fixture->message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET);
}

static void
test_ping_comes_through(void **state)
{
	struct fixture *fixture = *state;

	put_bytes(&fixture->inner, 1, "\0abc", 4);
	put_number(&fixture->bytes, 1, UINT64_MAX);
	put_message(&fixture->bytes, 3, &fixture->inner);
	assert_int_equal(unpack(fixture), STATUS_OK);
	assert_true(fixture->message->request_id == UINT64_MAX);
	assert_int_equal(fixture->message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_PING);
	assert_int_equal(fixture->message->ping->payload.len, 4);
	assert_memory_equal(fixture->message->ping->payload.data, "\0abc", 4);
}

/* A parser must accept repeated scalars packed, one by one, and both mixed. */
static void
test_packed_and_unpacked_columns_are_the_same(void **state)
{
	static const double packed[] = { 1.5, 2.5 };
	static const uint8_t kinds[] = { 1, 2 };
	struct fixture *fixture = *state;

	put_bytes(&fixture->inner, 3, packed, sizeof packed);
	put_double(&fixture->inner, 3, 3.5);
	put_double(&fixture->inner, 3, 4.5);
	put_bytes(&fixture->inner, 3, packed, sizeof packed);
	put_number(&fixture->inner, 10, 3);
	put_bytes(&fixture->inner, 10, kinds, sizeof kinds);
	put_bytes(&fixture->inner, 10, NULL, 0);
	put_message(&fixture->scene, 1, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_int_equal(unpack(fixture), STATUS_OK);
	const Collide__V1__CircleColumns *columns = fixture->message->simulate->scene->circle_columns;
	assert_int_equal(columns->n_x, 6);
	for (size_t i = 0; i < 6; i++) {
		static const double expected[] = { 1.5, 2.5, 3.5, 4.5, 1.5, 2.5 };

		assert_double_same_bits(columns->x[i], expected[i]);
	}
	assert_int_equal(columns->n_kind, 3);
	assert_int_equal(columns->kind[0], 3);
	assert_int_equal(columns->kind[2], 2);
}

static void
test_few_unknown_fields_are_skipped(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i < WIRE_UNKNOWN_FIELDS_MAX; i++)
		put_number(&fixture->bytes, 100 + i, i);
	put_number(&fixture->bytes, 1, 5);
	assert_int_equal(unpack(fixture), STATUS_OK);
	assert_int_equal(fixture->message->request_id, 5);
	fixture->message = NULL;
	arena_reset(&fixture->arena);
	put_number(&fixture->bytes, 100, 1);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "UNKNOWN_FIELD", "");
}

/* The few are those of the whole message, not of each circle. */
static void
test_unknown_fields_are_counted_across_levels(void **state)
{
	struct fixture *fixture = *state;

	for (uint32_t i = 0; i <= WIRE_UNKNOWN_FIELDS_MAX; i++) {
		put_bytes(&fixture->inner, 99, "x", 1);
		put_message(&fixture->scene, 2, &fixture->inner);
	}
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "UNKNOWN_FIELD", "simulate.scene.circles[8]");
	assert_non_null(strstr(fixture->problem.text, "99"));
}

static void
test_field_twice(void **state)
{
	struct fixture *fixture = *state;

	put_number(&fixture->bytes, 1, 5);
	put_number(&fixture->bytes, 1, 5);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "FIELD_TWICE", "request_id");

	put_double(&fixture->inner, 6, 1);
	put_double(&fixture->inner, 6, 1);
	put_message(&fixture->scene, 2, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "FIELD_TWICE", "simulate.scene.circles[0].radius");
}

/* A circle with two doubles, behind those that the scene has. */
static void
put_circle(struct fixture *fixture, uint32_t first, uint32_t second)
{
	put_double(&fixture->inner, first, 1);
	put_double(&fixture->inner, second, 2);
	put_message(&fixture->scene, 2, &fixture->inner);
}

/* Elements that are as the one before are not looked at field by field. */
static void
test_what_differs_among_elements_that_are_alike(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 3; i++)
		put_circle(fixture, 2, 6);
	put_circle(fixture, 6, 6);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "FIELD_TWICE", "simulate.scene.circles[3].radius");

	put_circle(fixture, 2, 6);
	put_circle(fixture, 2, 9);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "simulate.scene.circles[1].kind");

	for (uint32_t i = 0; i < limits.hand_written_max + 5; i++)
		put_circle(fixture, 2, 6);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.scene.circles");
	assert_non_null(strstr(fixture->problem.text, "has 21 elements, at most 20"));
}

static void
test_second_member_of_a_oneof(void **state)
{
	struct fixture *fixture = *state;

	put_bytes(&fixture->bytes, 3, NULL, 0);
	put_bytes(&fixture->bytes, 5, NULL, 0);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "FIELD_TWICE", "describe");

	/* Two different oneofs of one message are no conflict. */
	put_number(&fixture->inner, 1, 0);
	put_double(&fixture->inner, 7, 1);
	put_number(&fixture->inner, 10, 0);
	put_message(&fixture->scene, 2, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_int_equal(unpack(fixture), STATUS_OK);
	assert_int_equal(fixture->message->simulate->scene->circles[0]->optional_id_case, COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID);
}

static void
test_wrong_wire_type(void **state)
{
	struct fixture *fixture = *state;

	put_double(&fixture->bytes, 1, 1);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "request_id");
	put_number(&fixture->bytes, 3, 1);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "ping");
	put_number(&fixture->inner, 6, 1);
	put_message(&fixture->scene, 2, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "simulate.scene.circles[0].radius");
	/* A column of doubles one by one, as varints. */
	put_double(&fixture->inner, 3, 1);
	put_number(&fixture->inner, 3, 1);
	put_message(&fixture->scene, 1, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "WRONG_TYPE", "simulate.scene.circle_columns.x[1]");
}

static void
test_counts_over_limits(void **state)
{
	struct fixture *fixture = *state;
	static const double zeros[64] = { 0 };
	static const uint8_t small[64] = { 0 };

	for (uint32_t i = 0; i <= limits.hand_written_max; i++)
		put_bytes(&fixture->scene, 2, NULL, 0);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.scene.circles");

	put_bytes(&fixture->inner, 3, zeros, 8 * limits.circles_max);
	put_double(&fixture->inner, 3, 0);
	put_message(&fixture->scene, 1, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.scene.circle_columns.x");

	put_bytes(&fixture->inner, 10, small, limits.circles_max + 1);
	put_message(&fixture->scene, 1, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.scene.circle_columns.kind");

	put_bytes(&fixture->inner, 3, zeros, 8 * (limits.segments_max + 1));
	put_message(&fixture->scene, 3, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.scene.segment_columns.x1");

	/* At the limit all is well. */
	put_bytes(&fixture->inner, 3, zeros, 8 * limits.segments_max);
	put_message(&fixture->scene, 3, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_int_equal(unpack(fixture), STATUS_OK);
}

static void
test_bytes_over_limits(void **state)
{
	struct fixture *fixture = *state;
	static const struct {
		uint32_t number;
		size_t bytes_max;
		const char *field;
	} cases[] = {
		{ 3, WIRE_CLIENT_NAME_BYTES_MAX, "hello.client_name" },
		{ 4, WIRE_CLIENT_VERSION_BYTES_MAX, "hello.client_version" },
		{ 5, WIRE_TOKEN_BYTES_MAX, "hello.token" },
		{ 6, WIRE_FEATURE_BYTES_MAX, "hello.features[0]" },
	};
	char text[2000];

	memset(text, 'x', sizeof text);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		put_bytes(&fixture->inner, cases[i].number, text, cases[i].bytes_max + 1);
		put_message(&fixture->bytes, 2, &fixture->inner);
		assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", cases[i].field);
		put_bytes(&fixture->inner, cases[i].number, text, cases[i].bytes_max);
		put_message(&fixture->bytes, 2, &fixture->inner);
		assert_int_equal(unpack(fixture), STATUS_OK);
		arena_reset(&fixture->arena);
		fixture->message = NULL;
		fixture->bytes.count = 0;
	}
	put_bytes(&fixture->inner, 1, text, WIRE_PING_BYTES_MAX + 1);
	put_message(&fixture->bytes, 3, &fixture->inner);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "ping.payload");
	for (int i = 0; i <= WIRE_FEATURES_MAX; i++)
		put_bytes(&fixture->inner, 6, text, 1);
	put_message(&fixture->bytes, 2, &fixture->inner);
	assert_refused(fixture, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "hello.features");
}

static void
test_names_are_text(void **state)
{
	struct fixture *fixture = *state;
	static const char *const good[] = { "",
		                                "plain",
		                                "\xc3\xa9",
		                                "\xe2\x82\xac",
		                                "\xf0\x9f\x98\x80",
		                                "\xed\x9f\xbf",
		                                "\xc2\xa0",
		                                "\xf4\x8f\xbf\xbf",
		                                "\xe0\xa0\x80" };
	static const char *const bad[] = { "\x80",
		                               "\xc0\xaf",
		                               "\xc1\xbf",
		                               "\xe0\x9f\xbf",
		                               "\xed\xa0\x80",
		                               "\xf0\x8f\xbf\xbf",
		                               "\xf4\x90\x80\x80",
		                               "\xf5\x80\x80\x80",
		                               "\xe2\x82",
		                               "\xe2\x28\xac",
		                               "\xff",
		                               "a\nb",
		                               "\x1b[31m",
		                               "\x7f",
		                               "\xc2\x85",
		                               "\xf0\x9f\x98" };

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		put_bytes(&fixture->inner, 3, good[i], strlen(good[i]));
		put_message(&fixture->bytes, 2, &fixture->inner);
		assert_int_equal(unpack(fixture), STATUS_OK);
		fixture->message = NULL;
		fixture->bytes.count = 0;
		arena_reset(&fixture->arena);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		put_bytes(&fixture->inner, 3, bad[i], strlen(bad[i]));
		put_message(&fixture->bytes, 2, &fixture->inner);
		assert_refused(fixture, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "hello.client_name");
	}
	put_bytes(&fixture->inner, 3, "nul\0inside", 10);
	put_message(&fixture->bytes, 2, &fixture->inner);
	assert_refused(fixture, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "hello.client_name");
	/* A token is anything. */
	put_bytes(&fixture->inner, 5, "\xff\x00\x80", 3);
	put_message(&fixture->bytes, 2, &fixture->inner);
	assert_int_equal(unpack(fixture), STATUS_OK);
}

/* Each is one message, in full, with the path it must name. */
static void
test_malformed_bytes(void **state)
{
	struct fixture *fixture = *state;
	static const struct {
		const char *bytes;
		size_t count;
		const char *field;
	} cases[] = {
		{ "\x00", 1, "" },                                                        /* field number 0 */
		{ "\x02\x00", 2, "" },                                                    /* the same with a length */
		{ "\x0b\x0c", 2, "" },                                                    /* a group */
		{ "\x0e\x00", 2, "" },                                                    /* wire type 6 */
		{ "\x0f\x00", 2, "" },                                                    /* wire type 7 */
		{ "\x88\x00\x01", 3, "" },                                                /* a tag longer than needed */
		{ "\x80\x80\x80\x80\x01\x00", 6, "" },                                    /* a tag of five bytes */
		{ "\x08", 1, "request_id" },                                              /* a tag without a value */
		{ "\x08\x80", 2, "request_id" },                                          /* half a varint */
		{ "\x08\x85\x00", 3, "request_id" },                                      /* a value longer than needed */
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, "request_id" },     /* 65 bits */
		{ "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12, "request_id" }, /* eleven bytes */
		{ "\x1a\x05\x0a", 3, "ping" },                                            /* ends inside the ping */
		{ "\x1a\x03\x0a\x02x", 5, "ping.payload" },                               /* the payload ends after the ping does */
		{ "\x12\x06\x08\x80\x80\x80\x80\x10", 8, "hello.version_min" },           /* 2^32 in a uint32 */
		{ "\x32\x05\x28\x80\x80\x80\x00", 7, "simulate.detail" },                 /* an enum longer than needed */
		{ "\x32\x06\x28\x80\x80\x80\x80\x08", 8, "simulate.detail" },             /* 2^31 in an enum */
		{ "\x32\x02\x11\x00", 4, "simulate.dt" },                                 /* half a double */
		{ "\x32\x08\x0a\x06\x0a\x04\x1a\x02xx", 10, "simulate.scene.circle_columns.x" }, /* a quarter of a double */
		{ "\x32\x0a\x0a\x08\x0a\x06\x52\x04\x01\x02\x81\x00", 12, "simulate.scene.circle_columns.kind[2]" },
		{ "\x32\x08\x0a\x06\x0a\x04\x52\x02\x01\x80", 10, "simulate.scene.circle_columns.kind[1]" },
		{ "\xa2\x06\x05x", 4, "" }, /* an unknown field that ends too early */
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		buffer_append(&fixture->bytes, cases[i].bytes, cases[i].count);
		assert_refused(fixture, STATUS_INVALID_ARGUMENT, "MALFORMED", cases[i].field);
	}
}

static void
test_negative_enums_are_well_formed(void **state)
{
	struct fixture *fixture = *state;

	put_number(&fixture->inner, 5, UINT64_MAX - 41);
	put_message(&fixture->bytes, 6, &fixture->inner);
	assert_int_equal(unpack(fixture), STATUS_OK);
	assert_int_equal((int)fixture->message->simulate->detail, -42);
}

/* Every prefix of a good message is either a shorter good message or refused; none crashes. */
static void
test_every_prefix_is_judged(void **state)
{
	struct fixture *fixture = *state;
	size_t refused = 0, count;

	put_double(&fixture->inner, 2, 1);
	put_double(&fixture->inner, 6, 1);
	put_message(&fixture->scene, 2, &fixture->inner);
	put_bytes(&fixture->inner, 3, "12345678", 8);
	put_message(&fixture->scene, 1, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	count = fixture->bytes.count;
	for (fixture->bytes.count = 0; fixture->bytes.count < count; fixture->bytes.count++) {
		refused += unpack(fixture) != STATUS_OK;
		arena_reset(&fixture->arena);
	}
	assert_int_equal(refused, count - 2); /* nothing, and the request id alone, are messages */
}

static void
test_budget_runs_out(void **state)
{
	struct fixture *fixture = *state;
	struct arena small;

	put_double(&fixture->inner, 6, 1);
	put_message(&fixture->scene, 2, &fixture->inner);
	put_scene_request(&fixture->bytes, &fixture->scene);
	assert_int_equal(unpack(fixture), STATUS_OK);
	for (size_t budget = 0; budget < fixture->arena.used_bytes; budget += 16) {
		const Collide__V1__ClientMessage *message = NULL;

		arena_init(&small, budget);
		assert_int_equal(
			wire_request_unpack(&small, &limits, fixture->bytes.bytes, fixture->bytes.count, &message, &fixture->problem),
			STATUS_RESOURCE_EXHAUSTED);
		assert_string_equal(fixture->problem.reason, "MEMORY");
		assert_null(message);
		assert_true(small.used_bytes <= budget);
		arena_finish(&small);
	}
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_empty_message_is_a_message),
		TEST(test_ping_comes_through),
		TEST(test_packed_and_unpacked_columns_are_the_same),
		TEST(test_few_unknown_fields_are_skipped),
		TEST(test_unknown_fields_are_counted_across_levels),
		TEST(test_field_twice),
		TEST(test_what_differs_among_elements_that_are_alike),
		TEST(test_second_member_of_a_oneof),
		TEST(test_wrong_wire_type),
		TEST(test_counts_over_limits),
		TEST(test_bytes_over_limits),
		TEST(test_names_are_text),
		TEST(test_malformed_bytes),
		TEST(test_negative_enums_are_well_formed),
		TEST(test_every_prefix_is_judged),
		TEST(test_budget_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
