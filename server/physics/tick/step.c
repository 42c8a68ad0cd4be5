/* One tick. Happy path: predict all events from the tick's start, resolve them in order of time until there are none, and move
 * every body to the end of its path. What can go wrong: overlap at the start (depenetration.c); bodies at their limit of
 * events, which are parked and reported. Without memory, or at the limit of contacts, the tick fails, and with it the world. */
#include "physics/tick/step.h"
#include "physics/broadphase/grid_build.h"
#include "physics/broadphase/grid_fast.h"
#include "physics/contact/work.h"
#include "physics/events/ends.h"
#include "physics/events/lifetimes.h"
#include "physics/events/resolve.h"
#include "physics/partition/partition.h"
#include "physics/phases/begin.h"
#include "physics/phases/damping.h"
#include "physics/phases/depenetration.h"
#include "physics/phases/finish.h"
#include "physics/prediction/predict.h"
#include "physics/prediction/prefetch.h"
#include "physics/prediction/prefetch_tick.h"
#include "physics/reports/walk.h"
#include "physics/reports/watch.h"
#include "physics/resting/handover.h"
#include "physics/resting/sleep.h"
#include "physics/tick/workspace.h"
#include "physics/world/ignored_circle.h"
#include "physics/world/ledger.h"
#include "physics/world/moving_walls.h"
#include "physics/world/report.h"

#include <math.h>
#include <string.h>

/* Number of ticks between two checks whether the grid still suits. */
#define GRID_LOOK_TICKS 8
/* Units of a pause (base/pause.h) for a substep, beside what is counted within. */
#define SUBSTEP_UNITS 1024u

static void
cost_begin(struct world *world)
{
	world->report.cost = (struct tick_cost){ 0 };
	if (world->host.now_ns)
		world->report.phase_ns = world->host.now_ns();
}

/* Accounts the time since the last call, or cost_begin, to this phase. */
static void
cost_phase(struct world *world, enum tick_phase phase)
{
	if (!world->host.now_ns)
		return;

	uint64_t now_ns = world->host.now_ns();

	world->report.cost.ns[phase] += now_ns - world->report.phase_ns;
	world->report.phase_ns = now_ns;
}

static void
tick_begin(struct world *world, double dt)
{
	bool first = world->tick == 0, fresh = first;
	/* The last tick's number of dirty bodies is the estimate for this one. */
	unsigned workers = world->bodies.asleep_count == 0 ? partition_workers(world, world->schedule.dirty) : 0;

	world->step.dt = dt;
	world->step.substeps = handover_substeps(world, dt);
	world->step.ticks_per_second = 1.0 / dt;
	world->report.contact_count = 0;
	world->report.path_change_count = 0;
	world->report.shortfall_count = 0;
	world->report.end_count = 0;
	world->scratch.support_count = 0;
	world->report.events = world->report.collisions = world->report.clusters = world->report.clips = 0;
	world->step.handover_candidates = 0;
	work_begin(world);
	/* A stopped circle that went on has a time of release, too. */
	world->step.had_substeps = world->step.has_substeps || world->settings.rules;
	world->step.has_substeps = false;
	world->step.handover_asked = false;
	world->scratch.overlap_count = 0;
	ledger_begin(world);
	if (!event_queue_begin(&world->scratch.queue, dt))
		world->failed = true;
	world->scratch.queue.marks = world->bodies.marks;
	if (world->settings.kicks)
		damping_apply(world);
	lifetimes_begin(world);
	if (world->watch)
		watch_begin(world);
	fresh = bodies_begin(world, first, workers) || fresh;
	/* Of a new scene, and of edits; of the last tick's end that is known. */
	circles_part_all(world);
	if (fresh)
		handover_start(world);
}

/* Takes the next event before world->step.until, or in the tick's last substep also one at it; if `life` is earlier, up to that
 * and at it. False: there is none. */
static inline bool
event_take(struct world *world, double life, struct event *event)
{
	double until = world->step.until;
	bool inclusive = until == world->step.dt;

	if (__builtin_expect(life < until, 0)) {
		until = life;
		inclusive = true;
	}
	return event_queue_pop_until(&world->scratch.queue, until, inclusive, event, &world->failed);
}

/* Resolves the events up to there. */
static void
events_run(struct world *world, double life)
{
	struct event event;

	while (!world->failed && event_take(world, life, &event)) {
		if (world_pause(world, EVENT_UNITS))
			return;
		prefetch_next(world);
		if (!event_holds(world, &event))
			continue;
		if (event.kind == EVENT_TRANSFER) {
			predict_transfer(world, event.a, event.time);
			continue;
		}
		if (event_is_early(&event)) {
			predict_early(world, &event);
			continue;
		}
		if (event_queue_is_void(&world->scratch.queue, &event))
			continue;
		if (world->bodies.count >= PREFETCH_BODIES_MIN)
			pair_fetch(world, &event);

		struct ledger_part before = ledger_part_take(world);

		resolve_event(world, &event);
		ledger_part_add(world, &before);
		if (event_holds(world, &event) && !event_queue_void(&world->scratch.queue, &event))
			world->failed = true;
	}
}

/* The same, and lifetimes that end meanwhile, each after all events at its time. A body that wakes may end the substep
 * earlier. */
static void
tick_run(struct world *world)
{
	while (!world->failed) {
		const struct life *life = life_next(world, world->step.until, world->step.until == world->step.dt);

		events_run(world, life ? life->time : (double)INFINITY);
		if (!life || world->failed)
			return;
		if (life_next(world, world->step.until, world->step.until == world->step.dt))
			life_end(world);
	}
}

/* The deepest overlap of a body at the tick's end. */
static double
body_depth(const struct world *world, uint32_t body)
{
	const struct body *path = &world->bodies.paths[body];
	const struct grid_box box = { path->x, path->y, path->x, path->y };
	struct grid_look look = look_near(world, body, &box);
	double depth = 0.0;

	for (uint32_t cell = grid_look_next(&look); cell != NONE; cell = grid_look_next(&look)) {
		for (uint32_t place = world->grid.heads[cell]; place != NONE && !pause_after(1);
		     place = grid_onward(&world->grid, place)) {
			uint32_t j = grid_body(place);
			const struct body *that = &world->bodies.paths[j];
			double dx = path->x - that->x, dy = path->y - that->y;

			if (j != body && bodies_meet(world, body, j))
				depth = fmax(depth, path->radius + that->radius - sqrt(dx * dx + dy * dy));
		}
	}
	return depth;
}

/* The same with moving walls. */
static double
body_depth_in_moving(const struct world *world, uint32_t body)
{
	const struct grid_walls *walls = &world->grid.moving;
	const struct body *path = &world->bodies.paths[body];
	uint32_t cell = world->grid.rows[body].cell;
	double depth = 0.0, offset[2];

	for (uint32_t k = walls->segment_starts[cell]; k < walls->segment_starts[cell + 1] && !pause_after(2); k++) {
		const struct segment *segment = &world->walls.segments[walls->segment_items[k]];
		const double seen[2] = { path->x - segment->vx * world->step.dt, path->y - segment->vy * world->step.dt };

		if (!body_meets_segment(world, &world->bodies.infos[body], segment))
			continue;
		(void)wall_offset(segment, seen, offset);
		depth = fmax(depth, path->radius + segment->radius - sqrt(offset[0] * offset[0] + offset[1] * offset[1]));
	}
	return depth;
}

static void
tick_finish(struct world *world)
{
	struct ledger_sums all = { 0 }, left = { 0 };
	bool crushed = false;

	if (!partition_finish(world, &crushed, &all)) {
		for (uint32_t first = 0; first < world->bodies.count && !pause_stopped(); first += LEDGER_CHUNK) {
			struct ledger_part before = ledger_part_take(world);
			struct ledger_sums sums = { 0 };

			crushed |= bodies_finish(world, first, ledger_chunk_end(world, first), &sums);
			ledger_part_add(world, &before);
			ledger_sums_add(&all, &sums);
		}
	}
	if (world_given_up(world))
		return;
	if (sums_infinite(&all) && failure_find(world)) {
		world->failed = true;
		return;
	}
	for (uint32_t i = 0; i < world->bodies.count && crushed && !pause_after(1); i++)
		if (world->bodies.infos[i].mode == MODE_CRUSHED)
			shortfall_report(world, i, BODY_FLAG_CRUSHED,
			                 fmax(body_depth(world, i), world->grid.moving.listed ? body_depth_in_moving(world, i) : 0.0));
	push_finish(world);
	shortfalls_sort(world);
	/* Overlap can remain only where a shortfall was reported. */
	world->overlap_possible = world->report.shortfall_count > 0;
	sleep_fall(world);
	moving_walls_finish(world);
	bounds_apply(world, &left);
	ends_finish(world);
	circles_part_all(world);
	ledger_end(world, &all, &left);
	world->tick++;
}

/* Steps in domains by several threads, if there is a task scheduler and it pays: partition_run. */
static bool
tick_partitioned(struct world *world)
{
	world->report.cost.partition = !world->failed && partition_run(world);
	if (world->report.cost.partition || world->report.cost.again)
		cost_phase(world, TICK_PARTITION);
	return world->report.cost.partition;
}

/* The tick is one step, unless the rest solver drives some body, from the start on or once one wakes; then it has substeps. */
static void
tick_substeps(struct world *world)
{
	world->step.has_substeps = world->step.has_substeps || handover_wanted(world); /* the depenetration may have woken some */
	for (unsigned substep = 0; substep < world->step.substeps && !world->failed; substep = world->step.substep_end) {
		if (world_pause(world, SUBSTEP_UNITS))
			return;
		/* Solver-driven bodies stand still once no work is left for them; free ones go on. */
		bool cut = world->step.has_substeps && substep > 0 && world->step.work.spent;

		substep_end_set(world, world->step.has_substeps && !cut ? substep + 1 : world->step.substeps);
		if (cut) {
			handover_cut(world, substep);
			cost_phase(world, TICK_REST);
		} else if (world->step.has_substeps) {
			cost_phase(world, TICK_BEGIN);
			handover_substep(world, substep);
			cost_phase(world, TICK_REST);
		} else {
			handover_pass(world);
			cost_phase(world, TICK_BEGIN);
		}
		if (world_given_up(world) || tick_partitioned(world))
			continue;
		if (!world->failed)
			handover_predict(world, substep);
		cost_phase(world, TICK_PREDICT);
		/* Once: in a tick of many substeps to go through the queue in each of them would cost more than it gives. */
		if (!world_given_up(world) && substep == 0)
			fetch_events(world);
		tick_run(world);
		cost_phase(world, TICK_EVENTS);
	}
	world->report.cost.foreseen += world->scratch.queue.pushes;
}

/* False: it failed. */
static bool
tick_make(struct world *world, double dt)
{
	cost_begin(world);
	fetch_infos(world);
	tick_begin(world, dt);
	if (world_given_up(world))
		return false;
	fast_leave_all(world);
	if (world->tick % GRID_LOOK_TICKS == 0 && !grid_fits(&world->grid, world)) {
		schedule_forget(&world->schedule);
		if (!grid_build(&world->grid, world))
			world->failed = true;
	}
	world->grid.fresh = false;
	if (!world_given_up(world) && world->walls.moving_count > 0) {
		moving_walls_begin(world);
		world->failed = !grid_list_moving(&world->grid, world);
		world->moving_elsewhere = false;
	}
	if (world->overlap_possible && !world->overlap_free && !world_given_up(world)) {
		grid_follow(&world->grid, world, 0.0);
		schedule_forget(&world->schedule);
		push_out(world);
	}
	world->overlap_free = false;
	tick_substeps(world);
	if (world->watch && !world_given_up(world))
		watch_finish(world);
	if (!world_given_up(world))
		tick_finish(world);
	cost_phase(world, TICK_END);
	return !world_given_up(world);
}

enum status
tick_step(struct world *world, double dt, struct tick_report *out)
{
	if (!(dt >= PHYSICS_DT_MIN && dt <= PHYSICS_DT_MAX))
		return STATUS_INVALID_ARGUMENT;
	if (world->failed)
		return STATUS_FAILED_PRECONDITION;
	world->host.given = memory_spare_set((struct memory_spare){ 0 });
	world->host.spare = watch_spare(world);
	(void)partition_spare_set(world);
	world->failed = !workspace_enter(world) || !tick_make(world, dt);
	(void)memory_spare_set(world->host.given);
	workspace_leave(world);
	if (world->failed && world->failure.tick > 0)
		return STATUS_OUT_OF_RANGE;
	if (world->failed)
		return world->stopped ? STATUS_CANCELLED : STATUS_RESOURCE_EXHAUSTED;
	*out = (struct tick_report){
		.tick = world->tick,
		.events = world->report.events,
		.collisions = world->report.collisions,
		.clusters = world->report.clusters,
		.asleep = world->bodies.asleep_count,
		.clips = world->report.clips,
		.work = world->step.work.used,
		.work_max = world->step.work.most,
		.energy = world->report.energy,
		.momentum = world->report.momentum,
		.cost = world->report.cost,
		.contacts = world->report.contacts,
		.contact_count = world->report.contact_count,
		.path_changes = world->report.path_changes,
		.path_change_count = world->report.path_change_count,
		.shortfalls = world->report.shortfalls,
		.shortfall_count = world->report.shortfall_count,
		.pair_events = world->watch ? world->watch->events : NULL,
		.pair_event_count = world->watch ? world->watch->event_count : 0,
		.paths = world->watch ? world->watch->rows : NULL,
		.path_count = world->watch ? world->watch->row_count : 0,
		.paths_lost = watch_has_lost(world),
		.places = world->walls.places,
		.place_count = world->walls.moving_count,
		.ends = world->report.ends,
		.end_count = world->report.end_count,
	};
	return STATUS_OK;
}
