/* Scene files: what is read, what is refused and with which words, and that writing and reading give the same bits. */
#include "client/cli/scene/scene_json.h"
#include "client/cli/scene/scene_json_name.h"

#include "support/assert_double.h"
#include "support/random.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Collide__V1__Scene *
scene_read(const char *text)
{
	Collide__V1__Scene *scene = NULL;
	char error[300] = "";
	if (!scene_json_parse("test", text, strlen(text), &scene, error, sizeof error)) {
		print_error("%s\n", error);
		fail();
	}
	return scene;
}

static void
assert_refused(const char *text, const char *expected)
{
	Collide__V1__Scene *scene = NULL;
	char error[300] = "";
	assert_false(scene_json_parse("test", text, strlen(text), &scene, error, sizeof error));
	assert_null(scene);
	assert_string_equal(error, expected);
}

static void
hand_written_scene_is_read(void **state)
{
	(void)state;
	Collide__V1__Scene *scene = scene_read("{\"circles\": [{\"x\": -1.5, \"vx\": 2e1, \"radius\": 0.5, \"mass\": 0},"
	                                       " {\"id\": 0, \"kind\": \"BODY_KIND_STATIC\", \"restitution\": \"0.25\"}],"
	                                       " \"segments\": [{\"x1\": 1, \"y2\": 3}], \"gravityY\": -10,"
	                                       " \"restitutionMix\": \"RESTITUTION_MIX_PRODUCT\", \"eventsPerBodyMax\": 50}");
	assert_int_equal(scene->n_circles, 2);
	assert_double_same_bits(scene->circles[0]->x, -1.5);
	assert_double_same_bits(scene->circles[0]->vx, 20);
	assert_int_equal(scene->circles[0]->optional_mass_case, COLLIDE__V1__CIRCLE__OPTIONAL_MASS_MASS);
	assert_int_equal(scene->circles[0]->optional_id_case, 0);
	assert_int_equal(scene->circles[1]->optional_id_case, COLLIDE__V1__CIRCLE__OPTIONAL_ID_ID);
	assert_int_equal(scene->circles[1]->kind, COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC);
	assert_double_same_bits(scene->circles[1]->restitution, 0.25);
	assert_int_equal(scene->n_segments, 1);
	assert_double_same_bits(scene->segments[0]->y2, 3);
	assert_double_same_bits(scene->gravity_y, -10);
	assert_int_equal(scene->restitution_mix, COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_PRODUCT);
	assert_int_equal(scene->events_per_body_max, 50);
	scene_json_free(scene);
}

static void
columns_are_read(void **state)
{
	(void)state;
	Collide__V1__Scene *scene = scene_read("{\"circle_columns\": {\"count\": 3, \"x\": [1, 2, 3], \"radius\": [0.5],"
	                                       " \"kind\": [\"BODY_KIND_DYNAMIC\", 3], \"id\": [4294967295, 0, 1]}}");
	assert_int_equal(scene->optional_circle_columns_case, COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS);
	const Collide__V1__CircleColumns *columns = scene->circle_columns;
	assert_int_equal(columns->count, 3);
	assert_int_equal(columns->n_x, 3);
	assert_double_same_bits(columns->x[2], 3);
	assert_int_equal(columns->n_radius, 1);
	assert_int_equal(columns->n_kind, 2);
	assert_int_equal(columns->kind[1], COLLIDE__V1__BODY_KIND__BODY_KIND_STATIC);
	assert_int_equal(columns->id[0], 4294967295);
	assert_int_equal(columns->n_vx, 0);
	scene_json_free(scene);
}

static void
null_means_not_given(void **state)
{
	(void)state;
	Collide__V1__Scene *scene = scene_read(
		"{\"circles\": null, \"circleColumns\": null, \"gravityX\": null, \"segments\": []}");
	assert_int_equal(scene->n_circles, 0);
	assert_int_equal(scene->optional_circle_columns_case, 0);
	scene_json_free(scene);
}

static void
bad_content_is_refused_with_its_path(void **state)
{
	(void)state;
	assert_refused("[]", "test: scene: must be an object");
	assert_refused("{\"circles\": [{}, {}, {}, {\"radius\": true}]}", "test: scene.circles[3].radius: must be a number");
	assert_refused("{\"circles\": [{\"radius\": \" 1\"}]}", "test: scene.circles[0].radius: must be a number");
	assert_refused("{\"circles\": [{\"radius\": \"0x10\"}]}", "test: scene.circles[0].radius: must be a number");
	assert_refused("{\"circles\": [{\"radius\": \"1.\"}]}", "test: scene.circles[0].radius: must be a number");
	assert_refused("{\"circles\": [{\"radius\": \"\"}]}", "test: scene.circles[0].radius: must be a number");
	assert_refused("{\"circles\": [{\"radius\": \"1e999\"}]}",
	               "test: scene.circles[0].radius: must be a number that a double can hold");
	assert_refused("{\"circles\": {}}", "test: scene.circles: must be an array");
	assert_refused("{\"circles\": [null]}", "test: scene.circles[0]: must be an object");
	assert_refused("{\"circleColumns\": {\"x\": [1, null]}}", "test: scene.circleColumns.x[1]: must be a number");
	assert_refused("{\"circleColumns\": 3}", "test: scene.circleColumns: must be an object");
	assert_refused("{\"circles\": [{\"radios\": 1}]}",
	               "test: scene.circles[0].radios: unknown field; did you mean \"radius\"?");
	assert_refused("{\"bad\\u001bkey\": 1}",
	               "test: scene.bad?key: unknown field; Scene has circleColumns, circles, segmentColumns, segments, gravityX, "
	               "gravityY, restitutionMix, restitutionThreshold, eventsPerBodyMax, frictionMix ...");
	/* Two are as near: both are listed. */
	assert_refused("{\"gravity\": 1}",
	               "test: scene.gravity: unknown field; Scene has circleColumns, circles, segmentColumns, segments, gravityX, "
	               "gravityY, restitutionMix, restitutionThreshold, eventsPerBodyMax, frictionMix ...");
	assert_refused("{\"gravityX\": 1, \"gravity_x\": 1}", "test: scene.gravity_x: given twice");
	assert_refused("{\"circles\": [{\"id\": -1}]}", "test: scene.circles[0].id: must be an integer from 0 to 4294967295");
	assert_refused("{\"circles\": [{\"id\": 4294967296}]}",
	               "test: scene.circles[0].id: must be an integer from 0 to 4294967295");
	assert_refused("{\"circles\": [{\"id\": 0.5}]}", "test: scene.circles[0].id: must be an integer from 0 to 4294967295");
	assert_refused("{\"circles\": [{\"id\": \"NaN\"}]}", "test: scene.circles[0].id: must be an integer from 0 to 4294967295");
	assert_refused("{\"circles\": [{\"kind\": \"STATIC\"}]}",
	               "test: scene.circles[0].kind: must be one of BODY_KIND_UNSPECIFIED, BODY_KIND_DYNAMIC, "
	               "BODY_KIND_KINEMATIC, BODY_KIND_STATIC");
	assert_refused("{\"segments\": [{\"x1\": 1}, {\"x1\": {}}]}", "test: scene.segments[1].x1: must be a number");
}

static void
bad_json_is_refused_with_its_place(void **state)
{
	(void)state;
	assert_refused("", "test:1:0: '[' or '{' expected near end of file");
	assert_refused("{\n  \"circles\": [\n  }\n", "test:3:3: unexpected token near '}'");
	assert_refused("{\"gravityX\": 1,\n \"gravityX\": 2}", "test:2:11: duplicate object key near '\"gravityX\"'");
	assert_refused("{\"gravityX\": 1e999}", "test:1:18: real number overflow near '1e999'");
	assert_refused("{} {}", "test:1:4: end of file expected near '{'");
	assert_refused("{\"gravityX\": 01}", "test:1:14: invalid token near '0'");
}

static void
deep_nesting_is_refused(void **state)
{
	(void)state;
	enum { DEPTH = 100000 };
	char *text = malloc(DEPTH + 1);
	assert_non_null(text);
	memset(text, '[', DEPTH);
	text[DEPTH] = '\0';
	Collide__V1__Scene *scene;
	char error[300];
	assert_false(scene_json_parse("test", text, DEPTH, &scene, error, sizeof error));
	assert_non_null(strstr(error, "maximum parsing depth"));
	free(text);
}

static void
error_is_cut_to_its_buffer(void **state)
{
	(void)state;
	char text[600] = "{\"";
	memset(text + 2, 'k', 500);
	strcpy(text + 502, "\": 1}");
	Collide__V1__Scene *scene;
	char error[40];
	memset(error, '#', sizeof error);
	assert_false(scene_json_parse("test", text, strlen(text), &scene, error, 20));
	assert_int_equal(strlen(error), 19);
	assert_int_equal(error[20], '#');
}

static void
missing_file_says_so(void **state)
{
	(void)state;
	Collide__V1__Scene *scene;
	char error[300], expected[300];
	assert_false(scene_json_load("/nonexistent/scene.json", &scene, error, sizeof error));
	(void)snprintf(expected, sizeof expected, "/nonexistent/scene.json: %s", strerror(ENOENT));
	assert_string_equal(error, expected);
	assert_false(scene_json_load("/", &scene, error, sizeof error));
	(void)snprintf(expected, sizeof expected, "/: %s", strerror(EISDIR));
	assert_string_equal(error, expected);
}

/* Writes to a temporary file and reads it back. */
static Collide__V1__Scene *
scene_through_file(const Collide__V1__Scene *scene)
{
	char path[] = "/tmp/test_scene_json_XXXXXX";
	int descriptor = mkstemp(path);
	assert_true(descriptor >= 0);
	FILE *file = fdopen(descriptor, "w");
	assert_non_null(file);
	assert_true(scene_json_write(file, scene));
	assert_int_equal(fclose(file), 0);
	Collide__V1__Scene *back = NULL;
	char error[300] = "";
	bool loaded = scene_json_load(path, &back, error, sizeof error);
	(void)unlink(path);
	if (!loaded) {
		print_error("%s\n", error);
		fail();
	}
	return back;
}

/* Doubles of every size, decimals of the fast path and its borders, and the special ones. */
static double
some_double(uint64_t *random, size_t i)
{
	static const double special[] = { 0.0,      -0.0,  1e-9,     5e-10,          4e6,  3999999.999999999, 4e6 - 1e-9,
		                              5e-324,   1e308, 0.1,      1.0 / 3,        1e22, 123456.789012345,  -1e-9,
		                              -2.5e-10, 1e15,  1e-6 / 7, 2147483648.125, 1e9 };
	if (i < sizeof special / sizeof special[0])
		return special[i];
	if (i % 3 == 0)
		return (double)(int64_t)(random_bits(random) >> 12) / 1e9;
	if (i % 3 == 1)
		return random_between(random, -1e4, 1e4);
	uint64_t bits = random_bits(random);
	double value;
	memcpy(&value, &bits, sizeof value);
	return isfinite(value) ? value : 1;
}

static void
doubles_keep_their_bits(void **state)
{
	(void)state;
	enum { COUNT = 30000 };
	uint64_t random = 1;
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	Collide__V1__CircleColumns columns = COLLIDE__V1__CIRCLE_COLUMNS__INIT;
	scene.optional_circle_columns_case = COLLIDE__V1__SCENE__OPTIONAL_CIRCLE_COLUMNS_CIRCLE_COLUMNS;
	scene.circle_columns = &columns;
	columns.x = calloc(COUNT, sizeof(double));
	assert_non_null(columns.x);
	columns.n_x = COUNT;
	for (size_t i = 0; i < COUNT; i++)
		columns.x[i] = some_double(&random, i);
	Collide__V1__Scene *back = scene_through_file(&scene);
	assert_int_equal(back->circle_columns->n_x, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		assert_double_same_bits(back->circle_columns->x[i], columns.x[i]);
	scene_json_free(back);
	free(columns.x);
}

static void
defaults_are_left_out(void **state)
{
	(void)state;
	char text[400] = "";
	FILE *file = fmemopen(text, sizeof text, "w");
	assert_non_null(file);
	Collide__V1__Scene *scene = scene_read(
		"{\"circles\": [{\"x\": 0, \"vy\": 2.50, \"mass\": 1}, {}], \"segments\": [], \"gravity_y\": -9.81}");
	assert_true(scene_json_write(file, scene));
	assert_int_equal(fclose(file), 0);
	assert_string_equal(text, "{\n  \"circles\": [\n    {\"vy\": 2.5, \"mass\": 1},\n    {}\n  ],\n  \"gravityY\": -9.81\n}\n");
	scene_json_free(scene);
}

static void
failed_writing_is_told(void **state)
{
	(void)state;
	FILE *full = fopen("/dev/full", "w");
	if (!full)
		skip();
	Collide__V1__Scene scene = COLLIDE__V1__SCENE__INIT;
	assert_false(scene_json_write(full, &scene));
	(void)fclose(full);
}

static void
names_follow_protobuf(void **state)
{
	(void)state;
	char name[32];
	scene_json_name("events_per_body_max", name, sizeof name);
	assert_string_equal(name, "eventsPerBodyMax");
	scene_json_name("x1", name, sizeof name);
	assert_string_equal(name, "x1");
	scene_json_name("events_per_body_max", name, 7);
	assert_string_equal(name, "events");
	assert_true(scene_json_name_matches("gravity_x", "gravityX"));
	assert_true(scene_json_name_matches("gravity_x", "gravity_x"));
	assert_false(scene_json_name_matches("gravity_x", "gravityx"));
}

/* The reader and writer know these types only; a schema that uses another one must fail here, not at a user's. */
static void
schema_is_supported(const ProtobufCMessageDescriptor *type)
{
	assert_true(type->n_fields <= 64);
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		assert_true(strlen(field->name) < 60);
		switch (field->type) {
		case PROTOBUF_C_TYPE_DOUBLE:
		case PROTOBUF_C_TYPE_UINT32:
		case PROTOBUF_C_TYPE_FIXED32:
		case PROTOBUF_C_TYPE_UINT64:
		case PROTOBUF_C_TYPE_FIXED64:
		case PROTOBUF_C_TYPE_BOOL:
		case PROTOBUF_C_TYPE_SINT32:
		case PROTOBUF_C_TYPE_ENUM: break;
		case PROTOBUF_C_TYPE_MESSAGE: schema_is_supported(field->descriptor); break;
		default: fail_msg("%s.%s has a type that scene files do not support", type->name, field->name);
		}
	}
}

static void
whole_schema_is_supported(void **state)
{
	(void)state;
	schema_is_supported(&collide__v1__scene__descriptor);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hand_written_scene_is_read),
		cmocka_unit_test(columns_are_read),
		cmocka_unit_test(null_means_not_given),
		cmocka_unit_test(bad_content_is_refused_with_its_path),
		cmocka_unit_test(bad_json_is_refused_with_its_place),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(error_is_cut_to_its_buffer),
		cmocka_unit_test(missing_file_says_so),
		cmocka_unit_test(doubles_keep_their_bits),
		cmocka_unit_test(defaults_are_left_out),
		cmocka_unit_test(failed_writing_is_told),
		cmocka_unit_test(names_follow_protobuf),
		cmocka_unit_test(whole_schema_is_supported),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
