/* A row at a time is computed into columns; when they are full, a part goes out. What can go wrong: no memory for one circle's
 * candidates, or for the output. */
#include "scene/query/query.h"

#include "base/check.h"
#include "base/memory.h"
#include "base/pause.h"
#include "scene/fields/columns.h"
#include "scene/query/query_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Rows between two questions whether to stop: about 100 us. */
#define ROWS_PER_QUESTION 256
/* Units (base/pause.h) of a row, beside what is counted within. */
#define ROW_UNITS 16u

double
query_number(const struct numbers *numbers, size_t row)
{
	return column_double(numbers->values, numbers->count, row, 1);
}

double
query_weight_a(const struct query *query, size_t row)
{
	return isinf(pairs_a_mass(&query->pairs, row)) ? (double)INFINITY : query_number(&query->weight_a, row);
}

double
query_weight_b(const struct query *query, size_t row)
{
	return isinf(pairs_b_mass(&query->pairs, row)) ? (double)INFINITY : query_number(&query->weight_b, row);
}

void
query_destroy(struct query *query)
{
	if (!query)
		return;
	all_pairs_destroy(query->all_pairs);
	questions_finish(&query->questions);
	pairs_finish(&query->pairs);
	memory_free(query->weight_a.values);
	memory_free(query->weight_b.values);
	memory_free(query->elasticity.values);
	memory_free(query->pair_rows);
	memory_free(query->response_rows);
	memory_free(query->question_rows);
	memory_free(query);
}

const Collide__V1__WorldMoment *
query_moment(const struct query *query)
{
	const struct questions *questions = &query->questions;
	bool wants = query->kind == QUERY_SPACE && !questions->space &&
	             questions->request->optional_scene_case == COLLIDE__V1__QUERY__OPTIONAL_SCENE_WORLD;

	return wants ? questions->request->world : NULL;
}

void
query_space_give(struct query *query, struct shared_space *space)
{
	query->questions.shared = space;
	query->questions.space = space->space;
}

size_t
query_memory_bytes(const struct query *query)
{
	size_t numbers = query->weight_a.count + query->weight_b.count + query->elasticity.count;
	size_t rows = query->kind == QUERY_RESPOND ? sizeof *query->response_rows
	              : query->kind == QUERY_SPACE ? sizeof *query->question_rows
	                                           : sizeof *query->pair_rows;

	return sizeof *query + rows + numbers * sizeof(double) + pairs_memory_bytes(&query->pairs) +
	       (query->all_pairs ? all_pairs_memory_bytes(query->all_pairs) : 0) +
	       (query->kind == QUERY_SPACE ? questions_memory_bytes(&query->questions) : 0);
}

enum status
query_memory_check(const struct query *query, const char *path, struct wire_problem *problem)
{
	size_t bytes = query_memory_bytes(query);

	if (bytes <= query->memory_bytes_max)
		return STATUS_OK;
	return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", path,
	                        "takes %zu bytes, at most %" PRIu64 " are allowed", bytes, query->memory_bytes_max);
}

static void
detect_row(struct query *query, size_t row)
{
	const struct all_pairs_settings *settings = &query->settings;
	struct shape_distance distance = pairs_distance(&query->pairs, row, settings->reading, &settings->tolerance);
	bool swept = settings->duration > 0;
	struct sweep sweep = { .time = 0 };

	query->counts.tested++;
	query->counts.relations[distance.relation]++;
	if (swept) {
		sweep = pairs_sweep(&query->pairs, row, settings->reading, settings->skin, settings->duration);
		query->counts.sweeps[sweep.outcome]++;
	}
	pair_rows_add(query->pair_rows, (uint32_t)row, (uint32_t)row, query->pairs.kind != PAIRS_CIRCLES, &distance,
	              swept ? &sweep : NULL);
}

static void
bounce_count(Collide__V1__RespondCounts *counts, enum bounce_outcome outcome)
{
	switch (outcome) {
	case BOUNCE_DONE: counts->bounced++; break;
	case BOUNCE_RECEDING: counts->receding++; break;
	case BOUNCE_APART: counts->apart++; break;
	}
}

static void
respond_row(struct query *query, size_t row)
{
	const struct disc *a = pairs_a(&query->pairs, row);
	const double a_velocity[2] = { a->vx, a->vy };
	const double mass[2] = { pairs_a_mass(&query->pairs, row), pairs_b_mass(&query->pairs, row) };
	struct response response = {
		.distance = pairs_distance(&query->pairs, row, READING_FILLED, &query->settings.tolerance),
		.a = { a->x, a->y },
		.bounce_asked = query->bounce,
	};
	double b_velocity[2];

	pairs_b_start(&query->pairs, row, response.b, b_velocity);
	query->responses.rows++;
	if (query->push_out) {
		struct push_out push;

		CHECK(respond_push_out(&response.distance, query_weight_a(query, row), query_weight_b(query, row), &push) == STATUS_OK);
		response.pushed = push.pushed;
		query->responses.pushed += push.pushed;
		for (int i = 0; i < 2; i++) {
			response.a[i] += push.a_move[i];
			response.b[i] += push.b_move[i];
		}
	}
	if (query->bounce) {
		CHECK(respond_bounce(&response.distance, a_velocity, b_velocity, mass, query_number(&query->elasticity, row),
		                     &response.bounce) == STATUS_OK);
		bounce_count(&query->responses, response.bounce.outcome);
	} else {
		memcpy(response.bounce.a_velocity, a_velocity, sizeof a_velocity);
		memcpy(response.bounce.b_velocity, b_velocity, sizeof b_velocity);
	}
	response_rows_add(query->response_rows, (uint32_t)row, &response);
}

static bool
part_is_full(const struct query *query)
{
	if (query->kind == QUERY_SPACE)
		return question_rows_full(query->question_rows);
	return (query->kind == QUERY_RESPOND ? query->response_rows->count : query->pair_rows->count) == SCENE_QUERY_ROWS_MAX;
}

static void
detected_append(const struct query *query, bool last, struct buffer *out)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Detected detected = COLLIDE__V1__DETECTED__INIT;
	Collide__V1__DetectCounts counts = COLLIDE__V1__DETECT_COUNTS__INIT;
	Collide__V1__PairColumns columns;
	const struct all_pairs_counts *c = query->all_pairs ? all_pairs_counts(query->all_pairs) : &query->counts;

	detected.more = !last;
	if (query->pair_rows->count > 0) {
		pair_rows_attach(query->pair_rows, query->settings.duration > 0, &columns);
		detected.optional_pairs_case = COLLIDE__V1__DETECTED__OPTIONAL_PAIRS_PAIRS;
		detected.pairs = &columns;
	}
	if (last) {
		counts.tested = c->tested;
		counts.none = c->relations[RELATION_NONE];
		counts.touching = c->relations[RELATION_TOUCHING];
		counts.overlapping = c->relations[RELATION_OVERLAPPING];
		counts.hit = c->sweeps[SWEEP_HIT];
		counts.at_start = c->sweeps[SWEEP_AT_START];
		counts.not_moving = c->sweeps[SWEEP_NOT_MOVING];
		counts.out_of_reach = c->sweeps[SWEEP_OUT_OF_REACH];
		counts.moving_away = c->sweeps[SWEEP_MOVING_AWAY];
		counts.passes = c->sweeps[SWEEP_PASSES];
		counts.ends_before = c->sweeps[SWEEP_ENDS_BEFORE];
		detected.optional_counts_case = COLLIDE__V1__DETECTED__OPTIONAL_COUNTS_COUNTS;
		detected.counts = &counts;
	}
	message.request_id = query->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_DETECTED;
	message.detected = &detected;
	wire_reply_append(out, &message);
}

static void
responded_append(const struct query *query, bool last, struct buffer *out)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Responded responded = COLLIDE__V1__RESPONDED__INIT;
	Collide__V1__RespondCounts counts = query->responses;
	Collide__V1__ResponseColumns columns;

	responded.more = !last;
	if (query->response_rows->count > 0) {
		response_rows_attach(query->response_rows, &columns);
		responded.optional_rows_case = COLLIDE__V1__RESPONDED__OPTIONAL_ROWS_ROWS;
		responded.rows = &columns;
	}
	if (last) {
		responded.optional_counts_case = COLLIDE__V1__RESPONDED__OPTIONAL_COUNTS_COUNTS;
		responded.counts = &counts;
	}
	message.request_id = query->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_RESPONDED;
	message.responded = &responded;
	wire_reply_append(out, &message);
}

static void
queried_append(const struct query *query, bool last, struct buffer *out)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Queried queried = COLLIDE__V1__QUERIED__INIT;
	Collide__V1__QueryCounts counts = query->questions.counts;
	struct question_tables tables;

	queried.more = !last;
	question_rows_attach(query->question_rows, &tables, &queried);
	if (last) {
		queried.optional_counts_case = COLLIDE__V1__QUERIED__OPTIONAL_COUNTS_COUNTS;
		queried.counts = &counts;
	}
	message.request_id = query->request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_QUERIED;
	message.queried = &queried;
	wire_reply_append(out, &message);
}

static void
part_append(const struct query *query, bool last, struct buffer *out)
{
	if (query->kind == QUERY_RESPOND)
		responded_append(query, last, out);
	else if (query->kind == QUERY_SPACE)
		queried_append(query, last, out);
	else
		detected_append(query, last, out);
}

void
query_done_append(const struct query *query, struct buffer *out)
{
	part_append(query, true, out);
}

enum row_progress { ROW_COMPUTED, ROW_WORKED, ROW_NONE_LEFT, ROW_FAILED };

/* One more row, or some work towards it. */
static enum row_progress
row_compute(struct query *query, struct wire_problem *problem)
{
	struct all_pairs_row pair;
	enum all_pairs_progress progress;

	if (query->kind == QUERY_SPACE) {
		switch (questions_next(&query->questions, query->question_rows, problem)) {
		case QUESTIONS_ROW: return ROW_COMPUTED;
		case QUESTIONS_ASKED: return query_memory_check(query, "query", problem) == STATUS_OK ? ROW_WORKED : ROW_FAILED;
		case QUESTIONS_DONE: return ROW_NONE_LEFT;
		case QUESTIONS_FAILED: return ROW_FAILED;
		}
	}

	if (query->kind == QUERY_SCENE) {
		progress = all_pairs_next(query->all_pairs, &pair);
		if (progress == SURVEY_PAIR) {
			pair_rows_add(query->pair_rows, pair.a, pair.b, pair.segment, &pair.distance,
			              query->settings.duration > 0 ? &pair.sweep : NULL);
		}
		if (progress == SURVEY_NO_MEMORY) {
			(void)wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "detect.scene",
			                       "no memory for the candidates of one circle");
			return ROW_FAILED;
		}
		return progress == SURVEY_PAIR ? ROW_COMPUTED : progress == SURVEY_IDLE ? ROW_WORKED : ROW_NONE_LEFT;
	}
	if (query->next == query->pairs.rows)
		return ROW_NONE_LEFT;
	if (query->kind == QUERY_RESPOND)
		respond_row(query, query->next++);
	else
		detect_row(query, query->next++);
	return ROW_COMPUTED;
}

/* Sends a full part; false: there is no room in the slice, or no memory. */
static bool
part_send(struct query *query, size_t count_max, struct buffer *out)
{
	if (out->count >= count_max)
		return false;
	part_append(query, false, out);
	switch (query->kind) {
	case QUERY_RESPOND: query->response_rows->count = 0; break;
	case QUERY_SPACE: question_rows_clear(query->question_rows); break;
	case QUERY_PAIRS:
	case QUERY_SCENE: query->pair_rows->count = 0; break;
	}
	return !out->failed;
}

enum query_progress
query_run(struct query *query, size_t slice_bytes, bool (*stop)(void *context), void *context, struct buffer *out,
          struct wire_problem *problem)
{
	size_t count_max = slice_bytes > SIZE_MAX - out->count ? SIZE_MAX : out->count + slice_bytes;
	unsigned rows = 0;

	for (;;) {
		if (part_is_full(query) && !part_send(query, count_max, out))
			return QUERY_MORE; /* out->failed tells if there was no memory */
		enum row_progress progress = row_compute(query, problem);
		if (pause_after(ROW_UNITS)) {
			(void)wire_problem_set(problem, STATUS_CANCELLED, "CANCELLED", "", "a row was given up");
			return QUERY_FAILED;
		}
		if (progress == ROW_NONE_LEFT)
			return QUERY_DONE;
		if (progress == ROW_FAILED)
			return QUERY_FAILED;
		if ((progress == ROW_WORKED || ++rows % ROWS_PER_QUESTION == 0) && stop(context))
			return QUERY_MORE;
	}
}
