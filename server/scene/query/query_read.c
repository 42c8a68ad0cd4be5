/* A Detect, a Respond or a Query message, checked and copied (its questions: questions_read.c). The first thing wrong ends it,
 * with its path. */
#include "base/memory.h"
#include "base/pause.h"
#include "scene/definition/def_field.h"
#include "scene/fields/columns.h"
#include "scene/fields/field_path.h"
#include "scene/limits.h"
#include "scene/query/query_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static enum status
bad_field(struct wire_problem *problem, const char *field, const char *text)
{
	return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field, "%s", text);
}

/* "detect" and "dt" to "detect.dt". */
struct field_name {
	char text[64];
};

static struct field_name
field_of(const char *request, const char *field)
{
	struct field_name name;

	(void)snprintf(name.text, sizeof name.text, "%s.%s", request, field);
	return name;
}

static enum status
tolerance_read(const char *request, double absolute, double relative, struct tolerance *out, struct wire_problem *problem)
{
	if (!(absolute >= 0 && absolute <= SCENE_TOLERANCE_MAX))
		return bad_field(problem, field_of(request, "tolerance").text, "must be from 0 to 1e12");
	if (!(relative >= 0 && relative <= 1))
		return bad_field(problem, field_of(request, "tolerance_relative").text, "must be from 0 to 1");
	*out = (struct tolerance){ absolute, relative };
	return STATUS_OK;
}

static enum status
deadline_check(const char *request, uint32_t deadline_ms, const struct scene_limits *limits, struct wire_problem *problem)
{
	if (limits->deadline_ms_max == 0 || deadline_ms <= limits->deadline_ms_max)
		return STATUS_OK;
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "LIMIT", field_of(request, "deadline_ms").text,
	                        "is %" PRIu32 ", at most %" PRIu32 " is allowed", deadline_ms, limits->deadline_ms_max);
}

static enum status
detect_settings_read(const Collide__V1__Detect *request, const struct scene_limits *limits, struct all_pairs_settings *out,
                     struct wire_problem *problem)
{
	enum status status = tolerance_read("detect", request->tolerance, request->tolerance_relative, &out->tolerance, problem);

	if (status == STATUS_OK)
		status = deadline_check("detect", request->deadline_ms, limits, problem);
	if (status != STATUS_OK)
		return status;
	if (!(request->dt >= 0 && request->dt <= DETECT_DURATION_MAX))
		return bad_field(problem, "detect.dt", "must be from 0 to 1e12");
	switch (request->reading) {
	case COLLIDE__V1__READING__READING_UNSPECIFIED:
	case COLLIDE__V1__READING__READING_FILLED: out->reading = READING_FILLED; break;
	case COLLIDE__V1__READING__READING_OUTLINE: out->reading = READING_OUTLINE; break;
	default:
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "detect.reading", "%d is not a Reading",
		                        (int)request->reading);
	}
	out->duration = request->dt;
	out->skin = request->with_skin != 0;
	return STATUS_OK;
}

static enum status
no_memory(const char *path, struct wire_problem *problem)
{
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path, "no memory for it");
}

/* What a scene is checked for is what Simulate checks, with this request's path. */
static enum status
all_pairs_read(const Collide__V1__Scene *scene, const struct scene_limits *limits, struct arena *arena, struct query *query,
               struct wire_problem *problem)
{
	struct world_def def;
	struct def_problem found;
	enum status status = scene_world_def(arena, scene, limits, "detect.scene", &def, problem);

	if (status != STATUS_OK)
		return status;
	status = all_pairs_create(&def, &query->settings, &found, &query->all_pairs);
	if (status == STATUS_INVALID_ARGUMENT)
		return def_field_problem(problem, "detect.scene", scene, &found);
	return status == STATUS_OK ? status : no_memory("detect.scene", problem);
}

static bool
rows_create(struct query *query)
{
	switch (query->kind) {
	case QUERY_RESPOND:
		query->response_rows = memory_alloc(sizeof *query->response_rows);
		if (query->response_rows)
			query->response_rows->count = 0;
		return query->response_rows != NULL;
	case QUERY_SPACE:
		query->question_rows = memory_alloc(sizeof *query->question_rows);
		if (query->question_rows)
			question_rows_clear(query->question_rows);
		return query->question_rows != NULL;
	case QUERY_PAIRS:
	case QUERY_SCENE: break;
	}
	query->pair_rows = memory_alloc(sizeof *query->pair_rows);
	if (query->pair_rows)
		query->pair_rows->count = 0;
	return query->pair_rows != NULL;
}

/* The last step: rows, and whether it all fits. On failure the query is gone. */
static enum status
query_finish_create(struct query *query, enum status status, const char *path, const struct scene_limits *limits,
                    struct query **out, struct wire_problem *problem)
{
	if (status == STATUS_OK)
		status = rows_create(query) ? STATUS_OK : no_memory(path, problem);
	if (status == STATUS_OK) {
		query->memory_bytes_max = limits->memory_bytes_max;
		status = query_memory_check(query, path, problem);
	}
	if (status != STATUS_OK) {
		query_destroy(query);
		return status;
	}
	*out = query;
	return STATUS_OK;
}

enum status
query_create_detect(const Collide__V1__Detect *request, const struct scene_limits *limits, uint64_t request_id,
                    struct arena *arena, struct query **out, struct wire_problem *problem)
{
	struct query *query = memory_zeroed(1, sizeof *query);

	if (!query)
		return no_memory("detect", problem);
	query->request_id = request_id;
	enum status status = detect_settings_read(request, limits, &query->settings, problem);
	if (status == STATUS_OK) {
		switch (request->what_case) {
		case COLLIDE__V1__DETECT__WHAT_PAIRS:
			query->kind = QUERY_PAIRS;
			status = pairs_read(arena, request->pairs, limits, "detect.pairs", &query->pairs, problem);
			break;
		case COLLIDE__V1__DETECT__WHAT_SCENE:
			query->kind = QUERY_SCENE;
			status = all_pairs_read(request->scene, limits, arena, query, problem);
			break;
		default: status = bad_field(problem, "detect", "must have pairs or a scene");
		}
	}
	return query_finish_create(query, status, "detect", limits, out, problem);
}

/* Copies a column; its values must be from 0 to `most`. */
static enum status
numbers_read(const double *values, size_t count, size_t rows, const char *field, double most, struct numbers *out,
             struct wire_problem *problem)
{
	char path[80];

	if (count > 1 && count != rows) {
		return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", field,
		                        "has %zu elements for %zu rows; must have none, one for all or one a row", count, rows);
	}
	for (size_t i = 0; i < count && !pause_after(1); i++) {
		if (!(values[i] >= 0 && values[i] <= most)) {
			(void)snprintf(path, sizeof path, "%s[%zu]", field, i);
			return wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", path, "must be from 0 to %g", most);
		}
	}
	out->values = count == 0 ? NULL : memory_alloc(count * sizeof *values);
	if (count > 0 && !out->values)
		return no_memory(field, problem);
	if (count > 0)
		(void)pause_copy(out->values, values, count * sizeof *values);
	out->count = count;
	return STATUS_OK;
}

static enum status
push_out_read(const Collide__V1__PushOut *message, struct query *query, struct wire_problem *problem)
{
	const char *field_b = "respond.push_out.weight_b";
	size_t rows = query->pairs.rows;

	if (query->pairs.kind != PAIRS_CIRCLES && message->n_weight_b > 0)
		return bad_field(problem, field_b, "has no meaning here: segments and lines never yield");
	enum status status = numbers_read(message->weight_a, message->n_weight_a, rows, "respond.push_out.weight_a",
	                                  SCENE_WEIGHT_MAX, &query->weight_a, problem);
	if (status == STATUS_OK) {
		status = numbers_read(message->weight_b, message->n_weight_b, rows, field_b, SCENE_WEIGHT_MAX, &query->weight_b,
		                      problem);
	}
	for (size_t i = 0; status == STATUS_OK && i < rows && !pause_after(1); i++) {
		if (query_weight_a(query, i) == 0 && query_weight_b(query, i) == 0) {
			char path[80];

			(void)snprintf(path, sizeof path, "%s[%zu]", field_b, path_column_index(query->weight_b.count, i));
			return bad_field(problem, path, "must not be 0 where weight_a is: nothing would be pushed");
		}
	}
	return status;
}

/* Of two that never yield, neither can be pushed or bounced. */
static enum status
movable_check(const struct query *query, const Collide__V1__Pairs *message, struct wire_problem *problem)
{
	for (size_t i = 0; i < query->pairs.rows && !pause_after(1); i++) {
		char path[80];

		if (!isinf(pairs_a_mass(&query->pairs, i)) || !isinf(pairs_b_mass(&query->pairs, i)))
			continue;
		(void)snprintf(path, sizeof path, "respond.pairs.a.kind[%zu]", path_column_index(message->a->n_kind, i));
		return bad_field(problem, path, "must be dynamic where b cannot move either");
	}
	return STATUS_OK;
}

static enum status
respond_read(const Collide__V1__Respond *request, const struct scene_limits *limits, struct arena *arena, struct query *query,
             struct wire_problem *problem)
{
	enum status status = tolerance_read("respond", request->tolerance, request->tolerance_relative, &query->settings.tolerance,
	                                    problem);

	query->push_out = request->optional_push_out_case == COLLIDE__V1__RESPOND__OPTIONAL_PUSH_OUT_PUSH_OUT;
	query->bounce = request->optional_bounce_case == COLLIDE__V1__RESPOND__OPTIONAL_BOUNCE_BOUNCE;
	if (status == STATUS_OK)
		status = deadline_check("respond", request->deadline_ms, limits, problem);
	if (status == STATUS_OK && request->optional_pairs_case != COLLIDE__V1__RESPOND__OPTIONAL_PAIRS_PAIRS)
		return bad_field(problem, "respond.pairs", "is required");
	if (status == STATUS_OK && !query->push_out && !query->bounce)
		return bad_field(problem, "respond", "must have push_out or bounce or both");
	if (status == STATUS_OK)
		status = pairs_read(arena, request->pairs, limits, "respond.pairs", &query->pairs, problem);
	if (status == STATUS_OK)
		status = movable_check(query, request->pairs, problem);
	if (status == STATUS_OK && query->push_out)
		status = push_out_read(request->push_out, query, problem);
	if (status == STATUS_OK && query->bounce) {
		status = numbers_read(request->bounce->elasticity, request->bounce->n_elasticity, query->pairs.rows,
		                      "respond.bounce.elasticity", 1, &query->elasticity, problem);
	}
	return status;
}

enum status
query_create_respond(const Collide__V1__Respond *request, const struct scene_limits *limits, uint64_t request_id,
                     struct arena *arena, struct query **out, struct wire_problem *problem)
{
	struct query *query = memory_zeroed(1, sizeof *query);

	if (!query)
		return no_memory("respond", problem);
	query->kind = QUERY_RESPOND;
	query->request_id = request_id;
	collide__v1__respond_counts__init(&query->responses);
	return query_finish_create(query, respond_read(request, limits, arena, query, problem), "respond", limits, out, problem);
}

enum status
query_create_questions(const Collide__V1__Query *request, const struct scene_limits *limits, uint64_t request_id,
                       struct arena *arena, struct query **out, struct wire_problem *problem)
{
	struct query *query = memory_zeroed(1, sizeof *query);

	if (!query)
		return no_memory("query", problem);
	query->kind = QUERY_SPACE;
	query->request_id = request_id;
	enum status status = deadline_check("query", request->deadline_ms, limits, problem);
	if (status == STATUS_OK)
		status = questions_read(request, limits, arena, &query->questions, problem);
	return query_finish_create(query, status, "query", limits, out, problem);
}
