/* Ticks that are made again as they were: in another world than the live one, which stands aside meanwhile. */
#include "physics/describe.h"
#include "worlds/live/live_private.h"

bool
live_moment_restore(const struct live_world *world, const struct journal_state *state, struct world_moment *out)
{
	if (!journal_state_restore(state, world->map, out))
		return false;
	world_contacts_max_set(out->world, (size_t)world->scene_limits->contacts_per_tick_max);
	return true;
}

void
live_moment_swap(struct live_world *world, struct world_moment *moment)
{
	struct world_moment now = { world->tick, world->world, world->forces, world->owners };

	world->tick = moment->tick;
	world->world = moment->world;
	world->forces = moment->forces;
	world->owners = moment->owners;
	*moment = now;
}

bool
live_batches_again(struct live_world *world, const struct batch **batch)
{
	for (; *batch && (*batch)->tick == world->tick + 1; *batch = (*batch)->next)
		if (!live_batch_again(world, *batch))
			return false;
	return force_list_act(&world->forces, world->world, world->policy.dt) == STATUS_OK;
}

bool
live_step_again(struct live_world *world, struct tick_report *report)
{
	if (world_step(world->world, world->policy.dt, report) != STATUS_OK)
		return false;
	world->tick++;
	return live_ends_follow(world, report);
}

bool
live_ticks_again(struct live_world *world, const struct batch **batch, uint64_t tick)
{
	struct tick_report report;

	while (world->tick < tick)
		if (!live_batches_again(world, batch) || !live_step_again(world, &report))
			return false;
	return true;
}
