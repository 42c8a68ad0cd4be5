/* Snapshots on the wire: a simulation that goes on from one says, byte for byte, what the uninterrupted one says. What is no
 * snapshot, or more than the server takes, is refused with its place. */
#include "support/assert_double.h"
#include "support/long_case.h"

#include "scene/outcome.h"
#include "wire/reply_reader.h"

#include "physics/state/snapshot.h"
#include "scene/definition/restore.h"
#include "scene/limits.h"
#include "scene/query/query.h"

#include <inttypes.h>
#include <string.h>

static void
assert_frames_are_the_end(const struct outcome *part, const struct outcome *whole)
{
	assert_true(part->frames.count <= whole->frames.count);
	assert_memory_equal(part->frames.bytes, whole->frames.bytes + whole->frames.count - part->frames.count, part->frames.count);
}

/* Cut at every fourth tick: the frames of both halves are those of the whole, and so is the snapshot at the end. */
static void
test_continued_at_many_ticks(void **state)
{
	enum { TICKS = 60 };
	struct outcome whole;
	struct gas gas;

	(void)state;
	heap_init(&gas);
	gas.request.ticks = TICKS;
	gas.request.snapshot_every = UINT64_MAX;
	outcome_run(&gas.request, SIZE_MAX, &whole);
	assert_int_equal(whole.snapshot_count, 1);
	assert_int_equal(whole.snapshot_tick, TICKS);
	assert_int_equal(whole.done.start_tick, 0);
	for (uint64_t cut = 1; cut < TICKS; cut += 4) {
		struct outcome first, second;

		gas.request.ticks = cut;
		outcome_run(&gas.request, SIZE_MAX, &first);
		Collide__V1__Simulate from = request_from(&gas.request, &first.snapshots, TICKS - cut);
		outcome_run(&from, 1000, &second);
		assert_int_equal(first.frames.count + second.frames.count, whole.frames.count);
		assert_memory_equal(first.frames.bytes, whole.frames.bytes, first.frames.count);
		assert_frames_are_the_end(&second, &whole);
		assert_int_equal(second.snapshots.count, whole.snapshots.count);
		assert_memory_equal(second.snapshots.bytes, whole.snapshots.bytes, whole.snapshots.count);
		assert_int_equal(second.done.ticks, TICKS - cut);
		assert_int_equal(second.done.start_tick, cut);
		assert_true(second.done.hash == whole.done.hash);
		assert_true(first.done.events + second.done.events == whole.done.events);
		outcome_finish(&first);
		outcome_finish(&second);
	}
	outcome_finish(&whole);
	gas_finish(&gas);
}

/* Frames of several ticks are due at the same ticks, and say the same from the first whole one on. */
static void
test_frames_keep_their_ticks(void **state)
{
	struct outcome whole, first, second, third;
	struct gas gas;

	(void)state;
	heap_init(&gas);
	gas.request.every = 7;
	gas.request.ticks = 60;
	outcome_run(&gas.request, SIZE_MAX, &whole);
	gas.request.snapshot_every = 1000;
	gas.request.ticks = 21; /* at a frame */
	outcome_run(&gas.request, SIZE_MAX, &first);
	Collide__V1__Simulate from = request_from(&gas.request, &first.snapshots, 39);
	outcome_run(&from, SIZE_MAX, &second);
	assert_int_equal(first.frames.count + second.frames.count, whole.frames.count);
	assert_frames_are_the_end(&second, &whole);
	gas.request.ticks = 3; /* between two: the first frame tells only of four ticks, the others all */
	outcome_finish(&first);
	outcome_run(&gas.request, SIZE_MAX, &first);
	from = request_from(&gas.request, &first.snapshots, 57);
	outcome_run(&from, SIZE_MAX, &third);
	size_t at = 0;
	Collide__V1__ServerMessage *frame = reply_next(&third.frames, &at);
	assert_int_equal(frame->frame->tick, 7);
	assert_double_same_bits(frame->frame->time, 7 * gas.request.dt);
	for (size_t i = 0; frame->frame->contacts && i < frame->frame->contacts->n_tick; i++)
		assert_in_range(frame->frame->contacts->tick[i], 4, 7);
	collide__v1__server_message__free_unpacked(frame, NULL);
	assert_memory_equal(third.frames.bytes + at, whole.frames.bytes + whole.frames.count - (third.frames.count - at),
	                    third.frames.count - at);
	outcome_finish(&whole);
	outcome_finish(&first);
	outcome_finish(&second);
	outcome_finish(&third);
	gas_finish(&gas);
}

/* To ask for snapshots changes no frame; they come after every k-th tick and after the last. */
static void
test_snapshots_on_the_way(void **state)
{
	struct outcome plain, often;
	struct gas gas;

	(void)state;
	heap_init(&gas);
	gas.request.ticks = 50;
	gas.request.every = 3;
	outcome_run(&gas.request, SIZE_MAX, &plain);
	assert_int_equal(plain.parts, 0);
	gas.request.snapshot_every = 8;
	outcome_run(&gas.request, 500, &often);
	assert_int_equal(often.snapshot_count, 50 / 8 + 1);
	assert_int_equal(often.frames.count, plain.frames.count);
	assert_memory_equal(often.frames.bytes, plain.frames.bytes, plain.frames.count);
	outcome_finish(&plain);
	outcome_finish(&often);
	gas_finish(&gas);
}

/* A snapshot of several parts: joined it is the engine's. It is counted while it goes out. */
static void
test_large_snapshots_come_in_parts(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct wire_problem problem;
	struct tick_report report;
	struct world *world;
	struct arena arena;
	struct gas gas;

	(void)state;
	gas_init(&gas, 150, 1);
	gas.request.ticks = 2;
	gas.request.detail = COLLIDE__V1__DETAIL__DETAIL_STATES;
	gas.request.snapshot_every = 2;
	outcome_run(&gas.request, 1, &outcome);
	arena_init(&arena, (size_t)1 << 28);
	assert_int_equal(scene_world_create(&arena, &gas.scene, &limits, "scene", &world, &problem), STATUS_OK);
	arena_finish(&arena);
	for (int i = 0; i < 2; i++)
		assert_int_equal(world_step(world, gas.request.dt, &report), STATUS_OK);
	size_t size = world_snapshot_bytes(world);
	assert_true(size > 2 * SCENE_SNAPSHOT_PART_BYTES);
	assert_int_equal(outcome.snapshots.count, size);
	assert_int_equal(outcome.parts, size / SCENE_SNAPSHOT_PART_BYTES + 1);
	uint8_t *bytes = malloc(size);
	assert_non_null(bytes);
	assert_int_equal(world_snapshot(world, bytes, size), STATUS_OK);
	assert_memory_equal(bytes, outcome.snapshots.bytes, size);
	assert_true(outcome.peak_bytes > world_memory_bytes(world) + size);
	free(bytes);
	world_destroy(world);
	outcome_finish(&outcome);
	gas_finish(&gas);
}

static void
assert_refused(const Collide__V1__Simulate *request, const struct scene_limits *limits, enum status status, const char *reason,
               const char *field)
{
	struct wire_problem problem = { .status = STATUS_OK };

	assert_int_equal(refused(request, limits, &problem), status);
	assert_string_equal(problem.reason, reason);
	assert_string_equal(problem.field, field);
}

static void
number_put(uint8_t *bytes, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = (uint8_t)(number >> (8 * i));
}

/* Puts the checksum right, so that something else is found wrong. */
static void
seal(struct buffer *snapshot)
{
	size_t size = snapshot->count - SNAPSHOT_CHECKSUM_BYTES;

	snapshot_number_put(snapshot->bytes + size, 8, snapshot_checksum(snapshot->bytes, size));
}

static void
test_damage_is_refused_with_its_place(void **state)
{
	const struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct gas gas;
	struct buffer *bytes = &outcome.snapshots;

	(void)state;
	snapshot_make(&gas, 40, &outcome);
	Collide__V1__Simulate from = request_from(&gas.request, bytes, 5);
	struct snapshot_counts counts = { .bodies = snapshot_number_get(bytes->bytes + SNAPSHOT_HEADER_BYTES, 8) };
	struct snapshot_places places;
	assert_int_equal(counts.bodies, 25);
	assert_true(snapshot_places_find(&counts, false, &places));
	assert_int_equal(refused(&from, &limits, &(struct wire_problem){ .status = STATUS_OK }), STATUS_OK);

	from.snapshot.len = 0;
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.header.magic");
	from.snapshot.len = 100;
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.header.size");
	from.snapshot.len = bytes->count;
	bytes->bytes[500] ^= 1;
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.checksum");
	bytes->bytes[500] ^= 1;

	/* The second body with the id of the first. */
	size_t row = places.bodies + snapshot_row_bytes(&snapshot_body_table);
	uint64_t id = snapshot_number_get(bytes->bytes + row, 4);
	number_put(bytes->bytes + row, snapshot_number_get(bytes->bytes + places.bodies, 4), 4);
	seal(bytes);
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.bodies.id[1]");
	number_put(bytes->bytes + row, id, 4);

	/* A tick that was not, and too few left. */
	uint64_t tick = snapshot_number_get(bytes->bytes + places.world, 8);
	assert_int_equal(tick, 40);
	number_put(bytes->bytes + places.world, UINT64_MAX - 4, 8);
	seal(bytes);
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.ticks");
	from.ticks = 4;
	struct outcome last;
	outcome_run(&from, SIZE_MAX, &last);
	assert_true(last.snapshot_tick == UINT64_MAX);
	outcome_finish(&last);
	number_put(bytes->bytes + places.world, tick, 8);

	/* Of another engine. */
	bytes->bytes[12]++;
	seal(bytes);
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.header.semantics");
	bytes->bytes[8]++;
	seal(bytes);
	assert_refused(&from, &limits, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.snapshot.header.format");
	outcome_finish(&outcome);
	gas_finish(&gas);
}

static void
test_limits_hold_for_snapshots(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct gas gas;

	(void)state;
	snapshot_make(&gas, 40, &outcome);
	Collide__V1__Simulate from = request_from(&gas.request, &outcome.snapshots, 5);
	limits.circles_max = 24;
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.snapshot.counts.bodies");
	limits = scene_limits_default();
	limits.segments_max = 3;
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.snapshot.counts.segments");
	limits = scene_limits_default();
	limits.events_per_body_max = 9999;
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.snapshot.world.events_per_body_max");
	limits = scene_limits_default();
	limits.work_per_tick_max = PHYSICS_WORK_PER_TICK - 1;
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.snapshot.world.work_per_tick_max");
	limits = scene_limits_default();
	limits.work_per_body_max = PHYSICS_WORK_PER_BODY - 1;
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "LIMIT", "simulate.snapshot.world.work_per_body_max");
	limits = scene_limits_default();
	limits.memory_bytes_max = 1000; /* the estimate */
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate.snapshot");
	limits.memory_bytes_max = 25 * SCENE_BYTES_PER_CIRCLE + 4 * SCENE_BYTES_PER_SEGMENT; /* the world itself */
	assert_refused(&from, &limits, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate.snapshot");

	/* The world itself, at the limit and one byte over it. */
	struct wire_problem problem;
	struct world *world = NULL;
	limits = scene_limits_default();
	assert_int_equal(scene_world_restore(outcome.snapshots.bytes, outcome.snapshots.count, &limits, "", &world, &problem),
	                 STATUS_OK);
	limits.memory_bytes_max = world_memory_bytes(world);
	world_destroy(world);
	assert_int_equal(scene_world_restore(outcome.snapshots.bytes, outcome.snapshots.count, &limits, "", &world, &problem),
	                 STATUS_OK);
	world_destroy(world);
	limits.memory_bytes_max--;
	assert_int_equal(scene_world_restore(outcome.snapshots.bytes, outcome.snapshots.count, &limits, "", &world, &problem),
	                 STATUS_RESOURCE_EXHAUSTED);

	/* No room for a snapshot beside the world, said before the first tick. */
	gas.request.snapshot_every = 0;
	limits.memory_bytes_max = (uint64_t)1 << 18;
	while (refused(&gas.request, &limits, &(struct wire_problem){ .status = STATUS_OK }) == STATUS_OK)
		limits.memory_bytes_max -= 1000;
	limits.memory_bytes_max += 1500;
	assert_int_equal(refused(&gas.request, &limits, &(struct wire_problem){ .status = STATUS_OK }), STATUS_OK);
	gas.request.snapshot_every = 1;
	assert_refused(&gas.request, &limits, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate.snapshot_every");
	outcome_finish(&outcome);
	gas_finish(&gas);
}

/* The snapshot's own cap of contacts is the client's word; the server has its own. */
static void
test_contacts_are_limited_by_the_server(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome outcome;
	struct gas gas;
	struct wire_problem problem;

	(void)state;
	gas_init(&gas, 8, 200);
	gas.request.ticks = 1;
	gas.request.snapshot_every = 1;
	outcome_run(&gas.request, SIZE_MAX, &outcome);
	Collide__V1__Simulate from = request_from(&gas.request, &outcome.snapshots, 10);
	limits.contacts_per_tick_max = 3;
	run_failing(&from, &limits, &problem);
	assert_string_equal(problem.reason, "LIMIT");
	assert_non_null(strstr(problem.text, "tick 2 has more than 3 contacts"));
	outcome_finish(&outcome);
	gas_finish(&gas);
}

/* A world that grew has no room for a snapshot any more. */
static void
test_no_memory_for_a_snapshot_names_the_tick(void **state)
{
	struct scene_limits limits = scene_limits_default();
	struct outcome plain;
	struct gas gas;
	struct wire_problem problem;

	(void)state;
	heap_init(&gas);
	gas.request.ticks = 120;
	outcome_run(&gas.request, SIZE_MAX, &plain);
	/* What it takes at the end without a snapshot; at the start there is room for one. */
	limits.memory_bytes_max = plain.peak_bytes + 100;
	gas.request.snapshot_every = 120;
	run_failing(&gas.request, &limits, &problem);
	assert_int_equal(problem.status, STATUS_RESOURCE_EXHAUSTED);
	assert_string_equal(problem.reason, "MEMORY");
	assert_non_null(strstr(problem.text, "after tick 120 the world takes"));
	assert_non_null(strstr(problem.text, "and its snapshot"));
	outcome_finish(&plain);
	gas_finish(&gas);
}

/* Everything that a query says, as bytes. */
static void
query_run_all(const Collide__V1__Query *request, struct buffer *out)
{
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct query *query = NULL;
	struct arena arena;
	enum query_progress progress;

	buffer_init(out);
	arena_init(&arena, (size_t)1 << 28);
	if (query_create_questions(request, &limits, 1, &arena, &query, &problem) != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	arena_finish(&arena);
	do {
		progress = query_run(query, SIZE_MAX, stop_never, NULL, out, &problem);
	} while (progress == QUERY_MORE);
	assert_int_equal(progress, QUERY_DONE);
	query_done_append(query, out);
	query_destroy(query);
}

/* The shapes are where the frame of that tick says. */
static void
test_query_on_a_snapshot(void **state)
{
	struct outcome outcome;
	struct gas gas;
	Collide__V1__Query query = COLLIDE__V1__QUERY__INIT;
	Collide__V1__InBoxes boxes = COLLIDE__V1__IN_BOXES__INIT;
	Collide__V1__ServerMessage *frame = NULL;
	struct buffer there, here;
	double far = 100, left = -100;

	(void)state;
	snapshot_make(&gas, 30, &outcome);
	boxes.n_x_min = boxes.n_y_min = boxes.n_x_max = boxes.n_y_max = 1;
	boxes.x_min = boxes.y_min = &left;
	boxes.x_max = boxes.y_max = &far;
	query.optional_in_boxes_case = COLLIDE__V1__QUERY__OPTIONAL_IN_BOXES_IN_BOXES;
	query.in_boxes = &boxes;
	Collide__V1__Nearest nearest = COLLIDE__V1__NEAREST__INIT;
	uint32_t all = 0;
	nearest.count = 1;
	nearest.n_limit = 1;
	nearest.limit = &all;
	query.optional_nearest_case = COLLIDE__V1__QUERY__OPTIONAL_NEAREST_NEAREST;
	query.nearest = &nearest;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT;
	query.snapshot = (ProtobufCBinaryData){ .len = outcome.snapshots.count, .data = outcome.snapshots.bytes };
	query_run_all(&query, &there);

	/* The same scene with its circles where the last frame has them. */
	for (size_t at = 0; at < outcome.frames.count;) {
		if (frame)
			collide__v1__server_message__free_unpacked(frame, NULL);
		frame = reply_next(&outcome.frames, &at);
	}
	if (!frame) {
		fail();
		abort(); /* fail() jumps; this tells the compiler */
	}
	assert_int_equal(frame->frame->tick, 30);
	gas.circles.x = frame->frame->bodies->x;
	gas.circles.y = frame->frame->bodies->y;
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SCENE;
	query.scene = &gas.scene;
	query_run_all(&query, &here);
	assert_true(there.count > 25 * 40);
	assert_int_equal(there.count, here.count);
	assert_memory_equal(there.bytes, here.bytes, there.count);
	collide__v1__server_message__free_unpacked(frame, NULL);
	buffer_finish(&there);
	buffer_finish(&here);

	/* Damaged, and neither. */
	const struct scene_limits limits = scene_limits_default();
	struct wire_problem problem;
	struct query *none_made = NULL;
	struct arena arena;
	arena_init(&arena, 1 << 20);
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE_SNAPSHOT;
	query.snapshot = (ProtobufCBinaryData){ .len = 99, .data = outcome.snapshots.bytes };
	assert_int_equal(query_create_questions(&query, &limits, 1, &arena, &none_made, &problem), STATUS_INVALID_ARGUMENT);
	assert_string_equal(problem.field, "query.snapshot.header.size");
	query.optional_scene_case = COLLIDE__V1__QUERY__OPTIONAL_SCENE__NOT_SET;
	assert_int_equal(query_create_questions(&query, &limits, 1, &arena, &none_made, &problem), STATUS_INVALID_ARGUMENT);
	assert_string_equal(problem.field, "query.scene");
	arena_finish(&arena);
	outcome_finish(&outcome);
	gas_finish(&gas);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_continued_at_many_ticks),
		cmocka_unit_test(test_frames_keep_their_ticks),
		cmocka_unit_test(test_snapshots_on_the_way),
		long_case(test_large_snapshots_come_in_parts),
		cmocka_unit_test(test_damage_is_refused_with_its_place),
		cmocka_unit_test(test_limits_hold_for_snapshots),
		cmocka_unit_test(test_contacts_are_limited_by_the_server),
		cmocka_unit_test(test_no_memory_for_a_snapshot_names_the_tick),
		cmocka_unit_test(test_query_on_a_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
