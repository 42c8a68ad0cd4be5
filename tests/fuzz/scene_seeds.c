/* Seeds of scene files: each message of a scene with all its fields, which all have the same value. What is wrong with a field
 * is told beside the others, so few files reach what is said of each. */
#include "fuzz/fuzz_seeds.h"

#include "client/cli/scene/scene_json_name.h"
#include "collide/v1/collide.pb-c.h"

#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_BYTES = 400, NAMES_MAX = 8 };

static const char *const values[] = { "1",     "0",       "-1",    "0.5",  "1e300", "4294967296", "\"NaN\"", "\"-Infinity\"",
	                                  "\"7\"", "\"1e9\"", "\"x\"", "true", "null",  "[]",         "{}",      "-0.0" };

/* The message, or each row of one: with `value`, or in fields of an enum with the name of that number. false: there is none. */
static bool
object_write(FILE *out, const ProtobufCMessageDescriptor *type, const char *value, unsigned number, size_t rows)
{
	bool any = number == 0;
	const char *before = "{";
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		const ProtobufCEnumDescriptor *names = field->type == PROTOBUF_C_TYPE_ENUM ? field->descriptor : NULL;
		bool named = names && number > 0 && number <= names->n_values, list = field->label == PROTOBUF_C_LABEL_REPEATED;
		char name[SCENE_JSON_NAME_BYTES_MAX];
		/* Of a message that is where it may be, others are written. */
		if (field->type == PROTOBUF_C_TYPE_MESSAGE)
			continue;
		scene_json_name(field->name, name, sizeof name);
		(void)fprintf(out, "%s\"%s\":%s", before, name, list ? "[" : "");
		for (size_t row = 0; row < (list ? rows : 1); row++)
			(void)fprintf(out, named ? "%s\"%s\"" : "%s%s", row > 0 ? "," : "", named ? names->values[number - 1].name : value);
		(void)fputs(list ? "]" : "", out);
		before = ",";
		any = any || named;
	}
	(void)fputs(before[0] == '{' ? "{}" : "}", out);
	return any;
}

/* In what is around it. */
static void
object_seed(const ProtobufCMessageDescriptor *type, const char *open, const char *close, const char *value, unsigned number,
            size_t rows)
{
	char *text = NULL, name[100];
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	CHECK(out);
	(void)fputs(open, out);
	bool any = object_write(out, type, value, number, rows);
	(void)fputs(close, out);
	CHECK(fclose(out) == 0);
	(void)snprintf(name, sizeof name, "%s_%zu_%u_%zu", type->short_name, strlen(open), number, rows);
	if (any) {
		size_t used = strlen(name);
		for (const char *at = value; number == 0 && *at != '\0' && used + 1 < sizeof name; at++)
			if (*at != '"')
				name[used++] = *at;
		name[used] = '\0';
		seed_write("scene_json", name, text, size);
	}
	free(text);
}

static void
seeds_of_type(const ProtobufCMessageDescriptor *type, const char *open, const char *close)
{
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		object_seed(type, open, close, values[i], 0, 1);
	object_seed(type, open, close, "1", 0, 3);
	for (unsigned number = 1; number <= NAMES_MAX; number++)
		object_seed(type, open, close, "1", number, 1);
	for (unsigned i = 0; i < type->n_fields; i++) {
		const ProtobufCFieldDescriptor *field = &type->fields[i];
		bool list = field->label == PROTOBUF_C_LABEL_REPEATED;
		char name[SCENE_JSON_NAME_BYTES_MAX], inner_open[PATH_BYTES], inner_close[PATH_BYTES];
		if (field->type != PROTOBUF_C_TYPE_MESSAGE)
			continue;
		scene_json_name(field->name, name, sizeof name);
		(void)snprintf(inner_open, sizeof inner_open, "%s{\"%s\":%s", open, name, list ? "[" : "");
		(void)snprintf(inner_close, sizeof inner_close, "%s}%s", list ? "]" : "", close);
		seeds_of_type(field->descriptor, inner_open, inner_close);
	}
}

void
seeds_of_scene_texts(void)
{
	static const char *const texts[] = { "",
		                                 "[]",
		                                 "{",
		                                 "{\"a\\nb\":1}",
		                                 "{\"circles\":[{\"x\":1,\"x\":2}],\"circles\":[]}",
		                                 "{\"gravityX\":1,\"gravity_x\":1}",
		                                 "{\"gravity_\":1}",
		                                 "{\"gravityX\":1}}",
		                                 "{\"a\":\"\\u0041\\\"\\\\\"}" };
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		char name[20];
		(void)snprintf(name, sizeof name, "text%zu", i);
		seed_write("scene_json", name, texts[i], strlen(texts[i]));
	}
	seeds_of_type(&collide__v1__scene__descriptor, "", "");
}
