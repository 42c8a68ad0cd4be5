/* A Query message, checked and copied. The first thing wrong ends it, with its path. All kinds of questions are columns, so one
 * routine reads them all, by the descriptors of their messages and a table of what values may be. */
#include "base/memory.h"
#include "base/pause.h"
#include "scene/definition/def_field.h"
#include "scene/definition/restore.h"
#include "scene/fields/field_path.h"
#include "scene/limits.h"
#include "scene/query/questions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_paths[QUESTION_KINDS] = {
	[QUESTION_CASTS] = "query.casts",       [QUESTION_IN_CIRCLES] = "query.in_circles",
	[QUESTION_IN_BOXES] = "query.in_boxes", [QUESTION_IN_SEGMENTS] = "query.in_segments",
	[QUESTION_NEAREST] = "query.nearest",   [QUESTION_MOVES] = "query.moves",
};

/* What the values of a column may be; the first row that fits counts. */
static const struct range {
	const ProtobufCMessageDescriptor *message; /* NULL: any */
	const char *name;
	double low, high;
	bool or_zero;
	const char *text;
} ranges[] = {
	{ &collide__v1__moves__descriptor, "radius", PHYSICS_RADIUS_MIN, PHYSICS_RADIUS_MAX, false, "must be from 1e-9 to 1e9" },
	{ NULL, "radius", PHYSICS_RADIUS_MIN, PHYSICS_RADIUS_MAX, true, "must be 0 or from 1e-9 to 1e9" },
	{ NULL, "move_x", -SPACE_MOVE_MAX, SPACE_MOVE_MAX, false, "must be from -1e13 to 1e13" },
	{ NULL, "move_y", -SPACE_MOVE_MAX, SPACE_MOVE_MAX, false, "must be from -1e13 to 1e13" },
	{ NULL, "gap_max", 0, SPACE_MOVE_MAX, false, "must be from 0 to 1e13" },
	{ NULL, "skin", 0, PHYSICS_RADIUS_MAX, false, "must be from 0 to 1e9" },
	{ NULL, NULL, -PHYSICS_COORDINATE_MAX, PHYSICS_COORDINATE_MAX, false, "must be from -1e12 to 1e12" },
};

static const struct range *
range_of(const ProtobufCMessageDescriptor *message, const char *name)
{
	const struct range *range = ranges;

	while ((range->message && range->message != message) || (range->name && strcmp(range->name, name) != 0))
		range++;
	return range;
}

/* A column as its message holds it. */
struct question_column {
	const ProtobufCFieldDescriptor *field;
	const void *values;
	size_t count;
};

/* The column of a field, or one without a name: fields that are none. */
static struct question_column
column_of(const ProtobufCMessage *message, unsigned index)
{
	const ProtobufCFieldDescriptor *field = &message->descriptor->fields[index];
	const char *base = (const char *)message;
	struct question_column column = { .field = NULL };

	if (field->label == PROTOBUF_C_LABEL_REPEATED) {
		column.field = field;
		column.count = *(const size_t *)(const void *)(base + field->quantifier_offset);
		column.values = *(const void *const *)(const void *)(base + field->offset);
	}
	return column;
}

static enum status
refuse(const char *path, const char *name, size_t index, const char *text, struct wire_problem *problem)
{
	struct path_place place = { .path = path, .name = name, .by_column = true, .index = index };

	return path_problem(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", place, text);
}

/* Without a count of one's own, the longest column says how many rows there are. */
static size_t
rows_longest(const ProtobufCMessage *message)
{
	size_t rows = 0;

	for (unsigned i = 0; message && i < message->descriptor->n_fields; i++) {
		size_t count = column_of(message, i).count;

		rows = count > rows ? count : rows;
	}
	return rows;
}

static enum status
values_check(const char *path, const ProtobufCMessage *message, const struct question_column *column,
             struct wire_problem *problem)
{
	const char *name = column->field->name;

	for (size_t i = 0; i < column->count && !pause_after(4); i++) {
		if (column->field->type == PROTOBUF_C_TYPE_DOUBLE) {
			double value = ((const double *)column->values)[i];
			const struct range *range = range_of(message->descriptor, name);

			if (!(value >= range->low && value <= range->high) && !(range->or_zero && value == 0))
				return refuse(path, name, i, range->text, problem);
		} else if (column->field->type == PROTOBUF_C_TYPE_ENUM) {
			int value = ((const int *)column->values)[i];
			char text[64];

			if (!protobuf_c_enum_descriptor_get_value(column->field->descriptor, value)) {
				(void)snprintf(text, sizeof text, "%d is not a CastStart", value);
				return refuse(path, name, i, text, problem);
			}
		} else if (strcmp(name, "legs_max") == 0 && ((const uint32_t *)column->values)[i] > MOVER_LEGS_MAX) {
			return refuse(path, name, i, "must be from 0 to 256", problem);
		}
	}
	return STATUS_OK;
}

static enum status
columns_check(const char *path, const ProtobufCMessage *message, size_t rows, struct wire_problem *problem)
{
	for (unsigned i = 0; i < message->descriptor->n_fields; i++) {
		struct question_column column = column_of(message, i);

		if (!column.field)
			continue;
		if (column.count > 1 && column.count != rows) {
			char text[128];

			(void)snprintf(text, sizeof text, "has %zu elements for %zu rows; must have none, one for all or one a row",
			               column.count, rows);
			return refuse(path, column.field->name, PATH_NO_INDEX, text, problem);
		}
		enum status status = values_check(path, message, &column, problem);
		if (status != STATUS_OK)
			return status;
	}
	return STATUS_OK;
}

static double
column_value(const double *values, size_t count, size_t row)
{
	return count == 0 ? 0 : values[count == 1 ? 0 : row];
}

/* Boxes the right way round. */
static enum status
boxes_check(const Collide__V1__InBoxes *m, size_t rows, struct wire_problem *problem)
{
	const char *path = kind_paths[QUESTION_IN_BOXES];

	for (size_t i = 0; i < rows && !pause_after(2); i++) {
		if (column_value(m->x_min, m->n_x_min, i) > column_value(m->x_max, m->n_x_max, i))
			return refuse(path, "x_max", path_column_index(m->n_x_max, i), "must not be less than x_min", problem);
		if (column_value(m->y_min, m->n_y_min, i) > column_value(m->y_max, m->n_y_max, i))
			return refuse(path, "y_max", path_column_index(m->n_y_max, i), "must not be less than y_min", problem);
	}
	return STATUS_OK;
}

/* Every message of questions begins with its count. */
static uint32_t
count_given(const ProtobufCMessage *message)
{
	const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(message->descriptor, "count");
	uint32_t count;

	memcpy(&count, (const char *)message + field->offset, sizeof count);
	return count;
}

static enum status
kind_check(const Collide__V1__Query *request, enum question_kind kind, const struct scene_limits *limits, size_t *rows_out,
           struct wire_problem *problem)
{
	const ProtobufCMessage *message = question_message(request, kind);
	const Collide__V1__Asker *asker = question_asker(request, kind);
	const char *path = kind_paths[kind];
	size_t rows = count_given(message), asker_rows = rows_longest(asker ? &asker->base : NULL);
	char asker_path[40];

	if (rows == 0) {
		rows = rows_longest(message);
		rows = asker_rows > rows ? asker_rows : rows;
	}
	if (rows == 0)
		return refuse(path, NULL, PATH_NO_INDEX, "must have at least one row", problem);
	if (rows > limits->circles_max) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", path,
		                        "has %zu rows, at most %" PRIu32 " are allowed", rows, limits->circles_max);
	}
	if (kind == QUESTION_MOVES && request->moves->n_radius == 0)
		return refuse(path, "radius", PATH_NO_INDEX, "is required", problem);
	enum status status = columns_check(path, message, rows, problem);
	if (status == STATUS_OK && asker) {
		(void)snprintf(asker_path, sizeof asker_path, "%s.asker", path);
		status = columns_check(asker_path, &asker->base, rows, problem);
	}
	if (status == STATUS_OK && kind == QUESTION_IN_BOXES)
		status = boxes_check(request->in_boxes, rows, problem);
	*rows_out = rows;
	return status;
}

static enum status
no_memory(const char *path, struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for it");
}

/* The questions, of the request's columns, as a message of one's own; with the moment that they are about. */
static enum status
questions_copy(const Collide__V1__Query *request, struct questions *out, struct wire_problem *problem)
{
	Collide__V1__Query shallow = *request;

	if (request->optional_scene_case != COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD) {
		shallow.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE__NOT_SET;
		shallow.scene = NULL;
	}
	shallow.base.n_unknown_fields = 0;
	size_t count = collide__v1__query__get_packed_size(&shallow);
	uint8_t *bytes = memory_alloc(count + 1);
	if (!bytes)
		return no_memory("query", problem);
	(void)collide__v1__query__pack(&shallow, bytes);
	out->request = collide__v1__query__unpack(NULL, count, bytes);
	memory_free(bytes);
	out->questions_bytes = count;
	return !out->request ? no_memory("query", problem) : STATUS_OK;
}

static enum status
space_read(const Collide__V1__Scene *scene, const struct scene_limits *limits, struct arena *arena, struct space **out,
           struct wire_problem *problem)
{
	struct world_def def;
	struct def_problem found;
	enum status status = scene_world_def(arena, scene, limits, "query.scene", &def, problem);

	if (status != STATUS_OK)
		return status;
	status = space_create(&def, &found, out);
	if (status == STATUS_INVALID_ARGUMENT)
		return def_field_problem(problem, "query.scene", scene, &found);
	return status == STATUS_OK ? status : no_memory("query.scene", problem);
}

/* The shapes of a snapshot, where they are in it. */
static enum status
space_restore(const ProtobufCBinaryData *snapshot, const struct scene_limits *limits, struct space **out,
              struct wire_problem *problem)
{
	struct world *world;
	enum status status = scene_world_restore(snapshot->data, snapshot->len, limits, "query.snapshot", &world, problem);

	if (status != STATUS_OK)
		return status;
	status = space_create_of_world(world, out);
	world_destroy(world);
	return status == STATUS_OK ? status : no_memory("query.snapshot", problem);
}

static enum status
own_fields_check(const Collide__V1__Query *request, struct wire_problem *problem)
{
	bool any = false;

	if (!(request->tolerance >= 0 && request->tolerance <= SCENE_TOLERANCE_MAX))
		return refuse("query", "tolerance", PATH_NO_INDEX, "must be from 0 to 1e12", problem);
	if (!(request->tolerance_relative >= 0 && request->tolerance_relative <= 1))
		return refuse("query", "tolerance_relative", PATH_NO_INDEX, "must be from 0 to 1", problem);
	if (request->optional_scene_case == COLLIDE__V1__QUERY__OPTIONAL_SCENE__NOT_SET)
		return refuse("query", "scene", PATH_NO_INDEX, "is required", problem);
	if (request->optional_scene_case == COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD && !(request->world->time >= 0))
		return refuse("query.world", "time", PATH_NO_INDEX, "must be from 0 to the world's dt", problem);
	for (int kind = 0; kind < QUESTION_KINDS; kind++)
		any = any || question_message(request, (enum question_kind)kind) != NULL;
	return any ? STATUS_OK : refuse("query", NULL, PATH_NO_INDEX, "must have questions", problem);
}

enum status
questions_read(const Collide__V1__Query *request, const struct scene_limits *limits, struct arena *arena, struct questions *out,
               struct wire_problem *problem)
{
	enum status status = own_fields_check(request, problem);
	struct questions questions = { .tolerance = { request->tolerance, request->tolerance_relative } };

	collide__v1__query_counts__init(&questions.counts);
	for (int kind = 0; status == STATUS_OK && kind < QUESTION_KINDS; kind++)
		if (question_message(request, (enum question_kind)kind))
			status = kind_check(request, (enum question_kind)kind, limits, &questions.rows[kind], problem);
	if (status == STATUS_OK && request->optional_scene_case == COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT)
		status = space_restore(&request->snapshot, limits, &questions.space, problem);
	else if (status == STATUS_OK && request->optional_scene_case == COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE)
		status = space_read(request->scene, limits, arena, &questions.space, problem);
	if (status == STATUS_OK)
		status = questions_copy(request, &questions, problem);
	if (status != STATUS_OK) {
		questions_finish(&questions);
		return status;
	}
	*out = questions;
	return STATUS_OK;
}
