#include "scene/outcome.h"

#include "wire/reply_reader.h"

#include "scene/limits.h"

bool
stop_never(void *context)
{
	(void)context;
	return false;
}

/* A gas that falls into a rough heap, so that rests, sleep and what the solver keeps are in its snapshots. */
static double half = 0.5, none = 0, rough = 0.4;

void
heap_init(struct gas *gas)
{
	gas_init(gas, 5, 8);
	gas->scene.gravity_y = -20;
	gas->scene.sleep_after = 0.2;
	gas->scene.restitution_mix = COLLIDE__V1__RESTITUTION_MIX__RESTITUTION_MIX_MIN;
	gas->circles.n_restitution = 1;
	gas->circles.restitution = &none;
	gas->circles.n_friction = 1;
	gas->circles.friction = &rough;
	gas->circles.n_rolling_resistance = 1;
	gas->circles.rolling_resistance = &half;
	gas->segments.n_friction = 1;
	gas->segments.friction = &rough;
}

static void
part_take(struct outcome *out, const Collide__V1__Snapshot *part)
{
	assert_in_range(part->data.len, 1, SCENE_SNAPSHOT_PART_BYTES);
	assert_int_equal(part->more,
	                 part->data.len == SCENE_SNAPSHOT_PART_BYTES && out->snapshots.count + part->data.len < part->size);
	if (!part->more)
		out->snapshot_count++;
	out->parts++;
	out->snapshot_tick = part->tick;
	buffer_append(&out->snapshots, part->data.data, part->data.len);
}

static void
messages_take(struct outcome *out, const struct buffer *bytes)
{
	size_t at = 0;

	while (at < bytes->count) {
		size_t begin = at;
		Collide__V1__ServerMessage *message = reply_next(bytes, &at);

		assert_int_equal(message->request_id, REQUEST_ID);
		if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_SNAPSHOT) {
			part_take(out, message->snapshot);
		} else if (message->reply_case == COLLIDE__V1__SERVER_MESSAGE__REPLY_FRAME) {
			buffer_append(&out->frames, bytes->bytes + begin, at - begin);
		} else {
			assert_int_equal(message->reply_case, COLLIDE__V1__SERVER_MESSAGE__REPLY_SIMULATE_DONE);
			out->done = *message->simulate_done;
		}
		collide__v1__server_message__free_unpacked(message, NULL);
	}
}

void
outcome_run(const Collide__V1__Simulate *request, size_t slice_bytes, struct outcome *out)
{
	struct scene_limits limits = scene_limits_default();
	struct simulation *simulation = NULL;
	struct wire_problem problem = { .status = STATUS_OK };
	enum simulation_progress progress;
	struct arena arena;
	struct buffer bytes;

	*out = (struct outcome){ .parts = 0 };
	buffer_init(&out->frames);
	buffer_init(&out->snapshots);
	buffer_init(&bytes);
	arena_init(&arena, (size_t)1 << 28);
	if (simulation_create(request, &limits, NULL, REQUEST_ID, &arena, &simulation, &problem) != STATUS_OK)
		fail_msg("%s: %s", problem.field, problem.text);
	arena_finish(&arena);
	do {
		size_t before = bytes.count, held;

		progress = simulation_run(simulation, slice_bytes, stop_never, NULL, &bytes, &problem);
		assert_true(slice_bytes == SIZE_MAX || bytes.count - before <= slice_bytes + SCENE_PART_BYTES_MAX);
		held = simulation_memory_bytes(simulation);
		out->peak_bytes = held > out->peak_bytes ? held : out->peak_bytes;
	} while (progress == SIMULATION_MORE);
	if (progress != SIMULATION_DONE)
		fail_msg("%s", problem.text);
	simulation_done_append(simulation, &(struct simulation_times){ .worker = 2, .waiting = 3 }, &bytes);
	simulation_destroy(simulation);
	messages_take(out, &bytes);
	buffer_finish(&bytes);
}

void
outcome_finish(struct outcome *outcome)
{
	buffer_finish(&outcome->frames);
	buffer_finish(&outcome->snapshots);
}

Collide__V1__Simulate
request_from(const Collide__V1__Simulate *request, const struct buffer *snapshot, uint64_t ticks)
{
	Collide__V1__Simulate from = *request;

	from.optional_scene_case = COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT;
	from.snapshot = (ProtobufCBinaryData){ .len = snapshot->count, .data = snapshot->bytes };
	from.ticks = ticks;
	return from;
}

void
snapshot_make(struct gas *gas, uint64_t ticks, struct outcome *out)
{
	heap_init(gas);
	gas->request.ticks = ticks;
	gas->request.snapshot_every = ticks;
	outcome_run(&gas->request, SIZE_MAX, out);
}

enum status
refused(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct wire_problem *problem)
{
	struct simulation *simulation = NULL;
	struct arena arena;

	arena_init(&arena, (size_t)1 << 28);
	enum status status = simulation_create(request, limits, NULL, REQUEST_ID, &arena, &simulation, problem);
	arena_finish(&arena);
	if (status == STATUS_OK) {
		simulation_destroy(simulation);
		return status;
	}
	assert_null(simulation);
	assert_int_equal(problem->status, status);
	return status;
}

void
run_failing(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct wire_problem *problem)
{
	struct simulation *simulation = NULL;
	struct arena arena;
	struct buffer out;
	enum simulation_progress progress;

	buffer_init(&out);
	arena_init(&arena, (size_t)1 << 28);
	assert_int_equal(simulation_create(request, limits, NULL, REQUEST_ID, &arena, &simulation, problem), STATUS_OK);
	arena_finish(&arena);
	do {
		progress = simulation_run(simulation, 1000, stop_never, NULL, &out, problem);
	} while (progress == SIMULATION_MORE);
	assert_int_equal(progress, SIMULATION_FAILED);
	*problem = (struct wire_problem){ .status = STATUS_OK };
	assert_int_equal(simulation_run(simulation, 1000, stop_never, NULL, &out, problem), SIMULATION_FAILED);
	simulation_destroy(simulation);
	buffer_finish(&out);
}
