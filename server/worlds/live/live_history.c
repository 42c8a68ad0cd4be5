/* How far back a live world may go, and how often. */
#include "worlds/live/live_private.h"

uint64_t
live_final_tick(const struct live_world *world)
{
	uint64_t tick = world->tick, history = world->policy.history_ticks;

	if (world->policy.late != WORLD_LATE_RESIMULATE || !journal_keeps(&world->journal))
		return tick;

	uint64_t oldest = world->journal.states[0]->tick;

	return tick - oldest > history ? tick - history : oldest;
}

bool
live_late_takes(struct live_world *world, uint64_t tick)
{
	uint64_t from = world->late.from != 0 ? world->late.from : world->tick + 1;

	if (world->policy.late != WORLD_LATE_RESIMULATE || tick <= live_final_tick(world))
		return false;
	if (tick >= from)
		return true;
	if (!rate_take(&world->late.ticks, world->limits->resimulated_ticks_max, from - tick, world->now_ns))
		return false;
	world->late.from = tick;
	return true;
}
