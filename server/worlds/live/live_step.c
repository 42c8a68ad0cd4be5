/* The engine's step of a tick, and what follows from it for forces, owners and hashes: of a new tick, or of one that is made
 * again. */
#include "worlds/live/live_private.h"

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

bool
live_forces_act(struct live_world *world)
{
	do
		if (force_list_act(&world->forces, world->world, world->policy.dt) == STATUS_OK)
			return true;
	while (world->sacrifice(world));
	live_fail(world, "LIMIT");
	return false;
}

bool
live_step(struct live_world *world, struct tick_report *report)
{
	enum status status = world_step(world->world, world->policy.dt, report);

	if (status != STATUS_OK) {
		live_fail(world, step_failure(status));
		return false;
	}
	world->tick++;
	if (!live_ends_follow(world, report)) {
		live_fail(world, "LIMIT");
		return false;
	}

	bool on_grid = world->tick % world->policy.hash_every == 0;

	/* Of a tick that is made again the hash may have been told by a Stepped. */
	if (on_grid || world->tick == world->hash_tick)
		(void)live_hash(world);
	if (on_grid) {
		world->grid_hash = world->hash;
		world->grid_hash_tick = world->tick;
	}
	return true;
}
