/* A Simulate under way: a runner, stepped when all that its frame stream has of the last tick has been sent.
 *
 * It holds its world and a fixed number of rows, whatever happens in a tick and however many ticks lie between frames. The
 * engine waits until frames and snapshots have been taken.
 *
 * What can go wrong: no memory for the output. A simulation ends by a tick with too many contacts, or by a tick made twice with
 * two results. It also ends when a world grows over its memory, or leaves no room for a snapshot. */
#include "scene/run/simulation.h"

#include "base/memory.h"
#include "base/pause.h"
#include "scene/definition/restore.h"
#include "scene/run/frame_stream.h"
#include "scene/run/settings.h"
#include "scene/run/tick_runner.h"

#include <inttypes.h>

struct simulation {
	struct tick_runner runner;
	struct frame_stream stream;
	uint64_t request_id;
	uint64_t memory_bytes_max;
	bool failed;
	struct wire_problem problem; /* when failed */
};

/* The world that the request begins with. */
static enum status
start_create(struct arena *arena, const Collide__V1__Simulate *request, const struct scene_limits *limits,
             struct map_cache *maps, const struct settings *settings, struct world **out, struct wire_problem *problem)
{
	struct world *world;

	if (request->optional_scene_case != COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT)
		return scene_world_create_in(arena, request->scene, limits, maps, "simulate.scene", out, problem);
	enum status status = scene_world_restore(request->snapshot.data, request->snapshot.len, limits, "simulate.snapshot", &world,
	                                         problem);
	if (status != STATUS_OK)
		return status;
	if (settings->ticks > UINT64_MAX - world_tick(world)) {
		status = wire_problem_set(problem, STATUS_INVALID_ARGUMENT, "BAD_FIELD", "simulate.ticks",
		                          "must be at most %" PRIu64 ": the snapshot is at tick %" PRIu64,
		                          UINT64_MAX - world_tick(world), world_tick(world));
		world_destroy(world);
		return status;
	}
	*out = world;
	return STATUS_OK;
}

/* Whether a snapshot has room beside the world; else simulation->problem says so. */
static bool
snapshot_fits(struct simulation *simulation)
{
	uint64_t bytes = simulation_memory_bytes(simulation), size = world_snapshot_bytes(simulation->runner.world);

	if (bytes <= simulation->memory_bytes_max && size <= simulation->memory_bytes_max - bytes)
		return true;
	(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate.snapshot_every",
	                       "after tick %" PRIu64 " the world takes %" PRIu64 " bytes and its snapshot %" PRIu64
	                       ", at most %" PRIu64 " are allowed",
	                       simulation->runner.tick, bytes, size, simulation->memory_bytes_max);
	return false;
}

enum status
simulation_create(const Collide__V1__Simulate *request, const struct scene_limits *limits, struct map_cache *maps,
                  uint64_t request_id, struct arena *arena, struct simulation **out, struct wire_problem *problem)
{
	struct settings settings;
	struct world *world = NULL;
	enum status status = settings_read(request, limits, &settings, problem);

	if (status != STATUS_OK)
		return status;
	struct simulation *simulation = memory_zeroed(1, sizeof *simulation);
	if (!simulation)
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate", "no memory");
	status = start_create(arena, request, limits, maps, &settings, &world, problem);
	if (status == STATUS_OK && world_events_set(world, settings.events) != STATUS_OK) {
		world_destroy(world);
		status = wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate", "no memory");
	}
	if (status != STATUS_OK) {
		memory_free(simulation);
		return status;
	}
	simulation->request_id = request_id;
	simulation->memory_bytes_max = limits->memory_bytes_max;
	simulation->runner.dt = settings.dt;
	simulation->runner.self_check = settings.self_check;
	simulation->runner.contacts_per_tick_max = limits->contacts_per_tick_max;
	simulation->runner.cost_offset = request_id;
	tick_runner_begin(&simulation->runner, world);
	frame_stream_begin(&simulation->stream, &settings, request_id, &simulation->runner);
	if (settings.snapshot_every != 0 && !snapshot_fits(simulation)) {
		*problem = simulation->problem;
		simulation_destroy(simulation);
		return problem->status;
	}
	*out = simulation;
	return STATUS_OK;
}

void
simulation_destroy(struct simulation *simulation)
{
	if (!simulation)
		return;
	frame_stream_finish(&simulation->stream);
	tick_runner_finish(&simulation->runner);
	memory_free(simulation);
}

size_t
simulation_memory_bytes(const struct simulation *simulation)
{
	return sizeof *simulation + tick_runner_memory_bytes(&simulation->runner) + frame_stream_memory_bytes(&simulation->stream);
}

/* Sends what is due of the last tick, with its snapshot if there is room for it beside the world. true: all of it. */
static bool
tick_send(struct simulation *simulation, size_t count_max, struct buffer *out)
{
	enum sent sent = frame_stream_send(&simulation->stream, &simulation->runner, count_max, out);

	if (sent == SENT_SNAPSHOT_DUE && snapshot_fits(simulation) &&
	    frame_stream_snapshot(&simulation->stream, &simulation->runner, &simulation->problem) == STATUS_OK)
		sent = frame_stream_send(&simulation->stream, &simulation->runner, count_max, out);
	return sent == SENT_ALL;
}

/* One tick. false: it failed, and simulation->problem says why. */
static bool
tick_step(struct simulation *simulation)
{
	if (tick_runner_step(&simulation->runner, &simulation->problem) != STATUS_OK)
		return false;
	frame_stream_on_tick(&simulation->stream, &simulation->runner);
	if (simulation_memory_bytes(simulation) > simulation->memory_bytes_max) {
		(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
		                       "after tick %" PRIu64 " the world takes %zu bytes, at most %" PRIu64 " are allowed",
		                       simulation->runner.tick, simulation_memory_bytes(simulation), simulation->memory_bytes_max);
		return false;
	}
	return true;
}

void
simulation_clock_set(struct simulation *simulation, uint64_t (*now_ns)(void))
{
	simulation->runner.cost.now_ns = now_ns;
}

void
simulation_workers_set(struct simulation *simulation, const struct workers *workers)
{
	world_workers_set(simulation->runner.world, workers);
}

void
simulation_workspace_set(struct simulation *simulation, struct workspace *workspace)
{
	tick_runner_workspace_set(&simulation->runner, workspace);
}

static enum simulation_progress
simulation_fail(struct simulation *simulation, struct wire_problem *problem)
{
	simulation->failed = true;
	*problem = simulation->problem;
	return SIMULATION_FAILED;
}

enum simulation_progress
simulation_run(struct simulation *simulation, size_t slice_bytes, bool (*stop)(void *context), void *context,
               struct buffer *out, struct wire_problem *problem)
{
	size_t count_max = slice_bytes > SIZE_MAX - out->count ? SIZE_MAX : out->count + slice_bytes;

	if (simulation->failed)
		return simulation_fail(simulation, problem);
	cost_begin(&simulation->runner.cost);
	for (;;) {
		size_t before = out->count;
		bool sent = tick_send(simulation, count_max, out);

		/* Ticks without a frame are not worth a look at the clock. */
		if (out->count != before || !sent)
			cost_reply_end(&simulation->runner.cost);

		/* Its rows and columns were broken off somewhere. */
		if (pause_stopped()) {
			out->count = before;
			if (simulation->problem.status == STATUS_OK)
				(void)wire_problem_set(&simulation->problem, STATUS_CANCELLED, "CANCELLED", "",
				                       "what tick %" PRIu64 " came to was given up", simulation->runner.tick);
		}
		if (simulation->problem.status != STATUS_OK)
			return simulation_fail(simulation, problem);
		if (out->failed) {
			(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
			                       "no memory for what tick %" PRIu64 " came to", simulation->runner.tick);
			return simulation_fail(simulation, problem);
		}
		if (sent && simulation->runner.tick == simulation->stream.tick_end)
			return SIMULATION_DONE;
		if (!sent || out->count >= count_max || stop(context))
			return SIMULATION_MORE;
		if (!tick_step(simulation))
			return simulation_fail(simulation, problem);
	}
}

void
simulation_done_append(struct simulation *simulation, const struct simulation_times *times, struct buffer *out)
{
	struct tick_runner *runner = &simulation->runner;
	Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
	Collide__V1__Cost cost = COLLIDE__V1__COST__INIT;

	cost_tell(&runner->cost, &cost);
	cost.read_seconds = times->read;
	cost.world_seconds = times->world;
	done.ticks = runner->tick - runner->tick_first;
	done.start_tick = runner->tick_first;
	done.events = runner->total.events;
	done.collisions = runner->total.collisions;
	done.clusters = runner->total.clusters;
	done.clips = runner->total.clips;
	done.shortfalls = runner->shortfall_total;
	done.hash = tick_runner_hash(runner);
	done.engine_seconds = cost_engine_seconds(&runner->cost);
	done.worker_seconds = times->worker;
	done.waiting_seconds = times->waiting;
	done.optional_cost_case = COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST;
	done.cost = &cost;
	wire_done_append(out, simulation->request_id, &done);
}
