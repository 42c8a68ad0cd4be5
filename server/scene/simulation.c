/* A Simulate under way.
 *
 * A tick's report stays in the engine; its rows are copied into columns until a frame is due. When a kind of rows is full, a
 * part goes out early, and while the caller's slice is full, the rest of the report waits where it is: the engine is not
 * stepped before all of it has been taken. So a simulation holds its world and a fixed number of rows, whatever happens in a
 * tick and however many ticks lie between frames. A snapshot is copied out of the world and goes out after the tick's frame,
 * and the engine waits for it, too.
 *
 * What can go wrong: a tick with too many contacts, a world that grows over its memory, or has no room beside it for a
 * snapshot, two of a tick made twice that are not the same (all of them end the simulation), and no memory for the output. */
#include "scene/scene.h"

#include "base/check.h"
#include "physics/selfcheck.h"
#include "scene/cost.h"
#include "scene/limits.h"
#include "scene/restore.h"
#include "scene/rows.h"
#include "scene/settings.h"
#include "scene/snapshot_parts.h"

#include <inttypes.h>
#include <stdlib.h>

struct counters {
	uint64_t events, collisions, clusters, clips;
};

struct simulation {
	struct settings settings;
	uint64_t request_id;
	uint64_t memory_bytes_max, contacts_per_tick_max;
	struct world *world;
	struct workspace *workspace; /* for its next ticks; NULL: its own memory */

	uint64_t tick_first, tick_end; /* where it begins and ends, in the world's ticks */
	uint64_t tick;                 /* the world's */
	struct tick_report report;     /* of that tick; how much of it is in the rows or sent: */
	size_t contacts_taken, path_changes_taken, shortfalls_taken, pair_events_taken, paths_taken;
	bool frame_due;                  /* that tick's frame has not been sent to its last part */
	size_t bodies_sent, places_sent; /* of it */
	size_t bodies_taken;             /* for its next part: those after bodies_sent, which stay in the world until then */

	struct rows contacts, path_changes, shortfalls, pair_events, paths, places; /* not yet sent */
	Collide__V1__Energy energy;                                                 /* since the last frame */
	Collide__V1__Momentum momentum;                                             /* the same */
	struct counters since_frame, total;
	uint64_t shortfall_total;
	struct cost cost;
	uint64_t hash; /* of the state after that tick, if a frame asked for it */
	bool hashed;
	bool snapshot_due; /* that tick's snapshot has not been taken */
	struct snapshot_parts snapshot;
	struct selfcheck check;
	bool (*give_up)(void *context); /* as the world has been told; NULL: never */
	void *give_up_context;
	bool failed;
	struct wire_problem problem; /* when failed */
};

/* The world that the request begins with. */
static enum status
start_create(struct arena *arena, const Collide__V1__Simulate *request, const struct scene_limits *limits,
             const struct settings *settings, struct world **out, struct wire_problem *problem)
{
	struct world *world;
	enum status status;

	if (request->optional_scene_case != COLLIDE__V1__SIMULATE__OPTIONAL_SCENE_SNAPSHOT) {
		return scene_world_create(arena, request->scene, limits, "simulate.scene", out, problem);
	}
	status = scene_world_restore(request->snapshot.data, request->snapshot.len, limits, "simulate.snapshot", &world, problem);
	if (status != STATUS_OK) {
		return status;
	}
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
	uint64_t bytes = simulation_memory_bytes(simulation), size = world_snapshot_bytes(simulation->world);

	if (bytes <= simulation->memory_bytes_max && size <= simulation->memory_bytes_max - bytes) {
		return true;
	}
	(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate.snapshot_every",
	                       "after tick %" PRIu64 " the world takes %" PRIu64 " bytes and its snapshot %" PRIu64
	                       ", at most %" PRIu64 " are allowed",
	                       simulation->tick, bytes, size, simulation->memory_bytes_max);
	return false;
}

enum status
simulation_create(const Collide__V1__Simulate *request, const struct scene_limits *limits, uint64_t request_id,
                  struct arena *arena, struct simulation **out, struct wire_problem *problem)
{
	struct settings settings;
	struct simulation *simulation;
	enum status status = settings_read(request, limits, &settings, problem);

	if (status != STATUS_OK) {
		return status;
	}
	simulation = calloc(1, sizeof(*simulation));
	if (simulation == NULL) {
		return wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate", "no memory");
	}
	status = start_create(arena, request, limits, &settings, &simulation->world, problem);
	if (status == STATUS_OK && world_events_set(simulation->world, settings.events) != STATUS_OK) {
		world_destroy(simulation->world);
		status = wire_problem_set(problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "simulate", "no memory");
	}
	if (status != STATUS_OK) {
		free(simulation);
		return status;
	}
	simulation->settings = settings;
	simulation->request_id = request_id;
	simulation->tick = simulation->tick_first = world_tick(simulation->world);
	simulation->tick_end = simulation->tick_first + settings.ticks;
	simulation->memory_bytes_max = limits->memory_bytes_max;
	simulation->contacts_per_tick_max = limits->contacts_per_tick_max;
	simulation->contacts = rows_of_contacts(world_turns(simulation->world));
	simulation->path_changes = rows_of_path_changes();
	simulation->shortfalls = rows_of_shortfalls();
	simulation->pair_events = rows_of_pair_events();
	simulation->paths = rows_of_paths();
	simulation->places = rows_of_places();
	collide__v1__energy__init(&simulation->energy);
	collide__v1__momentum__init(&simulation->momentum);
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
	if (simulation == NULL) {
		return;
	}
	rows_finish(&simulation->contacts);
	rows_finish(&simulation->path_changes);
	rows_finish(&simulation->shortfalls);
	rows_finish(&simulation->pair_events);
	rows_finish(&simulation->paths);
	rows_finish(&simulation->places);
	snapshot_parts_finish(&simulation->snapshot);
	selfcheck_finish(&simulation->check);
	world_destroy(simulation->world);
	free(simulation);
}

size_t
simulation_memory_bytes(const struct simulation *simulation)
{
	return sizeof(*simulation) + world_memory_bytes(simulation->world) + rows_memory_bytes(&simulation->contacts) +
	       rows_memory_bytes(&simulation->path_changes) + rows_memory_bytes(&simulation->shortfalls) +
	       rows_memory_bytes(&simulation->pair_events) + rows_memory_bytes(&simulation->paths) +
	       rows_memory_bytes(&simulation->places) + snapshot_parts_memory_bytes(&simulation->snapshot) +
	       selfcheck_memory_bytes(&simulation->check);
}

/* The tick that the frame in the making will carry: the next that is a multiple of `every`, or the last. */
static uint64_t
frame_tick(const struct simulation *simulation)
{
	uint64_t every = simulation->settings.every, tick = simulation->tick;
	uint64_t ticks_left = simulation->tick_end - tick, past = tick % every;

	if (past == 0) {
		return tick;
	}
	return every - past < ticks_left ? tick + (every - past) : tick + ticks_left;
}

/* Writes the bodies that were taken into the room that a part has for them, if there was memory for it. */
static void
bodies_send(struct simulation *simulation, const struct wire_body_room *room)
{
	const struct body_bytes out = {
		.id = room->id,
		.x = room->x,
		.y = room->y,
		.vx = room->vx,
		.vy = room->vy,
		.angle = room->angle,
		.spin = room->spin,
	};

	if (room->id != NULL) {
		world_write_bodies(simulation->world, simulation->bodies_sent, simulation->bodies_taken, &out);
	}
	simulation->bodies_sent += simulation->bodies_taken;
	simulation->bodies_taken = 0;
}

/* Sends what has been taken, as a part of the frame in the making; the last part has the scalars. */
static void
part_append(struct simulation *simulation, bool last, struct buffer *out)
{
	struct wire_body_room bodies = { .turns = world_turns(simulation->world) };
	struct wire_frame frame = {
		.tick = frame_tick(simulation), .more = !last, .body_count = simulation->bodies_taken, .body_room = &bodies
	};

	rows_lend_contacts(&simulation->contacts, &frame);
	rows_lend_path_changes(&simulation->path_changes, &frame);
	rows_lend_shortfalls(&simulation->shortfalls, &frame);
	rows_lend_pair_events(&simulation->pair_events, &frame);
	rows_lend_paths(&simulation->paths, &frame);
	rows_lend_places(&simulation->places, &frame);
	if (last) {
		frame.time = (double)simulation->tick * simulation->settings.dt;
		simulation->hash = frame.hash = world_hash(simulation->world);
		simulation->hashed = true;
		frame.energy = &simulation->energy;
		frame.momentum = &simulation->momentum;
		frame.asleep = simulation->report.asleep;
		frame.events = simulation->since_frame.events;
		frame.collisions = simulation->since_frame.collisions;
		frame.clusters = simulation->since_frame.clusters;
		frame.clips = simulation->since_frame.clips;
	}
	wire_frame_append(out, simulation->request_id, &frame);
	bodies_send(simulation, &bodies);
	simulation->contacts.count = 0;
	simulation->path_changes.count = 0;
	simulation->shortfalls.count = 0;
	simulation->pair_events.count = 0;
	simulation->paths.count = 0;
	simulation->places.count = 0;
}

/* Why taking rows stopped. */
enum taken { TAKEN_ALL, TAKEN_FULL, TAKEN_NO_MEMORY };

static enum taken
events_take(struct simulation *simulation)
{
	const struct tick_report *report = &simulation->report;
	size_t *next = &simulation->pair_events_taken;

	for (; *next < report->pair_event_count; ++*next) {
		if (rows_full(&simulation->pair_events)) {
			return TAKEN_FULL;
		}
		if (!rows_add_pair_event(&simulation->pair_events, simulation->tick, &report->pair_events[*next])) {
			return TAKEN_NO_MEMORY;
		}
	}
	for (next = &simulation->paths_taken; *next < report->path_count; ++*next) {
		if (rows_full(&simulation->paths)) {
			return TAKEN_FULL;
		}
		if (!rows_add_path(&simulation->paths, simulation->tick, &report->paths[*next])) {
			return TAKEN_NO_MEMORY;
		}
	}
	return TAKEN_ALL;
}

/* Copies the report's rows, as many as there is room for. */
static enum taken
report_take(struct simulation *simulation)
{
	const struct tick_report *report = &simulation->report;
	uint64_t tick = simulation->tick;
	size_t *next = &simulation->contacts_taken;

	for (; *next < report->contact_count; ++*next) {
		if (rows_full(&simulation->contacts)) {
			return TAKEN_FULL;
		}
		if (!rows_add_contact(&simulation->contacts, tick, &report->contacts[*next])) {
			return TAKEN_NO_MEMORY;
		}
	}
	for (next = &simulation->path_changes_taken; *next < report->path_change_count; ++*next) {
		if (rows_full(&simulation->path_changes)) {
			return TAKEN_FULL;
		}
		if (!rows_add_path_change(&simulation->path_changes, tick, &report->path_changes[*next])) {
			return TAKEN_NO_MEMORY;
		}
	}
	for (next = &simulation->shortfalls_taken; *next < report->shortfall_count; ++*next) {
		if (rows_full(&simulation->shortfalls)) {
			return TAKEN_FULL;
		}
		if (!rows_add_shortfall(&simulation->shortfalls, tick, &report->shortfalls[*next])) {
			return TAKEN_NO_MEMORY;
		}
	}
	return events_take(simulation);
}

/* The same for the bodies of a frame that is due, and for the segments that move. */
static enum taken
bodies_take(struct simulation *simulation)
{
	size_t left = world_body_count(simulation->world) - simulation->bodies_sent;

	simulation->bodies_taken = left < SCENE_BODY_ROWS_MAX ? left : SCENE_BODY_ROWS_MAX;
	if (simulation->bodies_taken < left) {
		return TAKEN_FULL;
	}
	for (; simulation->places_sent < simulation->report.place_count; simulation->places_sent++) {
		if (rows_full(&simulation->places)) {
			return TAKEN_FULL;
		}
		if (!rows_add_place(&simulation->places, &simulation->report.places[simulation->places_sent])) {
			return TAKEN_NO_MEMORY;
		}
	}
	return TAKEN_ALL;
}

static void
frame_done(struct simulation *simulation)
{
	simulation->frame_due = false;
	simulation->bodies_sent = simulation->places_sent = 0;
	simulation->since_frame = (struct counters){ 0 };
	collide__v1__energy__init(&simulation->energy);
	collide__v1__momentum__init(&simulation->momentum);
}

/* Takes and sends until the last tick has nothing left to send (true), or the slice is full or the simulation failed. */
static bool
report_send(struct simulation *simulation, size_t count_max, struct buffer *out)
{
	for (;;) {
		enum taken taken = report_take(simulation);

		if (taken == TAKEN_ALL && simulation->frame_due) {
			taken = bodies_take(simulation);
		}
		if (taken == TAKEN_NO_MEMORY) {
			out->failed = true;
			return false;
		}
		if (taken == TAKEN_ALL && !simulation->frame_due) {
			return true;
		}
		if (out->count >= count_max) {
			return false;
		}
		part_append(simulation, taken == TAKEN_ALL, out);
		if (taken == TAKEN_ALL) {
			frame_done(simulation);
			return true;
		}
	}
}

/* Takes a snapshot that is due, if there is room for it, and sends what the slice takes of it. true: none is on its way. */
static bool
snapshot_send(struct simulation *simulation, size_t count_max, struct buffer *out)
{
	if (simulation->snapshot_due) {
		simulation->snapshot_due = false;
		if (!snapshot_fits(simulation)) {
			return false;
		}
		if (snapshot_parts_begin(&simulation->snapshot, simulation->world) != STATUS_OK) {
			(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
			                       "no memory for the snapshot after tick %" PRIu64, simulation->tick);
			return false;
		}
	}
	while (simulation->snapshot.bytes != NULL) {
		if (out->count >= count_max || out->failed) {
			return false;
		}
		snapshot_parts_append(&simulation->snapshot, simulation->request_id, out);
	}
	return true;
}

static void
report_count(struct simulation *simulation)
{
	const struct tick_report *report = &simulation->report;
	const struct energy_ledger *ledger = &report->energy;
	Collide__V1__Energy *energy = &simulation->energy;
	Collide__V1__Momentum *momentum = &simulation->momentum;

	if ((simulation->tick - 1) % simulation->settings.every == 0 || simulation->tick - 1 == simulation->tick_first) {
		/* the first since a frame */
		energy->kinetic_before = ledger->kinetic_before;
		energy->potential_before = ledger->potential_before;
		momentum->before_x = report->momentum.before[0];
		momentum->before_y = report->momentum.before[1];
	}
	momentum->after_x = report->momentum.after[0];
	momentum->after_y = report->momentum.after[1];
	momentum->gravity_x += report->momentum.gravity[0];
	momentum->gravity_y += report->momentum.gravity[1];
	momentum->outside_x += report->momentum.outside[0];
	momentum->outside_y += report->momentum.outside[1];
	energy->kinetic_after = ledger->kinetic_after;
	energy->potential_after = ledger->potential_after;
	energy->contact += ledger->contact;
	energy->work += ledger->work;
	energy->push += ledger->push;
	energy->support += ledger->support;
	energy->friction += ledger->friction;
	energy->clip += ledger->clip;
	energy->sleep += ledger->sleep;
	energy->damping += ledger->damping;
	simulation->since_frame.events += report->events;
	simulation->since_frame.collisions += report->collisions;
	simulation->since_frame.clusters += report->clusters;
	simulation->since_frame.clips += report->clips;
	simulation->total.events += report->events;
	simulation->total.collisions += report->collisions;
	simulation->total.clusters += report->clusters;
	simulation->total.clips += report->clips;
	simulation->shortfall_total += report->shortfall_count;
}

/* One tick. false: it failed, and simulation->problem says why. */
static bool
tick_step(struct simulation *simulation)
{
	uint64_t tick = simulation->tick + 1;
	world_workspace_set(simulation->world, simulation->workspace);
	world_clock_set(simulation->world, cost_clock(&simulation->cost, simulation->request_id + simulation->tick,
	                                              world_body_count(simulation->world)));
	enum status status = simulation->settings.self_check
	                         ? selfcheck_step(&simulation->check, simulation->world, simulation->settings.dt,
	                                          simulation->give_up, simulation->give_up_context, &simulation->report)
	                         : world_step(simulation->world, simulation->settings.dt, &simulation->report);

	if (status == STATUS_CANCELLED) {
		(void)wire_problem_set(&simulation->problem, status, "CANCELLED", "", "tick %" PRIu64 " was given up", tick);
		return false;
	}
	if (status == STATUS_INTERNAL) {
		(void)wire_problem_set(&simulation->problem, status, "SELF_CHECK", "",
		                       "tick %" PRIu64 " made twice is not the same: %s", tick, simulation->check.difference.text);
		return false;
	}
	if (status != STATUS_OK) {
		(void)wire_problem_set(&simulation->problem, status, "LIMIT", "",
		                       "tick %" PRIu64 " has more than %" PRIu64 " contacts, or needs more memory than there is", tick,
		                       simulation->contacts_per_tick_max);
		return false;
	}
	simulation->tick = tick;
	cost_tick_end(&simulation->cost, &simulation->report);
	simulation->hashed = false;
	simulation->contacts_taken = simulation->settings.contacts ? 0 : simulation->report.contact_count;
	simulation->path_changes_taken = simulation->settings.contacts ? 0 : simulation->report.path_change_count;
	simulation->shortfalls_taken = simulation->pair_events_taken = simulation->paths_taken = 0;
	simulation->frame_due = tick % simulation->settings.every == 0 || tick == simulation->tick_end;
	simulation->snapshot_due = simulation->settings.snapshot_every != 0 &&
	                           (tick % simulation->settings.snapshot_every == 0 || tick == simulation->tick_end);
	report_count(simulation);
	if (simulation_memory_bytes(simulation) > simulation->memory_bytes_max) {
		(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
		                       "after tick %" PRIu64 " the world takes %zu bytes, at most %" PRIu64 " are allowed", tick,
		                       simulation_memory_bytes(simulation), simulation->memory_bytes_max);
		return false;
	}
	return true;
}

void
simulation_give_up_set(struct simulation *simulation, bool (*give_up)(void *context), void *context)
{
	simulation->give_up = give_up;
	simulation->give_up_context = context;
	world_stop_set(simulation->world, give_up, context);
}

void
simulation_clock_set(struct simulation *simulation, uint64_t (*now_ns)(void))
{
	simulation->cost.now_ns = now_ns;
}

void
simulation_crew_set(struct simulation *simulation, const struct crew *crew)
{
	world_crew_set(simulation->world, crew);
}

void
simulation_workspace_set(struct simulation *simulation, struct workspace *workspace)
{
	bool small = world_body_count(simulation->world) <= SCENE_WORKSPACE_CIRCLES_MAX;

	/* The world gets it with the next tick: up to then some of its last one may still be to be sent. */
	simulation->workspace = small ? workspace : NULL;
	if (simulation->workspace == NULL) {
		world_workspace_set(simulation->world, NULL);
	}
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

	if (simulation->failed) {
		return simulation_fail(simulation, problem);
	}
	cost_begin(&simulation->cost);
	for (;;) {
		size_t before = out->count;
		bool sent = report_send(simulation, count_max, out) && snapshot_send(simulation, count_max, out);

		/* Ticks without a frame are not worth a look at the clock. */
		if (out->count != before || !sent) {
			cost_reply_end(&simulation->cost);
		}

		if (simulation->problem.status != STATUS_OK) {
			return simulation_fail(simulation, problem);
		}
		if (out->failed) {
			(void)wire_problem_set(&simulation->problem, STATUS_RESOURCE_EXHAUSTED, "MEMORY", "",
			                       "no memory for what tick %" PRIu64 " came to", simulation->tick);
			return simulation_fail(simulation, problem);
		}
		if (sent && simulation->tick == simulation->tick_end) {
			return SIMULATION_DONE;
		}
		if (!sent || out->count >= count_max || stop(context)) {
			return SIMULATION_MORE;
		}
		if (!tick_step(simulation)) {
			return simulation_fail(simulation, problem);
		}
	}
}

void
simulation_done_append(const struct simulation *simulation, const struct simulation_times *times, struct buffer *out)
{
	Collide__V1__SimulateDone done = COLLIDE__V1__SIMULATE_DONE__INIT;
	Collide__V1__Cost cost = COLLIDE__V1__COST__INIT;

	cost_tell(&simulation->cost, &cost);
	cost.read_seconds = times->read;
	cost.world_seconds = times->world;
	done.ticks = simulation->tick - simulation->tick_first;
	done.start_tick = simulation->tick_first;
	done.events = simulation->total.events;
	done.collisions = simulation->total.collisions;
	done.clusters = simulation->total.clusters;
	done.clips = simulation->total.clips;
	done.shortfalls = simulation->shortfall_total;
	done.hash = simulation->hashed ? simulation->hash : world_hash(simulation->world);
	done.engine_seconds = cost_engine_seconds(&simulation->cost);
	done.worker_seconds = times->worker;
	done.waiting_seconds = times->waiting;
	done.optional_cost_case = COLLIDE__V1__SIMULATE_DONE__OPTIONAL_COST_COST;
	done.cost = &cost;
	wire_done_append(out, simulation->request_id, &done);
}
