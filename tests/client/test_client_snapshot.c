/* Snapshots in the client's core: a request that begins with one, parts that are joined, parts that do not fit. */
#include "support/assert_double.h"

#include "client/lib/collide.h"
#include "client/replies.h"

#include <stdlib.h>
#include <string.h>

static const double one_radius = 0.5;
static const struct collide_scene one_circle = { .circles = { .radius = { &one_radius, 1 } } };

static struct collide_core *
core_welcomed(const struct collide_options *options, uint32_t message_bytes_max)
{
	struct collide_core *core = collide_core_create(options);
	struct replies replies = { 0 };
	struct collide_event event;
	assert_non_null(core);
	replies_append_welcome(&replies, collide_core_hello(core, NULL), message_bytes_max);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	collide__v1__client_message__free_unpacked(request_take(core), NULL);
	replies_finish(&replies);
	return core;
}

static void
part_append(struct replies *replies, uint64_t request_id, uint64_t tick, bool more, const void *bytes, size_t count,
            uint64_t size)
{
	Collide__V1__ServerMessage message = COLLIDE__V1__SERVER_MESSAGE__INIT;
	Collide__V1__Snapshot part = COLLIDE__V1__SNAPSHOT__INIT;
	part.tick = tick;
	part.more = more;
	part.data = (ProtobufCBinaryData){ .len = count, .data = (uint8_t *)(uintptr_t)bytes };
	part.size = size;
	message.request_id = request_id;
	message.reply_case = COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT;
	message.snapshot = &part;
	replies_append(replies, &message);
}

static void
a_request_begins_with_a_snapshot(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(NULL, 0);
	const struct collide_simulation simulation = {
		.snapshot = "bytes", .snapshot_bytes = 5, .dt = 0.5, .ticks = 3, .snapshot_every = 2, .self_check = true
	};
	assert_int_not_equal(collide_core_simulate(core, &simulation, NULL), 0);
	Collide__V1__ClientMessage *message = request_take(core);
	assert_int_equal(message->request_case, COLLIDE__V1__CLIENT_MESSAGE__REQUEST_SIMULATE);
	const Collide__V1__Simulate *request = message->simulate;
	assert_int_equal(request->optional_scene_case, COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT);
	assert_int_equal(request->snapshot.len, 5);
	assert_memory_equal(request->snapshot.data, "bytes", 5);
	assert_int_equal(request->snapshot_every, 2);
	assert_true(request->self_check);
	assert_int_equal(request->ticks, 3);
	collide__v1__client_message__free_unpacked(message, NULL);

	const struct collide_casts cast = { .count = 1 };
	const struct collide_questions questions = { .snapshot = "more", .snapshot_bytes = 4, .casts = &cast };
	assert_int_not_equal(collide_core_query(core, &questions, NULL), 0);
	message = request_take(core);
	assert_int_equal(message->query->optional_scene_case, COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT);
	assert_int_equal(message->query->snapshot.len, 4);
	assert_non_null(message->query->casts);
	collide__v1__client_message__free_unpacked(message, NULL);
	collide_core_destroy(core);
}

static void
one_of_scene_and_snapshot(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(NULL, 0);
	struct collide_error error;
	struct collide_simulation simulation = {
		.snapshot = "bytes", .snapshot_bytes = 5, .scene = &one_circle, .dt = 1, .ticks = 1
	};
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	simulation.snapshot = NULL;
	simulation.scene = NULL;
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "NO_SCENE");
	struct collide_questions questions = { .tolerance = 0 };
	assert_int_equal(collide_core_query(core, &questions, &error), 0);
	assert_string_equal(error.reason, "BAD_ARGUMENT");
	collide_core_destroy(core);
}

/* What the server would not take is not sent to it. */
static void
too_large_a_snapshot_stays_here(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(NULL, 4096);
	struct collide_error error;
	static const char zeros[4096];
	const struct collide_simulation simulation = { .snapshot = zeros, .snapshot_bytes = sizeof zeros, .dt = 1, .ticks = 1 };
	size_t count;
	assert_int_equal(collide_core_simulate(core, &simulation, &error), 0);
	assert_string_equal(error.reason, "FRAME_TOO_LARGE");
	(void)collide_core_output(core, &count);
	assert_int_equal(count, 0);
	collide_core_destroy(core);
}

static void
parts_are_joined(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(NULL, 0);
	struct replies replies = { 0 };
	struct collide_event event;
	const struct collide_simulation simulation = { .scene = &one_circle, .dt = 1, .ticks = 9, .snapshot_every = 4 };
	uint64_t id = collide_core_simulate(core, &simulation, NULL);
	replies_append_part(&replies, id, 4, false, 0, 1, 0, 0);
	part_append(&replies, id, 4, true, "abc", 3, 6);
	part_append(&replies, id, 4, true, "de", 2, 6);
	part_append(&replies, id, 4, false, "f", 1, 6);
	replies_append_part(&replies, id, 9, false, 0, 1, 0, 0);
	part_append(&replies, id, 9, false, "whole", 5, 5);
	replies_append_done(&replies, id, 9, 1);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FRAME);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_SNAPSHOT);
	assert_int_equal(event.request_id, id);
	assert_int_equal(event.as.snapshot->tick, 4);
	assert_int_equal(event.as.snapshot->count, 6);
	assert_memory_equal(event.as.snapshot->bytes, "abcdef", 6);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FRAME);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_SNAPSHOT);
	assert_int_equal(event.as.snapshot->tick, 9);
	assert_int_equal(event.as.snapshot->count, 5);
	assert_memory_equal(event.as.snapshot->bytes, "whole", 5);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_SIMULATE_DONE);
	assert_false(collide_core_next(core, &event));
	replies_finish(&replies);
	collide_core_destroy(core);
}

struct bad_part {
	uint64_t tick;
	bool more;
	size_t count;
	uint64_t size;
};

/* Gives one or two parts, or one and the end, which must end the conversation. */
static void
parts_fail(const struct bad_part *parts, size_t count, bool done, const struct collide_options *options, const char *reason)
{
	struct collide_core *core = core_welcomed(options, 0);
	struct replies replies = { 0 };
	struct collide_event event;
	const struct collide_simulation simulation = { .scene = &one_circle, .dt = 1, .ticks = 9 };
	uint64_t id = collide_core_simulate(core, &simulation, NULL);
	for (size_t i = 0; i < count; i++)
		part_append(&replies, id, parts[i].tick, parts[i].more, "0123456789", parts[i].count, parts[i].size);
	if (done)
		replies_append_done(&replies, id, 9, 1);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
	assert_string_equal(event.as.error->reason, reason);
	replies_finish(&replies);
	collide_core_destroy(core);
}

static void
parts_that_do_not_fit(void **state)
{
	(void)state;
	static const char malformed[] = "MALFORMED_REPLY";
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 }, { 5, false, 3, 6 } }, 2, false, NULL, malformed); /* tick */
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 }, { 4, false, 3, 7 } }, 2, false, NULL, malformed); /* size */
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 }, { 4, false, 4, 6 } }, 2, false, NULL, malformed); /* too much */
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 }, { 4, false, 2, 6 } }, 2, false, NULL, malformed); /* too little */
	parts_fail((const struct bad_part[]){ { 4, true, 6, 6 } }, 1, false, NULL, malformed); /* all, and more */
	parts_fail((const struct bad_part[]){ { 4, true, 0, 6 } }, 1, false, NULL, malformed); /* nothing, for ever */
	parts_fail((const struct bad_part[]){ { 4, false, 0, 0 } }, 1, false, NULL, malformed);
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 } }, 1, true, NULL, malformed); /* the end within it */
	/* A size beyond all memory is no allocation; over the limit it is refused at once. */
	const struct collide_options small = { .frame_bytes_max = 5 };
	parts_fail((const struct bad_part[]){ { 4, true, 3, 6 } }, 1, false, &small, "FRAME_TOO_LARGE");
	parts_fail((const struct bad_part[]){ { 4, true, 3, UINT64_MAX } }, 1, false, NULL, "FRAME_TOO_LARGE");
}

static void
a_snapshot_that_nobody_asked_for(void **state)
{
	(void)state;
	struct collide_core *core = core_welcomed(NULL, 0);
	struct replies replies = { 0 };
	struct collide_event event;
	part_append(&replies, collide_core_ping(core, NULL, 0, NULL), 1, false, "abc", 3, 3);
	replies_give(&replies, core);
	assert_true(collide_core_next(core, &event));
	assert_int_equal(event.kind, COLLIDE_EVENT_FAILED);
	replies_finish(&replies);
	collide_core_destroy(core);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_request_begins_with_a_snapshot),
		cmocka_unit_test(one_of_scene_and_snapshot),
		cmocka_unit_test(too_large_a_snapshot_stays_here),
		cmocka_unit_test(parts_are_joined),
		cmocka_unit_test(parts_that_do_not_fit),
		cmocka_unit_test(a_snapshot_that_nobody_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
