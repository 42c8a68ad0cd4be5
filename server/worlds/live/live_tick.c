/* A tick of a live world: its batches, forces, the engine's step, and what follows from that. */
#include "worlds/live/live_private.h"

#define TICKS_PER_TIMED 4
#define SMALL_CIRCLES_MAX 256

uint64_t
live_hash(struct live_world *world)
{
	world->hash = world_hash(world->world);
	world->hash_tick = world->tick;
	return world->hash;
}

bool
live_ends_follow(struct live_world *world, const struct tick_report *report)
{
	uint32_t *ids;

	if (report->end_count == 0 || world->forces.count + world->owners.count == 0)
		return true;
	arena_reset(&world->arena);
	world->arena.budget_bytes = report->end_count * sizeof *ids + 64;
	ids = arena_room(&world->arena, report->end_count, sizeof *ids);
	if (!ids)
		return false;
	for (size_t i = 0; i < report->end_count; i++)
		ids[i] = report->ends[i].body;
	force_list_remove(&world->forces, ids, report->end_count);
	owner_list_remove(&world->owners, ids, report->end_count);
	return true;
}

/* Why the engine made no tick. */
static const char *
step_failure(enum status status)
{
	return status == STATUS_OUT_OF_RANGE ? "NOT_FINITE" : "LIMIT";
}

/* Of a world of few circles, where two looks at the clock would be a tenth of the cost, every fourth tick is timed. */
static bool
tick_is_timed(const struct live_world *world)
{
	return world->tick % TICKS_PER_TIMED == 0 || world_body_count(world->world) > SMALL_CIRCLES_MAX;
}

bool
live_tick(struct live_world *world, uint64_t late_ns)
{
	bool timed = tick_is_timed(world);
	uint64_t began_ns = timed ? world->cpu_ns() : 0;
	struct tick_report report;

	uint64_t batches = world->batches;

	live_batches_apply(world);
	if (world->failed)
		return false;

	bool forced = world->forces.count > 0;

	if (force_list_act(&world->forces, world->world, world->policy.dt) != STATUS_OK) {
		live_fail(world, "LIMIT");
		return false;
	}
	if (!live_paths_begin(world, forced || world->batches != batches)) {
		live_fail(world, "LIMIT");
		return false;
	}
	enum status status = world_step(world->world, world->policy.dt, &report);

	if (status != STATUS_OK) {
		live_fail(world, step_failure(status));
		return false;
	}
	world->tick++;
	if (!live_ends_follow(world, &report)) {
		live_fail(world, "LIMIT");
		return false;
	}
	world->late_ns = late_ns;
	if (world->tick % world->policy.hash_every == 0) {
		world->grid_hash = live_hash(world);
		world->grid_hash_tick = world->tick;
	}
	if (!live_encoders_tick(world, &report)) {
		live_fail(world, "LIMIT");
		return false;
	}
	journal_tick(&world->journal, world->world, &world->forces, &world->owners);
	tick_times_late(&world->times, world->now_ns, late_ns);
	if (timed)
		tick_times_add(&world->times, world->cpu_ns() - began_ns);
	return true;
}
