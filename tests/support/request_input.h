/* request_input: what the fuzzer and the replay of its findings do with one input: bytes of a ClientMessage, all the way to
 * a world and a few ticks. Aborts where a promise is broken. */
#ifndef COLLIDED_TESTS_SUPPORT_REQUEST_INPUT_H
#define COLLIDED_TESTS_SUPPORT_REQUEST_INPUT_H

#include "base/check.h"
#include "scene/query/query.h"
#include "scene/run/simulation.h"

#include <string.h>

#define REQUEST_INPUT_ARENA_BYTES ((size_t)1 << 20)
/* Few, because a crowd in one place costs the engine much time in a tick, and this looks for crashes. */
#define REQUEST_INPUT_CIRCLES_MAX 40u
#define REQUEST_INPUT_TICKS_MAX 3u

static inline bool
request_input_stop(void *context)
{
	(void)context;
	return false;
}

/* A problem is complete, printable and within its room. */
static inline void
request_input_problem(const struct wire_problem *problem, enum status status)
{
	CHECK(problem->status == status && status != STATUS_OK);
	CHECK(problem->reason && problem->reason[0] != '\0');
	CHECK(memchr(problem->field, '\0', sizeof problem->field));
	CHECK(memchr(problem->text, '\0', sizeof problem->text));
	CHECK(problem->text[0] != '\0');
	for (const char *at = problem->text; *at != '\0'; at++)
		CHECK(*at >= ' ' && *at <= '~');
}

static inline void
request_input_simulate(struct arena *arena, const Collide__V1__Simulate *request, const struct scene_limits *limits)
{
	struct simulation *simulation = NULL;
	struct wire_problem problem;
	struct buffer out;
	enum simulation_progress progress = SIMULATION_MORE;
	enum status status = simulation_create(request, limits, NULL, 1, arena, &simulation, &problem);

	if (status != STATUS_OK) {
		request_input_problem(&problem, status);
		CHECK(!simulation);
		return;
	}
	buffer_init(&out);
	while (progress == SIMULATION_MORE)
		progress = simulation_run(simulation, 10000, request_input_stop, NULL, &out, &problem);
	if (progress == SIMULATION_FAILED)
		request_input_problem(&problem, STATUS_RESOURCE_EXHAUSTED);
	simulation_destroy(simulation);
	buffer_finish(&out);
}

static inline void
request_input_query(struct arena *arena, const Collide__V1__ClientMessage *message, const struct scene_limits *limits)
{
	struct query *query = NULL;
	struct wire_problem problem;
	struct buffer out;
	enum query_progress progress = QUERY_MORE;
	enum status status;

	if (message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT)
		status = query_create_detect(message->detect, limits, 1, arena, &query, &problem);
	else if (message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY)
		status = query_create_questions(message->query, limits, 1, arena, &query, &problem);
	else
		status = query_create_respond(message->respond, limits, 1, arena, &query, &problem);
	if (status != STATUS_OK) {
		request_input_problem(&problem, status);
		CHECK(!query);
		return;
	}
	/* A moment of a world comes from elsewhere. */
	if (query_moment(query)) {
		query_destroy(query);
		return;
	}
	buffer_init(&out);
	while (progress == QUERY_MORE)
		progress = query_run(query, 10000, request_input_stop, NULL, &out, &problem);
	CHECK(progress == QUERY_DONE);
	query_done_append(query, &out);
	query_destroy(query);
	buffer_finish(&out);
}

/* STATUS_OK if the bytes could be unpacked. */
static inline enum status
request_input_run(const uint8_t *bytes, size_t count)
{
	struct scene_limits limits = scene_limits_default();
	const Collide__V1__ClientMessage *message = NULL;
	uint32_t field;
	uint64_t request_id;
	struct wire_problem problem;
	struct arena arena;
	bool peeked = wire_request_peek(bytes, count, &request_id, &field);

	limits.circles_max = REQUEST_INPUT_CIRCLES_MAX;
	limits.segments_max = REQUEST_INPUT_CIRCLES_MAX;
	limits.ticks_max = REQUEST_INPUT_TICKS_MAX;
	limits.events_per_body_max = 50;
	limits.contacts_per_tick_max = 10000;
	struct wire_limits wire_limits = scene_limits_wire(&limits);
	arena_init(&arena, REQUEST_INPUT_ARENA_BYTES);
	enum status status = wire_request_unpack(&arena, &wire_limits, bytes, count, &message, &problem);
	CHECK(arena.used_bytes <= REQUEST_INPUT_ARENA_BYTES);
	if (status != STATUS_OK) {
		request_input_problem(&problem, status);
		CHECK(!message);
		/* The scan lets nothing through that the unpacker refuses for its form. */
		CHECK(strcmp(problem.text, "is not a ClientMessage") != 0);
	} else {
		/* The loop and the worker agree on what a message is. */
		CHECK(peeked && request_id == message->request_id);
		CHECK(wire_request_is_known(field) ? field == (uint32_t)message->request_case
		                                   : message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST__NOT_SET);
		if (message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE)
			request_input_simulate(&arena, message->simulate, &limits);
		else if (message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_DETECT ||
		         message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_RESPOND ||
		         message->request_case == COLLIDE__V1__CLIENT_MESSAGE__REQUEST_QUERY)
			request_input_query(&arena, message, &limits);
	}
	arena_finish(&arena);
	return status;
}

#endif
