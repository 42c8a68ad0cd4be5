/* A tick of a live world: its batches, forces, the engine's step, and what follows from that. */
#include "worlds/live/live_private.h"

#define TICKS_PER_TIMED 4
#define SMALL_CIRCLES_MAX 256

/* Of a world of few circles, where two looks at the clock would be a tenth of the cost, every fourth tick is timed. */
static bool
tick_is_timed(const struct live_world *world)
{
	return world->tick % TICKS_PER_TIMED == 0 || world_body_count(world->world) > SMALL_CIRCLES_MAX;
}

/* Batches, forces, and what readers of paths are told before the step. */
static bool
tick_begin(struct live_world *world)
{
	uint64_t batches = world->batches;

	if (!live_rollback(world))
		return false;

	/* In a mirror they are not counted. */
	const struct batch *first = waiting_first(&world->waiting);
	bool any = first && first->tick <= world->tick + 1;

	struct memory_spare spare = live_spare_set(world);

	live_batches_apply(world);
	(void)memory_spare_set(spare);
	live_encoders_give_way(world);
	if (world->failed)
		return false;

	bool edited = world->forces.count > 0 || world->batches != batches || world->late.changed;

	world->late.changed = false;
	spare = live_spare_set(world);

	bool acted = live_forces_act(world);

	(void)memory_spare_set(spare);
	live_encoders_give_way(world);
	if (!acted)
		return false;
	live_paths_begin(world, edited);
	live_encoders_give_way(world);
	if (world->observer.begun)
		world->observer.begun(world->observer.context, world->world, edited || any);
	return true;
}

bool
live_world_observe(struct live_world *world, const struct tick_observer *observer, unsigned events)
{
	world->observer = *observer;
	return world_events_set(world->world, world->policy.events | events) == STATUS_OK;
}

bool
live_tick(struct live_world *world, uint64_t late_ns)
{
	bool timed = tick_is_timed(world) || world->late.from != 0;
	uint64_t began_ns = timed ? world->cpu_ns() : 0;
	struct tick_report report;

	if (!tick_begin(world))
		return false;

	struct memory_spare spare = live_spare_set(world);
	bool made = live_step(world, &report);

	(void)memory_spare_set(spare);
	if (!made)
		return false;
	if (report.paths_lost)
		live_paths_fail(world);
	live_encoders_give_way(world);
	if (world->observer.made)
		world->observer.made(world->observer.context, world->world, &report);
	world->late_ns = late_ns;
	live_encoders_tick(world, &report);
	journal_tick(&world->journal, world->world, &world->forces, &world->owners);
	recent_states_tick(&world->recent, world->world, &world->forces, &world->owners);
	live_check_tick(world);
	live_past_idle(world);
	tick_times_late(&world->times, world->now_ns, late_ns);
	if (timed)
		tick_times_add(&world->times, world->cpu_ns() - began_ns);
	return true;
}
