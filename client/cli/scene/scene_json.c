/* Reading. One small reader walks the message's descriptor, so new fields of the schema need no new code. What the schema does
 * not use (signed integers, maps) is not supported, and such a field is refused with a text.
 *
 * What can go wrong: the text is not JSON (jansson says where), or it is JSON of another shape (the error names the path). */
#include "client/cli/scene/scene_json.h"

#include "base/suggest.h"
#include "client/cli/scene/message_json.h"
#include "client/cli/scene/scalar_json.h"
#include "client/cli/scene/scene_json_name.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Fields of one message; Circle has 16. More would need a wider set of the fields seen. */
enum { FIELDS_MAX = 64 };
/* Bytes of a path in an error message: enough for any path of this schema with keys of ordinary length. */
enum { PATH_BYTES_MAX = 160 };
/* Bytes of a list of fields in an error message. */
enum { FIELDS_TEXT_BYTES = 160 };

struct scene_reader {
	const char *name; /* of the file, for errors */
	char *error;
	size_t error_size;
	char path[PATH_BYTES_MAX];
	size_t path_length;

	/* With `report`, reading goes on after a problem; a wrong value keeps its default. */
	scene_json_problem_fn report;
	void *context;
	struct json_places *places; /* NULL without report */
	uint32_t place;             /* of what is being read */
	bool at_key;                /* the key is wrong, not the value */
	bool out_of_memory;
};

/* The reader's position. */
struct mark {
	size_t path_length;
	uint32_t place;
};

static bool reader_fail(struct scene_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static struct mark path_enter(struct scene_reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static ProtobufCMessage *message_read(struct scene_reader *reader, const json_t *json, const ProtobufCMessageDescriptor *type);

/* Control characters in a key must not reach a terminal. */
static void
text_tame(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = '?';
}

static bool
reader_fail(struct scene_reader *reader, const char *format, ...)
{
	char text[320];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	if (reader->report) {
		size_t offset = reader->at_key ? json_place_key_offset(reader->places, reader->place)
		                               : json_place_offset(reader->places, reader->place);
		text_tame(text);
		text_tame(reader->path);
		reader->report(reader->context, offset, reader->path, text);
		return false;
	}
	snprintf(reader->error, reader->error_size, "%s: %s: %s", reader->name, reader->path, text);
	text_tame(reader->error);
	return false;
}

/* Without memory, reading ends even if it goes on after problems. Always false. */
static bool
reader_fail_memory(struct scene_reader *reader)
{
	reader->out_of_memory = true;
	return reader_fail(reader, "no memory");
}

/* Whether to go on after a failure. */
static bool
reader_goes_on(const struct scene_reader *reader)
{
	return reader->report != NULL && !reader->out_of_memory;
}

/* Extends the path; returns the previous position, for path_leave. A path that is too long is cut. */
static struct mark
path_enter(struct scene_reader *reader, const char *format, ...)
{
	struct mark before = { reader->path_length, reader->place };
	va_list arguments;
	va_start(arguments, format);
	int written = vsnprintf(reader->path + before.path_length, sizeof reader->path - before.path_length, format, arguments);
	va_end(arguments);
	if (written > 0) {
		size_t after = before.path_length + (size_t)written;
		reader->path_length = after < sizeof reader->path ? after : sizeof reader->path - 1;
	}
	return before;
}

static void
path_leave(struct scene_reader *reader, struct mark before)
{
	reader->path_length = before.path_length;
	reader->path[before.path_length] = '\0';
	reader->place = before.place;
	reader->at_key = false;
}

static struct mark
member_enter(struct scene_reader *reader, const char *key)
{
	struct mark before = path_enter(reader, ".%s", key);
	if (reader->places)
		reader->place = json_place_member(reader->places, before.place, key);
	return before;
}

static struct mark
element_enter(struct scene_reader *reader, size_t index)
{
	struct mark before = path_enter(reader, "[%zu]", index);
	if (reader->places)
		reader->place = json_place_element(reader->places, before.place, index);
	return before;
}

/* Whether the text is a number as JSON writes it. strtod alone would accept "0x1p3", " 1" and "inf" as well. */
static bool
text_is_number(const char *text)
{
	text += *text == '-';
	size_t digits = strspn(text, "0123456789");
	if (digits == 0 || (digits > 1 && *text == '0'))
		return false;
	text += digits;
	if (*text == '.') {
		digits = strspn(++text, "0123456789");
		text += digits;
		if (digits == 0)
			return false;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '+' || *text == '-';
		digits = strspn(text, "0123456789");
		text += digits;
		if (digits == 0)
			return false;
	}
	return *text == '\0';
}

static bool
double_read(struct scene_reader *reader, const json_t *json, double *out)
{
	if (json_is_number(json)) {
		*out = json_number_value(json);
		return true;
	}
	const char *text = json_string_value(json);
	if (!text)
		return reader_fail(reader, "must be a number");
	if (strcmp(text, "NaN") == 0) {
		*out = (double)NAN;
	} else if (strcmp(text, "Infinity") == 0) {
		*out = (double)INFINITY;
	} else if (strcmp(text, "-Infinity") == 0) {
		*out = -(double)INFINITY;
	} else if (text_is_number(text)) {
		*out = strtod(text, NULL);
		if (isinf(*out))
			return reader_fail(reader, "must be a number that a double can hold");
	} else {
		return reader_fail(reader, "must be a number");
	}
	return true;
}

static bool
uint32_read(struct scene_reader *reader, const json_t *json, uint32_t *out)
{
	double value = 0;
	if (!double_read(reader, json, &value))
		return false;
	if (!(value >= 0 && value <= 4294967295.0) || value != floor(value))
		return reader_fail(reader, "must be an integer from 0 to 4294967295");
	*out = (uint32_t)value;
	return true;
}

/* `given` is NULL for a value that is no text. */
static bool
enum_refuse(struct scene_reader *reader, const ProtobufCEnumDescriptor *type, const char *given)
{
	char names[200] = "", text[SUGGEST_TEXT_BYTES] = "";
	size_t used = 0;
	struct suggest suggest;
	suggest_begin(&suggest, given ? given : "");
	for (unsigned i = 0; i < type->n_values && used < sizeof names; i++) {
		int written = snprintf(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ", type->values[i].name);
		used += written > 0 ? (size_t)written : 0;
		suggest_add(&suggest, type->values[i].name);
	}
	return reader_fail(reader, "must be one of %s%s", names, suggest_text(&suggest, text));
}

static bool
enum_read(struct scene_reader *reader, const json_t *json, const ProtobufCEnumDescriptor *type, int *out)
{
	const ProtobufCEnumValue *value = NULL;
	if (json_is_string(json)) {
		value = protobuf_c_enum_descriptor_get_value_by_name(type, json_string_value(json));
	} else if (json_is_number(json)) {
		double number = json_number_value(json);
		if (number >= 0 && number <= 65535 && number == floor(number))
			value = protobuf_c_enum_descriptor_get_value(type, (int)number);
	}
	if (!value)
		return enum_refuse(reader, type, json_string_value(json));
	*out = value->value;
	return true;
}

static size_t
element_size(const ProtobufCFieldDescriptor *field)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: return sizeof(double);
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32: return sizeof(uint32_t);
	case PROTOBUF_C_TYPE_ENUM: return sizeof(int);
	case PROTOBUF_C_TYPE_BOOL: return sizeof(protobuf_c_boolean);
	case PROTOBUF_C_TYPE_MESSAGE: return sizeof(void *);
	default: return scalar_json_size(field->type);
	}
}

static bool
bool_read(struct scene_reader *reader, const json_t *json, protobuf_c_boolean *out)
{
	if (!json_is_boolean(json))
		return reader_fail(reader, "must be true or false");
	*out = json_is_true(json);
	return true;
}

/* The types that scenes do not use. */
static bool
other_read(struct scene_reader *reader, const json_t *json, const ProtobufCFieldDescriptor *field, void *member)
{
	if (scalar_json_size(field->type) == 0)
		return reader_fail(reader, "has a type that is not supported");
	const char *refusal = scalar_json_read(json, field->type, member);
	return !refusal || reader_fail(reader, "%s", refusal);
}

/* Reads one value into `member`, which has element_size bytes. */
static bool
value_read(struct scene_reader *reader, const json_t *json, const ProtobufCFieldDescriptor *field, void *member)
{
	switch (field->type) {
	case PROTOBUF_C_TYPE_DOUBLE: return double_read(reader, json, member);
	case PROTOBUF_C_TYPE_UINT32:
	case PROTOBUF_C_TYPE_FIXED32: return uint32_read(reader, json, member);
	case PROTOBUF_C_TYPE_ENUM: return enum_read(reader, json, field->descriptor, member);
	case PROTOBUF_C_TYPE_BOOL: return bool_read(reader, json, member);
	case PROTOBUF_C_TYPE_MESSAGE: {
		ProtobufCMessage *message = message_read(reader, json, field->descriptor);
		if (message)
			memcpy(member, &message, sizeof(void *));
		return message != NULL;
	}
	default: return other_read(reader, json, field, member);
	}
}

static bool
list_read(struct scene_reader *reader, const json_t *json, const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
	if (!json_is_array(json))
		return reader_fail(reader, "must be an array");
	size_t count = json_array_size(json), size = element_size(field);
	if (count == 0 || size == 0)
		return size != 0 || reader_fail(reader, "has a type that is not supported");
	char *elements = calloc(count, size);
	if (!elements)
		return reader_fail_memory(reader);
	/* From here on the message owns the list and knows its filled length, so that it can be freed at any time. */
	memcpy((char *)message + field->offset, &elements, sizeof elements);
	size_t *filled = (size_t *)(void *)((char *)message + field->quantifier_offset);
	for (size_t i = 0; i < count; i++) {
		struct mark before = element_enter(reader, i);
		if (!value_read(reader, json_array_get(json, i), field, elements + i * size) && !reader_goes_on(reader))
			return false;
		path_leave(reader, before);
		*filled = i + 1;
	}
	return true;
}

static bool
field_read(struct scene_reader *reader, const json_t *json, const ProtobufCFieldDescriptor *field, ProtobufCMessage *message)
{
	if (field->label == PROTOBUF_C_LABEL_REPEATED)
		return list_read(reader, json, field, message);
	if (!value_read(reader, json, field, (char *)message + field->offset))
		return false;
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
		/* Written after the value: while the case is unset, freeing the message ignores the value. */
		int chosen = (int)field->id;
		memcpy((char *)message + field->quantifier_offset, &chosen, sizeof chosen);
	}
	return true;
}

/* "; Scene has circles, segments ...": as many of a message's fields as have room. */
static void
fields_list(const ProtobufCMessageDescriptor *type, char *to, size_t size)
{
	size_t used = (size_t)snprintf(to, size, "; %s has", type->short_name);
	for (unsigned i = 0; i < type->n_fields; i++) {
		char name[64];
		scene_json_name(type->fields[i].name, name, sizeof name);
		if (used + strlen(name) + sizeof ",  ..." > size) {
			snprintf(to + used, size - used, " ...");
			return;
		}
		used += (size_t)snprintf(to + used, size - used, "%s %s", i > 0 ? "," : "", name);
	}
}

static bool
unknown_refuse(struct scene_reader *reader, const ProtobufCMessageDescriptor *type, const char *key)
{
	struct suggest suggest;
	char text[SUGGEST_TEXT_BYTES], fields[FIELDS_TEXT_BYTES];
	suggest_begin(&suggest, key);
	for (unsigned i = 0; i < type->n_fields; i++) {
		char name[sizeof suggest.nearest];
		scene_json_name(type->fields[i].name, name, sizeof name);
		suggest_add(&suggest, name);
	}
	fields_list(type, fields, sizeof fields);
	return reader_fail(reader, "unknown field%s", suggest_nearest(&suggest) ? suggest_text(&suggest, text) : fields);
}

static bool
member_read(struct scene_reader *reader, const char *key, const json_t *json, ProtobufCMessage *message, bool seen[FIELDS_MAX])
{
	const ProtobufCMessageDescriptor *type = message->descriptor;
	struct mark before = member_enter(reader, key);
	unsigned i = 0;
	while (i < type->n_fields && !scene_json_name_matches(type->fields[i].name, key))
		i++;
	bool good;
	if (i == type->n_fields || i >= FIELDS_MAX) {
		reader->at_key = true;
		good = unknown_refuse(reader, type, key);
	} else if (seen[i]) {
		reader->at_key = true;
		good = reader_fail(reader, "given twice");
	} else {
		seen[i] = true;
		good = json_is_null(json) || field_read(reader, json, &type->fields[i], message);
	}
	if (!good && !reader_goes_on(reader))
		return false;
	path_leave(reader, before);
	return true;
}

/* NULL on failure, with the path left where it happened. If reading goes on after problems, only without memory. */
static ProtobufCMessage *
message_read(struct scene_reader *reader, const json_t *json, const ProtobufCMessageDescriptor *type)
{
	if (!json_is_object(json)) {
		(void)reader_fail(reader, "must be an object");
		if (!reader_goes_on(reader))
			return NULL;
	}
	ProtobufCMessage *message = malloc(type->sizeof_message);
	if (!message) {
		(void)reader_fail_memory(reader);
		return NULL;
	}
	protobuf_c_message_init(type, message);
	if (!json_is_object(json))
		return message; /* empty */
	bool seen[FIELDS_MAX] = { false };
	/* The iterator takes no const object although it changes nothing. */
	json_t *object = json_incref((json_t *)(uintptr_t)json);
	const char *key;
	json_t *value;
	bool good = true;
	json_object_foreach(object, key, value)
	{
		good = member_read(reader, key, value, message, seen);
		if (!good)
			break;
	}
	json_decref(object);
	if (!good) {
		protobuf_c_message_free_unpacked(message, NULL);
		return NULL;
	}
	return message;
}

/* Consumes `json`. `problem` is jansson's, in case json is NULL. NULL on failure. */
static ProtobufCMessage *
root_read(const char *name, json_t *json, const json_error_t *problem, const char *root, const ProtobufCMessageDescriptor *type,
          char *error, size_t error_size)
{
	if (!json) {
		snprintf(error, error_size, "%s:%d:%d: %s", name, problem->line, problem->column, problem->text);
		text_tame(error);
		return NULL;
	}
	struct scene_reader reader = { .name = name, .error = error, .error_size = error_size };
	(void)path_enter(&reader, "%s", root);
	ProtobufCMessage *message = message_read(&reader, json, type);
	json_decref(json);
	return message;
}

/* The same for a scene. */
static bool
scene_read(const char *name, json_t *json, const json_error_t *problem, Collide__V1__Scene **scene, char *error,
           size_t error_size)
{
	ProtobufCMessage *message = root_read(name, json, problem, "scene", &collide__v1__scene__descriptor, error, error_size);
	if (!message)
		return false;
	*scene = (Collide__V1__Scene *)(void *)message;
	return true;
}

bool
scene_json_read(const json_t *json, struct json_places *places, scene_json_problem_fn report, void *context,
                Collide__V1__Scene **scene)
{
	struct scene_reader reader = { .report = report, .context = context, .places = places };
	(void)path_enter(&reader, "scene");
	ProtobufCMessage *message = message_read(&reader, json, &collide__v1__scene__descriptor);
	if (!message)
		return false;
	*scene = (Collide__V1__Scene *)(void *)message;
	return true;
}

/* Every number of a scene fits a double, so integers need no type and no range of their own; 64-bit ones are strings. */
static const size_t json_flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;

/* Reads a file or stdin by jansson; *name is its name in errors. false: it could not be read, and *error says why. The JSON is
 * NULL if the text is not JSON, and *problem says why. */
static bool
file_read(const char *path, const char **name, json_t **json, json_error_t *problem, char *error, size_t error_size)
{
	bool from_stdin = strcmp(path, "-") == 0;
	*name = from_stdin ? "stdin" : path;
	FILE *file = from_stdin ? stdin : fopen(path, "rb");
	if (!file) {
		snprintf(error, error_size, "%s: %s", *name, strerror(errno));
		return false;
	}
	errno = 0;
	*json = json_loadf(file, json_flags, problem);
	int read_errno = ferror(file) ? errno : 0;
	if (!from_stdin)
		fclose(file);
	if (!*json && read_errno != 0) {
		snprintf(error, error_size, "%s: %s", *name, strerror(read_errno));
		return false;
	}
	return true;
}

bool
scene_json_load(const char *path, Collide__V1__Scene **scene, char *error, size_t error_size)
{
	const char *name;
	json_t *json = NULL;
	json_error_t problem;
	return file_read(path, &name, &json, &problem, error, error_size) &&
	       scene_read(name, json, &problem, scene, error, error_size);
}

/* A Detect of all pairs of a scene, or a Query of it without questions yet. It takes ownership of the scene. NULL without
 * memory. */
static ProtobufCMessage *
message_of_scene(const ProtobufCMessageDescriptor *type, Collide__V1__Scene *scene)
{
	if (type == &collide__v1__query__descriptor) {
		Collide__V1__Query *query = malloc(sizeof *query);
		if (!query)
			return NULL;
		collide__v1__query__init(query);
		query->optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE;
		query->scene = scene;
		return &query->base;
	}
	Collide__V1__Detect *detect = malloc(sizeof *detect);
	if (!detect)
		return NULL;
	collide__v1__detect__init(detect);
	detect->what_case = COLLIDE__V1__DETECT__WHAT_SCENE;
	detect->scene = scene;
	return &detect->base;
}

bool
query_json_load(const char *path, const ProtobufCMessageDescriptor *type, ProtobufCMessage **message, char *error,
                size_t error_size)
{
	const char *name;
	json_t *json = NULL;
	json_error_t problem;
	bool detect = type == &collide__v1__detect__descriptor, query = type == &collide__v1__query__descriptor;
	if (!file_read(path, &name, &json, &problem, error, error_size))
		return false;
	if ((detect || query) && json_is_object(json) && !json_object_get(json, "pairs") && !json_object_get(json, "scene")) {
		Collide__V1__Scene *scene;
		if (!scene_read(name, json, &problem, &scene, error, error_size))
			return false;
		*message = message_of_scene(type, scene);
		if (!*message) {
			scene_json_free(scene);
			snprintf(error, error_size, "%s: no memory", name);
		}
		return *message != NULL;
	}
	const char *root = detect                                       ? "detect"
	                   : query                                      ? "query"
	                   : type == &collide__v1__respond__descriptor  ? "respond"
	                   : type == &collide__v1__commands__descriptor ? "commands"
	                                                                : type->short_name;
	*message = root_read(name, json, &problem, root, type, error, error_size);
	return *message != NULL;
}

bool
scene_json_parse(const char *name, const char *text, size_t count, Collide__V1__Scene **scene, char *error, size_t error_size)
{
	json_error_t problem;
	json_t *json = json_loadb(text, count, json_flags, &problem);
	return scene_read(name, json, &problem, scene, error, error_size);
}

void
scene_json_free(Collide__V1__Scene *scene)
{
	if (scene)
		collide__v1__scene__free_unpacked(scene, NULL);
}

bool
scene_json_write(FILE *out, const Collide__V1__Scene *scene)
{
	return message_json_write(out, &scene->base, MESSAGE_JSON_WIDE) && fflush(out) == 0;
}
