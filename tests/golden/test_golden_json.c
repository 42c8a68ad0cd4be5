/* The JSON forms that the command writes and reads, against the golden ones. */
#include "golden/golden_files.h"

#include "support/assert_double.h"

#include "client/cli/scene/message_json.h"
#include "client/cli/scene/scene_json.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_FLAGS (JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL)

/* As json_equal, with numbers compared by their bits: -0 is not 0. */
static bool
json_same(const json_t *a, const json_t *b)
{
	if (json_typeof(a) != json_typeof(b))
		return false;
	if (json_is_real(a)) {
		double x = json_real_value(a), y = json_real_value(b);

		return memcmp(&x, &y, sizeof x) == 0;
	}
	if (json_is_array(a)) {
		bool same = json_array_size(a) == json_array_size(b);

		for (size_t i = 0; same && i < json_array_size(a); i++)
			same = json_same(json_array_get(a, i), json_array_get(b, i));
		return same;
	}
	if (json_is_object(a)) {
		bool same = json_object_size(a) == json_object_size(b);
		json_t *object = json_incref((json_t *)(uintptr_t)a), *value;
		const char *key;

		json_object_foreach(object, key, value)
		{
			same = same && json_object_get(b, key) != NULL && json_same(value, json_object_get(b, key));
		}
		json_decref(object);
		return same;
	}
	return json_equal(a, b);
}

static void
same_json_written(const struct golden *golden, const ProtobufCMessage *message, enum message_json_layout layout)
{
	json_error_t problem;
	char *text = NULL;
	size_t count = 0;
	FILE *out = open_memstream(&text, &count);
	json_t *expected = json_load_file(golden->json_path, JSON_FLAGS, &problem), *written;

	assert_non_null(out);
	assert_non_null(expected);
	assert_true(message_json_write(out, message, layout));
	assert_int_equal(fclose(out), 0);
	written = json_loadb(text, count, JSON_FLAGS, &problem);
	if (!written || !json_same(expected, written))
		fail_msg("%s: written as %s", golden->name, text);
	json_decref(expected);
	json_decref(written);
	free(text);
}

static void
what_is_read_from_bytes_is_written_as_json(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		same_json_written(&goldens->items[i], goldens->items[i].message, MESSAGE_JSON_LINE);
		same_json_written(&goldens->items[i], goldens->items[i].message, MESSAGE_JSON_WIDE);
	}
}

static void
what_is_read_from_json_is_written_as_bytes(void **state)
{
	const struct goldens *goldens = *state;

	for (size_t i = 0; i < goldens->count; i++) {
		const struct golden *golden = &goldens->items[i];
		ProtobufCMessage *message = NULL;
		char error[400];

		if (!query_json_load(golden->json_path, golden->type, &message, error, sizeof error))
			fail_msg("%s", error);
		if (!golden->unknown_fields && !golden->minus_zero)
			golden_same_packed(golden, "our reader of JSON", message);
		same_json_written(golden, message, MESSAGE_JSON_LINE);
		protobuf_c_message_free_unpacked(message, NULL);
	}
}

/* Reads `json` as a file of the type; NULL if it is refused, with *error set. */
static ProtobufCMessage *
message_of(const char *json, const ProtobufCMessageDescriptor *type, char error[static 400])
{
	char path[] = "/tmp/golden-json-XXXXXX";
	int descriptor = mkstemp(path);
	ProtobufCMessage *message = NULL;

	assert_true(descriptor >= 0);
	FILE *file = fdopen(descriptor, "w");
	assert_non_null(file);
	assert_true(fputs(json, file) >= 0);
	assert_int_equal(fclose(file), 0);
	error[0] = '\0';
	assert_true(query_json_load(path, type, &message, error, 400) == (message != NULL));
	assert_int_equal(remove(path), 0);
	return message;
}

static void
integers_of_64_bits(void **state)
{
	static const struct {
		const char *json;
		uint64_t value;
	} good[] = { { "7", 7 },
		         { "\"18446744073709551615\"", UINT64_MAX },
		         { "9007199254740991", 9007199254740991 },
		         { "\"9007199254740993\"", 9007199254740993 } };
	static const char *const bad[] = { "-1",    "\"-1\"",   "\" 1\"",           "\"\"", "\"1e3\"",
		                               "1.5",   "\"0x10\"", "9007199254740992", "true", "\"18446744073709551616\"",
		                               "\"+1\"" };
	char json[100], error[400];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		(void)snprintf(json, sizeof json, "{\"targetRequestId\": %s}", good[i].json);
		ProtobufCMessage *message = message_of(json, &collide__v1__cancel__descriptor, error);
		assert_non_null(message);
		assert_true(((const Collide__V1__Cancel *)(const void *)message)->target_request_id == good[i].value);
		protobuf_c_message_free_unpacked(message, NULL);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		(void)snprintf(json, sizeof json, "{\"targetRequestId\": %s}", bad[i]);
		assert_null(message_of(json, &collide__v1__cancel__descriptor, error));
		assert_non_null(
			strstr(error, ": Cancel.targetRequestId: must be an integer from 0 to 2^64 - 1, in quotes from 2^53 on"));
	}
}

static void
bytes_in_base64(void **state)
{
	static const struct {
		const char *json, *value;
	} good[] = { { "", "" },      { "YQ==", "a" },   { "YQ", "a" },         { "YWI=", "ab" },
		         { "YWI", "ab" }, { "YWJj", "abc" }, { "-_8", "\xfb\xff" }, { "+/8=", "\xfb\xff" } };
	static const char *const bad[] = { "Y", "YQ=", "YWJj=", "Y Q=", "====", "=", "YWJjYQ=", "Y\\u00e4" };
	char json[100], error[400];

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		(void)snprintf(json, sizeof json, "{\"payload\": \"%s\"}", good[i].json);
		ProtobufCMessage *message = message_of(json, &collide__v1__ping__descriptor, error);
		assert_non_null(message);
		ProtobufCBinaryData payload = ((const Collide__V1__Ping *)(const void *)message)->payload;
		assert_int_equal(payload.len, strlen(good[i].value));
		assert_memory_equal(payload.data, good[i].value, payload.len);
		protobuf_c_message_free_unpacked(message, NULL);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		(void)snprintf(json, sizeof json, "{\"payload\": \"%s\"}", bad[i]);
		assert_null(message_of(json, &collide__v1__ping__descriptor, error));
		assert_non_null(strstr(error, ": Ping.payload: must be a string of base64"));
	}
	assert_null(message_of("{\"payload\": 1}", &collide__v1__ping__descriptor, error));
	assert_null(message_of("{\"text\": [\"x\"]}", &collide__v1__error__descriptor, error));
	assert_non_null(strstr(error, ": Error.text: must be a string"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_from_bytes_is_written_as_json),
		cmocka_unit_test(what_is_read_from_json_is_written_as_bytes),
		cmocka_unit_test(integers_of_64_bits),
		cmocka_unit_test(bytes_in_base64),
	};

	return cmocka_run_group_tests(tests, goldens_load, goldens_free);
}
