/* How far back a live world may go, and how often. */
#include "worlds/live/live_private.h"

#define NS_PER_S UINT64_C(1000000000)

uint64_t
live_final_tick(const struct live_world *world)
{
	uint64_t tick = world->tick, history = world->policy.history_ticks;

	if (world->policy.late != WORLD_LATE_RESIMULATE || !journal_keeps(&world->journal))
		return tick;

	uint64_t oldest = world->journal.states[0]->tick;

	return tick - oldest > history ? tick - history : oldest;
}

/* Whether so many ticks may be made again; counts them. */
static bool
ticks_take(struct live_world *world, uint64_t ticks)
{
	struct late *late = &world->late;
	uint64_t most = world->limits->resimulated_ticks_max, passed_ns = world->now_ns - late->since_ns;

	if (passed_ns >= NS_PER_S) {
		late->left = most;
		late->since_ns = world->now_ns;
	} else if (passed_ns * most >= NS_PER_S) {
		uint64_t more = passed_ns * most / NS_PER_S;

		late->left = most - late->left < more ? most : late->left + more;
		late->since_ns += more * NS_PER_S / most;
	}
	if (ticks > late->left)
		return false;
	late->left -= ticks;
	return true;
}

bool
live_late_takes(struct live_world *world, uint64_t tick)
{
	uint64_t from = world->late.from != 0 ? world->late.from : world->tick + 1;

	if (world->policy.late != WORLD_LATE_RESIMULATE || tick <= live_final_tick(world))
		return false;
	if (tick >= from)
		return true;
	if (!ticks_take(world, from - tick))
		return false;
	world->late.from = tick;
	return true;
}
