/* A tick, and then the removal of the circles that have ended in it. Happy path: none has. What can go wrong: memory for the
 * removal; then the world has failed as within a tick. */
#include "physics/math/array.h"
#include "physics/state/edit.h"
#include "physics/tick/step.h"

/* False without memory. The report stays valid: world_remake moves what of it is in the watch. */
static bool
ends_remove(struct world *world)
{
	size_t count = world->report.end_count;
	struct def_problem problem;

	if (!edit_plan_ready(world) ||
	    !array_reserve(&world->plan->edits, &world->plan->edit_capacity, count, sizeof *world->plan->edits))
		return false;
	for (size_t k = 0; k < count && !pause_after(2 * BODY_UNITS); k++)
		world->plan->edits[k] = edit_circle_remove(world->report.ends[k].body);
	return world_edit(world, world->plan->edits, count, &problem) == STATUS_OK;
}

static enum status
step_make(struct world *world, double dt, struct tick_report *out)
{
	enum status status = tick_step(world, dt, out);

	if (status != STATUS_OK || world->report.end_count == 0 || ends_remove(world))
		return status;
	world->failed = true;
	return pause_stopped() ? STATUS_CANCELLED : STATUS_RESOURCE_EXHAUSTED;
}

enum status
world_step(struct world *world, double dt, struct tick_report *out)
{
	struct pause before;

	if (!world->host.stop)
		return step_make(world, dt, out);
	pause_begin(&before, world->host.stop, world->host.stop_context);
	enum status status = step_make(world, dt, out);
	pause_end(&before);
	return status;
}

bool
world_failure(const struct world *world, struct world_failure *out)
{
	if (world->failure.tick == 0)
		return false;
	*out = world->failure;
	return true;
}
